// Plastic strain: the law of one point against its closed form, what flow must never do, and bodies that keep a dent.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "fem/element.h"
#include "fem/fem_model.h"
#include "fem/mass.h"
#include "fem_bodies.h"
#include "sim/body_model.h"

using namespace yawara;
using namespace yawara::test;

namespace {

using Eigen::Matrix3d;

const Elasticity kIsotropic = isotropic_lame(3e4, 2e4);

Matrix3d random_matrix(std::mt19937& random, double size)
{
    std::normal_distribution<double> normal;
    Matrix3d m;
    for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = size * normal(random);
    return m;
}

double deviator(const Matrix3d& m)
{
    return (m - m.trace() / 3 * Matrix3d::Identity()).norm();
}

/// Energy density of a strain with the law's elasticity.
double energy(const fem::FlowLaw& law, const Matrix3d& elastic)
{
    fem::Vector6 e;
    e << elastic(0, 0), elastic(1, 1), elastic(2, 2), 2 * elastic(0, 1), 2 * elastic(0, 2), 2 * elastic(1, 2);
    return e.dot(law.elasticity * e) / 8;
}

FemMaterial clay(double yield = 0.02, double creep = 200, double limit = 1)
{
    return {isotropic(4e6, 0.3).value(), isotropic_lame(2e3, 2e3), 1000, {yield, creep, limit}};
}

/// A bar along x whose ends are held, the right one moved by `pull` in 0.1 s and then let go.
struct Pulled {
    explicit Pulled(Fem fem, FemSettings how, double pull, double dt = 1.0 / 240)
        : scene({.dt = dt, .substeps = 1, .gravity = {}}), pull_(pull)
    {
        BodySettings settings;
        settings.measure = true;
        settings.fem = how;
        scene.add(build_fem_model(std::move(fem)), settings);
        const std::vector<Vec3>& x = scene.state(scene.bodies()[0]).positions;
        Grip left, right;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i].x < 0.001f) left.particles.push_back(int(i)), left.targets.push_back(x[i]);
            if (x[i].x > 1.999f) right.particles.push_back(int(i)), right.targets.push_back(x[i]);
        }
        start_ = right.targets;
        scene.grips(scene.bodies()[0]) = {left, right};
    }
    StepReport step()
    {
        const double time = scene.time() + scene.settings().dt;
        if (time > 0.15) {
            scene.grips(scene.bodies()[0]).resize(1);
        } else {
            for (std::size_t k = 0; k < start_.size(); ++k)
                scene.grips(scene.bodies()[0])[1].targets[k] =
                    start_[k] + Vec3{float(pull_ * std::min(1.0, time / 0.1)), 0, 0};
        }
        return scene.step()[0];
    }
    double length() const
    {
        double longest = 0;
        for (const Vec3& p : scene.state(scene.bodies()[0]).positions) longest = std::max(longest, double(p.x));
        return longest;
    }

    Scene scene;

private:
    double pull_;
    std::vector<Vec3> start_;
};

FemSettings settings_of(Refinement refinement)
{
    FemSettings settings;
    settings.refinement = refinement;
    return settings;
}

double volume_now(const Scene& scene)
{
    TetMesh mesh = std::get<TetMesh>(scene.model(scene.bodies()[0]).domain());
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        mesh.vertices[i] = scene.state(scene.bodies()[0]).positions[i].as<double>();
    return volume(mesh);
}

/// Sums over some steps, and the energy after them.
struct Followed {
    double energy = 0, jumps = 0, lost = 0;
    int changes = 0;
};
/// The energy of the first body never rises, but for the ripple of its steps.
Followed follow_falling_energy(Scene& scene, int steps, double ripple)
{
    Followed all;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = scene.step()[0];
        const double now = report.kinetic_energy + report.elastic_energy;
        if (k > 0) CHECK(now < all.energy * ripple);
        all.energy = k == 0 ? now : std::min(all.energy, now);
        all.jumps += report.fem.energy_jumps;
        all.lost += report.fem.plastic_loss;
        all.changes += report.fem.splits + report.fem.merges;
    }
    return all;
}

}  // namespace

