// Measures of tet meshes, their outer surface, and the regular bar.
#include <algorithm>
#include <numbers>

#include "geometry/equal_groups.h"
#include "yawara/mesh.h"

namespace yawara {
namespace {

/// Face f lies opposite to vertex f; seen from outside a positive tet it is counter-clockwise.
constexpr std::array<Int3, 4> kFaces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

std::array<Vec3d, 4> corners(const TetMesh& mesh, const Int4& tet)
{
    std::array<Vec3d, 4> p;
    for (std::size_t k = 0; k < 4; ++k) p[k] = mesh.vertices[static_cast<std::size_t>(tet[k])];
    return p;
}

/// A cube with corners numbered by bits (x: 1, y: 2, z: 4): the middle tet and the four corners it cuts off.
constexpr std::array<Int4, 5> kEvenCube{{{0, 3, 6, 5}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}}};
constexpr std::array<Int4, 5> kOddCube{{{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 2, 7, 4}}};

}  // namespace

double signed_volume(const TetMesh& mesh, const Int4& tet)
{
    const auto p = corners(mesh, tet);
    return dot(p[1] - p[0], cross(p[2] - p[0], p[3] - p[0])) / 6;
}

double volume(const TetMesh& mesh)
{
    double sum = 0;
    for (const Int4& tet : mesh.tets) sum += signed_volume(mesh, tet);
    return sum;
}

std::array<double, 2> dihedral_range(const TetMesh& mesh)
{
    if (mesh.tets.empty()) return {0, 0};
    double largest_cosine = -1, smallest_cosine = 1;
    for (const Int4& tet : mesh.tets) {
        const auto p = corners(mesh, tet);
        std::array<Vec3d, 4> normal;
        for (std::size_t f = 0; f < 4; ++f) {
            const auto [a, b, c] = kFaces[f];
            normal[f] = normalized(cross(p[static_cast<std::size_t>(b)] - p[static_cast<std::size_t>(a)],
                                         p[static_cast<std::size_t>(c)] - p[static_cast<std::size_t>(a)]));
        }
        for (std::size_t f = 0; f < 4; ++f) {
            for (std::size_t g = 0; g < f; ++g) {
                const double cosine = -dot(normal[f], normal[g]);
                largest_cosine = std::max(largest_cosine, cosine);
                smallest_cosine = std::min(smallest_cosine, cosine);
            }
        }
    }
    const auto degrees = [](double cosine) {
        return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    };
    return {degrees(largest_cosine), degrees(smallest_cosine)};
}

TriMesh boundary_surface(const TetMesh& mesh, std::vector<std::int32_t>* vertex_of)
{
    std::vector<Int3> keys;
    keys.reserve(4 * mesh.tets.size());
    for (const Int4& tet : mesh.tets) {
        for (const auto& [a, b, c] : kFaces) {
            keys.push_back(sorted_key(Int3{tet[static_cast<std::size_t>(a)], tet[static_cast<std::size_t>(b)],
                                           tet[static_cast<std::size_t>(c)]}));
        }
    }
    std::vector<char> outer(keys.size(), 0);
    for_each_group<3>(keys, mesh.vertices.size(), [&](std::span<const std::int32_t> same) {
        if (same.size() == 1) outer[static_cast<std::size_t>(same[0])] = 1;
    });

    TriMesh surface;
    std::vector<std::int32_t> number(mesh.vertices.size(), -1);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (!outer[k]) continue;
        const Int4& tet = mesh.tets[k / 4];
        const auto [a, b, c] = kFaces[k % 4];
        Int3 triangle{tet[static_cast<std::size_t>(a)], tet[static_cast<std::size_t>(b)],
                      tet[static_cast<std::size_t>(c)]};
        if (signed_volume(mesh, tet) < 0) std::swap(triangle[1], triangle[2]);
        surface.triangles.push_back(triangle);
        for (const std::int32_t v : triangle) number[static_cast<std::size_t>(v)] = 0;
    }
    if (vertex_of) vertex_of->clear();
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] < 0) continue;
        number[v] = static_cast<std::int32_t>(surface.vertices.size());
        surface.vertices.push_back(mesh.vertices[v]);
        if (vertex_of) vertex_of->push_back(static_cast<std::int32_t>(v));
    }
    for (Int3& triangle : surface.triangles) {
        for (std::int32_t& v : triangle) v = number[static_cast<std::size_t>(v)];
    }
    return surface;
}

TetMesh make_bar(Vec3d size, Int3 cells, Vec3d low_corner)
{
    TetMesh bar;
    const auto [nx, ny, nz] = cells;
    if (nx < 1 || ny < 1 || nz < 1) return bar;
    bar.vertices.reserve(static_cast<std::size_t>(nx + 1) * static_cast<std::size_t>(ny + 1) *
                         static_cast<std::size_t>(nz + 1));
    bar.tets.reserve(5 * static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz));
    for (int z = 0; z <= nz; ++z) {
        for (int y = 0; y <= ny; ++y) {
            for (int x = 0; x <= nx; ++x) {
                bar.vertices.push_back(low_corner + Vec3d{size.x * x / nx, size.y * y / ny, size.z * z / nz});
            }
        }
    }
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                const int low = x + (nx + 1) * (y + (ny + 1) * z);
                const auto corner = [&](int k) {
                    return low + (k & 1) + (nx + 1) * ((k >> 1 & 1) + (ny + 1) * (k >> 2));
                };
                for (const auto& [a, b, c, d] : (x + y + z) % 2 == 0 ? kEvenCube : kOddCube) {
                    bar.tets.push_back({corner(a), corner(b), corner(c), corner(d)});
                }
            }
        }
    }
    return bar;
}

}  // namespace yawara
