// Smooth normals that keep the edges of a cube sharp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::drawing {

/// A unit normal for each corner of each triangle: the mean of the triangles around the vertex, weighted by their
/// angle there, leaving out those that are turned against this triangle by more than a crease.
std::vector<std::array<Vec3, 3>> shading_normals(std::span<const Vec3> positions, std::span<const Int3> triangles);

}  // namespace yawara::drawing
