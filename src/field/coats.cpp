// Coats of paint, one after the other: how much each counts at every place, and what it does to the values there.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "field/geodesic.h"
#include "field/harmonic.h"
#include "field/strokes.h"
#include "yawara/paint.h"

namespace yawara {
namespace {

using namespace field;
using Brush = Coat::Brush;
using Operation = Coat::Operation;
using Reach = Coat::Reach;

constexpr int kSmoothings = 4;       // rounds of means over neighbours in one coat
constexpr double kHardShare = 0.5;   // of a brush's radius: inside it a coat counts fully
constexpr double kSlackShare = 1.0;  // of the spacing: a stroke finds its way over particles this far beside it

/// Where a place is nearest to a path: how far, and how far along.
struct OnPath {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t segment = 0;
    double share = 0;
};

OnPath nearest_on(std::span<const Vec3d> path, Vec3d p)
{
    OnPath best{length(p - path[0]), 0, 0};
    for (std::size_t k = 1; k < path.size(); ++k) {
        const Vec3d d = path[k] - path[k - 1];
        const double square = dot(d, d);
        const double share = square > 0 ? std::clamp(dot(p - path[k - 1], d) / square, 0.0, 1.0) : 0;
        if (const double away = length(p - path[k - 1] - d * share); away < best.distance) best = {away, k - 1, share};
    }
    return best;
}

double pressure_at(const Coat& coat, const OnPath& on)
{
    if (coat.pressures.empty()) return 1;
    const double from = coat.pressures[on.segment];
    const double to = coat.pressures[std::min(on.segment + 1, coat.pressures.size() - 1)];
    return from + (to - from) * on.share;
}

/// 1 inside, 0 from the radius on, smooth in between.
double falloff(double distance, double radius)
{
    if (!(distance < radius)) return 0;
    const double t = std::min(1.0, (1 - distance / radius) / (1 - kHardShare));
    return t * t * (3 - 2 * t);
}

std::size_t nearest_of(std::span<const Vec3d> points, Vec3d p)
{
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3d d = points[i] - p;
        if (const double away = dot(d, d); away < least) least = away, nearest = i;
    }
    return nearest;
}

/// The places of a field, and what of the solid around them brushes ask for.
class Ground {
public:
    explicit Ground(const FieldPlaces& places) : points(places.unscaled()), places_(places) {}

    std::vector<Vec3d> points;

    const std::vector<Vec3d>& particles() const
    {
        if (places_.tets.empty()) return points;
        if (particles_.empty()) {
            particles_ = rest_positions(places_.domain);
            for (Vec3d& p : particles_) p = p / places_.scale;
        }
        return particles_;
    }
    const Links& links() const
    {
        if (!links_) links_ = std::make_unique<const Links>(places_.domain);
        return *links_;
    }
    double spacing() const { return links().spacing / places_.scale; }

    /// The outer faces of the solid, and the particle behind each of their vertices.
    const TriMesh& skin() const
    {
        if (skin_.vertices.empty()) {
            TetMesh solid = solid_of(places_.domain);
            for (Vec3d& p : solid.vertices) p = p / places_.scale;
            skin_ = boundary_surface(solid, &particle_of_);
        }
        return skin_;
    }
    std::int32_t particle_of(std::int32_t vertex) const { return particle_of_[std::size_t(vertex)]; }

