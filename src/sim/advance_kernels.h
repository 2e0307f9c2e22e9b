// The loop of advance(), compiled for every processor, for AVX2 and for AVX-512; advance_kernels.cpp picks.
#pragma once

#include "sim/advance.h"

namespace yawara {

using Advance = bool (*)(Vec3* positions, Vec3* velocities, std::size_t count, const MomentumCorrection& correction,
                         float h);

}  // namespace yawara
