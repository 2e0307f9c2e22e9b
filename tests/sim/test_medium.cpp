// Pressure of a medium on moving bodies: the law in short steps, and what no step may do however long.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "bodies.h"
#include "sim/medium.h"

using namespace yawara;
using namespace yawara::test;

namespace {

BodyModel cube()
{
    return bar({0.2, 0.2, 0.2}, {3, 3, 3});
}

std::vector<Vec3> random_velocities(const BodyModel& model, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<Vec3> out(model.particle_count());
    for (Vec3& v : out) v = {normal(random), normal(random), normal(random)};
    return out;
}

Vec3d momentum(const BodyModel& model, std::span<const Vec3> velocities)
{
    Vec3d sum;
    for (std::size_t i = 0; i < velocities.size(); ++i) sum += velocities[i].as<double>() * model.masses()[i];
    return sum;
}

double energy(const BodyModel& model, std::span<const Vec3> velocities, Vec3 current)
{
    double sum = 0;
    for (std::size_t i = 0; i < velocities.size(); ++i) {
        const Vec3d v = (velocities[i] - current).as<double>();
        sum += dot(v, v) * model.masses()[i] / 2;
    }
    return sum;
}

}  // namespace

TEST_CASE("in short steps a cube feels the drag of its front and its back, and nothing sideways")
{
    const BodyModel model = cube();
    const BodyState start = initial_state(model);
    MediumSurface surface(model);
    for (const Vec3 u : {Vec3{2, 0, 0}, Vec3{-2, 0, 0}, Vec3{0, 3, 0}, Vec3{1, -2, 0.5f}}) {
        constexpr double kDt = 1e-4, kDrag = 50, kArea = 0.04;
        const Vec3 current{0.3f, 0.1f, -0.7f};
        std::vector<Vec3> velocities(model.particle_count(), u + current);
        const Vec3d before = momentum(model, velocities);
        surface.apply({.drag = float(kDrag), .density = 0, .current = current}, float(kDt), start.positions,
                      velocities);
        const Vec3d force = (momentum(model, velocities) - before) / kDt;
        const Vec3d v = u.as<double>();
        const Vec3d expected =
            Vec3d{v.x * std::abs(v.x), v.y * std::abs(v.y), v.z * std::abs(v.z)} * (-2 * kDrag * kArea);
        CHECK(length(force - expected) < 0.01 * length(expected));
    }
}

TEST_CASE("a body that drifts with the current is left alone, to the bit")
{
    const BodyModel model = cube();
    const Vec3 current{0.25f, -1, 0.5f};
    std::vector<Vec3> velocities(model.particle_count(), current);
    MediumSurface(model).apply({.drag = 1e5f, .density = 0, .current = current}, 0.01f, initial_state(model).positions,
                               velocities);
    for (const Vec3& v : velocities) CHECK(v == current);
}

TEST_CASE("turning the world turns the impulse, and the opposite motion gets the opposite one")
{
    const BodyModel model = cube();
    const Mat3d turn = rotation(Vec3d{1, -1, 2}, 1.0);
    const std::vector<Vec3> start = random_velocities(model, 1);
    const BodyState here = initial_state(model), there = initial_state(model, {.turn = turn, .move = {}});
    for (const float drag : {10.0f, 1e4f}) {
        std::vector<Vec3> plain = start, turned, opposite;
        for (const Vec3& v : start) {
            turned.push_back((turn * v.as<double>()).as<float>());
            opposite.push_back(-v);
        }
        MediumSurface surface(model);
        surface.apply({.drag = drag}, 0.003f, here.positions, plain);
        surface.apply({.drag = drag}, 0.003f, there.positions, turned);
        surface.apply({.drag = drag}, 0.003f, here.positions, opposite);
        for (std::size_t i = 0; i < start.size(); ++i) {
            CHECK(length(turn * plain[i].as<double>() - turned[i].as<double>()) < 1e-4);
            CHECK(length(plain[i] + opposite[i]) < 1e-6f);
        }
    }
}

TEST_CASE("no drag and no step is so large that the medium adds energy or turns a motion around")
{
    const BodyModel model = cube();
    const BodyState start = initial_state(model);
    const Vec3 current{0.5f, 0, -1};
    for (const float drag : {1.0f, 1e3f, 1e6f, 1e12f})
        for (const float dt : {1e-4f, 1.0f / 60, 1.0f}) {
            CAPTURE(drag);
            CAPTURE(dt);
            MediumSurface surface(model);
            std::vector<Vec3> velocities = random_velocities(model, 2);
            double before = energy(model, velocities, current);
            for (int step = 0; step < 20; ++step) {
                surface.apply({.drag = drag, .density = 0, .current = current}, dt, start.positions, velocities);
                const double after = energy(model, velocities, current);
                CHECK(after <= before * (1 + 1e-5));
                before = after;
            }
            std::vector<Vec3> flying(model.particle_count(), Vec3{0, 0, 5} + current);
            surface.apply({.drag = drag, .density = 0, .current = current}, dt, start.positions, flying);
            const Vec3d left = momentum(model, flying) - momentum(model, std::vector<Vec3>(flying.size(), current));
            CHECK(left.z >= 0);
        }
}

TEST_CASE("a particle that is no number does not reach beyond the triangles around it")
{
    const BodyModel model = cube();
    const BodyState start = initial_state(model);
    std::vector<Vec3> velocities(model.particle_count(), Vec3{1, 1, 1});
    velocities[0].x = std::numeric_limits<float>::quiet_NaN();
    MediumSurface(model).apply({.drag = 100}, 0.01f, start.positions, velocities);
    for (std::size_t i = 1; i < velocities.size(); ++i) CHECK(is_finite(velocities[i]));
}
