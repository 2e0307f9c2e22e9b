// Whole bodies in motion: adaptive against full, free fall, inversion, implicit steps, equilibrium.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "contact/shapes.h"
#include "fem/fem_model.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

struct Comparison {
    double rms = 0, mean_active = 0;
    double highest_energy = 0, first_energy = 0, jumps = 0;
};

/// The falling tet of the specification: speed 1 at the impact, 0.16 s.
Comparison fall(double tolerance, const Mat3d& turn)
{
    const BodyModel model = build_fem_model(fem_of(unit_tet(), 3));
    double lowest = 1e9;
    for (const Vec3d& p : model.rest_positions()) lowest = std::min(lowest, (turn * p).y);
    Comparison result;
    std::vector<Scene> scenes;
    for (const bool full : {false, true}) {
        Scene& scene = scenes.emplace_back(SceneSettings{.dt = 0.004, .substeps = 1});
        scene.add(Collider{.friction = 0, .restitution = 1});
        BodySettings settings;
        settings.measure = true;
        settings.fem.tolerance = tolerance;
        settings.fem.refinement = full ? Refinement::full : Refinement::residual;
        scene.add(model, settings, {.turn = turn, .move = {0, 0.002 - lowest, 0}}, {0, -1, 0});
    }
    double mass = 0;
    for (const double m : model.masses()) mass += m;
    for (int frame = 0; frame < 40; ++frame) {
        const StepReport report = scenes[0].step()[0];
        scenes[1].step();
        result.mean_active += report.fem.active_tets / 40.0;
        result.jumps += report.fem.energy_jumps;
        const double energy = report.kinetic_energy + report.elastic_energy + mass * 9.8 * report.center.y;
        if (frame == 0) result.first_energy = energy;
        result.highest_energy = std::max(result.highest_energy, energy);
    }
    double squares = 0;
    for (std::size_t i = 0; i < model.masses().size(); ++i) {
        const Vec3d d =
            (scenes[0].state(scenes[0].bodies()[0]).positions[i] - scenes[1].state(scenes[1].bodies()[0]).positions[i])
                .as<double>();
        squares += model.masses()[i] * dot(d, d);
    }
    result.rms = std::sqrt(squares / mass);
    return result;
}

int inverted_tets(const BodyModel& model, const BodyState& state)
{
    TetMesh now = std::get<TetMesh>(model.domain());
    for (std::size_t i = 0; i < now.vertices.size(); ++i) now.vertices[i] = state.positions[i].as<double>();
    int count = 0;
    for (const Int4& tet : now.tets) count += signed_volume(now, tet) <= 0;
    return count;
}

Grip hold(const BodyModel& model, const std::function<bool(Vec3d)>& where)
{
    Grip grip;
    for (std::size_t n = 0; n < model.particle_count(); ++n) {
        if (!where(model.rest_positions()[n])) continue;
        grip.particles.push_back(std::int32_t(n));
        grip.targets.push_back(model.rest_positions()[n].as<float>());
    }
    return grip;
}

}  // namespace

TEST_CASE("adaptive motion of the falling tet stays within a hundredth of an edge of the full one with fewer tets")
{
    const Mat3d turn = rotation(Vec3d{0.9, 0.2, 0.4}, 1.3);
    const Comparison coarse = fall(8e-3, turn), fine = fall(3e-3, turn);
    MESSAGE("tolerance 8e-3: rms ", coarse.rms, ", ", coarse.mean_active, " active; 3e-3: rms ", fine.rms, ", ",
            fine.mean_active, " active");
    CHECK(fine.rms < 0.01);
    CHECK(fine.mean_active < 100);
    CHECK(fine.rms < coarse.rms);
    CHECK(fine.mean_active > coarse.mean_active);
    CHECK(fine.jumps < 1e-5 * fine.first_energy);
    CHECK(fine.highest_energy < fine.first_energy * 1.01);
}

TEST_CASE("a coarse tet that fell on the floor comes to rest on many fine nodes")
{
    const BodyModel model = build_fem_model(fem_of(unit_tet(), 3));
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    scene.add(Collider{.friction = 0.4f, .restitution = 0.5f});
    BodySettings settings;
    settings.fem.tolerance = 0.01;
    scene.add(model, settings, {.turn = rotation(Vec3d{0.9, 0.2, 0.4}, 1.3), .move = {0, 1.5, 0}});
    const auto run = [&](int frames) {
        for (int frame = 0; frame < frames; ++frame) scene.step();
        return scene.state(scene.bodies()[0]).positions;
    };
    const std::vector<Vec3> before = run(900), after = run(7);
    double way = 0;
    for (std::size_t i = 0; i < before.size(); ++i) way = std::max(way, double(length(after[i] - before[i])));
    CHECK(way < 1e-4);
    CHECK(scene.step()[0].contact.contacts > 20);
}

