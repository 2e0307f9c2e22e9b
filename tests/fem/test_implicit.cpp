// Implicit steps: derivatives against differences, one step against a dense Newton solve of its own, and bodies that
// explicit steps cannot move.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "fem/element.h"
#include "fem/implicit_tets.h"
#include "fem_bodies.h"
#include "yawara/law.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

FemMaterial material(double young, double viscous_time = 0, double poisson = 0.3, double density = 1000)
{
    FemMaterial m{isotropic(young, poisson).value(), {}, density};
    m.viscosity = m.elasticity * viscous_time;
    return m;
}

double mass_of(const BodyModel& model)
{
    double sum = 0;
    for (const double m : model.masses()) sum += m;
    return sum;
}

/// A body alone, measured after every step.
struct Run {
    Run(const BodyModel& model, double dt, Vec3 gravity, BodySettings settings, const BodyState& start,
        std::vector<Collider> colliders = {})
        : scene({.dt = dt, .substeps = 1, .gravity = gravity}), weight(gravity.as<double>() * mass_of(model))
    {
        settings.measure = true;
        for (Collider& c : colliders) scene.add(std::move(c));
        body = scene.add(model, settings, start);
    }
    /// Kinetic, elastic, of the springs against obstacles, and of weight.
    double step()
    {
        report = scene.step()[0];
        return report.kinetic_energy + report.elastic_energy + report.fem.contact_energy - dot(weight, report.center);
    }
    const BodyState& state() { return scene.state(body); }

    Scene scene;
    Vec3d weight;
    BodyId body;
    StepReport report;
};

BodySettings implicit_settings()
{
    BodySettings settings;
    settings.fem.integration = Integration::implicit_step;
    return settings;
}

/// A bar with inner nodes moved so that the altitude of some tets is as small as `share` of their edges.
TetMesh bar_with_slivers(double share)
{
    TetMesh bar = make_bar({1.2, 0.6, 0.6}, {6, 3, 3});
    std::size_t made = 0;
    for (std::size_t t = 0; t < bar.tets.size() && made < 6; t += 7) {
        // The last corner goes almost into the plane of the others, if no other tet turns over by it.
        const Int4 tet = bar.tets[t];
        const auto at = [&](int a) -> Vec3d& { return bar.vertices[std::size_t(tet[std::size_t(a)])]; };
        const Vec3d normal = normalized(cross(at(1) - at(0), at(2) - at(0))), before = at(3);
        at(3) = before - normal * (dot(normal, before - at(0)) - share * length(at(1) - at(0)));
        bool sound = true;
        for (const Int4& other : bar.tets) sound &= signed_volume(bar, other) > 1e-8;
        if (sound)
            ++made;
        else
            at(3) = before;
    }
    REQUIRE(made > 0);
    return bar;
}

/// A tet in two shapes.
struct Strained {
    explicit Strained(const Fem& spec) : model(built(spec)), front(model) { front.rebuild(model, {}, false); }
    static fem::FemModel built(const Fem& spec)
    {
        std::vector<std::string> warnings;
        return std::move(fem::build_fem(spec, 1.0, warnings).value().model);
    }

    fem::FemModel model;
    fem::Front front;
    std::vector<Vec3d> start, now;
};

/// Of random constants, unless they are isotropic; `stretch` and `amount`, m, of noise make its second shape.
Strained random_tet(std::mt19937& random, double stretch, double amount, bool is_isotropic)
{
    Elasticity c = isotropic_lame(2, 1.5), d = isotropic_lame(0.02, 0.03);
    if (!is_isotropic) {
        const Elasticity more = random_elasticity(random, 0.2);
        for (std::size_t k = 0; k < 36; ++k) c.c[k] += more.c[k], d.c[k] += 0.01 * more.c[k];
    }
    Fem spec = fem_of(unit_tet(), 0);
    spec.material = [=](const MaterialPlace&) -> FemMaterial { return {c, d, 1}; };
    Strained s(spec);
    std::normal_distribution<double> any(0, amount);
    for (const Vec3d& p : s.model.forest.rest()) {
        s.start.push_back(p + Vec3d{any(random), any(random), any(random)});
        s.now.push_back(p * stretch + Vec3d{any(random), any(random), any(random)});
    }
    return s;
}

