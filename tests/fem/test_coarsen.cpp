// Coarse tensors: exact where the body is homogeneous, between the bounds where it is not, and the closed form of
// layers.
#include <doctest/doctest.h>

#include <filesystem>

#include "fem/coarsen.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

ForestView forest_of(const Fem& fem)
{
    return build_fem_model(fem).forest();
}

/// Smallest eigenvalue of a - b in Kelvin form, over the largest of a.
double slack(const Elasticity& a, const Elasticity& b)
{
    const fem::Matrix6 k = fem::to_kelvin(fem::to_eigen(a)), d = k - fem::to_kelvin(fem::to_eigen(b));
    return Eigen::SelfAdjointEigenSolver<fem::Matrix6>(d).eigenvalues()[0] /
           Eigen::SelfAdjointEigenSolver<fem::Matrix6>(k).eigenvalues()[5];
}

double difference(const Elasticity& a, const Elasticity& b)
{
    return (fem::to_eigen(a) - fem::to_eigen(b)).norm() / fem::to_eigen(b).norm();
}

}  // namespace

TEST_CASE("a body of 21 random constants gets its own tensor back on every level")
{
    std::mt19937 random(20);
    const Elasticity tensor = random_elasticity(random);
    Fem fem = fem_of(make_bar({1, 1, 1}, {1, 1, 1}), 2, {tensor, tensor * 0.1, 1});
    for (const Elasticity& c : forest_of(fem).elasticity) CHECK(c == tensor);
    // The same by the whole computation: two materials that differ in the eleventh digit.
    fem.material = [&](const MaterialPlace& at) -> FemMaterial {
        const Elasticity c = at.tet % 3 ? tensor : tensor * (1 + 1e-11);
        return {c, c * 0.1, 1};
    };
    for (const Coarsening rule : {Coarsening::bounded, Coarsening::harmonic, Coarsening::average, Coarsening::voigt}) {
        fem.coarsening = rule;
        const ForestView forest = forest_of(fem);
        for (std::size_t t = 0; t < forest.tets.size(); ++t) {
            CHECK(difference(forest.elasticity[t], tensor) < 1e-9);
            CHECK(difference(forest.viscosity[t], tensor * 0.1) < 1e-6);
        }
    }
}

TEST_CASE("tensors of mixtures lie between the uniform-traction and the affine bound, and viscosity follows elasticity")
{
    std::mt19937 random(21);
    Fem fem = fem_of(make_bar({2, 1, 1}, {2, 1, 1}), 2);
    std::bernoulli_distribution coin(0.4);
    std::vector<Elasticity> of_tet;
    for (std::size_t t = 0; t < fem.mesh.tets.size() * 64; ++t)
        of_tet.push_back(coin(random) ? isotropic_lame(100, 100) : random_elasticity(random));
    fem.material = [&](const MaterialPlace& at) -> FemMaterial {
        return {of_tet[std::size_t(at.tet)], of_tet[std::size_t(at.tet)] * 0.2, 1};
    };
    const auto by = [&](Coarsening rule) {
        fem.coarsening = rule;
        return forest_of(fem);
    };
    const ForestView bounded = by(Coarsening::bounded), average = by(Coarsening::average),
                     voigt = by(Coarsening::voigt);
    double strictly = 0;
    for (std::size_t t = 0; t < bounded.tets.size(); ++t) {
        if (bounded.tets[t][4] == 2) continue;
        fem::Matrix6 compliance = fem::Matrix6::Zero();  // Reuss: the mean of the compliances
        const ForestView& f = bounded;
        int finest = 0;
        for (std::size_t c = 0; c < f.tets.size(); ++c) {
            if (f.tets[c][4] != 2) continue;
            std::int32_t up = std::int32_t(c);
            while (f.tets[std::size_t(up)][4] > f.tets[t][4]) up = f.tets[std::size_t(up)][5];
            if (up != std::int32_t(t)) continue;
            compliance += fem::to_kelvin(fem::to_eigen(f.elasticity[c])).inverse();
            ++finest;
        }
        const Elasticity reuss = fem::from_eigen(fem::from_kelvin((compliance / finest).inverse()));
        CHECK(slack(average.elasticity[t], reuss) > -1e-9);
        CHECK(slack(bounded.elasticity[t], average.elasticity[t]) > -1e-9);
        CHECK(slack(voigt.elasticity[t], bounded.elasticity[t]) > -1e-9);
        CHECK(check_elasticity(bounded.elasticity[t]));
        CHECK(difference(bounded.viscosity[t], bounded.elasticity[t] * 0.2) < 1e-6);
        strictly = std::max(strictly, difference(bounded.elasticity[t], voigt.elasticity[t]));
    }
    CHECK(strictly > 0.1);
}