TEST_CASE("in free fall one tet is active and nothing is strained")
{
    const BodyModel model = build_fem_model(fem_of(unit_tet(), 3));
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    BodySettings settings;
    settings.measure = true;
    scene.add(model, settings, {.turn = rotation(Vec3d{1, 1, 0}, 1.0), .move = {0, 5, 0}}, {1, 0, 0});
    for (int frame = 0; frame < 50; ++frame) {
        const StepReport report = scene.step()[0];
        CHECK(report.fem.active_tets == 1);
        CHECK(report.elastic_energy < 1e-9 * kMu);
    }
}

TEST_CASE("free fall is the parabola on any front, and does not strain")
{
    Fem fem = fem_of(unit_tet(), 3);
    fem.fronts = {{0, {}, {{{{-1, -1, -1}, {0.3, 0.3, 0.3}}, 3}}}};  // one corner fine, the rest coarse
    const BodyModel mixed = build_fem_model(fem), any = build_fem_model(fem_of(unit_tet(), 3));
    const Mat3d turn = rotation(Vec3d{1, 1, 0}, 1.0);
    const Vec3d start{0, 40, 0};
    for (const int kind : {0, 1, 2}) {
        CAPTURE(kind);
        const BodyModel& model = kind == 0 ? mixed : any;
        Scene scene({.dt = 1.0 / 60, .substeps = 1});
        BodySettings settings;
        if (kind == 2) settings.fem.refinement = Refinement::full;
        scene.add(model, settings, {.turn = turn, .move = start}, {1, 0, 0});
        int active = 0;
        for (int frame = 0; frame < 60; ++frame) active = scene.step()[0].fem.active_tets;
        CHECK((kind == 0 ? active > 8 && active < 300 : active == (kind == 1 ? 1 : 512)));
        double farthest = 0;
        for (std::size_t i = 0; i < model.particle_count(); ++i) {
            const Vec3d there = turn * model.rest_positions()[i] + start + Vec3d{1, -4.9, 0};
            farthest = std::max(farthest, length(scene.state(scene.bodies()[0]).positions[i].as<double>() - there));
        }
        CHECK(farthest < 4e-5);  // single precision 40 m from the origin, rounded once a step
    }
}

TEST_CASE("a bounce neither adds energy nor sinks in deeper at long steps")
{
    const BodyModel model = build_fem_model(fem_of(unit_tet(), 2));
    const Mat3d turn = rotation(Vec3d{0.9, 0.2, 0.4}, 1.3);
    double lowest = 1e9, mass = 0, deepest[2]{};
    for (const Vec3d& p : model.rest_positions()) lowest = std::min(lowest, (turn * p).y);
    for (const double m : model.masses()) mass += m;
    for (const int k : {0, 1}) {
        Scene scene({.dt = k ? 1.0 / 60 : 1.0 / 240, .substeps = 1});
        scene.add(Collider{.friction = 0, .restitution = 1});
        BodySettings settings;
        settings.measure = true;
        settings.fem.refinement = Refinement::full;
        scene.add(model, settings, {.turn = turn, .move = {0, 0.05 - lowest, 0}}, {0, -2, 0});
        double first = 0, highest = 0;
        for (int frame = 0; frame < (k ? 30 : 120); ++frame) {
            const StepReport report = scene.step()[0];
            const double energy = report.kinetic_energy + report.elastic_energy + mass * 9.8 * report.center.y;
            if (frame == 0) first = energy;
            highest = std::max(highest, energy);
            deepest[k] = std::max(deepest[k], double(report.contact.deepest));
        }
        CHECK(highest < 1.03 * first);
    }
    CHECK(deepest[1] < 1.5 * deepest[0]);
}

