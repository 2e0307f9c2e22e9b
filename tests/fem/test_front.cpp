// The forest, fronts with hanging nodes, the mass matrix and level changes.
#include <doctest/doctest.h>

#include <set>

#include "fem/advance.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A random set of splits in which split tets have split parents.
std::vector<std::int32_t> random_splits(const fem::TetForest& forest, std::mt19937& random, double share)
{
    std::bernoulli_distribution coin(share);
    std::vector<std::int32_t> splits(forest.inner_count(), 0);
    for (std::int32_t t = 0; t < std::int32_t(forest.inner_count()); ++t) {
        const std::int32_t parent = forest.parent(t);
        if (parent < 0 || splits[std::size_t(parent)]) splits[std::size_t(t)] = coin(random);
    }
    return splits;
}

fem::FemModel model_of(const Fem& fem)
{
    std::vector<std::string> warnings;
    return std::move(fem::build_fem(fem, 1, warnings).value().model);
}

/// All active tets of a front as a body would hold them.
ForcedFront forced(double time, std::vector<std::int32_t> splits, const fem::TetForest& forest)
{
    ForcedFront front;
    front.time = time;
    for (std::size_t t = 0; t < splits.size(); ++t)
        if (splits[t]) front.tets.push_back(forest.first_child(std::int32_t(t)));
    return front;
}

}  // namespace

TEST_CASE("a forest has the counts, volumes and shared midpoints of red subdivision")
{
    const fem::TetForest one(unit_tet(), 3);
    CHECK(one.count_of(1) == 8);
    CHECK(one.count_of(3) == 512);
    CHECK(one.node_count() == 165);
    const fem::TetForest bar(make_bar({2, 1, 1}, {2, 1, 1}), 2);
    for (std::int32_t t = 0; t < std::int32_t(bar.inner_count()); ++t)
        for (std::int32_t c = bar.first_child(t); c < bar.first_child(t) + 8; ++c) {
            CHECK(fem::shape_of(bar.corners(c)).volume ==
                  doctest::Approx(fem::shape_of(bar.corners(t)).volume / 8).epsilon(1e-9));
            CHECK(bar.parent(c) == t);
        }
    // Every node of the finest level is in its own place.
    std::set<std::array<double, 3>> places;
    for (const Vec3d& p : bar.rest()) places.insert({p.x, p.y, p.z});
    CHECK(places.size() == bar.node_count());
    // A closed surface: the finest level conforms.
    const TriMesh outside = boundary_surface(bar.finest());
    CHECK(signed_volume(outside) == doctest::Approx(2.0).epsilon(1e-9));
    CHECK(outside.triangles.size() == 10 * 2 * 16);
}

TEST_CASE("every node of the forest rests on a few used ones that lie around it")
{
    std::mt19937 random(11);
    const fem::FemModel model = model_of(fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 4));
    for (const double share : {0.0, 0.25, 0.5, 0.8}) {
        fem::Front front(model);
        front.rebuild(model, random_splits(model.forest, random, share), false);
        fem::Nodal places(4 * front.used.size());
        for (std::size_t k = 0; k < front.used.size(); ++k)
            fem::put(places, k, model.forest.rest()[std::size_t(front.used[k])].as<float>());
        double worst = 0;
        for (std::int32_t n = 0; n < std::int32_t(model.forest.node_count()); ++n) {
            const fem::Support support = front.support(model.forest, n);
            REQUIRE(support.count >= 1);
            REQUIRE(support.count <= 4);
            const Vec3d way = support.mean(places).as<double>() - model.forest.rest()[std::size_t(n)];
            worst = std::max(worst, length(way));
        }
        CHECK(worst < 1e-6);
    }
}

