// A number that says whether two texts or files are the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace yawara::sweep {

std::uint64_t fingerprint_of(std::string_view bytes);
/// Of the content of a file; 0 if it cannot be read.
std::uint64_t fingerprint_of_file(const std::filesystem::path& file);

}  // namespace yawara::sweep
