// STL, text and binary, and the welding of its repeated vertices.
#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

std::string binary_stl(std::string header, std::uint32_t announced, const std::vector<std::array<float, 9>>& triangles)
{
    header.resize(80, '\0');
    Bytes b;
    b.text(header).add(announced);
    for (const auto& triangle : triangles) {
        for (int k = 0; k < 3; ++k) b.add(0.0f);
        for (const float c : triangle) b.add(c);
        b.add(std::uint16_t{0});
    }
    return b.out;
}

const std::vector<std::array<float, 9>> kPair = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {-0.0f, 0, 0, 1, 1, 0, 0, 1, 0}};

}  // namespace

TEST_CASE("an STL saved from a mesh has its triangles, to single precision, with equal vertices made one")
{
    TempFolder folder;
    TriMesh mesh = cube();
    for (Vec3d& v : mesh.vertices) v.z = std::round(v.z * 1e7 + 123456789012.0);  // distinct in single precision
    REQUIRE(save_tri_mesh(folder / "cube.stl", mesh));
    const TriMesh loaded = load_tri_mesh(folder / "cube.stl").value();
    CHECK(loaded.vertices.size() == 8);
    REQUIRE(loaded.triangles.size() == mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 found = loaded.vertices[loaded.triangles[t][k]].as<float>();
            CHECK(found == mesh.vertices[mesh.triangles[t][k]].as<float>());
        }
    }
}

TEST_CASE("binary and text STL give the same welded mesh, whatever the header starts with")
{
    const std::string text =
        "solid a vertex of evil\n facet normal 0 0 1\n  OUTER LOOP\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 1 1 "
        "0\n  endloop\n endfacet\n"
        "facet normal nan 0 1 outer loop vertex 0 0 0 vertex 1e0 1 0 vertex 0 1.0 0 endloop endfacet\nendsolid a\n";
    for (const std::string& content :
         {text, "\xEF\xBB\xBF" + text, binary_stl("made by us", 2, kPair), binary_stl("\xFF\xFE", 2, kPair),
          binary_stl("solid of a liar", 2, kPair), binary_stl("bytes behind", 2, kPair) + "more"}) {
        const TriMesh mesh = load_tri_text("a.stl", content);
        CHECK(mesh.vertices == std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
        CHECK(mesh.triangles == std::vector<Int3>{{0, 1, 2}, {0, 2, 3}});
    }
}

TEST_CASE("an STL may end in two words")
{
    const std::string facet =
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    CHECK(load_tri_text("a.stl", "solid part\n" + facet + "end solid part\n").triangles.size() == 1);
    CHECK(
        load_tri_text("a.stl", "solid a\n" + facet + "end solid\nsolid b\n" + facet + "end solid b").triangles.size() ==
        2);
}

TEST_CASE("mistakes in an STL are told with their line or byte")
{
    check_refused("a.stl", "", ": byte 0", "header");
    check_refused("a.stl", "solid\nendsolid\n", ":3", "no vertices");
    check_refused("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 x 0\n", ":5", "\"x\"");
    check_refused("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
                  ":3", "2 corners");
    check_refused("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", ":5", "within a loop");
    check_refused("a.stl", "solid\nvertex 0 0 0\n", ":2", "outside of a loop");
    check_refused("a.stl", "solid\nwhatever\n", ":2", "whatever");
    check_refused("a.stl", binary_stl("", 3, kPair), ": byte 84", "triangles (3 x 50 bytes)");
    check_refused("a.stl", binary_stl("", 0, {}), ": byte 84", "no vertices");
    for (const bool swapped : {false, true}) {  // text in UTF-16 is no binary file
        std::string wide = swapped ? "\xFE\xFF" : "\xFF\xFE";
        for (const char c : std::string("solid a\n") + std::string(100, ' ') + "endsolid\n")
            wide += swapped ? std::string{'\0', c} : std::string{c, '\0'};
        check_refused("a.stl", wide, "", "UTF-16");
        check_refused("a.stl", wide.substr(0, 20), "", "UTF-16");
    }
    auto broken = kPair;
    broken[1][4] = std::numeric_limits<float>::infinity();
    check_refused("a.stl", binary_stl("", 2, broken), ": byte " + std::to_string(84 + 50 + 12 + 12), "inf");
}
