// Images of volumes in every format give the same numbers at the same places.
#include "yawara/volume_image.h"

#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

constexpr std::array<std::size_t, 3> kSize{4, 3, 2};

float value_at(std::size_t i)
{
    return static_cast<float>(i * 7 % 11) - 2.0f;
}

template <class T>
std::string numbers(std::endian order = std::endian::little)
{
    std::string bytes;
    for (std::size_t i = 0; i < 24; ++i) {
        auto raw = std::bit_cast<std::array<char, sizeof(T)>>(static_cast<T>(value_at(i)));
        if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
        bytes.append(raw.data(), raw.size());
    }
    return bytes;
}

std::string inr(const std::string& type, const std::string& cpu)
{
    std::string head =
        "#INRIMAGE-4#{\nXDIM=4\nYDIM=3\nZDIM=2\nVDIM=1\nTYPE=" + type + "\nCPU=" + cpu + "\nVX=0.5\nVY=0.5\nVZ=0.75\n";
    head.resize(252, '\n');
    return head + "##}\n";
}

std::string gzipped(const std::string& plain)
{
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(plain.size() + 200, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

void check_image(const std::string& name, const std::string& content, Vec3d origin = {})
{
    const TempFolder folder;
    put_bytes(folder / name, content);
    put_bytes(folder / "numbers.raw", numbers<std::int16_t>());
    CAPTURE(name);
    REQUIRE(is_volume_image(folder / name));
    const Result<VolumeImage> image = load_volume_image(folder / name);
    REQUIRE_MESSAGE(image, (image ? "" : image.error().message()));
    CHECK(image->size == kSize);
    CHECK(image->spacing == Vec3d{0.5, 0.5, 0.75});
    CHECK(image->origin == origin);
    REQUIRE(image->values.size() == 24);
    for (std::size_t i = 0; i < 24; ++i) CHECK(image->values[i] == value_at(i));
}

std::string error_of(const std::string& name, const std::string& content)
{
    const TempFolder folder;
    put_bytes(folder / name, content);
    const auto image = load_volume_image(folder / name);
    REQUIRE_FALSE(image);
    return image.error().message();
}

}  // namespace

TEST_CASE("volume images of every format and number type give the same numbers")
{
    check_image("a.inr", inr("signed fixed\nPIXSIZE=16 bits", "pc") + numbers<std::int16_t>());
    check_image("a.inr", inr("signed fixed\nPIXSIZE=16 bits", "sun") + numbers<std::int16_t>(std::endian::big));
    check_image("a.inr", inr("float\nPIXSIZE=32 bits", "decm") + numbers<float>());
    check_image("a.inr.gz", gzipped(inr("signed fixed\nPIXSIZE=8 bits", "decm") + numbers<std::int8_t>()));

    const std::string nrrd = "NRRD0004\n# a comment\ndimension: 3\nsizes: 4 3 2\nspace origin: (1, 2, 3)\n";
    const std::string even = "spacings: 0.5 0.5 0.75\n", turned = "space directions: (0.5,0,0) (0,0.5,0) (0,0,0.75)\n";
    check_image("a.nrrd", nrrd + even + "type: short\nendian: little\nencoding: raw\n\n" + numbers<std::int16_t>(),
                {1, 2, 3});
    check_image("a.nrrd",
                nrrd + turned + "type: float\nendian: big\nencoding: raw\n\n" + numbers<float>(std::endian::big),
                {1, 2, 3});
    check_image("a.nrrd", nrrd + even + "type: double\nencoding: gzip\n\n" + gzipped(numbers<double>()), {1, 2, 3});
    check_image("a.nhdr", nrrd + even + "type: short\nencoding: raw\ndata file: numbers.raw\n", {1, 2, 3});
    std::string text;
    for (std::size_t i = 0; i < 24; ++i)
        text += std::to_string(static_cast<int>(value_at(i))) + (i % 4 == 3 ? "\n" : " ");
    check_image("a.nrrd", nrrd + even + "type: int\nencoding: ascii\n\n" + text, {1, 2, 3});

    const std::string meta =
        "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementSpacing = 0.5 0.5 0.75\nElementType = MET_SHORT\n";
    check_image("a.mhd", meta + "ElementDataFile = numbers.raw\n");
    check_image("a.mha", meta + "BinaryDataByteOrderMSB = True\nElementDataFile = LOCAL\n" +
                             numbers<std::int16_t>(std::endian::big));
}

TEST_CASE("volume images that are cut off, slanted or of absurd size are refused")
{
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    const std::string nrrd = "NRRD0004\ntype: short\ndimension: 3\nencoding: raw\n";
    CHECK(has(error_of("a.nrrd", nrrd + "sizes: 4 3 2\n\nabc"), "has 3 bytes for 4 x 3 x 2 voxels; expected 48"));
    CHECK(has(error_of("a.nrrd", nrrd + "sizes: 99999 99999 99999\n\n"), "has a size of"));
    CHECK(has(error_of("a.nrrd", nrrd + "sizes: 4 3 2\nspace directions: (1,1,0) (0,1,0) (0,0,1)\n\n"), "turned"));
    CHECK(has(error_of("a.nrrd", "NRRD0004\ntype: block\ndimension: 3\nencoding: raw\nsizes: 4 3 2\n\n"), "\"block\""));
    CHECK(has(error_of("a.mhd", "NDims = 3\nDimSize = 4 3 2\nElementType = MET_SHORT\nElementDataFile = ../x.raw\n"),
              "beside"));
    CHECK(has(error_of("a.inr", "nothing"), "has no \"ndims\""));
}
