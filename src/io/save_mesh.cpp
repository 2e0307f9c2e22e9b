// Chooses the writer of a mesh file by the ending of its name, after a check that the mesh can be read back.
#include "io/file.h"
#include "io/formats.h"
#include "yawara/io.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace io;

namespace {

template <std::size_t N>
void check_mesh(std::span<const Vec3d> vertices, std::span<const std::array<std::int32_t, N>> elements,
                const std::string& name)
{
    if (elements.empty()) fail(name, "the mesh to save has no elements");
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (!is_finite(vertices[i])) fail(name, "vertex " + std::to_string(i) + " of the mesh to save is not finite");
    }
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (const std::int32_t v : elements[e]) {
            if (v >= 0 && static_cast<std::size_t>(v) < vertices.size()) continue;
            fail(name, "element " + std::to_string(e) + " of the mesh to save uses vertex " + std::to_string(v) +
                           " of " + std::to_string(vertices.size()));
        }
    }
}

void check_length(std::size_t found, std::size_t expected, const char* things, const std::string& name)
{
    if (found == 0 || found == expected) return;
    fail(name,
         "the mesh to save has " + std::to_string(found) + " " + things + "; expected " + std::to_string(expected));
}

Status save_tetgen_pair(const fs::path& path, const TetMesh& mesh)
{
    fs::path nodes = path, tets = path;
    const Status done = write_file(nodes.replace_extension(".node"), write_tetgen_nodes(mesh));
    return done ? write_file(tets.replace_extension(".ele"), write_tetgen_tets(mesh)) : done;
}

}  // namespace

Status save_tri_mesh(const fs::path& path, const TriMesh& mesh)
{
    return guarded<Done>(path, [&]() -> Status {
        const std::string name = path.string(), ending = lower_ending(path);
        check_mesh<3>(mesh.vertices, mesh.triangles, name);
        check_length(mesh.corner_uvs.size(), mesh.triangles.size(), "corner_uvs", name);
        check_length(mesh.colors.size(), mesh.vertices.size(), "colors", name);
        if (ending == ".obj") return write_file(path, write_obj(mesh));
        if (ending == ".off") return write_file(path, write_off(mesh));
        if (ending == ".ply") return write_file(path, write_ply(mesh));
        if (ending == ".stl") return write_file(path, write_stl(mesh));
        return Error{name, "the ending " + in_quotes(ending) + " is none of .obj, .off, .ply, .stl"};
    });
}

Status save_tet_mesh(const fs::path& path, const TetMesh& mesh)
{
    return guarded<Done>(path, [&]() -> Status {
        const std::string name = path.string(), ending = lower_ending(path);
        check_mesh<4>(mesh.vertices, mesh.tets, name);
        check_length(mesh.materials.size(), mesh.tets.size(), "materials", name);
        if (ending == ".msh") return write_file(path, write_msh(mesh));
        if (ending == ".mesh") return write_file(path, write_medit(mesh));
        if (ending == ".vtu") return write_file(path, write_vtu(mesh));
        if (ending == ".node" || ending == ".ele") return save_tetgen_pair(path, mesh);
        return Error{name, "the ending " + in_quotes(ending) + " is none of .msh, .mesh, .vtu, .node, .ele"};
    });
}

}  // namespace yawara