Eigen::Matrix<double, 12, 12> dense(std::span<const Mat3d> blocks)
{
    Eigen::Matrix<double, 12, 12> K;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            const Mat3d& m = blocks[std::size_t(fem::upper_block(std::min(a, b), std::max(a, b)))];
            const Mat3d block = a <= b ? m : transpose(m);
            for (int j = 0; j < 3; ++j) {
                const Vec3d column = block * Vec3d{double(j == 0), double(j == 1), double(j == 2)};
                for (int i = 0; i < 3; ++i) K(3 * a + i, 3 * b + j) = column[i];
            }
        }
    return K;
}

}  // namespace

TEST_CASE("the derivatives of an implicit tet are the differences of its energy")
{
    std::mt19937 random(5);
    for (int trial = 0; trial < 40; ++trial) {
        const bool pulled = trial % 2 == 0;  // then nothing is left out of the second derivatives
        Strained s = random_tet(random, pulled ? 1.5 : 0.7, pulled ? 0.03 : 0.3, trial % 4 < 2);
        fem::ImplicitTets tets;
        tets.begin(s.model, s.front, true, 0.05, s.start);
        tets.differentiate(s.now);
        const std::vector<Vec3d> gradients(tets.gradients().begin(), tets.gradients().end());
        const Eigen::Matrix<double, 12, 12> K = dense(tets.hessians());
        double scale = 0, largest = K.cwiseAbs().maxCoeff();
        for (const Vec3d& g : gradients) scale = std::max(scale, length(g));
        constexpr double kStep = 1e-5;
        for (int n = 0; n < 4; ++n)
            for (int j = 0; j < 3; ++j) {
                // Corners of the front are those of the model in its own order.
                const auto node = std::size_t(s.front.corners[0][std::size_t(n)]);
                const double here = s.now[node][j];
                const auto moved = [&](double way) {
                    (j == 0 ? s.now[node].x : j == 1 ? s.now[node].y : s.now[node].z) = here + way;
                };
                moved(kStep);
                const double more = tets.energy(s.now).all();
                tets.differentiate(s.now);
                const std::vector<Vec3d> after(tets.gradients().begin(), tets.gradients().end());
                moved(-kStep);
                const double less = tets.energy(s.now).all();
                tets.differentiate(s.now);
                const std::vector<Vec3d> before(tets.gradients().begin(), tets.gradients().end());
                moved(0);
                CHECK(std::abs((more - less) / (2 * kStep) - gradients[std::size_t(n)][j]) < 1e-6 * scale);
                if (!pulled) continue;
                for (int m = 0; m < 4; ++m)
                    for (int i = 0; i < 3; ++i)
                        CHECK(std::abs((after[std::size_t(m)][i] - before[std::size_t(m)][i]) / (2 * kStep) -
                                       K(3 * m + i, 3 * n + j)) < 1e-6 * largest);
            }
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 12, 12>> solver(K);
        CHECK(solver.eigenvalues()[0] > -1e-9 * solver.eigenvalues()[11]);
    }
}

