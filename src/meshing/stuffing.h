// Isosurface stuffing for callers that try several cells: a lattice too coarse to find anything is no error to them.
#pragma once

#include "meshing/words.h"
#include "yawara/solid.h"

namespace yawara::meshing {

/// As stuff(), but without tets if no lattice point is inside.
Result<TetMesh> stuff_if_any(const std::function<double(Vec3d)>& distance, const Box3& box, double cell,
                             const Progress& progress);

inline Error nothing_inside(double cell)
{
    return {"cell", "no lattice point lies inside: the shape is thinner than the cell of " + number(cell)};
}

}  // namespace yawara::meshing
