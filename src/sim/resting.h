// When a body counts as resting on obstacles: then static friction holds it. Called by step (sim/step.cpp).
#pragma once

namespace yawara {

/// How a body moved in a step, in its sizes per second.
struct Pace {
    double drift;  ///< of its centre of mass, across gravity
    double whole;  ///< of its centre of mass
    double shape;  ///< of its particles beside that, root mean square
};

/// The papers' contact takes speed from what touches but not the way it has gone in the step, so that a block on a
/// slope creeps and rattles down however strong friction is. Landing, sliding and bouncing bodies follow it to the
/// letter ([Examples] 3.11). One that has been slow on obstacles for half a second, and whose shape was nearly still or
/// moved less than the whole crept, rests; it does so until it moves quicker, leaves, or slides for a while.
///
/// `resting` is how long this has been so, s; the answer is its next value.
float rest_on(float resting, const Pace& pace, bool slides, float dt);
bool rests(float resting);

}  // namespace yawara
