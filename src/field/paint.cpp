#include "field/paint.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "field/rbf.h"

namespace yawara::field {
namespace {

/// The outer faces of the solid as fields see it.
struct Canvas {
    explicit Canvas(const FieldPlaces& places)
    {
        TetMesh solid = solid_of(places.domain);
        for (Vec3d& p : solid.vertices) p = p / places.scale;
        surface = boundary_surface(solid, &particle_of);
    }
    TriMesh surface;
    std::vector<std::int32_t> particle_of;  ///< per vertex of the surface
};

std::vector<std::int32_t> touched(const PaintTouch& touch, const Canvas& canvas)
{
    using Brush = PaintTouch::Brush;
    if (touch.brush == Brush::stroke) return brush_stroke(canvas.surface, touch.path, touch.radius);
    std::vector<std::int32_t> vertices;
    for (const Vec3d& p : touch.path) {
        const std::int32_t triangle = nearest_triangle(canvas.surface, p);
        const auto more = touch.brush == Brush::flat ? brush_flat(canvas.surface, triangle, touch.angle)
                                                     : brush_polygon(canvas.surface, triangle);
        vertices.insert(vertices.end(), more.begin(), more.end());
    }
    return vertices;
}

/// Values of the particles that touches paint.
Result<std::map<std::int32_t, double>> painted(const Paint& paint, const FieldPlaces& places, std::size_t particles,
                                               const FieldUse& use)
{
    using Brush = PaintTouch::Brush;
    std::map<std::int32_t, double> values;
    std::unique_ptr<const Canvas> canvas;
    for (std::size_t k = 0; k < paint.touches.size(); ++k) {
        const PaintTouch& touch = paint.touches[k];
        const std::string where = touch.where.empty() ? use.name + ", touch " + std::to_string(k) : touch.where;
        if (!std::isfinite(touch.value)) return Error{where, "is not finite"};
        if (touch.brush == Brush::vertex) {
            if (touch.vertex < 0 || std::size_t(touch.vertex) >= particles)
                return Error{where, "vertex " + std::to_string(touch.vertex) + " of " + std::to_string(particles)};
            values[touch.vertex] = touch.value;
            continue;
        }
        if (!std::all_of(touch.path.begin(), touch.path.end(), [](Vec3d p) { return is_finite(p); }))
            return Error{where, "has a place that is not finite"};
        if (!canvas) canvas = std::make_unique<const Canvas>(places);
        const std::vector<std::int32_t> vertices = touched(touch, *canvas);
        if (vertices.empty()) return Error{where, "the brush touches no vertex of the surface: a larger radius?"};
        for (const std::int32_t v : vertices) values[canvas->particle_of[std::size_t(v)]] = touch.value;
    }
    return values;
}

}  // namespace

Result<PaintSamples> samples_of(const Paint& paint, const FieldPlaces& places, const FieldUse& use)
{
    PaintSamples out;
    for (std::size_t k = 0; k < paint.samples.size(); ++k) {
        const PaintSample& sample = paint.samples[k];
        if (!is_finite(sample.point) || !std::isfinite(sample.value))
            return Error{use.name, "sample " + std::to_string(k) + " is not finite"};
        out.points.push_back(sample.point * places.scale);
        out.values.push_back(sample.value);
    }
    const std::vector<Vec3d> rest = rest_positions(places.domain);
    const Result<std::map<std::int32_t, double>> touches = painted(paint, places, rest.size(), use);
    if (!touches) return touches.error();
    for (const auto& [particle, value] : *touches) {
        out.points.push_back(rest[std::size_t(particle)] / places.scale * places.scale);
        out.values.push_back(value);
    }
    if (out.points.empty()) return Error{use.name, "nothing is painted: leave the field out instead"};
    const auto [low, high] = std::minmax_element(out.values.begin(), out.values.end());
    out.low = *low;
    out.high = *high;
    return out;
}

SampledGradient fill_rbf(const PaintSamples& samples, std::span<const Vec3d> points, bool with_gradients,
                         const FieldUse& use)
{
    // What needs a gradient needs it at the samples, too; the others should not overshoot.
    const Eigen::MatrixXd column =
        Eigen::Map<const Eigen::VectorXd>(samples.values.data(), Eigen::Index(samples.values.size()));
    const Rbf field(samples.points, column, with_gradients ? Kernel::r3 : Kernel::r, Polynomial::linear);
    if (use.warnings && field.left_error() > 0.02 * (samples.high - samples.low))
        use.warnings->push_back(use.name + ": " + std::to_string(samples.points.size()) + " samples were thinned to " +
                                std::to_string(field.center_count()) + "; painted values are met within " +
                                std::to_string(field.left_error()));
    SampledGradient out;
    const Eigen::VectorXd found = field(points).col(0);
    out.values.assign(found.begin(), found.end());
    if (with_gradients)
        for (const Vec3d& p : points) out.gradients.push_back(field.gradient(p));
    return out;
}

std::vector<double> fill_nearest(const PaintSamples& samples, std::span<const Vec3d> points)
{
    std::vector<double> out;
    for (const Vec3d& p : points) {
        std::size_t nearest = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < samples.points.size(); ++k)
            if (const double away = length(samples.points[k] - p); away < least) least = away, nearest = k;
        out.push_back(samples.values[nearest]);
    }
    return out;
}

}  // namespace yawara::field
