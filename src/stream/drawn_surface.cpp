// Corners around a vertex are grouped by the direction of their triangles at rest; each group is a drawn vertex.
#include "stream/drawn_surface.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>

namespace yawara::stream {

namespace {

constexpr double kCreaseCosine = 0.64;  // 50 degrees
constexpr std::size_t kChunk = 4096;
using Range = tbb::blocked_range<std::size_t>;

bool closed(std::span<const Int3> triangles)
{
    std::vector<std::array<std::int32_t, 2>> edges;
    edges.reserve(3 * triangles.size());
    for (const Int3& t : triangles)
        for (std::size_t k = 0; k < 3; ++k)
            edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    std::ranges::sort(edges);
    for (std::size_t k = 0; k < edges.size(); k += 2)
        if (k + 1 >= edges.size() || edges[k] != edges[k + 1] || (k + 2 < edges.size() && edges[k] == edges[k + 2]))
            return false;
    return !edges.empty();
}

}  // namespace

DrawnSurface::DrawnSurface(const TriMesh& rest)
    : triangles_(rest.triangles), mesh_triangles_(rest.triangles), face_(rest.triangles.size())
{
    const std::size_t count = rest.triangles.size();
    std::vector<Vec3d> normal(count);
    std::vector<std::int32_t> start(rest.vertices.size() + 1), corners(3 * count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto at = [&](std::size_t k) { return rest.vertices[std::size_t(rest.triangles[t][k])]; };
        normal[t] = normalized(cross(at(1) - at(0), at(2) - at(0)));
        for (const std::int32_t v : rest.triangles[t]) ++start[std::size_t(v) + 1];
    }
    for (std::size_t v = 0; v < rest.vertices.size(); ++v) start[v + 1] += start[v];
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    for (std::size_t t = 0; t < count; ++t)
        for (std::size_t k = 0; k < 3; ++k)
            corners[std::size_t(next[std::size_t(rest.triangles[t][k])]++)] = std::int32_t(3 * t + k);

    offsets_.push_back(0);
    struct Group {
        Vec3d sum;
        std::vector<std::int32_t> corners;
    };
    std::vector<Group> groups;
    for (std::size_t v = 0; v < rest.vertices.size(); ++v) {
        groups.clear();
        for (std::int32_t c = start[v]; c < start[v + 1]; ++c) {
            const std::int32_t corner = corners[std::size_t(c)];
            const Vec3d n = normal[std::size_t(corner / 3)];
            Group* best = nullptr;
            double closest = kCreaseCosine;
            for (Group& group : groups) {
                const double cosine = dot(normalized(group.sum), n);
                if (cosine >= closest || n == Vec3d{}) best = &group, closest = cosine;
            }
            if (!best) best = &groups.emplace_back();
            best->sum += n;
            best->corners.push_back(corner);
        }
        for (const Group& group : groups) {
            for (const std::int32_t corner : group.corners) {
                triangles_[std::size_t(corner / 3)][std::size_t(corner % 3)] = std::int32_t(source_.size());
                around_.push_back(corner / 3);
            }
            offsets_.push_back(std::int32_t(around_.size()));
            source_.push_back(std::int32_t(v));
        }
    }
    closed_ = closed(rest.triangles);
}

void DrawnSurface::spread(std::span<const Vec3> vertices, std::span<Vec3> out) const
{
    for (std::size_t k = 0; k < source_.size(); ++k) out[k] = vertices[std::size_t(source_[k])];
}

void DrawnSurface::spread(std::span<const float> values, std::span<float> out) const
{
    for (std::size_t k = 0; k < source_.size(); ++k) out[k] = values[std::size_t(source_[k])];
}

void DrawnSurface::normals(std::span<const Vec3> vertices, std::span<std::int8_t> out)
{
    tbb::parallel_for(Range(0, mesh_triangles_.size(), kChunk), [&](const Range& range) {
        for (std::size_t t = range.begin(); t < range.end(); ++t) {
            const Int3& triangle = mesh_triangles_[t];
            const Vec3 a = vertices[std::size_t(triangle[0])];
            face_[t] = cross(vertices[std::size_t(triangle[1])] - a, vertices[std::size_t(triangle[2])] - a);
        }
    });
    tbb::parallel_for(Range(0, source_.size(), kChunk), [&](const Range& range) {
        for (std::size_t k = range.begin(); k < range.end(); ++k) {
            Vec3 sum;
            for (std::int32_t c = offsets_[k]; c < offsets_[k + 1]; ++c)
                sum += face_[std::size_t(around_[std::size_t(c)])];
            const Vec3 n = normalized(sum) * 127.0f;
            out[4 * k] = static_cast<std::int8_t>(std::lround(n.x));
            out[4 * k + 1] = static_cast<std::int8_t>(std::lround(n.y));
            out[4 * k + 2] = static_cast<std::int8_t>(std::lround(n.z));
            out[4 * k + 3] = 0;
        }
    });
}

}  // namespace yawara::stream
