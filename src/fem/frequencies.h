// Part of build_fem(): how fast each tet of the forest swings.
#pragma once

#include "fem/elasticity.h"
#include "fem/fem_model.h"

namespace yawara::fem {

/// From the lower triangle of a tet's mass matrix.
Eigen::Matrix4d mass_matrix(const std::array<double, 10>& lower);

/// Frequencies of all tets, from their shapes, masses and materials. Those below one of level 0 are one task, whatever
/// the number of threads: which of several equal tets is solved is always the same one.
void measure_frequencies(FemModel& model);

}  // namespace yawara::fem
