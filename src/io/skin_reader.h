// Skins of mesh files: one reader per format that has materials, and what they share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/skin.h"

namespace yawara::io {

std::shared_ptr<const Skin> read_obj_skin(std::string_view text, const std::filesystem::path& path);
std::shared_ptr<const Skin> read_gltf_skin(std::string_view content, const std::filesystem::path& path);

/// Materials and pictures that the lines of an OBJ name.
struct ObjMaterials {
    std::vector<std::string> libraries;     ///< MTL files
    std::vector<std::string> names;         ///< of materials, in the order of their first use
    std::vector<std::int32_t> material_of;  ///< per triangle: one of the names, or -1
};
ObjMaterials read_obj_materials(std::string_view text, const std::string& name);

/// The files beside an OBJ that give it its look: its MTL files and their pictures.
std::vector<std::filesystem::path> obj_companions(const std::filesystem::path& path);

/// Whether one more picture is not too much for the memory that a skin may take.
bool has_room(const Skin& skin, const Image& image);

/// Number of a picture in the skin, added if it can be read; -1 and a warning if not.
std::int32_t add_texture(Skin& skin, const std::string& name, std::string bytes, std::array<Wrap, 2> wrap);
/// The same of a file that `path` names, which lies beside it or below.
std::int32_t add_texture_file(Skin& skin, const std::filesystem::path& path, const std::string& name,
                              std::array<Wrap, 2> wrap);

}  // namespace yawara::io
