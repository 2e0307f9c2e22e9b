#include <doctest/doctest.h>

#include <random>

#include "bodies.h"
#include "../matching/brute_force.h"

using namespace yawara;
using namespace yawara::test;

TEST_CASE("free fall follows y = -g h^2 k (k + 1) / 2")
{
    SceneSettings settings = weightless();
    settings.gravity = {0, -9.8f, 0};
    Scene scene(settings);
    scene.add(bar());
    const double start = center_of_mass(scene).y;
    for (int k = 1; k <= 100; ++k) {
        scene.substep();
        const double expected = -9.8 * settings.dt * settings.dt * k * (k + 1) / 2;
        CHECK(center_of_mass(scene).y - start == doctest::Approx(expected).epsilon(1e-4));
    }
    CHECK(shape_error(scene) < 1e-5);
}

TEST_CASE("a body that flies and turns rigidly is not deformed")
{
    Scene scene(weightless());
    BodySettings settings;
    settings.matching.damping = 0.03f;
    scene.add(bar(), settings, {}, {3, 2, 1}, {0.5, 0.2, -0.4});
    for (int k = 0; k < 300; ++k) scene.substep();
    // A spinning elastic body is a little longer than at rest: strain of the order of (spin * step)^2.
    CHECK(shape_error(scene) < 1e-4);
}

TEST_CASE("one step with alpha 1 from rest lands on the goals of the brute-force pass")
{
    for (const int passes : {1, 3}) {
        const BodyModel model = bar({0.5, 1.4, 0.5}, {2, 6, 2});
        Scene scene(weightless());
        BodySettings settings;
        settings.matching.damping = 0;
        settings.matching.passes = passes;
        settings.matching.align = false;
        BodyState state = initial_state(model);
        std::mt19937 random(4);
        std::normal_distribution<float> normal(0, 0.03f);
        for (Vec3& p : state.positions) p += {normal(random), normal(random), normal(random)};
        std::vector<Eigen::Vector3d> x, rest;
        for (std::size_t i = 0; i < state.positions.size(); ++i) {
            x.push_back(brute::eigen(state.positions[i].as<double>()));
            rest.push_back(brute::eigen(model.rest_positions()[i]));
        }
        const std::vector<double> masses(model.masses().begin(), model.masses().end());
        for (int k = 0; k < passes; ++k)
            x = brute::goals(brute::rings(std::get<TetMesh>(model.domain())), rest, masses, x);
        scene.add(model, settings, state);
        scene.substep();
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3 p = scene.state(scene.bodies()[0]).positions[i];
            CHECK((Eigen::Vector3d(p.x, p.y, p.z) - x[i]).norm() < 1e-5);
        }
    }
}

TEST_CASE("100 steps with gravity, pins and damping follow a brute-force run in double")
{
    const BodyModel model = bar({0.4, 0.4, 1.2}, {2, 2, 6});
    SceneSettings settings = weightless();
    settings.gravity = {1, -9.8f, 0.5f};
    Scene scene(settings);
    BodySettings body;
    body.matching.alpha = 0.7f;
    scene.add(model, body);
    Grip grip;
    for (std::size_t i = 0; i < model.particle_count(); ++i)
        if (model.rest_positions()[i].z < 1e-9) {
            grip.particles.push_back(std::int32_t(i));
            grip.targets.push_back(scene.state(scene.bodies()[0]).positions[i]);
        }
    scene.grips(scene.bodies()[0]).push_back(grip);

    const auto n = model.particle_count();
    std::vector<Eigen::Vector3d> rest, x, v(n, Eigen::Vector3d::Zero());
    for (const Vec3d& p : model.rest_positions()) rest.push_back(brute::eigen(p));
    x = rest;
    const std::vector<double> m(model.masses().begin(), model.masses().end());
    std::vector<double> free = m;
    for (const int i : grip.particles) free[std::size_t(i)] = 0;
    const auto rings = brute::rings(std::get<TetMesh>(model.domain()));
    const double h = settings.dt;
    const Eigen::Vector3d gravity(1, -9.8, 0.5);
    for (int step = 0; step < 100; ++step) {
        scene.substep();

        const auto g = brute::goals(rings, rest, m, x);
        Eigen::Vector3d center = Eigen::Vector3d::Zero(), velocity = center, angular = center;
        Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
        double mass = 0;
        for (std::size_t i = 0; i < n; ++i) center += free[i] * x[i], velocity += free[i] * v[i], mass += free[i];
        center /= mass;
        velocity /= mass;
        for (std::size_t i = 0; i < n; ++i) {
            const Eigen::Vector3d p = x[i] - center;
            angular += free[i] * p.cross(v[i]);
            inertia += free[i] * (p.squaredNorm() * Eigen::Matrix3d::Identity() - p * p.transpose());
        }
        const Eigen::Vector3d spin = inertia.inverse() * angular;
        for (std::size_t i = 0; i < n; ++i) {
            v[i] += 0.03 * (velocity + spin.cross(x[i] - center) - v[i]) + 0.7 * (g[i] - x[i]) / h + h * gravity;
            x[i] += h * v[i];
        }
        for (const int i : grip.particles) x[std::size_t(i)] = rest[std::size_t(i)], v[std::size_t(i)].setZero();
    }
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 p = scene.state(scene.bodies()[0]).positions[i];
        worst = std::max(worst, (Eigen::Vector3d(p.x, p.y, p.z) - x[i]).norm());
    }
    CHECK(worst < 2e-4);
    CHECK(scene.state(scene.bodies()[0]).positions.back().y < 0.4f - 0.05f);  // it did sag
}

