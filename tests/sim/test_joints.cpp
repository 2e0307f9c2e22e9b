// Joints between rigid and soft bodies, and to the world.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/rigid_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// Where a point of a body at rest is now, as its nearest particle tells.
Vec3d place_of(const Scene& scene, BodyId body, Vec3d rest)
{
    const auto points = scene.model(body).rest_positions();
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        if (length(points[i] - rest) < length(points[best] - rest)) best = i;
    return scene.state(body).positions[best].as<double>();
}

/// The turn of a body about z since rest, rad: from two particles.
double turn_about_z(const Scene& scene, BodyId body)
{
    const Vec3d now = place_of(scene, body, {0.1, 0, 0}) - place_of(scene, body, {-0.1, 0, 0});
    return std::atan2(now.y, now.x);
}

}  // namespace

TEST_CASE("a brick on a ball joint to the world swings as a pendulum")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 10});
    const Vec3d size{0.2, 0.4, 0.2};
    const double angle = 0.15;
    const Mat3d tilted = rotation(Vec3d{0, 0, 1}, angle);
    const BodyId body = scene.add(brick(size), {}, {tilted, tilted * Vec3d{0, -0.5, 0}});
    // Half a metre above its centre: beyond its own shape.
    REQUIRE(scene.add(Joint{BallJoint{}, {body}, {}}));
    double before = 1, last = 0, period = 0;
    for (int k = 0; k < 2000 && period == 0; ++k) {
        scene.substep();
        const Vec3d c = center_of_mass(scene, body);
        CHECK(length(c) == doctest::Approx(0.5).epsilon(2e-3));
        if (before < 0 && c.x >= 0) {
            if (last > 0) period = scene.time() - last;
            last = scene.time();
        }
        before = c.x;
    }
    const double inertia = (size.x * size.x + size.y * size.y) / 12 + 0.25;  // over the mass, about the joint
    CHECK(period ==
          doctest::Approx(2 * 3.14159265 * std::sqrt(inertia / (9.8 * 0.5)) * (1 + angle * angle / 16)).epsilon(0.01));
}

TEST_CASE("joints between any two bodies hold, and keep their momentum and spin, also if their points were apart")
{
    for (const int kind : {0, 1, 2, 3})
        for (const int soft : {0, 1, 2})
            for (const bool loose : {false, true}) {
                CAPTURE(kind);
                CAPTURE(soft);
                CAPTURE(loose);
                Scene scene(weightless());
                const BodySettings settings{.matching = {.alpha = 0.5f, .damping = 0}, .contact = {.bodies = false}};
                const BodyModel first = soft == 2 ? jelly({0.2, 0.3, 0.2}) : brick({0.2, 0.3, 0.2});
                const BodyModel second = soft > 0 ? jelly({0.2, 0.2, 0.2}) : brick({0.3, 0.2, 0.2}, 300);
                const BodyId a = scene.add(first, settings, {{}, {-0.15, 0, 0}}, {0, 1, 0}, {1, 0, 2});
                const BodyId b = scene.add(second, settings, {{}, {0.15, 0, 0}}, {0, -1, 0.5});
                Joint joint{BallJoint{}, {a, {}}, {b, {}}};
                if (kind == 1) joint.kind = Hinge{.axis = {0, 0, 1}, .speed = 5, .torque = 2};
                if (kind == 2) joint.kind = Weld{};
                if (kind == 3) {
                    joint.kind = Rope{0.5};
                    joint.a.point = {-0.1, 0, 0};
                    joint.b.point = {0.1, 0, 0};
                }
                if (loose) joint.a.point = {-0.05, 0.02, 0}, joint.b.point = {0.05, 0, 0.01};
                REQUIRE(scene.add(joint));
                const Momenta before = momenta(scene);
                for (int k = 0; k < 200; ++k) scene.step();
                const Momenta after = momenta(scene);
                CHECK(length(after.linear - before.linear) < 1e-5 * length(before.linear));
                // What is left is the rounding of a thousand steps.
                CHECK(length(after.angular - before.angular) < 5e-5 * length(before.angular));
                const double apart = length(place_of(scene, a, {0.1, 0, 0}) - place_of(scene, b, {-0.1, 0, 0}));
                CHECK(apart < (kind == 3 ? 0.55 : 0.5));
                for (const Vec3& v : scene.state(b).velocities) CHECK(length(v) < 20);
            }
}

