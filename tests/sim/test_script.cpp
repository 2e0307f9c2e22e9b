// Paths of handles, and scripts as functions of time.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "yawara/script.h"

using namespace yawara;

namespace {

std::vector<PathKey> keys()
{
    return {
        {.time = 0.5}, {.time = 1, .move = {1, 0, 0}}, {.time = 2, .move = {1, 3, 0}}, {.time = 4, .move = {2, 3, 1}}};
}

}  // namespace

TEST_CASE("a path passes through its keys and rests outside them")
{
    for (const bool smooth : {false, true}) {
        const auto points = keys();
        const Path path(points, smooth, {7, 8, 9});
        for (const PathKey& key : points) CHECK(length(path.at(key.time).move - key.move) < 1e-14);
        CHECK(path.at(0).move == Vec3d{});
        CHECK(path.at(9).move == Vec3d{2, 3, 1});
    }
}

TEST_CASE("a straight path is linear between its keys")
{
    const auto points = keys();
    const Path path(points, false, {});
    CHECK(length(path.at(0.75).move - Vec3d{0.5, 0, 0}) < 1e-15);
    CHECK(length(path.at(3).move - Vec3d{1.5, 3, 0.5}) < 1e-15);
}

TEST_CASE("a smooth path never overshoots, has no kinks, and starts and ends at rest")
{
    const auto points = keys();
    const Path path(points, true, {});
    const auto speed = [&](double t) { return (path.at(t + 1e-5).move - path.at(t - 1e-5).move) / 2e-5; };
    for (double t = 0.5; t < 4; t += 0.01) {
        const Vec3d p = path.at(t).move;
        if (t < 2) CHECK((p.x >= 0 && p.x <= 1 && p.z == 0));
        if (t >= 2) CHECK((p.y == 3 && p.x >= 1 && p.x <= 2));
        CHECK(length(speed(t + 0.001) - speed(t - 0.001)) < 0.1);
    }
    CHECK(length(speed(0.5)) < 1e-3);
    CHECK(length(speed(4)) < 1e-3);
}

TEST_CASE("a path may turn more than once, about the centre or a given point")
{
    const std::vector<PathKey> turn{{.time = 0}, {.time = 1, .turn = {0, 0, 4 * std::numbers::pi}}};
    const Path about_centre(turn, false, {1, 0, 0});
    CHECK(length(about_centre.at(0.125)({2, 0, 0}) - Vec3d{1, 1, 0}) < 1e-14);
    CHECK(length(about_centre.at(0.25)({2, 0, 0}) - Vec3d{0, 0, 0}) < 1e-14);
    CHECK(length(about_centre.at(1)({2, 0, 0}) - Vec3d{2, 0, 0}) < 1e-14);
    std::vector<PathKey> about_origin = turn;
    for (PathKey& key : about_origin) key.about = Vec3d{};
    CHECK(length(Path(about_origin, false, {1, 0, 0}).at(0.125)({2, 0, 0}) - Vec3d{0, 2, 0}) < 1e-14);
}

TEST_CASE("a handle without a path holds the exact bits of its start, and lets go in time")
{
    const std::vector<Vec3> start{{0.1f, 0.2f, 0.3f}, {1.7f, -3.3f, 0.77f}, {5, 5, 5}};
    HandleMotion handle;
    handle.release = 0.05;
    Script script;
    script.add_pin(std::vector<std::int32_t>{2}, start);
    script.add_handle(handle, std::vector<std::int32_t>{0, 1}, start);
    std::vector<Grip> grips;
    std::vector<Push> pushes;
    script.apply(0, 1.0 / 300, grips, pushes);
    REQUIRE(grips.size() == 2);
    double time = 0;
    for (int step = 0; step < 30; ++step, time += 1.0 / 300) {
        script.apply(time, time + 1.0 / 300, grips, pushes);
        CHECK(grips[0].targets == std::vector<Vec3>{start[2]});
        CHECK(grips[1].particles.size() == (step < 15 ? 2 : 0));
        CHECK(grips[1].targets.size() == grips[1].particles.size());
        if (step < 15) CHECK(grips[1].targets == std::vector<Vec3>{start[0], start[1]});
    }
    script.apply(0, 1.0 / 300, grips, pushes);
    CHECK(grips[1].particles.size() == 2);
}

TEST_CASE("a handle's velocity is the way of its step, and its lists keep their memory")
{
    const std::vector<Vec3> start{{0, 0, 0}, {1, 0, 0}};
    HandleMotion handle;
    handle.smooth = false;
    handle.stiffness = 300;
    handle.release = 0.5;
    handle.keys = {{.time = 0}, {.time = 1, .move = {2, 0, 0}}};
    Script script;
    script.add_handle(handle, std::vector<std::int32_t>{0, 1}, start);
    std::vector<Grip> grips;
    std::vector<Push> pushes;
    script.apply(0, 0.01, grips, pushes);
    CHECK(grips[0].stiffness == 300);
    const void* memory[] = {grips[0].particles.data(), grips[0].targets.data(), grips[0].target_velocities.data()};
    script.apply(0.25, 0.26, grips, pushes);
    CHECK(length(grips[0].targets[1] - Vec3{1.52f, 0, 0}) < 1e-6f);
    CHECK(length(grips[0].target_velocities[1] - Vec3{2, 0, 0}) < 1e-5f);
    script.apply(0.6, 0.61, grips, pushes);
    script.apply(0.1, 0.11, grips, pushes);
    CHECK(memory[0] == grips[0].particles.data());
    CHECK(memory[1] == grips[0].targets.data());
    CHECK(memory[2] == grips[0].target_velocities.data());
}

TEST_CASE("the impulse of a force is force times duration, wherever the steps fall")
{
    ForcePlan force;
    force.force = {0, 6, 0};
    force.acceleration = {1, 0, 0};
    force.from = 0.1234;
    force.until = 0.4321;
    Script script;
    script.add_force(force, {});
    std::vector<Grip> grips;
    std::vector<Push> pushes;
    Vec3d impulse, speed;
    const double step = 1.0 / 60;
    for (int k = 0; k < 60; ++k) {
        script.apply(k * step, (k + 1) * step, grips, pushes);
        impulse += pushes[0].force.as<double>() * step;
        speed += pushes[0].acceleration.as<double>() * step;
    }
    CHECK(impulse.y == doctest::Approx(6 * 0.3087).epsilon(1e-6));
    CHECK(speed.x == doctest::Approx(0.3087).epsilon(1e-6));
}
