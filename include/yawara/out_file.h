// Files that are written piece by piece: their errors are kept, their folders made, their names safe. Used by every
// writer of clips and by programs that put numbers beside them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "yawara/core.h"

namespace yawara {

/// A file being written. The first failure is kept: later writes do nothing and flush() tells it.
class OutFile {
public:
    /// An empty file, or an Error that says why not.
    static Result<OutFile> create(const std::filesystem::path& path);
    /// An empty file that can be read back and has no name: gone when closed, also if the program is killed.
    static Result<OutFile> create_scratch(const std::filesystem::path& path);

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    template <class T>
    void write(std::span<const T> values)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        write(values.data(), values.size_bytes());
    }
    template <class T>
    void write_value(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        write(&value, sizeof value);
    }
    /// Sets the offset of the next write.
    void seek(std::uint64_t offset);
    void read_at(std::uint64_t offset, void* data, std::size_t bytes);
    void truncate(std::uint64_t bytes);
    /// Hands everything to the system, so that a killed program loses none of it; tells the first failure so far.
    Status flush();

    const std::filesystem::path& path() const { return path_; }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    OutFile(std::FILE* file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
    void fail(const char* doing);

    std::unique_ptr<std::FILE, Close> file_;
    std::filesystem::path path_;
    std::optional<Error> error_;
};

/// Makes the folder if it is missing; an Error if it cannot be or if something else has its name.
Status make_folder(const std::filesystem::path& folder);

/// Names of bodies as names of files: no separators or control characters, no leading dot, not too long, and all
/// different even where upper and lower case are the same. Ordinary names stay as they are.
std::vector<std::string> clean_file_names(std::span<const std::string> names);

}  // namespace yawara
