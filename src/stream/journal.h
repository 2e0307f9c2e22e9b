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
/// each edit as a patch to the one before. A file that has grown long is written anew beside its place and then takes
/// it, so that at every moment the file that is there holds every edit that was recorded.
class Journal {
public:
    static constexpr std::uint64_t kRewriteAt = 8u << 20;  ///< bytes: a long day of sliders is put together

    /// `folder` is made if it is not there.
    static Result<Journal> open(const std::filesystem::path& folder, std::uint64_t rewrite_at = kRewriteAt);
    ~Journal();
    Journal(Journal&& other) noexcept;
    Journal& operator=(Journal&&) = delete;

    /// Another document: begins anew, and there is nothing to lose.
    Status begin(const std::filesystem::path& scene, const std::string& folder, bool read_only,
                 const scene_file::Json& content);
    /// The document changed. If this fails, earlier records are as they were, and the next one makes up for it.
    Status record(const scene_file::Json& content);

    /// Edits of studios that did not end well, newest first; unreadable ends of files are passed over.
    static std::optional<LostWork> find_lost(const std::filesystem::path& folder);

private:
    Journal(int file, std::filesystem::path path, std::uint64_t rewrite_at)
        : file_(file), path_(std::move(path)), rewrite_at_(rewrite_at), limit_(rewrite_at)
    {
    }
    Status append(const std::string& line);
    Status write_anew(const std::string& text);

    int file_ = -1;
    std::filesystem::path path_;
    std::uint64_t rewrite_at_, limit_;  ///< bytes: the least, and for the file as it is
    std::uint64_t size_ = 0;            ///< of what was written whole
    bool torn_ = false;                 ///< behind that is a part of a line that could not be taken back
    scene_file::Json head_, last_;      ///< the first line; the document as recorded
};

}  // namespace yawara::stream
