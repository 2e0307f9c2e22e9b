// Chooses the writer of a mesh file by the ending of its name, after a check that the mesh can be read back.
#include "io/file.h"
#include "io/mesh_formats.h"
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

}  // namespace

Status save_tri_mesh(const fs::path& path, const TriMesh& mesh)
{
    return guarded<Done>(path, [&]() -> Status {
        const std::string name = path.string();
        const MeshFileFormat* format = mesh_file_format(path);
        check_mesh<3>(mesh.vertices, mesh.triangles, name);
        check_length(mesh.corner_uvs.size(), mesh.triangles.size(), "corner_uvs", name);
        check_length(mesh.colors.size(), mesh.vertices.size(), "colors", name);
        if (format && format->surface.save) return format->surface.save(path, mesh);
        return wrong_ending(path, &MeshFormat::saves_surface);
    });
}

Status save_tet_mesh(const fs::path& path, const TetMesh& mesh)
{
    return guarded<Done>(path, [&]() -> Status {
        const std::string name = path.string();
        const MeshFileFormat* format = mesh_file_format(path);
        check_mesh<4>(mesh.vertices, mesh.tets, name);
        check_length(mesh.materials.size(), mesh.tets.size(), "materials", name);
        if (format && format->volume.save) return format->volume.save(path, mesh);
        return wrong_ending(path, &MeshFormat::saves_tets);
    });
}

}  // namespace yawara
