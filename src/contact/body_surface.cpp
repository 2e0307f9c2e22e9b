// The tree is split once, at rest; later only its boxes are fitted, leaves first.
#include "contact/body_surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "contact/neighbourhood.h"
#include "geometry/bvh.h"
#include "geometry/closest_point.h"

namespace yawara::contact {
namespace {

/// Edges whose triangles meet at less than this are sharp: the cosine of the angle between their normals.
constexpr double kSharp = 0.87;
/// A part is thin where it is no thicker than this many spacings.
constexpr double kThin = 1.5;
/// The girth of a body is at least this many spacings.
constexpr float kLeastGirth = 0.5f;
/// Boxes leave room for more steps for a body that gets no farther than this share of the slack in a step.
constexpr float kHaste = 0.4f;

FloatBox join(const FloatBox& a, const FloatBox& b)
{
    return {min(a.low, b.low), max(a.high, b.high)};
}

/// All sharp edges that stick out, by their ends.
std::map<std::array<std::int32_t, 2>, BodySurface::Edge> sharp_edges(std::span<const Int3> triangles,
                                                                     std::span<const Vec3d> rest)
{
    std::map<std::array<std::int32_t, 2>, std::vector<std::int32_t>> sides;
    for (const Int3& t : triangles)
        for (std::size_t k = 0; k < 3; ++k)
            sides[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}].push_back(t[(k + 2) % 3]);
    std::map<std::array<std::int32_t, 2>, BodySurface::Edge> edges;
    const auto at = [&](std::int32_t i) { return rest[std::size_t(i)]; };
    for (const Int3& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::array<std::int32_t, 2> ends{t[k], t[(k + 1) % 3]};
            const std::vector<std::int32_t>& third = sides[{std::min(ends[0], ends[1]), std::max(ends[0], ends[1])}];
            if (ends[0] > ends[1] || third.size() != 2) continue;
            const std::int32_t own = t[(k + 2) % 3], across = third[0] == own ? third[1] : third[0];
            const Vec3d edge = at(ends[1]) - at(ends[0]);
            const Vec3d n = normalized(cross(edge, at(own) - at(ends[0])));
            const Vec3d m = normalized(cross(at(across) - at(ends[0]), edge));
            if (dot(n, m) < kSharp && dot(n, at(across) - at(ends[0])) < 0) edges[ends] = {ends, {own, across}};
        }
    return edges;
}

/// Puts triangles, vertices and edges in the order of the tree, so that those of a node follow each other.
void own_by_tree(const Bvh& tree, std::span<const Int3> triangles,
                 std::map<std::array<std::int32_t, 2>, BodySurface::Edge> sharp, BodySurface& surface)
{
    std::vector<char> owned(surface.rest.size(), 0);
    std::vector<std::int32_t> vertices_before{0}, edges_before{0};  // per triangle, and at the end
    for (const std::int32_t t : tree.order()) {
        const Int3& corners = triangles[std::size_t(t)];
        surface.triangles.push_back(corners);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::int32_t i = corners[c], j = corners[(c + 1) % 3];
            if (!owned[std::size_t(i)]) surface.vertices.push_back(i);
            owned[std::size_t(i)] = 1;
            if (const auto edge = sharp.extract({std::min(i, j), std::max(i, j)}))
                surface.edges.push_back(edge.mapped());
        }
        vertices_before.push_back(std::int32_t(surface.vertices.size()));
        edges_before.push_back(std::int32_t(surface.edges.size()));
    }
    surface.nodes.resize(tree.nodes().size());
    for (std::size_t n = surface.nodes.size(); n-- > 0;) {
        const Bvh::Node& from = tree.nodes()[n];
        BodySurface::Node& node = surface.nodes[n];
        if (from.count == 0) {
            node.child = from.first;
            node.triangles_begin = surface.nodes[std::size_t(from.first)].triangles_begin;
            node.triangles_end = surface.nodes[std::size_t(from.first) + 1].triangles_end;
        } else {
            node.triangles_begin = from.first;
            node.triangles_end = from.first + from.count;
        }
        node.vertices_begin = vertices_before[std::size_t(node.triangles_begin)];
        node.vertices_end = vertices_before[std::size_t(node.triangles_end)];
        node.edges_begin = edges_before[std::size_t(node.triangles_begin)];
        node.edges_end = edges_before[std::size_t(node.triangles_end)];
    }
}

