// Finds ears, legs and tails too thin for a lattice, so that they can be given the thickness it needs.
#pragma once

#include <vector>

#include "meshing/voxel_inside.h"

namespace yawara::meshing {

struct Middle {
    Vec3d point;
    double depth;  ///< voxels: half the thickness there
};

/// Points in the middle of features that are thinner than 2 `radius` and stick out of thicker ones by more than about
/// that much; sharp edges and corners do not count. `field` is the signed distance in voxels, `radius` in voxels too.
std::vector<Middle> middles_of_thin_parts(const VoxelGrid& grid, const std::vector<float>& field, double radius);

}  // namespace yawara::meshing
