// Object File Format with its optional header words and colours.
#include "io/mesh_files.h"

using namespace mesh_files;

TEST_CASE("saving and loading an OFF changes no bit of coordinates, colours or order")
{
    TempFolder folder;
    TriMesh mesh = cube();
    REQUIRE(save_tri_mesh(folder / "cube.off", mesh));
    mesh.corner_uvs.clear();
    check_same(load_tri_mesh(folder / "cube.off").value(), mesh);
}

TEST_CASE("an OFF is read with its counts on the first line, comments, colours of faces and without a header")
{
    const std::string body = "0 0 0\n1 0 0\n# half way\n1 1 0\n\n0 1 0\n4 0 1 2 3 255 0 0\n";
    for (const std::string& text :
         {"OFF\n4 1 0\n" + body, "OFF 4 1 0\n" + body, "4 1 0\n" + body, "# hello\nOFF # x\n\n4 1\n" + body}) {
        const TriMesh mesh = load_tri_text("a.off", text);
        CHECK(mesh.vertices.size() == 4);
        CHECK(mesh.triangles == std::vector<Int3>{{0, 1, 2}, {0, 2, 3}});
        CHECK(mesh.colors.empty());
    }
}

TEST_CASE("colours of OFF vertices are read from COFF and CNOFF, as bytes or fractions")
{
    const TriMesh bytes =
        load_tri_text("a.off", "COFF\n3 1 0\n0 0 0 255 0 51 255\n1 0 0 0 0 0 255\n0 1 0 0 255 0 255\n3 0 1 2\n");
    CHECK(bytes.colors == std::vector<Vec3>{{1, 0, 0.2f}, {0, 0, 0}, {0, 1, 0}});
    const TriMesh fractions =
        load_tri_text("a.off", "CNOFF\n3 1 0\n0 0 0  0 0 1  .5 1 0\n1 0 0  0 0 1  0 0 0\n0 1 0 0 0 1 0 0 1\n3 0 1 2\n");
    CHECK(fractions.colors == std::vector<Vec3>{{0.5f, 1, 0}, {0, 0, 0}, {0, 0, 1}});
}

TEST_CASE("mistakes in an OFF are told with their line")
{
    check_refused("a.off", "", ":1", "the file ends");
    check_refused("a.off", "PLY\n", ":1", "PLY");
    check_refused("a.off", "4OFF\n1 1 1\n", ":1", "4OFF");
    check_refused("a.off", "OFF BINARY\n", ":1", "binary");
    check_refused("a.off", "OFF\n353535235358 6 0\n0 0 0\n", ":2", "353535235358");
    check_refused("a.off", "OFF\n-3 1 0\n0 0 0\n", ":2", "-3");
    check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 3\n", ":6", "vertex 3; expected 0 to 2");
    check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 -1\n", ":6", "vertex -1");
    check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n4 0 1 2\n\n\n", ":6", "the line ends");
    check_refused("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n", ":7", "the file ends");
    check_refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 inf\n1 1 0\n3 0 1 2\n", ":4", "inf");
}
