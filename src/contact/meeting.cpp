#include "contact/meeting.h"

#include <cmath>
#include <limits>

#include "yawara/rotation.h"

namespace yawara {

ColliderMotion ColliderMotion::part(double from, double to) const
{
    // The step as a screw: about an axis through `center`, and along it.
    const Mat3d turn = end.turn * transpose(start.turn);
    const Vec3d move = end.move - turn * start.move;
    const Quat q = to_quat(turn);
    const Vec3d half_sine{q.x, q.y, q.z};
    const double angle = 2 * std::atan2(length(half_sine), q.w);
    constexpr double kSmall = 1e-7;  // rad: no axis to speak of
    const Vec3d axis = angle > kSmall ? normalized(half_sine) : Vec3d{};
    const Vec3d along = angle > kSmall ? axis * dot(axis, move) : move, across = move - along;
    const Vec3d center = angle > kSmall ? (across + cross(axis, across) / std::tan(angle / 2)) * 0.5 : Vec3d{};
    const auto at = [&](double share) {
        if (share == 0) return start;
        if (share == 1) return end;
        const Mat3d part = angle > kSmall ? rotation_of(axis * (angle * share)) : Mat3d{};
        return Placement{part * start.turn, center + part * (start.move - center) + along * share};
    };
    return {at(from), at(to), belt, duration * (to - from)};
}

namespace contact {
namespace {

/// Two sides whose normals are less than 60 degrees apart are one side: curved or bumpy, not opposite.
constexpr double kSameSide = 0.5;
/// More than 120 degrees: the other side of something thin, not that of an edge.
constexpr double kOppositeSide = -0.5;

}  // namespace

double rounding(Vec3 x)
{
    return 4 * double(std::numeric_limits<float>::epsilon()) * (std::abs(x.x) + std::abs(x.y) + std::abs(x.z));
}

Vec3d velocity_at(const Collider& collider, Vec3d at_end)
{
    if (!collider.motion || !collider.motion->moves()) return {};
    const ColliderMotion& motion = *collider.motion;
    Vec3d local = motion.end.undo(at_end);
    if (const auto* mesh = std::get_if<MeshDistance>(&collider.shape)) local = mesh->carry_back(local);
    return (at_end - motion.start(local)) / motion.duration + motion.belt;
}

Meeting meet(const Collider& collider, Vec3 before, Vec3 after)
{
    const Sample here = sample(collider, after);
    const Relative relative = relative_start(collider, before);
    const Meeting nearest{relative, here.distance, here.normal, 0, false};
    if (std::holds_alternative<Plane>(collider.shape)) return nearest;  // it has no other side
    const Vec3d start = relative.start.as<double>(), displacement = after.as<double>() - start;
    // Distances grow no faster than the displacement (meshes: than twice the displacement), so most particles are done
    // here.
    if (here.distance > 2 * length(displacement)) return nearest;
    if (const auto entry = first_entry(collider, relative.start, after, rounding(before))) {
        const double inside = 1 - entry->share, depth = inside * -dot(entry->normal, displacement);
        if (depth <= rounding(after) || dot(entry->normal, here.normal) > kSameSide) return nearest;
        return {relative, -depth, entry->normal, inside, true};
    }
    const Sample then = sample(collider, relative.start);
    if (then.distance >= -rounding(before) || dot(then.normal, here.normal) > kOppositeSide) return nearest;
    const double height = then.distance + dot(then.normal, displacement);
    if (height >= -rounding(after)) return nearest;
    return {relative, height, then.normal, 1, true};
}

}  // namespace contact
}  // namespace yawara
