// Point caches: the vertices of a mesh in frame after frame, as Blender, Houdini, Maya and 3ds Max write them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara {

struct PointCache {
    std::vector<std::vector<Vec3>> frames;  ///< one position per vertex in each
    std::optional<double> rate{};           ///< frames per second, if the file says so
};

/// PC2, MDD, or the animation of a GLB or glTF (skins, targets and nodes) that has this name, or its first: by the
/// ending. Vertices of the last are those that load_tri_mesh reads of the same file.
Result<PointCache> load_point_cache(const std::filesystem::path& path, const std::string& animation = "");

}  // namespace yawara
