// Surface and volume meshes as plain values, in double precision and in the order of the file they came from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara {

using Int3 = std::array<std::int32_t, 3>;
using Int4 = std::array<std::int32_t, 4>;

struct Vec2 {
    float x{}, y{};
    friend constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

/// A triangle surface. Vertex order is the file's: painted fields, caches and poses are per vertex.
struct TriMesh {
    std::vector<Vec3d> vertices;
    std::vector<Int3> triangles;                     ///< counter-clockwise seen from outside
    std::vector<std::array<Vec2, 3>> corner_uvs;     ///< per triangle, or empty: seams survive without splitting vertices
    std::vector<Vec3> colors;                        ///< per vertex, 0..1, or empty
};

/// A volume of tetrahedra.
struct TetMesh {
    std::vector<Vec3d> vertices;
    std::vector<Int4> tets;               ///< positive: (v1-v0) . ((v2-v0) x (v3-v0)) > 0
    std::vector<std::int32_t> materials;  ///< per tet, or empty: region label of the file
};

Box3 bounds(std::span<const Vec3d> points);

double signed_volume(const TetMesh& mesh, const Int4& tet);
double volume(const TetMesh& mesh);
/// Enclosed volume by the divergence theorem; meaningful for closed surfaces, negative if inside out.
double signed_volume(const TriMesh& mesh);
/// Smallest and largest dihedral angle of all tets, in degrees.
std::array<double, 2> dihedral_range(const TetMesh& mesh);

/// Outer faces of the tets, turned outwards, vertices that no outer face uses left out;
/// `vertex_of[k]` is the tet mesh's index of surface vertex k.
TriMesh boundary_surface(const TetMesh& mesh, std::vector<std::int32_t>* vertex_of = nullptr);

/// Number of parts connected by shared vertices; `part` gets the part of every vertex (-1: unused).
int connected_parts(std::span<const Int4> tets, std::size_t vertex_count, std::vector<std::int32_t>* part = nullptr);
int connected_parts(std::span<const Int3> triangles, std::size_t vertex_count, std::vector<std::int32_t>* part = nullptr);

/// What repair() found in a tet mesh and did about it.
struct TetReport {
    int turned = 0;           ///< tets with negative volume, two vertices exchanged
    int flat = 0;             ///< tets without volume, removed
    int duplicate = 0;        ///< second and further copies of a tet, removed
    int unused_vertices = 0;  ///< in no tet; kept, so that the order stays
    std::vector<std::string> messages() const;
};

/// Turn inverted tets, remove flat and duplicate ones. Refuses indices out of range, non-finite vertices and an empty rest.
Result<TetReport> repair(TetMesh& mesh);

/// A box of cells cut into five tets each, alternating so that faces match and no direction is preferred.
TetMesh make_bar(Vec3d size, Int3 cells, Vec3d low_corner = {});

}  // namespace yawara
