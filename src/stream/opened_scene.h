// Where a document comes from: a scene file, a scene of the gallery, or files dropped on the page; and which files of
// the machine it may name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene_file/json.h"

namespace yawara::stream {

struct OpenedScene {
    scene_file::Json content;
    std::filesystem::path file;                ///< where save writes
    std::vector<std::filesystem::path> roots;  ///< folders whose files the document may name
    bool read_only = false;                    ///< of the gallery or dropped on the page: saved as a copy only
    std::string note;                          ///< worth telling, or empty

    std::filesystem::path folder() const { return file.parent_path(); }
    std::string name() const { return file.stem().string(); }
};

/// A scene the person named; the files it names now are its own, also those beside its folder.
Result<OpenedScene> open_scene_file(const std::filesystem::path& file, bool read_only, const Progress& progress = {});

/// What was dropped on the page: a scene with its meshes, a .zip of them, or meshes that become bodies.
Result<OpenedScene> open_upload(const std::filesystem::path& folder, const Progress& progress);

/// A floor with a soft ball above it. `state`: the studio's own folder.
OpenedScene new_scene(const std::filesystem::path& state);

/// A scene of meshes side by side: at a good size, above a floor, with a soft material.
Result<scene_file::Json> scene_around(std::span<const std::filesystem::path> meshes);

/// Endings of the files that can be dropped on the page.
std::span<const std::string_view> upload_endings();
/// The last part of a file name, in any script, without what could do harm; refused if it is not of a kind that is
/// taken.
Result<std::string> upload_name(const std::string& name);

/// Every file that a document names lies in one of its folders.
Status check_file_names(const scene_file::Json& content, const OpenedScene& scene);

/// The names of the files in a document, each once.
std::vector<std::string> file_names(const scene_file::Json& content);

}  // namespace yawara::stream
