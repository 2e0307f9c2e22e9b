// Materials of a glTF document and their pictures.
#pragma once

#include <filesystem>

#include "yawara/skin.h"

namespace tinygltf {
class Model;
}

namespace yawara::io {

/// Colours of glTF are linear light, ours are not.
double to_srgb(double linear);

/// Adds all materials of the document, in its order, and the pictures that they use; `path`: of the document.
void read_gltf_materials(const tinygltf::Model& model, const std::filesystem::path& path, Skin& skin);

}  // namespace yawara::io
