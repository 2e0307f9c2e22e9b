// A picture of a scene a little after its start, for the gallery of the studio.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "yawara/core.h"

namespace yawara::cli {

/// Bytes of a PNG. Steps as long as `cancelled` does not say otherwise.
Result<std::string> picture_of_scene(const std::filesystem::path& scene, const std::function<bool()>& cancelled);

}  // namespace yawara::cli
