// Which drawn vertices a brush touches, and how strongly: along the surface at rest, over a flat region, or one
// triangle.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <queue>

#include "stream/queries/query.h"

namespace yawara::stream {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Triangles around each vertex, flat.
struct Around {
    std::vector<std::int32_t> offsets, triangles;

    explicit Around(const TriMesh& mesh) : offsets(mesh.vertices.size() + 1), triangles(3 * mesh.triangles.size())
    {
        for (const Int3& t : mesh.triangles)
            for (const std::int32_t v : t) ++offsets[std::size_t(v) + 1];
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) offsets[v + 1] += offsets[v];
        std::vector<std::int32_t> next(offsets.begin(), offsets.end() - 1);
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
            for (const std::int32_t v : mesh.triangles[t])
                triangles[std::size_t(next[std::size_t(v)]++)] = std::int32_t(t);
    }
    std::span<const std::int32_t> of(std::int32_t vertex) const
    {
        const auto from = static_cast<std::size_t>(offsets[std::size_t(vertex)]);
        return std::span(triangles).subspan(from, static_cast<std::size_t>(offsets[std::size_t(vertex) + 1]) - from);
    }
};

/// Distance of c when those of a and b are known: the source is unfolded into the plane of the triangle, and seen from
/// c through the edge ab; beside the edge the way goes by a or b.
double seen_through(Vec3d a, Vec3d b, Vec3d c, double to_a, double to_b)
{
    const double by_edges = std::min(to_a + length(c - a), to_b + length(c - b));
    const double ab = length(b - a);
    if (!(ab > 0)) return by_edges;
    const Vec3d along = (b - a) * (1 / ab);
    const double cx = dot(c - a, along);
    const double cy = std::sqrt(std::max(0.0, dot(c - a, c - a) - cx * cx));
    const double sx = (to_a * to_a - to_b * to_b + ab * ab) / (2 * ab);
    const double below = to_a * to_a - sx * sx;
    if (below < 0) return by_edges;
    const double sy = std::sqrt(below);
    if (!(cy + sy > 0)) return by_edges;
    const double crossing = sx + (cx - sx) * sy / (cy + sy);
    if (crossing < 0 || crossing > ab) return by_edges;
    return std::min(by_edges, std::hypot(cx - sx, cy + sy));
}

/// Lengths of the shortest ways along the surface, up to a radius; beyond it infinite.
std::vector<double> distances(const TriMesh& mesh, Vec3d source, std::size_t triangle, double radius)
{
    const Around around(mesh);
    const auto at = [&](std::int32_t v) { return mesh.vertices[std::size_t(v)]; };
    std::vector<double> far(mesh.vertices.size(), kFar);
    std::vector<char> settled(mesh.vertices.size());
    using Entry = std::pair<double, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
    const auto offer = [&](std::int32_t v, double distance) {
        if (distance >= far[std::size_t(v)] || distance > radius) return;
        far[std::size_t(v)] = distance;
        front.emplace(distance, v);
    };
    for (const std::int32_t v : mesh.triangles[triangle]) offer(v, length(at(v) - source));
    while (!front.empty()) {
        const auto [distance, v] = front.top();
        front.pop();
        if (settled[std::size_t(v)]) continue;
        settled[std::size_t(v)] = 1;
        for (const std::int32_t t : around.of(v)) {
            const Int3& corners = mesh.triangles[std::size_t(t)];
            const std::size_t k = corners[0] == v ? 0 : corners[1] == v ? 1 : 2;
            for (const std::size_t step : {1u, 2u}) {
                const std::int32_t target = corners[(k + step) % 3], third = corners[(k + 3 - step) % 3];
                if (settled[std::size_t(target)]) continue;
                offer(target, settled[std::size_t(third)]
                                  ? seen_through(at(v), at(third), at(target), distance, far[std::size_t(third)])
                                  : distance + length(at(target) - at(v)));
            }
        }
    }
    return far;
}

/// Triangles that are reached from one over edges that bend less than the angle.
std::vector<std::size_t> flat_region(const TriMesh& mesh, std::size_t triangle, double angle)
{
    std::map<std::array<std::int32_t, 2>, std::vector<std::size_t>> at_edge;
    std::vector<Vec3d> normals;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Int3& c = mesh.triangles[t];
        const auto at = [&](std::size_t k) { return mesh.vertices[std::size_t(c[k])]; };
        normals.push_back(normalized(cross(at(1) - at(0), at(2) - at(0))));
        for (std::size_t k = 0; k < 3; ++k)
            at_edge[{std::min(c[k], c[(k + 1) % 3]), std::max(c[k], c[(k + 1) % 3])}].push_back(t);
    }
    const double least = std::cos(angle * std::numbers::pi / 180) - 1e-9;
    std::vector<char> reached(mesh.triangles.size());
    std::vector<std::size_t> region{triangle};
    reached[triangle] = 1;
    for (std::size_t next = 0; next < region.size(); ++next) {
        const Int3& c = mesh.triangles[region[next]];
        for (std::size_t k = 0; k < 3; ++k)
            for (const std::size_t t : at_edge[{std::min(c[k], c[(k + 1) % 3]), std::max(c[k], c[(k + 1) % 3])}])
                if (!reached[t] && dot(normals[t], normals[region[next]]) >= least) {
                    reached[t] = 1;
                    region.push_back(t);
                }
    }
    return region;
}

}  // namespace

Result<Answer> answer_brush(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto brush = query.get<messages::QueryBrush>();
    const auto found = body_at(brush.spot, snapshot);
    if (!found) return found.error();
    const TriMesh& rest = (*found)->model.surface();
    const DrawnSurface& drawn = *(*found)->surface;
    const auto triangle = static_cast<std::size_t>(brush.spot.triangle);
    std::vector<std::uint32_t> vertices;
    std::vector<float> weights;
    if (brush.kind == "geodesic") {
        Vec3d middle;
        for (std::size_t k = 0; k < 3; ++k)
            middle += rest.vertices[std::size_t(rest.triangles[triangle][k])] * brush.spot.weights[k];
        const std::vector<double> far = distances(rest, middle, triangle, brush.radius);
        for (std::size_t v = 0; v < drawn.source().size(); ++v) {
            const double distance = far[std::size_t(drawn.source()[v])];
            if (!(distance < brush.radius)) continue;
            const double inside = 1 - distance * distance / (brush.radius * brush.radius);
            vertices.push_back(static_cast<std::uint32_t>(v));
            weights.push_back(static_cast<float>(inside * inside));
        }
    } else {
        const std::vector<std::size_t> region =
            brush.kind == "flat" ? flat_region(rest, triangle, brush.angle) : std::vector<std::size_t>{triangle};
        for (const std::size_t t : region)
            for (const std::int32_t v : drawn.triangles()[t]) vertices.push_back(static_cast<std::uint32_t>(v));
        std::ranges::sort(vertices);
        const auto repeated = std::ranges::unique(vertices);
        vertices.erase(repeated.begin(), repeated.end());
        weights.assign(vertices.size(), 1.0f);
    }
    return Answer(BinaryAnswer{{std::move(vertices), std::move(weights)}});
}

}  // namespace yawara::stream
