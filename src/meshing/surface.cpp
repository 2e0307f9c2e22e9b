// Checks and welds a surface, counts what is wrong with it, and leaves what has an area.
#include "meshing/surface.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

namespace yawara::meshing {
namespace {

constexpr double kWeldTolerance = 1e-7;  ///< of the diagonal: vertices this close are one
constexpr double kLargestCoordinate = 1e100;
constexpr double kFlatness = 1e-12;  ///< height over length of a triangle that counts as flat

/// Gives every referenced vertex the number of the first one that lies within the tolerance. Cells of the hash are much
/// wider than the tolerance, so that a vertex nearly always needs to look into its own cell only.
class Welder {
public:
    Welder(const Box3& box, double tolerance) : low_(box.low), tolerance_(tolerance), cell_(64 * tolerance) {}

    std::int32_t add(Vec3d p, std::vector<Vec3d>& vertices)
    {
        const Cell low = cell_of(p - Vec3d{tolerance_, tolerance_, tolerance_});
        const Cell high = cell_of(p + Vec3d{tolerance_, tolerance_, tolerance_});
        for (std::int64_t z = low[2]; z <= high[2]; ++z) {
            for (std::int64_t y = low[1]; y <= high[1]; ++y) {
                for (std::int64_t x = low[0]; x <= high[0]; ++x) {
                    const auto [begin, end] = cells_.equal_range(Cell{x, y, z});
                    for (auto it = begin; it != end; ++it) {
                        if (length(vertices[static_cast<std::size_t>(it->second)] - p) <= tolerance_) return it->second;
                    }
                }
            }
        }
        const auto index = static_cast<std::int32_t>(vertices.size());
        vertices.push_back(p);
        cells_.emplace(cell_of(p), index);
        return index;
    }

private:
    using Cell = std::array<std::int64_t, 3>;
    struct Hash {
        std::size_t operator()(const Cell& c) const
        {
            return static_cast<std::size_t>(c[0] * 73856093 ^ c[1] * 19349663 ^ c[2] * 83492791);
        }
    };
    Cell cell_of(Vec3d p) const
    {
        const Vec3d q = (p - low_) / cell_;
        return {static_cast<std::int64_t>(std::floor(q.x)), static_cast<std::int64_t>(std::floor(q.y)),
                static_cast<std::int64_t>(std::floor(q.z))};
    }

    Vec3d low_;
    double tolerance_, cell_;
    std::unordered_multimap<Cell, std::int32_t, Hash> cells_;
};

Status check_values(const TriMesh& mesh)
{
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3d v = mesh.vertices[i];
        const std::string where = "vertex " + std::to_string(i);
        if (!is_finite(v)) return Error{where, "is not a finite position"};
        if (std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) > kLargestCoordinate) {
            return Error{where, "lies farther than 1e100 from the origin; scale the surface first"};
        }
    }
    const auto count = static_cast<std::int64_t>(mesh.vertices.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (const std::int32_t v : mesh.triangles[t]) {
            if (v < 0 || v >= count) {
                return Error{"triangle " + std::to_string(t),
                             "names vertex " + std::to_string(v) + "; the surface has " + std::to_string(count)};
            }
        }
    }
    return Done{};
}

bool is_flat(Vec3d a, Vec3d b, Vec3d c)
{
    const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
    return length(cross(b - a, c - a)) <= kFlatness * longest;
}

std::vector<EdgeUse> edges_of(const std::vector<Int3>& triangles)
{
    std::vector<EdgeUse> edges;
    edges.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t), a < b});
        }
    }
    std::sort(edges.begin(), edges.end());
    return edges;
}

/// Triangles with the same three vertices become one, or none if they face each other: such pairs are inner walls or
/// fins that enclose nothing. Only parts in which everything faces its copy, and so no volume is left, keep one of
/// each. Returns how many were dropped.
int drop_repeated(Surface& surface)
{
    std::vector<Int3>& triangles = surface.triangles;
    std::vector<std::int32_t> part;
    const int parts = connected_parts(triangles, surface.vertices.size(), &part);
    std::vector<double> volume(static_cast<std::size_t>(parts), 0.0);
    const auto part_of = [&](const Int3& t) { return static_cast<std::size_t>(part[static_cast<std::size_t>(t[0])]); };
    const Vec3d middle = surface.box.center();
    std::vector<Int3> keys;
    keys.reserve(triangles.size());
    for (const Int3& t : triangles) {
        const Vec3d a = surface.vertices[static_cast<std::size_t>(t[0])] - middle;
        const Vec3d b = surface.vertices[static_cast<std::size_t>(t[1])] - middle;
        const Vec3d c = surface.vertices[static_cast<std::size_t>(t[2])] - middle;
        volume[part_of(t)] += dot(a, cross(b, c)) / 6;
        std::ranges::sort(keys.emplace_back(t));
    }
    const double no_volume = 1e-12 * std::pow(surface.box.diagonal(), 3);
    std::vector<char> kept(triangles.size(), 0);
    std::vector<std::size_t> order(triangles.size());  // equal ones side by side, the earlier first
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(keys[i], i); });
    for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
        const std::size_t first = order[begin];
        const Int3& key = keys[first];
        int sum = 0;
        for (end = begin; end < order.size() && keys[order[end]] == key; ++end) {
            const Int3& t = triangles[order[end]];
            const bool forward = t == key || Int3{t[1], t[2], t[0]} == key || Int3{t[2], t[0], t[1]} == key;
            sum += forward ? 1 : -1;
        }
        kept[first] = sum != 0 || std::abs(volume[part_of(triangles[first])]) < no_volume;
    }
    std::vector<Int3> left;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (kept[t]) left.push_back(triangles[t]);
    }
    const auto dropped = static_cast<int>(triangles.size() - left.size());
    triangles = std::move(left);
    return dropped;
}

