// Elasticity tensors as Eigen matrices: Kelvin form, strain-displacement matrices, the 21 constants of the kernels.
#pragma once

#include <Eigen/Dense>

#include "fem/voigt.h"
#include "yawara/fem.h"

namespace yawara::fem {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using StrainMatrix = Eigen::Matrix<double, 6, 12>;  ///< B: nodal displacements to strain with doubled shear

inline Matrix6 to_eigen(const Elasticity& tensor)
{
    Matrix6 m;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) m(i, j) = tensor(i, j);
    return m;
}
inline Elasticity from_eigen(const Matrix6& m)
{
    Elasticity tensor;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) tensor(i, j) = m(i, j);
    return tensor;
}

/// Kelvin form: shear rows and columns times the root of two, so that eigenvalues are those of the tensor.
Matrix6 to_kelvin(const Matrix6& c);
Matrix6 from_kelvin(const Matrix6& k);

/// Gradients of the four shape functions and the volume.
struct TetShape {
    std::array<Vec3d, 4> g;
    double volume = 0;
};
TetShape shape_of(const std::array<Vec3d, 4>& corners);
StrainMatrix strain_matrix(const TetShape& shape);

/// Lame's constants if the tensor is isotropic to 1e-9, else nothing.
struct Lame {
    double lambda = 0, mu = 0;
};
bool is_isotropic(const Elasticity& tensor, Lame& lame);

}  // namespace yawara::fem
