// Skins by the ending of the mesh file, and how their pictures are taken in.
#include <algorithm>

#include "io/file.h"
#include "io/skin_reader.h"
#include "yawara/io.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace io;

bool io::has_room(const Skin& skin, const Image& image)
{
    constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // 64 million pixels, of all pictures together
    std::size_t bytes = image.rgba.size();
    for (const Texture& texture : skin.textures) bytes += texture.image.rgba.size();
    return bytes <= kMostBytes;
}

std::int32_t io::add_texture(Skin& skin, const std::string& name, std::string bytes, std::array<Wrap, 2> wrap)
{
    const auto known = std::ranges::find_if(
        skin.textures, [&](const Texture& t) { return t.wrap == wrap && t.bytes == bytes; });
    if (known != skin.textures.end()) return std::int32_t(known - skin.textures.begin());
    Result<Image> image = decode_image(bytes);
    if (image && !has_room(skin, *image)) image = Error{"", "is one too many: those of a file may have 64 million pixels"};
    if (!image) {
        const std::string warning = "the picture " + in_quotes(name) + " " + image.error().what;
        if (std::ranges::find(skin.warnings, warning) == skin.warnings.end()) skin.warnings.push_back(warning);
        return -1;
    }
    skin.textures.push_back({name, std::move(bytes), wrap, *std::move(image)});
    return std::int32_t(skin.textures.size()) - 1;
}

std::int32_t io::add_texture_file(Skin& skin, const fs::path& path, const std::string& name, std::array<Wrap, 2> wrap)
{
    std::string slashes = name;  // of other systems
    std::ranges::replace(slashes, '\\', '/');
    std::optional<fs::path> file = file_beside(path, slashes);
    if (!file) file = file_beside(path, fs::path(slashes).filename().string());  // its author had it elsewhere
    const Result<std::string> bytes =
        file ? read_file(*file) : Error{name, "is not in the folder of " + path.filename().string()};
    if (bytes) return add_texture(skin, name, *bytes, wrap);
    const std::string warning = "the picture " + in_quotes(name) + " " + bytes.error().what;
    if (std::ranges::find(skin.warnings, warning) == skin.warnings.end()) skin.warnings.push_back(warning);
    return -1;
}

Result<std::shared_ptr<const Skin>> load_skin(const fs::path& path)
{
    using Loaded = std::shared_ptr<const Skin>;
    return guarded<Loaded>(path, [&]() -> Result<Loaded> {
        const std::string ending = lower_ending(path);
        const bool gltf = ending == ".gltf" || ending == ".glb";
        if (!gltf && ending != ".obj") return Loaded();
        const Result<std::string> content = read_file(path);
        if (!content) return content.error();
        return gltf ? read_gltf_skin(*content, path) : read_obj_skin(*content, path);
    });
}

}  // namespace yawara
