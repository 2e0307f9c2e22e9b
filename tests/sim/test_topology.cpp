#include <doctest/doctest.h>

#include <random>

#include "sim/bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A bar that tumbles and bends, and is held at nothing.
Scene tumbling(const BodyModel& model)
{
    Scene scene(SceneSettings{.gravity = {0, -3, 0}});
    scene.add(model, {.matching = {.alpha = 0.3f}}, {.move = {1, 2, 3}}, {0.5, 0, 0.2}, {2, 5, 1});
    for (int k = 0; k < 40; ++k) scene.step();
    return scene;
}

Vec3d momentum(const Scene& scene, BodyId body)
{
    Vec3d sum;
    const auto masses = scene.model(body).masses();
    for (std::size_t i = 0; i < masses.size(); ++i) sum += scene.state(body).velocities[i].as<double>() * masses[i];
    return sum;
}

TetMesh mesh_of(const BodyModel& model)
{
    return std::get<TetMesh>(model.domain());
}

BodyModel matching(TetMesh mesh)
{
    BodySpec spec;
    spec.solid = Matching{std::move(mesh)};
    return build(spec).value();
}

/// The same mesh with its vertices in another order.
TetMesh renumbered(const TetMesh& mesh, std::vector<std::int32_t>& origin)
{
    origin.resize(mesh.vertices.size());
    std::iota(origin.begin(), origin.end(), 0);
    std::shuffle(origin.begin(), origin.end(), std::mt19937(7));
    std::vector<std::int32_t> now(origin.size());
    TetMesh other = mesh;
    for (std::size_t i = 0; i < origin.size(); ++i) {
        now[std::size_t(origin[i])] = std::int32_t(i);
        other.vertices[i] = mesh.vertices[std::size_t(origin[i])];
    }
    for (Int4& tet : other.tets)
        for (std::int32_t& v : tet) v = now[std::size_t(v)];
    return other;
}

}  // namespace

TEST_CASE("a renumbered mesh is recognised by its places at rest, and goes on as if nothing had happened")
{
    const BodyModel model = bar({0.6, 0.2, 0.2}, {6, 2, 2});
    Scene scene = tumbling(model), untouched = tumbling(model);
    const BodyId body = scene.bodies()[0];
    std::vector<std::int32_t> origin;
    const BodyModel other = matching(renumbered(mesh_of(model), origin));
    const TopologyChange change = scene.replace(body, other).value();
    CHECK(change.origin == origin);
    CHECK(change.kept == origin.size());
    CHECK(change.split + change.gone + change.added == 0);
    for (int k = 0; k < 20; ++k) {
        scene.step();
        untouched.step();
    }
    double worst = 0;
    for (std::size_t i = 0; i < origin.size(); ++i)
        worst =
            std::max(worst, double(length(scene.state(body).positions[i] -
                                          untouched.state(untouched.bodies()[0]).positions[std::size_t(origin[i])])));
    CHECK(worst < 1e-4);  // sums in another order
}

TEST_CASE("a finer mesh takes over the motion in flight without a jump")
{
    const BodyModel coarse = bar({0.6, 0.2, 0.2}, {6, 2, 2}), fine = bar({0.6, 0.2, 0.2}, {12, 4, 4});
    Scene scene = tumbling(coarse);
    const BodyId body = scene.bodies()[0];
    const auto skin_of = [&] {
        const std::span<const Vec3> surface = scene.surface(body);
        Box3 box;
        for (const Vec3& p : surface) box.add(p.as<double>());
        return box;
    };
    const Vec3d center = center_of_mass(scene, body), drift = momentum(scene, body);
    const double error = shape_error(scene, body);
    const Box3 before = skin_of();
    const TopologyChange change = scene.replace(body, fine).value();
    CHECK(scene.contains(body));
    CHECK(change.kept == coarse.particle_count());
    CHECK(change.added == fine.particle_count() - coarse.particle_count());
    CHECK(change.gone == 0);
    CHECK(length(center_of_mass(scene, body) - center) < 1e-3);
    CHECK(length(momentum(scene, body) - drift) < 0.01 * length(drift));
    CHECK(length(skin_of().low - before.low) < 1e-3);
    CHECK(length(skin_of().high - before.high) < 1e-3);
    CHECK(shape_error(scene, body) < 2 * error);
    const Vec3d place = center_of_mass(scene, body);
    const StepReport report = scene.step()[0];
    CHECK(report.repaired_particles == 0);
    CHECK(report.inverted == 0);
    const Vec3d moved = center_of_mass(scene, body) - place, expected = drift / 24.0 / 60.0;  // 24 kg
    CHECK(length(moved - expected) < 2e-3);
}

