// Cuts a polygon of a mesh file into triangles.
#pragma once

#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::io {

/// Concave polygons with more corners are refused by SurfaceBuilder: ear clipping takes quadratic time.
inline constexpr std::size_t kMostConcaveCorners = 10000;

/// Appends the n - 2 triangles of a polygon, as indices into it, turned like it. A fan where that flips no triangle
/// (every convex polygon), else ears are clipped. Polygons that cross themselves or have no area give some n - 2
/// triangles. False, and nothing appended, if it is concave with more than kMostConcaveCorners corners.
bool triangulate(std::span<const Vec3d> polygon, std::vector<Int3>& triangles);

}  // namespace yawara::io
