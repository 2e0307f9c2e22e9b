// Loads a mesh by the format that the ending of its name says.
#include "io/file.h"
#include "io/mesh_formats.h"
#include "yawara/io.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace io;

Result<TriMesh> load_tri_mesh(const fs::path& path)
{
    return guarded<TriMesh>(path, [&]() -> Result<TriMesh> {
        const MeshFileFormat* format = mesh_file_format(path);
        if (format && format->surface.load) return format->surface.load(path);
        // A file of a tet format comes here if is_tet_mesh_file() saw no tets in it: its reader tells what is wrong.
        if (format && format->volume.load) format->volume.load(path);
        return wrong_ending(path, &MeshFormat::loads_surface);
    });
}

Result<TetMesh> load_tet_mesh(const fs::path& path)
{
    return guarded<TetMesh>(path, [&]() -> Result<TetMesh> {
        const MeshFileFormat* format = mesh_file_format(path);
        if (format && format->volume.load) return format->volume.load(path);
        return wrong_ending(path, &MeshFormat::loads_tets);
    });
}

Result<std::vector<Vec3d>> load_tet_vertices(const fs::path& path)
{
    return guarded<std::vector<Vec3d>>(path, [&]() -> Result<std::vector<Vec3d>> {
        const MeshFileFormat* format = mesh_file_format(path);
        if (format && format->volume.load_vertices) return format->volume.load_vertices(path);
        if (format && format->volume.load) return format->volume.load(path).vertices;
        return wrong_ending(path, &MeshFormat::loads_tets);
    });
}

bool is_tet_mesh_file(const fs::path& path)
{
    constexpr std::size_t kLook = 4096;
    const MeshFileFormat* format = mesh_file_format(path);
    return format && format->volume.recognise && format->volume.recognise(read_start(path, kLook));
}

}  // namespace yawara
