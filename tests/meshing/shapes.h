// Surfaces made on the spot, clean and damaged, and checks of tet meshes that several tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "yawara/mesh.h"

namespace yawara::test {

/// A ball of rings and slices; outward.
inline TriMesh make_ball(Vec3d center, double radius, int slices = 48)
{
    TriMesh mesh;
    const int rings = slices / 2;
    mesh.vertices.push_back(center + Vec3d{0, 0, radius});
    for (int r = 1; r < rings; ++r) {
        for (int s = 0; s < slices; ++s) {
            const double a = std::numbers::pi * r / rings, b = 2 * std::numbers::pi * s / slices;
            mesh.vertices.push_back(center +
                                    Vec3d{std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)} * radius);
        }
    }
    mesh.vertices.push_back(center - Vec3d{0, 0, radius});
    const auto at = [&](int r, int s) { return std::int32_t(1 + (r - 1) * slices + s % slices); };
    const auto last = std::int32_t(mesh.vertices.size() - 1);
    for (int s = 0; s < slices; ++s) {
        mesh.triangles.push_back({0, at(1, s), at(1, s + 1)});
        for (int r = 1; r + 1 < rings; ++r) {
            mesh.triangles.push_back({at(r, s), at(r + 1, s), at(r + 1, s + 1)});
            mesh.triangles.push_back({at(r, s), at(r + 1, s + 1), at(r, s + 1)});
        }
        mesh.triangles.push_back({at(rings - 1, s), last, at(rings - 1, s + 1)});
    }
    return mesh;
}

inline TriMesh make_torus(double radius, double thickness, int steps = 64)
{
    TriMesh mesh;
    for (int i = 0; i < steps; ++i) {
        for (int j = 0; j < steps; ++j) {
            const double a = 2 * std::numbers::pi * i / steps, b = 2 * std::numbers::pi * j / steps;
            const double r = radius + thickness * std::cos(b);
            mesh.vertices.push_back({r * std::cos(a), r * std::sin(a), thickness * std::sin(b)});
        }
    }
    const auto at = [&](int i, int j) { return std::int32_t(i % steps * steps + j % steps); };
    for (int i = 0; i < steps; ++i) {
        for (int j = 0; j < steps; ++j) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    }
    return mesh;
}

inline TriMesh make_box(Vec3d low, Vec3d high)
{
    TriMesh mesh;
    for (int k = 0; k < 8; ++k) {
        mesh.vertices.push_back({k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
    }
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
}

inline TriMesh join(TriMesh a, const TriMesh& b)
{
    const auto offset = std::int32_t(a.vertices.size());
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const Int3& t : b.triangles) a.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    return a;
}

inline TriMesh inside_out(TriMesh mesh)
{
    for (Int3& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// True if every face is shared by two tets or lies on a surface that is closed: each edge passed both ways equally.
inline bool is_conforming(const TetMesh& mesh)
{
    std::map<Int3, int> faces;
    for (const Int4& t : mesh.tets) {
        for (const Int3& f :
             {Int3{t[1], t[2], t[3]}, Int3{t[0], t[2], t[3]}, Int3{t[0], t[1], t[3]}, Int3{t[0], t[1], t[2]}}) {
            Int3 key = f;
            std::sort(key.begin(), key.end());
            ++faces[key];
        }
    }
    if (std::any_of(faces.begin(), faces.end(), [](const auto& f) { return f.second > 2; })) return false;
    std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
    for (const Int3& t : boundary_surface(mesh).triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = t[k], b = t[(k + 1) % 3];
            edges[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    }
    return std::all_of(edges.begin(), edges.end(), [](const auto& e) { return e.second == 0; });
}

inline double smallest_volume(const TetMesh& mesh)
{
    double smallest = 1e300;
    for (const Int4& t : mesh.tets) smallest = std::min(smallest, signed_volume(mesh, t));
    return smallest;
}

}  // namespace yawara::test
