// Drag of the medium against the law integrated plainly in double, and what must hold for any step.
#include <doctest/doctest.h>

#include <random>

#include "bodies.h"
#include "sim/medium.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// The law itself: f = -k A |u| u n on every outer triangle, a third to each corner. Forces, N.
std::vector<Vec3d> drag_forces(const BodyModel& model, const Medium& medium, const std::vector<Vec3d>& x,
                               const std::vector<Vec3d>& v)
{
    std::vector<std::int32_t> particle_of;
    const TriMesh outer = boundary_surface(std::get<TetMesh>(model.domain()), &particle_of);
    std::vector<Vec3d> forces(x.size());
    for (const Int3& t : outer.triangles) {
        std::size_t c[3];
        for (std::size_t k = 0; k < 3; ++k) c[k] = std::size_t(particle_of[std::size_t(t[k])]);
        const Vec3d twice = cross(x[c[1]] - x[c[0]], x[c[2]] - x[c[0]]);
        const Vec3d n = normalized(twice);
        const double u = dot(n, (v[c[0]] + v[c[1]] + v[c[2]]) / 3.0 - medium.current.as<double>());
        for (const std::size_t i : c) forces[i] -= n * (double(medium.drag) * length(twice) / 2 * std::abs(u) * u / 3);
    }
    return forces;
}

std::vector<Vec3d> in_double(const std::vector<Vec3>& vectors)
{
    std::vector<Vec3d> out;
    for (const Vec3& v : vectors) out.push_back(v.as<double>());
    return out;
}

double energy(const BodyModel& model, const std::vector<Vec3d>& v)
{
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += model.masses()[i] * dot(v[i], v[i]) / 2;
    return sum;
}

struct Tumbling {
    BodyModel model = bar({0.5, 1.4, 0.5}, {3, 8, 3});
    std::vector<Vec3> x, v;
    Tumbling()
    {
        std::mt19937 random(5);
        std::uniform_real_distribution<float> u(-1, 1);
        const BodyState state = initial_state(model, {}, {1, -2, 0.5}, {1, 2, 3});
        x = state.positions, v = state.velocities;
        for (Vec3& p : x) p += Vec3{u(random), u(random), u(random)} * 0.03f;
        for (Vec3& p : v) p += Vec3{u(random), u(random), u(random)} * 0.5f;
    }
    std::vector<Vec3d> after(const Medium& medium, double dt) const
    {
        std::vector<Vec3> velocities = v;
        MediumSurface(model).apply(medium, float(dt), x, velocities);
        return in_double(velocities);
    }
};

}  // namespace

TEST_CASE("a step in a medium differs from many short ones by its square, from the plain law by far less")
{
    const Tumbling body;
    const Medium medium{.drag = 300, .density = 0, .current = {0.3f, 0, 0.2f}};
    const std::vector<Vec3d> x = in_double(body.x), v = in_double(body.v);
    double last = 0;
    for (const double dt : {0.008, 0.004, 0.002}) {
        std::vector<Vec3d> exact = v, plain = v;
        constexpr int kShort = 1000;
        for (int k = 0; k < kShort; ++k) {
            const std::vector<Vec3d> f = drag_forces(body.model, medium, x, exact);
            for (std::size_t i = 0; i < f.size(); ++i) exact[i] += f[i] * (dt / kShort / body.model.masses()[i]);
        }
        const std::vector<Vec3d> f = drag_forces(body.model, medium, x, v);
        for (std::size_t i = 0; i < f.size(); ++i) plain[i] += f[i] * (dt / body.model.masses()[i]);
        const std::vector<Vec3d> ours = body.after(medium, dt);
        double changed = 0, from_exact = 0, from_plain = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            changed = std::max(changed, length(plain[i] - v[i]));
            from_exact = std::max(from_exact, length(ours[i] - exact[i]));
            from_plain = std::max(from_plain, length(ours[i] - plain[i]));
        }
        CAPTURE(dt);
        if (last > 0) CHECK(from_exact < 0.3 * last);
        last = from_exact;
        if (dt == 0.002) {
            CHECK(changed > 0.05);
            CHECK(from_plain < 1e-3 * changed);
        }
    }
}

TEST_CASE("no step in a medium, however long, turns a motion around or adds energy to it")
{
    const Tumbling body;
    for (const float drag : {1.0f, 1e3f, 1e6f, 1e12f, 1e30f})
        for (const double dt : {0.001, 0.1, 10.0}) {
            const Medium medium{.drag = drag, .density = 0, .current = {0.3f, 0, 0.2f}};
            std::vector<Vec3d> before = in_double(body.v), after = body.after(medium, dt);
            double along = 0;
            for (std::size_t i = 0; i < before.size(); ++i) {
                before[i] -= medium.current.as<double>(), after[i] -= medium.current.as<double>();
                along += body.model.masses()[i] * dot(before[i], after[i]);
            }
            CAPTURE(drag);
            CAPTURE(dt);
            CHECK(energy(body.model, after) <= energy(body.model, before) * (1 + 1e-6));
            CHECK(along >= energy(body.model, after) * 2 * (1 - 1e-5));  // all factors lie between 0 and 1
        }
    // A body that goes straight ahead does not come back.
    Tumbling straight;
    for (Vec3& v : straight.v) v = {0, -2, 0};
    for (const Vec3d& v : straight.after({.drag = 1e12f, .density = 0, .current = {}}, 0.1)) CHECK(v.y < 1e-6);
}
