// Six displacement fields of a whole body at its finest level, by conjugate gradients with the forest itself as
// preconditioner: a number of rounds that hardly depends on the size.
#pragma once

#include <Eigen/Sparse>
#include <optional>

#include "fem/coarsen.h"

namespace yawara::fem {

using Fields = Eigen::Matrix<double, Eigen::Dynamic, 6>;  ///< six displacement fields, 3 rows per node
using Sparse = Eigen::SparseMatrix<double>;

/// K u = b for the unknowns that are not held; those are zero. Held ones have to belong to nodes of level 0, and K to
/// be that of the finest tets. Nothing if it does not converge.
std::optional<Fields> solve_by_levels(const TetForest& forest, const ForestMaterials& materials, const Sparse& K,
                                      const Fields& b, const std::vector<std::uint8_t>& held);

}  // namespace yawara::fem