TEST_CASE("a released body keeps both momenta, with several passes too")
{
    for (const int passes : {1, 6}) {
        Scene scene(weightless());
        BodySettings settings;
        settings.matching.passes = passes;
        settings.matching.region_damping = 0.05f;
        scene.add(bar(), settings);
        const Vec3d center = center_of_mass(scene);
        for (std::size_t i = 0; i < scene.state(scene.bodies()[0]).positions.size(); ++i) {
            Vec3& p = scene.state(scene.bodies()[0]).positions[i];
            p = {p.x + 0.3f * p.y * p.y, p.y, p.z + 0.1f * std::sin(4 * p.y)};
        }
        const Vec3d before = center_of_mass(scene);
        for (int k = 0; k < 600; ++k) scene.substep();
        const Vec3d spin = angular_momentum(scene);
        CHECK(length(center_of_mass(scene) - before) < 1e-4);
        CHECK(length(center - before) > 0.01);  // the start was really displaced
        double inertia = 0;
        for (std::size_t i = 0; i < scene.model(scene.bodies()[0]).particle_count(); ++i) {
            const Vec3d p = scene.state(scene.bodies()[0]).positions[i].as<double>() - center_of_mass(scene);
            inertia += scene.model(scene.bodies()[0]).masses()[i] * dot(p, p);
        }
        CHECK(length(spin) / inertia < 1e-3);  // rad/s
    }
}

TEST_CASE("mirrored, flattened and collapsed bodies come back to their shape")
{
    for (const int kind : {0, 1, 2}) {
        Scene scene(weightless());
        scene.add(bar({0.5, 1.4, 0.5}, {2, 6, 2}));
        std::mt19937 random(9);
        std::normal_distribution<float> noise(0, 0.001f);
        for (Vec3& p : scene.state(scene.bodies()[0]).positions) {
            if (kind == 0) p.x = -p.x;
            if (kind == 1) p.z = 0;
            if (kind == 2) p = {};
            if (kind > 0) p += {noise(random), noise(random), noise(random)};
        }
        for (int k = 0; k < 3000; ++k) scene.substep();
        CHECK(shape_error(scene) < 1e-4);
        CHECK(inverted_tets(scene) == 0);
        CHECK(fastest(scene) < 0.05);
    }
}

