// What keeps bodies awake, and that sleep changes nothing but the time a step takes.
#include <doctest/doctest.h>

#include "bodies.h"
#include "sim/sleep.h"

using namespace yawara;
using namespace yawara::test;

namespace {

BodyModel cube()
{
    return bar({0.3, 0.3, 0.3}, {3, 3, 3});
}

BodySettings soft(float alpha)
{
    BodySettings settings;
    settings.matching.alpha = alpha;
    return settings;
}

/// A cube that lies on a floor and is asleep.
Scene sleeping_cube()
{
    SceneSettings settings;
    settings.dt = 1.0 / 300;
    settings.substeps = 1;
    settings.sleep = true;
    Scene scene(settings);
    scene.add(Collider{.shape = Plane{}, .friction = 0.8f});
    scene.add(cube(), soft(0.5f), {.turn = {}, .move = {0, 0.001, 0}});
    for (int step = 0; step < 3000 && scene.state(scene.bodies()[0]).still < kStillTime; ++step) scene.step();
    return scene;
}

bool moves(Scene& scene, BodyId body, int steps = 30)
{
    const std::vector<Vec3> before = scene.state(body).positions;
    for (int step = 0; step < steps; ++step) scene.step();
    return scene.state(body).positions != before;
}

}  // namespace

TEST_CASE("relative_speed is the mean speed in sizes of the body, in any unit of length and for any step")
{
    const std::vector<Vec3> before{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    std::vector<Vec3> after = before;
    for (Vec3& p : after) p += Vec3{0.3f, -0.4f, 0};
    CHECK(relative_speed(before, after, 0.1, 2) == doctest::Approx(0.5 / 0.1 / 2));
    CHECK(relative_speed(before, after, 0.2, 2) == doctest::Approx(0.5 / 0.2 / 2));

    std::vector<Vec3> far = before, far_after = after;
    for (std::size_t i = 0; i < far.size(); ++i) far[i] *= 1000, far_after[i] *= 1000;
    CHECK(relative_speed(far, far_after, 0.1, 2000) == doctest::Approx(relative_speed(before, after, 0.1, 2)));

    std::vector<Vec3> one = before;
    one[2].x += 1;
    CHECK(relative_speed(before, one, 1, 1) == doctest::Approx(0.25));
    CHECK(relative_speed(before, before, 1, 1) == 0);
}

TEST_CASE("grips that hold something and pushes that push drive a body, empty ones do not")
{
    const BodyModel model = cube();
    CHECK_FALSE(is_driven(model, {}, {}));
    CHECK_FALSE(is_driven(model, std::vector<Grip>(2), std::vector<Push>(2)));
    CHECK(is_driven(model, std::vector<Grip>{{}, {.particles = {3}, .targets = {{}}, .target_velocities = {}}}, {}));
    CHECK(is_driven(model, {}, std::vector<Push>{{}, {.particles = {}, .force = {0, 0, 1}}}));
    CHECK(is_driven(model, {}, std::vector<Push>{{.particles = {}, .force = {}, .acceleration = {0, 1, 0}}}));
}

TEST_CASE("a body at rest sleeps and keeps every bit until gravity, an obstacle or a hand changes")
{
    for (const int change : {0, 1, 2, 3}) {
        Scene scene = sleeping_cube();
        REQUIRE_FALSE(moves(scene, first_body(scene)));
        CHECK(fastest(scene) == 0);
        if (change == 0) scene.settings().gravity = {2, -9.8f, 0};
        if (change == 1) scene.add(Collider{.shape = Sphere{{0.15, 0.3, 0.15}, 0.05}});
        if (change == 2)
            scene.pushes(scene.bodies()[0]).push_back({.particles = {}, .force = {}, .acceleration = {0, 12, 0}});
        if (change == 3) scene.settings().sleep = false;
        CHECK(moves(scene, first_body(scene)));
    }
}

TEST_CASE("what moves quickly wakes what it touches, what is far does not")
{
    Scene scene = sleeping_cube();
    scene.add(cube(), soft(0.5f), {.turn = {}, .move = {2, 0.5, 0}});
    CHECK_FALSE(moves(scene, first_body(scene), 60));
    scene.add(cube(), soft(0.5f), {.turn = {}, .move = {0.05, 0.4, 0.02}});
    CHECK(moves(scene, first_body(scene), 90));
}

TEST_CASE("until somebody sleeps a scene that lets bodies sleep has the bits of one that does not")
{
    const auto run = [](bool sleep, int steps) {
        SceneSettings settings;
        settings.dt = 1.0 / 300;
        settings.substeps = 1;
        settings.sleep = sleep;
        Scene scene(settings);
        scene.add(Collider{.shape = Plane{}, .friction = 0.8f});
        scene.add(cube(), soft(0.3f), {.turn = rotation(Vec3d{1, 0, 1}, 0.4), .move = {0, 0.2, 0}});
        scene.add(cube(), soft(0.3f), {.turn = {}, .move = {0.1, 0.7, 0.1}});
        int awake = 0;
        for (; awake < steps && scene.state(scene.bodies()[0]).still < kStillTime &&
               scene.state(scene.bodies()[1]).still < kStillTime;
             ++awake)
            scene.step();
        return std::pair{scene.hash(), awake};
    };
    const auto [hash, steps] = run(true, 200);
    CHECK(steps == 200);
    CHECK(run(false, 200).first == hash);
}