TEST_CASE("the matrix of a mixed front is that of its tets seen through the nodes that move")
{
    const fem::FemModel model = Strained::built(fem_of(unit_tet(), 2));
    fem::Front front(model);
    std::vector<std::int32_t> splits(model.forest.inner_count(), 0);
    splits[0] = splits[2] = 1;  // one child of the tet is split
    front.rebuild(model, splits, false);
    REQUIRE(!front.hanging_nodes.empty());
    std::vector<std::uint8_t> fixed(front.used.size(), 0);
    fixed[1] = 1;
    fem::BlockMatrix matrix;
    matrix.fit(front, fixed);
    fem::ImplicitTets tets;
    std::vector<Vec3d> x;
    std::mt19937 random(6);
    std::normal_distribution<double> any(0, 0.05);
    for (const std::int32_t n : front.used)
        x.push_back(model.forest.rest()[std::size_t(n)] + Vec3d{any(random), any(random), any(random)});
    tets.begin(model, front, true, 0.01, x);
    tets.differentiate(x);
    constexpr double kPerStep = 1e-4;
    matrix.assemble(tets.hessians(), kPerStep);
    matrix.finish(x);

    // By hand: all used nodes, then the weights of the free ones in each.
    const auto used = Eigen::Index(front.used.size()), rows = Eigen::Index(matrix.rows());
    Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(3 * used, 3 * used), T = Eigen::MatrixXd::Zero(3 * used, 3 * rows);
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        const Eigen::Matrix<double, 12, 12> K = dense(tets.hessians().subspan(fem::kTetBlocks * t));
        const auto& m = model.tet_masses[std::size_t(front.active[t])];
        std::size_t e = 0;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                whole.block<3, 3>(3 * front.corners[t][std::size_t(a)], 3 * front.corners[t][std::size_t(b)]) +=
                    K.block<3, 3>(3 * a, 3 * b);
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b <= a; ++b, ++e) {
                const auto add = [&](std::size_t i, std::size_t j) {
                    whole.block<3, 3>(3 * front.corners[t][i], 3 * front.corners[t][j]) +=
                        Eigen::Matrix3d::Identity() * (m[e] * kPerStep);
                };
                add(a, b);
                if (a != b) add(b, a);
            }
    }
    for (Eigen::Index k = 0; k < used; ++k)
        for (const fem::Front::WeightedNode& from : front.free_nodes_of(std::size_t(k)))
            if (const std::int32_t row = matrix.row_of(std::size_t(from.node)); row >= 0)
                T.block<3, 3>(3 * k, 3 * row) += Eigen::Matrix3d::Identity() * double(from.weight);
    const Eigen::MatrixXd A = T.transpose() * whole * T;
    std::vector<Vec3d> b(matrix.rows()), found(matrix.rows()), back(matrix.rows());
    Eigen::VectorXd right(3 * rows);
    for (std::size_t row = 0; row < b.size(); ++row) {
        b[row] = {any(random), any(random), any(random)};
        for (int i = 0; i < 3; ++i) right[3 * Eigen::Index(row) + i] = b[row][i];
    }
    matrix.multiply(b, back);
    const Eigen::VectorXd product = A * right;
    const fem::BlockMatrix::Solved solved = matrix.solve(b, {1e-12, 1e-12, 0}, 1000, true, found);
    CHECK(solved.residual <= 1e-12);
    const Eigen::VectorXd solution = A.ldlt().solve(right);
    for (std::size_t row = 0; row < b.size(); ++row)
        for (int i = 0; i < 3; ++i) {
            const Eigen::Index k = 3 * Eigen::Index(row) + i;
            CHECK(std::abs(back[row][i] - product[k]) < 1e-12 * product.cwiseAbs().maxCoeff());
            CHECK(std::abs(found[row][i] - solution[k]) < 1e-8 * solution.cwiseAbs().maxCoeff());
        }
}

