// A volume model inside a scene document.
#pragma once

#include "scene_file/json.h"
#include "yawara/cvg.h"
#include "yawara/scene_file.h"

namespace yawara::scene_file {

/// From a document that the schema has accepted; `where` is its path, file names are relative to `folder`.
Result<cvg::Tree> tree_from(const Json& document, const std::string& where, const std::filesystem::path& folder);

}  // namespace yawara::scene_file
