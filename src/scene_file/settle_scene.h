// Brings the bodies of a scene to rest under the grips, pushes and stiffness they have; LoadedScene::settle calls this.
#pragma once

#include <vector>

#include "yawara/scene_file.h"

namespace yawara::scene_file {

Result<std::vector<LoadedScene::Settled>> settle_scene(Scene& scene, const Progress& progress);

}  // namespace yawara::scene_file
