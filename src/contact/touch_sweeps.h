// Sweeps over touches whose particles have been gathered: every touch in turn is brought to its gap, then to its speed.
#pragma once

#include <span>

#include "contact/touch.h"

namespace yawara::contact {

/// One sweep over all touches: the gap to its goal, and friction against the slip of this step. `displacements` of the
/// particles in this step, m, which the touches number. `budget` is friction that all touches of the pair have left
/// together, m: a touch may use it beyond its own share, as no body begins to slide before all of its touches do. The
/// answer is the largest move along a normal, m.
float solve_displacements(std::span<Touch> touches, float friction, float& budget, Lanes* displacements);

/// One sweep over the velocities of touches that pushed: along the normal to the rebound, across it slowed by friction.
void solve_velocities(std::span<const Touch> touches, float friction, float dt, Lanes* velocities);

/// Gap of a touch for these displacements, m; negative inside.
float gap(const Touch& touch, const Lanes* displacements);

}  // namespace yawara::contact
