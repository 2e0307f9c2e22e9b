// Large decompositions of Eigen, compiled once: each file that made its own took five seconds more.
#pragma once

#include <Eigen/Core>

namespace yawara {

struct SymmetricEigen {
    Eigen::VectorXd values;   ///< ascending
    Eigen::MatrixXd vectors;  ///< by columns
};
/// Only the lower triangle counts.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// The X that makes A X nearest to B, the shortest of those if there are several.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace yawara
