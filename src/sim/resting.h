// When a body counts as resting on obstacles: then static friction holds it. Called by step (sim/step_matching.cpp).
#pragma once

namespace yawara {

/// How a body moved in a step, in its sizes per second.
struct MotionRates {
    double whole;  ///< of its centre of mass
    double shape;  ///< of its particles beside that, root mean square
};

/// What bounces a little has friction when it is pressed and none when it is light, so that a block rattles down a
/// slope that would hold it were it still, sliding and sticking in turns; and one that rocks without sliding loses
/// nothing by it. What has been slow on obstacles for half a second, still or sliding, or for two seconds in any case,
/// rests: then its particles share their friction, and it calms down. It does so until it moves quicker, leaves, or
/// slides for a while.
///
/// `resting` is how long this has been so, s; the answer is its next value. `slides`: friction of all its particles
/// together does not hold it in this step.
float next_resting_time(float resting, const MotionRates& rates, bool slides, float dt);
bool rests(float resting);

}  // namespace yawara
