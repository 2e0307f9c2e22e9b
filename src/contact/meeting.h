// How a particle and an obstacle, both on their way, come together in a step: on which side, how deep, how fast.
// Whoever answers obstacles asks here: contact/response.cpp, passes of matching, and both integrators of finite
// elements.
#pragma once

#include "contact/shapes.h"

namespace yawara::contact {

/// By how much a position may be off, m: some units in the last place of its coordinates.
double rounding(Vec3 x);

/// A particle seen from an obstacle: as if that had been all the time where it is at the end of the step.
struct Relative {
    Vec3 start;      ///< where the particle would be now had it moved with the obstacle since the start of the step
    Vec3d velocity;  ///< of the obstacle there, m/s
};
inline Relative relative_start(const Collider& collider, Vec3 before)
{
    if (!collider.motion || !collider.motion->moves()) return {before, {}};
    const Vec3d from = before.as<double>(), now = carry(collider, from);
    return {now.as<float>(), (now - from) / collider.motion->duration};
}

/// Mean velocity in the step of a point of the obstacle that is here at the end, m/s.
Vec3d velocity_at(const Collider& collider, Vec3d at_end);

struct Meeting {
    Relative relative;
    double distance;  ///< m, at the end of the step: negative behind the surface through which the particle came
    Vec3d normal;     ///< of that surface, away from the solid
    double inside;    ///< if `passed`: share of the displacement behind the surface
    bool passed;      ///< the surface is not the nearest one: the particle would leave, or has left, by another side
};
/// From `before` at the start of the step to `after` at its end. What was inside at the start came through the surface
/// that was nearest then.
Meeting meet(const Collider& collider, Vec3 before, Vec3 after);

}  // namespace yawara::contact
