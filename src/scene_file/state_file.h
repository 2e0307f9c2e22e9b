// State files: the exact bits of everything that moves, with the clock, and enough to refuse the state of another
// scene.
#pragma once

#include <filesystem>

#include "yawara/scene.h"

namespace yawara::scene_file {

Status save_scene_state(Scene& scene, const std::filesystem::path& path);
/// Changes nothing unless the whole file is good and fits the scene.
Status load_scene_state(Scene& scene, const std::filesystem::path& path);

}  // namespace yawara::scene_file
