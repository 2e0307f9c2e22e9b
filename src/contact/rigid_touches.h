// Touches of rigid bodies with others. Impulses act on a rigid body as a whole, at the touched point, instead of on its
// particles; TouchSolver sweeps these together with all other touches. Obstacles: contact/rigid_obstacles.h.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "contact/rigid_motion.h"
#include "contact/touch.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// One of the two bodies of a touch, if it is rigid and yields.
struct RigidSide {
    const RigidMotion* motion = nullptr;  ///< null: its particles yield, or nothing does
    std::int32_t body = 0;
    /// From the centre of the motion to where impulses act, m: at the start of the step for displacements, since what
    /// they change of velocities acts from there; at its end for velocities. So spin is kept.
    Vec3d arm{};
};

/// What a touch of a rigid body keeps besides its Touch, whose `move` is the sum of its impulses, kg m.
struct RigidTouch {
    std::array<RigidSide, 2> sides;  ///< of the body that comes first, and of the other
    Vec3d point;                     ///< m, where impulses act: on the surface of the one that is not rigid, or between
    double impulse = 0;              ///< along the normal in the sweeps so far: kg m, then kg m/s
    Vec3d friction{};                ///< across it, likewise

    /// Whether no particle yields, so that what follows is the same in all sweeps.
    bool of_wholes = false;
    Vec3d base{};      ///< value at the touched point of the one minus that of the other, without what sweeps add
    Mat3d response{};  ///< how this changes for an impulse, 1/kg
};

/// An obstacle under a particle. A rigid body that presses the particle against it is stopped by the obstacle: however
/// light the particle, it gives way along the obstacle alone.
struct Support {
    Lanes normal{};
    float height = std::numeric_limits<float>::infinity();  ///< m, of the particle at the start of the step
    bool pressed = false;                                   ///< the particle has been pushed down to it
    double impulse = 0;  ///< along the normal, on the particle: kg m, then kg m/s
};

/// Values that sweeps change: displacements in the step, or velocities.
struct SweptValues {
    Lanes* particles;               ///< of all gathered particles
    std::span<RigidChange> bodies;  ///< of all bodies; used of rigid ones
    std::span<Support> supports{};  ///< of all gathered particles, or none
};

/// The touches of a pair of which at least one body is rigid, before their particles are numbered anew.
/// `b_touches`: how many of them have particles of b first.
void list_rigid_touches(std::span<const ContactBody> bodies, std::int32_t a, std::int32_t b, std::size_t b_touches,
                        std::span<const Touch> touches, std::vector<RigidTouch>& out);

/// One sweep: every gap to its goal, with friction. The answer is the largest move along a normal, m.
double solve_rigid_displacements(std::span<Touch> touches, std::span<RigidTouch> rigid, double friction,
                                 const SweptValues& displacements);
/// Impulses of displacements become those of velocities.
void begin_rigid_velocities(double dt, std::span<const Touch> touches, std::span<RigidTouch> rigid,
                            const SweptValues& displacements);
/// One sweep: every touch that pushed to its rebound, slowed by friction, within what all its impulses allow. The answer
/// is the largest change along a normal, m/s.
double solve_rigid_velocities(std::span<const Touch> touches, std::span<RigidTouch> rigid, double friction,
                              const SweptValues& velocities);
/// Before the sweeps, of displacements and of velocities: what does not change in them.
void prepare_rigid_touches(std::span<const Touch> touches, std::span<RigidTouch> rigid, const SweptValues& values);

}  // namespace yawara::contact
