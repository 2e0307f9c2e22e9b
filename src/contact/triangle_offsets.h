// Four points against four triangles at once: the quick test before exact distances.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "contact/lanes.h"
#include "yawara/mesh.h"

namespace yawara::contact {

using Vec3x4 = Vec3T<Lanes>;

/// One particle in each lane.
inline Vec3x4 gather(std::span<const Vec3> x, const std::array<std::int32_t, kLanes>& i)
{
    const Vec3 &a = x[std::size_t(i[0])], &b = x[std::size_t(i[1])], &c = x[std::size_t(i[2])],
               &d = x[std::size_t(i[3])];
    return {Lanes{a.x, b.x, c.x, d.x}, Lanes{a.y, b.y, c.y, d.y}, Lanes{a.z, b.z, c.z, d.z}};
}

inline Vec3x4 four_times(Vec3 x)
{
    return {Lanes{} + x.x, Lanes{} + x.y, Lanes{} + x.z};
}

/// The corners of four triangles, as particles.
struct Corners4 {
    std::array<std::int32_t, kLanes> a, b, c;

    Corners4(std::span<const Int3> triangles, const std::array<std::int32_t, kLanes>& t)
    {
        for (std::size_t k = 0; k < kLanes; ++k) {
            const Int3& corners = triangles[std::size_t(t[k])];
            a[k] = corners[0];
            b[k] = corners[1];
            c[k] = corners[2];
        }
    }
};

/// Where points are seen from triangles, m; NaN if a triangle has no area.
struct TriangleOffsets4 {
    Lanes height;  ///< over the plane
    Lanes beyond;  ///< the side that a point is farthest beyond, within the plane; negative: over the triangle

    TriangleOffsets4(Vec3x4 p, Vec3x4 a, Vec3x4 b, Vec3x4 c)
    {
        const Vec3x4 ab = b - a, ac = c - a, bc = c - b, ap = p - a, bp = p - b, n = cross(ab, ac);
        const Lanes area2 = dot(n, n);
        height = dot(n, ap) / square_roots(area2);
        const auto out_of = [&](Vec3x4 inwards, Vec3x4 side) {
            return -dot(n, inwards) / square_roots(area2 * dot(side, side));
        };
        beyond = larger(out_of(cross(ab, ap), ab), larger(out_of(cross(bc, bp), bc), out_of(cross(ap, ac), ac)));
    }
    /// No point of the triangle is nearer.
    Lanes least_distance() const
    {
        const Lanes out = larger(beyond, Lanes{});
        return square_roots(height * height + out * out);
    }
};

}  // namespace yawara::contact
