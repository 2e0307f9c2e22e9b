// Autosave: every accepted edit is on the disk before it is answered, so that a crash loses nothing that was shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "scene_file/json.h"

namespace yawara::stream {

/// What an earlier, crashed studio left behind.
struct LostWork {
    std::filesystem::path file;   ///< of the journal
    std::filesystem::path scene;  ///< file of the scene that was open
    std::string folder;           ///< where its file names are looked up
    bool read_only = false;       ///< of the gallery, or dropped on the page
    scene_file::Json start, content;
    std::size_t edits = 0;
    std::string when;  ///< of the last edit, local time
};

/// One file per running studio, locked while that lives. Lines of JSON: first what was opened, then the document after
/// each edit as a patch to the one before.
class Journal {
public:
    /// `folder` is made if it is not there.
    static Result<Journal> open(const std::filesystem::path& folder);
    ~Journal();
    Journal(Journal&& other) noexcept;
    Journal& operator=(Journal&&) = delete;

    /// Another document: begins anew, and there is nothing to lose.
    Status begin(const std::filesystem::path& scene, const std::string& folder, bool read_only,
                 const scene_file::Json& content);
    /// The document changed.
    Status record(const scene_file::Json& content);

    /// Edits of studios that did not end well, newest first; unreadable ends of files are passed over.
    static std::optional<LostWork> find_lost(const std::filesystem::path& folder);

private:
    Journal(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
    Status write_line(const scene_file::Json& line);

    int file_ = -1;
    std::filesystem::path path_;
    scene_file::Json last_;
    std::uint64_t size_ = 0;
    scene_file::Json head_;
};

}  // namespace yawara::stream