TEST_CASE("split particles start at the place of the one they come from, with its velocity")
{
    // Two tets that share a face, then the same two apart.
    TetMesh joined;
    joined.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    joined.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    if (signed_volume(joined, joined.tets[1]) < 0) std::swap(joined.tets[1][0], joined.tets[1][1]);
    TetMesh apart = joined;
    apart.vertices.insert(apart.vertices.end(), {joined.vertices[1], joined.vertices[2], joined.vertices[3]});
    for (std::int32_t& v : apart.tets[1])
        if (v < 4) v += 4;
    const BodyModel before = matching(joined), after = matching(apart);
    Scene scene(SceneSettings{.gravity = {}});
    const BodyId body = scene.add(before, {}, {}, {}, {0, 3, 1});
    scene.grips(body).push_back({{2}, {{0, 2, 0}}, {}, 50.0f});
    for (int k = 0; k < 10; ++k) scene.step();
    const BodyState old = scene.state(body);
    const std::vector<std::int32_t> origin{0, 1, 2, 3, 4, 1, 2, 3};
    const TopologyChange change = topology_change(origin, 5).value();
    CHECK(change.kept == 2);
    CHECK(change.split == 3);
    REQUIRE(scene.replace(body, after, change));
    for (std::size_t i = 0; i < origin.size(); ++i) {
        CHECK(scene.state(body).positions[i] == old.positions[std::size_t(origin[i])]);
        CHECK(scene.state(body).velocities[i] == old.velocities[std::size_t(origin[i])]);
    }
    CHECK(scene.grips(body)[0].particles == std::vector<std::int32_t>{2, 6});
    CHECK(scene.grips(body)[0].targets.size() == 2);
    for (int k = 0; k < 60; ++k) scene.step();
    for (const Vec3& p : scene.state(body).positions) CHECK(is_finite(p));
}

TEST_CASE("a change that names particles which do not exist is refused and nothing is lost")
{
    const BodyModel model = bar({0.6, 0.2, 0.2}, {6, 2, 2});
    Scene scene = tumbling(model);
    const BodyId body = scene.bodies()[0];
    const std::uint64_t hash = scene.hash();
    CHECK_FALSE(topology_change({0, 5}, 5));
    CHECK_FALSE(topology_change({-2}, 5));
    TopologyChange wrong;
    wrong.origin.assign(model.particle_count(), 100'000);
    CHECK_FALSE(scene.replace(body, model, wrong));
    wrong.origin.assign(3, 0);
    CHECK_FALSE(scene.replace(body, model, wrong));
    CHECK(scene.hash() == hash);
}

TEST_CASE("what held only particles that are gone holds nothing, and pushes nothing")
{
    const TopologyChange change = topology_change({0, 1}, 3).value();
    const Grip grip = carry_grip({{2}, {{1, 1, 1}}, {}, 0}, change);
    CHECK(grip.particles.empty());
    CHECK(grip.targets.empty());
    const Push push = carry_push({{2}, {1, 0, 0}, {}}, change);
    CHECK_FALSE(push.particles.empty());  // an empty list would mean all
    CHECK(push.particles == std::vector<std::int32_t>{TopologyChange::kNew});
    CHECK(carry_push({{}, {1, 0, 0}, {}}, change).particles.empty());
}

TEST_CASE("a finite-element body refined in flight goes on without a jump of energy")
{
    const auto model = [](int cells) {
        BodySpec spec;
        Fem fem;
        fem.mesh = make_bar({0.6, 0.2, 0.2}, {cells, cells / 3, cells / 3});
        fem.material = [](const MaterialPlace&) { return FemMaterial{isotropic(2e5, 0.3).value(), {}, 0, {}}; };
        spec.solid = fem;
        return build(spec).value();
    };
    Scene scene(SceneSettings{.gravity = {}});
    const BodyId body = scene.add(model(6), {}, {}, {1, 0, 0}, {3, 8, 0});
    scene.body_settings(body).measure = true;
    for (int k = 0; k < 30; ++k) scene.step();
    const StepReport before = scene.step()[0];
    const Vec3d center = center_of_mass(scene, body);
    REQUIRE(scene.replace(body, model(12)));
    CHECK(length(center_of_mass(scene, body) - center) < 1e-3);
    const StepReport after = scene.step()[0];
    CHECK(after.repaired_particles == 0);
    const double energy_before = before.kinetic_energy + before.elastic_energy;
    CHECK(after.kinetic_energy + after.elastic_energy < 1.1 * energy_before);
    CHECK(after.kinetic_energy > 0.9 * before.kinetic_energy);
}

TEST_CASE("a body that was made much longer follows the motion of the whole, undeformed")
{
    Scene scene = tumbling(bar({0.6, 0.2, 0.2}, {6, 2, 2}));
    const BodyId body = scene.bodies()[0];
    const Vec3d speed = momentum(scene, body) / 24.0;
    REQUIRE(scene.replace(body, bar({3.0, 0.2, 0.2}, {30, 2, 2})));
    CHECK(shape_error(scene, body) < 1e-5);
    CHECK(inverted_tets(scene, body) == 0);
    CHECK(length(momentum(scene, body) / 120.0 - speed) < 1e-4);
    const StepReport report = scene.step()[0];
    CHECK(report.repaired_particles + report.inverted == 0);
}
