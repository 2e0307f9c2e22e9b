#include "yawara/blend_shapes.h"

#include "io/file.h"
#include "io/gltf_shapes.h"

namespace yawara {

namespace fs = std::filesystem;

namespace {

bool is_gltf(const fs::path& path)
{
    const std::string ending = io::lower_ending(path);
    return ending == ".glb" || ending == ".gltf";
}

}  // namespace

Result<std::vector<std::string>> blend_shapes(const fs::path& path)
{
    if (!is_gltf(path)) return std::vector<std::string>{};
    return io::guarded<std::vector<std::string>>(path, [&]() -> Result<std::vector<std::string>> {
        const Result<std::string> content = io::read_file(path);
        if (!content) return content.error();
        return io::gltf_shapes(*content, path);
    });
}

Result<TriMesh> load_blend_shape(const fs::path& path, const std::string& shape)
{
    if (!is_gltf(path)) return Error{path.string(), "has no blend shapes: those are in .glb and .gltf"};
    return io::guarded<TriMesh>(path, [&]() -> Result<TriMesh> {
        const Result<std::string> content = io::read_file(path);
        if (!content) return content.error();
        return io::read_gltf_shape(*content, path, shape);
    });
}

}  // namespace yawara
