// Endless floors as rays meet them, and how far from a surface new rays begin.
#pragma once

#include <limits>
#include <vector>

#include "render/surfaces.h"
#include "render/view.h"

namespace yawara::drawing {

constexpr float kFar = std::numeric_limits<float>::max();
constexpr float kFadeStart = 2.5f, kFadeEnd = 9.0f;  ///< of floors, in distances from eye to target

/// Rays that start on a surface begin this far from it: rounding errors grow with the coordinates.
inline float lift(const View& view, Vec3 point)
{
    const float size = std::max({std::abs(point.x), std::abs(point.y), std::abs(point.z), view.distance});
    return size * 0x1p-17f;
}

/// Nearest floor in front of a ray, or none; floors are one-sided.
inline const Floor* floor_below(const std::vector<Floor>& floors, Vec3 origin, Vec3 direction, float& distance)
{
    const Floor* nearest = nullptr;
    for (const Floor& floor : floors) {
        const float speed = dot(direction, floor.normal);
        if (speed >= 0) continue;
        const float t = dot(floor.point - origin, floor.normal) / speed;
        if (t > 0 && t < distance) {
            distance = t;
            nearest = &floor;
        }
    }
    return nearest;
}

}  // namespace yawara::drawing