TEST_CASE("a body as fast as its own waves enters an obstacle by no more than can be seen, and is given no energy")
{
    constexpr double kSize = 1, kYoung = 1e5, kDensity = 1000, kGravity = 9.8, kTop = 2;  // m, Pa, kg/m^3, m/s^2, m
    for (const Integration integration : {Integration::explicit_steps, Integration::implicit_step})
        for (const bool ball : {false, true})
            for (const double speed : {5.0, 20.0}) {
                CAPTURE(int(integration));
                CAPTURE(ball);
                CAPTURE(speed);
                const BodyModel model =
                    build_fem_model(fem_of(make_bar({kSize, kSize, kSize}, {4, 4, 4}, {-kSize / 2, 0, -kSize / 2}), 0,
                                           {isotropic(kYoung, 0.35).value(), {}, kDensity}));
                Scene scene({.dt = 1.0 / 60, .substeps = 1});
                Collider floor{.friction = 0.5f}, other{.friction = 0.5f};
                floor.shape = Plane{{0, ball ? -kTop : 0.0, 0}};
                other.shape = Sphere{{0, -kSize / 2, 0}, kSize / 2};
                scene.add(floor);
                if (ball) scene.add(other);
                BodySettings settings;
                settings.measure = true;
                settings.fem.integration = integration;
                const Mat3d turn = rotation(normalized(Vec3d{1, 0.3, 2}), 0.6);
                double lowest = 1e9, mass = 0, height = 0;
                for (const Vec3d& p : model.rest_positions()) lowest = std::min(lowest, (turn * p).y);
                for (std::size_t i = 0; i < model.particle_count(); ++i) {
                    mass += model.masses()[i];
                    height += model.masses()[i] * ((turn * model.rest_positions()[i]).y + 0.02 - lowest + kTop);
                }
                const BodyId body =
                    scene.add(model, settings, {.turn = turn, .move = {0, 0.02 - lowest, 0}}, {0, -speed, 0});
                const double first = mass * speed * speed / 2 + kGravity * height;
                double deepest = 0, highest = 0, given = 0;
                constexpr int kFrames = 40;
                for (int frame = 0; frame < kFrames; ++frame) {
                    const StepReport report = scene.step()[0];
                    const double energy = report.kinetic_energy + report.elastic_energy + report.fem.contact_energy +
                                          mass * kGravity * (report.center.y + kTop);
                    highest = std::max(highest, energy);
                    for (const TouchEvent& touch : scene.touches()) given += double(touch.impulse * touch.normal.y);
                    for (const Vec3& p : scene.state(body).positions)
                        for (const Collider& collider : scene.colliders())
                            deepest = std::max(deepest, -contact::sample(collider, p).distance);
                }
                CHECK(deepest < 0.01 * kSize);
                CHECK(highest < 1.001 * first);
                if (ball) continue;  // the normal of a touch is one of many there
                const double gained = momentum(model, scene.state(body)).y + mass * (speed + kGravity * kFrames / 60);
                CHECK(given == doctest::Approx(gained).epsilon(0.01));
            }
}

TEST_CASE("a body turned inside out finds back to its shape")
{
    FemMaterial rubber{isotropic(1e4, 0.3).value(), {}, 1000};
    rubber.viscosity = rubber.elasticity * 0.003;
    const BodyModel model = build_fem_model(fem_of(make_bar({1, 1, 1}, {3, 3, 3}), 0, rubber));
    for (const int kind : {0, 1}) {
        CAPTURE(kind);
        Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {}});
        BodyState state = initial_state(model);
        std::mt19937 random(3);
        std::uniform_real_distribution<float> any(0, 1);
        for (std::size_t i = 0; i < state.positions.size(); ++i)
            state.positions[i] = kind ? Vec3{any(random), any(random), any(random)}  // all mixed up
                                      : Vec3{state.positions[i].x, state.positions[i].y * 0.02f, state.positions[i].z};
        BodySettings settings;
        settings.drag = 1;
        const BodyId body = scene.add(model, settings, state);
        for (int frame = 0; frame < 600; ++frame) scene.step();  // most are whole after 4 s, some after 6 s
        CHECK(inverted_tets(model, scene.state(body)) == 0);
        double farthest = 0;
        for (const Vec3& v : scene.state(body).velocities) farthest = std::max(farthest, double(length(v)));
        CHECK(farthest < 1);
        TetMesh now = std::get<TetMesh>(model.domain());
        for (std::size_t i = 0; i < now.vertices.size(); ++i)
            now.vertices[i] = scene.state(body).positions[i].as<double>();
        CHECK(volume(now) == doctest::Approx(1).epsilon(0.02));
    }
}

