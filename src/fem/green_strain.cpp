#include "fem/green_strain.h"

namespace yawara::fem {

void add_green_hessian(const Eigen::Matrix3d& F, const Matrix6& C, const Eigen::Matrix3d& S, bool positive, Matrix9& H)
{
    Eigen::Matrix<double, 6, 9> B = Eigen::Matrix<double, 6, 9>::Zero();  // dE/dF
    for (int I = 0; I < 6; ++I) {
        B.block<1, 3>(I, 3 * kSecond[I]) += F.col(kFirst[I]).transpose();
        if (I >= 3) B.block<1, 3>(I, 3 * kFirst[I]) += F.col(kSecond[I]).transpose();
    }
    H += B.transpose() * C * B;
    Eigen::Matrix3d pull = S;
    if (positive) {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(S);
        pull =
            solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
    }
    for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) H.block<3, 3>(3 * j, 3 * l).diagonal().array() += pull(j, l);
}

}  // namespace yawara::fem
