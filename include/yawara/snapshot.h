// State files: snapshots of scenes on the disk, see Scene::snapshot.
#pragma once

#include <filesystem>

#include "yawara/scene.h"

namespace yawara {

/// In place of an older file, once it is whole.
Status save_snapshot(const Scene& scene, const std::filesystem::path& path);
/// Changes nothing unless the whole file is good and fits the scene.
Status load_snapshot(Scene& scene, const std::filesystem::path& path);

}  // namespace yawara
