// Contact of particles with obstacles, after every step; step (sim/step_matching.cpp) calls this.
#pragma once

#include <cstdint>
#include <span>

#include "contact/clearances.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// How a touching particle is slowed. Friction takes from its speed, and the same share of the way since the surface
/// was met, as if it had acted before that way was gone, [ProcDef] 3.4: what it stops does not creep. ([Examples] 3.11
/// leaves the way as it is: there a block creeps down any slope.) Only what was coming before the step bounces.
enum class Friction {
    per_particle,  ///< each particle on its own
    shared         ///< of a body at rest: nothing bounces, and no particle slides before the friction of all (in chunks
                   ///< of 256) is used up: particles whose load trembles do not walk a body down a slope
};

struct ObstacleReport : ContactReport {
    int sliding = 0;  ///< contacts in chunks whose friction together does not stop them
    const Collider* carrier = nullptr;  ///< the first of the touched obstacles that move
};

/// Moves particles out of the obstacles and changes their velocities: the part of the velocity towards the surface is
/// turned back times the restitution, and friction takes from the rest at most its coefficient times that change. Both,
/// and every displacement, are relative to the obstacle, which may move in the step.
///
/// `before` and `velocities_before` are those at the start of the step. A particle that went through an obstacle, or
/// would leave it by another side than it came, is stopped where it entered. Particles inside from the start leave
/// through the nearest surface. Afterwards no particle is inside any obstacle by more than rounding of its position;
/// one that finds no free place stays where it was before, or, if that is not free either, counts as wedged and is only
/// moved out of the obstacle it is deepest in.
///
/// `masses`, one per particle, weigh the shared friction; empty: all alike. `fibers`, one per particle: the direction
/// in which Collider::friction_along counts; empty: friction has no direction. `clearances`: kept from step to step, so
/// that less is asked of mesh obstacles; the answer is the same without. Chunks of particles do not depend on
/// each other, so any number of threads gives the same bits. Allocates nothing.
ObstacleReport resolve_contacts(std::span<const Collider> colliders, std::span<const Vec3> before,
                                std::span<const Vec3> velocities_before, std::span<Vec3> positions,
                                std::span<Vec3> velocities, Friction friction = Friction::per_particle,
                                std::span<const float> masses = {}, std::span<const Vec3> fibers = {},
                                Clearances* clearances = nullptr);

/// The same for some particles only, each with its own friction.
ObstacleReport resolve_contacts_of(std::span<const std::int32_t> particles, std::span<const Collider> colliders,
                                   std::span<const Vec3> before, std::span<const Vec3> velocities_before,
                                   std::span<Vec3> positions, std::span<Vec3> velocities);

}  // namespace yawara::contact
