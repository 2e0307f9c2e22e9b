#include "sim/rigid_solid.h"

#include <cmath>

#include "sim/rigid_pins.h"
#include "yawara/rotation.h"

namespace yawara {
namespace {

Mat3d moments_to_inertia(const Mat3d& moments)
{
    const double trace = moments.c0.x + moments.c1.y + moments.c2.z;
    return Mat3d{} * trace - moments;
}

bool is_positive(Vec3d v)
{
    return is_finite(v) && v.x > 0 && v.y > 0 && v.z > 0;
}

}  // namespace

SolidMasses masses_of_solid(const TetMesh& mesh, std::span<const double> densities)
{
    SolidMasses all;
    all.particles.resize(mesh.vertices.size());
    const Vec3d origin = mesh.vertices.empty() ? Vec3d{} : mesh.vertices[0];  // far from it, squares would round
    Mat3d moments = Mat3d::zero();
    Vec3d first;
    for (const Int4& tet : mesh.tets) {
        double density = 0;
        Vec3d sum;
        Mat3d squares = Mat3d::zero();
        for (const std::int32_t v : tet) {
            const Vec3d x = mesh.vertices[std::size_t(v)] - origin;
            density += densities[std::size_t(v)] / 4;
            sum += x;
            squares = squares + outer(x, x);
        }
        const double mass = density * signed_volume(mesh, tet);
        for (const std::int32_t v : tet) all.particles[std::size_t(v)] += mass / 4;
        all.mass += mass;
        first += sum * (mass / 4);
        moments = moments + (squares + outer(sum, sum)) * (mass / 20);
    }
    const Vec3d center = first / all.mass;
    all.center = center + origin;
    all.inertia = moments_to_inertia(moments - outer(center, center) * all.mass);
    return all;
}

Result<RigidSolid> make_rigid_solid(const Rigid& rigid, const SolidMasses& masses, std::span<const Vec3d> rest)
{
    RigidSolid solid;
    if (!(rigid.mass >= 0) || !std::isfinite(rigid.mass))
        return Error{"mass", "of a rigid body has to be a positive number, or 0 for that of its density"};
    solid.mass = rigid.mass > 0 ? rigid.mass : masses.mass;
    solid.center = masses.center;
    solid.inertia = masses.inertia * (solid.mass / masses.mass);
    if (rigid.inertia) {
        const Vec3d i = *rigid.inertia;
        if (!is_positive(i)) return Error{"inertia", "has to be three positive numbers"};
        if (i.x > (i.y + i.z) * 1.000001 || i.y > (i.z + i.x) * 1.000001 || i.z > (i.x + i.y) * 1.000001)
            return Error{"inertia", "no solid has one that is more than the sum of the other two"};
        solid.inertia = {{i.x, 0, 0}, {0, i.y, 0}, {0, 0, i.z}};
    }
    solid.inverse_inertia = contact::inverse_of_moments(solid.inertia);
    for (const Vec3d& x : rest) {
        solid.offsets.push_back(x - solid.center);
        solid.mean_offset += solid.offsets.back() / double(rest.size());
    }
    Mat3d moments = Mat3d::zero();
    for (const Vec3d& q : solid.offsets) moments = moments + outer(q - solid.mean_offset, q - solid.mean_offset);
    solid.inverse_spread = contact::inverse_of_moments(moments_to_inertia(moments));
    if (solid.inverse_inertia == Mat3d::zero() || solid.inverse_spread == Mat3d::zero())
        return Error{"inertia", "the solid is too thin to be turned about every axis"};
    return solid;
}

RigidPose pose_of(const RigidSolid& solid, std::span<const Vec3> positions, std::span<const Vec3> velocities,
                  int& repaired)
{
    const std::size_t n = solid.offsets.size();
    Vec3d place, offset, velocity;
    double sound = 0, known = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_finite(positions[i])) {
            place += positions[i].as<double>();
            offset += solid.offsets[i];
            ++sound;
        }
        if (is_finite(velocities[i])) {
            velocity += velocities[i].as<double>();
            ++known;
        }
    }
    repaired = int(n) - int(std::min(sound, known));
    if (sound == 0) return {solid.center, {}, {}, {}};
    place = place / sound, offset = offset / sound;
    if (known > 0) velocity = velocity / known;
    Mat3d moments = Mat3d::zero();
    Vec3d angular;
    for (std::size_t i = 0; i < n; ++i) {
        if (!is_finite(positions[i])) continue;
        const Vec3d arm = positions[i].as<double>() - place;
        moments = moments + outer(arm, solid.offsets[i] - offset);
        angular += cross(arm, velocities[i].as<double>() - velocity);
    }
    RigidPose pose;
    pose.turn = to_matrix(closest_rotation(moments, {}));
    if (repaired == 0) pose.spin = pose.turn * (solid.inverse_spread * (transpose(pose.turn) * angular));
    pose.center = place - pose.turn * offset;
    pose.velocity = velocity - cross(pose.spin, pose.turn * offset);
    return pose;
}

RigidPose pose_of(const RigidSolid& solid, const BodyState& state, int& repaired)
{
    return pose_of(solid, state.positions, state.velocities, repaired);
}

void write_pose(const RigidSolid& solid, const RigidPose& pose, BodyState& state)
{
    for (std::size_t i = 0; i < solid.offsets.size(); ++i) {
        const Vec3d arm = pose.turn * solid.offsets[i];
        state.positions[i] = (pose.center + arm).as<float>();
        state.velocities[i] = (pose.velocity + cross(pose.spin, arm)).as<float>();
    }
}

contact::RigidMotion motion_of(const RigidSolid& solid, const RigidPose& before, const BodyState& state,
                               std::span<const Grip> grips)
{
    int repaired = 0;
    const RigidPose pose = pose_of(solid, state, repaired);
    const RigidPins pins(solid, grips);
    contact::RigidMotion motion{pose.center, pose.velocity, pose.spin};
    motion.center_before = pins.kind() == RigidPins::Kind::none ? before.center : before.at(pins.offset());
    switch (pins.kind()) {
        case RigidPins::Kind::none:
            motion.inverse_mass = 1 / solid.mass;
            motion.inverse_inertia = pose.inverse_inertia(solid);
            break;
        case RigidPins::Kind::point:
            motion.center = pose.at(pins.offset());
            motion.velocity = pose.velocity + cross(pose.spin, motion.center - pose.center);
            motion.inverse_inertia = contact::inverse_of_moments(inertia_about(solid, pose, motion.center));
            break;
        case RigidPins::Kind::axis: {
            const Vec3d axis = pose.turn * pins.axis();
            motion.center = pose.at(pins.offset());
            motion.velocity = pose.velocity + cross(pose.spin, motion.center - pose.center);
            motion.inverse_inertia =
                outer(axis, axis) * (1 / dot(axis, inertia_about(solid, pose, motion.center) * axis));
            break;
        }
        case RigidPins::Kind::all:
            break;
    }
    return motion;
}

}  // namespace yawara
