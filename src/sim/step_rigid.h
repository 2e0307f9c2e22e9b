// Steps of rigid bodies: see SolidKind.
#pragma once

#include "contact/rigid_obstacles.h"
#include "sim/solid_kind.h"

namespace yawara {

extern const SolidKind kRigidKind;

/// What a rigid body needs to be stepped.
struct RigidWorkspace {
    std::vector<Vec3> positions_before, velocities_before;
    contact::RigidObstacles obstacles;
};

}  // namespace yawara
