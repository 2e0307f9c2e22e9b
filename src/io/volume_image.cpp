// INRIMAGE (.inr, 256 bytes of "KEY=value" lines, then raw numbers), NRRD ("key: value" lines up to an empty one) and
// MetaImage ("Key = value" lines, ElementDataFile the last). All say a size, a type of number and where the numbers
// are.
#include "yawara/volume_image.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/number_type.h"
#include "io/text_reader.h"

namespace yawara::io {
namespace {

using enum NumberType;
using Keys = std::map<std::string, std::string>;

constexpr std::size_t kMostVoxels = std::size_t{1} << 31;

std::string trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

/// What the head of an image says, in the same words for all formats.
struct Head {
    VolumeImage image;
    NumberType type = u8;
    std::endian order = std::endian::little;
    bool zipped = false, text = false;
    std::string file;      ///< with the numbers, beside this one; empty: they follow the head
    std::size_t data = 0;  ///< where they start
};

class ImageReader {
public:
    ImageReader(const std::filesystem::path& path, std::string content)
        : path_(path), name_(path.string()), content_(std::move(content))
    {
    }

    VolumeImage read()
    {
        const Head head = content_.starts_with("#INRIMAGE-4") ? read_inr()
                          : content_.starts_with("NRRD")      ? read_nrrd()
                                                              : read_meta();
        VolumeImage image = head.image;
        std::size_t count = 1;
        for (const std::size_t n : image.size) {
            if (n == 0 || n > kMostVoxels / count) fail(name_, "has a size of " + size_in_words(image) + " voxels");
            count *= n;
        }
        for (int k = 0; k < 3; ++k)
            if (!(image.spacing[k] > 0 && image.spacing[k] < 1e9) || !(std::abs(image.origin[k]) < 1e9))
                fail(name_, "its voxels have no size, or no place; expected finite numbers");
        std::string bytes = content_.substr(std::min(head.data, content_.size()));
        if (!head.file.empty()) {
            const auto beside = file_beside(path_, head.file);
            if (!beside) fail(name_, "there is no file " + in_quotes(head.file) + " beside it");
            bytes = read_file(*beside).value();
        }
        if (head.text) return with_text(std::move(image), bytes, count);
        const std::size_t wanted = count * size_of(head.type);
        if (head.zipped) bytes = unzipped(bytes, wanted);
        if (bytes.size() < wanted)
            fail(name_, "has " + std::to_string(bytes.size()) + " bytes for " + size_in_words(image) +
                            " voxels; expected " + std::to_string(wanted));
        image.values.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const double value = decode_real(bytes.data() + i * size_of(head.type), head.type, head.order);
            image.values[i] = std::isfinite(value) ? static_cast<float>(value) : 0.0f;
        }
        return image;
    }

    /// `most` bytes at the most: what a file says of its size bounds the memory that it takes.
    std::string unzipped(std::string_view packed, std::size_t most) const
    {
        z_stream stream{};
        if (inflateInit2(&stream, 15 + 32) != Z_OK) throw std::bad_alloc();  // zlib or gzip, as it comes
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream.avail_in = static_cast<uInt>(packed.size());
        std::string plain;
        int state = Z_OK;
        while (state == Z_OK && plain.size() < most) {
            const std::size_t piece = std::min<std::size_t>(most - plain.size(), 1 << 20);
            const std::size_t before = plain.size();
            plain.resize(before + piece);
            stream.next_out = reinterpret_cast<Bytef*>(plain.data() + before);
            stream.avail_out = static_cast<uInt>(piece);
            state = inflate(&stream, Z_NO_FLUSH);
            plain.resize(before + piece - stream.avail_out);
        }
        inflateEnd(&stream);
        if (state != Z_OK && state != Z_STREAM_END) fail(name_, "its packed numbers are damaged");
        return plain;
    }

private:
    static std::string size_in_words(const VolumeImage& image)
    {
        return std::to_string(image.size[0]) + " x " + std::to_string(image.size[1]) + " x " +
               std::to_string(image.size[2]);
    }

    const std::string& value(const Keys& keys, const std::string& key) const
    {
        const auto found = keys.find(key);
        if (found == keys.end()) fail(name_, "has no " + in_quotes(key));
        return found->second;
    }

    std::vector<double> numbers(const Keys& keys, const std::string& key, std::size_t count) const
    {
        std::vector<double> list;
        TextReader in(value(keys, key), name_, {.extra_blank = ','});
        for (std::size_t k = 0; k < count; ++k) list.push_back(in.real(key));
        return list;
    }
    std::array<std::size_t, 3> sizes(const Keys& keys, const std::string& key) const
    {
        std::array<std::size_t, 3> size{};
        TextReader in(value(keys, key), name_);
        for (std::size_t& n : size)
            n = static_cast<std::size_t>(std::clamp<std::int64_t>(in.integer(key), 0, kMostVoxels));
        return size;
    }

