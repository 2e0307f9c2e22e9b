// The sub-step a body takes: below what is stable in any shape, and steady, so that it does not heat.
#include <doctest/doctest.h>

#include "fem/advance.h"
#include "fem/element.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A corner of the unit cube, stretched at random.
TetMesh random_tet(std::mt19937& random)
{
    std::uniform_real_distribution<double> size(0.3, 1.5), off(-0.3, 0.3);
    return {{{0, 0, 0},
             {size(random), off(random), off(random)},
             {off(random), size(random), off(random)},
             {off(random), off(random), size(random)}},
            {{0, 1, 2, 3}},
            {}};
}

/// True if symplectic Euler steps of length h swing up: a real eigenvalue of the step below -1. (One above 1 is a
/// squeezed tet that snaps, whatever the step.)
bool overshoots(const fem::Tangent& K, const fem::Tangent& B, double mass, double h)
{
    Eigen::Matrix<double, 24, 24> step;
    const fem::Tangent I = fem::Tangent::Identity(), faster = I - h / mass * B, pulled = -h / mass * K;
    step << I + h * pulled, h * faster, pulled, faster;
    for (const std::complex<double>& value : step.eigenvalues())
        if (value.real() < -1 - 1e-6) return true;
    return false;
}

/// Energy of a free body without viscosity in the second half of some frames over that in the first.
double heated(Fem fem, double dt, double safety, float speed, int frames)
{
    const BodyModel model = build_fem_model(std::move(fem));
    BodyState start = initial_state(model);
    std::mt19937 random(4);
    std::normal_distribution<float> noise(0, speed);
    for (Vec3& v : start.velocities) v = {noise(random), noise(random), noise(random)};
    Scene scene({.dt = dt, .substeps = 1, .gravity = {}});
    BodySettings settings;
    settings.measure = true;
    settings.fem.safety = safety;
    scene.add(model, settings, start);
    double energy[2] = {};
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = scene.step()[0];
        energy[2 * frame / frames] += report.kinetic_energy + report.elastic_energy;
    }
    return energy[1] / energy[0];
}

}  // namespace

TEST_CASE("what has flowed is under tension where its strain alone would not tell")
{
    FemMaterial material{isotropic_lame(1e3, 2e4), {}, 100};
    material.plasticity.yield = 0.01;
    std::vector<std::string> warnings;
    const auto built = fem::build_fem(fem_of(unit_tet(), 0, material), 100, warnings);
    const fem::FemModel& model = built.value().model;
    fem::Workspace work(model);
    work.front.rebuild(model, {}, false);
    work.x.resize(16), work.v.assign(16, 0.0f);
    for (std::size_t k = 0; k < 4; ++k)
        fem::put(work.x, k, model.forest.rest()[std::size_t(work.front.used[k])].as<float>());
    const std::vector<float> none(6, 0.0f), flowed{-0.75f, 1, 1, 0, 0, 0};  // C_p - I, det C_p = 1
    work.front.take_plastic(model, none);
    const double at_ease = fem::survey(model, true, work).stable;
    work.front.take_plastic(model, flowed);
    const double tense = fem::survey(model, true, work).stable;
    CHECK(at_ease == doctest::Approx(fem::survey(model, true, work).at_rest));
    CHECK(tense < 0.9 * at_ease);
}

TEST_CASE("the stable step is no longer than that of the exact tangent, in any shape")
{
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    int squeezed = 0;
    double shares = 0;
    constexpr int kRounds = 400;
    for (int round = 0; round < kRounds; ++round) {
        const bool viscous = round % 3 == 0, barrier = round % 2 == 0;
        const double rho = 100;
        const Elasticity C = round % 5 == 0 ? isotropic_lame(1e4, 2e4) : random_elasticity(random, 1e4);
        const Elasticity D = viscous ? random_elasticity(random, 1e3) : Elasticity{};
        std::vector<std::string> warnings;
        const auto built = fem::build_fem(fem_of(random_tet(random), 0, {C, D, rho}), rho, warnings);
        const fem::FemModel& model = built.value().model;
        Mat3d F;
        const double strain = round % 4 == 0 ? 0.01 : 0.4;
        for (Vec3d* column : {&F.c0, &F.c1, &F.c2})
            *column += Vec3d{normal(random), normal(random), normal(random)} * strain;

        fem::Workspace work(model);
        work.front.rebuild(model, {}, false);
        work.x.resize(16), work.v.assign(16, 0.0f);
        fem::Forces x;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::int32_t n = work.front.used[k];
            const Vec3 p = (F * model.forest.rest()[std::size_t(n)]).as<float>();
            fem::put(work.x, k, p);
            x.col(n) << double(p.x), double(p.y), double(p.z);
        }
        const fem::Survey now = fem::survey(model, barrier, work);
        squeezed += barrier && now.smallest < double(fem::kBarrierVolume);

        fem::Forces corners;
        for (int a = 0; a < 4; ++a) corners.col(a) = x.col(model.forest.tet(0)[std::size_t(a)]);
        const fem::TetShape shape = fem::shape_of(model.forest.corners(0));
        const fem::Element element{shape, fem::to_eigen(C), barrier ? double(model.constants[0].barrier) : 0.0};
        const fem::Tangent K = element_tangent(element, corners, false);
        const fem::Tangent B = element_viscous_tangent(shape, fem::to_eigen(D), corners);
        const double mass = rho * shape.volume / 4;
        INFO("round ", round, ", smallest ", now.smallest);
        CHECK(!overshoots(K, B, mass, now.stable * 0.999));
        const double exact = 2 / std::sqrt(Eigen::SelfAdjointEigenSolver<fem::Tangent>(K / mass).eigenvalues()[11]);
        if (!viscous) shares += now.stable / exact / (kRounds - (kRounds + 2) / 3);
        if (strain < 0.1 && !viscous) CHECK(now.stable > 0.85 * exact);
    }
    CHECK(squeezed > 10);
    CHECK(shares > 0.6);
}

