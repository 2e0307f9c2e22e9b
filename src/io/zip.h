// Several files in one .zip, and back, by libzip. What comes from outside is taken for hostile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "yawara/core.h"

namespace yawara::io {

/// Bytes of a .zip with these files, by their names in it.
Result<std::string> zip(const std::map<std::string, std::string>& files);

/// What may come out of a .zip.
struct UnzipLimits {
    UnzipLimits(std::uint64_t most_bytes = std::uint64_t{1} << 30) : bytes(most_bytes) {}

    std::uint64_t bytes;  ///< of all files together
    std::uint64_t files = 1000;
    std::uint64_t ratio = 200;  ///< of what comes out to the .zip; what is small may be more
};

/// Writes the files of a .zip into a folder. Refuses names that leave it, links, and what is beyond the limits; then,
/// and if `progress` ends it, nothing of it is left there.
Status unzip(const std::string& bytes, const std::filesystem::path& folder, const UnzipLimits& limits,
             const Progress& progress = {});

}  // namespace yawara::io
