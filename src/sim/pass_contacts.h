// Which obstacles the passes of a stiff body have to know; step (sim/step_matching.cpp) asks before its goals.
#pragma once

#include <span>

#include "matching/pass_contact.h"
#include "yawara/collider.h"

namespace yawara {

/// The particles of a body at one moment, in its own order.
struct PassMotion {
    std::span<const Vec3> before;             ///< at the start of the step
    std::span<const Vec3> predicted;          ///< at its end, were there no regions and no obstacles
    std::span<const Vec3> velocities_before;  ///< at the start of the step
    Vec3 fall;                                ///< by its weight alone in the step, m
    float dt;                                 ///< s
    float near;                               ///< m: passes move a particle no farther than about this
    bool bounces;                             ///< restitution counts
    bool stiff;                               ///< many passes
};

/// Planes for particles that are predicted to be in an obstacle, or near one. They let a particle a little way in: by
/// that the contact phase behind the step knows who touches. Obstacles whose friction differs along fibres are left to
/// that phase altogether.
void find_pass_contacts(std::span<const Collider> colliders, const matching::Regions& regions, const PassMotion& motion,
                        float share, matching::PassContacts& contacts);

}  // namespace yawara
