// Crossings of triangles, found by following every edge through the tree.
#include "contact/crossings.h"

#include <algorithm>
#include <atomic>

#include "contact/winding.h"
#include "core/parallel.h"
#include "geometry/bvh.h"

namespace yawara::contact {
namespace {

bool share_a_vertex(const Int3& a, const Int3& b)
{
    for (const std::int32_t v : a) {
        if (v == b[0] || v == b[1] || v == b[2]) return true;
    }
    return false;
}

/// Does the edge from p to q go through the triangle, or over it within its plane? Touching its border does not count.
bool meets(const ClosedSurface& surface, std::int32_t triangle, Vec3d p, Vec3d q)
{
    const std::array<Vec3d, 3> x{surface.corner(triangle, 0), surface.corner(triangle, 1), surface.corner(triangle, 2)};
    const Vec3d normal = normalized(cross(x[1] - x[0], x[2] - x[0])), segment = q - p;
    if (normal == Vec3d{}) return false;
    const double slack = 1e-9 * (length(x[1] - x[0]) + length(x[2] - x[0]));
    const double hp = dot(normal, p - x[0]), hq = dot(normal, q - x[0]);
    if ((hp > slack && hq > slack) || (hp < -slack && hq < -slack)) return false;

    // The part of the edge at the height of the triangle: a point, or all of it; then cut by the sides of the triangle.
    const bool flat = std::abs(hp) <= slack && std::abs(hq) <= slack;
    double first = flat ? 0 : std::clamp(hp / (hp - hq), 0.0, 1.0), last = flat ? 1 : first;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d inwards = normalized(cross(normal, x[(k + 1) % 3] - x[k]));
        const double start = dot(inwards, p - x[k]) - slack, slope = dot(inwards, segment);
        if (slope == 0) {
            if (start < 0) return false;
        } else if (slope > 0) {
            first = std::max(first, -start / slope);
        } else {
            last = std::min(last, -start / slope);
        }
    }
    return first <= last;
}

}  // namespace

std::vector<char> crossed_triangles(const ClosedSurface& surface)
{
    const Bvh tree(triangle_boxes(surface));
    std::vector<char> crossed(surface.triangles.size(), 0);
    const auto mark = [&](std::size_t t) { std::atomic_ref(crossed[t]).store(1, std::memory_order_relaxed); };
    for_each_chunk(crossed.size(), 256, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            for (int k = 0; k < 3; ++k) {
                const Vec3d p = surface.corner(static_cast<std::int32_t>(t), k);
                const Vec3d q = surface.corner(static_cast<std::int32_t>(t), (k + 1) % 3);
                tree.along(p, q - p, [&](std::int32_t other, double&) {
                    if (share_a_vertex(surface.triangles[t], surface.triangles[static_cast<std::size_t>(other)]))
                        return;
                    if (!meets(surface, other, p, q)) return;
                    mark(t);
                    mark(static_cast<std::size_t>(other));
                });
            }
        }
    });
    return crossed;
}

}  // namespace yawara::contact
