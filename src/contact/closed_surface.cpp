// Joining and turning the triangles of a mesh obstacle; MeshDistance::build starts here.
#include "contact/closed_surface.h"

#include <algorithm>
#include <numeric>

#include "geometry/equal_groups.h"

namespace yawara::contact {
namespace {

std::size_t at(std::int32_t index)
{
    return static_cast<std::size_t>(index);
}

Status check(const TriMesh& mesh)
{
    const auto place = [](std::string array, std::size_t k) {
        return array.append("[").append(std::to_string(k)).append("]");
    };
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (!is_finite(mesh.vertices[v])) return Error{place("vertices", v), "is not a finite position"};
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (const std::int32_t v : mesh.triangles[t]) {
            if (v < 0 || at(v) >= mesh.vertices.size()) {
                return Error{place("triangles", t), "names vertex " + std::to_string(v) + ", but there are " +
                                                        std::to_string(mesh.vertices.size()) + " (counted from 0)"};
            }
        }
    }
    return Done{};
}

/// Files without shared vertices (STL, texture seams) get them here: equal positions become one vertex.
ClosedSurface join_vertices(const TriMesh& mesh)
{
    std::vector<std::int32_t> order(mesh.vertices.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t v) {
        const Vec3d& p = mesh.vertices[at(v)];
        return std::array<double, 3>{p.x + 0.0, p.y + 0.0, p.z + 0.0};  // -0 and 0 are the same place
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
    ClosedSurface surface;
    std::vector<std::int32_t> number(mesh.vertices.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k == 0 || key(order[k]) != key(order[k - 1])) {
            surface.vertices.push_back(mesh.vertices[at(order[k])]);
            surface.source.push_back(order[k]);
        }
        number[at(order[k])] = static_cast<std::int32_t>(surface.vertices.size()) - 1;
    }
    for (const Int3& t : mesh.triangles) {
        const Int3 joined{number[at(t[0])], number[at(t[1])], number[at(t[2])]};
        if (joined[0] != joined[1] && joined[1] != joined[2] && joined[2] != joined[0])
            surface.triangles.push_back(joined);
    }
    return surface;
}

/// An edge of the surface and its place in the triangle it comes from.
struct Edges {
    std::vector<std::array<std::int32_t, 2>> keys;  ///< 3 per triangle

    explicit Edges(const std::vector<Int3>& triangles)
    {
        keys.reserve(3 * triangles.size());
        for (const Int3& t : triangles) {
            for (std::size_t k = 0; k < 3; ++k) keys.push_back(sorted_key(std::array{t[k], t[(k + 1) % 3]}));
        }
    }
};

/// Turns triangles so that neighbours agree; of every patch the smaller part is turned. Where more than two triangles
/// meet there are no neighbours. Then the whole surface is turned if it encloses a negative volume.
void turn_alike(ClosedSurface& surface, const Edges& edges)
{
    std::vector<Int3> neighbour(surface.triangles.size(), Int3{-1, -1, -1});  // 3 * triangle + edge
    for_each_group<2>(edges.keys, surface.vertices.size(), [&](std::span<const std::int32_t> same) {
        if (same.size() != 2) return;
        neighbour[at(same[0]) / 3][at(same[0]) % 3] = same[1];
        neighbour[at(same[1]) / 3][at(same[1]) % 3] = same[0];
    });
    std::vector<signed char> turned(surface.triangles.size(), -1);  // -1: not seen yet
    std::vector<std::int32_t> patch;
    for (std::size_t seed = 0; seed < turned.size(); ++seed) {
        if (turned[seed] >= 0) continue;
        turned[seed] = 0;
        patch.assign(1, static_cast<std::int32_t>(seed));
        for (std::size_t k = 0; k < patch.size(); ++k) {
            const Int3& t = surface.triangles[at(patch[k])];
            for (std::size_t e = 0; e < 3; ++e) {
                const std::int32_t other_edge = neighbour[at(patch[k])][e];
                if (other_edge < 0 || turned[at(other_edge) / 3] >= 0) continue;
                const bool same_way = surface.triangles[at(other_edge) / 3][at(other_edge) % 3] == t[e];
                turned[at(other_edge) / 3] = same_way ? !turned[at(patch[k])] : turned[at(patch[k])];
                patch.push_back(other_edge / 3);
            }
        }
        const auto count =
            std::count_if(patch.begin(), patch.end(), [&](std::int32_t t) { return turned[at(t)] == 1; });
        const bool mostly = 2 * static_cast<std::size_t>(count) > patch.size();
        for (const std::int32_t t : patch) {
            if (bool(turned[at(t)]) != mostly) std::swap(surface.triangles[at(t)][1], surface.triangles[at(t)][2]);
        }
    }
    if (signed_volume(TriMesh{surface.vertices, surface.triangles, {}, {}}) < 0) {
        for (Int3& t : surface.triangles) std::swap(t[1], t[2]);
    }
}

}  // namespace

Result<ClosedSurface> close_surface(const TriMesh& mesh)
{
    if (Status status = check(mesh); !status) return status.error();
    ClosedSurface surface = join_vertices(mesh);
    double area = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        area += length(surface.area_normal(static_cast<std::int32_t>(t)));
    }
    if (!(area > 0) || !std::isfinite(area)) return Error{"triangles", "the surface is empty: it has no area"};

    const Edges edges(surface.triangles);
    std::size_t border = 0;
    for_each_group<2>(edges.keys, surface.vertices.size(),
                      [&](std::span<const std::int32_t> same) { border += same.size() == 1; });
    if (border > 0) {
        return Error{"triangles", "the surface is open: " + std::to_string(border) +
                                      (border == 1 ? " edge has" : " edges have") +
                                      " a triangle on one side only; an obstacle needs a closed surface"};
    }
    turn_alike(surface, edges);
    return surface;
}

}  // namespace yawara::contact
