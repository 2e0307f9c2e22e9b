// Files that take their name only when they are whole: written under another name beside it, flushed to the disk and
// renamed. A full disk or a killed program leaves the older file as it was. Everything that writes files goes through
// here.
#pragma once

#include <filesystem>
#include <string_view>

#include "yawara/core.h"

namespace yawara {

/// A file that is being written beside the one it will replace.
class NewFile {
public:
    /// An empty file beside `path`; the folder must be there.
    static Result<NewFile> create(const std::filesystem::path& path);
    /// What was not put in place is removed.
    ~NewFile();
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;

    /// Where to write; `path` itself if that is a device or a pipe, which cannot be replaced.
    const std::filesystem::path& path() const { return path_; }
    /// Gives the file, all of which the system must have got, its name.
    Status put_in_place();

private:
    NewFile(std::filesystem::path path, std::filesystem::path target)
        : path_(std::move(path)), target_(std::move(target))
    {
    }

    std::filesystem::path path_, target_;  // empty path_: nothing is left to do
};

/// Files of a series, written in a folder of their own within the one that they are for. What a killed or failed
/// program had written stays there, under a name that says so.
class UnfinishedFolder {
public:
    /// `folder`/unfinished_`kind`, empty; `folder` must be there.
    static Result<UnfinishedFolder> create(const std::filesystem::path& folder, std::string_view kind);
    /// Removes the folder if nothing was written.
    ~UnfinishedFolder();
    UnfinishedFolder(UnfinishedFolder&& other) noexcept;
    UnfinishedFolder& operator=(UnfinishedFolder&&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Moves the files, all of which the system must have got, to the folder they are for, in place of older ones.
    Status put_in_place();

private:
    explicit UnfinishedFolder(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;  // empty: nothing is left to do
};

/// Makes a file with this content, in place of an older one.
Status replace_file(const std::filesystem::path& path, std::string_view content);

/// Flushes the file `from` to the disk and renames it to `to`, on the same disk.
Status move_into_place(const std::filesystem::path& from, const std::filesystem::path& to);

/// The file that is replaced when `path` is: where links lead to.
std::filesystem::path without_links(const std::filesystem::path& path);

/// Checks that a file could be written here, without making it or its folder.
Status check_replaceable(const std::filesystem::path& path);

}  // namespace yawara
