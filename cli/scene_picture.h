// Pictures of scenes: as one stands, and a little after its start for the gallery of the studio.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "yawara/quantities.h"
#include "yawara/render.h"
#include "yawara/scene_file.h"

namespace yawara::cli {

/// Of a scene as it stands; the gauge knows where its bodies were at the start. `near`: the bodies fill it.
Result<Image> picture_of(LoadedScene& loaded, QuantityGauge& gauge, int width, int height, bool transparent = false,
                         bool near = false);

/// Bytes of a PNG. Steps as long as `cancelled` does not say otherwise.
Result<std::string> picture_of_scene(const std::filesystem::path& scene, const std::function<bool()>& cancelled);

}  // namespace yawara::cli
