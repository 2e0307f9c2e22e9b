// Where clips are until they are whole: under a name that says so, beside what they will replace.
// Used by every clip_*.cpp that writes.
#pragma once

#include <bit>
#include <filesystem>
#include <optional>
#include <string>

#include "yawara/out_file.h"
#include "yawara/replace_file.h"

namespace yawara::io {

static_assert(std::endian::native == std::endian::little, "clip files are written as they lie in memory");

/// NAME.unfinished.ywc for NAME.ywc.
std::filesystem::path unfinished_name(const std::filesystem::path& path);

/// Where a clip is written until it is whole: NAME.unfinished.ywc beside NAME.ywc, or a folder within the one that it
/// is for. What a killed or failed program had written can be had from there.
class UnfinishedClip {
public:
    /// For one file, or for the files of a folder; both are made where they are missing.
    static Result<UnfinishedClip> for_file(const std::filesystem::path& out);
    static Result<UnfinishedClip> for_folder(const std::filesystem::path& out, std::string_view format);

    const std::filesystem::path& path() const { return path_; }
    /// All of it must have been handed to the system.
    Status put_in_place();
    void remove();
    /// A text with the names that files have once they are in place.
    std::string with_final_names(std::string text) const;

private:
    UnfinishedClip(std::filesystem::path path, std::filesystem::path out) : path_(std::move(path)), out_(std::move(out))
    {
    }

    std::filesystem::path path_, out_;
    std::optional<UnfinishedFolder> folder_;
};

}  // namespace yawara::io
