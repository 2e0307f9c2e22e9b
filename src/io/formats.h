// One reader and one writer per format, for the table in mesh_formats.cpp. Readers take the whole file and its name for
// messages, and throw Exception; writers take a mesh that save_*_mesh() has checked and return the content of the file.
// Volume formats are recognised by the start of a file, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/core.h"
#include "yawara/mesh.h"
#include "yawara/point_cache.h"

namespace yawara::io {

TriMesh read_obj(std::string_view text, const std::string& name);
TriMesh read_off(std::string_view text, const std::string& name);
TriMesh read_ply(std::string_view content, const std::string& name);
TriMesh read_stl(std::string_view content, const std::string& name);
/// .gltf or .glb by content; buffers beside it are read from `path`'s folder, never from outside of it.
TriMesh read_gltf(std::string_view content, const std::filesystem::path& path);
/// What an animation of it makes of the same vertices; its name, or none: the first.
PointCache read_gltf_animation(std::string_view content, const std::filesystem::path& path,
                               const std::string& animation);

std::string write_obj(const TriMesh& mesh);
std::string write_off(const TriMesh& mesh);
std::string write_ply(const TriMesh& mesh);
std::string write_stl(const TriMesh& mesh);

TetMesh read_msh(std::string_view content, const std::string& name);
TetMesh read_medit(std::string_view text, const std::string& name);
TetMesh read_vtk(std::string_view content, const std::string& name);
TetMesh read_vtu(std::string_view content, const std::string& name);
TetMesh read_vega(std::string_view text, const std::filesystem::path& path);
TetMesh read_tet_file(std::string_view text, const std::string& name);

std::string write_msh(const TetMesh& mesh);
std::string write_medit(const TetMesh& mesh);
std::string write_vtu(const TetMesh& mesh);

bool starts_msh(std::string_view start);
bool starts_medit(std::string_view start);
bool starts_vtk(std::string_view start);
bool starts_vtu(std::string_view start);
bool starts_vega(std::string_view start);
bool starts_tet_file(std::string_view start);

// TetGen's pair of files, by the path of either one.
TetMesh load_tetgen(const std::filesystem::path& path);
std::vector<Vec3d> load_tetgen_nodes(const std::filesystem::path& path);
Status save_tetgen(const std::filesystem::path& path, const TetMesh& mesh);
bool starts_tetgen_nodes(std::string_view start);
bool starts_tetgen_tets(std::string_view start);

}  // namespace yawara::io
