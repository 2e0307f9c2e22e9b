#include "cvg/placed_leaf.h"

#include <algorithm>
#include <cmath>

#include "cvg/noise.h"
#include "cvg/shape_distance.h"
#include "yawara/rotation.h"

namespace yawara::cvg {
namespace {

// Shapes are closed sets: a point on the boundary is inside.

bool holds(const Ball& s, Vec3d q)
{
    return dot(q, q) <= s.radius * s.radius;
}
bool holds(const Block& s, Vec3d q)
{
    const Vec3d d{std::abs(q.x) - s.side.x / 2 + s.rounding, std::abs(q.y) - s.side.y / 2 + s.rounding,
                  std::abs(q.z) - s.side.z / 2 + s.rounding};
    const Vec3d out = max(d, Vec3d{});
    return dot(out, out) <= s.rounding * s.rounding;
}
bool holds(const Cylinder& s, Vec3d q)
{
    return q.x * q.x + q.z * q.z <= s.radius * s.radius && std::abs(q.y) <= s.height / 2;
}
bool holds(const Cone& s, Vec3d q)
{
    if (std::abs(q.y) > s.height / 2) return false;
    const double r = s.radius * (0.5 - q.y / s.height);
    return q.x * q.x + q.z * q.z <= r * r;
}
bool holds(const Torus& s, Vec3d q)
{
    const double ring = std::hypot(q.x, q.z) - s.radius;
    return ring * ring + q.y * q.y <= s.tube * s.tube;
}
bool holds(const Tube& s, Vec3d q)
{
    for (std::size_t k = 0; k + 1 < s.points.size(); ++k) {
        const Vec3d a = s.points[k], along = s.points[k + 1] - a;
        const double square = dot(along, along);
        const double t = square > 0 ? std::clamp(dot(q - a, along) / square, 0.0, 1.0) : 0.0;
        const Vec3d away = q - a - along * t;
        if (dot(away, away) <= s.radius * s.radius) return true;
    }
    return false;
}
bool holds(const Noise& s, Vec3d q)
{
    return holds(Block{s.side}, q) && noise(q / s.grain, s.seed) >= s.level;
}
bool holds(const Enclosed& s, Vec3d q)
{
    return (*s.level_set)(q) <= 0;
}
bool holds(const Sampled& s, Vec3d q)
{
    return s.volume->at(q).opacity > 0;
}

Box3 box_of(Vec3d half)
{
    return {half * -1.0, half};
}
Box3 bounds_of(const Ball& s)
{
    return box_of({s.radius, s.radius, s.radius});
}
Box3 bounds_of(const Block& s)
{
    return box_of(s.side / 2.0);
}
Box3 bounds_of(const Cylinder& s)
{
    return box_of({s.radius, s.height / 2, s.radius});
}
Box3 bounds_of(const Cone& s)
{
    return box_of({s.radius, s.height / 2, s.radius});
}
Box3 bounds_of(const Torus& s)
{
    return box_of({s.radius + s.tube, s.tube, s.radius + s.tube});
}
Box3 bounds_of(const Tube& s)
{
    Box3 box = yawara::bounds(s.points);
    const Vec3d r{s.radius, s.radius, s.radius};
    return {box.low - r, box.high + r};
}
Box3 bounds_of(const Noise& s)
{
    return box_of(s.side / 2.0);
}
Box3 bounds_of(const Enclosed& s)
{
    return s.level_set->bounds();
}
Box3 bounds_of(const Sampled& s)
{
    return s.volume->bounds();
}

/// A shape is convex: a box with all corners inside is inside.
template <class Shape>
constexpr bool kConvex = !std::is_same_v<Shape, Torus> && !std::is_same_v<Shape, Tube> &&
                         !std::is_same_v<Shape, Noise> && !std::is_same_v<Shape, Enclosed> && !std::is_same_v<Shape, Sampled>;

std::array<Vec3d, 8> corners_of(const Box3& box)
{
    std::array<Vec3d, 8> corners;
    for (std::size_t k = 0; k < 8; ++k)
        corners[k] = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y, k & 4 ? box.high.z : box.low.z};
    return corners;
}

bool apart(const Box3& a, const Box3& b)
{
    for (int axis = 0; axis < 3; ++axis)
        if (a.low[axis] > b.high[axis] || b.low[axis] > a.high[axis]) return true;
    return false;
}

Mat3d inverse(const Mat3d& m)
{
    const double det = determinant(m);
    return transpose(Mat3d{cross(m.c1, m.c2) / det, cross(m.c2, m.c0) / det, cross(m.c0, m.c1) / det});
}

Mat3d turn_of(const Transform& t)
{
    const double size = std::hypot(std::hypot(t.rotate[0], t.rotate[1]), std::hypot(t.rotate[2], t.rotate[3]));
    return to_matrix({t.rotate[0] / size, t.rotate[1] / size, t.rotate[2] / size, t.rotate[3] / size});
}

std::string fault(const Ball& s)
{
    return s.radius > 0 ? "" : "the radius has to be positive";
}
std::string fault(const Block& s)
{
    if (!(s.side.x > 0 && s.side.y > 0 && s.side.z > 0)) return "the sides have to be positive";
    const double half = std::min({s.side.x, s.side.y, s.side.z}) / 2;
    return s.rounding >= 0 && s.rounding <= half ? "" : "the rounding has to be between 0 and half the shortest side";
}
std::string fault(const Cylinder& s)
{
    return s.radius > 0 && s.height > 0 ? "" : "radius and height have to be positive";
}
std::string fault(const Cone& s)
{
    return s.radius > 0 && s.height > 0 ? "" : "radius and height have to be positive";
}
std::string fault(const Torus& s)
{
    return s.tube > 0 && s.radius >= s.tube ? "" : "the tube has to be positive and not thicker than the ring's radius";
}
std::string fault(const Tube& s)
{
    return s.radius > 0 && s.points.size() >= 2 ? "" : "a tube needs a positive radius and at least two points";
}
std::string fault(const Noise& s)
{
    if (!(s.side.x > 0 && s.side.y > 0 && s.side.z > 0 && s.grain > 0)) return "sides and grain have to be positive";
    if (!(std::max({s.side.x, s.side.y, s.side.z}) < 1e9 * s.grain)) return "the grain is too fine for the sides";
    return s.share > 0 && s.share <= 1 ? "" : "the share has to be above 0, at most 1";
}
std::string fault(const Enclosed& s)
{
    return s.mesh.triangles.empty() ? "the surface has no triangles" : "";
}
std::string fault(const Sampled& s)
{
    return s.volume ? "" : "there is no volume";
}

}  // namespace