TEST_CASE("stiff bodies run at frame-rate steps when implicit, and come to the equilibrium of the static solve")
{
    FemMaterial stiff{isotropic(2e7, 0.3).value(), {}, 1000};
    const BodyModel model = build_fem_model(fem_of(make_bar({2, 0.5, 0.5}, {8, 2, 2}), 1, stiff));
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    BodySettings settings;
    settings.fem.integration = Integration::implicit_step;
    settings.contact.bodies = false;  // two in one place
    settings.fem.refinement = Refinement::full;
    settings.drag = 2;
    const BodyId body = scene.add(model, settings), still = scene.add(model, settings);
    for (const BodyId b : {body, still}) scene.grips(b).push_back(hold(model, [](Vec3d p) { return p.x < 1e-9; }));
    const auto settled = scene.settle(still);
    REQUIRE(settled);
    const std::vector<Vec3> equilibrium = scene.state(still).positions;
    int substeps = 0;
    for (int frame = 0; frame < 90; ++frame) substeps += scene.step()[0].fem.substeps;
    CHECK(substeps == 90);
    double sag = 0, off = 0;
    for (std::size_t i = 0; i < equilibrium.size(); ++i) {
        sag = std::max(sag, double(length(equilibrium[i] - model.rest_positions()[i].as<float>())));
        off = std::max(off, double(length(scene.state(body).positions[i] - equilibrium[i])));
    }
    CHECK(sag > 1e-3);
    CHECK(off < 0.03 * sag);
}

TEST_CASE("soft grips pull implicit bodies to the same equilibrium as the static solve, on any front")
{
    const FemMaterial stiff{isotropic(2e5, 0.3).value(), {}, 1000};
    const BodyModel model = build_fem_model(fem_of(make_bar({2, 0.5, 0.5}, {4, 1, 1}), 2, stiff));
    for (const Refinement refinement : {Refinement::full, Refinement::residual}) {
        Scene scene({.dt = 1.0 / 60, .substeps = 1});
        BodySettings settings;
        settings.fem.integration = Integration::implicit_step;
        settings.contact.bodies = false;  // two in one place
        settings.fem.refinement = refinement;
        settings.drag = 4;
        const BodyId body = scene.add(model, settings), still = scene.add(model, settings);
        for (const BodyId b : {body, still}) {
            Grip springs = hold(model, [](Vec3d p) { return p.x < 1e-9 || p.x > 2 - 1e-9; });
            springs.stiffness = 4000;
            scene.grips(b).push_back(springs);
        }
        REQUIRE(scene.settle(still));
        for (int frame = 0; frame < 150; ++frame) scene.step();
        double sag = 0, off = 0;
        for (std::size_t i = 0; i < model.masses().size(); ++i) {
            const Vec3 equilibrium = scene.state(still).positions[i];
            sag = std::max(sag, double(length(equilibrium - model.rest_positions()[i].as<float>())));
            off = std::max(off, double(length(scene.state(body).positions[i] - equilibrium)));
        }
        CHECK(sag > 0.1);
        // Adaptive, both have fronts of their own and lie within the tolerance of the full one.
        CHECK(off < (refinement == Refinement::full ? 0.02 : 0.1) * sag);
    }
}

TEST_CASE("a bar pulled by its ends stretches as the textbook says, at any level")
{
    const double young = 1e5, force = 40;
    Fem fem = fem_of(make_bar({4, 1, 1}, {4, 1, 1}, {0, 0, 0}), 1, {isotropic(young, 0).value(), {}, 1});
    for (const bool full : {false, true}) {
        const BodyModel model = build_fem_model(fem);
        Scene scene({.gravity = {}});
        BodySettings settings;
        settings.fem.refinement = full ? Refinement::full : Refinement::residual;
        const BodyId body = scene.add(model, settings);
        scene.grips(body).push_back(hold(model, [](Vec3d p) { return p.x < 1e-9; }));
        Push pull;  // shares of the area, by level-1 nodes: corners 1, edges 3, middle 6 of 24 at full resolution
        const auto rest = model.rest_positions();
        std::vector<double> area(rest.size(), 0.0);
        const TriMesh& skin = model.surface();
        std::vector<std::int32_t> vertex;
        boundary_surface(std::get<TetMesh>(model.domain()), &vertex);
        for (const Int3& t : skin.triangles) {
            const auto p = [&](std::size_t k) { return skin.vertices[std::size_t(t[k])]; };
            if (p(0).x < 4 - 1e-9 || p(1).x < 4 - 1e-9 || p(2).x < 4 - 1e-9) continue;
            for (const std::int32_t v : t)
                area[std::size_t(vertex[std::size_t(v)])] += length(cross(p(1) - p(0), p(2) - p(0))) / 6;
        }
        for (std::size_t n = 0; n < area.size(); ++n) {
            if (area[n] == 0) continue;
            Push one;
            one.particles = {std::int32_t(n)};
            one.force = {float(force * area[n]), 0, 0};
            scene.pushes(body).push_back(one);
        }
        REQUIRE(scene.settle(body));
        // Small strain: u = F L / (E A), with the Green strain's own correction.
        double end = 0;
        for (std::size_t n = 0; n < rest.size(); ++n)
            if (rest[n].x > 4 - 1e-9) end = std::max(end, double(scene.state(body).positions[n].x) - 4);
        CHECK(end == doctest::Approx(force * 4 / young).epsilon(0.005));
    }
}

