// Simulates, measures and films a list of scenes and writes the page about them; the work of demo.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verbs.h"

namespace yawara::cli {

struct GalleryOptions {
    std::vector<std::filesystem::path> scenes;
    std::filesystem::path out = "out";
    bool quick = false;  ///< few frames, small pictures: a look at whether all is well
};

/// Returns the exit code; a scene that fails gets a card that says why, the others are not held up.
int make_gallery(const GalleryOptions& options, const Session& session);

/// Scene files of a folder, in the order of their names; those called `only` if it is not empty.
Result<std::vector<std::filesystem::path>> list_scenes(const std::string& folder, const std::string& only);

}  // namespace yawara::cli
