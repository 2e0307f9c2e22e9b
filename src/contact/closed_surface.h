// A closed surface made fit for distances: equal vertices joined, empty triangles dropped, neighbours turned alike.
#pragma once

#include <vector>

#include "yawara/mesh.h"

namespace yawara::contact {

struct ClosedSurface {
    std::vector<Vec3d> vertices;
    std::vector<Int3> triangles;
    std::vector<std::int32_t> source;  ///< per vertex: one of those of the mesh that are here

    Vec3d corner(std::int32_t triangle, int k) const
    {
        const Int3& t = triangles[static_cast<std::size_t>(triangle)];
        return vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
    }
    /// Normal of a triangle with twice its area as length.
    Vec3d area_normal(std::int32_t triangle) const
    {
        const Vec3d a = corner(triangle, 0);
        return cross(corner(triangle, 1) - a, corner(triangle, 2) - a);
    }
};

/// Refuses wrong indices, non-finite vertices, surfaces without area, and border edges.
Result<ClosedSurface> close_surface(const TriMesh& mesh);

}  // namespace yawara::contact
