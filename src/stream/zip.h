// Several files in one .zip, and back, by libzip. What comes from outside is taken for hostile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "yawara/core.h"

namespace yawara::stream {

/// Bytes of a .zip with these files, by their names in it.
Result<std::string> zip(const std::map<std::string, std::string>& files);

/// Writes the files of a .zip into a folder. Refuses names that leave it, links, and more than `most_bytes` in all.
Status unzip(const std::string& bytes, const std::filesystem::path& folder, std::uint64_t most_bytes);

}  // namespace yawara::stream
