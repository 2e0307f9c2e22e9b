// The motion of a body as a whole: of rigid ones, and of others where an impact is too fast for their shapes.
#pragma once

#include "yawara/math.h"

namespace yawara::contact {

struct ContactBody;

/// Motion about a point that a body turns about when it is pushed: its centre of mass, or where it is pinned.
struct RigidMotion {
    Vec3d center, velocity, spin;           ///< m, m/s, 1/s
    double inverse_mass = 0;                ///< 1/kg; 0: held somewhere, or asleep
    Mat3d inverse_inertia = Mat3d::zero();  ///< 1/(kg m^2)
    Vec3d center_before{};                  ///< of a rigid body: at the start of the step, m

    Vec3d velocity_at(Vec3d point) const { return velocity + cross(spin, point - center); }
    void push(Vec3d impulse, Vec3d point)
    {
        velocity += impulse * inverse_mass;
        spin += inverse_inertia * cross(point - center, impulse);
    }
    /// Velocity along n at a point for each unit of impulse along n there.
    double yields(Vec3d n, Vec3d point) const
    {
        const Vec3d arm = cross(point - center, n);
        return inverse_mass + dot(arm, inverse_inertia * arm);
    }
    /// Velocity at the point of an arm for each unit of impulse there.
    Mat3d response(Vec3d arm) const
    {
        const auto along = [&](Vec3d n) { return n * inverse_mass + cross(inverse_inertia * cross(arm, n), arm); };
        return {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
    }
    bool is_held() const { return !(inverse_mass > 0) && inverse_inertia == Mat3d::zero(); }
};

/// Inverse of a symmetric matrix of moments; zero for a body that cannot be turned.
Mat3d inverse_of_moments(const Mat3d& m);

/// Of any body, from its particles at the start of the step and their velocities at its end; of a rigid one, its own.
RigidMotion rigid_motion(const ContactBody& body);

/// What contact has added to the motion of a rigid body so far: of displacements (m, rad) or of velocities.
struct RigidChange {
    Vec3d shift, turn;

    Vec3d at(Vec3d arm) const { return shift + cross(turn, arm); }
    void push(const RigidMotion& motion, Vec3d impulse, Vec3d arm)
    {
        shift += impulse * motion.inverse_mass;
        turn += motion.inverse_inertia * cross(arm, impulse);
    }
};

inline Vec3d across(Vec3d value, Vec3d normal)
{
    return value - normal * dot(normal, value);
}
/// Adds what stops a slip to the friction so far, within Coulomb's limit, where an impulse changes the slip by
/// `response` of it; returns the change.
Vec3d rub(Vec3d& friction, Vec3d slip, const Mat3d& response, double most);

/// Moves the particles of a rigid body by a displacement, and gives them the velocities of its motion after a change.
/// The angular momentum of a free body is that after the change of velocity, however it is turned.
void carry_out(const RigidChange& displacement, const RigidChange& velocity, const ContactBody& body);

}  // namespace yawara::contact