TEST_CASE("layers have the harmonic tensor of the closed form")
{
    for (const int levels : {3, 4}) {  // by one factor, and by conjugate gradients over the levels
        const double e1 = 1, e2 = 100;
        Fem fem = fem_of(make_bar({1, 1, 1}, {1, 1, 1}), levels);
        fem.coarsening = Coarsening::harmonic;
        fem.material = [&](const MaterialPlace& at) -> FemMaterial {
            return {isotropic(at.position.z < 0.5 ? e1 : e2, 0).value(), {}, 1};
        };
        const ForestView forest = forest_of(fem);
        int compared = 0;
        for (std::size_t t = 0; t < forest.tets.size() && forest.tets[t][4] == 0; ++t) {
            Box3 box;
            for (int a = 0; a < 4; ++a) box.add(forest.nodes[std::size_t(forest.tets[t][std::size_t(a)])]);
            if (box.low.z > 1e-9 || box.high.z < 1 - 1e-9) continue;
            double upper = 0, all = 0;
            for (std::size_t c = 0; c < forest.tets.size(); ++c) {
                if (forest.tets[c][4] != levels) continue;
                std::int32_t up = std::int32_t(c);
                while (forest.tets[std::size_t(up)][4] > 0) up = forest.tets[std::size_t(up)][5];
                if (up != std::int32_t(t)) continue;
                all += 1;
                upper += forest.elasticity[c](2, 2) > 50;
            }
            const double u = upper / all;
            const double expected = 4 * ((1 - u) / e1 + u / e2) / std::pow(1 / e1 + 1 / e2, 2);
            CHECK(forest.elasticity[t](2, 2) == doctest::Approx(expected).epsilon(1e-6));
            ++compared;
        }
        CHECK(compared >= 2);
    }
}

TEST_CASE("virtual deformations with free midpoints bend like figure 5 of the paper and are much too soft")
{
    const fem::TetForest forest(TetMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}}, 1);
    fem::ForestMaterials materials;
    materials.elasticities = {isotropic_lame(kLambda, kMu)};
    materials.viscosities = {Elasticity{}};
    materials.of_tet.assign(9, 0);
    const auto stress = [&](double alpha) { return fem::virtual_stress(forest, 0, materials, 0, alpha)[0]; };
    const double slope = (stress(0.001) - stress(-0.001)) / 0.002;
    for (const double alpha : {-0.3, -0.2, 0.3, 0.6})
        CHECK(stress(alpha) / (slope * alpha) == doctest::Approx(1).epsilon(0.06));
    CHECK(stress(-0.5) / (slope * -0.5) == doctest::Approx(0.87).epsilon(0.05));
    CHECK(stress(-0.7) / (slope * -0.7) == doctest::Approx(0.30).epsilon(0.2));
    const fem::VirtualFit fit = fem::fit_virtual_deformations(forest, 0, materials, 0.01);
    CHECK(fit.elasticity(0, 0) < 0.5 * (kLambda + 2 * kMu));
    CHECK(fit.range.low[0] > -0.6f);
    CHECK(fit.range.low[0] < 0);
}

TEST_CASE("coarse tensors are read from the cache the second time, and a damaged file is computed anew")
{
    const auto folder = std::filesystem::temp_directory_path() / ("yawara_cache_" + std::to_string(::getpid()));
    Fem fem = fem_of(make_bar({1, 1, 1}, {1, 1, 1}), 2);
    fem.cache = folder;
    fem.material = [](const MaterialPlace& at) -> FemMaterial {
        return {isotropic_lame(at.tet % 2 ? 1 : 50, 1), {}, 1};
    };
    const ForestView first = forest_of(fem), second = forest_of(fem);
    CHECK_FALSE(first.from_cache);
    CHECK(second.from_cache);
    CHECK(first.elasticity == second.elasticity);
    fem.coarsening = Coarsening::average;
    CHECK_FALSE(forest_of(fem).from_cache);
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 3);
    CHECK_FALSE(forest_of(fem).from_cache);
    std::filesystem::remove_all(folder);
}