TEST_CASE("one tet at the very limit of stability is not heated")
{
    const Fem fem = fem_of(unit_tet(), 0, {isotropic_lame(kLambda, kMu), {}, kRho});
    std::vector<std::string> warnings;
    const double limit = fem::build_fem(fem, kRho, warnings).value().model.finest_stable;
    for (const double dt : {0.98, 1.02, 1.9}) CHECK(heated(fem, dt * limit, 1, 0.1f, 4000) < 1.05);
}

TEST_CASE("violent motion without viscosity is not heated by sub-steps that follow it")
{
    const Fem bar = fem_of(make_bar({0.6, 0.3, 0.3}, {2, 1, 1}), 0, {isotropic_lame(6e4, 4e4), {}, 1000});
    for (const double safety : {0.8, 1.0})
        for (const float speed : {0.1f, 1.0f, 3.0f, 6.0f}) {
            const double ratio = heated(bar, 1.0 / 60, safety, speed, 1200);
            CHECK_MESSAGE(ratio < 1.25, "safety ", safety, ", speed ", speed, ": ", ratio);
            CHECK(ratio > 0.8);
        }
}

TEST_CASE("nodes that fly through each other within the sub-step of a body at rest do not make it explode")
{
    const BodyModel model =
        build_fem_model(fem_of(make_bar({1, 0.3, 0.3}, {4, 1, 1}), 1, {isotropic_lame(2.3e4, 1.5e4), {}, 1000}));
    BodyState start = initial_state(model);
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 12);
    for (Vec3& v : start.velocities) v = {noise(random), noise(random), noise(random)};
    double initial = 0;
    for (std::size_t i = 0; i < start.velocities.size(); ++i)
        initial += model.masses()[i] / 2 * double(dot(start.velocities[i], start.velocities[i]));
    Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {}});
    BodySettings settings;
    settings.measure = true;
    settings.fem.refinement = Refinement::full;
    scene.add(model, settings, start);
    double most = 0;
    for (int frame = 0; frame < 60; ++frame) {
        const StepReport report = scene.step()[0];
        most = std::max(most, report.kinetic_energy + report.elastic_energy);
    }
    CHECK(most < 1.3 * initial);
}

TEST_CASE("a tet of a subdivision swings as it does on its own, whatever its neighbours are made of")
{
    std::mt19937 random(4);
    std::uniform_real_distribution<double> off(-0.1, 0.1);
    TetMesh mesh = make_bar({2, 1, 1}, {2, 1, 1});
    for (Vec3d& p : mesh.vertices) p += Vec3d{off(random), off(random), off(random)};
    FemMaterial materials[2] = {{isotropic(1e6, 0.3).value(), {}, 1000}, {random_elasticity(random, 1e7), {}, 2500}};
    for (FemMaterial& material : materials) material.viscosity = material.elasticity * 1e-4;
    Fem fem = fem_of(mesh, 2);
    fem.material = [&](const MaterialPlace& place) { return materials[place.tet % 3 == 0]; };
    const auto model_of = [](const Fem& spec) {
        std::vector<std::string> warnings;
        return std::move(fem::build_fem(spec, Field<double>(1.0), warnings, Channels{}).value().model);
    };
    const fem::FemModel whole = model_of(fem);
    const fem::TetForest& forest = whole.forest;
    for (auto t = forest.first_of(2); t < std::int32_t(forest.tet_count()); ++t) {
        const auto corners = forest.corners(t);
        const TetMesh alone{{corners.begin(), corners.end()}, {{0, 1, 2, 3}}, {}};
        const fem::FemModel own = model_of(fem_of(alone, 0, materials[(t - forest.first_of(2)) % 3 == 0]));
        const fem::TetFrequency &found = whole.frequencies[std::size_t(t)], &expected = own.frequencies[0];
        CHECK(found.square == doctest::Approx(expected.square).epsilon(1e-6));
        CHECK(found.damping == doctest::Approx(expected.damping).epsilon(1e-6));
        CHECK(found.tension == doctest::Approx(expected.tension).epsilon(1e-6));
    }
}
