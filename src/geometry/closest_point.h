// The point of a triangle that is closest to a given one, and on which of its vertices, edges or face it lies.
#pragma once

#include <array>

#include "yawara/math.h"

namespace yawara {

struct ClosestOnTriangle {
    Vec3d point;
    std::array<double, 3> weights;  ///< of the corners; a corner or edge that is not touched has exactly 0
};

/// By the Voronoi regions of the corners, edges and face. A triangle without area gives a point of it, never a NaN.
inline ClosestOnTriangle closest_on_triangle(Vec3d a, Vec3d b, Vec3d c, Vec3d p)
{
    const Vec3d ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {a, {1, 0, 0}};
    const Vec3d bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return {b, {0, 1, 0}};
    const Vec3d cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return {c, {0, 0, 1}};

    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) {
        const double t = d1 / (d1 - d3);
        return {a + ab * t, {1 - t, t, 0}};
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) {
        const double t = d2 / (d2 - d6);
        return {a + ac * t, {1 - t, 0, t}};
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0 && d4 - d3 + d5 - d6 > 0) {
        const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {b + (c - b) * t, {0, 1 - t, t}};
    }
    const double sum = va + vb + vc;
    if (!(sum > 0)) return {a, {1, 0, 0}};  // no area, and rounding hid the edges
    const double v = vb / sum, w = vc / sum;
    return {a + ab * v + ac * w, {1 - v - w, v, w}};
}

}  // namespace yawara
