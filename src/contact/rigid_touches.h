// Touches of rigid bodies: with others, and with obstacles. Impulses act on a rigid body as a whole, at the touched
// point, instead of on its particles; TouchSolver sweeps these together with all other touches.
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
};

/// An obstacle under a particle. A rigid body that presses the particle against it is stopped by the obstacle: however
/// light the particle, it gives way along the obstacle alone.
struct Support {
    Lanes normal{};
    float height = std::numeric_limits<float>::infinity();  ///< m, of the particle at the start of the step
    bool pressed = false;                                   ///< the particle has been pushed down to it
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
/// One sweep: every touch that pushed to its rebound, slowed by friction, within what all its impulses allow.
void solve_rigid_velocities(std::span<const Touch> touches, std::span<RigidTouch> rigid, double friction,
                            const SweptValues& velocities);

/// A particle of a rigid body at an obstacle.
struct ObstacleTouch {
    const Collider* collider;
    std::int32_t particle;
    Vec3d arm, normal;   ///< m, from the centre of the motion; out of the obstacle
    Vec3d slip;          ///< m, of the particle against the obstacle in the step
    Vec3d velocity;      ///< m/s, of the obstacle there
    double distance;     ///< m, negative inside
    double rebound;      ///< m/s, speed of separation to be reached
    double impulse = 0;  ///< as in RigidTouch
    Vec3d friction{};
    bool pushed = false;
};

/// All that a rigid body has to do with obstacles in a step.
class RigidObstacles {
public:
    /// `body` has made its step without looking at them.
    void find(const ContactBody& body);
    bool empty() const { return touches_.empty(); }

    /// One sweep; the answer is the largest move along a normal, m.
    double solve_displacements(const RigidMotion& motion, RigidChange& displacement);
    void begin_velocities(double dt);
    void solve_velocities(const RigidMotion& motion, RigidChange& velocity);
    std::span<const ObstacleTouch> touches() const { return touches_; }
    /// Contacts, and how far the deepest particle had to be moved out.
    ContactReport report() const;

private:
    std::vector<ObstacleTouch> touches_;
};

/// Contact of one rigid body with obstacles alone, after its step.
ContactReport resolve_rigid(const ContactBody& body, double dt, RigidObstacles& memory);

}  // namespace yawara::contact
