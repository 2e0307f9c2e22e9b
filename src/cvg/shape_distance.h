// Signed distances from the surfaces of base shapes, in their own coordinates: what rounded operators look at.
#pragma once

#include "yawara/cvg.h"

namespace yawara::cvg {

/// m from the surface, negative inside. Exact for all shapes with a formula; of noise to first order, of a surface from a
/// file by its nearest triangle. Sampled fields have none: infinite.
double shape_distance(const Leaf& leaf, Vec3d local);

/// How far the zero surface of a level set is, at any distance.
std::shared_ptr<const MeshDistance> mesh_distance(const LevelSet& level_set);

}  // namespace yawara::cvg
