// Small surfaces for the pictures of the tests.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "yawara/render.h"

namespace yawara {

struct Shape {
    std::vector<Vec3> positions;
    std::vector<Int3> triangles;

    DrawnMesh drawn() const
    {
        DrawnMesh mesh;
        mesh.positions = positions;
        mesh.triangles = triangles;
        return mesh;
    }
};

/// A sphere of rings and slices, closed by a vertex at each pole.
inline Shape make_sphere(Vec3 center, float radius, int rings = 24)
{
    const int slices = 2 * rings;
    const float pi = std::numbers::pi_v<float>;
    Shape shape;
    shape.positions.push_back(center + Vec3{0, radius, 0});
    for (int r = 1; r < rings; ++r)
        for (int s = 0; s < slices; ++s) {
            const float polar = pi * static_cast<float>(r) / static_cast<float>(rings);
            const float around = 2 * pi * static_cast<float>(s) / static_cast<float>(slices);
            shape.positions.push_back(
                center +
                Vec3{std::sin(polar) * std::sin(around), std::cos(polar), std::sin(polar) * std::cos(around)} * radius);
        }
    shape.positions.push_back(center - Vec3{0, radius, 0});
    const int last = static_cast<int>(shape.positions.size()) - 1;
    const auto at = [&](int r, int s) { return r == 0 ? 0 : r == rings ? last : 1 + (r - 1) * slices + s % slices; };
    for (int r = 0; r < rings; ++r)
        for (int s = 0; s < slices; ++s) {
            if (r > 0) shape.triangles.push_back({at(r, s), at(r + 1, s), at(r, s + 1)});
            if (r + 1 < rings) shape.triangles.push_back({at(r, s + 1), at(r + 1, s), at(r + 1, s + 1)});
        }
    return shape;
}

/// Eight vertices, twelve triangles.
inline Shape make_cube(Vec3 center, float half)
{
    Shape shape;
    for (int i = 0; i < 8; ++i)
        shape.positions.push_back(center + Vec3{i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half});
    shape.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return shape;
}

inline Vec3 pixel_at(const Image& image, int x, int y)
{
    const std::uint8_t* p = &image.rgba[4 * (static_cast<std::size_t>(y) * image.width + x)];
    return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}
inline int alpha_at(const Image& image, int x, int y)
{
    return image.rgba[4 * (static_cast<std::size_t>(y) * image.width + x) + 3];
}
inline float brightness(Vec3 color)
{
    return (color.x + color.y + color.z) / 3;
}

}  // namespace yawara
