// Boxes in lanes: tests of all axes at once.
#pragma once

#include "contact/body_surface.h"
#include "contact/lanes.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace yawara::contact {

/// Which lanes of a comparison are true, as bits.
inline unsigned bits_of(LaneMask mask)
{
#if defined(__SSE2__)
    return unsigned(_mm_movemask_ps((__m128)mask));
#else
    unsigned bits = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) bits |= unsigned(mask[lane] & 1) << lane;
    return bits;
#endif
}

/// The corners of a box, for tests of all axes at once; the fourth lanes mean nothing.
struct BoxLanes {
    Lanes low, high;

    explicit BoxLanes(const FloatBox& box)
    {
        static_assert(sizeof(FloatBox) == 6 * sizeof(float));
        Lanes last;  // z of the low corner, then the high one
        __builtin_memcpy(&low, &box.low.x, sizeof low);
        __builtin_memcpy(&last, &box.low.z, sizeof last);
        high = __builtin_shufflevector(last, last, 1, 2, 3, 3);
    }
    float squared_distance(Vec3 p) const
    {
        const Lanes at = to_lanes(p), out = larger(larger(low - at, at - high), Lanes{});
        const Lanes squared = out * out;
        return squared[0] + squared[1] + squared[2];
    }
    bool meets(const BoxLanes& other, float apart) const
    {
        return (bits_of((low <= other.high + apart) & (other.low <= high + apart)) & 7) == 7;
    }
    /// Whether a point is in it or no farther from it than this.
    bool holds(Vec3 p, float apart) const
    {
        const Lanes at = to_lanes(p);
        return (bits_of((at >= low - apart) & (at <= high + apart)) & 7) == 7;
    }
};

}  // namespace yawara::contact