    /// Places that belong to marked particles: those themselves, or points in tets with a marked corner.
    std::vector<char> places_of(const std::vector<char>& marked) const
    {
        if (places_.tets.empty()) return marked;
        const TetMesh& mesh = std::get<TetMesh>(places_.domain);
        std::vector<char> out(points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            for (const std::int32_t v : mesh.tets[std::size_t(places_.tets[i])]) out[i] |= marked[std::size_t(v)];
        return out;
    }
    /// From values of the particles to the places: their own, or means over the corners of tets.
    std::vector<double> carried(const std::vector<double>& particles) const
    {
        if (places_.tets.empty()) return particles;
        const TetMesh& mesh = std::get<TetMesh>(places_.domain);
        std::vector<double> out(points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            for (const std::int32_t v : mesh.tets[std::size_t(places_.tets[i])])
                out[i] += particles[std::size_t(v)] / 4;
        return out;
    }
    /// How far each place is on the way from the first place of a path to the last, 0 to 1, by ways through the body:
    /// as far as in a plane triangle of the three distances.
    std::vector<double> shares_through(const std::vector<Vec3d>& path) const
    {
        TetMesh solid = solid_of(places_.domain);
        for (Vec3d& p : solid.vertices) p = p / places_.scale;
        const std::array ends{path.front(), path.back()};
        const auto ways = ways_through(solid, ends);
        const double whole = ways[0][nearest_of(solid.vertices, ends[1])];
        std::vector<double> shares;
        for (std::size_t i = 0; i < solid.vertices.size(); ++i) {
            const double from = ways[0][i], to = ways[1][i];
            const double share = (from * from - to * to + whole * whole) / (2 * whole * whole);
            // What hangs together with neither end stays where it was: at the start.
            shares.push_back(std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : from < to ? 0 : to < from ? 1 : 0);
        }
        return carried(shares);
    }
    /// Fills what is not known along the mesh.
    void fill(std::span<const char> known, std::vector<double>& values) const
    {
        if (places_.tets.empty()) return harmonic_fill(places_.domain, known, values);
        const TetMesh& mesh = std::get<TetMesh>(places_.domain);
        std::vector<double> sums(mesh.vertices.size()), counts(mesh.vertices.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            for (const std::int32_t v : mesh.tets[std::size_t(places_.tets[i])])
                if (known[i]) sums[std::size_t(v)] += values[i], ++counts[std::size_t(v)];
        std::vector<char> touched(mesh.vertices.size());
        for (std::size_t v = 0; v < sums.size(); ++v)
            if (counts[v] > 0) touched[v] = 1, sums[v] /= counts[v];
        harmonic_fill(places_.domain, touched, sums);
        const std::vector<double> filled = carried(sums);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!known[i]) values[i] = filled[i];
    }
    /// Means over neighbours.
    std::vector<double> smoothed(const std::vector<double>& values) const
    {
        std::vector<double> out(values.size());
        if (places_.tets.empty()) {
            const auto& lists = links().lists;
            for (std::size_t i = 0; i < values.size(); ++i) {
                double sum = values[i], count = 1;
                for (const std::int32_t j : lists[i]) sum += values[std::size_t(j)], ++count;
                out[i] = sum / count;
            }
            return out;
        }
        const TetMesh& mesh = std::get<TetMesh>(places_.domain);
        std::vector<double> sums(mesh.vertices.size()), counts(mesh.vertices.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            for (const std::int32_t v : mesh.tets[std::size_t(places_.tets[i])])
                sums[std::size_t(v)] += values[i], ++counts[std::size_t(v)];
        for (std::size_t i = 0; i < values.size(); ++i) {
            out[i] = 0;
            for (const std::int32_t v : mesh.tets[std::size_t(places_.tets[i])])
                out[i] += 0.25 * sums[std::size_t(v)] / counts[std::size_t(v)];
        }
        return out;
    }

private:
    const FieldPlaces& places_;
    mutable std::vector<Vec3d> particles_;
    mutable std::unique_ptr<const Links> links_;
    mutable TriMesh skin_;
    mutable std::vector<std::int32_t> particle_of_;
};

/// Particles near the path that hang together with where it touches.
std::vector<char> connected(std::span<const Vec3d> path, double radius, const Ground& ground)
{
    const std::vector<Vec3d>& particles = ground.particles();
    const double far = radius + kSlackShare * ground.spacing();
    std::vector<char> near(particles.size()), reached(particles.size());
    Box3 box;
    for (const Vec3d& p : path) box.add(p);
    const Vec3d low = box.low - Vec3d{far, far, far}, high = box.high + Vec3d{far, far, far};
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3d p = particles[i];
        if (p.x < low.x || p.y < low.y || p.z < low.z || p.x > high.x || p.y > high.y || p.z > high.z) continue;
        near[i] = nearest_on(path, p).distance <= far;
    }
    std::vector<std::int32_t> open;
    for (const Vec3d& p : path)
        if (const std::size_t seed = nearest_of(particles, p); !reached[seed]) {
            reached[seed] = 1;
            open.push_back(std::int32_t(seed));
        }
    while (!open.empty()) {
        const auto i = std::size_t(open.back());
        open.pop_back();
        for (const std::int32_t j : ground.links().lists[i])
            if (near[std::size_t(j)] && !reached[std::size_t(j)]) {
                reached[std::size_t(j)] = 1;
                open.push_back(j);
            }
    }
    return reached;
}

std::vector<double> stroke_weights(const Coat& coat, const Ground& ground, bool soft)
{
    std::vector<Vec3d> path = coat.path;
    const double along2 = dot(coat.along, coat.along);
    const bool through = coat.reach == Reach::through && along2 > 0;
    const auto flattened = [&](Vec3d p) { return through ? p - coat.along * (dot(p, coat.along) / along2) : p; };
    for (Vec3d& p : path) p = flattened(p);
    std::vector<char> may(ground.points.size(), 1);
    if (!through) may = ground.places_of(connected(coat.path, coat.radius, ground));
    if (coat.reach == Reach::skin) {
        std::vector<char> outer(ground.particles().size());
        for (std::size_t v = 0; v < ground.skin().vertices.size(); ++v)
            outer[std::size_t(ground.particle_of(std::int32_t(v)))] = 1;
        outer = ground.places_of(outer);
        for (std::size_t i = 0; i < may.size(); ++i) may[i] = may[i] && outer[i];
    }
    std::vector<double> weights(ground.points.size());
    bool any = false;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!may[i]) continue;
        const OnPath on = nearest_on(path, flattened(ground.points[i]));
        const double weight = soft ? falloff(on.distance, coat.radius) : double(on.distance <= coat.radius);
        weights[i] = weight * pressure_at(coat, on);
        any = any || weight > 0;
    }
    // A brush smaller than the mesh paints what is nearest to it.
    if (!any && !through)
        for (std::size_t k = 0; k < coat.path.size(); ++k)
            weights[nearest_of(ground.points, coat.path[k])] = coat.pressures.empty() ? 1 : coat.pressures[k];
    return weights;
}

/// Of the sides, or of the single triangles, next to the places of the path.
std::vector<double> flat_weights(const Coat& coat, const Ground& ground)
{
    std::vector<char> side(ground.particles().size());
    std::vector<Vec3d> corners;
    for (const Vec3d& p : coat.path) {
        const std::int32_t triangle = nearest_triangle(ground.skin(), p);
        for (const std::int32_t v : coat.brush == Brush::polygon ? brush_polygon(ground.skin(), triangle)
                                                                 : brush_flat(ground.skin(), triangle, coat.angle)) {
            side[std::size_t(ground.particle_of(v))] = 1;
            corners.push_back(ground.skin().vertices[std::size_t(v)]);
        }
    }
    std::vector<char> reached = ground.places_of(side);
    if (coat.radius > 0)
        for (std::size_t i = 0; i < reached.size(); ++i)
            reached[i] =
                reached[i] || length(corners[nearest_of(corners, ground.points[i])] - ground.points[i]) <= coat.radius;
    return {reached.begin(), reached.end()};
}

Vec3d mirrored(Vec3d p, int axis, double middle)
{
    p[axis] = 2 * middle - p[axis];
    return p;
}

/// Whether a coat may paint at each of some points, wherever its brush is.
Result<std::vector<char>> allowed(const Coat& coat, const std::vector<Vec3d>& points)
{
    std::vector<char> inside(points.size(), 1);
    if (!std::holds_alternative<SelectEverything>(coat.select.kind)) {
        const Result<std::vector<std::int32_t>> chosen = select_particles(coat.select, points);
        if (!chosen) return chosen.error();
        std::ranges::fill(inside, 0);
        for (const std::int32_t i : *chosen) inside[std::size_t(i)] = 1;
    }
    if (coat.outline)
        for (std::size_t i = 0; i < points.size(); ++i) inside[i] = inside[i] && coat.outline->contains(points[i]);
    return inside;
}

/// How much a coat counts at every place, 0 to 1.
Result<std::vector<double>> weights_of(const Coat& coat, const Ground& ground, bool soft)
{
    std::vector<double> weights(ground.points.size(), 1);
    if (coat.brush == Brush::stroke) weights = stroke_weights(coat, ground, soft);
    if (coat.brush == Brush::flat || coat.brush == Brush::polygon) weights = flat_weights(coat, ground);
    const Result<std::vector<char>> inside = allowed(coat, ground.points);
    if (!inside) return inside.error();
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (!(*inside)[i]) weights[i] = 0;
    return weights;
}

class Painter {
public:
    /// `soft`: coats fade towards their edges.
    Painter(const Ground& ground, std::vector<double> base, double low, double high, bool soft)
        : ground_(ground),
          base_(std::move(base)),
          values_(base_),
          touched_(base_.size()),
          low_(low),
          high_(high),
          soft_(soft)
    {
        Box3 box;
        for (const Vec3d& p : ground.points) box.add(p);
        middle_ = box.center();
    }

