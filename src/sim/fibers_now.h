// Where the fibres of a body with muscles point now, for friction that depends on their direction. Called by step.
#pragma once

#include <span>
#include <vector>

#include "yawara/body.h"
#include "yawara/collider.h"

namespace yawara {

/// First directions of an active body as its regions are turned now, R d1, one per particle, kept in `fibers`; empty if
/// the body has no muscles or no obstacle asks.
std::span<const Vec3> fibers_now(const BodyModel& body, std::span<const Collider> colliders, const BodyState& state,
                                 std::vector<Vec3>& fibers);

}  // namespace yawara