TEST_CASE("two soft bodies are welded face to face, hung on each other by a ball joint, or tied by a rope")
{
    Scene scene(weightless());
    const BodySettings settings{.matching = {.alpha = 0.5f, .damping = 0.01f}, .contact = {.bodies = false}};
    const BodyId a = scene.add(jelly({0.2, 0.2, 0.2}), settings, {{}, {-0.1, 0, 0}}, {0, 1, 0}, {0, 0, 4});
    const BodyId b = scene.add(jelly({0.2, 0.2, 0.2}), settings, {{}, {0.1, 0, 0}}, {0.5, -1, 0.5});
    std::vector<std::int32_t> right, left;  // the faces of both that meet
    const auto rest = scene.model(a).rest_positions();
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i].x > 0.0999) right.push_back(std::int32_t(i));
        if (rest[i].x < -0.0999) left.push_back(std::int32_t(i));
    }
    REQUIRE(right.size() == left.size());
    const auto apart = [&](std::size_t k) {
        return double(
            length(scene.state(a).positions[std::size_t(right[k])] - scene.state(b).positions[std::size_t(left[k])]));
    };
    const auto turn_between = [&] {
        const auto along = [&](BodyId body) {
            return place_of(scene, body, {0.1, 0, 0}) - place_of(scene, body, {-0.1, 0, 0});
        };
        return std::acos(std::clamp(dot(normalized(along(a)), normalized(along(b))), -1.0, 1.0));
    };
    double farthest = 0, most_turned = 0, nearest = 1;
    const auto run = [&](std::size_t first, std::size_t last) {
        for (int k = 0; k < 120; ++k) {
            scene.step();
            double now = 0;
            for (std::size_t p = first; p < last; ++p) now = std::max(now, apart(p));
            farthest = std::max(farthest, now);
            nearest = std::min(nearest, now);
            most_turned = std::max(most_turned, turn_between());
        }
    };
    SUBCASE("weld")
    {
        REQUIRE(scene.add(Joint{Weld{}, {a, {}, right}, {b, {}, left}}));
        run(0, right.size());
        CHECK(farthest < 0.002);
        CHECK(most_turned < 0.5);
    }
    SUBCASE("ball joint")
    {
        REQUIRE(scene.add(Joint{BallJoint{}, {a, {0, -0.1, -0.1}, {right[0]}}, {b, {0, -0.1, -0.1}, {left[0]}}}));
        run(0, 1);
        CHECK(farthest < 0.002);
        CHECK(most_turned > 1);
    }
    SUBCASE("rope")
    {
        REQUIRE(scene.add(Joint{Rope{0.3}, {a, {0, -0.1, -0.1}, {right[0]}}, {b, {0, -0.1, -0.1}, {left[0]}}}));
        run(0, 1);
        CHECK(farthest < 0.302);
        CHECK(farthest > 0.298);
        CHECK(nearest < 0.1);
    }
}

TEST_CASE("a weld makes one body of two")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 5});
    const BodySettings settings{.contact = {.bodies = false}};
    const BodyId a = scene.add(brick({0.2, 0.2, 0.2}), settings, {{}, {0, 2, 0}}, {}, {0, 0, 3});
    const BodyId b = scene.add(brick({0.2, 0.2, 0.2}), settings, {{}, {0.2, 2, 0}}, {}, {0, 0, 3});
    REQUIRE(scene.add(Joint{Weld{}, {a, {0.1, 2, 0}}, {b, {0.1, 2, 0}}}));
    for (int k = 0; k < 60; ++k) scene.step();
    CHECK(length(center_of_mass(scene, a) - center_of_mass(scene, b)) == doctest::Approx(0.2).epsilon(1e-3));
    CHECK(turn_about_z(scene, a) == doctest::Approx(turn_about_z(scene, b)).epsilon(1e-3));
}