    NumberType type_of(const std::string& word) const
    {
        static const std::map<std::string, NumberType> kTypes = {
            {"uchar", u8},   {"unsigned char", u8},   {"uint8", u8},    {"uint8_t", u8},    {"met_uchar", u8},
            {"char", i8},    {"signed char", i8},     {"int8", i8},     {"int8_t", i8},     {"met_char", i8},
            {"short", i16},  {"int16", i16},          {"int16_t", i16}, {"met_short", i16}, {"signed short", i16},
            {"ushort", u16}, {"unsigned short", u16}, {"uint16", u16},  {"uint16_t", u16},  {"met_ushort", u16},
            {"int", i32},    {"signed int", i32},     {"int32", i32},   {"int32_t", i32},   {"met_int", i32},
            {"uint", u32},   {"unsigned int", u32},   {"uint32", u32},  {"uint32_t", u32},  {"met_uint", u32},
            {"float", f32},  {"met_float", f32},      {"double", f64},  {"met_double", f64}};
        const auto found = kTypes.find(lower(word));
        if (found == kTypes.end())
            fail(name_, "found the number type " + in_quotes(word) + "; expected one such as uchar, short or float");
        return found->second;
    }

    /// Lines "key SEPARATOR value" from the start, until `ends`(line) is true; leaves `at` behind that line.
    template <class Ends>
    Keys lines(char separator, std::size_t& at, Ends&& ends) const
    {
        Keys keys;
        while (at < content_.size()) {
            const std::size_t end = std::min(content_.find('\n', at), content_.size());
            const std::string line = trimmed(std::string_view(content_).substr(at, end - at));
            at = std::min(end + 1, content_.size());
            const std::size_t split = line.find(separator);
            if (split != std::string::npos && !line.starts_with('#'))
                keys[lower(trimmed(line.substr(0, split)))] = trimmed(line.substr(split + 1));
            if (ends(line)) return keys;
        }
        return keys;
    }

    Head read_inr() const
    {
        constexpr std::size_t kHead = 256;
        Head head;
        std::size_t at = 0;
        const Keys keys = lines('=', at, [](const std::string& line) { return line == "##}"; });
        for (int k = 0; k < 3; ++k) {
            const std::string axis(1, static_cast<char>('x' + k));
            head.image.size[static_cast<std::size_t>(k)] = whole(keys, axis + "dim");
            if (keys.contains("v" + axis)) head.image.spacing[k] = numbers(keys, "v" + axis, 1)[0];
        }
        if (keys.contains("vdim") && whole(keys, "vdim") != 1)
            fail(name_, "has several numbers for each voxel; expected one");
        const std::string type = lower(value(keys, "type")), bits = value(keys, "pixsize");
        const int size = std::stoi("0" + bits.substr(0, bits.find(' '))) / 8;
        const bool real = type == "float", sign = type == "signed fixed";
        if (!real && !sign && type != "unsigned fixed")
            fail(name_, "found the type " + in_quotes(type) + "; expected unsigned fixed, signed fixed or float");
        if (size != 1 && size != 2 && size != 4 && !(real && size == 8))
            fail(name_, "found the size of numbers " + in_quotes(bits) + "; expected 8, 16 or 32 bits");
        head.type = real        ? (size == 8 ? f64 : f32)
                    : size == 1 ? (sign ? i8 : u8)
                    : size == 2 ? (sign ? i16 : u16)
                                : (sign ? i32 : u32);
        const std::string cpu = keys.contains("cpu") ? lower(value(keys, "cpu")) : "pc";
        head.order = cpu == "sun" || cpu == "sgi" ? std::endian::big : std::endian::little;
        head.data = kHead * std::max<std::size_t>((at + kHead - 1) / kHead, 1);
        return head;
    }

    std::size_t whole(const Keys& keys, const std::string& key) const
    {
        TextReader in(value(keys, key), name_);
        return static_cast<std::size_t>(std::clamp<std::int64_t>(in.integer(key), 0, kMostVoxels));
    }

