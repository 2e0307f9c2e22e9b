// What depends on F through the Green strain E = (F^T F - 1) / 2: derivatives by F, taken column by column.
#pragma once

#include "fem/element.h"
#include "yawara/law.h"

namespace yawara::fem {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

inline Eigen::Matrix3d to_eigen(const Mat3d& m)
{
    Eigen::Matrix3d e;
    e << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
    return e;
}
inline Mat3d to_mat3(const Eigen::Matrix3d& m)
{
    return {{m(0, 0), m(1, 0), m(2, 0)}, {m(0, 1), m(1, 1), m(2, 1)}, {m(0, 2), m(1, 2), m(2, 2)}};
}

/// Order xx yy zz xy xz yz, shear doubled.
inline Vector6 green_strain(const Eigen::Matrix3d& F)
{
    return strain_of(F) / 2;
}
/// Of F moving at a rate.
inline Vector6 green_rate(const Eigen::Matrix3d& F, const Eigen::Matrix3d& rate)
{
    const Eigen::Matrix3d product = F.transpose() * rate;
    Vector6 v;
    v << product(0, 0), product(1, 1), product(2, 2), product(0, 1) + product(1, 0), product(0, 2) + product(2, 0),
        product(1, 2) + product(2, 1);
    return v;
}

/// Adds the second derivative of an energy whose derivative by E is the stress S, and whose second one by E is C.
/// `positive`: without compressive stress, which alone could make it indefinite.
void add_green_hessian(const Eigen::Matrix3d& F, const Matrix6& C, const Eigen::Matrix3d& S, bool positive, Matrix9& H);

}  // namespace yawara::fem
