// Each kind of measure: its label, what it has to know of a body beforehand, and its value.
#include "yawara/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace yawara {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

std::string axis_name(int axis)
{
    return std::string(1, "xyz"[axis]);
}

std::string label_of(const MeasureKind& what)
{
    return std::visit(Overloaded{
                          [](const MeasureTwist& m) { return "Twist about " + axis_name(m.axis) + " (degrees)"; },
                          [](const MeasureExtent& m) { return "Extent along " + axis_name(m.axis) + " (m)"; },
                          [](const MeasureCenter& m) { return "Centre of mass, " + axis_name(m.axis) + " (m)"; },
                          [](const MeasureWeight&) { return std::string("Weight of the example"); },
                          [](const MeasureVolume&) { return std::string("Volume inside the surface (m³)"); },
                          [](const MeasureDistance&) { return std::string("Distance between the bodies (m)"); },
                          [](const MeasurePoints&) { return std::string("Distance between two points (m)"); },
                          [](const MeasureFiber&) { return std::string("Stretch along the fibres (1)"); },
                          [](const MeasureCavity&) { return std::string("Volume of the cavity (m³)"); },
                          [](const MeasureAdvance& m) { return "Advance along " + axis_name(m.axis) + " (m per period)"; },
                          [](const MeasureWave&) { return std::string("Speed of the wave (m/s)"); },
                      },
                      what);
}

/// Of those that have one.
int axis_of(const MeasureKind& what)
{
    return std::visit(
        [](const auto& m) {
            if constexpr (requires { m.axis; }) return m.axis;
            return 0;
        },
        what);
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

Vec3d middle(std::span<const Vec3> points)
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

double twist_of(const BodyModel& model, const BodyState& state, const std::vector<std::vector<int>>& layers, int axis)
{
    // From layer to layer it is less than half a turn, so that whole turns are counted right.
    double sum = 0, before = turned(model.rest_positions(), state.positions, layers.front(), axis);
    for (const std::vector<int>& layer : layers) {
        const double now = turned(model.rest_positions(), state.positions, layer, axis);
        sum += now - before - 360 * std::round((now - before) / 360);
        before = now;
    }
    return sum;
}

double extent_of(const BodyState& state, int axis)
{
    const auto [low, high] = std::ranges::minmax(state.positions, {}, [axis](const Vec3& p) { return p[axis]; });
    return double(high[axis] - low[axis]);
}

double center_of(const BodyModel& model, const BodyState& state, int axis)
{
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        sum += model.masses()[i] * double(state.positions[i][axis]);
        mass += model.masses()[i];
    }
    return sum / mass;
}

double volume_of(const TriMesh& mesh, std::span<const Vec3> surface)
{
    double sum = 0;
    for (const Int3& t : mesh.triangles) {
        const auto at = [&](int k) { return surface[std::size_t(t[std::size_t(k)])].as<double>(); };
        sum += dot(at(0), cross(at(1), at(2))) / 6;
    }
    return sum;
}

Embedding hung(const BodyModel& model, Vec3d place)
{
    const std::vector<Vec3d> points{place};
    return std::visit([&](const auto& solid) { return Embedding(solid, points); }, model.domain());
}

Vec3d place_of(const Embedding& hung, const BodyState& state)
{
    Vec3 place;
    hung.apply(std::span<const Vec3>(state.positions), std::span(&place, 1));
    return place.as<double>();
}

double distance_of(std::span<const Vec3> a, std::span<const Vec3> b, Vec3d offset)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Vec3d d = b[i].as<double>() - a[i].as<double>() - offset;
        sum += dot(d, d);
    }
    return std::sqrt(sum / double(a.size()));
}

}  // namespace

