// Rotations as quaternions, and the one closest to a matrix: arg max tr(R^T A) over proper rotations, right for every
// matrix. The engine calls it where its quick, warm-started Newton does not apply, and when it precomputes.
#pragma once

#include "yawara/math.h"

namespace yawara {

/// Unit quaternion (x, y, z, w).
struct Quat {
    double x = 0, y = 0, z = 0, w = 1;
};

Mat3d to_matrix(const Quat& q);
/// About an axis, by its length in radians.
Mat3d rotation_of(Vec3d axis_times_angle);
Quat to_quat(const Mat3d& rotation);

/// The proper rotation R that maximises tr(R^T A): for a stretched, flat, inverted or zero A alike, never a reflection,
/// never a NaN. Where it is not unique (A of rank one, zero, or mirrored with equal stretches) the one nearest to
/// `previous` is taken.
Quat closest_rotation(const Mat3d& A, const Quat& previous);

}  // namespace yawara