TEST_CASE("a load beyond what the law can carry is held by the barrier")
{
    // A cantilever of halves 1 : 100, held at the soft end. Twice the load it bears is more than its law can carry: on
    // the way there its potential has no minimum left without tets that are turned inside out.
    for (const double heavy : {1.0, 2.0}) {
        Fem fem = fem_of(make_bar({4, 1, 1}, {8, 2, 2}, {}), 0);
        const Elasticity soft = isotropic(6e5, 0.3).value();
        fem.material = [&](const MaterialPlace& at) -> FemMaterial {
            return {at.position.x < 2 ? soft : soft * 100, {}, 1000};
        };
        const BodyModel model = build_fem_model(fem);
        Scene scene({.gravity = {0, float(-9.8 * heavy), 0}});
        const BodyId body = scene.add(model);
        Grip wall;
        for (std::size_t n = 0; n < model.particle_count(); ++n) {
            const Vec3d p = model.rest_positions()[n];
            if (p.x > 1e-9) continue;
            wall.particles.push_back(std::int32_t(n));
            wall.targets.push_back(p.as<float>());
        }
        scene.grips(body).push_back(wall);
        const auto settled = scene.settle(body);
        REQUIRE(settled);
        CHECK(settled->residual < 1e-8);
        const TetMesh& mesh = std::get<TetMesh>(model.domain());
        double smallest = 1;
        for (const Int4& tet : mesh.tets) {
            const auto edges = [&](const auto& at) { return Mat3d{at(1) - at(0), at(2) - at(0), at(3) - at(0)}; };
            const Mat3d rest = edges([&](std::size_t a) { return model.rest_positions()[std::size_t(tet[a])]; });
            const Mat3d now =
                edges([&](std::size_t a) { return scene.state(body).positions[std::size_t(tet[a])].as<double>(); });
            smallest = std::min(smallest, determinant(now) / determinant(rest));
        }
        CHECK(smallest > 0.05);
        CHECK((smallest < double(fem::kBarrierVolume)) == (heavy > 1));
    }
}

TEST_CASE("a body without viscosity that shakes in all its modes is not heated by its sub-steps")
{
    Fem fem = fem_of(unit_tet(), 3);
    fem.material = [](const MaterialPlace&) -> FemMaterial { return {isotropic_lame(kLambda, kMu), {}, kRho}; };
    const BodyModel model = build_fem_model(fem);
    BodyState start = initial_state(model);
    std::mt19937 random(4);
    std::normal_distribution<float> noise(0, 0.002f);
    for (Vec3& p : start.positions) p += Vec3{noise(random), noise(random), noise(random)};
    Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {}});
    BodySettings settings;
    settings.measure = true;
    settings.fem.refinement = Refinement::full;
    scene.add(model, settings, start);
    double first = 0, last = 0;
    for (int frame = 0; frame < 1200; ++frame) {
        const StepReport report = scene.step()[0];
        (frame < 600 ? first : last) += (report.kinetic_energy + report.elastic_energy) / 600;
    }
    CHECK(last < 1.05 * first);
    CHECK(last > 0.9 * first);
}

