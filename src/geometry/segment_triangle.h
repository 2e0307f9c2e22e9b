// Where a straight line crosses a triangle.
#pragma once

#include <array>
#include <optional>

#include "yawara/math.h"

namespace yawara {

struct LineCrossing {
    double share;                   ///< the point is `from + share * direction`
    std::array<double, 3> weights;  ///< of the corners
};

/// Of the whole line, from either side. Two triangles that share an edge leave no gap between them: the edge gives both
/// the same number but for its sign. None if the line lies in the plane of the triangle.
inline std::optional<LineCrossing> line_through_triangle(Vec3d from, Vec3d direction, Vec3d a, Vec3d b, Vec3d c)
{
    a -= from, b -= from, c -= from;
    const double u = dot(direction, cross(c, b)), v = dot(direction, cross(a, c)), w = dot(direction, cross(b, a));
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return std::nullopt;
    const double sum = u + v + w;
    if (sum == 0) return std::nullopt;
    const std::array weights{u / sum, v / sum, w / sum};
    const Vec3d point = a * weights[0] + b * weights[1] + c * weights[2];
    return LineCrossing{dot(point, direction) / dot(direction, direction), weights};
}

}  // namespace yawara
