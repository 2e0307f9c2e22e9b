// Four floats worked on at once: a vector and a zero, or one number of four things.
#pragma once

#include <cmath>
#include <cstdint>

#include "yawara/math.h"

namespace yawara::contact {

using Lanes = float __attribute__((vector_size(16)));
using LaneMask = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;

inline Lanes larger(Lanes a, Lanes b)
{
    return a > b ? a : b;
}
inline Lanes square_roots(Lanes a)
{
    return Lanes{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}

inline Lanes to_lanes(Vec3 a)
{
    return Lanes{a.x, a.y, a.z, 0};
}
inline Vec3 to_vec3(Lanes a)
{
    return {a[0], a[1], a[2]};
}
/// Of two vectors; the last lane of one of them is zero.
inline float dot(Lanes a, Lanes b)
{
    const Lanes ab = a * b;
    return (ab[0] + ab[1]) + (ab[2] + ab[3]);
}

}  // namespace yawara::contact