TEST_CASE("a small vibration has the frequency that cos(w h) = 1 - alpha lambda / 2 predicts")
{
    // Two tets would do; a bar whose ends are pulled apart a little, watched in its slowest stretching mode.
    const BodyModel model = bar({0.2, 0.2, 1.0}, {1, 1, 6}, Masses::uniform);
    const auto n = model.particle_count();
    std::vector<Eigen::Vector3d> rest;
    for (const Vec3d& p : model.rest_positions()) rest.push_back(brute::eigen(p));
    const std::vector<double> m(model.masses().begin(), model.masses().end());
    const auto rings = brute::rings(std::get<TetMesh>(model.domain()));
    // 1 - dg/dx at rest by differences; equal masses make it symmetric.
    Eigen::MatrixXd K = Eigen::MatrixXd::Identity(Eigen::Index(3 * n), Eigen::Index(3 * n));
    for (std::size_t i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const double e = 1e-6;
            auto up = rest, down = rest;
            up[i][axis] += e;
            down[i][axis] -= e;
            const auto gu = brute::goals(rings, rest, m, up), gd = brute::goals(rings, rest, m, down);
            for (std::size_t j = 0; j < n; ++j)
                K.block<3, 1>(Eigen::Index(3 * j), Eigen::Index(3 * i + std::size_t(axis))) -= (gu[j] - gd[j]) / (2 * e);
        }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(0.5 * (K + K.transpose()));
    CHECK((K - K.transpose()).norm() < 1e-6 * K.norm() + 1e-6);
    CHECK(solver.eigenvalues()[5] < 1e-8);   // six rigid motions
    CHECK(solver.eigenvalues()[3 * Eigen::Index(n) - 1] <= 1 + 1e-8);
    const Eigen::Index mode = 6 + 3;
    const double lambda = solver.eigenvalues()[mode];
    const Eigen::VectorXd shape = solver.eigenvectors().col(mode);

    const double alpha = 0.8, h = 1.0 / 300;
    Scene scene(weightless(h));
    BodySettings settings;
    settings.matching.alpha = float(alpha);
    settings.matching.damping = 0;
    scene.add(model, settings);
    const float size = 2e-3f;
    for (std::size_t i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis)
            scene.state(scene.bodies()[0]).positions[i][axis] +=
                size * float(shape[Eigen::Index(3 * i + std::size_t(axis))]);
    const auto amplitude = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (int axis = 0; axis < 3; ++axis)
                sum += (double(scene.state(scene.bodies()[0]).positions[i][axis]) - rest[i][axis]) *
                       shape[Eigen::Index(3 * i + std::size_t(axis))];
        return sum;
    };
    const double w = std::acos(1 - alpha * lambda / 2) / h;
    // Started at rest: x_k = a cos(w h (k + 1/2)) / cos(w h / 2)
    for (int k = 1; k <= 60; ++k) {
        scene.substep();
        const double expected = double(size) * std::cos(w * h * (k + 0.5)) / std::cos(w * h / 2);
        CHECK(std::abs(amplitude() - expected) < 0.03 * double(size));
    }
}

TEST_CASE("elastic energy is what its gradient says, and an undamped vibration keeps its total")
{
    Scene scene(weightless());
    BodySettings settings;
    settings.matching.damping = 0;
    settings.measure = true;
    scene.add(bar({0.5, 1.4, 0.5}, {3, 8, 3}), settings);
    for (Vec3& p : scene.state(scene.bodies()[0]).positions) p.y *= 1.1f;
    double lowest = 1e300, highest = 0;
    for (int k = 0; k < 2000; ++k) {
        const StepReport report = scene.substep()[0];
        if (k < 50) continue;
        const double total = report.kinetic_energy + report.elastic_energy;
        lowest = std::min(lowest, total);
        highest = std::max(highest, total);
    }
    CHECK(lowest > 0);
    CHECK(highest < 1.5 * lowest);
}

TEST_CASE("hard grips are met exactly, soft ones pull without overshooting for any stiffness")
{
    Scene scene(weightless());
    scene.add(bar());
    Grip hard{{0, 5}, {{1, 2, 3}, {1.1f, 2, 3}}, {{0.5f, 0, 0}, {0.5f, 0, 0}}, 0};
    scene.grips(scene.bodies()[0]).push_back(hard);
    scene.substep();
    CHECK(scene.state(scene.bodies()[0]).positions[0] == Vec3{1, 2, 3});
    CHECK(scene.state(scene.bodies()[0]).velocities[5] == Vec3{0.5f, 0, 0});

    for (const float stiffness : {300.0f, 1e12f}) {
        Scene pulled(weightless());
        BodySettings in_honey;
        in_honey.drag = 3;
        pulled.add(bar(), in_honey);
        const Vec3 start = pulled.state(pulled.bodies()[0]).positions[0];
        pulled.grips(pulled.bodies()[0]).push_back({{0}, {start + Vec3{0.2f, 0, 0}}, {}, stiffness});
        for (int k = 0; k < 3000; ++k) pulled.substep();
        CHECK(length(pulled.state(pulled.bodies()[0]).positions[0] - start - Vec3{0.2f, 0, 0}) < 0.02f);
        CHECK(shape_error(pulled) < 0.01);
    }
}

TEST_CASE("broken input cannot break a body")
{
    Scene scene(weightless());
    scene.add(bar());
    const float nan = std::nanf("");
    scene.grips(scene.bodies()[0]).push_back({{0, 999999, -3}, {{nan, 0, 0}, {1, 1, 1}, {1, 1, 1}}, {}, 0});
    scene.pushes(scene.bodies()[0]).push_back({{}, {nan, 0, 0}, {}});
    scene.pushes(scene.bodies()[0]).push_back({{7}, {1e38f, 0, 0}, {}});
    scene.state(scene.bodies()[0]).positions[3] = {nan, nan, 0};
    scene.state(scene.bodies()[0]).velocities[4] = {0, std::numeric_limits<float>::infinity(), 0};
    const StepReport report = scene.substep()[0];
    CHECK(report.repaired_particles >= 2);
    scene.pushes(scene.bodies()[0]).clear();
    for (int k = 0; k < 2000; ++k) scene.substep();
    for (const Vec3& p : scene.state(scene.bodies()[0]).positions) REQUIRE(is_finite(p));
}

