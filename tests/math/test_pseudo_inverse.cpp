#include <doctest/doctest.h>

#include <random>

#include "math/pseudo_inverse.h"

using namespace yawara;

namespace {

struct Sums {
    Mat3d A = Mat3d::zero();
    Vec3d b;
    void add(Vec3d d, double value) { A = A + outer(d, d), b += d * value; }
};

}  // namespace

TEST_CASE("the slope of a linear function is found from points around a place")
{
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const Vec3d slope{1, -2, 0.5};
    for (const double size : {1e-6, 1.0, 1e6}) {
        Sums sums;
        for (int k = 0; k < 6; ++k) {
            const Vec3d d = Vec3d{normal(random), normal(random), normal(random)} * size;
            sums.add(d, dot(slope, d));
        }
        CHECK(length(pseudo_inverse(sums.A) * sums.b - slope) < 1e-9);
    }
}

TEST_CASE("points in a plane, on a line or at the place itself give the slope along them alone")
{
    const Vec3d slope{1, -2, 0.5}, u = normalized(Vec3d{1, 2, 3}), v = normalized(cross(u, Vec3d{0, 0, 1}));
    Sums plane, line;
    for (const auto& [a, b] : {std::pair{1.0, 0.3}, {-0.5, 0.8}, {0.2, -1.1}}) {
        plane.add(u * a + v * b, dot(slope, u * a + v * b));
        line.add(u * a, dot(slope, u * a));
    }
    CHECK(length(pseudo_inverse(plane.A) * plane.b - (u * dot(u, slope) + v * dot(v, slope))) < 1e-12);
    CHECK(length(pseudo_inverse(line.A) * line.b - u * dot(u, slope)) < 1e-12);
    CHECK(pseudo_inverse(Mat3d::zero()) == Mat3d::zero());
}
