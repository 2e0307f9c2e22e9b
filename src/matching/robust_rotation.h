// The way out of the quick rotation, called by the kernels for single regions.
#pragma once

namespace yawara::matching {

/// a: matrix by columns. q: the previous rotation as x, y, z, w; replaced by the closest one.
void robust_rotation(const float (&a)[9], float (&q)[4]);

}  // namespace yawara::matching