    /// False: it changes nothing anywhere, since it reaches no place that it may paint.
    Result<bool> apply(const Coat& coat)
    {
        Result<std::vector<double>> weights = weights_of(coat, ground_, soft_);
        if (!weights) return named(weights.error(), coat);
        std::vector<double> targets = values_of(coat);
        if (coat.mirror) {
            if (const Status ok = mirror(coat, *weights, targets); !ok) return ok.error();
        }
        for (std::size_t i = 0; i < values_.size(); ++i) {
            double& weight = (*weights)[i];
            weight *= coat.strength;
            if (values_[i] < coat.low || values_[i] > coat.high) weight = 0;
            if (!soft_) weight = weight >= 0.5 ? 1 : 0;
            if (weight > 0) touched_[i] = coat.operation != Operation::erase;
        }
        if (std::ranges::none_of(*weights, [](double weight) { return weight > 0; })) return false;
        const int rounds = coat.operation == Operation::smooth ? kSmoothings : 1;
        for (int round = 0; round < rounds; ++round) {
            if (coat.operation == Operation::smooth) targets = ground_.smoothed(values_);
            for (std::size_t i = 0; i < values_.size(); ++i)
                if ((*weights)[i] > 0) change(values_[i], coat.operation, targets[i], base_[i], (*weights)[i]);
        }
        return true;
    }

