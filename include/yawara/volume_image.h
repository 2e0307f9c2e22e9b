// Images of volumes, as scanners and segmentation programs write them: a number for every voxel of a box.
// Used where a volume model names such a file instead of a .vdb.
#pragma once

#include <filesystem>
#include <vector>

#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara {

struct VolumeImage {
    std::array<std::size_t, 3> size{};  ///< voxels along x, y and z
    Vec3d spacing{1, 1, 1};             ///< m, of voxel centres
    Vec3d origin{};                     ///< m, centre of the first voxel
    std::vector<float> values;          ///< x runs fastest
};

/// .inr, .inr.gz, .nrrd, .nhdr (raw, gzip or text) and MetaImage .mhd, .mha, by the ending of the name.
bool is_volume_image(const std::filesystem::path& path);
Result<VolumeImage> load_volume_image(const std::filesystem::path& path);

}  // namespace yawara
