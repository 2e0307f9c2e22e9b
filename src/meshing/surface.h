// A surface made fit for meshing: welded, counted and consistently turned. First stop of every mesh that becomes solid.
#pragma once

#include <vector>

#include "yawara/mesh.h"

namespace yawara::meshing {

struct Surface {
    std::vector<Vec3d> vertices;  ///< welded; unreferenced ones left out
    std::vector<Int3> triangles;  ///< without flat and repeated ones, outside in front as far as that can be told
    Box3 box;

    int border_edges = 0;       ///< with one triangle
    int nonmanifold_edges = 0;  ///< with more than two
    int flipped_edges = 0;      ///< with two triangles that disagree on the front side, as found in the input
    int duplicate_vertices = 0, unreferenced_vertices = 0, degenerate_triangles = 0, repeated_triangles = 0;
    int parts = 0;           ///< connected by shared vertices
    int turned_patches = 0;  ///< pieces whose front side was changed as a whole
    double one_sided = 0;    ///< share of the area in pieces with one side only, like a Moebius strip
    /// The triangles at every edge run along it equally often in either direction: winding numbers are whole, and
    /// inside is beyond doubt.
    bool watertight = false;
};

/// Refuses indices out of range, vertices that are not finite, and surfaces without area.
Result<Surface> check_surface(const TriMesh& mesh);

/// A side of a triangle. In a sorted list the sides that are the same edge follow each other.
struct EdgeUse {
    std::int32_t low, high;  ///< vertices of the edge, low < high
    std::int32_t triangle;
    bool forward;  ///< the corners of the triangle run from low to high
    friend auto operator<=>(const EdgeUse&, const EdgeUse&) = default;
};

/// Turns triangles until those of a patch agree, and then patches until their front is outside. See orient.cpp.
/// `balanced`: neighbours agree as they are, so that only whole closed patches may be turned.
void orient(Surface& surface, const std::vector<EdgeUse>& edges, bool balanced);

/// Calls visit(begin, end) with the uses of each edge.
template <class Visit>
void for_each_edge(const std::vector<EdgeUse>& edges, Visit visit)
{
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
        while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
        visit(begin, end);
    }
}

}  // namespace yawara::meshing
