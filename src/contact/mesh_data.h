// A mesh obstacle in one pose: what answers how far a point is from it. MeshDistance asks it, DeformingMesh moves it.
#pragma once

#include <limits>
#include <optional>

#include "contact/distance_grid.h"
#include "contact/winding.h"
#include "geometry/closest_point.h"
#include "yawara/collider.h"

namespace yawara {

namespace contact {

/// Normals of faces, edges and vertices, unit length; the sign of (p - closest) . normal is that of the distance.
class FeatureNormals {
public:
    explicit FeatureNormals(const ClosedSurface& surface);
    /// The vertices have moved.
    void follow(const ClosedSurface& surface);

    Vec3d of_face(std::int32_t triangle) const { return faces_[static_cast<std::size_t>(triangle)]; }
    Vec3d at_feature(const ClosedSurface& surface, std::int32_t triangle, const std::array<double, 3>& weights) const;

private:
    std::vector<Vec3d> faces_, edges_, vertices_;  ///< edges: 3 per triangle, edge k from corner k
    std::vector<std::int32_t> same_, offsets_;     ///< edges that are the same one, group by group
};

}  // namespace contact

struct MeshDistance::Data {
    TriMesh mesh;
    bool inside_out;
    contact::ClosedSurface surface;
    Box3 box;
    contact::FeatureNormals normals;
    contact::Winding winding;
    bool sound = true;                ///< no triangles cross, and each has solid behind it alone: normals tell the sign
    std::vector<std::int32_t> skin;   ///< triangles that lie between solid and void; the others are buried
    std::vector<Vec3d> skin_corners;  ///< 3 per triangle of the skin
    Bvh tree;                         ///< over the skin
    std::optional<contact::DistanceGrid> grid;  ///< none: it deforms
    double small = 0;                           ///< m, small against the mesh
    double travel = 0;                          ///< m, farthest that a vertex went to come here, if it deforms
    std::vector<Box3> boxes, skin_boxes;        ///< scratch, if it deforms

    Data(const TriMesh& source, bool turned_inside_out, contact::ClosedSurface closed);

    /// From now on its vertices move: distances are exact everywhere, and signs are winding numbers, since its parts
    /// may come to overlap.
    void let_deform();
    /// Its vertices are here, one for each of the mesh.
    void pose(std::span<const Vec3d> vertices);

    struct Nearest {
        std::int32_t place;  ///< in the skin
        ClosestOnTriangle closest;
    };
    /// The triangle of the skin nearest to p; `hint` is one that may be, or -1.
    Nearest nearest(Vec3d p, std::int32_t hint, double tolerance = 0) const;
    /// Distance to the mesh, negative inside, with its gradient.
    std::pair<double, Vec3d> exact(Vec3d p, std::int32_t hint) const;
    /// Is there solid next to a point of a triangle, before it (side 1) or behind it (side -1)?
    bool is_solid_beside(std::int32_t triangle, Vec3d point, int side) const;
    /// How far the surface nearest to p is in another pose, m; zero if p is farther than `reach` from its box.
    Vec3d difference(const Data& other, Vec3d p, double reach) const;

private:
    ClosestOnTriangle closest_on(std::int32_t place, Vec3d p) const;
    double distance2_to(std::int32_t place, Vec3d p) const;
    void find_skin();
    void make_grid();
};

}  // namespace yawara