TEST_CASE("a vertex in no tet is left out with a warning and changes no bit of the motion")
{
    const Fem clean = fem_of(unit_tet(), 1);
    Fem loose = clean;
    loose.mesh.vertices.insert(loose.mesh.vertices.begin() + 2, Vec3d{9, 9, 9});
    for (Int4& tet : loose.mesh.tets)
        for (std::int32_t& v : tet) v += v >= 2;
    const BodyModel model = build_fem_model(loose);
    REQUIRE(model.warnings().size() == build_fem_model(clean).warnings().size() + 1);
    CHECK(model.warnings()[0] == "1 vertex in no tetrahedron was left out");
    const auto positions_of = [](const BodyModel& body) {
        Scene scene;
        scene.add(Collider{});
        scene.add(body, {}, Placement{.move = {0, 0.1, 0}});
        for (int k = 0; k < 30; ++k) scene.step();
        return scene.state(scene.bodies()[0]).positions;
    };
    CHECK(positions_of(model) == positions_of(build_fem_model(clean)));
}

TEST_CASE("bad meshes and bodies are refused with their places")
{
    const auto outcome = [](Fem fem) {
        BodySpec spec;
        spec.name = "b";
        spec.solid = std::move(fem);
        const auto model = build(std::move(spec));
        return model ? std::string("built") : model.error().message();
    };
    const auto says = [&](const Fem& fem, const char* part) { return outcome(fem).find(part) != std::string::npos; };
    Fem good = fem_of(unit_tet(), 1);
    CHECK(outcome(good) == "built");
    Fem turned_over = good;
    std::swap(turned_over.mesh.tets[0][0], turned_over.mesh.tets[0][1]);
    CHECK(outcome(turned_over) == "built");
    Fem flat = good;
    flat.mesh.vertices[3].z = 0;
    CHECK(says(flat, "body \"b\", "));
    CHECK(says(flat, "tet 0 is flat"));
    Fem twice = good;
    twice.mesh.tets.push_back(twice.mesh.tets[0]);
    CHECK(says(twice, "share"));
    Fem doubled = good;
    doubled.mesh.vertices.push_back({0.5, 0.3, -1});
    doubled.mesh.vertices.push_back(doubled.mesh.vertices[0]);
    doubled.mesh.tets.push_back({1, 2, 4, 5});
    CHECK(says(doubled, "vertices 0 and 5 are in one place"));
    Fem deep = good;
    deep.levels = 6;
    CHECK(says(deep, "6 is outside"));
    Fem unstable = good;
    unstable.material = [](const MaterialPlace&) -> FemMaterial { return {isotropic_lame(-5, 1), {}, 1}; };
    CHECK(says(unstable, "finest tet 0: is not positive definite"));
    Fem one_is_no_number = good;
    one_is_no_number.material = [](const MaterialPlace& at) -> FemMaterial {
        Elasticity tensor = isotropic_lame(1, 1);
        if (at.tet == 3) tensor.c[0] = std::numeric_limits<double>::quiet_NaN();
        return {tensor, {}, 1};
    };
    CHECK(says(one_is_no_number, "finest tet 3: a constant is not a finite number"));
    Fem weightless = good;
    weightless.material = [](const MaterialPlace&) -> FemMaterial { return {isotropic_lame(1, 1), {}, -1}; };
    CHECK(says(weightless, "density"));
    Fem bad_front = good;
    bad_front.fronts = {{0, {99}, {}}};
    CHECK(says(bad_front, "there is no tet 99"));
    Scene scene;
    const BodyId free = scene.add(build_fem_model(good));
    CHECK(scene.settle(free).error().what.find("free to move") != std::string::npos);
}

TEST_CASE(
    "a block that a blow presses flatter than a tet stays on the floor, inner nodes as far as surface springs yield")
{
    const BodyModel model = build_fem_model(fem_of(make_bar({10, 10, 10}, {6, 6, 6}, {-5, 0, -5}), 0,
                                                   {isotropic(1e5, 0.4).value(), isotropic(1000, 0.4).value(), 1000}));
    Scene scene({.dt = 1.0 / 60, .substeps = 5});
    scene.add(Collider{.friction = 0.5f});
    const BodyId body = scene.add(model, {}, {.turn = {}, .move = {0, 1, 0}}, {0, -8, 0});
    double lowest = 0, lowest_drawn = 0;
    for (int frame = 0; frame < 120; ++frame) {
        scene.step();
        for (const Vec3& p : scene.state(body).positions) lowest = std::min(lowest, double(p.y));
        for (const Vec3& p : scene.surface(body)) lowest_drawn = std::min(lowest_drawn, double(p.y));
    }
    MESSAGE("lowest ", lowest, " m, drawn ", lowest_drawn, " m");
    CHECK(lowest > -0.06 * 10);
    CHECK(lowest_drawn > -0.01 * 10);
}