TEST_CASE("the excess over the yield strain decays as the exponential says, in one step or in many")
{
    const fem::FlowLaw law = fem::flow_law(kIsotropic);
    CHECK(law.shear == doctest::Approx(2e4).epsilon(1e-12));
    const Plasticity plasticity{1e-4, 30, 1};
    // So small that C_p stays near the identity: the deviator of the Green strain is what is left of it.
    Matrix3d E;
    E << 3e-4, 2e-4, 0, 2e-4, -1e-4, 1e-4, 0, 1e-4, 5e-4;
    const Matrix3d deformed = Matrix3d::Identity() + 2 * E;
    const double start = deviator(E), time = 0.02;
    const double expected = 1e-4 + (start - 1e-4) * std::exp(-30 * time);
    for (const int steps : {1, 7, 100}) {
        Matrix3d metric = Matrix3d::Identity();
        double lost = 0;
        for (int k = 0; k < steps; ++k) {
            const auto flow = fem::flow_of(law, plasticity, deformed, metric, time / steps);
            REQUIRE(flow);
            metric = flow->metric;
            lost += flow->loss;
            CHECK(metric.determinant() == doctest::Approx(1).epsilon(1e-12));
        }
        CHECK(deviator((deformed - metric) / 2) == doctest::Approx(expected).epsilon(2e-3));
        CHECK(lost == doctest::Approx(energy(law, deformed - Matrix3d::Identity()) - energy(law, deformed - metric))
                          .epsilon(1e-9));
    }
    CHECK_FALSE(fem::flow_of(law, {1.01 * start, 30, 1}, deformed, Matrix3d::Identity(), 1));
    CHECK_FALSE(fem::flow_of(law, {}, deformed, Matrix3d::Identity(), 1));
}

TEST_CASE("pulled at an even rate, the strain above yield tends to rate over creep")
{
    // d excess/dt = rate - creep excess: excess = rate / creep (1 - exp(-creep t)).
    const fem::FlowLaw law = fem::flow_law(kIsotropic);
    const double creep = 40, rate = 2e-3, dt = 1e-4;
    const Plasticity plasticity{1e-4, creep, 1};
    Matrix3d direction;
    direction << 2, 0, 0, 0, -1, 0, 0, 0, -1;
    direction /= direction.norm();
    Matrix3d metric = Matrix3d::Identity();
    double strain = 1e-4;
    for (int k = 1; k <= 800; ++k) {
        strain += rate * dt;
        if (const auto flow = fem::flow_of(law, plasticity, Matrix3d::Identity() + 2 * strain * direction, metric, dt))
            metric = flow->metric;
        if (k % 200 != 0) continue;
        const double excess = rate / creep * (1 - std::exp(-creep * k * dt));
        const double found = deviator((Matrix3d::Identity() + 2 * strain * direction - metric) / 2) - 1e-4;
        CHECK(found == doctest::Approx(excess).epsilon(5e-3));
    }
}

TEST_CASE("flow never raises the energy nor changes the volume, whatever the tensor, the strain and the time")
{
    std::mt19937 random(5);
    int flowed = 0;
    for (int round = 0; round < 2000; ++round) {
        const fem::FlowLaw law = fem::flow_law(round % 2 ? random_elasticity(random, 1e4) : kIsotropic);
        const Plasticity plasticity{0.01, std::pow(10.0, round % 7 - 1), 0.2 + 0.1 * (round % 5)};
        const Matrix3d F = Matrix3d::Identity() + random_matrix(random, 0.3);
        const Matrix3d deformed = F.transpose() * F;
        Matrix3d metric = Matrix3d::Identity();
        for (int k = 0; k < 5; ++k) {
            const auto flow = fem::flow_of(law, plasticity, deformed, metric, 0.02);
            if (!flow) break;
            ++flowed;
            const double before = energy(law, deformed - metric), after = energy(law, deformed - flow->metric);
            REQUIRE(after < before);
            REQUIRE(flow->loss == doctest::Approx(before - after).epsilon(1e-6));
            REQUIRE(flow->metric.determinant() == doctest::Approx(1).epsilon(1e-9));
            REQUIRE((flow->metric - Matrix3d::Identity()).norm() / 2 < 1.001 * plasticity.limit);
            REQUIRE(Eigen::LLT<Matrix3d>(flow->metric).info() == Eigen::Success);
            metric = flow->metric;
        }
    }
    CHECK(flowed > 3000);
}

