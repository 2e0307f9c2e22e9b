// What the events of a scene need to know of its bodies.
#pragma once

#include <span>

#include "yawara/math.h"

namespace yawara {

/// Sum of m v, kg m/s.
Vec3d momentum_of(std::span<const float> masses, std::span<const Vec3> velocities);

}  // namespace yawara
