// When a body counts as resting, whatever the length of the steps.
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "sim/resting.h"

using namespace yawara;

namespace {

constexpr MotionRates kStill{0.001, 0.001}, kFast{1, 0.01}, kWobbling{0.001, 0.1}, kShaking{0.001, 0.3};

/// How long until the answer of rests() changes, s; at most ten seconds.
double time_until_change(float resting, const MotionRates& rates, bool slides, double dt)
{
    const bool before = rests(resting);
    for (double time = 0; time < 10; time += dt) {
        if (rests(resting) != before) return time;
        resting = next_resting_time(resting, rates, slides, float(dt));
    }
    return 10;
}

float rested(double dt)
{
    float resting = 0;
    for (double time = 0; time < 2; time += dt) resting = next_resting_time(resting, kStill, false, float(dt));
    return resting;
}

}  // namespace

TEST_CASE("a still body rests after half a second of any steps")
{
    for (const double dt : {1.0 / 60, 1.0 / 300, 1.0 / 2000})
        CHECK(std::abs(time_until_change(0, kStill, false, dt) - 0.5) < 2 * dt);
}

TEST_CASE("a body that moves quickly, shakes, or moves nobody knows how does not begin to rest")
{
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    for (const MotionRates& rates :
         {kFast, kShaking, MotionRates{unknown, unknown}, MotionRates{0.001, unknown}})
        CHECK(time_until_change(0, rates, false, 1.0 / 300) == 10);
    // One that slides slowly rests though its shape moves; one that only wobbles may do so for two seconds.
    CHECK(time_until_change(0, kWobbling, true, 1.0 / 300) < 0.6);
    CHECK(std::abs(time_until_change(0, kWobbling, false, 1.0 / 300) - 2) < 0.01);
}

TEST_CASE("a moment of motion starts the half second again")
{
    constexpr double kDt = 1.0 / 300;
    float resting = 0;
    for (int k = 0; k < 140; ++k) resting = next_resting_time(resting, kStill, false, float(kDt));
    CHECK_FALSE(rests(resting));
    resting = next_resting_time(resting, kFast, false, float(kDt));
    CHECK(std::abs(time_until_change(resting, kStill, false, kDt) - 0.5) < 3 * kDt);
}

TEST_CASE("a resting body bears a short slip, lets go when it slides for a while, and at once when it is quick")
{
    for (const double dt : {1.0 / 60, 1.0 / 300, 1.0 / 2000}) {
        const float resting = rested(dt);
        REQUIRE(rests(resting));
        CHECK(rests(next_resting_time(resting, kStill, true, float(dt))));
        const double patience = time_until_change(resting, kStill, true, dt);
        CHECK(patience > 0.05);
        CHECK(patience < 0.2);
        CHECK(time_until_change(resting, kFast, false, dt) <= 1.5 * dt);
        // Slips that are made good by as much time without do not add up.
        float answer = resting;
        for (double time = 0; time < 5; time += 2 * dt)
            answer = next_resting_time(next_resting_time(answer, kStill, true, float(dt)), kStill, false, float(dt));
        CHECK(rests(answer));
    }
}