TEST_CASE("turning body and strain turns the flow")
{
    std::mt19937 random(8);
    const fem::FlowLaw law = fem::flow_law(kIsotropic);
    const Matrix3d turn = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
    const Matrix3d F = Matrix3d::Identity() + random_matrix(random, 0.2), deformed = F.transpose() * F;
    const auto one = fem::flow_of(law, {0.01, 50, 0.3}, deformed, Matrix3d::Identity(), 0.01);
    const auto other =
        fem::flow_of(law, {0.01, 50, 0.3}, turn * deformed * turn.transpose(), Matrix3d::Identity(), 0.01);
    REQUIRE(one);
    REQUIRE(other);
    CHECK((other->metric - turn * one->metric * turn.transpose()).norm() < 1e-12);
}

TEST_CASE("a tet held in a strained shape flows as the closed form says, step by step, on any front")
{
    const Plasticity plasticity{1e-3, 25, 1};
    FemMaterial material = clay();
    material.plasticity = plasticity;
    Matrix3d E;
    E << 4e-3, 2e-3, 0, 2e-3, -3e-3, 1e-3, 0, 1e-3, 1e-3;
    const Matrix3d F = (Matrix3d::Identity() + 2 * E).llt().matrixU();
    const Matrix3d direction = (E - E.trace() / 3 * Matrix3d::Identity()) / deviator(E);
    for (const int levels : {0, 1})
        for (const auto integration : {Integration::explicit_steps, Integration::implicit_step}) {
            Scene scene({.dt = 1.0 / 240, .substeps = 1, .gravity = {}});
            BodySettings settings;
            settings.fem.integration = integration;
            scene.add(build_fem_model(fem_of(unit_tet(), levels, material)), settings);
            Grip held;
            for (std::size_t i = 0; i < 4; ++i) {
                const Vec3d p = scene.model(scene.bodies()[0]).rest_positions()[i];
                const Eigen::Vector3d x = F * Eigen::Vector3d(p.x, p.y, p.z);
                held.particles.push_back(int(i));
                held.targets.push_back({float(x.x()), float(x.y()), float(x.z())});
            }
            for (std::size_t i = 0; i < scene.state(scene.bodies()[0]).positions.size(); ++i) {
                const Vec3d p = scene.model(scene.bodies()[0]).rest_positions()[i];
                const Eigen::Vector3d x = F * Eigen::Vector3d(p.x, p.y, p.z);
                scene.state(scene.bodies()[0]).positions[i] = {float(x.x()), float(x.y()), float(x.z())};
            }
            scene.grips(scene.bodies()[0]) = {held};
            for (int step = 1; step <= 24; ++step) {
                scene.step();
                if (step % 8 != 0) continue;
                const double flowed = (deviator(E) - plasticity.yield) * (1 - std::exp(-25 * scene.time()));
                const std::vector<float>& p = scene.state(scene.bodies()[0]).fem.plastic;
                for (std::size_t t = 0; t < p.size(); t += 6) {
                    Matrix3d plastic;
                    plastic << p[t], p[t + 3], p[t + 4], p[t + 3], p[t + 1], p[t + 5], p[t + 4], p[t + 5], p[t + 2];
                    CHECK((plastic / 2 - flowed * direction).norm() < 0.02 * flowed);
                }
            }
        }
}

TEST_CASE("through prescribed fronts a body with plastic strain keeps momenta, and its energy does not rise")
{
    Fem fem = fem_of(make_bar({1, 1, 1}, {1, 1, 1}), 2, clay(0.5));  // so much that nothing flows
    for (int k = 0; k < 12; ++k) {
        ForcedFront front;
        front.time = 0.025 * k;
        if (k % 2 == 1) front.boxes = {{{{0, 0, 0}, {0.1 * k, 0.5, 1}}, 1 + k % 3 / 2}};
        fem.fronts.push_back(front);
    }
    const BodyModel model = build_fem_model(std::move(fem));
    Scene scene({.dt = 1.0 / 120, .substeps = 1, .gravity = {}});
    BodySettings settings;
    settings.measure = true;
    settings.fem.safety = 0.1;
    scene.add(model, settings, {}, {0.3, -0.2, 0.1}, {1, 2, 3});
    std::mt19937 random(6);
    std::normal_distribution<float> normal;
    for (float& p : scene.state(scene.bodies()[0]).fem.plastic) p = 0.02f * normal(random);
    const Vec3d linear = momentum(model, scene.state(scene.bodies()[0])),
                angular = spin_of(model, scene.state(scene.bodies()[0]));
    const Followed all = follow_falling_energy(scene, 40, 1.005);
    CHECK(all.changes > 10);
    CHECK(all.jumps < 1e-5 * all.energy);
    CHECK(length(momentum(model, scene.state(scene.bodies()[0])) - linear) < 1e-6 * length(linear));
    CHECK(length(spin_of(model, scene.state(scene.bodies()[0])) - angular) < 1e-5 * length(angular));
}

