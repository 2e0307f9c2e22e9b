// The way out of the quick rotation, called by the kernels for single regions.
#pragma once

namespace yawara::matching {

/// a: matrix by columns. q: the previous rotation as x, y, z, w; replaced by the closest one.
void robust_rotation(const float (&a)[9], float (&q)[4]);

/// The stretch that goes with the rotation closest to a matrix; xx, yy, zz, yz, xz, xy.
void robust_stretch(const float (&a)[9], const float (&q)[4], float (&stretch)[6]);

}  // namespace yawara::matching
