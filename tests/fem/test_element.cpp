// The element and its tensors against independent arithmetic: differences of the energy, a worked case, rotations.
#include <doctest/doctest.h>

#include "fem/element.h"
#include "fem/fem_model.h"
#include "fem/front.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

fem::Forces random_points(std::mt19937& random, double size)
{
    std::normal_distribution<double> normal;
    fem::Forces p;
    for (int a = 0; a < 4; ++a)
        for (int i = 0; i < 3; ++i) p(i, a) = size * normal(random);
    return p;
}

/// A random tet with a sound shape.
std::array<Vec3d, 4> random_tet(std::mt19937& random)
{
    for (;;) {
        const fem::Forces p = random_points(random, 1);
        std::array<Vec3d, 4> c;
        for (std::size_t a = 0; a < 4; ++a) c[a] = {p(0, int(a)), p(1, int(a)), p(2, int(a))};
        if (fem::shape_of(c).volume < 0) std::swap(c[2], c[3]);
        if (fem::shape_of(c).volume > 0.1) return c;
    }
}

fem::Forces to_columns(const std::array<Vec3d, 4>& c)
{
    fem::Forces p;
    for (int a = 0; a < 4; ++a) p.col(a) << c[std::size_t(a)].x, c[std::size_t(a)].y, c[std::size_t(a)].z;
    return p;
}

Eigen::Matrix3d random_rotation(std::mt19937& random)
{
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}

}  // namespace

TEST_CASE("forces are minus the gradient of the energy and the tangent is that of the forces")
{
    std::mt19937 random(1);
    for (int round = 0; round < 40; ++round) {
        const auto rest = random_tet(random);
        fem::Element element{fem::shape_of(rest), fem::to_eigen(random_elasticity(random)), round % 2 ? 3.0 : 0.0};
        const fem::Forces x = round < 20 ? random_points(random, 1) : fem::Forces(0.3 * to_columns(rest));
        const fem::Forces f = element_forces(element, x);
        const fem::Tangent K = element_tangent(element, x, false);
        const double h = 1e-6;
        for (int k = 0; k < 12; ++k) {
            fem::Forces plus = x, minus = x;
            plus(k % 3, k / 3) += h;
            minus(k % 3, k / 3) -= h;
            const double slope = (element_energy(element, plus) - element_energy(element, minus)) / (2 * h);
            CHECK(std::abs(f(k % 3, k / 3) + slope) < 1e-6 * f.norm());
            const fem::Forces change = (element_forces(element, plus) - element_forces(element, minus)) / (2 * h);
            for (int j = 0; j < 12; ++j) CHECK(std::abs(K(j, k) + change(j % 3, j / 3)) < 1e-6 * K.norm());
        }
        // No total force, no moment.
        CHECK(f.rowwise().sum().norm() < 1e-12 * f.norm());
        Eigen::Vector3d moment = Eigen::Vector3d::Zero();
        for (int a = 0; a < 4; ++a) moment += x.col(a).cross(f.col(a));
        CHECK(moment.norm() < 1e-11 * f.norm());
        // The reduced tangent has no negative eigenvalue.
        const Eigen::SelfAdjointEigenSolver<fem::Tangent> solver(element_tangent(element, x, true));
        CHECK(solver.eigenvalues()[0] > -1e-9 * solver.eigenvalues()[11]);
    }
}

TEST_CASE("rigid motion makes no force, and turning a deformed tet turns its forces")
{
    std::mt19937 random(2);
    for (int round = 0; round < 20; ++round) {
        const auto rest = random_tet(random);
        const fem::Element element{fem::shape_of(rest), fem::to_eigen(random_elasticity(random)), 0};
        const Eigen::Matrix3d R = random_rotation(random);
        const Eigen::Vector3d shift = Eigen::Vector3d::Random();
        CHECK(element_forces(element, (R * to_columns(rest)).colwise() + shift).norm() < 1e-12);
        const fem::Forces x = random_points(random, 1);
        const fem::Forces f = element_forces(element, x), turned = element_forces(element, (R * x).colwise() + shift);
        CHECK((turned - R * f).norm() < 1e-10 * f.norm());
    }
}

