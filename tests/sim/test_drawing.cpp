// What a graphics card gets of bodies in a scene.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sim/bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

Scene falling(BodyId& body, double spin = 3)
{
    Scene scene({.dt = 1.0 / 60, .substeps = 2});
    body = scene.add(bar(), {}, {}, {1, 0, 0}, {0, spin, 1});
    return scene;
}

std::vector<Vec3> copy(std::span<const Vec3> values)
{
    return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("drawn positions are those of the surface, and normals point out of what turns")
{
    BodyId body;
    Scene scene = falling(body);
    for (int frame = 0; frame < 30; ++frame) scene.step();
    const Drawing drawing = scene.drawing(body);
    const std::span<const Vec3> surface = scene.surface(body);
    REQUIRE(drawing.positions.size() == drawing.normals.size());
    REQUIRE(drawing.positions.size() == drawing.tangents.size());
    Vec3 middle;
    for (const Vec3& p : drawing.positions) middle += p / float(drawing.positions.size());
    for (std::size_t k = 0; k < drawing.positions.size(); ++k) {
        CHECK(drawing.positions[k] == surface[std::size_t(drawing.source[k])]);
        CHECK(dot(drawing.normals[k], drawing.positions[k] - middle) > 0);
        CHECK(length(drawing.normals[k]) == doctest::Approx(1));
        CHECK(std::abs(dot(drawing.normals[k], drawing.tangents[k].along)) < 1e-5f);
    }
    CHECK(drawing.triangles.size() == scene.model(body).surface().triangles.size());
    CHECK(drawing.uvs.empty());
}

TEST_CASE("last positions are those of the frame before, however often a frame is drawn, and none after a jump")
{
    BodyId body;
    Scene scene = falling(body);
    Drawing drawing = scene.drawing(body);
    CHECK(std::ranges::equal(drawing.positions, drawing.last_positions));
    const SceneMoment start = scene.moment();
    for (int frame = 0; frame < 3; ++frame) {
        const std::vector<Vec3> before = copy(scene.drawing(body).positions);
        scene.step();
        drawing = scene.drawing(body);
        (void)scene.state(body);  // whoever only looks changes no motion
        drawing = scene.drawing(body);
        CHECK(std::ranges::equal(drawing.last_positions, before));
        CHECK(!std::ranges::equal(drawing.positions, before));
    }
    REQUIRE(scene.go_to(start));
    drawing = scene.drawing(body);
    CHECK(std::ranges::equal(drawing.positions, drawing.last_positions));
}

TEST_CASE("a drawing is computed once a step, and again when positions were set")
{
    BodyId body;
    Scene scene = falling(body);
    scene.step();
    const Drawing first = scene.drawing(body), second = scene.drawing(body);
    CHECK(first.positions.data() == second.positions.data());
    for (Vec3& p : scene.state(body).positions) p.y += 1;
    const float before = first.positions[0].y;
    CHECK(scene.drawing(body).positions[0].y == doctest::Approx(double(before) + 1));
}

TEST_CASE("texture coordinates of the drawn surface come with the vertices")
{
    BodySpec spec;
    spec.solid = Matching{make_bar({1, 1, 1}, {2, 2, 2})};
    spec.surface = boundary_surface(make_bar({1, 1, 1}, {2, 2, 2}));
    for (const Int3& t : spec.surface.triangles) {
        auto& corners = spec.surface.corner_uvs.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d p = spec.surface.vertices[std::size_t(t[k])];
            corners[k] = {float(p.x), float(p.y)};
        }
    }
    Scene scene;
    const BodyId body = scene.add(build(spec).value());
    const Drawing drawing = scene.drawing(body);
    REQUIRE(drawing.uvs.size() == drawing.positions.size());
    for (std::size_t k = 0; k < drawing.uvs.size(); ++k) {
        CHECK(drawing.uvs[k].x == doctest::Approx(drawing.positions[k].x));
        CHECK(drawing.uvs[k].y == doctest::Approx(drawing.positions[k].y));
        // u grows along x, unless the face has no u at all.
        if (std::abs(drawing.normals[k].z) > 0.9f) CHECK(drawing.tangents[k].along.x == doctest::Approx(1));
    }
}
