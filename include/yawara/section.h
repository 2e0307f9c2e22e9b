// A body cut by a plane, to look inside: the skin without what is in front, and the cut closed with the sections of
// tets.
#pragma once

#include <span>
#include <vector>

#include "yawara/collider.h"
#include "yawara/mesh.h"

namespace yawara {

/// Triangles whose vertices lie on edges between two given points: place = a + (b - a) share. Values follow the same
/// way.
struct Section {
    struct Vertex {
        std::int32_t a, b;
        float share;
    };
    std::vector<Vertex> vertices;
    std::vector<Int3> triangles;

    template <class Value>
    std::vector<Value> values(std::span<const Value> at) const
    {
        std::vector<Value> out;
        out.reserve(vertices.size());
        for (const Vertex& v : vertices)
            out.push_back(at[std::size_t(v.a)] + (at[std::size_t(v.b)] - at[std::size_t(v.a)]) * v.share);
        return out;
    }
};

/// What of a surface lies on the side of the plane that its normal points away from.
Section clip_surface(std::span<const Int3> triangles, std::span<const Vec3> positions, const Plane& plane);
/// The plane where it is inside of a closed surface: three points of each triangle, seen from the side the normal points
/// to. What the surface encloses twice is inside, too.
std::vector<Vec3> cap_of(std::span<const Int3> triangles, std::span<const Vec3> positions, const Plane& plane);
/// Where the plane meets the tets: a triangle or two of each, seen from the side the normal points to.
Section cut_tets(std::span<const Int4> tets, std::span<const Vec3> positions, const Plane& plane);

}  // namespace yawara
