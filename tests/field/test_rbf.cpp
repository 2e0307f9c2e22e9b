#include <doctest/doctest.h>

#include <Eigen/Core>
#include <random>

#include "field/rbf.h"

using namespace yawara;

TEST_CASE("radial functions meet every sample and reproduce linear fields exactly")
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-2, 2);
    const auto point = [&] { return Vec3d{uniform(random), uniform(random), uniform(random)}; };
    for (const auto kernel : {field::Kernel::r, field::Kernel::r3}) {
        std::vector<Vec3d> points;
        for (int k = 0; k < 60; ++k) points.push_back(point());
        Eigen::MatrixXd values(60, 2);
        for (int k = 0; k < 60; ++k)
            values.row(k) << uniform(random), 0.3 + 2 * points[std::size_t(k)].x - points[std::size_t(k)].z;
        const field::Rbf field(points, values, kernel, field::Polynomial::linear);
        for (int k = 0; k < 60; ++k) CHECK((field(points[std::size_t(k)]) - values.row(k)).norm() < 1e-9);
        const field::Rbf linear(points, values.col(1), kernel, field::Polynomial::linear);
        for (int k = 0; k < 20; ++k) {
            const Vec3d p = point();
            CHECK(linear(p)[0] == doctest::Approx(0.3 + 2 * p.x - p.z).epsilon(1e-10));
            CHECK(length(linear.gradient(p) - Vec3d{2, 0, -1}) < 1e-9);
        }
    }
}

TEST_CASE("the gradient of radial functions is their slope")
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Vec3d> points;
    Eigen::MatrixXd values(40, 1);
    for (int k = 0; k < 40; ++k) {
        points.push_back({uniform(random), uniform(random), uniform(random)});
        values(k, 0) = uniform(random);
    }
    const field::Rbf field(points, values, field::Kernel::r3, field::Polynomial::linear);
    for (const Vec3d p : {Vec3d{0.1, 0.2, 0.3}, points[0], Vec3d{-0.7, 0.4, 0.9}}) {
        const double h = 1e-5;
        const Vec3d slope{field(p + Vec3d{h, 0, 0})[0] - field(p - Vec3d{h, 0, 0})[0],
                          field(p + Vec3d{0, h, 0})[0] - field(p - Vec3d{0, h, 0})[0],
                          field(p + Vec3d{0, 0, h})[0] - field(p - Vec3d{0, 0, h})[0]};
        CHECK(length(field.gradient(p) - slope / (2 * h)) < 1e-6);
    }
}

TEST_CASE("five thousand painted points are met within a hundredth and stay interactive by thinning")
{
    std::mt19937 random(9);
    std::normal_distribution<double> normal;
    std::vector<Vec3d> points;
    Eigen::MatrixXd values(5000, 1);
    for (int k = 0; k < 5000; ++k) {
        points.push_back(normalized(Vec3d{normal(random), normal(random), normal(random)}));
        values(k, 0) = std::sin(3 * points.back().x) * points.back().y;
    }
    const field::Rbf field(points, values, field::Kernel::r3, field::Polynomial::linear);
    CHECK(field.center_count() <= field::Rbf::kMostCenters);
    double worst = 0;
    for (int k = 0; k < 5000; ++k) worst = std::max(worst, std::abs(field(points[std::size_t(k)])[0] - values(k, 0)));
    CHECK(worst < 0.01);
    CHECK(field.left_error() == doctest::Approx(worst));
}
