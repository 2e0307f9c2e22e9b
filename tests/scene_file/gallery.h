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

/// Files that the document names are looked for in `folder`.
inline LoadedScene load(const nlohmann::json& scene,
                        const std::string& folder = std::string(YAWARA_SOURCE_DIR) + "/scenes")
{
    return LoadedScene::from_text(scene.dump(), folder).value();
}

}  // namespace yawara::test
