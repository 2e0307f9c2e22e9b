#include "sim/rigid_pins.h"

#include <algorithm>
#include <cmath>

#include "core/grips.h"
#include "yawara/rotation.h"

namespace yawara {
namespace {

/// then(rest offset, target, target velocity) for all particles of hard grips.
template <class Then>
void for_each_pin(const RigidSolid& solid, std::span<const Grip> grips, const Then& then)
{
    for (const Grip& grip : grips)
        if (is_hard(grip))
            for_each_held(grip, solid.offsets.size(), [&](std::size_t i, Vec3 target, Vec3 velocity) {
                then(solid.offsets[i], target.as<double>(), velocity.as<double>());
            });
}

/// Means over the pins, and moments about them of where they are wanted.
struct WantedPins {
    Vec3d offset, target, velocity;
    Mat3d moments = Mat3d::zero();  ///< of targets and offsets
    Mat3d inertia = Mat3d::zero();  ///< of targets about their mean, all alike
    Vec3d angular;                  ///< of target velocities about it
    double count = 0;

    WantedPins(const RigidSolid& solid, std::span<const Grip> grips)
    {
        for_each_pin(solid, grips, [&](Vec3d q, Vec3d x, Vec3d v) {
            offset += q;
            target += x;
            velocity += v;
            ++count;
        });
        offset = offset / count, target = target / count, velocity = velocity / count;
        for_each_pin(solid, grips, [&](Vec3d q, Vec3d x, Vec3d v) {
            const Vec3d arm = x - target;
            moments = moments + outer(arm, q - offset);
            inertia = inertia + Mat3d{} * dot(arm, arm) - outer(arm, arm);
            angular += cross(arm, v - velocity);
        });
    }
};

/// The turn from one unit vector to another, axis times angle.
Vec3d turn_between(Vec3d from, Vec3d to)
{
    const Vec3d axis = cross(from, to);
    const double sine = length(axis), angle = std::atan2(sine, dot(from, to));
    return sine > 0 ? axis * (angle / sine) : Vec3d{};
}

}  // namespace

Mat3d inertia_about(const RigidSolid& solid, const RigidPose& pose, Vec3d point)
{
    const Vec3d r = point - pose.center;
    return pose.inertia(solid) + (Mat3d{} * dot(r, r) - outer(r, r)) * solid.mass;
}

RigidPins::RigidPins(const RigidSolid& solid, std::span<const Grip> grips)
{
    Vec3d sum;
    std::size_t count = 0;
    for_each_pin(solid, grips, [&](Vec3d q, Vec3d, Vec3d) {
        sum += q;
        ++count;
    });
    if (count == 0) return;
    offset_ = sum / double(count);
    // Which of them is farthest, and how far others are from the line to it.
    double size = 0, longest = 0, widest = 0;
    for (const Vec3d& q : solid.offsets) size = std::max(size, length(q));
    for_each_pin(solid, grips, [&](Vec3d q, Vec3d, Vec3d) {
        if (!(length(q - offset_) > longest)) return;
        longest = length(q - offset_);
        axis_ = normalized(q - offset_);
    });
    const double tolerance = 1e-5 * size;
    kind_ = Kind::point;
    if (!(longest > tolerance)) return;
    for_each_pin(solid, grips,
                 [&](Vec3d q, Vec3d, Vec3d) { widest = std::max(widest, length(cross(q - offset_, axis_))); });
    kind_ = widest > tolerance ? Kind::all : Kind::axis;
}

void RigidPins::advance(const RigidSolid& solid, std::span<const Grip> grips, double dt, double steps,
                        RigidPose& pose) const
{
    const WantedPins wanted(solid, grips);
    const double share = 1 / std::max(steps, 1.0);
    const Vec3d pin = pose.at(offset_), to = pin + (wanted.target - pin) * share, velocity = (to - pin) / dt;
    Vec3d spin;
    if (kind_ == Kind::all) {
        const Mat3d goal = to_matrix(closest_rotation(wanted.moments, to_quat(pose.turn)));
        const Quat between = to_quat(goal * transpose(pose.turn));
        const Vec3d half{between.x, between.y, between.z};
        const double sine = length(half), angle = 2 * std::atan2(sine, std::abs(between.w));
        if (sine > 0) spin = half * ((between.w < 0 ? -1 : 1) * angle / sine * share / dt);
    } else {
        // Of all motions that the pins allow, the one nearest to that without them, as masses count.
        const Vec3d arm = pose.center - pin;
        const Mat3d about = inertia_about(solid, pose, pin);
        Vec3d angular = pose.inertia(solid) * pose.spin + cross(arm, pose.velocity - velocity) * solid.mass;
        if (kind_ == Kind::point) {
            spin = contact::inverse_of_moments(about) * angular;
        } else {
            const Vec3d axis = pose.turn * axis_, goal = normalized(wanted.moments * axis_);
            const Vec3d follow = length(goal) > 0 ? turn_between(axis, goal) * (share / dt) : Vec3d{};
            angular -= about * follow;
            spin = follow + axis * (dot(axis, angular) / dot(axis, about * axis));
        }
    }
    pose.turn = to_matrix(to_quat(rotation_of(spin * dt) * pose.turn));
    const Vec3d arm = pose.turn * offset_;
    pose.center = to - arm;
    pose.spin = spin;
    // Once they are there, the velocities that the grips name count, not how fast they came.
    const bool there = steps <= 1;
    if (there && kind_ == Kind::all) pose.spin = contact::inverse_of_moments(wanted.inertia) * wanted.angular;
    pose.velocity = (there ? wanted.velocity : velocity) - cross(pose.spin, arm);
}

void advance_free(const RigidSolid& solid, double dt, RigidPose& pose)
{
    const Vec3d angular = pose.inertia(solid) * pose.spin;
    const Mat3d start = pose.turn;
    Vec3d spin = pose.spin;  // in the middle of the step
    for (int k = 0; k < 3; ++k) {
        pose.turn = rotation_of(spin * (0.5 * dt)) * start;
        spin = pose.inverse_inertia(solid) * angular;
    }
    pose.turn = to_matrix(to_quat(rotation_of(spin * dt) * start));
    pose.spin = pose.inverse_inertia(solid) * angular;
    pose.center += pose.velocity * dt;
}

}  // namespace yawara
