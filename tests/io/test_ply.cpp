// Stanford PLY in its three encodings.
#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

// Two triangles and a quad with other properties and elements in between, in all three encodings.
std::string odd_ply(const std::string& format)
{
    const std::string header =
        "ply\nformat " + format +
        " 1.0\ncomment odd\nobj_info x\nelement camera 2\nproperty double f\nproperty list uint8 int16 ids\n"
        "element vertex 4\nproperty float quality\nproperty float x\nproperty double y\nproperty short z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n"
        "element face 2\nproperty uchar flags\nproperty list uint32 ushort vertex_index\n"
        "element edge 0\nproperty int a\nend_header\n";
    if (format == "ascii") {
        return header +
               "1.5 2 7 8\n2.5 0\n9 0 0 0 255 0 0 255\n9 1 0 0 0 255 0 255\n9 1 1.25 -3 0 0 255 255\n9 0 1 0 0 0 51 "
               "255\n0 3 0 1 2\n1 4 0 1 2 3\n";
    }
    Bytes b{format == "binary_big_endian" ? std::endian::big : std::endian::little};
    b.text(header)
        .add(1.5)
        .add(std::uint8_t{2})
        .add(std::int16_t{7})
        .add(std::int16_t{8})
        .add(2.5)
        .add(std::uint8_t{0});
    const auto vertex = [&](float x, double y, short z, int red, int green, int blue) {
        b.add(9.0f).add(x).add(y).add(z);
        for (const int c : {red, green, blue, 255}) b.add(static_cast<std::uint8_t>(c));
    };
    vertex(0, 0, 0, 255, 0, 0);
    vertex(1, 0, 0, 0, 255, 0);
    vertex(1, 1.25, -3, 0, 0, 255);
    vertex(0, 1, 0, 0, 0, 51);
    b.add(std::uint8_t{0}).add(std::uint32_t{3});
    for (const std::uint16_t v : {0, 1, 2}) b.add(v);
    b.add(std::uint8_t{1}).add(std::uint32_t{4});
    for (const std::uint16_t v : {0, 1, 2, 3}) b.add(v);
    return b.out;
}

}  // namespace

TEST_CASE("saving and loading a PLY changes no bit of coordinates, byte colours, texture seams or order")
{
    TempFolder folder;
    REQUIRE(save_tri_mesh(folder / "cube.ply", cube()));
    check_same(load_tri_mesh(folder / "cube.ply").value(), cube());
}

TEST_CASE("the three encodings of a PLY with odd types, elements and properties give the same mesh")
{
    for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
        CAPTURE(format);
        const TriMesh mesh = load_tri_text("a.ply", odd_ply(format));
        CHECK(mesh.vertices == std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1.25, -3}, {0, 1, 0}});
        CHECK(mesh.triangles.size() == 3);
        CHECK(mesh.triangles[0] == Int3{0, 1, 2});
        CHECK(mesh.colors == std::vector<Vec3>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0.2f}});
    }
}

TEST_CASE("texture coordinates of PLY vertices become those of corners")
{
    const TriMesh mesh = load_tri_text(
        "a.ply",
        "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\n"
        "property float s\r\nproperty float t\r\nelement face 1\r\nproperty list uchar int "
        "vertex_indices\r\nend_header\r\n"
        "0 0 0 .5 .25\r\n1 0 0 1 0\r\n0 1 0 0 1\r\n3 2 0 1\r\n");
    REQUIRE(mesh.corner_uvs.size() == 1);
    CHECK(mesh.corner_uvs[0] == std::array<Vec2, 3>{Vec2{0, 1}, Vec2{0.5f, 0.25f}, Vec2{1, 0}});
}

TEST_CASE("mistakes in a PLY are told with their line or byte")
{
    const std::string head =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    const std::string faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    const std::string points = "0 0 0\n1 0 0\n0 1 0\n";
    check_refused("a.ply", "", ":1", "the file ends");
    check_refused("a.ply", "plx\n", ":1", "plx");
    check_refused("a.ply", "ply\nformat ebcdic 1.0\n", ":2", "ebcdic");
    check_refused("a.ply", "ply\nproperty int x\n", ":2", "before any element");
    check_refused("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n", ":4", "quad");
    check_refused("a.ply", head, ":7", "the file ends");
    check_refused("a.ply", head + faces + points + "3 0 1 3\n", ":13", "vertex 3; expected 0 to 2");
    check_refused("a.ply", head + faces + points + "-3 0 1 2\n", ":13", "-3");
    check_refused("a.ply", head + faces + points + "3 0 1\n\n\n", ":16", "the file ends");
    check_refused("a.ply", head + faces + "0 0 0\n1 0 x\n", ":11", "\"x\"");
    check_refused("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n1\n2\n3\n", ":5",
                  "x, y and z");
    std::string binary = odd_ply("binary_little_endian");
    check_refused("a.ply", binary.substr(0, binary.size() - 3), ": byte " + std::to_string(binary.size() - 3 - 5),
                  "the file ends");
    const float nan = std::nanf("");
    const std::size_t first_x = binary.find("end_header\n") + 11 + 8 + 1 + 4 + 8 + 1 + 4;
    std::memcpy(binary.data() + first_x, &nan, 4);
    check_refused("a.ply", binary, ": byte " + std::to_string(first_x - 4), "nan");
}

TEST_CASE("a PLY that announces more elements than its bytes can hold is refused before any memory is taken")
{
    for (const char* format : {"ascii", "binary_little_endian"}) {
        const std::string text =
            std::string("ply\nformat ") + format +
            " 1.0\nelement vertex 4000000000000\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n";
        TempFolder folder;
        put_bytes(folder / "a.ply", text);
        CHECK(load_tri_mesh(folder / "a.ply").error().what.find("4000000000000") != std::string::npos);
    }
}
