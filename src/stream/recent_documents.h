// Documents that were left with unsaved edits: kept on the disk until they are opened again, forgotten or very old.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stream/opened_scene.h"

namespace yawara::stream {

struct RecentDocument {
    std::string name;  ///< of its folder
    std::string title;
    std::string when;  ///< it was left, local time
    std::size_t edits = 0;
};

/// What was left: where it was opened, how it was then and how it is now.
struct KeptWork {
    OpenedScene opened;
    scene_file::Json content;
    std::size_t edits = 0;
};

class RecentDocuments {
public:
    explicit RecentDocuments(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::vector<RecentDocument> list() const;  ///< the newest first
    /// The name it got. The oldest ones go when there are very many.
    Result<std::string> keep(const KeptWork& work);
    Result<KeptWork> find(const std::string& name) const;
    Status forget(const std::string& name);

    /// The document as a scene file of its own, with absolute file names: for its picture.
    std::filesystem::path scene_file(const std::string& name) const { return folder_ / name / "scene.json"; }
    std::filesystem::path picture_file(const std::string& name) const { return folder_ / name / "picture.png"; }
    /// Files of one of them lie below this folder.
    bool uses(const std::filesystem::path& folder) const;

private:
    bool is_kept(const std::string& name) const;

    std::filesystem::path folder_;
};

}  // namespace yawara::stream
