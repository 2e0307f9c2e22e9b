#include "contact/rigid_motion.h"

#include <cmath>

#include "contact/touch.h"
#include "yawara/rotation.h"

namespace yawara::contact {

Mat3d inverse_of_moments(const Mat3d& m)
{
    const double det = determinant(m), trace = m.c0.x + m.c1.y + m.c2.z;
    if (!(det > 1e-9 * trace * trace * trace)) return Mat3d::zero();
    return Mat3d{cross(m.c1, m.c2), cross(m.c2, m.c0), cross(m.c0, m.c1)} * (1 / det);
}

RigidMotion rigid_motion(const ContactBody& body)
{
    RigidMotion motion;
    if (body.rigid) {
        motion = *body.rigid;
        if (!body.asleep) return motion;
        motion.inverse_mass = 0;
        motion.inverse_inertia = Mat3d::zero();
        return motion;
    }
    double mass = 0;
    bool held = body.asleep;
    const std::size_t count = body.positions_before.size();
    const auto mass_of = [&](std::size_t i) { return 1 / double(body.inverse_masses[i]); };
    for (std::size_t i = 0; i < count; ++i) {
        if (!(body.inverse_masses[i] > 0)) {
            held = true;
            continue;
        }
        mass += mass_of(i);
        motion.center += body.positions_before[i].as<double>() * mass_of(i);
        motion.velocity += body.velocities[i].as<double>() * mass_of(i);
    }
    if (!(mass > 0)) return {};
    motion.center = motion.center / mass;
    motion.velocity = motion.velocity / mass;
    Mat3d inertia = Mat3d::zero();
    Vec3d angular;
    for (std::size_t i = 0; i < count; ++i) {
        if (!(body.inverse_masses[i] > 0)) continue;
        const Vec3d r = body.positions_before[i].as<double>() - motion.center;
        inertia = inertia + (Mat3d{} * dot(r, r) - outer(r, r)) * mass_of(i);
        angular += cross(r, body.velocities[i].as<double>()) * mass_of(i);
    }
    const Mat3d inverse = inverse_of_moments(inertia);
    motion.spin = inverse * angular;
    if (held) return motion;
    motion.inverse_mass = 1 / mass;
    motion.inverse_inertia = inverse;
    return motion;
}

Vec3d rub(Vec3d& friction, Vec3d slip, const Mat3d& response, double most)
{
    const double slip2 = dot(slip, slip), give = dot(slip, response * slip);
    if (!(give > 0)) return {};
    const Vec3d before = friction;
    friction -= slip * (slip2 / give);
    const double size2 = dot(friction, friction);
    if (size2 > most * most) friction = friction * (most / std::sqrt(size2));
    return friction - before;
}

void carry_out(const RigidChange& displacement, const RigidChange& velocity, const ContactBody& body)
{
    RigidMotion& motion = *body.rigid;
    const Mat3d turn = rotation_of(displacement.turn);
    const Vec3d center = motion.center + displacement.shift;
    motion.velocity += velocity.shift;
    motion.spin += velocity.turn;
    if (motion.inverse_mass > 0) {
        const Vec3d angular = inverse_of_moments(motion.inverse_inertia) * motion.spin;
        motion.inverse_inertia = turn * motion.inverse_inertia * transpose(turn);
        motion.spin = motion.inverse_inertia * angular;
    }
    for (std::size_t i = 0; i < body.positions.size(); ++i) {
        const Vec3d arm = turn * (body.positions[i].as<double>() - motion.center);
        body.positions[i] = (center + arm).as<float>();
        body.velocities[i] = (motion.velocity + cross(motion.spin, arm)).as<float>();
    }
    motion.center = center;
}

}  // namespace yawara::contact
