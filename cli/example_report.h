// What `inspect` tells about the examples of a body: what they are, what awakens them, and whether this scene does.
#pragma once

#include <nlohmann/json.hpp>

#include "terminal.h"
#include "yawara/scene_file.h"

namespace yawara::cli {

/// One entry for each body with examples: reports, couplings to elementary loads, and the weights that they reach
/// without bounds when the scene runs for a while without their help. Steps the scene.
nlohmann::ordered_json report_examples(LoadedScene& loaded, std::size_t frames);

/// Tables, and warnings about examples that nothing awakens; the warnings are returned too.
std::vector<std::string> say_examples(const Terminal& terminal, const nlohmann::ordered_json& bodies);

}  // namespace yawara::cli
