#include <doctest/doctest.h>

#include <random>

#include "bodies.h"
#include "matching/passes.h"
#include "sim/body_model.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A bar of 6 x 1 x 1 m that weighs 1 kg/m^3, pinned across its middle.
struct PinnedBar {
    PinnedBar(int cells_across, double dt, BodySettings settings, float g)
        : scene({.dt = dt, .substeps = 1, .gravity = {0, -g, 0}, .medium = {}, .threads = 1})
    {
        BodySpec spec;
        spec.density = 1;
        spec.solid = Matching{make_bar({6, 1, 1}, {6 * cells_across, cells_across, cells_across}, {-3, -0.5, -0.5})};
        settings.matching.damping = 0;
        settings.drag = 6;  // settles quickly; does not change where
        scene.add(build(spec).value(), settings);
        Grip pin;
        const auto rest = scene.model(scene.bodies()[0]).rest_positions();
        for (std::size_t i = 0; i < rest.size(); ++i) {
            if (std::abs(rest[i].x) < 1e-9) pin.particles.push_back(std::int32_t(i));
            if (rest[i].x == doctest::Approx(3)) tip.push_back(i);
        }
        for (const std::int32_t i : pin.particles) pin.targets.push_back(rest[std::size_t(i)].as<float>());
        scene.grips(scene.bodies()[0]).push_back(pin);
    }
    /// How far the ends hang below, once at rest.
    double sag(double seconds = 8)
    {
        while (scene.time() < seconds) report = scene.substep()[0];
        double sum = 0;
        for (const std::size_t i : tip)
            sum += scene.model(scene.bodies()[0]).rest_positions()[i].y -
                   double(scene.state(scene.bodies()[0]).positions[i].y);
        return sum / double(tip.size());
    }
    Scene scene;
    std::vector<std::size_t> tip;
    StepReport report;
};

BodySettings with_passes(int passes, bool accelerate = false)
{
    BodySettings settings;
    settings.matching.passes = passes;
    settings.matching.accelerate = accelerate;
    return settings;
}

BodySettings with_young(float young)
{
    BodySettings settings;
    settings.matching.young = young;
    return settings;
}

/// Sag of a clamped beam of length 3 under its weight, with the bending stiffness of regions, [ProcDef] 4.5.
double beam_sag(double young, double g, int cells_across)
{
    const double cell = 1.0 / cells_across, I_over_A = 1.0 / 12 + cell * cell / 4;
    return g * 81 / (8 * young * I_over_A);
}

}  // namespace

TEST_CASE("the sag of a pinned bar is inversely proportional to the passes")
{
    // The figures of the reference program, [ProcDef] 4.5.
    const std::pair<int, double> kSags[] = {{1, 0.5435}, {2, 0.2755}, {4, 0.1385}, {8, 0.0695}, {64, 0.0091}};
    for (const auto& [passes, sag] : kSags)
        CHECK(PinnedBar(2, 0.01, with_passes(passes), 9.8f).sag() == doctest::Approx(sag).epsilon(0.004));
}

TEST_CASE("accelerated passes sag like as many plain ones, in about the square root of their number")
{
    for (const int passes : {2, 3, 5, 12, 21, 48, 84}) {
        PinnedBar plain(2, 0.01, with_passes(passes), 2), fast(2, 0.01, with_passes(passes, true), 2);
        CHECK(fast.sag() == doctest::Approx(plain.sag()).epsilon(0.03));
        CHECK(fast.report.matching.passes <= std::ceil(std::sqrt(passes / 1.3)));
        CHECK(fast.report.matching.restarts == 0);
    }
}

TEST_CASE("a plan is as stiff as it was asked to be")
{
    for (const double stiffness : {0.01, 0.7, 1.0, 1.2, 1.7, 3.3, 12.0, 190.0, 5000.0}) {
        const matching::PassPlan plan = matching::accelerated_plan(stiffness);
        CHECK(matching::plain_equivalent(plan) == doctest::Approx(stiffness).epsilon(1e-6));
        CHECK(plan.alpha <= 1);
        CHECK(plan.alpha > 0.5 * std::min(stiffness, 1.0));
    }
    // Table of [ProcDef] 12.1.
    const std::pair<int, double> kTable[] = {{2, 5}, {3, 12}, {4, 21}, {6, 47}, {8, 84}, {12, 189}};
    for (const auto& [passes, replaced] : kTable) CHECK(matching::accelerated_plan(replaced).passes == passes);
}

TEST_CASE("Young's modulus gives the sag of a beam on any mesh with any step, in few passes")
{
    for (const int cells : {2, 3, 4})
        for (const double dt : {0.02, 0.01, 0.005})
            for (const float young : {400.0f, 40000.0f}) {
                const float g = young / 2000;
                PinnedBar bar(cells, dt, with_young(young), g);
                CAPTURE(cells);
                CAPTURE(dt);
                CAPTURE(young);
                CHECK(bar.sag() == doctest::Approx(beam_sag(young, g, cells)).epsilon(0.03));
                CHECK(bar.report.matching.passes <= 20);
            }
}

TEST_CASE("a body as stiff as accelerated passes make it comes back from any pose")
{
    const BodyModel model = bar({0.6, 2.4, 0.6}, {2, 8, 2});
    const auto rest = model.rest_positions();
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 1);
    for (int pose = 0; pose < 5; ++pose)
        for (const int passes : {5, 84}) {
            BodyState state = initial_state(model);
            for (std::size_t i = 0; i < rest.size(); ++i) {
                Vec3& p = state.positions[i];
                const Vec3 poses[] = {{normal(random), normal(random), normal(random)},
                                      {1, 2, 3},
                                      {p.x, 0, p.z},
                                      {p.x, p.y, -p.z},
                                      p * 10};
                p = poses[pose];
            }
            Scene scene(weightless(0.01));
            BodySettings settings = with_passes(passes, true);
            settings.matching.region_damping = 0.1f;
            scene.add(model, settings, state);
            for (int k = 0; k < 1500; ++k) scene.substep();
            CAPTURE(pose);
            CAPTURE(passes);
            CHECK(shape_error(scene) < 1e-3);
            CHECK(inverted_tets(scene) == 0);
        }
}

TEST_CASE("accelerated passes keep both momenta of a free body")
{
    Scene scene(weightless(0.01));
    BodySettings settings = with_passes(21, true);
    settings.matching.damping = 0;
    const BodyId id = scene.add(bar(), settings, {}, {}, {0.3, 0.2, 0.5});
    for (std::size_t i = 0; i < scene.state(id).velocities.size(); ++i) {
        const Vec3d p = scene.model(id).rest_positions()[i];
        scene.state(id).velocities[i].x += float(0.5 * std::sin(4 * p.y));
    }
    const Vec3d start = angular_momentum(scene), centre = center_of_mass(scene);
    Vec3d momentum;
    for (std::size_t i = 0; i < scene.model(id).masses().size(); ++i)
        momentum += scene.state(id).velocities[i].as<double>() * scene.model(id).masses()[i];
    double mass = 0;
    for (const double m : scene.model(id).masses()) mass += m;
    for (int k = 0; k < 500; ++k) scene.substep();
    CHECK(length(angular_momentum(scene) - start) < 2e-3 * length(start));
    CHECK(length(center_of_mass(scene) - centre - momentum * (5 / mass)) < 1e-4);
}