TEST_CASE("a motor turns a hinge at its speed, and its limit stops it")
{
    Scene scene(weightless(1.0 / 300));
    const BodyId wheel = scene.add(brick({0.2, 0.2, 0.1}));
    Hinge hinge{.axis = {0, 0, 1}, .speed = 3, .torque = 100};
    SUBCASE("speed")
    {
        REQUIRE(scene.add(Joint{hinge, {wheel}, {}}));
        double turn = 0, last = 0;
        for (int k = 0; k < 300; ++k) {
            scene.step();
            double step = turn_about_z(scene, wheel) - last;
            if (step < -3) step += 2 * 3.14159265358979;
            turn += step;
            last = turn_about_z(scene, wheel);
        }
        CHECK(turn == doctest::Approx(3).epsilon(0.02));
    }
    SUBCASE("limit")
    {
        hinge.limit = {-0.5, 0.7};
        REQUIRE(scene.add(Joint{hinge, {wheel}, {}}));
        for (int k = 0; k < 300; ++k) scene.step();
        CHECK(turn_about_z(scene, wheel) == doctest::Approx(0.7).epsilon(0.02));
        scene.joint(scene.joints()[0]).kind =
            Hinge{.axis = {0, 0, 1}, .limit = {{-0.5, 0.7}}, .speed = -3, .torque = 100};
        for (int k = 0; k < 600; ++k) scene.step();
        CHECK(turn_about_z(scene, wheel) == doctest::Approx(-0.5).epsilon(0.02));
    }
    SUBCASE("weak")
    {
        // Torque over inertia, m (a^2 + b^2) / 12, for a second.
        hinge.speed = 1000, hinge.torque = 0.1;
        REQUIRE(scene.add(Joint{hinge, {wheel}, {}}));
        for (int k = 0; k < 30; ++k) scene.step();
        const double mass = 1000 * 0.2 * 0.2 * 0.1, inertia = mass * 0.08 / 12;
        CHECK(turn_about_z(scene, wheel) == doctest::Approx(0.5 * 0.1 / inertia * 0.01).epsilon(0.05));
    }
}

TEST_CASE("a jelly hangs from a rope and from a rigid bone in it")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 5});
    const BodySettings settings{.matching = {.alpha = 0.5f}, .contact = {.bodies = false}};
    const BodyId bone = scene.add(brick({0.05, 0.4, 0.05}), settings, {{}, {0, 0, 0}});
    const BodyId flesh = scene.add(jelly({0.3, 0.3, 0.3}), settings);
    REQUIRE(scene.add(Joint{Rope{0.5}, {bone, {0, 0.2, 0}}, {std::nullopt, {0, 0.6, 0}}}));
    JointSide inside{flesh};
    const auto rest = scene.model(flesh).rest_positions();
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (std::abs(rest[i].x) < 0.05 && std::abs(rest[i].z) < 0.05) inside.particles.push_back(std::int32_t(i));
    REQUIRE(inside.particles.size() >= 3);
    REQUIRE(scene.add(Joint{Weld{}, inside, {bone}}));
    for (int k = 0; k < 240; ++k) scene.step();
    // The rope is taut: its lower end is half a metre below the upper.
    CHECK(place_of(scene, bone, {0, 0.2, 0}).y == doctest::Approx(0.1).epsilon(0.05));
    CHECK(length(center_of_mass(scene, bone) - center_of_mass(scene, flesh)) < 0.03);
    CHECK(std::abs(center_of_mass(scene, bone).x) < 0.05);
}

TEST_CASE("a joint that cannot be is refused, and one that lost its body is an event")
{
    Scene scene;
    const BodyId a = scene.add(brick()), b = scene.add(brick(), {}, {{}, {1, 0, 0}});
    CHECK(!scene.add(Joint{BallJoint{}, {}, {}}));
    CHECK(!scene.add(Joint{BallJoint{}, {a}, {a}}));
    CHECK(!scene.add(Joint{Rope{-1}, {a}, {b}}));
    CHECK(!scene.add(Joint{Rope{NAN}, {a}, {b}}));
    CHECK(!scene.add(Joint{Hinge{.axis = {0, 0, 0}}, {a}, {b}}));
    CHECK(!scene.add(Joint{BallJoint{}, {a, {NAN, 0, 0}}, {b}}));
    CHECK(!scene.add(Joint{BallJoint{}, {a, {}, {1000000}}, {b}}));
    const JointId joint = scene.add(Joint{BallJoint{}, {a}, {b}}).value();
    CHECK(scene.contains(joint));
    REQUIRE(scene.remove(b));
    CHECK(!scene.contains(joint));
    CHECK(!scene.remove(joint));
    CHECK_THROWS_AS(scene.joint(joint), Exception);
    CHECK(!scene.add(Joint{BallJoint{}, {a}, {b}}));
    scene.step();
    const auto events = scene.events();
    CHECK(std::ranges::any_of(events, [&](const SceneEvent& e) {
        return e.what == SceneEvent::What::lost_joint && std::get<JointId>(e.who) == joint;
    }));
    scene.step();
    CHECK(scene.events().empty());
}
