// PNG by libpng's simplified interface, JPEG by libjpeg. The sizes are checked before any memory is taken.
#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>  // missing in jpeglib.h

#include <jpeglib.h>

#include "yawara/io.h"

namespace yawara {
namespace {

constexpr unsigned kMostPixels = 8192;  // a side

Status check_size(unsigned width, unsigned height)
{
    if (width >= 1 && height >= 1 && width <= kMostPixels && height <= kMostPixels) return Done{};
    return Error{"", fmt::format("has {} x {} pixels; 1 to {} a side are read", width, height, kMostPixels)};
}

Result<Image> decode_png(std::string_view bytes)
{
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
        return Error{"", fmt::format("is a damaged PNG ({})", png.message)};
    if (Status good = check_size(png.width, png.height); !good) {
        png_image_free(&png);
        return good.error();
    }
    png.format = PNG_FORMAT_RGBA;
    Image image{int(png.width), int(png.height), {}};
    image.rgba.resize(PNG_IMAGE_SIZE(png));
    if (!png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr))
        return Error{"", fmt::format("is a damaged PNG ({})", png.message)};
    return image;
}

/// How libjpeg's errors come back: it knows no exceptions.
struct JpegErrors {
    jpeg_error_mgr manager;  // first: libjpeg hands out a pointer to it
    std::jmp_buf back;
    char message[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void leave(j_common_ptr info)
{
    auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
    (*info->err->format_message)(info, errors->message);
    std::longjmp(errors->back, 1);
}

void stay_silent(j_common_ptr) {}

/// Fills `image`; false: see `errors`. No object with a destructor lives in here: longjmp would pass it over.
bool read_jpeg(std::string_view bytes, jpeg_decompress_struct& jpeg, JpegErrors& errors, Image& image)
{
    if (setjmp(errors.back)) return false;
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    if (!check_size(jpeg.image_width, jpeg.image_height)) return false;
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&jpeg);
    image.width = int(jpeg.output_width);
    image.height = int(jpeg.output_height);
    image.rgba.resize(std::size_t{4} * jpeg.output_width * jpeg.output_height);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = &image.rgba[std::size_t{4} * jpeg.output_width * jpeg.output_scanline];
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
}

Result<Image> decode_jpeg(std::string_view bytes)
{
    jpeg_decompress_struct jpeg{};
    JpegErrors errors;
    jpeg.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = &leave;
    errors.manager.output_message = &stay_silent;
    Image image;
    const bool done = read_jpeg(bytes, jpeg, errors, image);
    const unsigned width = jpeg.image_width, height = jpeg.image_height;
    const bool damaged = errors.manager.num_warnings > 0;
    jpeg_destroy_decompress(&jpeg);
    if (done && damaged) return Error{"", "is a damaged JPEG"};
    if (done) return image;
    if (errors.message[0] != '\0') return Error{"", fmt::format("is a damaged JPEG ({})", errors.message)};
    return check_size(width, height).error();
}

}  // namespace

Result<Image> decode_image(std::string_view bytes)
{
    if (bytes.starts_with("\x89PNG")) return decode_png(bytes);
    if (bytes.starts_with("\xff\xd8\xff")) return decode_jpeg(bytes);
    return Error{"", "is neither a PNG nor a JPEG"};
}

}  // namespace yawara
