// The outer surface of a body's particles with a tree of boxes over it: what other bodies touch. Built once per model;
// the boxes follow the body (SurfaceBoxes).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara::contact {

struct BodySurface {
    /// A node of the tree: two children, or a leaf of some triangles and the vertices and edges it owns.
    struct Node {
        std::int32_t child = -1;  ///< the first of two; -1: a leaf
        std::int32_t triangles_begin = 0, triangles_end = 0, vertices_begin = 0, vertices_end = 0, edges_begin = 0,
                     edges_end = 0;
    };
    /// A sharp edge that sticks out: where two of these cross, no particle need be near.
    struct Edge {
        std::array<std::int32_t, 2> ends;   ///< particles
        std::array<std::int32_t, 2> sides;  ///< third corners of its two triangles
    };
    static constexpr std::size_t kLeafVertices = 12;  ///< a leaf owns so many at most
    std::vector<std::int32_t> vertices;               ///< particles on the surface, each owned by one leaf
    std::vector<Int3> triangles;                      ///< particles at the corners, turned outwards
    std::vector<Edge> edges;
    std::vector<Node> nodes;  ///< children come after their parent
    std::vector<Vec3> rest;   ///< rest positions of all particles, m
    float spacing = 0;        ///< mean edge length of the triangles, m
    float size = 0;           ///< longest extent at rest, m

    /// True if vertex and triangle are so close at rest that they are neighbours, not two folds that could touch.
    bool are_neighbours(std::int32_t vertex, const Int3& triangle) const;
};

BodySurface make_body_surface(const std::variant<TetMesh, Lattice>& domain, std::span<const Vec3d> rest);

struct FloatBox {
    Vec3 low, high;
    bool meets(const FloatBox& other) const
    {
        return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y &&
               low.z <= other.high.z && other.low.z <= high.z;
    }
    bool holds(Vec3 p) const
    {
        return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z;
    }
};

/// How far a surface moved on the whole in a step, and how far at most beside that.
struct SurfaceMotion {
    Vec3 drift;   ///< m
    float stray;  ///< m
};
SurfaceMotion motion_of(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions);

/// The boxes of a surface where it was last looked at. They are wider by `margin`, so they stay good while no particle
/// leaves its place by more than the slack that is part of the margin.
class SurfaceBoxes {
public:
    explicit SurfaceBoxes(const BodySurface& surface);

    /// True while every vertex is within `slack` of where it was at the last fit.
    bool still_hold(const BodySurface& surface, std::span<const Vec3> positions, float slack) const;
    /// Boxes around the ways from `before` to `positions`. After a way longer than the slack they serve one step only.
    void fit(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions, float margin,
             float slack);
    /// Where a particle of the surface was at the last fit.
    Vec3 reference(std::size_t particle) const { return references_[particle]; }
    /// In the step of the last fit.
    const SurfaceMotion& motion() const { return motion_; }

    const FloatBox& box(std::size_t node) const { return boxes_[node]; }
    const FloatBox& whole() const { return boxes_[0]; }

private:
    std::vector<FloatBox> boxes_;   ///< per node
    std::vector<Vec3> references_;  ///< per particle, position at the last fit
    SurfaceMotion motion_{};
    bool fitted_ = false;
};

}  // namespace yawara::contact
