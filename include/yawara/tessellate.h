// Obstacles as triangles, for pictures and exports.
#pragma once

#include "yawara/collider.h"

namespace yawara {

/// A box has 12 triangles, spheres and capsules a fine net, a mesh is itself, and a plane is a square of two triangles
/// that reaches `plane_extent` from its point to all four sides.
TriMesh tessellate(const Collider& collider, double plane_extent);

/// The plane where the obstacle is now; none if it is of another shape.
std::optional<Plane> plane_of(const Collider& collider);

}  // namespace yawara
