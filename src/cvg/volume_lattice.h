// From a fine volume to the simulation lattice: which cells exist, and the hard-weighted average at their corners.
#pragma once

#include "yawara/cvg.h"

namespace yawara::cvg {

struct FineVoxel {
    bool occupied = false;  ///< opacity of at least a half
    float opacity = 0, stiffness = 0;
    Vec3 color{};
};

/// A fine volume seen row by row.
struct FineVolume {
    Int3 low, high;  ///< voxels, the last included
    Vec3d corner;    ///< low corner of voxel (0, 0, 0)
    double voxel;
    int factor;  ///< voxels along a cell
    std::function<void(int y, int z, int x0, int count, FineVoxel* out)> row;
};

/// [CVG] 3.3: S = sum k S^(p+1) / sum k S^p over occupied voxels, k a tent of one cell; colours by opacity.
Result<VolumeLattice> down_convert(const FineVolume& fine, const LatticeOptions& options);

}  // namespace yawara::cvg