TEST_CASE("the lanes' forces with plastic strain are minus the gradient of the energy, on any front")
{
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (const bool isotropic : {true, false}) {
        FemMaterial material = clay();
        if (!isotropic) material.elasticity = random_elasticity(random, 1e4), material.viscosity = {};
        const auto built = build_fem_model(fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 1, material));
        const fem::FemModel& model = *built.data().fem;
        std::vector<float> finest(6 * model.forest.count_of(1));
        for (float& p : finest) p = 0.05f * normal(random);
        fem::Front front(model);
        std::vector<std::int32_t> splits(model.forest.inner_count(), 0);
        splits[0] = splits[3] = 1;
        front.rebuild(model, splits, false);
        front.take_plastic(model, finest);
        fem::Nodal x(4 * front.used.size()), v(x.size()), f(x.size());
        for (std::size_t k = 0; k < front.used.size(); ++k) {
            const Vec3d p = model.forest.rest()[std::size_t(front.used[k])];
            fem::put(x, k, p.as<float>() + Vec3{normal(random), normal(random), normal(random)} * 0.03f);
        }
        front.forces(model, x, v, true, f, nullptr);
        fem::Tally tally;
        double largest = 0;
        Vec3d total, moment;
        for (std::size_t k = 0; k < front.used.size(); ++k) {
            largest = std::max(largest, double(length(fem::get(f, k))));
            total += fem::get(f, k).as<double>();
            moment += cross(fem::get(x, k).as<double>(), fem::get(f, k).as<double>());
        }
        CHECK(length(total) < 1e-5 * largest);
        CHECK(length(moment) < 1e-5 * largest);
        for (std::size_t k = 0; k < front.used.size(); k += 3)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const float at = x[4 * k + axis];
                const auto energy_at = [&](float value) {
                    x[4 * k + axis] = value;
                    return tally.elastic_energy(model, front, x, true);
                };
                const float high = at + 0x1p-9f, low = at - 0x1p-9f;
                const double slope = (energy_at(high) - energy_at(low)) / double(high - low);
                x[4 * k + axis] = at;
                CHECK(std::abs(slope + double(f[4 * k + axis])) < 2e-4 * largest);
            }
    }
}

TEST_CASE(
    "splitting a body of one material changes neither its energy nor its forces, differing plastic strains or not")
{
    std::mt19937 random(4);
    std::normal_distribution<float> normal;
    const auto built = build_fem_model(fem_of(unit_tet(), 2, clay()));
    const fem::FemModel& model = *built.data().fem;
    std::vector<float> finest(6 * model.forest.count_of(2));
    for (float& p : finest) p = 0.05f * normal(random);
    const Mat3d stretch{{1.1, 0.05, 0}, {0.1, 0.95, 0.02}, {0, -0.03, 1.02}};
    double energies[3];
    for (int level = 0; level < 3; ++level) {
        fem::Front front(model);
        std::vector<std::int32_t> splits(model.forest.inner_count(), 0);
        for (std::size_t t = 0; t < splits.size(); ++t) splits[t] = model.forest.level_of(std::int32_t(t)) < level;
        front.rebuild(model, splits, false);
        front.take_plastic(model, finest);
        fem::Nodal x(4 * front.used.size());
        for (std::size_t k = 0; k < front.used.size(); ++k)
            fem::put(x, k, (stretch * model.forest.rest()[std::size_t(front.used[k])]).as<float>());
        energies[level] = fem::Tally().elastic_energy(model, front, x, true);
    }
    CHECK(energies[1] == doctest::Approx(energies[0]).epsilon(1e-5));
    CHECK(energies[2] == doctest::Approx(energies[0]).epsilon(1e-5));
}

