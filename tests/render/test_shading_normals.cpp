// Normals: round things are smooth, boxes are sharp.
#include <doctest/doctest.h>

#include "render/shading_normals.h"
#include "shapes.h"

using namespace yawara;

TEST_CASE("the normals of a cube are those of its faces")
{
    const Shape cube = make_cube({1, 2, 3}, 0.5f);
    const auto normals = drawing::shading_normals(cube.positions, cube.triangles);
    for (std::size_t t = 0; t < cube.triangles.size(); ++t) {
        const auto& [a, b, c] = cube.triangles[t];
        const Vec3 face =
            normalized(cross(cube.positions[b] - cube.positions[a], cube.positions[c] - cube.positions[a]));
        for (const Vec3 n : normals[t]) CHECK(length(n - face) < 1e-5f);
    }
}

TEST_CASE("the normals of a sphere point away from its centre")
{
    const Vec3 center{-1, 0.5f, 2};
    const Shape ball = make_sphere(center, 2, 32);
    const auto normals = drawing::shading_normals(ball.positions, ball.triangles);
    for (std::size_t t = 0; t < ball.triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const Vec3 out = normalized(ball.positions[ball.triangles[t][k]] - center);
            CHECK(dot(normals[t][k], out) > 0.999f);
        }
}

TEST_CASE("normals of flat triangles are finite")
{
    const std::vector<Vec3> line = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const std::vector<Int3> triangles = {{0, 1, 2}, {1, 1, 1}};
    for (const auto& corners : drawing::shading_normals(line, triangles))
        for (const Vec3 n : corners) CHECK(is_finite(n));
}
