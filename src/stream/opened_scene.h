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

/// An empty floor. `folder`: for what will be put on it.
OpenedScene new_scene(const std::filesystem::path& folder);

/// The meshes among what was dropped, each once; unpacks it if need be. Refused: a scene.
Result<std::vector<std::filesystem::path>> uploaded_meshes(const std::filesystem::path& folder,
                                                           const Progress& progress);

/// To six digits, which are enough for a person to read.
double rounded(double x);

/// Where bodies are put.
struct Room {
    double size = 1;      ///< m, largest extent of each
    double x = 0, z = 0;  ///< m, of the middle of the first; the others follow to the right
};
/// Bodies of meshes side by side: at a good size, above a floor, with a soft material. Their files are named from the
/// folder of the first.
Result<scene_file::Json> bodies_around(std::span<const std::filesystem::path> meshes, const Room& room);
/// Obstacles of closed surfaces likewise, standing on the floor.
Result<scene_file::Json> obstacles_around(std::span<const std::filesystem::path> meshes, const Room& room,
                                          bool container);
/// Files of an upload that can be poses of a body: surfaces, solids, point caches, arrays.
Result<std::vector<std::filesystem::path>> uploaded_poses(const std::filesystem::path& folder,
                                                          const Progress& progress);
/// Poses from such files, each with the number of its file instead of its name: blend shapes of a GLB one by one, else
/// the surface or the particles, of a point cache its last frame.
Result<scene_file::Json> poses_of(std::span<const std::filesystem::path> files);
/// A scene of them.
Result<scene_file::Json> scene_around(std::span<const std::filesystem::path> meshes);
/// A name, or one made of it, that no body of the scene has.
std::string free_body_name(const scene_file::Json& scene, const std::string& name);

/// Files that a mesh file cannot do without: the other half of a TetGen mesh, the buffers of a glTF.
std::vector<std::filesystem::path> mesh_companions(const std::filesystem::path& mesh);
/// Copies a mesh with its companions into a folder, or into one of its own in there if a name is taken.
Result<std::filesystem::path> copy_beside(const std::filesystem::path& mesh, const std::filesystem::path& folder);

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
