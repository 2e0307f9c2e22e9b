// One reader and one writer per format. Readers take the whole file and its name for messages, and throw Exception;
// writers take a mesh that save_*_mesh() has checked and return the content of the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "yawara/mesh.h"

namespace yawara::io {

TriMesh read_obj(std::string_view text, const std::string& name);
TriMesh read_off(std::string_view text, const std::string& name);
TriMesh read_ply(std::string_view content, const std::string& name);
TriMesh read_stl(std::string_view content, const std::string& name);
/// .gltf or .glb by content; buffers beside it are read from `path`'s folder, never from outside of it.
TriMesh read_gltf(std::string_view content, const std::filesystem::path& path);

std::string write_obj(const TriMesh& mesh);
std::string write_off(const TriMesh& mesh);
std::string write_ply(const TriMesh& mesh);
std::string write_stl(const TriMesh& mesh);

TetMesh read_msh(std::string_view content, const std::string& name);
TetMesh read_medit(std::string_view text, const std::string& name);
TetMesh read_vtk(std::string_view content, const std::string& name);
TetMesh read_vtu(std::string_view content, const std::string& name);
TetMesh read_vega(std::string_view text, const std::filesystem::path& path);
TetMesh read_tetgen(std::string_view nodes, const std::string& nodes_name, std::string_view tets,
                    const std::string& tets_name);

std::string write_msh(const TetMesh& mesh);
std::string write_medit(const TetMesh& mesh);
std::string write_vtu(const TetMesh& mesh);
std::string write_tetgen_nodes(const TetMesh& mesh);
std::string write_tetgen_tets(const TetMesh& mesh);

}  // namespace yawara::io
