// The loops over all particles of a body, four floats at a time, against plain ones.
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <vector>

#include "sim/advance.h"

using namespace yawara;

TEST_CASE("advancing four particles at a time is advancing each, for any count, and tells what is not finite")
{
    std::mt19937 random(3);
    std::uniform_real_distribution<float> u(-2, 2);
    const auto vector = [&] { return Vec3{u(random), u(random), u(random)}; };
    const float h = 0.01f;
    for (std::size_t count = 0; count < 14; ++count) {
        std::vector<Vec3> x, v;
        for (std::size_t i = 0; i < count; ++i) x.push_back(vector()), v.push_back(vector());
        const MomentumCorrection correction{vector(), vector()};
        std::vector<Vec3> to = x, speeds = v;
        CHECK(advance(to.data(), speeds.data(), count, correction, h));
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 speed = v[i] + correction.shift + cross(correction.spin, x[i]);
            CHECK(length(speeds[i] - speed) < 1e-5f);
            CHECK(length(to[i] - (x[i] + speed * h)) < 1e-5f);
            std::vector<Vec3> bad_x = x, bad_v = v;
            bad_v[i].y = std::numeric_limits<float>::quiet_NaN();
            CHECK(!advance(bad_x.data(), bad_v.data(), count, correction, h));
        }
    }
}

TEST_CASE("what is not finite is found wherever it is among positions and velocities")
{
    for (std::size_t count = 0; count < 10; ++count) {
        const std::vector<Vec3> good(count, Vec3{1, -2, 3});
        CHECK(are_finite(good.data(), good.data(), count));
        for (std::size_t i = 0; i < count; ++i)
            for (int axis = 0; axis < 3; ++axis) {
                std::vector<Vec3> bad = good;
                bad[i][axis] = std::numeric_limits<float>::infinity();
                CHECK(!are_finite(bad.data(), good.data(), count));
                CHECK(!are_finite(good.data(), bad.data(), count));
            }
    }
}
