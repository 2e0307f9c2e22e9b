#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "yawara/rotation.h"

using namespace yawara;

namespace {

Eigen::Matrix3d eigen(const Mat3d& m)
{
    Eigen::Matrix3d e;
    e << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
    return e;
}

Mat3d random_matrix(std::mt19937& random)
{
    std::normal_distribution<double> normal;
    Mat3d m;
    for (Vec3d* c : {&m.c0, &m.c1, &m.c2}) *c = {normal(random), normal(random), normal(random)};
    return m;
}

bool is_rotation(const Mat3d& m)
{
    return (eigen(m) * eigen(m).transpose() - Eigen::Matrix3d::Identity()).norm() < 1e-9 &&
           std::abs(determinant(m) - 1) < 1e-9;
}

/// The largest tr(R^T A) over rotations, from the singular values.
double best_trace(const Mat3d& A)
{
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(eigen(A));
    const double sign = eigen(A).determinant() < 0 ? -1 : 1;
    return svd.singularValues()[0] + svd.singularValues()[1] + sign * svd.singularValues()[2];
}

double trace_of(const Mat3d& R, const Mat3d& A)
{
    return dot(R.c0, A.c0) + dot(R.c1, A.c1) + dot(R.c2, A.c2);
}

}  // namespace

TEST_CASE("the closest rotation reaches the bound that the singular values give, also for inverted matrices")
{
    std::mt19937 random(1);
    int inverted = 0;
    for (int k = 0; k < 2000; ++k) {
        const Mat3d A = random_matrix(random);
        inverted += determinant(A) < 0;
        const Mat3d R = to_matrix(closest_rotation(A, {}));
        REQUIRE(is_rotation(R));
        CHECK(trace_of(R, A) == doctest::Approx(best_trace(A)).epsilon(1e-6));
    }
    CHECK(inverted > 500);
}

TEST_CASE("flat, thin, zero and non-finite matrices still give a rotation")
{
    std::mt19937 random(2);
    for (int k = 0; k < 200; ++k) {
        const Mat3d base = random_matrix(random);
        const Quat previous = closest_rotation(random_matrix(random), {});
        const Mat3d flat{base.c0, base.c1, base.c0 + base.c1};
        const Mat3d thin{base.c0, base.c0 * 2.0, base.c0 * -0.5};
        for (const Mat3d& A : {flat, thin, Mat3d::zero(), base * 1e-200, base * 1e200})
            CHECK(is_rotation(to_matrix(closest_rotation(A, previous))));
        CHECK(trace_of(to_matrix(closest_rotation(flat, previous)), flat) == doctest::Approx(best_trace(flat)));
        Mat3d broken = base;
        broken.c1.y = std::nan("");
        CHECK(is_rotation(to_matrix(closest_rotation(broken, previous))));
    }
}

TEST_CASE("an ambiguous rotation stays near the previous one")
{
    const Quat previous = to_quat(rotation(Vec3d{0.3, -1, 2}, 1.1));
    const Mat3d R = to_matrix(closest_rotation(Mat3d::zero(), previous));
    CHECK(trace_of(R, to_matrix(previous)) == doctest::Approx(3));
    // A line: only its direction is known; the turn about it must come from the previous rotation.
    const Vec3d axis{0, 0, 1};
    const Quat turned = to_quat(rotation(axis, 0.8));
    const Mat3d kept = to_matrix(closest_rotation(outer(axis, axis), turned));
    CHECK(trace_of(kept, to_matrix(turned)) == doctest::Approx(3).epsilon(1e-6));
}
