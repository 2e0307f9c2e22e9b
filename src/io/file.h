// Whole files in and out: the one place of this folder that touches the disk, and how its errors travel.
// Readers throw Exception inside the folder; guarded() turns it into a Result at the public functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "yawara/core.h"

namespace yawara::io {

/// Larger files are refused: no mesh we can hold needs them, and a wrong size must not fill the memory.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;

/// The bytes of a regular file of at most kLargestFile.
Result<std::string> read_file(const std::filesystem::path& path);
/// At most the first `bytes` of a file; empty if it cannot be read.
std::string read_start(const std::filesystem::path& path, std::size_t bytes);
/// In place of an older file, once it is whole: see core/replace_file.h.
Status write_file(const std::filesystem::path& path, std::string_view content);

/// The regular file that `file` names as `name`, if it lies in the folder of `file` or below; links are followed first.
std::optional<std::filesystem::path> file_beside(const std::filesystem::path& file, std::string_view name);

/// ".obj" for "Bunny.OBJ".
std::string lower_ending(const std::filesystem::path& path);
std::string lower(std::string_view text);

/// A piece of a file fit for a message: quoted, at most 40 bytes, those that are no letters of any script as '?'.
std::string in_quotes(std::string_view found);

[[noreturn]] inline void fail(std::string where, std::string what)
{
    throw Exception(Error{std::move(where), std::move(what)});
}

/// Runs `body`; whatever it throws becomes an Error about `path`.
template <class T, class Body>
Result<T> guarded(const std::filesystem::path& path, Body&& body)
{
    try {
        return body();
    } catch (const Exception& e) {
        return e.error();
    } catch (const std::bad_alloc&) {
        return Error{path.string(), "not enough memory to hold it"};
    } catch (const std::exception&) {  // of a library, in words that are not ours
        return Error{path.string(), "is damaged in a way that its reader cannot describe"};
    }
}

}  // namespace yawara::io
