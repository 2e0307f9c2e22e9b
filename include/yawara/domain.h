// The solid of a body before it moves: who the particles are and who touches whom.
#pragma once

#include <variant>
#include <vector>

#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara {

using Domain = std::variant<TetMesh, Lattice>;
/// Of all particles.
std::vector<Vec3d> rest_positions(const Domain& domain);
/// The body as tets: as it is, or the cells of a lattice cut into six tets each.
TetMesh solid_of(const Domain& domain);

}  // namespace yawara