TEST_CASE("a pulled bar stays longer, and keeps its volume: explicit or implicit, coarse, fine or adaptive")
{
    const auto bar = [](int levels) { return fem_of(make_bar({2, 0.5, 0.5}, {4, 1, 1}), levels, clay()); };
    FemSettings implicit = settings_of(Refinement::full);
    implicit.integration = Integration::implicit_step;
    double first = 0;
    for (const auto& [levels, how] :
         {std::pair{1, settings_of(Refinement::full)}, {1, settings_of(Refinement::residual)}, {1, implicit}}) {
        Pulled pulled(bar(levels), how, 0.4);
        double lost = 0;
        for (int k = 0; k < 360; ++k) {
            const StepReport report = pulled.step();
            CHECK(report.fem.plastic_loss >= 0);
            lost += report.fem.plastic_loss;
        }
        CHECK(lost > 0);
        const double longer = pulled.length() - 2;
        if (first == 0) first = longer;
        CHECK(longer > 0.28);
        CHECK(longer < 0.4);
        CHECK(longer == doctest::Approx(first).epsilon(0.1));
        CHECK(volume_now(pulled.scene) == doctest::Approx(0.5).epsilon(0.01));
    }
    FemMaterial rubber = clay();
    rubber.plasticity = {};
    Pulled elastic(fem_of(make_bar({2, 0.5, 0.5}, {4, 1, 1}), 1, rubber), implicit, 0.4);
    for (int k = 0; k < 360; ++k) elastic.step();
    CHECK(elastic.length() == doctest::Approx(2).epsilon(0.01));
    CHECK(elastic.scene.state(elastic.scene.bodies()[0]).fem.plastic.empty());
}

TEST_CASE("what stays hardly depends on the step")
{
    double longer[2];
    for (int k = 0; k < 2; ++k) {
        const double dt = k ? 1.0 / 1000 : 1.0 / 120;
        Pulled pulled(fem_of(make_bar({2, 0.5, 0.5}, {4, 1, 1}), 0, clay(0.02, 20)), settings_of(Refinement::full), 0.4,
                      dt);
        for (int step = 0; step < std::lround(1.5 / dt); ++step) pulled.step();
        longer[k] = pulled.length() - 2;
    }
    CHECK(longer[0] > 0.1);
    CHECK(longer[0] == doctest::Approx(longer[1]).epsilon(0.03));
}

TEST_CASE("a body in free flight that flows keeps both momenta, and its energy only falls")
{
    // It starts stretched and spinning, and swings.
    const BodyModel model = build_fem_model(fem_of(make_bar({1, 0.5, 0.5}, {2, 1, 1}), 1, [] {
        FemMaterial m = clay(0.01, 50);
        m.viscosity = {};
        return m;
    }()));
    Scene scene({.dt = 1.0 / 240, .substeps = 1, .gravity = {}});
    BodySettings settings;
    settings.measure = true;
    settings.fem.tolerance = 5e-3;
    settings.fem.safety = 0.1;  // symplectic steps ripple, shorter ones less
    scene.add(model, settings, {}, {0.3, -0.2, 0.1}, {1, 2, 3});
    for (Vec3& p : scene.state(scene.bodies()[0]).positions) p.x *= 1.1f, p.y *= 0.97f;
    const Vec3d linear = momentum(model, scene.state(scene.bodies()[0])),
                angular = spin_of(model, scene.state(scene.bodies()[0]));
    const Followed all = follow_falling_energy(scene, 120, 1.003);
    CHECK(all.lost > 0.05 * all.energy);
    CHECK(length(momentum(model, scene.state(scene.bodies()[0])) - linear) < 1e-6 * length(linear));
    CHECK(length(spin_of(model, scene.state(scene.bodies()[0])) - angular) < 1e-5 * length(angular));
}

TEST_CASE("plastic strain that differs inside a coarse tet splits it, and a dent is not merged away")
{
    const BodyModel model = build_fem_model(fem_of(make_bar({1, 1, 1}, {1, 1, 1}), 2, clay()));
    Scene scene({.dt = 1.0 / 120, .substeps = 1, .gravity = {}});
    scene.add(model, {});
    scene.step();
    CHECK(scene.step()[0].fem.active_tets == 5);
    // One corner wants another shape.
    const std::vector<Vec3d> centers = finest_centers(make_bar({1, 1, 1}, {1, 1, 1}), 2);
    for (std::size_t t = 0; t < centers.size(); ++t) {
        if (length(centers[t] - Vec3d{0.5, 0.5, 0.5}) > 0.35) continue;
        float* const p = &scene.state(scene.bodies()[0]).fem.plastic[6 * t];
        p[0] = 0.44f, p[1] = p[2] = 1 / 1.2f - 1;
    }
    int active = 0;
    for (int k = 0; k < 240; ++k) active = scene.step()[0].fem.active_tets;
    CHECK(active > 12);
    CHECK(active <= 320);
}

