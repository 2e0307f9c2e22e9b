// Corners around a vertex are grouped by the direction of their triangles at rest and by their place in the texture;
// each group is a drawn vertex.
#include "geometry/drawn_surface.h"

#include <algorithm>
#include <array>

#include "core/parallel.h"

namespace yawara {

namespace {

constexpr double kCreaseCosine = 0.64;  // 50 degrees
constexpr std::size_t kChunk = 4096;

/// Twice the area of a triangle in the texture; negative: it is mirrored there.
float texture_area(Vec2 a, Vec2 b, Vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

/// What the corners of a drawn vertex have in common.
struct Texel {
    Vec2 uv{};
    float side = 1;
    friend bool operator==(const Texel&, const Texel&) = default;
};

Texel texel_of(const TriMesh& mesh, std::int32_t corner)
{
    if (mesh.corner_uvs.empty()) return {};
    const std::array<Vec2, 3>& uvs = mesh.corner_uvs[std::size_t(corner / 3)];
    return {uvs[std::size_t(corner % 3)], texture_area(uvs[0], uvs[1], uvs[2]) < 0 ? -1.0f : 1.0f};
}

/// A unit vector at right angles to a unit vector, which jumps at one place only (Duff et al. 2017).
Vec3 any_across(Vec3 n)
{
    const float sign = std::copysign(1.0f, n.z), a = -1 / (sign + n.z);
    return {1 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x};
}

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

DrawnSurface::DrawnSurface(const TriMesh& rest) : triangles_(rest.triangles)
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
        Texel texel;
        Vec3d sum;
        std::vector<std::int32_t> corners;
    };
    std::vector<Group> groups;
    for (std::size_t v = 0; v < rest.vertices.size(); ++v) {
        groups.clear();
        for (std::int32_t c = start[v]; c < start[v + 1]; ++c) {
            const std::int32_t corner = corners[std::size_t(c)];
            const Vec3d n = normal[std::size_t(corner / 3)];
            const Texel texel = texel_of(rest, corner);
            Group* best = nullptr;
            double closest = kCreaseCosine;
            for (Group& group : groups) {
                if (group.texel != texel) continue;
                const double cosine = dot(normalized(group.sum), n);
                if (cosine >= closest || n == Vec3d{}) best = &group, closest = cosine;
            }
            if (!best) best = &groups.emplace_back(Group{texel, {}, {}});
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
            if (rest.corner_uvs.empty()) continue;
            uvs_.push_back(group.texel.uv);
            sides_.push_back(group.texel.side);
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

Vec3 DrawnSurface::sum_around(std::size_t vertex, std::span<const Vec3> faces) const
{
    Vec3 sum;
    for (std::int32_t c = offsets_[vertex]; c < offsets_[vertex + 1]; ++c)
        sum += faces[std::size_t(around_[std::size_t(c)])];
    return sum;
}

void DrawnSurface::normals(std::span<const Vec3> positions, std::span<Vec3> faces, std::span<Vec3> out) const
{
    for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Int3& triangle = triangles_[t];
            const Vec3 a = positions[std::size_t(triangle[0])];
            faces[t] = cross(positions[std::size_t(triangle[1])] - a, positions[std::size_t(triangle[2])] - a);
        }
    });
    for_each_chunk(source_.size(), kChunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) out[k] = normalized(sum_around(k, faces));
    });
}

void DrawnSurface::tangents(std::span<const Vec3> positions, std::span<const Vec3> normals, std::span<Vec3> faces,
                            std::span<Tangent> out) const
{
    // Where u grows in each triangle, as long as twice its area.
    const std::size_t textured = uvs_.empty() ? 0 : triangles_.size();
    for_each_chunk(textured, kChunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const auto [i, j, k] = triangles_[t];
            const Vec3 a = positions[std::size_t(i)], ab = positions[std::size_t(j)] - a,
                       ac = positions[std::size_t(k)] - a;
            const Vec2 p = uvs_[std::size_t(i)], q = uvs_[std::size_t(j)], r = uvs_[std::size_t(k)];
            const float area = texture_area(p, q, r);
            const Vec3 along = normalized((ab * (r.y - p.y) - ac * (q.y - p.y)) * (area < 0 ? -1.0f : 1.0f));
            faces[t] = area == 0 ? Vec3{} : along * length(cross(ab, ac));
        }
    });
    for_each_chunk(source_.size(), kChunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Vec3 n = normals[k];
            out[k] = {any_across(n), 1};
            if (textured == 0) continue;
            out[k].side = sides_[k];
            const Vec3 sum = sum_around(k, faces), level = sum - n * dot(sum, n);
            if (length(level) > 1e-4f * length(sum)) out[k].along = normalized(level);
        }
    });
}

}  // namespace yawara
