// Hard grips of a rigid body: what freedom they leave it, and how it moves with them.
#pragma once

#include <span>
#include <vector>

#include "sim/rigid_solid.h"

namespace yawara {

/// Inertia about a point other than the centre of mass, kg m^2.
Mat3d inertia_about(const RigidSolid& solid, const RigidPose& pose, Vec3d point);

class RigidPins {
public:
    /// One particle (or several in one place) leaves the turn about it free, several on a line the turn about that.
    enum class Kind { none, point, axis, all };

    RigidPins(const RigidSolid& solid, std::span<const Grip> grips);

    Kind kind() const { return kind_; }
    Vec3d offset() const { return offset_; }  ///< mean of the held particles at rest, from the centre of mass, m
    Vec3d axis() const { return axis_; }      ///< at rest, unit

    /// A step of dt: the held particles get where they are wanted, the rest of the motion follows without friction.
    /// After `steps` such steps they have to be there.
    void advance(const RigidSolid& solid, std::span<const Grip> grips, double dt, double steps, RigidPose& pose) const;

private:
    Kind kind_ = Kind::none;
    Vec3d offset_, axis_;
};

/// Free motion of a step: the angular momentum is kept.
void advance_free(const RigidSolid& solid, double dt, RigidPose& pose);

}  // namespace yawara
