// Smooth noise in space: blobs of about one size, without a direction of their own.
#pragma once

#include <cstdint>

#include "yawara/math.h"

namespace yawara::cvg {

/// Gradient noise after Perlin, about -1 to 1, with features of length 1; the same on every machine.
double noise(Vec3d point, std::uint32_t seed);

/// The value that the noise reaches or exceeds at this share of all points.
double noise_level(double share, std::uint32_t seed);

}  // namespace yawara::cvg