TEST_CASE("random fronts pass the patch test with random tensors and finite strain")
{
    std::mt19937 random(5);
    for (int round = 0; round < 6; ++round) {
        const Elasticity tensor = random_elasticity(random);
        const fem::FemModel model = model_of(fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 2, {tensor, {}, 1}));
        const auto splits = random_splits(model.forest, random, 0.4);
        fem::Front front(model);
        front.rebuild(model, splits, false);
        REQUIRE(front.hanging_nodes.size() > 10);
        // An affine map: free nodes inside must feel no force.
        const Mat3d A{{1.2, 0.1, 0}, {-0.2, 0.9, 0.1}, {0.05, 0, 1.1}};
        fem::Nodal x(4 * front.used.size()), f(x.size());
        for (std::size_t k = 0; k < front.used.size(); ++k)
            fem::put(x, k, (A * model.forest.rest()[std::size_t(front.used[k])]).as<float>());
        front.forces(model, x, x, true, f, nullptr);
        front.restrict_to_free(f);
        float inside = 0, outside = 0;
        for (std::size_t k = 0; k < front.used.size(); ++k) {
            if (!front.is_free[k]) continue;
            const Vec3d p = model.forest.rest()[std::size_t(front.used[k])];
            const bool on =
                p.x < 1e-9 || p.y < 1e-9 || p.z < 1e-9 || p.x > 2 - 1e-9 || p.y > 1 - 1e-9 || p.z > 1 - 1e-9;
            float& largest = on ? outside : inside;
            largest = std::max(largest, length(fem::get(f, k)));
        }
        CHECK(inside < 1e-5f * outside);
    }
}

TEST_CASE("the mass of any front has the total, centre and inertia of the finest level")
{
    std::mt19937 random(6);
    Fem fem = fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 2);
    fem.material = [](const MaterialPlace& at) -> FemMaterial {
        return {isotropic_lame(1, 1), {}, at.position.x < 1 ? 1.0 : 3.0};
    };
    const fem::FemModel model = model_of(fem);
    fem::Front front(model);
    const auto measure = [&](const std::vector<std::int32_t>& splits) {
        front.rebuild(model, splits, false);
        fem::Nodal x(4 * front.used.size(), 0.0f), v(x.size(), 0.0f);
        for (std::size_t k = 0; k < front.used.size(); ++k) {
            const Vec3d p = model.forest.rest()[std::size_t(front.used[k])];
            fem::put(x, k, p.as<float>());
            fem::put(v, k, cross(Vec3d{1, 2, 3}, p).as<float>());
        }
        return fem::Tally().momentum(front, x, v, {});
    };
    const auto fine = measure(std::vector<std::int32_t>(model.forest.inner_count(), 1));
    for (int round = 0; round < 5; ++round) {
        const auto m = measure(random_splits(model.forest, random, 0.3 * round));
        CHECK(length(m.linear - fine.linear) < 1e-5 * length(fine.linear));
        CHECK(length(m.angular - fine.angular) < 1e-5 * length(fine.angular));
        CHECK(m.kinetic == doctest::Approx(fine.kinetic).epsilon(1e-5));
        CHECK(length(m.center - fine.center) < 1e-5);
        CHECK(length(m.inertia.c0 - fine.inertia.c0) < 1e-5 * length(fine.inertia.c0));
    }
}

TEST_CASE(
    "free flight through forced random level changes keeps both momenta and the centre, and the energy never rises")
{
    std::mt19937 random(7);
    for (const bool mixed : {false, true}) {
        CAPTURE(mixed);
        Fem fem = fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 2);
        if (mixed)
            fem.material = [](const MaterialPlace& at) -> FemMaterial {
                const double stiff = std::fmod(at.position.x * 4, 2.0) < 1 ? 100.0 : 1.0;
                return {isotropic_lame(kLambda * stiff, kMu * stiff), {}, kRho};
            };
        const fem::TetForest forest(fem.mesh, fem.levels);
        double time = 0;
        for (int k = 0; k < 12; ++k, time += 0.01)
            fem.fronts.push_back(forced(time, random_splits(forest, random, k % 3 * 0.4), forest));
        const BodyModel model = build_fem_model(fem);
        Scene scene({.dt = 0.01, .substeps = 1, .gravity = {}});
        BodySettings settings;
        settings.measure = true;
        BodyState start = initial_state(model, {}, {0.5, 0.2, 0}, {3, 5, 1});
        for (std::size_t i = 0; i < start.positions.size(); ++i) start.positions[i].x *= 1.1f;  // it vibrates
        const Vec3d p = momentum(model, start), l = spin_of(model, start), c = center(model, start);
        const BodyId body = scene.add(model, settings, start);
        double energy = 0, mass = 0;
        for (const double m : model.masses()) mass += m;
        for (int frame = 0; frame < 12; ++frame) {
            const StepReport report = scene.step()[0];
            const double now = report.kinetic_energy + report.elastic_energy;
            if (frame > 0) CHECK(now < energy * 1.03);  // ripple of the explicit step
            if (frame == 0) energy = now;
            CHECK(report.fem.energy_jumps < 1e-5 * energy);
            CHECK(length(momentum(model, scene.state(body)) - p) < 1e-6 * length(p));
            CHECK(length(spin_of(model, scene.state(body)) - l) < 1e-6 * length(l));
            CHECK(length(center(model, scene.state(body)) - (c + p * (scene.time() / mass))) < 2e-6);
        }
    }
}

