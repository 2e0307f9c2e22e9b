#include <doctest/doctest.h>

#include "sim/bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

BodyModel named_cube(const char* name)
{
    return bar({0.2, 0.2, 0.2}, {2, 2, 2}).renamed(name);
}

}  // namespace

TEST_CASE("a body is found by its name until it is removed")
{
    Scene scene;
    const BodyId a = scene.add(named_cube("a")), b = scene.add(named_cube("b"));
    CHECK(scene.find("a") == a);
    CHECK(scene.find("b") == b);
    CHECK_FALSE(scene.find("c"));
    REQUIRE(scene.remove(a));
    CHECK_FALSE(scene.find("a"));
    CHECK(scene.find("b") == b);
    CHECK(scene.bodies().size() == 1);
}

TEST_CASE("a stale id is an error and never another body")
{
    Scene scene;
    const BodyId gone = scene.add(named_cube("gone"));
    REQUIRE(scene.remove(gone));
    const BodyId next = scene.add(named_cube("next"));  // in the same slot
    CHECK_FALSE(scene.contains(gone));
    CHECK(scene.contains(next));
    CHECK_THROWS_AS(scene.state(gone), Exception);
    CHECK_THROWS_AS(scene.model(gone), Exception);
    CHECK_THROWS_AS(scene.surface(gone), Exception);
    CHECK_FALSE(scene.remove(gone));
    CHECK_FALSE(scene.replace(gone, named_cube("x")));
    CHECK_FALSE(scene.settle(gone));
    CHECK(scene.model(next).name() == "next");
}

TEST_CASE("obstacles are named by ids as bodies are")
{
    Scene scene;
    const ColliderId floor = scene.add(Collider{}), ball = scene.add(Collider{.shape = Sphere{}});
    REQUIRE(scene.remove(floor));
    CHECK_FALSE(scene.remove(floor));
    CHECK(std::holds_alternative<Sphere>(scene.collider(ball).shape));
    CHECK(scene.replace(ball, Collider{.shape = Sphere{.center = {}, .radius = 3}}));
    CHECK(std::get<Sphere>(scene.colliders()[0].shape).radius == 3);
    CHECK_THROWS_AS(scene.collider(floor), Exception);
}

TEST_CASE("removing a body leaves the others with the bits they have without it")
{
    const auto run = [](bool with_third) {
        Scene scene;
        scene.add(Collider{});
        scene.add(named_cube("a"), {}, {.move = {0, 0.3, 0}});
        const BodyId far = with_third ? scene.add(named_cube("far"), {}, {.move = {5, 0.5, 0}}) : BodyId{};
        scene.add(named_cube("b"), {}, {.move = {0.05, 0.55, 0.02}});
        for (int k = 0; k < 30; ++k) scene.step();
        if (with_third) REQUIRE(scene.remove(far));
        for (int k = 0; k < 30; ++k) scene.step();
        return scene.hash();
    };
    CHECK(run(true) == run(false));
}

TEST_CASE("what lay on a removed body falls, also if it slept")
{
    Scene scene({.sleep = true});
    scene.add(Collider{});
    const BodyId lower = scene.add(named_cube("lower"), {}, {.move = {0, 0.101, 0}});
    const BodyId upper = scene.add(named_cube("upper"), {}, {.move = {0, 0.305, 0}});
    for (int k = 0; k < 600 && scene.state(upper).still < 0.5f; ++k) scene.step();
    REQUIRE(scene.state(upper).still >= 0.5f);
    const double before = center_of_mass(scene, upper).y;
    REQUIRE(scene.remove(lower));
    for (int k = 0; k < 60; ++k) scene.step();
    CHECK(center_of_mass(scene, upper).y < before - 0.15);
}