TEST_CASE("plastic bodies have the same bits with any number of threads, and states can be copied")
{
    const auto run = [](int threads, std::vector<BodyState>* at, const BodyState* from) {
        Scene scene({.dt = 1.0 / 120, .substeps = 1, .threads = threads});
        scene.add(Collider{});
        scene.add(build_fem_model(fem_of(make_bar({1, 1, 1}, {4, 4, 4}), 1, clay(0.01))), {}, {{}, {0, 0.1, 0}},
                  {0, -3, 0});
        if (from) scene.state(scene.bodies()[0]) = *from, scene.set_clock(20, 20.0 / 120);
        for (int k = from ? 20 : 0; k < 40; ++k) {
            if (k == 20 && at) at->push_back(scene.state(scene.bodies()[0]));
            scene.step();
        }
        return scene.hash();
    };
    std::vector<BodyState> middle;
    const auto one = run(1, &middle, nullptr);
    CHECK(std::any_of(middle[0].fem.plastic.begin(), middle[0].fem.plastic.end(), [](float p) { return p != 0; }));
    CHECK(run(2, nullptr, nullptr) == one);
    CHECK(run(1, nullptr, &middle[0]) == one);
}

TEST_CASE("settling finds the shape that plastic strain wants and lets nothing flow")
{
    Scene scene({.dt = 1.0 / 120, .substeps = 1, .gravity = {}});
    scene.add(build_fem_model(fem_of(make_bar({2, 0.5, 0.5}, {4, 1, 1}), 0, clay())), {});
    // A stretch by 1.2 along x everywhere: a shape without stress.
    std::vector<float>& plastic = scene.state(scene.bodies()[0]).fem.plastic;
    for (std::size_t t = 0; t < plastic.size(); t += 6)
        plastic[t] = 0.44f, plastic[t + 1] = plastic[t + 2] = 1 / 1.2f - 1;
    const std::vector<float> before = plastic;
    Grip soft;
    for (std::size_t i = 0; i < scene.state(scene.bodies()[0]).positions.size(); ++i) {
        const Vec3 p = scene.state(scene.bodies()[0]).positions[i];
        const auto across = float(1 / std::sqrt(1.2));
        soft.particles.push_back(int(i)), soft.targets.push_back({p.x * 1.2f, p.y * across, p.z * across});
    }
    soft.stiffness = 1e-3f;  // so weak that it only holds the place
    scene.grips(scene.bodies()[0]) = {soft};
    const auto settled = scene.settle(scene.bodies()[0]);
    REQUIRE_MESSAGE(settled, settled.error().message());
    for (std::size_t i = 0; i < soft.targets.size(); ++i)
        CHECK(length(scene.state(scene.bodies()[0]).positions[i] - soft.targets[i]) < 1e-4f);
    CHECK(scene.state(scene.bodies()[0]).fem.plastic == before);
}

TEST_CASE("what cannot be is refused or repaired")
{
    for (const auto& [plasticity, word] : {std::pair{Plasticity{-1, 1, 1}, "yield"},
                                           {Plasticity{0.1, 0, 1}, "creep"},
                                           {Plasticity{0.1, 1, NAN}, "limit"},
                                           {Plasticity{INFINITY, 1, 1}, "yield"}}) {
        FemMaterial material = clay();
        material.plasticity = plasticity;
        BodySpec spec;
        spec.solid = fem_of(unit_tet(), 0, material);
        const auto built = build(std::move(spec));
        REQUIRE_FALSE(built);
        CHECK(built.error().message().find(word) != std::string::npos);
    }
    Scene scene({.dt = 1.0 / 120, .substeps = 1});
    scene.add(build_fem_model(fem_of(unit_tet(), 1, clay())), {});
    scene.state(scene.bodies()[0]).fem.plastic[3] = NAN;
    scene.state(scene.bodies()[0]).fem.plastic[6] = -2;
    scene.step();
    for (const Vec3& p : scene.state(scene.bodies()[0]).positions) CHECK(is_finite(p));
    for (const float p : scene.state(scene.bodies()[0]).fem.plastic) CHECK(std::isfinite(p));
}
