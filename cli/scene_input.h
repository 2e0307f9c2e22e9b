// Where scenes come from: a file, or `-` for standard input; and the folder of scenes that ships with the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "yawara/scene_file.h"

#include "terminal.h"

namespace yawara::cli {

/// Reads and builds a scene, with a progress bar; `threads` 0 keeps what the scene says.
Result<LoadedScene> load_scene(const std::string& source, int threads, const Terminal& terminal);

/// "jelly" of "scenes/jelly.json"; "scene" of standard input.
std::string stem_of(const std::string& source);

/// The program itself, by /proc/self/exe.
std::filesystem::path program_path();

/// The gallery's scenes: share/yawara/scenes of an installation, or scenes/ of the source tree the program was built
/// in.
std::optional<std::filesystem::path> find_scenes_folder();
/// The studio's page: share/yawara/studio of an installation, or studio/dist of the source tree.
std::optional<std::filesystem::path> find_page_folder();

}  // namespace yawara::cli