    Head read_nrrd() const
    {
        Head head;
        const Keys keys = lines(':', head.data, [](const std::string& line) { return line.empty(); });
        if (whole(keys, "dimension") != 3) fail(name_, "found dimension " + value(keys, "dimension") + "; expected 3");
        head.image.size = sizes(keys, "sizes");
        head.type = type_of(value(keys, "type"));
        const std::string encoding = lower(value(keys, "encoding"));
        head.zipped = encoding == "gzip" || encoding == "gz";
        head.text = encoding == "ascii" || encoding == "text" || encoding == "txt";
        if (!head.zipped && !head.text && encoding != "raw")
            fail(name_, "found the encoding " + in_quotes(encoding) + "; expected raw, gzip or ascii");
        head.order =
            keys.contains("endian") && lower(value(keys, "endian")) == "big" ? std::endian::big : std::endian::little;
        if (keys.contains("spacings")) {
            const std::vector<double> list = numbers(keys, "spacings", 3);
            head.image.spacing = {list[0], list[1], list[2]};
        } else if (keys.contains("space directions")) {
            head.image.spacing = lengths_of(value(keys, "space directions"));
        }
        if (keys.contains("space origin")) head.image.origin = vector_in(value(keys, "space origin"));
        if (keys.contains("data file")) head.file = value(keys, "data file");
        if (keys.contains("datafile")) head.file = value(keys, "datafile");
        return head;
    }

    /// "(1, 2, 3)"
    Vec3d vector_in(std::string text) const
    {
        std::ranges::replace_if(
            text, [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
        TextReader in(text, name_);
        Vec3d v;
        for (int k = 0; k < 3; ++k) v[k] = in.real("a coordinate");
        return v;
    }

    /// Of "(a,0,0) (0,b,0) (0,0,c)"; a turned or slanted image is refused.
    Vec3d lengths_of(const std::string& text) const
    {
        Vec3d lengths;
        std::size_t at = 0;
        for (int k = 0; k < 3; ++k) {
            const std::size_t open = text.find('(', at), close = text.find(')', open);
            if (close == std::string::npos)
                fail(name_, "found the directions " + in_quotes(text) + "; expected three vectors");
            const Vec3d v = vector_in(text.substr(open, close - open));
            lengths[k] = std::abs(v[k]);
            if (std::abs(length(v) - lengths[k]) > 1e-4 * length(v))
                fail(name_, "its axes are turned against x, y and z; resample it first");
            at = close;
        }
        return lengths;
    }

    Head read_meta() const
    {
        Head head;
        const Keys keys =
            lines('=', head.data, [](const std::string& line) { return lower(line).starts_with("elementdatafile"); });
        if (whole(keys, "ndims") != 3) fail(name_, "found NDims " + value(keys, "ndims") + "; expected 3");
        head.image.size = sizes(keys, "dimsize");
        head.type = type_of(value(keys, "elementtype"));
        const auto is_true = [&](const char* key) { return keys.contains(key) && lower(value(keys, key)) == "true"; };
        head.zipped = is_true("compresseddata");
        head.order = is_true("binarydatabyteordermsb") || is_true("elementbyteordermsb") ? std::endian::big
                                                                                         : std::endian::little;
        const char* spacing = keys.contains("elementspacing") ? "elementspacing" : "elementsize";
        if (keys.contains(spacing)) {
            const std::vector<double> list = numbers(keys, spacing, 3);
            head.image.spacing = {list[0], list[1], list[2]};
        }
        for (const char* key : {"offset", "position", "origin"})
            if (keys.contains(key)) {
                const std::vector<double> list = numbers(keys, key, 3);
                head.image.origin = {list[0], list[1], list[2]};
            }
        const std::string& file = value(keys, "elementdatafile");
        if (lower(file) != "local") head.file = file;
        return head;
    }

    VolumeImage with_text(VolumeImage image, const std::string& text, std::size_t count) const
    {
        TextReader in(text, name_);
        in.check_room(count, 2, "numbers");
        for (std::size_t i = 0; i < count; ++i)
            image.values.push_back(static_cast<float>(in.real("the number of a voxel")));
        return image;
    }

    std::filesystem::path path_;
    std::string name_, content_;
};

}  // namespace
}  // namespace yawara::io

namespace yawara {
using namespace io;

bool is_volume_image(const std::filesystem::path& path)
{
    const std::string name = lower(path.filename().string());
    for (const char* ending : {".inr", ".inr.gz", ".nrrd", ".nhdr", ".mhd", ".mha"})
        if (name.ends_with(ending)) return true;
    return false;
}

Result<VolumeImage> load_volume_image(const std::filesystem::path& path)
{
    return guarded<VolumeImage>(path, [&] {
        std::string content = read_file(path).value();
        if (content.starts_with("\x1f\x8b"))  // a thousand times smaller is as well as anything packs
            content =
                ImageReader(path, "").unzipped(content, std::min<std::size_t>(1100 * content.size(), kLargestFile));
        return ImageReader(path, std::move(content)).read();
    });
}

}  // namespace yawara
