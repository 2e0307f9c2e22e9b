// A file that a scene document names, and what became of its coordinates.
#pragma once

#include <filesystem>
#include <string>

#include "yawara/math.h"

namespace yawara::scene_file {

/// A file named in the document, and where.
struct FileName {
    std::string where;
    std::filesystem::path path;
};

/// What happened to the coordinates of a surface's file: scale * x + move.
struct FileFrame {
    double scale = 1;
    Vec3d move{};
};

}  // namespace yawara::scene_file
