// Blend shapes of glTF, read by gltf.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::io {

std::vector<std::string> gltf_shapes(std::string_view content, const std::filesystem::path& path);
TriMesh read_gltf_shape(std::string_view content, const std::filesystem::path& path, const std::string& shape);

}  // namespace yawara::io
