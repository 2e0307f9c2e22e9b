#include "math/pseudo_inverse.h"

#include <Eigen/Eigenvalues>

namespace yawara {

Mat3d pseudo_inverse(const Mat3d& A)
{
    constexpr double kRounding = 1e-14;  // of the largest eigenvalue: less is 0
    Eigen::Matrix3d m;
    m << A.c0.x, A.c1.x, A.c2.x, A.c0.y, A.c1.y, A.c2.y, A.c0.z, A.c1.z, A.c2.z;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m);
    Mat3d inverse = Mat3d::zero();
    for (int k = 0; k < 3; ++k) {
        const double value = solver.eigenvalues()[k];
        if (!(value > kRounding * solver.eigenvalues()[2])) continue;
        const Eigen::Vector3d v = solver.eigenvectors().col(k);
        const Vec3d axis{v[0], v[1], v[2]};
        inverse = inverse + outer(axis, axis) * (1 / value);
    }
    return inverse;
}

}  // namespace yawara
