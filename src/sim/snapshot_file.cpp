#include <fstream>
#include <new>

#include "yawara/replace_file.h"
#include "yawara/snapshot.h"

namespace yawara {

Status save_snapshot(const Scene& scene, const std::filesystem::path& path)
{
    return replace_file(path, scene.snapshot());
}

Status load_snapshot(Scene& scene, const std::filesystem::path& path)
{
    std::error_code trouble;
    const std::filesystem::file_status status = std::filesystem::status(path, trouble);
    if (!std::filesystem::exists(status)) return Error{path.string(), "no such file"};
    if (!std::filesystem::is_regular_file(status)) return Error{path.string(), "not a regular file"};
    std::string bytes;
    try {
        bytes.resize(std::filesystem::file_size(path));
        std::ifstream file(path, std::ios::binary);
        if (!file.read(bytes.data(), std::streamsize(bytes.size()))) return Error{path.string(), "cannot be read"};
    } catch (const std::exception&) {
        return Error{path.string(), "cannot be read, or is larger than the memory"};
    }
    return scene.restore(bytes, path.string());
}

}  // namespace yawara
