// The outer surface of a body's particles with a tree of boxes over it: what other bodies touch. Built once per model;
// the boxes follow the body (SurfaceBoxes).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "contact/ribs.h"
#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara::contact {

struct BodySurface {
    /// A node of the tree: its triangles, and the vertices and edges that they own.
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
    std::vector<std::int32_t> vertices;      ///< particles on the surface, each owned by one triangle
    std::vector<Int3> triangles;             ///< particles at the corners, turned outwards
    std::vector<std::int32_t> around;        ///< triangles around each particle, one particle after the other
    std::vector<std::int32_t> around_begin;  ///< per particle: where its triangles begin in `around`; and the end
    std::vector<Edge> edges;
    std::vector<Rib> ribs;    ///< across its thin parts
    std::vector<Node> nodes;  ///< children come after their parent
    std::vector<Vec3> rest;   ///< rest positions of all particles, m
    /// 1/m, per vertex: sums of position times these are the columns of the surface's mean deformation gradient.
    std::vector<Vec3> gradients;
    float spacing = 0;        ///< mean edge length of the triangles, m
    float thickness = 0;      ///< how far before the triangles contact begins, unless told otherwise, m
    float size = 0;           ///< longest extent at rest, m
    float girth = 0;          ///< m: how far its surface may be moved in a step until it is on the other side

    std::span<const std::int32_t> triangles_around(std::int32_t particle) const
    {
        const auto begin = std::size_t(around_begin[std::size_t(particle)]);
        return {&around[begin], std::size_t(around_begin[std::size_t(particle) + 1]) - begin};
    }
    /// True if vertex and triangle are so close at rest that they are neighbours, not two folds that could touch.
    bool are_neighbours(std::int32_t vertex, const Int3& triangle) const;
};

BodySurface make_body_surface(const std::variant<TetMesh, Lattice>& domain, std::span<const Vec3d> rest);

struct FloatBox {
    Vec3 low, high;
    // No short cut: which of the six comparisons decides cannot be predicted, and a wrong guess costs more than all.
    bool meets(const FloatBox& other, float apart = 0) const
    {
        return (low.x <= other.high.x + apart) & (other.low.x <= high.x + apart) & (low.y <= other.high.y + apart) &
               (other.low.y <= high.y + apart) & (low.z <= other.high.z + apart) & (other.low.z <= high.z + apart);
    }
    bool holds(Vec3 p) const
    {
        return (p.x >= low.x) & (p.x <= high.x) & (p.y >= low.y) & (p.y <= high.y) & (p.z >= low.z) & (p.z <= high.z);
    }
    FloatBox widened(float by) const
    {
        const Vec3 wider{by, by, by};
        return {low - wider, high + wider};
    }
};

/// Displacement of a surface in a step.
struct SurfaceMotion {
    Vec3 drift;           ///< m, mean over its particles
    float deviation = 0;  ///< m, largest deviation of a particle from the mean
};
SurfaceMotion motion_of(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions);

/// How far something that moved this far in a step may move in each of the next ones until boxes are fitted again.
inline float with_room(float displacement, float slack)
{
    return 1.5f * displacement + 0.2f * slack;
}

/// The boxes of a surface where it was last looked at, wide enough for several steps: a body at rest is pressed
/// together and swells again in every step, but starts each near the same place and swells in the same spots.
class SurfaceBoxes {
public:
    explicit SurfaceBoxes(const BodySurface& surface);

    /// True if the boxes are good for another step: while steps start within the slack of the last fit and no particle
    /// goes much farther than then.
    bool keep(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions, Vec3 drift);
    /// The boxes hold all of a step and, unless the body moves too quickly, of some more. `slack`: how far it may get
    /// until they are fitted again.
    void fit(const BodySurface& surface, std::span<const Vec3> before, std::span<const Vec3> positions, Vec3 drift,
             float slack);

    /// Where the particles of the surface were at the last fit.
    std::span<const Vec3> references() const { return references_; }
    /// Largest distance of a particle from there, m, as keep() found it.
    float moved() const { return moved_; }
    /// How far a particle may deviate in a step from the drift, m, for the boxes to hold.
    float stride(std::size_t particle) const { return strides_[particle]; }
    std::span<const float> strides() const { return strides_; }
    /// How long the drift of a step may be, m, for the boxes to hold.
    float drift() const { return drift_; }
    /// How far from the reference a step may start, m.
    float slack() const { return slack_; }

    const FloatBox& box(std::size_t node) const { return boxes_[node]; }
    const FloatBox& whole() const { return boxes_[0]; }
    /// Boxes of a triangle and of an edge at the last fit, with room for strides, not for drift and slack.
    const FloatBox& triangle_box(std::size_t triangle) const { return triangle_boxes_[triangle]; }
    const FloatBox& edge_box(std::size_t edge) const { return edge_boxes_[edge]; }

private:
    std::vector<FloatBox> boxes_;  ///< per node
    std::vector<FloatBox> triangle_boxes_, edge_boxes_;
    std::vector<Vec3> references_;  ///< per particle, start of the step of the last fit
    std::vector<float> strides_;    ///< per particle
    float drift_ = -1, slack_ = 0, moved_ = 0;
    int age_ = 0;  ///< steps since the last fit
};

}  // namespace yawara::contact
