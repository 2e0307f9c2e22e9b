// PNG files, by libpng's simplified interface.
#include <fmt/format.h>
#include <png.h>

#include <string>
#include <string_view>

#include "yawara/render.h"
#include "yawara/replace_file.h"

namespace yawara {

Status save_png(const std::filesystem::path& path, const Image& image)
{
    if (image.width < 1 || image.height < 1 || image.rgba.size() != std::size_t{4} * image.width * image.height)
        return Error{path.string(), fmt::format("a picture of {} x {} with {} bytes cannot be saved", image.width,
                                                image.height, image.rgba.size())};
    // Fully opaque pictures are written without alpha: smaller, and every viewer shows them alike.
    bool opaque = true;
    for (std::size_t i = 3; i < image.rgba.size() && opaque; i += 4) opaque = image.rgba[i] == 255;
    std::vector<std::uint8_t> rgb;
    if (opaque) {
        rgb.reserve(image.rgba.size() / 4 * 3);
        for (std::size_t i = 0; i < image.rgba.size(); i += 4)
            rgb.insert(rgb.end(), {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]});
    }
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
    const std::uint8_t* pixels = opaque ? rgb.data() : image.rgba.data();
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
    std::string file(bytes, '\0');
    if (!png_image_write_to_memory(&png, file.data(), &bytes, 0, pixels, 0, nullptr))
        return Error{path.string(), fmt::format("cannot write the picture: {}", png.message)};
    return replace_file(path, std::string_view(file).substr(0, bytes));
}

}  // namespace yawara
