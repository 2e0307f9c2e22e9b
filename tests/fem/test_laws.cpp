#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "fem/build_laws.h"
#include "fem/law_elements.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

Mat3d random_matrix(std::mt19937& random, double size)
{
    std::normal_distribution<double> normal(0, size);
    const auto v = [&] { return Vec3d{normal(random), normal(random), normal(random)}; };
    return {v(), v(), v()};
}

Mat3d random_turn(std::mt19937& random)
{
    std::normal_distribution<double> normal;
    return rotation(Vec3d{normal(random), normal(random), normal(random)}, 2 * normal(random));
}

double& entry(Mat3d& m, int k)
{
    Vec3d& column = k / 3 == 0 ? m.c0 : k / 3 == 1 ? m.c1 : m.c2;
    return k % 3 == 0 ? column.x : k % 3 == 1 ? column.y : column.z;
}

double distance(const Mat3d& a, const Mat3d& b)
{
    double square = 0;
    for (int k = 0; k < 9; ++k) {
        Mat3d difference = a - b;
        square += entry(difference, k) * entry(difference, k);
    }
    return std::sqrt(square);
}

Eigen::Matrix<double, 9, 9> matrix_of(const LawHessian& hessian)
{
    return Eigen::Map<const Eigen::Matrix<double, 9, 9>>(hessian.h.data());
}

}  // namespace

TEST_CASE("stress and second derivative of every law are differences of its energy")
{
    std::mt19937 random(1);
    constexpr double kStep = 1e-5;
    for (const std::string_view name : law_names()) {
        CAPTURE(name);
        const auto law = law_named(name);
        REQUIRE(law);
        CHECK(law->name() == name);
        for (int trial = 0; trial < 30; ++trial) {
            CAPTURE(trial);
            const Elasticity material =
                law->takes_any_tensor() ? random_elasticity(random) : isotropic(2.0, 0.1 + 0.012 * trial).value();
            Mat3d F = random_turn(random) * (Mat3d{} + random_matrix(random, trial < 5 ? 1e-3 : 0.25));
            if (trial == 0) F = Mat3d{};
            Mat3d P = law->stress(material, F);
            const auto H = matrix_of(law->hessian(material, F, false));
            const double scale = H.cwiseAbs().maxCoeff();
            for (int k = 0; k < 9; ++k) {
                const double here = entry(F, k);
                entry(F, k) = here + kStep;
                const double more = law->energy(material, F);
                Mat3d after = law->stress(material, F);
                entry(F, k) = here - kStep;
                const double less = law->energy(material, F);
                Mat3d before = law->stress(material, F);
                entry(F, k) = here;
                CHECK(std::abs((more - less) / (2 * kStep) - entry(P, k)) < 1e-8 * scale);
                for (int m = 0; m < 9; ++m)
                    CHECK(std::abs((entry(after, m) - entry(before, m)) / (2 * kStep) - H(m, k)) < 1e-6 * scale);
            }
            const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> positive(
                matrix_of(law->hessian(material, F, true)));
            CHECK(positive.eigenvalues()[0] > -1e-10 * scale);
        }
    }
}

TEST_CASE("every law is at rest at rest, as stiff there as its tensor, linear in it, and blind to rotations")
{
    std::mt19937 random(2);
    for (const std::string_view name : law_names()) {
        CAPTURE(name);
        const auto law = law_named(name);
        const auto any = [&] {
            return law->takes_any_tensor() ? random_elasticity(random) : isotropic(random() % 5 + 1.0, 0.3).value();
        };
        const Elasticity a = any(), b = any();
        CHECK(std::abs(law->energy(a, {})) < 1e-14);
        CHECK(distance(law->stress(a, {}), Mat3d::zero()) < 1e-14);
        // A small symmetric displacement gradient sees the tensor.
        const auto H = matrix_of(law->hessian(a, {}, false));
        Eigen::Matrix<double, 9, 6> strain = Eigen::Matrix<double, 9, 6>::Zero();  // unit strains as matrices
        for (int I = 0; I < 3; ++I) strain(4 * I, I) = 1;
        strain(1, 3) = strain(3, 3) = strain(2, 4) = strain(6, 4) = strain(5, 5) = strain(7, 5) = 0.5;
        const fem::Matrix6 seen = strain.transpose() * H * strain;
        CHECK((seen - fem::to_eigen(a)).cwiseAbs().maxCoeff() < 1e-12 * H.cwiseAbs().maxCoeff());

        const Mat3d F = Mat3d{} + random_matrix(random, 0.3), R = random_turn(random);
        CHECK(std::abs(law->energy(a, R * F) - law->energy(a, F)) < 1e-12);
        CHECK(distance(law->stress(a, R * F), R * law->stress(a, F)) < 1e-12);
        Elasticity mix;
        for (std::size_t k = 0; k < 36; ++k) mix.c[k] = 2 * a.c[k] + 3 * b.c[k];
        CHECK(law->energy(mix, F) == doctest::Approx(2 * law->energy(a, F) + 3 * law->energy(b, F)));
    }
}

