// Blend shapes (morph targets) of glTF and GLB files: a surface in other poses, vertex by vertex.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yawara/core.h"
#include "yawara/mesh.h"

namespace yawara {

/// Their names; none of files of other kinds.
Result<std::vector<std::string>> blend_shapes(const std::filesystem::path& path);
/// The surface in one of them. Vertex order is that of load_tri_mesh().
Result<TriMesh> load_blend_shape(const std::filesystem::path& path, const std::string& shape);

}  // namespace yawara