TEST_CASE("an implicit step is the minimum that a dense Newton solve of its own finds")
{
    // A bar held at one end, bent by hand, without damping: |x - y|^2 / 2 h^2 + W(x), y = x + h v + h^2 g.
    const double h = 1.0 / 60;
    const BodyModel model = build_fem_model(fem_of(make_bar({1, 0.3, 0.3}, {3, 1, 1}), 0, material(3e5)));
    BodyState start = initial_state(model);
    std::mt19937 random(7);
    std::normal_distribution<float> any(0, 0.3f);
    Grip wall;
    for (std::size_t i = 0; i < start.positions.size(); ++i) {
        const float x = model.rest_positions()[i].as<float>().x - bounds(model.rest_positions()).low.as<float>().x;
        if (x < 1e-6f) {
            wall.particles.push_back(std::int32_t(i));
            wall.targets.push_back(start.positions[i]);
            continue;
        }
        start.positions[i].y += 0.2f * x * x;
        start.velocities[i] = {any(random), any(random), any(random)};
    }
    Run run(model, h, {0, -9.8f, 0}, implicit_settings(), start);
    run.scene.grips(run.body).push_back(wall);
    run.step();
    CHECK(run.report.fem.cut_short == 0);

    const TetMesh& mesh = std::get<TetMesh>(model.domain());
    const auto n = Eigen::Index(start.positions.size());
    Eigen::VectorXd x(3 * n), y(3 * n), m(3 * n);
    std::vector<bool> held(start.positions.size(), false);
    for (const std::int32_t i : wall.particles) held[std::size_t(i)] = true;
    for (Eigen::Index i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            const auto p = double(start.positions[std::size_t(i)][k]);
            x[3 * i + k] = p;
            y[3 * i + k] = p + h * double(start.velocities[std::size_t(i)][k]) - (k == 1 ? double(9.8f) * h * h : 0.0);
            m[3 * i + k] = model.masses()[std::size_t(i)];
        }
    for (int round = 0; round < 30; ++round) {
        Eigen::VectorXd g = m.cwiseProduct(x - y) / (h * h);
        Eigen::MatrixXd K = (m / (h * h)).asDiagonal();
        for (const Int4& tet : mesh.tets) {
            std::array<Vec3d, 4> rest;
            fem::Forces corners;
            for (int a = 0; a < 4; ++a) {
                rest[std::size_t(a)] = mesh.vertices[std::size_t(tet[std::size_t(a)])];
                corners.col(a) = x.segment<3>(3 * tet[std::size_t(a)]);
            }
            const fem::Element element{fem::shape_of(rest), fem::to_eigen(isotropic(3e5, 0.3).value())};
            const fem::Forces f = fem::element_forces(element, corners);
            const fem::Tangent t = fem::element_tangent(element, corners, false);
            for (int a = 0; a < 4; ++a) {
                g.segment<3>(3 * tet[std::size_t(a)]) -= f.col(a);
                for (int b = 0; b < 4; ++b)
                    K.block<3, 3>(3 * tet[std::size_t(a)], 3 * tet[std::size_t(b)]) += t.block<3, 3>(3 * a, 3 * b);
            }
        }
        for (Eigen::Index i = 0; i < n; ++i)
            if (held[std::size_t(i)])
                for (int k = 0; k < 3; ++k) {
                    K.row(3 * i + k).setZero(), K.col(3 * i + k).setZero();
                    K(3 * i + k, 3 * i + k) = 1, g[3 * i + k] = 0;
                }
        x -= K.ldlt().solve(g);
    }
    double farthest = 0, moved = 0;
    for (std::size_t i = 0; i < start.positions.size(); ++i)
        for (int k = 0; k < 3; ++k) {
            farthest = std::max(farthest, std::abs(double(run.state().positions[i][k]) - x[3 * Eigen::Index(i) + k]));
            moved = std::max(moved, std::abs(double(start.positions[i][k]) - x[3 * Eigen::Index(i) + k]));
        }
    MESSAGE("the farthest node moved by ", moved, " m; it is off by ", farthest, " m");
    CHECK(moved > 5e-3);
    CHECK(farthest < 5e-5);
}

TEST_CASE("a bar too stiff for 20,000 sub-steps falls instead of hanging in the air, whatever was asked for")
{
    const BodyModel model =
        build_fem_model(fem_of(make_bar({3.6, 0.6, 0.6}, {18, 3, 3}), 0, material(2e11, 5e-4, 0.3, 7800)));
    for (const Integration integration : {Integration::automatic, Integration::explicit_steps}) {
        BodySettings settings;
        settings.fem.integration = integration;
        const IntegrationChoice choice = integration_of(model, settings.fem, 1.0 / 60);
        CHECK(choice.substeps > 20000);
        CHECK(choice.implicit);
        Run run(model, 1.0 / 60, {0, -9.8f, 0}, settings, initial_state(model, {.move = {0, 5, 0}}));
        const double start = center(model, run.state()).y;
        for (int frame = 0; frame < 30; ++frame) {
            run.step();
            CHECK(run.report.repaired_particles == 0);
            CHECK(run.report.fem.implicit_substeps == 1);
        }
        CHECK(start - center(model, run.state()).y == doctest::Approx(9.8 / 2 * 0.25).epsilon(1e-4));
    }
}

