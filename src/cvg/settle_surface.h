// The surface of voxels, brought to where its tree really ends: no steps are left on slight slopes.
#pragma once

#include "yawara/cvg.h"

namespace yawara::cvg {

/// Moves each vertex along its normal to the border of what `options` keep of the tree, at most 1.25 voxels; one near
/// which there is no such border stays.
void settle_surface(const Tree& tree, double voxel, const SurfaceOptions& options, TriMesh& mesh);

}  // namespace yawara::cvg
