// Bodies and random things that the tests of this folder share.
#pragma once

#include <random>

#include "fem/elasticity.h"
#include "yawara/yawara.h"

namespace yawara::test {

inline TetMesh unit_tet()
{
    const double h = std::sqrt(3.0) / 2, k = std::sqrt(2.0 / 3);
    return {{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}, {0.5, h / 3, k}}, {{0, 1, 2, 3}}, {}};
}

/// Constants of the paper: a soft body of size one under g = 9.8.
constexpr double kLambda = 0.419e-2, kMu = 0.516e-2, kPhi = 0.419e-7, kPsi = 1.44e-7, kRho = 0.5e-5;

inline FemMaterial paper_material()
{
    return {isotropic_lame(kLambda, kMu), isotropic_lame(kPhi, kPsi), kRho};
}

/// 21 random constants, positive definite.
inline Elasticity random_elasticity(std::mt19937& random, double scale = 1)
{
    std::normal_distribution<double> normal;
    fem::Matrix6 a;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) a(i, j) = normal(random);
    return fem::from_eigen(scale * (a * a.transpose() / 6 + fem::Matrix6::Identity()));
}

inline Fem fem_of(TetMesh mesh, int levels, FemMaterial material = paper_material())
{
    Fem fem;
    fem.mesh = std::move(mesh);
    fem.levels = levels;
    fem.material = [material](const MaterialPlace&) { return material; };
    return fem;
}

inline BodyModel build_fem_model(Fem fem)
{
    BodySpec spec;
    spec.name = "body";
    spec.solid = std::move(fem);
    return build(std::move(spec)).value();
}

inline Vec3d momentum(const BodyModel& model, const BodyState& state)
{
    Vec3d sum;
    for (std::size_t i = 0; i < state.positions.size(); ++i)
        sum += state.velocities[i].as<double>() * model.masses()[i];
    return sum;
}
inline Vec3d center(const BodyModel& model, const BodyState& state)
{
    Vec3d sum;
    double mass = 0;
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        sum += state.positions[i].as<double>() * model.masses()[i];
        mass += model.masses()[i];
    }
    return sum / mass;
}
inline Vec3d spin_of(const BodyModel& model, const BodyState& state)
{
    const Vec3d c = center(model, state);
    Vec3d sum;
    for (std::size_t i = 0; i < state.positions.size(); ++i)
        sum += cross(state.positions[i].as<double>() - c, state.velocities[i].as<double>()) * model.masses()[i];
    return sum;
}

}  // namespace yawara::test