Status Measures::prepare(Measure& measure, const Scene& scene)
{
    const BodyModel& model = scene.model(measure.spec.body);
    if (const auto* twist = std::get_if<MeasureTwist>(&measure.spec.what))
        measure.layers = layers_of(model.rest_positions(), twist->axis);
    if (const auto* weight = std::get_if<MeasureWeight>(&measure.spec.what)) {
        const auto found = std::ranges::find(model.examples(), weight->example, &ExampleReport::name);
        if (found == model.examples().end())
            return Error{"example", "\"" + weight->example + "\" is not an example of \"" + model.name() + "\""};
        measure.example = std::size_t(found - model.examples().begin());
        if (weight->group < 0 || std::size_t(weight->group) >= model.example_groups())
            return Error{"group", std::to_string(weight->group) + ", but the groups are 0 to " +
                                      std::to_string(model.example_groups() - 1)};
    }
    if (const auto* points = std::get_if<MeasurePoints>(&measure.spec.what)) {
        if (!scene.contains(points->other)) return Error{"other", "there is no such body"};
        const BodyModel& other = scene.model(points->other);
        measure.from = hung(model, points->from);
        measure.to = hung(other, points->to);
        measure.other_revision = other.revision();
    }
    if (Status ready = prepare_muscles(measure, scene); !ready) return ready;
    measure.revision = model.revision();
    return Done{};
}

Status Measures::add(MeasureSpec spec, Scene& scene)
{
    if (!scene.contains(spec.body)) return Error{"body", "there is no such body"};
    if (axis_of(spec.what) < 0 || axis_of(spec.what) > 2)
        return Error{"axis", std::to_string(axis_of(spec.what)) + " is not 0, 1 or 2"};
    Measure measure{std::move(spec)};
    if (Status ready = prepare(measure, scene); !ready) return ready;
    if (const auto* distance = std::get_if<MeasureDistance>(&measure.spec.what)) {
        if (!scene.contains(distance->other)) return Error{"other", "there is no such body"};
        const std::span<const Vec3> a = scene.surface(measure.spec.body), b = scene.surface(distance->other);
        if (a.size() != b.size()) return Error{"", "the bodies' surfaces have different numbers of vertices"};
        measure.offset = middle(b) - middle(a);
    }
    infos_.push_back(
        {measure.spec.name, measure.spec.label.empty() ? label_of(measure.spec.what) : measure.spec.label});
    measures_.push_back(std::move(measure));
    return Done{};
}

double Measures::value(Measure& measure, Scene& scene)
{
    const BodyId body = measure.spec.body;
    const BodyModel& model = scene.model(body);
    const BodyState& state = std::as_const(scene).state(body);
    return std::visit(Overloaded{
                          [&](const MeasureTwist& m) { return twist_of(model, state, measure.layers, m.axis); },
                          [&](const MeasureExtent& m) { return extent_of(state, m.axis); },
                          [&](const MeasureCenter& m) { return center_of(model, state, m.axis); },
                          [&](const MeasureWeight& m) {
                              const std::vector<float> weights = example_weights(
                                  model, state, scene.time(), scene.settings().dt / scene.settings().substeps);
                              const std::size_t width = model.examples().size() + 1;
                              return double(weights[std::size_t(m.group) * width + measure.example + 1]);
                          },
                          [&](const MeasureVolume&) { return volume_of(model.surface(), scene.surface(body)); },
                          [&](const MeasureDistance& m) {
                              if (!scene.contains(m.other)) return kUnknown;
                              const std::span<const Vec3> a = scene.surface(body), b = scene.surface(m.other);
                              return a.size() == b.size() ? distance_of(a, b, measure.offset) : kUnknown;
                          },
                          [&](const MeasurePoints& m) {
                              const BodyState& other = std::as_const(scene).state(m.other);
                              return length(place_of(measure.to, other) - place_of(measure.from, state));
                          },
                          [&](const auto&) { return value_of_muscles(measure, scene); },
                      },
                      measure.spec.what);
}

std::vector<double> Measures::values(Scene& scene)
{
    std::vector<double> values;
    for (Measure& measure : measures_) {
        const BodyId body = measure.spec.body;
        bool known = scene.contains(body);
        const auto* points = std::get_if<MeasurePoints>(&measure.spec.what);
        if (known && points) known = scene.contains(points->other);
        const bool replaced = known && (scene.model(body).revision() != measure.revision ||
                                        (points && scene.model(points->other).revision() != measure.other_revision));
        if (replaced) known = static_cast<bool>(prepare(measure, scene));
        values.push_back(known ? value(measure, scene) : kUnknown);
    }
    return values;
}

}  // namespace yawara
