// Files made of what was seen: recorded motion in the formats of clips, and a scene with all its files in one .zip.
#pragma once

#include <map>
#include <memory>
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

/// A take as it is now, for a thread of its own. Models and moments are shared, not copied.
struct RecordedTake {
    SceneSettings settings;
    std::vector<BodyModel> models;
    std::vector<BodyLook> looks;  ///< as models
    ClipStage stage;
    std::vector<std::shared_ptr<const Moment>> moments;
    std::shared_ptr<void> lent;  ///< see Takes::lend
};
RecordedTake recorded_take(Playback& run);

/// The recorded frames; formats that are folders come as a .zip. On any thread.
Result<ExportedFile> export_clip(const RecordedTake& take, const std::string& format, const std::string& name,
                                 const Progress& progress);

/// The document and every file it names, flat, as scene.json and its neighbours. On any thread.
Result<ExportedFile> export_scene(const scene_file::Json& content, const OpenedScene& scene);

/// Every text that is one of the names becomes the name it has there.
scene_file::Json with_renamed_files(scene_file::Json content, const std::map<std::string, std::string>& names);

}  // namespace yawara::stream
