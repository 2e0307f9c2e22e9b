// Obstacles as the passes of a step see them: a plane for every particle near one. Found by sim/pass_contacts.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/match.h"

namespace yawara::matching {

/// A particle that may not go below a plane. With the displacement d from where it would be at the end of the step
/// without its region's pull, it ends up s d further, where s is PassInput::share.
struct PassContact {
    std::uint32_t slot;
    float least;     ///< of normal . d: with less it would be inside
    float friction;  ///< Coulomb
    bool pressed;    ///< by its regions, in the first pass: stays on the plane in all passes of the step
    Vec3 normal;
    Vec3 motion;  ///< of the step, without d
};

/// By chunks of slots, so that each is looked after by one worker.
struct PassContacts {
    std::vector<PassContact> list;  ///< those of a chunk begin at its first slot
    std::vector<int> counts;        ///< per chunk
    std::vector<int> inside;        ///< per chunk: those that would end up deep inside an obstacle

    bool any() const
    {
        return std::any_of(inside.begin(), inside.end(), [](int count) { return count > 0; });
    }

    std::span<PassContact> of(std::size_t chunk)
    {
        return {list.data() + chunk * kParticlesPerChunk, std::size_t(counts[chunk])};
    }
};

/// Onto the plane if the particle is pressed or below it; and friction takes of the motion along it at most its
/// coefficient times that push. A pressed particle that passes pull off stays: the recurrence of accelerated passes
/// swings about the solution, and a body that were free to leave would be thrown.
inline Vec3 pushed_out(const PassContact& contact, Vec3 d, float share)
{
    const float push = contact.least - dot(contact.normal, d);
    if (!(push > 0 || contact.pressed)) return d;
    d += contact.normal * push;
    const Vec3 motion = contact.motion + d * share;
    const Vec3 along = motion - contact.normal * dot(contact.normal, motion);
    const float speed = length(along), hold = contact.friction * std::abs(push) * share;
    if (!(speed > 0)) return d;
    return d - along * ((hold < speed ? hold / speed : 1.0f) / share);
}

}  // namespace yawara::matching
