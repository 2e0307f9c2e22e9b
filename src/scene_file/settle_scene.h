// Brings the bodies of a scene to rest; LoadedScene::settle calls this.
#pragma once

#include <span>

#include "scene_file/script.h"
#include "yawara/scene_file.h"

namespace yawara::scene_file {

Result<std::vector<LoadedScene::Settled>> settle_scene(Scene& scene, std::span<const BodyScript> scripts,
                                                       const Progress& progress);

}  // namespace yawara::scene_file
