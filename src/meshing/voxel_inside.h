// Inside and outside of a surface that is not watertight, voxel by voxel. Called where the level set is made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "meshing/triangle_tree.h"

namespace yawara::meshing {

/// A block of voxels, stored in the order z, y, x.
struct VoxelGrid {
    Vec3d origin;  ///< position of voxel (0, 0, 0)
    double voxel = 1;
    std::array<int, 3> dims{};

    std::size_t size() const { return std::size_t(dims[0]) * std::size_t(dims[1]) * std::size_t(dims[2]); }
    std::size_t index(int x, int y, int z) const
    {
        return (std::size_t(z) * std::size_t(dims[1]) + std::size_t(y)) * std::size_t(dims[0]) + std::size_t(x);
    }
    std::array<int, 3> coords(std::size_t i) const
    {
        const auto nx = std::size_t(dims[0]), ny = std::size_t(dims[1]);
        return {int(i % nx), int(i / nx % ny), int(i / (nx * ny))};
    }
    Vec3d position(std::size_t i) const
    {
        const auto [x, y, z] = coords(i);
        return origin + Vec3d{double(x), double(y), double(z)} * voxel;
    }
};

struct VoxelInside {
    std::vector<float> field;  ///< about the distance in voxels, negative inside; zero set closed
    bool flooded = false;      ///< the winding number said too little, sealed spaces were filled too
};

/// How far the front sides of the triangles can be trusted. `known`: the winding number decides. `doubtful`: spaces
/// sealed off from the outside but for small gaps count as inside as well. `unknown`: only these do.
enum class Sides { known, doubtful, unknown };

/// `distance`: unsigned, in voxels; correct up to `band`, and at least `band` beyond it.
Result<VoxelInside> find_inside(const TriangleTree& tree, const VoxelGrid& grid, const std::vector<float>& distance,
                                float band, Sides sides, const Progress& progress);

}  // namespace yawara::meshing
