#include "contact/turned_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yawara::contact {
namespace {

/// The axes of rest, turned with the body: those of its mean deformation, made square.
std::array<Vec3, 3> axes_of(const BodySurface& surface, std::span<const Vec3> positions)
{
    std::array<Vec3, 3> along{};
    for (std::size_t k = 0; k < surface.vertices.size(); ++k) {
        const Vec3 x = positions[std::size_t(surface.vertices[k])], gradient = surface.gradients[k];
        along[0] += x * gradient.x;
        along[1] += x * gradient.y;
        along[2] += x * gradient.z;
    }
    const Vec3 first = normalized(along[0]), second = normalized(along[1] - first * dot(first, along[1]));
    const bool square = std::abs(dot(first, first) - 1) < 1e-3f && std::abs(dot(second, second) - 1) < 1e-3f &&
                        std::abs(dot(first, second)) < 1e-3f;
    if (!square) return {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return {first, second, cross(first, second)};
}

}  // namespace

bool TurnedBox::meets(const TurnedBox& other, float apart) const
{
    const Vec3 between = other.center - center;
    Vec3 reach = half, others_reach = other.half;  // of both, along the axes of the one and of the other
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const float along = std::abs(dot(axes[std::size_t(i)], other.axes[std::size_t(j)]));
            reach[i] += other.half[j] * along;
            others_reach[j] += half[i] * along;
        }
    for (int i = 0; i < 3; ++i) {
        if (std::abs(dot(axes[std::size_t(i)], between)) > reach[i] + apart) return false;
        if (std::abs(dot(other.axes[std::size_t(i)], between)) > others_reach[i] + apart) return false;
    }
    return true;
}

TurnedBox box_around(const BodySurface& surface, std::span<const Vec3> positions, std::span<const float> room)
{
    constexpr float kRounding = 1e-3f;  // of the size
    constexpr float kFar = std::numeric_limits<float>::infinity();
    TurnedBox box;
    box.axes = axes_of(surface, positions);
    const Vec3 origin = positions[std::size_t(surface.vertices[0])];
    Vec3 low{kFar, kFar, kFar}, high = -low;
    for (const std::int32_t v : surface.vertices) {
        const Vec3 from = positions[std::size_t(v)] - origin;
        const Vec3 at{dot(box.axes[0], from), dot(box.axes[1], from), dot(box.axes[2], from)};
        const float around = room[std::size_t(v)];
        low = min(low, at - Vec3{around, around, around});
        high = max(high, at + Vec3{around, around, around});
    }
    const Vec3 middle = (low + high) * 0.5f;
    box.center = origin + box.axes[0] * middle.x + box.axes[1] * middle.y + box.axes[2] * middle.z;
    box.half = (high - low) * (0.5f * (1 + kRounding));
    return box;
}

}  // namespace yawara::contact
