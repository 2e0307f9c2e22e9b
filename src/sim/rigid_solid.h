// A rigid body: what does not change of it, and its motion, read from its particles and written back to them.
#pragma once

#include <span>
#include <vector>

#include "contact/rigid_motion.h"
#include "yawara/body.h"

namespace yawara {

/// What build() precomputes of a rigid body.
struct RigidSolid {
    double mass = 0;                 ///< kg
    Vec3d center;                    ///< of mass, at rest, m
    Mat3d inertia, inverse_inertia;  ///< kg m^2 about the centre, at rest
    std::vector<Vec3d> offsets;      ///< particles at rest from the centre of mass, m
    Vec3d mean_offset;               ///< of the particles
    Mat3d inverse_spread;            ///< of the moments of the particles, all alike, about their mean
};

/// Masses of the particles of a solid, kg, and the mass, centre and inertia of the whole.
struct SolidMasses {
    std::vector<double> particles;
    double mass = 0;
    Vec3d center;
    Mat3d inertia;
};
/// `densities` at the particles; within each tet their mean.
SolidMasses masses_of_solid(const TetMesh& mesh, std::span<const double> densities);

/// Refuses a mass or an inertia that no solid has.
Result<RigidSolid> make_rigid_solid(const Rigid& rigid, const SolidMasses& masses, std::span<const Vec3d> rest);

/// Where a rigid body is, and how it moves.
struct RigidPose {
    Vec3d center;          ///< of mass, m
    Mat3d turn;            ///< from the rest pose
    Vec3d velocity, spin;  ///< m/s, rad/s

    Vec3d at(Vec3d offset) const { return center + turn * offset; }
    Mat3d inertia(const RigidSolid& solid) const { return turn * solid.inertia * transpose(turn); }
    Mat3d inverse_inertia(const RigidSolid& solid) const { return turn * solid.inverse_inertia * transpose(turn); }
};

/// The pose that fits the particles best. Those that are not finite have no say; `repaired` counts them.
RigidPose pose_of(const RigidSolid& solid, std::span<const Vec3> positions, std::span<const Vec3> velocities,
                  int& repaired);
RigidPose pose_of(const RigidSolid& solid, const BodyState& state, int& repaired);
void write_pose(const RigidSolid& solid, const RigidPose& pose, BodyState& state);

/// How contact may move a rigid body: as a whole, about its one pin, about the axis through its pins, or not at all.
/// `before`: the body at the start of the step.
contact::RigidMotion motion_of(const RigidSolid& solid, const RigidPose& before, const BodyState& state,
                               std::span<const Grip> grips);

}  // namespace yawara
