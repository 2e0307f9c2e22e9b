// The table of mesh formats. A new one is a file with its reader and writer, declared in formats.h, and a row here.
#include "io/mesh_formats.h"

#include <algorithm>
#include <array>

#include "io/file.h"
#include "io/formats.h"

namespace yawara {

namespace fs = std::filesystem;

namespace io {
namespace {

template <auto read>
auto load(const fs::path& path)
{
    return read(read_file(path).value(), path);
}
template <auto write, class Mesh>
Status save(const fs::path& path, const Mesh& mesh)
{
    return write_file(path, write(mesh));
}

constexpr std::array kFormats{
    // ending, surface {load, save}, volume {recognise, load, save, vertices alone}, partner
    MeshFileFormat{".obj", {load<read_obj>, save<write_obj>}, {}},
    MeshFileFormat{".off", {load<read_off>, save<write_off>}, {}},
    MeshFileFormat{".ply", {load<read_ply>, save<write_ply>}, {}},
    MeshFileFormat{".stl", {load<read_stl>, save<write_stl>}, {}},
    MeshFileFormat{".gltf", {load<read_gltf>}, {}},
    MeshFileFormat{".glb", {load<read_gltf>}, {}},
    MeshFileFormat{".msh", {}, {starts_msh, load<read_msh>, save<write_msh>}},
    MeshFileFormat{".mesh", {}, {starts_medit, load<read_medit>, save<write_medit>}},
    MeshFileFormat{".vtk", {}, {starts_vtk, load<read_vtk>}},
    MeshFileFormat{".vtu", {}, {starts_vtu, load<read_vtu>, save<write_vtu>}},
    MeshFileFormat{".veg", {}, {starts_vega, load<read_vega>}},
    MeshFileFormat{".tet", {}, {starts_tet_file, load<read_tet_file>}},
    MeshFileFormat{".node", {}, {starts_tetgen_nodes, load_tetgen, save_tetgen, load_tetgen_nodes}, ".ele"},
    MeshFileFormat{".ele", {}, {starts_tetgen_tets, load_tetgen, save_tetgen, load_tetgen_nodes}, ".node"},
};

}  // namespace

const MeshFileFormat* mesh_file_format(const fs::path& path)
{
    const auto row = std::ranges::find(kFormats, std::string_view(lower_ending(path)), &MeshFileFormat::ending);
    return row == kFormats.end() ? nullptr : &*row;
}

Error wrong_ending(const fs::path& path, bool MeshFormat::*use)
{
    return {path.string(), "the ending " + in_quotes(lower_ending(path)) + " is none of " + mesh_endings(use)};
}

}  // namespace io

std::span<const MeshFormat> mesh_formats()
{
    static const std::vector<MeshFormat> all = [] {
        std::vector<MeshFormat> list;
        for (const io::MeshFileFormat& f : io::kFormats)
            list.push_back({f.ending, f.partner, f.surface.load != nullptr, f.volume.load != nullptr,
                            f.surface.save != nullptr, f.volume.save != nullptr});
        return list;
    }();
    return all;
}

const MeshFormat* mesh_format(const fs::path& file)
{
    const auto found = std::ranges::find(mesh_formats(), std::string_view(io::lower_ending(file)), &MeshFormat::ending);
    return found == mesh_formats().end() ? nullptr : &*found;
}

std::string mesh_endings(bool MeshFormat::*use)
{
    std::string list;
    for (const MeshFormat& format : mesh_formats()) {
        if (!(format.*use)) continue;
        list += list.empty() ? "" : ", ";
        list += format.ending;
    }
    return list;
}

}  // namespace yawara