TEST_CASE("a stiff bar dropped on its edge never has more energy than it was given")
{
    for (const double young : {1e8, 1e9}) {
        CAPTURE(young);
        const BodyModel model = build_fem_model(fem_of(make_bar({1.2, 0.6, 0.6}, {6, 3, 3}), 0, material(young)));
        const Mat3d turn = rotation(Vec3d{0, 0, 1}, 35 * kDegree);
        double lowest = 1e9;
        for (const Vec3d& p : model.rest_positions()) lowest = std::min(lowest, (turn * p).y);
        Run run(model, 1.0 / 60, {0, -9.8f, 0}, implicit_settings(),
                initial_state(model, {.turn = turn, .move = {0, 1 - lowest, 0}}), {Collider{}});
        const double first = run.step(), mass = mass_of(model);
        double highest = first;
        for (int frame = 1; frame < 240; ++frame) highest = std::max(highest, run.step());
        CHECK(highest < first + 1e-3 * mass * 9.8);  // a millimetre of height
        CHECK(run.report.kinetic_energy < 1e-4 * mass);
        CHECK(run.report.contact.contacts > 3);
        CHECK(run.report.center.y == doctest::Approx(0.3).epsilon(0.01));
    }
}

TEST_CASE("a stiff body that spins keeps its energy and its angular momentum")
{
    const BodyModel model = build_fem_model(fem_of(make_bar({1.2, 0.6, 0.6}, {6, 3, 3}), 0, material(1e9)));
    for (const double dt : {1.0 / 1000, 1.0 / 60, 1.0 / 24}) {
        CAPTURE(dt);
        Run run(model, dt, {}, implicit_settings(), initial_state(model, {}, {}, {3, 2, 5}));
        const Vec3d spin = spin_of(model, run.state());
        const double first = run.step();
        double highest = first, last = first;
        for (int step = 1; step < 100; ++step) highest = std::max(highest, last = run.step());
        CHECK(length(spin_of(model, run.state()) - spin) < 1e-5 * length(spin));
        CHECK(highest < 1.001 * first);
        CHECK(last > 0.9 * first);
    }
}

TEST_CASE("slivers of a hundredth of a degree, any modulus and any step: what falls comes to rest")
{
    for (const double share : {0.01, 1.7e-4}) {
        const TetMesh mesh = bar_with_slivers(share);
        for (const double young : {1e2, 1e5, 1e8, 1e12})
            for (const double dt : {1.0 / 200, 1.0 / 24}) {
                CAPTURE(share);
                CAPTURE(young);
                CAPTURE(dt);
                const BodyModel model = build_fem_model(fem_of(mesh, 0, material(young, 5e-4)));
                Run run(model, dt, {0, -9.8f, 0}, implicit_settings(), initial_state(model, {.move = {0, 0.5, 0}}),
                        {Collider{}});
                const double first = run.step(), mass = mass_of(model);
                double highest = first;
                for (int step = 1; step < int(1.5 / dt); ++step) {
                    highest = std::max(highest, run.step());
                    REQUIRE(run.report.repaired_particles == 0);
                }
                CHECK(highest < first + 1e-3 * mass * 9.8);
                if (young > 1e6) CHECK(run.report.kinetic_energy < 0.01 * mass);
            }
    }
}

TEST_CASE("an implicit body that starts flat or with tets turned inside out finds back to its shape")
{
    const BodyModel model = build_fem_model(fem_of(make_bar({1, 1, 1}, {3, 3, 3}), 0, material(1e6)));
    for (const bool flat : {true, false}) {
        CAPTURE(flat);
        BodyState start = initial_state(model);
        std::mt19937 random(3);
        std::normal_distribution<float> any(0, 0.15f);  // of cells of 0.33 m
        for (Vec3& p : start.positions)
            p = flat ? Vec3{p.x, p.y * 0.02f, p.z} : p + Vec3{any(random), any(random), any(random)};
        Run run(model, 1.0 / 60, {}, implicit_settings(), start);
        double highest = 0, first = 0;
        int inverted = 0;
        for (int frame = 0; frame < 300; ++frame) {
            const double energy = run.step();
            if (frame == 0) first = energy, inverted = run.report.inverted;
            highest = std::max(highest, energy);
        }
        CHECK((flat || inverted > 10));
        CHECK(highest <= first);
        CHECK(run.report.inverted == 0);
        CHECK(run.report.elastic_energy < 1);
    }
}

