// Scenes of the gallery, for tests.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "yawara/scene_file.h"

namespace yawara::test {

inline nlohmann::json gallery(const std::string& name)
{
    std::ifstream file(std::string(YAWARA_SOURCE_DIR) + "/scenes/" + name + ".json");
    return nlohmann::json::parse(file);
}

/// Paths in the document are those of the gallery's scenes.
inline LoadedScene load(const nlohmann::json& scene)
{
    return LoadedScene::from_text(scene.dump(), std::string(YAWARA_SOURCE_DIR) + "/scenes").value();
}

}  // namespace yawara::test