std::string fault_of(const Transform& t)
{
    const double turn = std::abs(t.rotate[0]) + std::abs(t.rotate[1]) + std::abs(t.rotate[2]) + std::abs(t.rotate[3]);
    if (!(turn > 1e-12) || !std::isfinite(turn)) return "the rotation is not a quaternion";
    if (!is_finite(t.translate) || !is_finite(t.scale) || t.scale.x == 0 || t.scale.y == 0 || t.scale.z == 0)
        return "the transform has no inverse";
    return "";
}

std::string fault_of(const Leaf& leaf)
{
    if (const std::string fault = fault_of(leaf.transform); !fault.empty()) return fault;
    const Sample& s = leaf.inside;
    for (const float v : {s.opacity, s.r, s.g, s.b, s.stiffness})
        if (!(v >= 0 && v <= 1)) return "opacity, colour and stiffness are numbers from 0 to 1";
    return std::visit([](const auto& shape) { return fault(shape); }, leaf.shape);
}

Placement placement_of(const Transform& t)
{
    const Mat3d R = turn_of(t);
    return {{R.c0 * t.scale.x, R.c1 * t.scale.y, R.c2 * t.scale.z}, t.translate};
}

Placement after(const Placement& outer, const Placement& inner)
{
    return {outer.turn * inner.turn, outer(inner.move)};
}

