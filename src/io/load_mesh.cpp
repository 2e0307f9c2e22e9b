// Chooses the reader of a mesh file by the ending of its name.
#include "io/file.h"
#include "io/formats.h"
#include "io/text_reader.h"
#include "yawara/io.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace io;

namespace {

fs::path with_ending(fs::path path, const char* ending)
{
    return path.replace_extension(ending);
}

// The other file of a TetGen pair; endings in capitals stay so.
fs::path partner(const fs::path& path, const char* ending, const char* capitals)
{
    return with_ending(path, path.extension().string() == lower_ending(path) ? ending : capitals);
}

TetMesh read_tetgen_pair(const fs::path& path)
{
    const bool given_nodes = lower_ending(path) == ".node";
    const fs::path nodes = given_nodes ? path : partner(path, ".node", ".NODE");
    const fs::path tets = given_nodes ? partner(path, ".ele", ".ELE") : path;
    const std::string node_text = read_file(nodes).value();
    const std::string tet_text = read_file(tets).value();
    return read_tetgen(node_text, nodes.string(), tet_text, tets.string());
}

// "1180 3 0 0": the first line of a .node or .ele.
bool starts_with_counts(std::string_view text, std::string_view second_a, std::string_view second_b)
{
    TextReader in(text, "", {.comment = '#'});
    const std::string_view first = in.word();
    const std::string_view second = in.more_on_line() ? in.word() : second_a;
    return !first.empty() && first.find_first_not_of("0123456789") == std::string_view::npos &&
           (second == second_a || second == second_b);
}

}  // namespace

Result<TriMesh> load_tri_mesh(const fs::path& path)
{
    return guarded<TriMesh>(path, [&]() -> Result<TriMesh> {
        const std::string name = path.string(), ending = lower_ending(path);
        const auto content = [&] { return read_file(path).value(); };
        if (ending == ".obj") return read_obj(content(), name);
        if (ending == ".off") return read_off(content(), name);
        if (ending == ".ply") return read_ply(content(), name);
        if (ending == ".stl") return read_stl(content(), name);
        if (ending == ".gltf" || ending == ".glb") return read_gltf(content(), path);
        // A file of a tet format comes here if is_tet_mesh_file() saw no tets in it: its reader tells what is wrong.
        for (const char* tets : {".msh", ".mesh", ".vtk", ".vtu", ".veg", ".node", ".ele"})
            if (ending == tets)
                if (const auto read = load_tet_mesh(path); !read) return read.error();
        return Error{name, "the ending " + in_quotes(ending) + " is none of .obj, .off, .ply, .stl, .gltf, .glb"};
    });
}

Result<TetMesh> load_tet_mesh(const fs::path& path)
{
    return guarded<TetMesh>(path, [&]() -> Result<TetMesh> {
        const std::string name = path.string(), ending = lower_ending(path);
        const auto content = [&] { return read_file(path).value(); };
        if (ending == ".msh") return read_msh(content(), name);
        if (ending == ".mesh") return read_medit(content(), name);
        if (ending == ".vtk") return read_vtk(content(), name);
        if (ending == ".vtu") return read_vtu(content(), name);
        if (ending == ".veg") return read_vega(content(), path);
        if (ending == ".node" || ending == ".ele") return read_tetgen_pair(path);
        return Error{name,
                     "the ending " + in_quotes(ending) + " is none of .msh, .mesh, .vtk, .vtu, .veg, .node, .ele"};
    });
}

bool is_tet_mesh_file(const fs::path& path)
{
    constexpr std::size_t kLook = 4096;
    const std::string ending = lower_ending(path);
    const std::string start = read_start(path, kLook);
    const auto holds = [&](std::string_view word) { return start.find(word) != std::string::npos; };
    if (ending == ".msh") return holds("$MeshFormat") || holds("$NOD");
    if (ending == ".mesh") return holds("MeshVersionFormatted");
    if (ending == ".vtk")
        return start.starts_with("# vtk") && lower(start).find("unstructured_grid") != std::string::npos;
    if (ending == ".vtu") return holds("<VTKFile") && holds("UnstructuredGrid");
    if (ending == ".veg") return lower(start).find("*vertices") != std::string::npos;
    if (ending == ".node") return starts_with_counts(start, "3", "3");
    if (ending == ".ele") return starts_with_counts(start, "4", "10");
    return false;
}

}  // namespace yawara
