// Points that are drawn, kept out of obstacles: contact sees the solid of a body, which may leave out tips and corners.
#pragma once

#include <span>

#include "contact/clearances.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// Moves points that lie in an obstacle out of it, the nearest way and by at most `most`, m. The same bits for any
/// number of threads. Allocates nothing. `balls`, one per point or none: kept from frame to frame, so that less is asked of
/// a mesh obstacle.
void keep_out(const Collider& collider, double most, std::span<ClearBall> balls, std::span<Vec3> points);

}  // namespace yawara::contact
