// Media that end somewhere: what floats, and how deep.
#include <doctest/doctest.h>

#include <cmath>

#include "sim/rigid_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr double kSize = 0.4;

/// A block with an even density, soft or rigid, about the origin.
BodyModel block(bool rigid, double density, Vec3d size = {kSize, kSize, kSize})
{
    BodySpec spec;
    const TetMesh mesh = make_bar(size, {4, 4, 4}, size * -0.5);
    if (rigid)
        spec.solid = Rigid{mesh};
    else
        spec.solid = Matching{mesh};
    spec.density = density;
    return build(std::move(spec)).value();
}

SceneSettings pond(double level)
{
    SceneSettings settings{.dt = 1.0 / 60, .substeps = 5};
    settings.medium = {.drag = 500, .density = 1000, .level = float(level)};
    return settings;
}

}  // namespace

TEST_CASE("what floats displaces its own weight, and what is heavier sinks")
{
    for (const bool rigid : {true, false})
        for (const double density : {200.0, 600.0}) {
            CAPTURE(rigid);
            CAPTURE(density);
            Scene scene(pond(1));
            // Flat, so that it lies still on the water whatever it weighs.
            const Vec3d size{0.8, 0.2, 0.8};
            const BodyId cork =
                scene.add(block(rigid, density, size), {.matching = {.alpha = 0.8f}, .drag = 0.5f}, {{}, {0, 1.05, 0}});
            for (int k = 0; k < 600; ++k) scene.step();
            // Archimedes: the part below the surface is that of the densities.
            const double draught = 1 - (center_of_mass(scene, cork).y - size.y / 2);
            CHECK(draught == doctest::Approx(size.y * density / 1000).epsilon(0.03));
        }
    Scene scene(pond(1));
    const BodyId stone = scene.add(block(true, 2000), {}, {{}, {0, 1, 0}});
    for (int k = 0; k < 60; ++k) scene.step();
    CHECK(center_of_mass(scene, stone).y < 0.7);
}

TEST_CASE("under water a body weighs less by what it displaces, wherever its corners are")
{
    // Half in water along a slanted cut: the pressure on the wet parts of the triangles is the weight of the water.
    Scene scene({.dt = 1e-4, .substeps = 1});
    scene.settings().medium = {.density = 1000, .level = 0.0f};
    const BodyId body = scene.add(block(true, 1000), {}, {rotation(Vec3d{1, 2, 3}, 0.7), {}});
    scene.step();
    // By symmetry half of it is below the level: of an acceleration of g, one half is left.
    double speed = 0;
    for (const Vec3& v : scene.state(body).velocities) speed += double(v.y);
    speed /= double(scene.state(body).velocities.size());
    CHECK(speed == doctest::Approx(-0.5 * 9.8 * 1e-4).epsilon(1e-3));
}

TEST_CASE("waves lift what floats on them, and beside its box there is no water")
{
    Scene scene(pond(0));
    scene.settings().medium.waves =
        std::make_shared<const Waves>([](double, double, double time) { return 0.2 * std::sin(2 * time); });
    scene.settings().medium.box = Box3{{-1, -5, -1}, {1, 5, 1}};
    const BodyId cork = scene.add(block(true, 300), {}, {{}, {0, 0.1, 0}});
    const BodyId beside = scene.add(block(true, 300), {}, {{}, {3, 0.1, 0}});
    double highest = -1, lowest = 1;
    for (int k = 0; k < 400; ++k) {
        scene.step();
        if (k < 180) continue;
        highest = std::max(highest, center_of_mass(scene, cork).y);
        lowest = std::min(lowest, center_of_mass(scene, cork).y);
    }
    CHECK(highest - lowest == doctest::Approx(0.4).epsilon(0.2));
    CHECK(center_of_mass(scene, beside).y < -10);
}