    const std::vector<double>& values() const { return values_; }

    /// What no coat touched follows from what they did.
    void fill()
    {
        ground_.fill(touched_, values_);
        for (double& value : values_) value = std::clamp(value, low_, high_);
    }

private:
    static Error named(const Error& error, const Coat& coat)
    {
        return error.where.empty() ? Error{coat.where, error.what} : error;
    }

    std::vector<double> values_of(const Coat& coat) const
    {
        const std::vector<Vec3d>& points = ground_.points;
        std::vector<double> out(points.size(), coat.value);
        if (coat.brush != Brush::gradient) return out;
        if (coat.along_mesh) {
            const std::vector<double> shares = ground_.shares_through(coat.path);
            for (std::size_t i = 0; i < out.size(); ++i) out[i] += (coat.end_value - coat.value) * shares[i];
            return out;
        }
        const Vec3d from = coat.path.front(), way = coat.path.back() - from;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double share = std::clamp(dot(points[i] - from, way) / dot(way, way), 0.0, 1.0);
            out[i] = coat.value + (coat.end_value - coat.value) * share;
        }
        return out;
    }

    /// The same on the other side of the middle; where both reach, the stronger one counts.
    Status mirror(const Coat& coat, std::vector<double>& weights, std::vector<double>& targets) const
    {
        const int axis = *coat.mirror;
        const double middle = middle_[axis];
        Coat image = coat;
        image.select = {{}, SelectEverything{}};
        image.outline.reset();
        for (Vec3d& p : image.path) p = mirrored(p, axis, middle);
        image.along[axis] = -image.along[axis];
        Result<std::vector<double>> others = weights_of(image, ground_, soft_);
        if (!others) return named(others.error(), coat);
        std::vector<Vec3d> points = ground_.points;
        for (Vec3d& p : points) p = mirrored(p, axis, middle);
        // Nothing may lie over there: the body need not be symmetric.
        const Result<std::vector<char>> inside = allowed(coat, points);
        for (std::size_t i = 0; i < points.size(); ++i)
            if (!inside || !(*inside)[i]) (*others)[i] = 0;
        const std::vector<double> there = values_of(image);
        for (std::size_t i = 0; i < weights.size(); ++i)
            if ((*others)[i] > weights[i]) weights[i] = (*others)[i], targets[i] = there[i];
        return Done{};
    }

    void change(double& value, Operation operation, double target, double base, double weight) const
    {
        switch (operation) {
            case Operation::set:
            case Operation::smooth:
                value += (target - value) * weight;
                break;
            case Operation::erase:
                value += (base - value) * weight;
                break;
            case Operation::add:
                value = std::clamp(value + target * weight, low_, high_);
                break;
            case Operation::subtract:
                value = std::clamp(value - target * weight, low_, high_);
                break;
            case Operation::multiply:
                value = std::clamp(value * std::pow(target, weight), low_, high_);
                break;
        }
    }