TEST_CASE("implicit motion with viscosity goes over to the explicit one, twice as near at half the step")
{
    const BodyModel model = build_fem_model(fem_of(make_bar({1, 0.3, 0.3}, {4, 1, 1}), 0, material(1e5, 0.01)));
    BodyState start = initial_state(model);
    for (std::size_t i = 0; i < start.positions.size(); ++i)
        start.velocities[i] = {0, 2 * start.positions[i].x * start.positions[i].x, 0};
    const auto after = [&](Integration integration, double dt) {
        BodySettings settings;
        settings.fem.integration = integration;
        Run run(model, dt, {}, settings, start);
        for (int k = 0; k < int(std::lround(0.1 / dt)); ++k) run.step();
        return run.state().positions;
    };
    const std::vector<Vec3> exact = after(Integration::explicit_steps, 1.0 / 2000);
    double off[3];
    int k = 0;
    for (const double dt : {1.0 / 200, 1.0 / 400, 1.0 / 800}) {
        const std::vector<Vec3> there = after(Integration::implicit_step, dt);
        double sum = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const Vec3d d = (there[i] - exact[i]).as<double>();
            sum += dot(d, d);
        }
        off[k++] = std::sqrt(sum / double(exact.size()));
    }
    MESSAGE("rms difference at 1/200, 1/400 and 1/800 s: ", off[0], ", ", off[1], ", ", off[2], " m");
    CHECK(off[0] / off[1] > 1.6);
    CHECK(off[1] / off[2] > 1.6);
    CHECK(off[2] < 0.01);
}

TEST_CASE("a body with a law of its own that is crushed so far that it needs thousands of sub-steps goes on implicitly")
{
    Fem fem = fem_of(make_bar({0.1, 0.2, 0.1}, {2, 4, 2}), 0, material(1e4));
    fem.law = corotational_law();
    const BodyModel model = build_fem_model(std::move(fem));
    for (const Integration integration : {Integration::automatic, Integration::explicit_steps}) {
        BodySettings settings;
        settings.fem.integration = integration;
        BodyState state = initial_state(model);
        for (Vec3& x : state.positions) x = {25 * x.x, -0.001f * x.y, 25 * x.z};
        Workspace workspace(model);
        StepInput input;
        input.dt = 1.0 / 60;
        const StepReport report = step(model, settings, input, state, workspace);
        CAPTURE(int(integration));
        CAPTURE(report.fem.substeps);
        CHECK((report.fem.implicit_substeps > 0) == (integration == Integration::automatic));
        CHECK(report.repaired_particles == 0);
    }
}

TEST_CASE("automatic integration is explicit where few sub-steps do, and says so")
{
    FemSettings settings;
    const auto choice = [&](double young, double dt) {
        return integration_of(build_fem_model(fem_of(make_bar({1, 1, 1}, {2, 2, 2}), 0, material(young))), settings,
                              dt);
    };
    CHECK(settings.integration == Integration::automatic);
    CHECK(!choice(1e5, 1.0 / 60).implicit);
    CHECK(choice(1e12, 1.0 / 60).implicit);
    CHECK(!choice(1e12, 1e-6).implicit);
    CHECK(choice(4e8, 1.0 / 60).substeps == doctest::Approx(2 * choice(1e8, 1.0 / 60).substeps).epsilon(0.05));
    settings.integration = Integration::explicit_steps;  // and no user waits for more sub-steps than this
    CHECK(!choice(1e9, 1.0 / 60).implicit);
    CHECK(choice(1e14, 1.0 / 60).implicit);
}
