// One linear tet with Green strain (St. Venant-Kirchhoff) in double: energy, forces and tangent. [O'Brien 1999] with
// the factors of [FEM] put right: eps = F^T F - I, sigma = C : eps, W = vol/8 eps : C : eps, f_a = -vol/2 F sigma g_a.
#pragma once

#include "fem/elasticity.h"

namespace yawara::fem {

using Forces = Eigen::Matrix<double, 3, 4>;
using Tangent = Eigen::Matrix<double, 12, 12>;

struct Element {
    TetShape shape;
    Matrix6 elasticity;
    double barrier = 0;                 ///< J: volume times stiffness of the barrier against inversion; 0: none
    Vector6 plastic = Vector6::Zero();  ///< taken off the strain, shear doubled
};

Eigen::Matrix3d deformation_gradient(const TetShape& shape, const Forces& x);
/// eps with doubled shear, and the symmetric matrix of a six-vector whose shear is not doubled.
Vector6 strain_of(const Eigen::Matrix3d& F);
Eigen::Matrix3d to_matrix(const Vector6& v);
/// Derivative of the determinant.
Eigen::Matrix3d cofactor(const Eigen::Matrix3d& F);

/// Corners are the columns of x.
double element_energy(const Element& element, const Forces& x);
Forces element_forces(const Element& element, const Forces& x);
/// Minus the derivative of the forces. With `positive`, what would make it indefinite is left out: compressive stress,
/// and the curvature of the barrier.
Tangent element_tangent(const Element& element, const Forces& x, bool positive);
/// Forces -vol/2 F (D : nu) g_a of a viscosity, and their derivative by the velocities, vol B^T D B in the current
/// shape.
Forces element_viscous_forces(const TetShape& shape, const Matrix6& viscosity, const Forces& x, const Forces& v);
Tangent element_viscous_tangent(const TetShape& shape, const Matrix6& viscosity, const Forces& x);

}  // namespace yawara::fem
