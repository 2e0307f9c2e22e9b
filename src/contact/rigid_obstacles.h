// Obstacles of a rigid body. Pushing single particles out would bend it: touches push the whole instead, and are found
// all over its surface, not at its particles alone.
#pragma once

#include <span>
#include <vector>

#include "contact/between_particles.h"
#include "contact/meeting.h"
#include "contact/rigid_motion.h"
#include "contact/touch.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// A point of the surface of a rigid body at an obstacle.
struct ObstacleTouch {
    const Collider* collider;
    Vec3d point;      ///< m, at the end of the step, before contact
    Vec3d normal;     ///< out of the obstacle
    Vec3d slip;       ///< m, of the point against the obstacle in the step
    Vec3d velocity;   ///< m/s, of the obstacle there
    double distance;  ///< m, negative inside
    double rebound;   ///< m/s, speed of separation to be reached

    Vec3d arm{};         ///< m, from the centre of the motion
    Mat3d response{};    ///< how far the point is moved by an impulse there, 1/kg
    double yields = 0;   ///< the same along the normal
    double impulse = 0;  ///< along the normal in the sweeps so far: kg m, then kg m/s
    Vec3d friction{};    ///< across it, likewise
    bool pushed = false;
};

/// All that a rigid body has to do with obstacles in a step.
class RigidObstacles {
public:
    /// `body` has made its step without looking at them.
    void find(const ContactBody& body);
    bool empty() const { return touches_.empty(); }

    /// Sweeps begin with an impulse along a normal, kg m, shared by what is in an obstacle.
    void begin_with(Vec3d normal, double impulse, const RigidMotion& motion, RigidChange& displacement);
    /// One sweep; the answer is the largest move along a normal, m.
    double solve_displacements(const RigidMotion& motion, RigidChange& displacement);
    void begin_velocities(double dt);
    /// One sweep; the answer is the largest change along a normal, m/s.
    double solve_velocities(const RigidMotion& motion, RigidChange& velocity);
    std::span<const ObstacleTouch> touches() const { return touches_; }
    /// Contacts, and how far the deepest point had to be moved out.
    ContactReport report() const;

private:
    void add(const ContactBody& body, const Collider& collider, Vec3 before, Vec3 after, Vec3 velocity_before);
    void add(const ContactBody& body, const Collider& collider, const Meeting& met, Vec3 after, Vec3 velocity_before);

    std::vector<ObstacleTouch> touches_;
    double near_ = 0;  ///< m, how far from an obstacle a point may be to count
    BetweenParticles between_;
};

/// Contact of one rigid body with obstacles alone, after its step.
ContactReport resolve_rigid(const ContactBody& body, double dt, RigidObstacles& memory);

}  // namespace yawara::contact
