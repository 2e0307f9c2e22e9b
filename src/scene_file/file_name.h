// A file that a scene document names.
#pragma once

#include <filesystem>
#include <string>

namespace yawara::scene_file {

/// A file named in the document, and where.
struct FileName {
    std::string where;
    std::filesystem::path path;
};

}  // namespace yawara::scene_file
