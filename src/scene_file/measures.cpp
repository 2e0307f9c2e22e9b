#include "scene_file/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace yawara::scene_file {
namespace {

std::string label_of(const MeasureDocument& d)
{
    const char axis = "xyz"[d.axis];
    switch (d.what) {
        case MeasureKind::twist:
            return fmt::format("Twist about {} (degrees)", axis);
        case MeasureKind::extent:
            return fmt::format("Extent along {} (m)", axis);
        case MeasureKind::center:
            return fmt::format("Centre of mass, {} (m)", axis);
        case MeasureKind::weight:
            return "Weight of the example";
        case MeasureKind::volume:
            return "Volume inside the surface (m³)";
        case MeasureKind::distance:
            return "Distance between the bodies (m)";
    }
    return {};
}

constexpr std::size_t kFewParticles = 6;  // fewer do not tell how a layer has turned

/// Particles at an end of a body along an axis: the outermost layer, or as much of the body as has half a dozen.
std::vector<int> end_of(std::span<const Vec3d> rest, int axis, bool high)
{
    const Box3 box = bounds(rest);
    for (const double share : {0.02, 0.05, 0.1, 0.3}) {
        std::vector<int> particles;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const double away = high ? box.high[axis] - rest[i][axis] : rest[i][axis] - box.low[axis];
            if (away <= share * box.size()[axis]) particles.push_back(int(i));
        }
        if (particles.size() >= kFewParticles || share == 0.3) return particles;
    }
    return {};
}

/// Both ends of a body along an axis and, where there are enough particles, layers between them.
std::vector<std::vector<int>> layers_of(std::span<const Vec3d> rest, int axis)
{
    constexpr std::size_t kLayers = 24;
    const Box3 box = bounds(rest);
    std::vector<std::vector<int>> slabs(kLayers), layers{end_of(rest, axis, false)};
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const double share = (rest[i][axis] - box.low[axis]) / box.size()[axis];
        if (share > 0.02 && share < 0.98) slabs[std::size_t(share * kLayers)].push_back(int(i));
    }
    for (std::vector<int>& slab : slabs)
        if (slab.size() >= kFewParticles) layers.push_back(std::move(slab));
    layers.push_back(end_of(rest, axis, true));
    return layers;
}

Vec3d middle(const std::vector<Vec3>& points)
{
    Vec3d sum;
    for (const Vec3& p : points) sum += p.as<double>();
    return sum / double(points.size());
}

/// Mean angle by which particles have turned about an axis, as seen from their middle.
double turned(std::span<const Vec3d> rest, const std::vector<Vec3>& now, const std::vector<int>& particles, int axis)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Vec3d c0, c;
    for (const int i : particles) {
        c0 += rest[std::size_t(i)];
        c += now[std::size_t(i)].as<double>();
    }
    c0 = c0 / double(particles.size()), c = c / double(particles.size());
    double sine = 0, cosine = 0;
    for (const int i : particles) {
        const Vec3d a = rest[std::size_t(i)] - c0, b = now[std::size_t(i)].as<double>() - c;
        cosine += a[u] * b[u] + a[v] * b[v];
        sine += a[u] * b[v] - a[v] * b[u];
    }
    return std::atan2(sine, cosine) * 180 / std::numbers::pi;
}

}  // namespace

Result<Measures> Measures::make(const std::vector<MeasureDocument>& documents, Scene& scene)
{
    Measures measures;
    for (const MeasureDocument& document : documents) {
        const auto body = scene.find(document.body), other = scene.find(document.other);
        if (!body) return Error{document.where + ".body", "there is no body \"" + document.body + "\""};
        One one{document, *body, other.value_or(BodyId{}), 0, {}, {}};
        const BodyModel& model = scene.model(one.body);
        if (document.what == MeasureKind::twist) one.layers = layers_of(model.rest_positions(), document.axis);
        if (document.what == MeasureKind::weight) {
            const auto found = std::ranges::find(model.examples(), document.example, &ExampleReport::name);
            if (found == model.examples().end())
                return Error{document.where + ".example",
                             fmt::format("\"{}\" is not an example of \"{}\"", document.example, document.body)};
            one.example = std::size_t(found - model.examples().begin());
            if (std::size_t(document.group) >= model.example_groups())
                return Error{document.where + ".group",
                             fmt::format("{}, but the groups are 0 to {}", document.group, model.example_groups() - 1)};
        }
        if (document.what == MeasureKind::distance) {
            if (!other) return Error{document.where + ".other", "there is no body \"" + document.other + "\""};
            const auto &a = scene.surface(one.body), &b = scene.surface(one.other);
            if (a.size() != b.size())
                return Error{document.where, "the bodies' surfaces have different numbers of vertices"};
            one.offset = middle({b.begin(), b.end()}) - middle({a.begin(), a.end()});
        }
        measures.infos_.push_back({document.name, document.label.empty() ? label_of(document) : document.label});
        measures.all_.push_back(std::move(one));
    }
    return measures;
}

double Measures::value(const One& one, Scene& scene)
{
    const BodyModel& model = scene.model(one.body);
    const BodyState& state = std::as_const(scene).state(one.body);
    const int axis = one.document.axis;
    switch (one.document.what) {
        case MeasureKind::twist: {
            // From layer to layer it is less than half a turn, so that whole turns are counted right.
            double sum = 0, before = turned(model.rest_positions(), state.positions, one.layers.front(), axis);
            for (const std::vector<int>& layer : one.layers) {
                const double now = turned(model.rest_positions(), state.positions, layer, axis);
                sum += now - before - 360 * std::round((now - before) / 360);
                before = now;
            }
            return sum;
        }
        case MeasureKind::extent: {
            const auto [low, high] =
                std::ranges::minmax(state.positions, {}, [axis](const Vec3& p) { return p[axis]; });
            return double(high[axis] - low[axis]);
        }
        case MeasureKind::center: {
            double sum = 0, mass = 0;
            for (std::size_t i = 0; i < state.positions.size(); ++i) {
                sum += model.masses()[i] * double(state.positions[i][axis]);
                mass += model.masses()[i];
            }
            return sum / mass;
        }
        case MeasureKind::weight: {
            const std::vector<float> weights =
                example_weights(model, state, scene.time(), scene.settings().dt / scene.settings().substeps);
            const std::size_t width = model.examples().size() + 1;
            return double(weights[std::size_t(one.document.group) * width + one.example + 1]);
        }
        case MeasureKind::volume: {
            const std::span<const Vec3> surface = scene.surface(one.body);
            double sum = 0;
            for (const Int3& t : model.surface().triangles) {
                const auto at = [&](int k) { return surface[std::size_t(t[std::size_t(k)])].as<double>(); };
                sum += dot(at(0), cross(at(1), at(2))) / 6;
            }
            return sum;
        }
        case MeasureKind::distance: {
            const std::span<const Vec3> a = scene.surface(one.body);
            const std::vector<Vec3> first(a.begin(), a.end());
            const std::span<const Vec3> b = scene.surface(one.other);
            double sum = 0;
            for (std::size_t i = 0; i < first.size(); ++i) {
                const Vec3d d = b[i].as<double>() - first[i].as<double>() - one.offset;
                sum += dot(d, d);
            }
            return std::sqrt(sum / double(first.size()));
        }
    }
    return 0;
}

std::vector<double> Measures::now(Scene& scene)
{
    std::vector<double> values;
    for (const One& one : all_) values.push_back(value(one, scene));
    return values;
}

}  // namespace yawara::scene_file
