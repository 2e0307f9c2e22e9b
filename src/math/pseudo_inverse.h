// Least squares in three unknowns.
#pragma once

#include "yawara/math.h"

namespace yawara {

/// Of a symmetric, positive semi-definite matrix: times a right-hand side it gives the shortest of the vectors that
/// solve the equations best. What points in a plane or on a line do not tell is 0.
Mat3d pseudo_inverse(const Mat3d& A);

}  // namespace yawara
