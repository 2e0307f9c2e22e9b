// Lengths of ways through a solid, from one place to all particles.
#pragma once

#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::field {

/// For each source the distances of all particles, by the heat method (Crane, Weischedel and Wardetzky, Geodesics in
/// heat, 2013): m; infinite in parts that are not connected with it. The particle nearest to a source stands for it.
std::vector<std::vector<double>> ways_through(const TetMesh& solid, std::span<const Vec3d> sources);

}  // namespace yawara::field
