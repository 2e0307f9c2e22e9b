// Steps cut into slices: how many, where a body may be meanwhile, and that the slices add up to the step.
#include <doctest/doctest.h>

#include <random>

#include "bodies.h"
#include "sim/slices.h"
#include "sim/solid_kind.h"

using namespace yawara;
using namespace yawara::test;

namespace {

BodyModel rubber(double young)
{
    BodySpec spec;
    spec.name = "rubber";
    Fem fem;
    fem.mesh = make_bar({0.4, 0.2, 0.2}, {2, 1, 1});
    fem.levels = 1;
    fem.material = [young](const MaterialPlace&) { return FemMaterial{isotropic(young, 0.3).value(), {}, 1000}; };
    spec.solid = std::move(fem);
    return build(std::move(spec)).value();
}

BodyState random_state(const BodyModel& model, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    BodyState state = initial_state(model);
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        state.positions[i] += Vec3{normal(random), normal(random), normal(random)} * 0.1f;
        state.velocities[i] = {normal(random), normal(random), normal(random)};
    }
    return state;
}

}  // namespace

TEST_CASE("slices are as long as the finest sub-step may be, and no shorter than they have to be")
{
    for (const double young : {1e4, 1e6})
        for (const double safety : {0.4, 0.8}) {
            const BodyModel model = rubber(young);
            BodySettings settings;
            settings.fem.safety = safety;
            const double longest = safety * model.forest().stable_step;
            for (const double dt : {1e-4, 1.0 / 300, 1.0 / 60}) {
                const int slices = kind_of(model).slices(model.data(), settings, dt);
                CHECK(dt / slices <= longest * (1 + 1e-6));
                if (slices > 1) CHECK(dt / (slices - 1) > longest * (1 - 1e-6));
            }
            CHECK(kind_of(model).slices(model.data(), settings, 1.0 / 60) > 1);
        }
}

TEST_CASE("bodies that match and those that step implicitly need no slices")
{
    CHECK(kind_of(bar()).slices(bar().data(), {}, 1.0) == 1);
    BodySettings settings;
    settings.fem.integration = Integration::implicit_step;
    CHECK(kind_of(rubber(1e7)).slices(rubber(1e7).data(), settings, 1.0 / 60) == 1);
}

TEST_CASE("a body's swept_box hold every particle at the start and at the end of a step, and no more")
{
    const BodyModel model = bar();
    const BodyState state = random_state(model, 1);
    constexpr double kDt = 0.05;
    for (const float margin : {0.0f, 0.3f}) {
        const contact::FloatBox box = swept_box(state, margin, kDt);
        Box3 exact;
        for (std::size_t i = 0; i < state.positions.size(); ++i)
            for (const double share : {0.0, 0.5, 1.0})
                exact.add((state.positions[i].as<double>() + state.velocities[i].as<double>() * (kDt * share)));
        for (int axis = 0; axis < 3; ++axis) {
            CHECK(double(box.low[axis]) == doctest::Approx(exact.low[axis] - double(margin)));
            CHECK(double(box.high[axis]) == doctest::Approx(exact.high[axis] + double(margin)));
        }
    }
}

TEST_CASE("a step walked in slices that nothing disturbs ends where it ended, with the same velocities")
{
    const BodyModel model = bar();
    for (const int slices : {1, 2, 7, 40}) {
        const BodyState before = random_state(model, 2);
        BodyState after = random_state(model, 3);  // obstacles may have put it anywhere
        const BodyState end = after;
        SlicedMotion sliced_motion;
        sliced_motion.begin(before.positions, 1.0 / 60, slices, after);
        CHECK(after.positions == before.positions);
        for (int slice = 0; slice < slices; ++slice) sliced_motion.advance(after);
        CHECK(after.velocities == end.velocities);
        for (std::size_t i = 0; i < end.positions.size(); ++i)
            CHECK(length(after.positions[i] - end.positions[i]) < 1e-5f);
    }
}

TEST_CASE("a velocity changed between two slices acts in those that are left")
{
    const BodyModel model = bar();
    constexpr double kDt = 1.0 / 60;
    constexpr int kSlices = 10, kKick = 3;
    const BodyState before = random_state(model, 4);
    BodyState plain = random_state(model, 5), kicked = plain;
    const Vec3 kick{0.5f, -2, 1};
    for (BodyState* state : {&plain, &kicked}) {
        SlicedMotion sliced_motion;
        sliced_motion.begin(before.positions, kDt, kSlices, *state);
        for (int slice = 0; slice < kSlices; ++slice) {
            if (state == &kicked && slice == kKick)
                for (Vec3& v : state->velocities) v += kick;
            sliced_motion.advance(*state);
        }
    }
    const Vec3 expected = kick * float(kDt * (kSlices - kKick) / kSlices);
    for (std::size_t i = 0; i < plain.positions.size(); ++i)
        CHECK(length(kicked.positions[i] - plain.positions[i] - expected) < 1e-5f);
}