TEST_CASE("the worked case of the specification comes out")
{
    const std::array<Vec3d, 4> m{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const fem::TetShape shape = fem::shape_of(m);
    Eigen::Matrix3d F, rate;
    F << 1.1, 0.2, 0, 0, 0.9, 0.1, 0, 0, 1.05;
    rate << 0, 1, 0, 0, 0, 2, 0.5, 0, 0;
    const fem::Forces x = (F * to_columns(m)).colwise() + Eigen::Vector3d(3, 4, 5);
    const fem::Forces v = (rate * to_columns(m)).colwise() + Eigen::Vector3d(1, 1, 1);
    const fem::Element element{shape, fem::to_eigen(isotropic_lame(1, 0.5)), 0};
    CHECK(element_energy(element, x) == doctest::Approx(0.00462526041667).epsilon(1e-10));
    const fem::Forces f = element_forces(element, x);
    CHECK((f.col(0) - Eigen::Vector3d(0.0607708333, 0.0280625, 0.0328125)).norm() < 1e-9);
    CHECK((f.col(3) - Eigen::Vector3d(-0.0015, -0.009125, -0.0249375)).norm() < 1e-9);
    const fem::Forces fv = element_viscous_forces(shape, fem::to_eigen(isotropic_lame(0.02, 0.03)), x, v);
    CHECK((fv.col(0) - Eigen::Vector3d(0.0139708333, 0.0175458333, 0.01570625)).norm() < 1e-9);
    CHECK((fv.array() * v.array()).sum() == doctest::Approx(-0.0249614583333).epsilon(1e-10));

    const Elasticity wood = orthotropic({{10, 2, 1}, {0.3, 0.25, 0.2}, {3, 1, 0.5}}).value();
    const fem::Element turned_wood{shape, fem::to_eigen(turned(wood, rotation(Vec3d{0, 0, 1}, M_PI / 6))), 0};
    CHECK(element_energy(turned_wood, x) == doctest::Approx(0.0226081820009).epsilon(1e-9));
    CHECK((element_forces(turned_wood, x).col(0) - Eigen::Vector3d(0.3783361069, 0.1327856232, 0.0272936688)).norm() <
          1e-8);
}

TEST_CASE("the force loop agrees with the element in double, for every kind of material and instruction set")
{
    std::mt19937 random(3);
    for (const int kind : {0, 1, 2, 3}) {
        const bool isotropic = kind < 2, viscous = kind % 2;
        Fem fem = fem_of(make_bar({2, 1, 1}, {6, 4, 4}, {}), 0);  // several chunks
        fem.material = [&](const MaterialPlace&) -> FemMaterial {
            return {isotropic ? isotropic_lame(1, 0.7) : random_elasticity(random),
                    !viscous    ? Elasticity{}
                    : isotropic ? isotropic_lame(0.1, 0.2)
                                : random_elasticity(random, 0.1),
                    1};
        };
        std::vector<std::string> warnings;
        const fem::FemModel model = std::move(fem::build_fem(fem, 1, warnings).value().model);
        REQUIRE(model.isotropic == isotropic);
        REQUIRE(model.viscous == viscous);
        fem::Front front(model);
        front.rebuild(model, {}, false);
        std::normal_distribution<float> normal;
        fem::Nodal x(4 * front.used.size()), v(x.size()), f(x.size());
        for (std::size_t k = 0; k < front.used.size(); ++k) {
            const Vec3 p = model.forest.rest()[std::size_t(front.used[k])].as<float>();
            fem::put(x, k, p * 1.2f + Vec3{normal(random), normal(random), normal(random)} * 0.05f);
            fem::put(v, k, {normal(random), normal(random), normal(random)});
        }
        std::vector<Eigen::Vector3d> expected(front.used.size(), Eigen::Vector3d::Zero());
        for (std::size_t t = 0; t < front.active.size(); ++t) {
            const auto m = std::size_t(model.material_of[std::size_t(front.active[t])]);
            const fem::Element element{fem::shape_of(model.forest.corners(front.active[t])),
                                       fem::to_eigen(model.elasticities[m]),
                                       double(model.constants[std::size_t(front.active[t])].barrier)};
            fem::Forces px, pv;
            for (int a = 0; a < 4; ++a) {
                const Vec3 p = fem::get(x, std::size_t(front.corners[t][std::size_t(a)]));
                const Vec3 q = fem::get(v, std::size_t(front.corners[t][std::size_t(a)]));
                px.col(a) << double(p.x), double(p.y), double(p.z);
                pv.col(a) << double(q.x), double(q.y), double(q.z);
            }
            const fem::Forces e = element_forces(element, px) +
                                  element_viscous_forces(element.shape, fem::to_eigen(model.viscosities[m]), px, pv);
            for (int a = 0; a < 4; ++a) expected[std::size_t(front.corners[t][std::size_t(a)])] += e.col(a);
        }
        for (const fem::Kernels* kernels : fem::available_kernels()) {
            CAPTURE(kernels->name);
            front.forces(model, x, v, true, f, nullptr, *kernels);
            double scale = 0, error = 0;
            for (std::size_t k = 0; k < expected.size(); ++k) {
                const Vec3 p = fem::get(f, k);
                scale = std::max(scale, expected[k].norm());
                error = std::max(error, (expected[k] - Eigen::Vector3d(double(p.x), double(p.y), double(p.z))).norm());
            }
            CHECK(error < 1e-5 * scale);
        }
    }
}

TEST_CASE("tensors turn like tensors")
{
    std::mt19937 random(4);
    const Elasticity tensor = random_elasticity(random);
    const Mat3d R = rotation(Vec3d{1, 2, 3}, 0.7);
    const auto a = eigenvalues(tensor), b = eigenvalues(turned(tensor, R));
    for (std::size_t k = 0; k < 6; ++k) CHECK(a[k] == doctest::Approx(b[k]).epsilon(1e-10));
    const Elasticity back = turned(turned(tensor, R), transpose(R));
    for (std::size_t k = 0; k < 36; ++k) CHECK(back.c[k] == doctest::Approx(tensor.c[k]).epsilon(1e-10));
    // Fibres along z are wood turned by hand.
    const Elasticity fibres = transversely_isotropic({10, 1, 0.3, 0.4, 2, {0, 0, 5}}).value();
    CHECK(fibres(2, 2) > 5 * fibres(0, 0));
    CHECK(fibres(0, 0) == doctest::Approx(fibres(1, 1)));
    CHECK(fibres(4, 4) == doctest::Approx(2));
    CHECK(fibres(3, 3) == doctest::Approx(1 / (2 * 1.4)));
}

TEST_CASE("impossible materials are refused with the reason")
{
    CHECK(isotropic(1, 0.5).error().message().find("0.5 is outside") != std::string::npos);
    CHECK(isotropic(-1, 0.3).error().where == "young");
    CHECK_FALSE(isotropic(1, -1));
    CHECK_FALSE(orthotropic({{1, 1, 1}, {2, 2, 2}, {1, 1, 1}}));
    Elasticity bent = isotropic_lame(1, 1);
    bent(0, 1) += 0.1;
    CHECK(check_elasticity(bent).error().what.find("symmetric") != std::string::npos);
    CHECK(check_elasticity(isotropic_lame(-1, 1)).error().what.find("eigenvalues are -1") != std::string::npos);
    CHECK(check_viscosity(Elasticity{}));
    CHECK_FALSE(check_viscosity(isotropic_lame(0, -1)));
}