TEST_CASE("stiffening bounds the second derivative of every law beyond that at rest")
{
    std::mt19937 random(3);
    using Solver = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>;
    for (const std::string_view name : law_names()) {
        CAPTURE(name);
        const auto law = law_named(name);
        const Elasticity material = isotropic(1.0, 0.4).value();
        const double rest = Solver(matrix_of(law->hessian(material, {}, false))).eigenvalues()[8];
        for (int trial = 0; trial < 50; ++trial) {
            const Mat3d F = random_turn(random) * (Mat3d{} + random_matrix(random, 0.3));
            const double now = Solver(matrix_of(law->hessian(material, F, false))).eigenvalues()[8];
            CHECK(now <= rest + law->stiffening(material, F) + 1e-9);
        }
    }
}

TEST_CASE("only St. Venant-Kirchhoff gives way under compression, and the neo-Hookean law resists inversion")
{
    const Elasticity material = isotropic(1.0, 0.3).value();
    const auto force = [&](std::string_view name, double stretch) {  // that presses a cube flat, sides held
        Mat3d F;
        F.c0.x = stretch;
        return -law_named(name)->stress(material, F).c0.x;
    };
    CHECK(force("stvk", 0.2) < force("stvk", 0.577));
    CHECK(force("stvk", -0.2) < 0);
    for (const char* name : {"neo-hookean", "corotational"})
        for (double stretch = 0.9; stretch > -0.95; stretch -= 0.1)
            CHECK(force(name, stretch - 0.1) > force(name, stretch));
}

TEST_CASE("the volume part of a tensor is the largest that leaves the rest positive")
{
    std::mt19937 random(4);
    for (int trial = 0; trial < 20; ++trial) {
        const Elasticity tensor = trial == 0 ? isotropic(3.0, 0.49).value() : random_elasticity(random);
        const fem::Matrix6 volume = fem::to_kelvin(fem::to_eigen(fem::volume_part(tensor)));
        const fem::Matrix6 whole = fem::to_kelvin(fem::to_eigen(tensor));
        const auto least = [](const fem::Matrix6& m) {
            return Eigen::SelfAdjointEigenSolver<fem::Matrix6>(m).eigenvalues()[0];
        };
        CHECK(volume(0, 0) > 0);
        CHECK(least(whole - volume) > -1e-9);
        CHECK(least(whole - volume * 1.001) < 0);
    }
}

TEST_CASE("the nearest isotropic tensor has the same stiffness against volume and, on average, against shape")
{
    std::mt19937 random(5);
    const Elasticity tensor = random_elasticity(random), near = fem::nearest_isotropic(tensor);
    fem::Lame lame;
    CHECK(fem::is_isotropic(near, lame));
    const auto distance_to = [&](double lambda, double mu) {
        return (fem::to_kelvin(fem::to_eigen(isotropic_lame(lambda, mu))) - fem::to_kelvin(fem::to_eigen(tensor)))
            .norm();
    };
    const double least = distance_to(lame.lambda, lame.mu);
    for (const double step : {-1e-3, 1e-3}) {
        CHECK(distance_to(lame.lambda + step, lame.mu) > least);
        CHECK(distance_to(lame.lambda, lame.mu + step) > least);
    }
}