/// Fills in which triangles are around each particle.
void list_around(BodySurface& surface)
{
    std::vector<std::int32_t>& begin = surface.around_begin;
    begin.assign(surface.rest.size() + 1, 0);
    for (const Int3& t : surface.triangles)
        for (const std::int32_t i : t) ++begin[std::size_t(i) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    surface.around.resize(3 * surface.triangles.size());
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        for (const std::int32_t i : surface.triangles[t])
            surface.around[std::size_t(next[std::size_t(i)]++)] = std::int32_t(t);
}

/// Twice the volume over the area, which is the thickness of a sheet and a third of a cube's; of a body with thin parts
/// no more than the middle one of their thicknesses. Ribs hold what is thinner still.
float girth_of(const BodySurface& surface)
{
    const auto at = [&](std::int32_t i) { return surface.rest[std::size_t(i)].as<double>(); };
    const Vec3d origin = at(surface.triangles[0][0]);
    double volume = 0, area = 0;
    for (const Int3& t : surface.triangles) {
        const Vec3d a = at(t[0]) - origin, b = at(t[1]) - origin, c = at(t[2]) - origin;
        volume += dot(a, cross(b, c)) / 6;
        area += length(cross(b - a, c - a)) / 2;
    }
    const auto mean = float(2 * std::abs(volume) / area);
    const float least = kLeastGirth * surface.spacing;
    if (surface.ribs.empty()) return std::max(mean, least);
    std::vector<float> lengths;
    for (const Rib& rib : surface.ribs) lengths.push_back(rib.length);
    const auto middle = lengths.begin() + std::ptrdiff_t(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return std::max(std::min(mean, *middle), least);
}

/// The inverse of the second moments of the vertices, times the place of each from their middle.
std::vector<Vec3> gradients_of(const BodySurface& surface)
{
    Vec3d middle;
    for (const std::int32_t v : surface.vertices) middle += surface.rest[std::size_t(v)].as<double>();
    middle = middle / double(surface.vertices.size());
    const auto arm = [&](std::int32_t v) { return surface.rest[std::size_t(v)].as<double>() - middle; };
    Mat3d moments = Mat3d::zero();
    for (const std::int32_t v : surface.vertices) moments = moments + outer(arm(v), arm(v));
    const double det = determinant(moments);
    const Vec3d x = cross(moments.c1, moments.c2), y = cross(moments.c2, moments.c0), z = cross(moments.c0, moments.c1);
    std::vector<Vec3> gradients;
    for (const std::int32_t v : surface.vertices) {
        const Vec3d a = arm(v);
        gradients.push_back(det > 0 ? (Vec3d{dot(x, a), dot(y, a), dot(z, a)} / det).as<float>() : Vec3{});
    }
    return gradients;
}

}  // namespace

bool BodySurface::are_neighbours(std::int32_t vertex, const Int3& triangle) const
{
    const auto at = [&](std::int32_t i) { return rest[std::size_t(i)].as<double>(); };
    const Vec3d p = at(vertex), a = at(triangle[0]), b = at(triangle[1]), c = at(triangle[2]);
    const double limit = kNeighbourhood * double(spacing);
    // Most are so far from a corner that the nearest point need not be found.
    const auto squared = [](Vec3d v) { return dot(v, v); };
    const double far = limit + std::sqrt(std::max(squared(b - a), squared(c - a)));
    if (squared(p - a) > 1.001 * far * far) return false;
    return length(p - closest_on_triangle(a, b, c, p).point) < limit;
}

BodySurface make_body_surface(const std::variant<TetMesh, Lattice>& domain, std::span<const Vec3d> rest)
{
    std::vector<std::int32_t> particle_of;
    const TriMesh outer = std::visit([&](const auto& d) { return boundary_surface(d, &particle_of); }, domain);
    BodySurface surface;
    std::vector<Int3> triangles;
    std::vector<Box3> boxes;
    double edges = 0;
    for (const Int3& t : outer.triangles) {
        Int3 corners;
        Box3 box;
        for (std::size_t k = 0; k < 3; ++k) {
            corners[k] = particle_of[std::size_t(t[k])];
            box.add(rest[std::size_t(corners[k])]);
        }
        for (std::size_t k = 0; k < 3; ++k)
            edges += length(rest[std::size_t(corners[k])] - rest[std::size_t(corners[(k + 1) % 3])]);
        triangles.push_back(corners);
        boxes.push_back(box);
    }
    surface.spacing = float(edges / (3.0 * double(triangles.size())));
    surface.thickness = 0.04f * surface.spacing;
    Box3 all;
    for (const Vec3d& p : rest) {
        all.add(p);
        surface.rest.push_back(p.as<float>());
    }
    surface.size = float(std::max({all.size().x, all.size().y, all.size().z}));

    own_by_tree(Bvh(boxes), triangles, sharp_edges(triangles, rest), surface);
    list_around(surface);
    surface.gradients = gradients_of(surface);
    surface.ribs = find_ribs(surface.triangles, surface.vertices, rest, kThin * double(surface.spacing));
    surface.girth = girth_of(surface);
    return surface;
}

SurfaceMotion motion_of(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions)
{
    Vec3 sum;
    for (const std::int32_t i : surface.vertices) sum += positions[std::size_t(i)] - before[std::size_t(i)];
    const Vec3 drift = sum / float(surface.vertices.size());
    float deviation2 = 0;
    for (const std::int32_t i : surface.vertices) {
        const Vec3 displacement = positions[std::size_t(i)] - before[std::size_t(i)] - drift;
        deviation2 = std::max(deviation2, dot(displacement, displacement));
    }
    return {drift, std::sqrt(deviation2)};
}

SurfaceBoxes::SurfaceBoxes(const BodySurface& surface)
    : boxes_(surface.nodes.size()),
      triangle_boxes_(surface.triangles.size()),
      edge_boxes_(surface.edges.size()),
      references_(surface.rest.size()),
      strides_(surface.rest.size())
{
}

bool SurfaceBoxes::keep(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions,
                        Vec3 drift)
{
    ++age_;
    if (length(drift) > drift_) return false;
    float moved2 = 0;
    for (const std::int32_t v : surface.vertices) {
        const auto i = std::size_t(v);
        const Vec3 moved = before[i] - references_[i], deviation = positions[i] - before[i] - drift;
        if (dot(moved, moved) > slack_ * slack_ || dot(deviation, deviation) > strides_[i] * strides_[i]) return false;
        moved2 = std::max(moved2, dot(moved, moved));
    }
    moved_ = std::sqrt(moved2);
    return true;
}

void SurfaceBoxes::fit(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions,
                       Vec3 drift, float slack)
{
    float moved2 = 0;
    for (const std::int32_t v : surface.vertices) {
        const Vec3 moved = before[std::size_t(v)] - references_[std::size_t(v)];
        moved2 = std::max(moved2, dot(moved, moved));
    }
    // Room for more steps costs time in this one: not for a body that will leave it at once.
    const bool lasts = std::sqrt(moved2) < kHaste * slack * float(age_);
    age_ = 0;
    moved_ = 0;
    slack_ = lasts ? slack : 0.0f;
    const auto allowed = [&](float displacement) { return lasts ? with_room(displacement, slack) : displacement; };
    drift_ = allowed(length(drift));
    for (const std::int32_t v : surface.vertices) {
        const auto i = std::size_t(v);
        references_[i] = before[i];
        strides_[i] = allowed(length(positions[i] - before[i] - drift));
    }
    const auto box_of = [&](std::span<const std::int32_t> particles) {
        const Vec3 first = before[std::size_t(particles[0])];
        FloatBox box{first, first};
        float stride = 0;
        for (const std::int32_t i : particles) {
            box = {min(box.low, before[std::size_t(i)]), max(box.high, before[std::size_t(i)])};
            stride = std::max(stride, strides_[std::size_t(i)]);
        }
        return box.widened(stride);
    };
    for (std::size_t t = 0; t < triangle_boxes_.size(); ++t) triangle_boxes_[t] = box_of(surface.triangles[t]);
    for (std::size_t e = 0; e < edge_boxes_.size(); ++e) edge_boxes_[e] = box_of(surface.edges[e].ends);
    for (std::size_t n = surface.nodes.size(); n-- > 0;) {
        const BodySurface::Node& node = surface.nodes[n];
        if (node.child >= 0) {
            boxes_[n] = join(boxes_[std::size_t(node.child)], boxes_[std::size_t(node.child) + 1]);
            continue;
        }
        FloatBox box = triangle_boxes_[std::size_t(node.triangles_begin)];
        for (std::int32_t t = node.triangles_begin + 1; t < node.triangles_end; ++t)
            box = join(box, triangle_boxes_[std::size_t(t)]);
        boxes_[n] = box.widened(slack_ + drift_);
    }
}

}  // namespace yawara::contact
