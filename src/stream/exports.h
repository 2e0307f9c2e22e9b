// Files made of what was seen: recorded motion in the formats of clips, and a scene with all its files in one .zip.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stream/opened_scene.h"
#include "stream/playback.h"

namespace yawara::stream {

struct ExportedFile {
    std::string name;
    std::string bytes;
    std::vector<std::string> notes;
};

/// The recorded frames; formats that are folders come as a .zip.
Result<ExportedFile> export_clip(Playback& run, const std::string& format, const std::string& name,
                                 const Progress& progress);

/// The document and every file it names, flat, as scene.json and its neighbours.
Result<ExportedFile> export_scene(const scene_file::Json& content, const OpenedScene& scene);

/// Every text that is one of the names becomes the name it has there.
scene_file::Json with_renamed_files(scene_file::Json content, const std::map<std::string, std::string>& names);

}  // namespace yawara::stream
