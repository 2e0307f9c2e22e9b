// A state that does not fit its model, and numbers that are none: repaired and said, never a crash.
#include <doctest/doctest.h>

#include <limits>

#include "bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

BodyModel elements()
{
    BodySpec spec;
    Fem fem;
    fem.mesh = make_bar({1, 1, 1}, {2, 2, 2});
    fem.material = [](const MaterialPlace&) { return FemMaterial{isotropic(1e5, 0.3).value(), {}, 1000}; };
    spec.solid = std::move(fem);
    return build(std::move(spec)).value();
}

bool all_finite(const BodyState& state)
{
    return std::all_of(state.positions.begin(), state.positions.end(), [](Vec3 p) { return is_finite(p); }) &&
           std::all_of(state.velocities.begin(), state.velocities.end(), [](Vec3 v) { return is_finite(v); });
}

}  // namespace

TEST_CASE("a state that does not fit its model is repaired and counted")
{
    for (const BodyModel& model : {bar(), elements()})
        for (const std::size_t length : {std::size_t{0}, std::size_t{5}, model.particle_count() + 7}) {
            CAPTURE(model.is_fem());
            CAPTURE(length);
            Scene scene(weightless());
            const BodyId body = scene.add(model);
            scene.step();
            BodyState& state = scene.state(body);
            state.positions.resize(length);
            state.velocities.resize(length / 2);
            state.matching.rotations.clear();
            state.fem.front.resize(3);
            state.fem.accelerations.clear();
            CHECK(scene.step()[0].repaired_particles > 0);
            CHECK(state.positions.size() == model.particle_count());
            CHECK(state.velocities.size() == model.particle_count());
            CHECK(all_finite(state));
            CHECK(scene.step()[0].repaired_particles == 0);
        }
}

TEST_CASE("a body that is added with a state of another model is repaired")
{
    Scene scene;
    scene.add(Collider{});
    const BodyId body = scene.add(bar(), {}, initial_state(bar({1, 1, 1}, {1, 1, 1})));
    CHECK(scene.step()[0].repaired_particles > 0);
    CHECK(all_finite(scene.state(body)));
}

TEST_CASE("settings that are no numbers are replaced for the step and counted")
{
    for (const BodyModel& model : {bar(), elements()}) {
        Scene scene;
        scene.add(Collider{});
        const BodyId body = scene.add(model);
        scene.step();
        BodySettings& settings = scene.body_settings(body);
        settings.drag = settings.matching.alpha = settings.matching.young = settings.matching.damping = kNan;
        settings.contact.friction = std::numeric_limits<float>::infinity();
        settings.fem.safety = settings.fem.tolerance = double(kNan);
        scene.settings().gravity.y = kNan;
        scene.settings().medium.drag = kNan;
        CHECK(scene.step()[0].repaired_numbers == 9);
        CHECK(all_finite(scene.state(body)));
        CHECK(std::isnan(settings.matching.alpha));
    }
}

TEST_CASE("no time passes in steps whose length is no number")
{
    for (const double dt : {double(kNan), 0.0, -1.0, std::numeric_limits<double>::infinity()}) {
        Scene scene;
        const BodyId body = scene.add(bar());
        scene.settings().dt = dt;
        const std::uint64_t before = scene.hash();
        CHECK(scene.step()[0].repaired_numbers > 0);
        CHECK(scene.hash() == before);
        CHECK(scene.time() == 0);
        scene.settings().dt = 0.01;
        CHECK(scene.step()[0].repaired_numbers == 0);
        CHECK(scene.state(body).velocities[0].y < 0);
    }
}