TEST_CASE("a body that falls far from the origin keeps its spin through many level changes")
{
    std::mt19937 random(8);
    Fem fem = fem_of(unit_tet(), 3);
    const fem::TetForest forest(fem.mesh, fem.levels);
    for (int k = 0; k < 20; ++k)
        fem.fronts.push_back(forced(0.05 * k, random_splits(forest, random, k % 3 * 0.4), forest));
    const BodyModel model = build_fem_model(fem);
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    const BodyId body = scene.add(model, {}, {.turn = {}, .move = {0, 40, 0}}, {1, 2, 0.5}, {3, 5, -2});
    const Vec3d l = spin_of(model, scene.state(body));
    for (int frame = 0; frame < 60; ++frame) {
        scene.step();
        CHECK(length(spin_of(model, scene.state(body)) - l) < 1e-6 * length(l));
    }
}

TEST_CASE("the same bits for any number of threads, level changes included")
{
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 8}) {
        Scene scene({.dt = 1.0 / 60, .substeps = 1, .threads = threads});
        Fem fem = fem_of(make_bar({2, 1, 1}, {3, 2, 2}), 2);
        BodySettings settings;
        scene.add(build_fem_model(fem), settings, {.turn = rotation(Vec3d{1, 0, 0}, 0.5), .move = {0, 0.2, 0}},
                  {0, -2, 0});
        scene.add(Collider{});
        for (int frame = 0; frame < 10; ++frame) scene.step();
        hashes.push_back(scene.hash());
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] == hashes[2]);
}

TEST_CASE("a body that spins and shakes follows the fronts it is given, up and down, without gaining energy")
{
    Fem fem = fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 2);
    fem.material = [](const MaterialPlace& at) {
        return FemMaterial{isotropic(at.position.x < 1 ? 2e5 : 2e6, 0.3).value(), {}, 1000};
    };
    const Box3 left{{-1, -1, -1}, {1, 2, 2}}, all{{-1, -1, -1}, {3, 2, 2}};
    using Asked = std::tuple<double, Box3, int>;
    for (const auto& [time, box, level] :
         {Asked{0.0, all, 0}, {0.2, left, 2}, {0.4, all, 0}, {0.8, all, 2}, {1.0, left, 1}}) {
        ForcedFront& front = fem.fronts.emplace_back();
        front.time = time;
        if (level > 0) front.boxes.push_back({box, level});
    }
    const BodyModel model = build_fem_model(fem);
    Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {}});
    BodySettings settings;
    settings.measure = true;
    settings.fem.safety = 0.1;  // sub-steps make the energy go up and down with their length
    const BodyId body = scene.add(model, settings);
    BodyState& state = scene.state(body);
    for (std::size_t i = 0; i < state.positions.size(); ++i)
        state.velocities[i] = cross(Vec3{0.4f, 0.2f, 0.6f}, state.positions[i]) + Vec3{1, 2, 0.5f} +
                              Vec3{1.5f * (state.positions[i].x - 1), 0, 0};
    const Vec3d linear = momentum(model, state), angular = spin_of(model, state);
    std::vector<int> active;
    double start = 0, most = 0;
    for (int frame = 0; frame < 84; ++frame) {
        const StepReport report = scene.step()[0];
        const double energy = report.kinetic_energy + report.elastic_energy;
        if (frame == 0) start = energy;
        most = std::max(most, energy);
        if (active.empty() || active.back() != report.fem.active_tets) active.push_back(report.fem.active_tets);
        CHECK(report.fem.energy_jumps <= 1e-6 * start);
    }
    REQUIRE(active.size() == 5);
    CHECK(active[0] == 10);
    CHECK(active[1] > 80);
    CHECK(active[2] == 10);
    CHECK(active[3] == 640);
    CHECK(active[4] <= 80);
    CHECK(most < 1.003 * start);
    CHECK(length(momentum(model, scene.state(body)) - linear) < 1e-6 * length(linear));
    const double passing_by = length(linear) * 1.0;  // kg m^2/s: what the flight has about a point a metre away
    CHECK(length(spin_of(model, scene.state(body)) - angular) < 1e-6 * (length(angular) + passing_by));
}
