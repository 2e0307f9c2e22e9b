// Contact of particles with obstacles, after every step; step (sim/step.cpp) calls this.
#pragma once

#include <cstdint>
#include <span>

#include "yawara/collider.h"

namespace yawara::contact {

/// Moves particles out of the obstacles and changes their velocities: the part of the velocity towards the surface is
/// turned back times the restitution, and friction takes from the rest at most `friction` times that change. Where
/// friction stops all motion along the surface, the particle also stays where it was along it: nothing creeps.
///
/// `before` and `velocities_before` are those at the start of the step. Only a particle that was coming then bounces;
/// one that this step pressed against the surface rests. A particle that went through an obstacle, or would leave it by
/// another side than it came, is stopped where it entered. Particles inside from the start leave by the nearest way.
/// Afterwards no particle is inside any obstacle by more than the rounding of its position; one that finds no free
/// place stays where it was before, or, if that is not free either, counts as wedged and is only moved out of the
/// obstacle it is deepest in.
///
/// `resting_masses`, one per particle, are given for a body that is nearly at rest: its particles share their friction,
/// so that a block on a slope holds as a whole while single particles of it tremble. Empty: each has its own.
/// `hold`: what friction stops stays where it met the surface; otherwise only its speed is taken.
///
/// Chunks of particles do not depend on each other, so any number of threads gives the same bits. Allocates nothing.
ContactReport resolve_contacts(std::span<const Collider> colliders, std::span<const Vec3> before,
                               std::span<const Vec3> velocities_before, std::span<Vec3> positions,
                               std::span<Vec3> velocities, std::span<const float> resting_masses = {}, bool hold = true);

/// The same for some particles only.
ContactReport resolve_contacts_of(std::span<const std::int32_t> particles, std::span<const Collider> colliders,
                                  std::span<const Vec3> before, std::span<const Vec3> velocities_before,
                                  std::span<Vec3> positions, std::span<Vec3> velocities);

}  // namespace yawara::contact
