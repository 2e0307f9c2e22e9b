// The order in which six entries stand for a symmetric 3 x 3 matrix: xx, yy, zz, xy, xz, yz.
#pragma once

namespace yawara::fem {

/// Row and column of each entry.
inline constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};

}  // namespace yawara::fem
