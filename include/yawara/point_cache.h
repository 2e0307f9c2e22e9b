// Point caches: the vertices of a mesh in frame after frame, as Blender, Houdini, Maya and 3ds Max write them.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara {

struct PointCache {
    std::vector<std::vector<Vec3>> frames;  ///< one position per vertex in each
    std::optional<double> rate{};           ///< frames per second, if the file says so
};

/// PC2 and MDD, by the ending.
Result<PointCache> load_point_cache(const std::filesystem::path& path);

}  // namespace yawara
