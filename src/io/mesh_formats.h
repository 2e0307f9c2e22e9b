// The table of mesh formats: how files of each ending are recognised, read and written.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "yawara/io.h"

namespace yawara::io {

// A function that is missing: such files cannot be used that way. Those that load throw Exception; those that save get
// a mesh that has been checked.

struct SurfaceFile {
    TriMesh (*load)(const std::filesystem::path&) = nullptr;
    Status (*save)(const std::filesystem::path&, const TriMesh&) = nullptr;
};
struct VolumeFile {
    bool (*recognise)(std::string_view start) = nullptr;  ///< a file that starts like this holds a volume mesh
    TetMesh (*load)(const std::filesystem::path&) = nullptr;
    Status (*save)(const std::filesystem::path&, const TetMesh&) = nullptr;
    std::vector<Vec3d> (*load_vertices)(const std::filesystem::path&) = nullptr;  ///< missing: all is loaded for them
};

/// One row; a format may hold surfaces, volumes or either.
struct MeshFileFormat {
    std::string_view ending;  ///< lower case, with its dot
    SurfaceFile surface;
    VolumeFile volume;
    std::string_view partner{};  ///< ending of the second file that such a mesh consists of
};

/// By the ending of a file's name; null if it is not that of a mesh.
const MeshFileFormat* mesh_file_format(const std::filesystem::path& path);
/// Names the endings that would do.
Error wrong_ending(const std::filesystem::path& path, bool MeshFormat::*use);

}  // namespace yawara::io
