// Whole files or none: see replace_file.h.
#include "yawara/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace yawara {

namespace fs = std::filesystem;

namespace {

std::string reason(int error_number)
{
    return std::generic_category().message(error_number);
}

Error cannot_write(const fs::path& path, int error_number)
{
    return {path.string(), "cannot be written: " + reason(error_number)};
}

/// A device or a pipe, which is written to and not replaced.
bool is_special(const fs::path& path)
{
    std::error_code none;
    const fs::file_type type = fs::status(path, none).type();
    return type == fs::file_type::character || type == fs::file_type::block || type == fs::file_type::fifo ||
           type == fs::file_type::socket;
}

fs::path folder_of(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// A name that no other thread or running program uses.
fs::path name_beside(const fs::path& path)
{
    static std::atomic<unsigned> count = 0;
    char ending[64];
    std::snprintf(ending, sizeof ending, ".%d-%u.part", static_cast<int>(getpid()), ++count);
    fs::path beside = path;
    beside += ending;
    return beside;
}

/// Waits until what was written to a file, or the names in a folder, are on the disk.
Status flush_to_disk(const fs::path& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return cannot_write(path, errno);
    const int failed = ::fsync(file) != 0 ? errno : 0;
    ::close(file);
    if (failed != 0 && failed != EINVAL && failed != EROFS) return cannot_write(path, failed);  // some have no disk
    return Done{};
}

Status write_all(const fs::path& path, std::string_view content)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0) return cannot_write(path, errno);
    int failed = 0;
    while (!content.empty() && failed == 0) {
        const ssize_t count = ::write(file, content.data(), content.size());
        if (count > 0)
            content.remove_prefix(static_cast<std::size_t>(count));
        else if (count < 0 && errno != EINTR)
            failed = errno;
    }
    if (::close(file) != 0 && failed == 0) failed = errno;
    if (failed != 0) return cannot_write(path, failed);
    return Done{};
}

}  // namespace

fs::path without_links(const fs::path& path)
{
    std::error_code failed;
    if (!fs::is_symlink(path, failed)) return path;
    const fs::path end = fs::weakly_canonical(path, failed);
    return failed ? path : end;
}

Status check_replaceable(const fs::path& path)
{
    std::error_code none;
    if (path.filename().empty() || fs::is_directory(path, none))
        return Error{path.string(), "is a folder; the name of a file is needed"};
    const fs::path target = without_links(path);
    if (fs::exists(target, none) && ::access(target.c_str(), W_OK) != 0) return cannot_write(path, errno);
    if (!is_special(target) && ::access(folder_of(target).c_str(), W_OK | X_OK) != 0) {
        const int failed = errno;
        return Error{path.string(), "no file can be made in its folder: " + reason(failed)};
    }
    return Done{};
}

Result<NewFile> NewFile::create(const fs::path& path)
{
    if (Status possible = check_replaceable(path); !possible) return possible.error();
    const fs::path target = without_links(path);
    if (is_special(target)) return NewFile(target, target);
    NewFile made(name_beside(target), target);
    struct stat old {};
    const int file = ::open(made.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        const int failed = errno;
        made.path_.clear();
        return Error{path.string(), "no file can be made in its folder: " + reason(failed)};
    }
    if (::stat(target.c_str(), &old) == 0) (void)::fchmod(file, old.st_mode & 07777);  // as private as the older one
    ::close(file);
    return made;
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())), target_(std::move(other.target_))
{
}

NewFile::~NewFile()
{
    std::error_code none;
    if (!path_.empty() && path_ != target_) fs::remove(path_, none);
}

Status NewFile::put_in_place()
{
    if (path_ == target_) return Done{};
    Status moved = move_into_place(path_, target_);
    if (moved) path_.clear();
    return moved;
}

Result<UnfinishedFolder> UnfinishedFolder::create(const fs::path& folder, std::string_view kind)
{
    const fs::path path = folder / ("unfinished_" + std::string(kind));
    std::error_code failed;
    fs::remove_all(path, failed);  // of a run that was killed
    if (!failed) fs::create_directory(path, failed);
    if (failed) return Error{folder.string(), "no files can be made in this folder: " + failed.message()};
    return UnfinishedFolder(path);
}

UnfinishedFolder::UnfinishedFolder(UnfinishedFolder&& other) noexcept : path_(std::exchange(other.path_, fs::path())) {}

UnfinishedFolder::~UnfinishedFolder()
{
    std::error_code none;
    if (!path_.empty()) fs::remove(path_, none);  // only an empty folder can be
}

Status UnfinishedFolder::put_in_place()
{
    std::error_code failed;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path_, failed)) files.push_back(entry.path());
    if (failed) return Error{path_.string(), "cannot be read: " + failed.message()};
    for (const fs::path& file : files)
        if (Status flushed = flush_to_disk(file); !flushed) return flushed;
    const fs::path folder = path_.parent_path();
    for (const fs::path& file : files) {
        const fs::path target = without_links(folder / file.filename());
        if (::rename(file.c_str(), target.c_str()) != 0) return cannot_write(target, errno);
    }
    return flush_to_disk(folder);
}

Status replace_file(const fs::path& path, std::string_view content)
{
    auto file = NewFile::create(path);
    if (!file) return file.error();
    if (Status written = write_all(file->path(), content); !written) return Error{path.string(), written.error().what};
    return file->put_in_place();
}

Status move_into_place(const fs::path& from, const fs::path& to)
{
    if (Status flushed = flush_to_disk(from); !flushed) return Error{to.string(), flushed.error().what};
    if (::rename(from.c_str(), to.c_str()) != 0) return cannot_write(to, errno);
    return flush_to_disk(folder_of(to));
}

}  // namespace yawara
