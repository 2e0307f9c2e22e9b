// Voxel lattices: occupied cubic cells, their corners are the particles.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara {

using Int8 = std::array<std::int32_t, 8>;

/// Particles sit at the corners of occupied cells; two are linked if and only if they are corners of one common cell.
struct Lattice {
    Vec3d origin;                     ///< position of node (0,0,0)
    double cell = 1.0;                ///< edge length
    std::vector<Int3> nodes;          ///< integer coordinates of every particle, sorted by (z, y, x)
    std::vector<Int8> cells;          ///< particles at the corners, corner k = bits (x: 1, y: 2, z: 4) of k

    Vec3d position(int node) const
    {
        const Int3& n = nodes[static_cast<std::size_t>(node)];
        return origin + Vec3d{double(n[0]), double(n[1]), double(n[2])} * cell;
    }
};

/// A lattice from the integer coordinates of its occupied cells (any order, repeats allowed).
Lattice make_lattice(Vec3d origin, double cell, std::span<const Int3> occupied);

/// Cells whose centre, or any corner, `inside` accepts within the box.
Lattice make_lattice(const Box3& box, double cell, const std::function<bool(Vec3d)>& inside);

/// Faces of cells that no other cell shares, two triangles each, turned outwards;
/// `vertex_of[k]` is the lattice's number of surface vertex k.
TriMesh boundary_surface(const Lattice& lattice, std::vector<std::int32_t>* vertex_of = nullptr);

}  // namespace yawara
