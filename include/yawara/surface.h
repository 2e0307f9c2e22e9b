// A surface made fit for meshing: welded, counted and consistently turned. First stop of every mesh that becomes solid,
// and what can be told of a mesh that will not.
#pragma once

#include <vector>

#include "yawara/mesh.h"

namespace yawara {

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

}  // namespace yawara
