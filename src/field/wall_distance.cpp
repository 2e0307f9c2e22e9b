// Depth from the walls of a solid: how far the nearest outer wall is, or the share of the way between two walls.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/bvh.h"
#include "geometry/closest_point.h"
#include "geometry/segment_triangle.h"
#include "yawara/paint.h"

namespace yawara {
namespace {

constexpr int kLooks = 48;               // directions in which a triangle looks for the opposite wall, all around
constexpr double kMostlyCovered = 0.55;  // share of them that meets the solid again: an inner wall
constexpr int kRounds = 3;               // of the vote among neighbours
constexpr double kLeastInner = 0.02;     // of the area: less is a dent

Box3 box_of(const TriMesh& surface, const Int3& triangle)
{
    Box3 box;
    for (const std::int32_t v : triangle) box.add(surface.vertices[std::size_t(v)]);
    return box;
}

/// Some triangles of a surface, to measure from.
class Wall {
public:
    Wall(const TriMesh& surface, std::vector<Int3> triangles) : surface_(surface), triangles_(std::move(triangles))
    {
        std::vector<Box3> boxes;
        for (const Int3& t : triangles_) boxes.push_back(box_of(surface, t));
        tree_ = Bvh(boxes);
    }
    double distance(Vec3d p) const
    {
        const auto square = [&](std::int32_t k) {
            const Int3& t = triangles_[std::size_t(k)];
            const Vec3d away = closest_on_triangle(corner(t[0]), corner(t[1]), corner(t[2]), p).point - p;
            return dot(away, away);
        };
        return std::sqrt(tree_.nearest(p, std::numeric_limits<double>::infinity(), square).second);
    }
    /// Does a ray meet it?
    bool meets(Vec3d from, Vec3d way) const
    {
        bool met = false;
        tree_.along(from, way, [&](std::int32_t k, double& reach) {
            const Int3& t = triangles_[std::size_t(k)];
            const auto crossing = line_through_triangle(from, way, corner(t[0]), corner(t[1]), corner(t[2]));
            if (crossing && crossing->share > 0 && crossing->share < 1) met = true, reach = 0;
        });
        return met;
    }

private:
    Vec3d corner(std::int32_t v) const { return surface_.vertices[std::size_t(v)]; }
    const TriMesh& surface_;
    std::vector<Int3> triangles_;
    Bvh tree_;
};

std::vector<Vec3d> all_around()
{
    std::vector<Vec3d> ways;  // a spiral from pole to pole
    for (int k = 0; k < kLooks; ++k) {
        const double z = 1 - (2 * k + 1.0) / kLooks, r = std::sqrt(1 - z * z), a = 2.399963229728653 * k;
        ways.push_back({r * std::cos(a), r * std::sin(a), z});
    }
    return ways;
}

/// Triangles that look at the solid itself from most sides, as those of a cup's inside do. Lone dissenters follow their
/// neighbours.
std::vector<char> covered_triangles(const TriMesh& surface)
{
    const Wall all(surface, surface.triangles);
    const double size = bounds(surface.vertices).diagonal();
    const std::vector<Vec3d> ways = all_around();
    std::vector<double> covered;
    for (const Int3& t : surface.triangles) {
        const Vec3d a = surface.vertices[std::size_t(t[0])], b = surface.vertices[std::size_t(t[1])],
                    c = surface.vertices[std::size_t(t[2])];
        const Vec3d normal = normalized(cross(b - a, c - a)), from = (a + b + c) / 3.0 + normal * (1e-6 * size);
        double looks = 0, met = 0;
        for (const Vec3d& way : ways) {
            const double slant = dot(way, normal);
            if (slant < 0.15) continue;
            looks += slant;
            if (all.meets(from, way * (2 * size))) met += slant;
        }
        covered.push_back(looks > 0 ? met / looks : 0);
    }
    for (int round = 0; round < kRounds; ++round) {
        std::vector<double> sums(surface.vertices.size()), counts(surface.vertices.size());
        for (std::size_t k = 0; k < covered.size(); ++k)
            for (const std::int32_t v : surface.triangles[k])
                sums[std::size_t(v)] += covered[k], ++counts[std::size_t(v)];
        for (std::size_t k = 0; k < covered.size(); ++k) {
            covered[k] = 0;
            for (const std::int32_t v : surface.triangles[k])
                covered[k] += sums[std::size_t(v)] / counts[std::size_t(v)] / 3;
        }
    }
    std::vector<char> out;
    for (const double share : covered) out.push_back(share > kMostlyCovered);
    return out;
}

/// Whether each triangle belongs to an inner wall: surfaces of holes that are closed all around, or else the inside of
/// what is open somewhere.
std::vector<char> inner_triangles(const TriMesh& surface)
{
    std::vector<std::int32_t> part;
    const int parts = connected_parts(surface.triangles, surface.vertices.size(), &part);
    std::vector<double> volumes(std::size_t(parts), 0);
    const auto part_of = [&](const Int3& t) { return std::size_t(part[std::size_t(t[0])]); };
    for (const Int3& t : surface.triangles)
        volumes[part_of(t)] += dot(surface.vertices[std::size_t(t[0])],
                                   cross(surface.vertices[std::size_t(t[1])], surface.vertices[std::size_t(t[2])]));
    if (std::ranges::none_of(volumes, [](double v) { return v < 0; })) return covered_triangles(surface);
    std::vector<char> inner;
    for (const Int3& t : surface.triangles) inner.push_back(volumes[part_of(t)] < 0);
    return inner;
}

double area_of(const TriMesh& surface, std::span<const Int3> triangles)
{
    double area = 0;
    for (const Int3& t : triangles) {
        const Vec3d a = surface.vertices[std::size_t(t[0])];
        area += length(cross(surface.vertices[std::size_t(t[1])] - a, surface.vertices[std::size_t(t[2])] - a)) / 2;
    }
    return area;
}

Result<std::vector<double>> measured(Walls walls, const FieldPlaces& places)
{
    const TriMesh surface = boundary_surface(solid_of(places.domain));
    std::vector<double> out;
    if (walls == Walls::outside) {
        const Wall all(surface, surface.triangles);
        for (const Vec3d& p : places.points) out.push_back(all.distance(p));
        const double deepest = out.empty() ? 0 : *std::ranges::max_element(out);
        for (double& d : out) d = deepest > 0 ? 1 - d / deepest : 1;
        return out;
    }
    std::vector<Int3> inner, outer;
    const std::vector<char> is_inner = inner_triangles(surface);
    for (std::size_t k = 0; k < surface.triangles.size(); ++k)
        (is_inner[k] ? inner : outer).push_back(surface.triangles[k]);
    if (outer.empty() || area_of(surface, inner) < kLeastInner * area_of(surface, surface.triangles))
        return Error{"", "the body has no inner wall: it is not hollow"};
    const Wall inside(surface, std::move(inner)), outside(surface, std::move(outer));
    for (const Vec3d& p : places.points) {
        const double to_inner = inside.distance(p), to_outer = outside.distance(p), both = to_inner + to_outer;
        out.push_back(both > 0 ? to_inner / both : 0.5);
    }
    return out;
}

}  // namespace

Field<double> wall_distance(Walls walls)
{
    return Deferred<double>{[walls](const FieldPlaces& places, const FieldUse&) { return measured(walls, places); }};
}

}  // namespace yawara