    const Ground& ground_;
    std::vector<double> base_, values_;
    std::vector<char> touched_;  ///< by a coat that was not erased
    double low_, high_;
    bool soft_;
    Vec3d middle_;
};

Status check(const Coat& coat, bool labels)
{
    const auto wrong = [&](const char* what) { return Error{coat.where, what}; };
    for (const double x : {coat.value, coat.end_value, coat.strength, coat.radius, coat.angle})
        if (!std::isfinite(x)) return wrong("has a number that is not finite");
    if (!std::ranges::all_of(coat.path, [](Vec3d p) { return is_finite(p); }) || !is_finite(coat.along))
        return wrong("has a place that is not finite");
    if (coat.brush == Brush::stroke && !(coat.radius > 0)) return wrong("a stroke needs a \"radius\" above 0");
    if (coat.brush != Brush::select && coat.path.empty()) return wrong("gives no place: add \"at\" or \"path\"");
    if (coat.brush == Brush::gradient && (coat.path.size() < 2 || coat.path.front() == coat.path.back()))
        return wrong("a gradient needs two different places");
    if (!coat.pressures.empty() && coat.pressures.size() != coat.path.size())
        return wrong("\"pressures\" needs one for each place of the path");
    if (coat.mirror && (*coat.mirror < 0 || *coat.mirror > 2)) return wrong("is mirrored across no axis");
    if (coat.operation == Operation::multiply && !(coat.value > 0)) return wrong("a factor has to be above 0");
    if (labels && (coat.brush == Brush::gradient || coat.operation == Operation::smooth))
        return wrong("labels can neither be smoothed nor graded");
    return Done{};
}

std::string unreached(const Coat& coat, const FieldUse& use)
{
    const std::string what = "reaches no place of the body that it may paint: it does nothing";
    return coat.where.empty() ? "a coat of " + use.name + " " + what : coat.where + ": " + what;
}

template <class T>
Result<std::vector<T>> sample_painting(const Painting<T>& painting, const FieldPlaces& places, const FieldUse& use)
{
    constexpr bool kLabels = std::is_same_v<T, std::int32_t>;
    const Result<std::vector<T>> base = sample(painting.base, places, {.name = "base", .warnings = use.warnings});
    if (!base) return base.error();
    const Ground ground(places);
    if (kLabels && painting.filled) return Error{"", "labels cannot be filled smoothly"};
    Painter painter(ground, {base->begin(), base->end()}, painting.low, painting.high, !kLabels && !painting.filled);
    for (const Coat& coat : painting.coats) {
        if (const Status ok = check(coat, kLabels); !ok) return ok.error();
        const Result<bool> reached = painter.apply(coat);
        if (!reached) return reached.error();
        if (!*reached && use.warnings) use.warnings->push_back(unreached(coat, use));
    }
    if (painting.filled) painter.fill();
    std::vector<T> out;
    for (const double value : painter.values()) {
        if constexpr (kLabels)
            out.push_back(std::int32_t(std::lround(std::clamp(value, -1e9, 1e9))));
        else
            out.push_back(value);
    }
    return out;
}

}  // namespace

bool Outline::contains(Vec3d p) const
{
    const auto row = [&](std::size_t r) {
        return view[r] * p.x + view[4 + r] * p.y + view[8 + r] * p.z + view[12 + r];
    };
    const double w = row(3);
    if (!(w > 0)) return false;
    const double x = row(0) / w, y = row(1) / w;
    return std::ranges::any_of(areas, [&](const std::vector<double>& polygon) {
        bool in = false;  // even-odd rule
        const std::size_t corners = polygon.size() / 2;
        for (std::size_t a = 0, b = corners - 1; a < corners; b = a++) {
            const double ax = polygon[2 * a], ay = polygon[2 * a + 1], bx = polygon[2 * b], by = polygon[2 * b + 1];
            if ((ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay)) in = !in;
        }
        return in;
    });
}

template <class T>
Field<T> painted(Painting<T> painting)
{
    return Deferred<T>{[painting = std::make_shared<const Painting<T>>(std::move(painting))](
                           const FieldPlaces& places, const FieldUse& use) {
        return sample_painting(*painting, places, use);
    }};
}
template Field<double> painted(Painting<double>);
template Field<std::int32_t> painted(Painting<std::int32_t>);

}  // namespace yawara