void count_edges(Surface& surface, const std::vector<EdgeUse>& edges)
{
    for_each_edge(edges, [&](std::size_t begin, std::size_t end) {
        const std::size_t uses = end - begin;
        if (uses == 1) ++surface.border_edges;
        if (uses > 2) ++surface.nonmanifold_edges;
        if (uses == 2 && edges[begin].forward == edges[begin + 1].forward) ++surface.flipped_edges;
    });
}

bool is_watertight(const std::vector<EdgeUse>& edges)
{
    bool balanced = true;
    for_each_edge(edges, [&](std::size_t begin, std::size_t end) {
        int sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum += edges[i].forward ? 1 : -1;
        balanced = balanced && sum == 0;
    });
    return balanced;
}

}  // namespace
}  // namespace yawara::meshing

namespace yawara {
using namespace meshing;

Result<Surface> check_surface(const TriMesh& mesh)
{
    if (mesh.triangles.empty()) return Error{"surface", "has no triangles"};
    if (Status status = check_values(mesh); !status) return status.error();

    std::vector<char> referenced(mesh.vertices.size(), 0);
    for (const Int3& t : mesh.triangles) {
        for (const std::int32_t v : t) referenced[static_cast<std::size_t>(v)] = 1;
    }
    Surface surface;
    Vec3d farthest;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        if (!referenced[i]) continue;
        surface.box.add(mesh.vertices[i]);
        farthest = max(farthest, max(mesh.vertices[i], -mesh.vertices[i]));
    }
    const double diagonal = surface.box.diagonal();
    if (!(diagonal > 1e-100)) return Error{"surface", "has no extent: all its vertices are one point"};
    if (diagonal < 1e-9 * length(farthest)) {
        return Error{"surface", "is more than 1e9 times its own size away from the origin; move it closer first"};
    }

    Welder welder(surface.box, kWeldTolerance * diagonal);
    std::vector<std::int32_t> welded(mesh.vertices.size(), -1);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        if (!referenced[i]) {
            ++surface.unreferenced_vertices;
            continue;
        }
        const std::size_t before = surface.vertices.size();
        welded[i] = welder.add(mesh.vertices[i], surface.vertices);
        if (surface.vertices.size() == before) ++surface.duplicate_vertices;
    }
    for (const Int3& t : mesh.triangles) {
        const Int3 w{welded[static_cast<std::size_t>(t[0])], welded[static_cast<std::size_t>(t[1])],
                     welded[static_cast<std::size_t>(t[2])]};
        if (w[0] == w[1] || w[1] == w[2] || w[2] == w[0]) {
            ++surface.degenerate_triangles;
        } else {
            surface.triangles.push_back(w);
        }
    }
    surface.repeated_triangles = drop_repeated(surface);
    const std::vector<EdgeUse> edges = edges_of(surface.triangles);
    count_edges(surface, edges);
    surface.parts = connected_parts(surface.triangles, surface.vertices.size());
    orient(surface, edges, is_watertight(edges));
    surface.watertight = is_watertight(edges_of(surface.triangles));

    // Flat triangles belong to the edges counted above, but have nothing to say about distance or inside.
    const auto flat = [&](const Int3& t) {
        return is_flat(surface.vertices[static_cast<std::size_t>(t[0])],
                       surface.vertices[static_cast<std::size_t>(t[1])],
                       surface.vertices[static_cast<std::size_t>(t[2])]);
    };
    surface.degenerate_triangles += static_cast<int>(std::erase_if(surface.triangles, flat));
    if (surface.triangles.empty()) return Error{"surface", "has no area: every triangle is flat"};
    return surface;
}

}  // namespace yawara