PlacedLeaf::PlacedLeaf(const Leaf& leaf, const Placement& around, double margin) : leaf_(leaf), margin_(margin)
{
    const Transform& t = leaf.transform;
    const Mat3d R = turn_of(t);
    // (R S)^-1 = S^-1 R^T, by columns: R^T's rows divided by the scales
    to_local_ = {{R.c0.x / t.scale.x, R.c1.x / t.scale.y, R.c2.x / t.scale.z},
                 {R.c0.y / t.scale.x, R.c1.y / t.scale.y, R.c2.y / t.scale.z},
                 {R.c0.z / t.scale.x, R.c1.z / t.scale.y, R.c2.z / t.scale.z}};
    origin_ = t.translate;
    stretch_ = 1 / std::min({std::abs(t.scale.x), std::abs(t.scale.y), std::abs(t.scale.z)});
    const Vec3d size{std::abs(t.scale.x), std::abs(t.scale.y), std::abs(t.scale.z)};
    if (std::max({size.x, size.y, size.z}) * stretch_ < 1 + 1e-9) scale_ = size.x;
    const Box3 local_box = std::visit([](const auto& shape) { return bounds_of(shape); }, leaf.shape);
    const bool placed = around != Placement{};
    for (const Vec3d& corner : corners_of(local_box)) {
        const Vec3d p = R * Vec3d{corner.x * t.scale.x, corner.y * t.scale.y, corner.z * t.scale.z} + t.translate;
        bounds_.add(placed ? around(p) : p);
    }
    if (!placed) return;
    to_local_ = to_local_ * inverse(around.turn);
    origin_ = around(t.translate);
    // What the matrix does to lengths: its Frobenius norm is no less than the longest image.
    const Mat3d& M = to_local_;
    const double squares[3] = {dot(M.c0, M.c0), dot(M.c1, M.c1), dot(M.c2, M.c2)};
    const bool even = std::max({std::abs(dot(M.c0, M.c1)), std::abs(dot(M.c1, M.c2)), std::abs(dot(M.c2, M.c0)),
                                std::abs(squares[0] - squares[1]), std::abs(squares[1] - squares[2])}) <
                      1e-9 * squares[0];
    stretch_ = std::sqrt(even ? squares[0] : squares[0] + squares[1] + squares[2]);
    scale_ = even ? 1 / stretch_ : 0;
}

double PlacedLeaf::distance(Vec3d point) const
{
    const Vec3d q = local(point);
    const double away = shape_distance(leaf_, q);
    if (scale_ > 0) return away * scale_;
    // To first order: the value over the length of its slope in the world.
    const double h = 1e-5 * bounds_.diagonal();
    const auto at = [&](Vec3d p) { return shape_distance(leaf_, local(p)); };
    const Vec3d slope{at(point + Vec3d{h, 0, 0}) - at(point - Vec3d{h, 0, 0}),
                      at(point + Vec3d{0, h, 0}) - at(point - Vec3d{0, h, 0}),
                      at(point + Vec3d{0, 0, h}) - at(point - Vec3d{0, 0, h})};
    const double estimate = away / std::max(length(slope) / (2 * h), 1e-3 * stretch_);
    if (estimate <= 0) return estimate;
    const Vec3d out = max(max(bounds_.low - point, point - bounds_.high), Vec3d{});
    return std::max(estimate, length(out));
}

bool PlacedLeaf::holds(Vec3d q) const
{
    return std::visit([&](const auto& shape) { return cvg::holds(shape, q); }, leaf_.shape);
}

Sample PlacedLeaf::at(Vec3d point) const
{
    const Vec3d q = local(point);
    if (const auto* sampled = std::get_if<Sampled>(&leaf_.shape)) return sampled->volume->at(q);
    return holds(q) ? leaf_.inside : Sample{};
}

PlacedLeaf::Cover PlacedLeaf::cover(const Box3& box) const
{
    const Vec3d wider{margin_, margin_, margin_};
    const Box3 near{box.low - wider, box.high + wider};
    if (apart(near, bounds_)) return Cover::none;
    return std::visit(
        [&](const auto& shape) {
            using Shape = std::decay_t<decltype(shape)>;
            if constexpr (kConvex<Shape>) {
                for (const Vec3d& corner : corners_of(near))
                    if (!cvg::holds(shape, local(corner))) return Cover::some;
                return Cover::all;
            } else if constexpr (std::is_same_v<Shape, Enclosed>) {
                const double away = (*shape.level_set)(local(near.center()));
                const double reach = 0.5 * near.diagonal() * stretch_;
                // Distances are clamped to a band of a few voxels: only small boxes can be told.
                if (away > reach) return Cover::none;
                return -away > reach ? Cover::all : Cover::some;
            } else {
                return Cover::some;
            }
        },
        leaf_.shape);
}

}  // namespace yawara::cvg
