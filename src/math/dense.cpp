#include "math/dense.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace yawara {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix)
{
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B)
{
    return A.completeOrthogonalDecomposition().solve(B);
}

}  // namespace yawara
