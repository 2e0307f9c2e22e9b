// Uploaded surfaces and volumes as parts of a volume model.
#pragma once

#include "yawara/scene_file.h"
#include "stream/opened_scene.h"

namespace yawara::stream {

/// Surfaces and volume files of an upload.
Result<std::vector<std::filesystem::path>> uploaded_parts(const std::filesystem::path& folder, const Progress& progress);

/// Box of a body's volume model, in its own coordinates; empty: there is no such body.
Box3 model_box(LoadedScene& loaded, const std::string& body);

/// A node for each file, without its name: in the middle of the box, made smaller where it would not fit. Without a box:
/// as large as the room says, standing on the floor.
Result<scene_file::Json> parts_around(std::span<const std::filesystem::path> files, const Box3& box, const Room& room);

/// The scene with parts in the model of a body, or in that of a new one.
Result<scene_file::Json> with_parts(scene_file::Json scene, const std::string& body, scene_file::Json parts,
                                    const Room& room);

}  // namespace yawara::stream
