#include "contact/keep_out.h"

#include <doctest/doctest.h>

#include <vector>

using namespace yawara;

TEST_CASE("points in a ball are moved to its surface by the nearest way, others stay")
{
    const Collider ball{.shape = Sphere{{1, 0, 0}, 0.5}};
    std::vector<Vec3> points{{0.7f, 0, 0}, {0.2f, 0, 0}, {1, 0.4f, 0}, {1, 0, 0.1f}};
    contact::keep_out(ball, 0.25, {}, points);
    CHECK(length(points[0] - Vec3{0.5f, 0, 0}) < 1e-6f);
    CHECK(points[1] == Vec3{0.2f, 0, 0});
    CHECK(length(points[2] - Vec3{1, 0.5f, 0}) < 1e-6f);
    CHECK(length(points[3] - Vec3{1, 0, 0.35f}) < 1e-6f);  // no farther than it may be moved
}
