// What every obstacle can answer: how far is a point, and where does something that moves enter. All of it where the
// obstacle is at the end of the step; contact/meeting.h knows of its motion.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "yawara/collider.h"

namespace yawara::contact {

using Entry = MeshDistance::Entry;

struct Sample {
    double distance;  ///< negative in the solid; far away at most twice the true one (meshes), else exact
    Vec3d normal;     ///< direction of steepest growth, unit length
};
Sample sample(const Collider& collider, Vec3 point);

/// Those of some vertices that are in the solid or within `near` of it: sums of their places and normals, and how many.
struct Lying {
    Vec3d points, normals;
    double count = 0;
};
Lying lying_on(const Collider& collider, std::span<const std::int32_t> vertices, std::span<const Vec3> positions,
               double near);

/// Where something that moves straight from `from` to `to` first enters the solid; `skin` is how far inside it may have
/// been at the start and still count as outside. Planes are never passed through, so they have no entry.
std::optional<Entry> first_entry(const Collider& collider, Vec3 from, Vec3 to, double skin);

/// True only if something that moved to `point` by no more than `path`, m, cannot have touched the solid. Quick.
bool is_clear_of(const Collider& collider, Vec3 point, double path);
/// True only if nothing that stays in the box can have touched the solid during the step.
bool is_clear_of(const Collider& collider, const Box3& box);
/// A point of an obstacle that may be nearest to something flat: a corner, or the middle of what is round.
struct Corner {
    Vec3d at;
    double radius = 0;  ///< m, of what is around it
};
/// Adds those of an obstacle; of a mesh those within the box.
void list_corners(const Collider& collider, const Box3& box, std::vector<Corner>& out);
/// Where a point that moves with the obstacle is at the end of the step.
Vec3d carry(const Collider& collider, Vec3d at_start);
/// Cuts the motion of an obstacle down to what lies between two shares of the step.
void cut_motion(Collider& collider, double from, double to);
/// How far the obstacle carries a point of the box in the step at most, m.
double travel(const Collider& collider, const Box3& box);

}  // namespace yawara::contact