TEST_CASE("the sag of a standing bar follows E = 0.245 alpha rho dx^2 / h^2 at several resolutions and steps")
{
    for (const auto& [cells, dt] : {std::pair{Int3{2, 8, 2}, 1.0 / 300}, {Int3{4, 16, 4}, 1.0 / 300}, {Int3{4, 16, 4}, 1.0 / 600}}) {
        const Vec3d size{0.5, 2.0, 0.5};
        SceneSettings settings = weightless(dt);
        settings.gravity = {0, -1.0f, 0};
        Scene scene(settings);
        BodySettings body;
        body.matching.damping = 0.05f;
        scene.add(bar(size, cells, Masses::uniform), body);
        // Hang it by its top layer: extension of the whole = rho g L^2 / 2 E.
        Grip grip;
        for (std::size_t i = 0; i < scene.model(scene.bodies()[0]).particle_count(); ++i)
            if (scene.model(scene.bodies()[0]).rest_positions()[i].y > size.y - 1e-9) {
                grip.particles.push_back(std::int32_t(i));
                grip.targets.push_back(scene.state(scene.bodies()[0]).positions[i]);
            }
        scene.grips(scene.bodies()[0]).push_back(grip);
        for (int k = 0; k < int(20 / dt); ++k) scene.substep();
        double lowest = 0;
        for (const Vec3& p : scene.state(scene.bodies()[0]).positions) lowest = std::min(lowest, double(p.y));
        const double dx = size.x / cells[0];
        const double E_over_rho = 0.245 * dx * dx / (dt * dt);
        CHECK(-lowest == doctest::Approx(1.0 * size.y * size.y / 2 / E_over_rho).epsilon(0.2));
    }
}

TEST_CASE("a body takes the same rest shape with any damping: pinned, pulled by springs and free, tets and lattices")
{
    // By how much a bar has gone down when it no longer moves, m: held at one end, or lying on a floor.
    enum class Held { hard, softly, lying };
    const auto sag = [](const Domain& domain, Held held, float damping, float region_damping, double dt) {
        BodySpec spec;
        spec.solid = Matching{.domain = domain};
        const BodyModel model = build(std::move(spec)).value();
        SceneSettings settings = weightless(dt);
        settings.gravity = {0, -9.8f, 0};
        Scene scene(settings);
        BodySettings body;
        body.matching.damping = damping;
        body.matching.region_damping = region_damping;
        body.drag = 4;
        scene.add(model, body);
        Grip grip;
        for (std::size_t i = 0; i < model.particle_count(); ++i)
            if (model.rest_positions()[i].z < 1e-9) {
                grip.particles.push_back(std::int32_t(i));
                grip.targets.push_back(scene.state(scene.bodies()[0]).positions[i]);
            }
        if (held == Held::softly) grip.stiffness = 4000;
        if (held == Held::lying)
            scene.add(Collider{.shape = Plane{}, .friction = 0});
        else
            scene.grips(scene.bodies()[0]).push_back(grip);
        const double height = center_of_mass(scene).y;
        for (int k = 0; k < 6000; ++k) scene.substep();
        CHECK(fastest(scene) < 1e-3);
        return height - center_of_mass(scene).y;
    };
    const Box3 box{{0, 0, 0}, {0.2, 0.2, 0.8}};
    const Domain bars[] = {make_bar(box.high, {2, 2, 8}), make_lattice(box, 0.1, [](Vec3d) { return true; })};
    for (const Domain& domain : bars)
        for (const Held held : {Held::hard, Held::softly, Held::lying})
            for (const double dt : {1.0 / 300, 0.01}) {
                CAPTURE(std::holds_alternative<Lattice>(domain));
                CAPTURE(int(held));
                CAPTURE(dt);
                const double free = sag(domain, held, 0.0f, 0.0f, dt);
                CHECK(free > 1e-4);
                for (const float damping : {0.03f, 0.3f})
                    CHECK(sag(domain, held, damping, 0.0f, dt) == doctest::Approx(free).epsilon(1e-4));
                CHECK(sag(domain, held, 0.0f, 0.3f, dt) == doctest::Approx(free).epsilon(1e-4));
            }
}
