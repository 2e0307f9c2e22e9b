// What a grip holds and where to, for every kind of solid.
#pragma once

#include <cstddef>

#include "yawara/scene.h"

namespace yawara {

/// The grip puts particles exactly on their targets, instead of pulling them by springs.
inline bool is_hard(const Grip& grip)
{
    return grip.stiffness <= 0;
}

/// Calls then(particle, target, target velocity) for every particle of a grip; entries out of range or not finite are
/// skipped.
template <class Then>
void for_each_held(const Grip& grip, std::size_t particles, const Then& then)
{
    for (std::size_t k = 0; k < grip.particles.size() && k < grip.targets.size(); ++k) {
        const auto i = std::size_t(grip.particles[k]);
        if (i >= particles || !is_finite(grip.targets[k])) continue;
        const bool moves = k < grip.target_velocities.size() && is_finite(grip.target_velocities[k]);
        then(i, grip.targets[k], moves ? grip.target_velocities[k] : Vec3{});
    }
}

}  // namespace yawara
