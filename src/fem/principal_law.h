// Laws of isotropic materials by their principal stretches: a law of its own says what three numbers cost, and this
// does the rest.
#pragma once

#include <Eigen/Dense>

#include "fem/elasticity.h"
#include "yawara/law.h"

namespace yawara::fem {

/// Singular values of F with proper rotations on both sides, F = U diag(s) V^T: if F is inverted the last of s is
/// negative.
struct Principal {
    Eigen::Matrix3d U, V;
    Eigen::Vector3d s;
};
Principal principal(const Mat3d& F);

inline Lame lame_of(const Elasticity& material)
{
    return {material(0, 1), material(3, 3)};
}

class PrincipalLaw : public ElasticLaw {
public:
    double energy(const Elasticity& material, const Mat3d& F) const override;
    Mat3d stress(const Elasticity& material, const Mat3d& F) const override;
    LawHessian hessian(const Elasticity& material, const Mat3d& F, bool positive) const final;
    double stiffening(const Elasticity& material, const Mat3d& F) const final;

protected:
    /// As functions of the stretches: energy, its gradient and its second derivative.
    virtual double energy_of(Lame material, const Eigen::Vector3d& s) const = 0;
    virtual Eigen::Vector3d stress_of(Lame material, const Eigen::Vector3d& s) const = 0;
    virtual Eigen::Matrix3d hessian_of(Lame material, const Eigen::Vector3d& s) const = 0;

private:
    struct Curvatures;
    Curvatures curvatures(Lame material, const Eigen::Vector3d& s) const;
};

}  // namespace yawara::fem
