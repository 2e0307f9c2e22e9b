// Wavefront OBJ, and the cutting of polygons, which all surface formats share.
#include "io/mesh_files.h"

using namespace mesh_files;

TEST_CASE("saving and loading an OBJ changes no bit of coordinates, colours, texture seams or order")
{
    TempFolder folder;
    REQUIRE(save_tri_mesh(folder / "cube.obj", cube()));
    check_same(load_tri_mesh(folder / "cube.obj").value(), cube());
}

TEST_CASE("an OBJ is read with any line ends, continued lines, blanks, comments and unknown statements")
{
    const std::string text =
        "# made by hand\nmtllib x.mtl\no thing\n  v 0 0 0  # origin\nv\t1 0 0 1.0\nv +1 1. 0\nv 0 1e0 0 \n"
        "vn 0 0 1\nusemtl red\ns off\ng a b\nf 1 2 \\\n  3 4\nl 1 2\nf 1//1 2//1 3//1\n";
    std::string crlf, cr;
    for (const char c : text) {
        crlf += c == '\n' ? "\r\n" : std::string(1, c);
        cr += c == '\n' ? '\r' : c;
    }
    for (const std::string& variant : {text, crlf, cr, text.substr(0, text.size() - 1), "\xEF\xBB\xBF" + text}) {
        const TriMesh mesh = load_tri_text("a.obj", variant);
        CHECK(mesh.vertices == std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
        CHECK(mesh.triangles == std::vector<Int3>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}});
    }
}

TEST_CASE("negative indices of an OBJ count back from the last vertex read, positive ones may point ahead")
{
    const TriMesh mesh = load_tri_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nf 1 2 4\nv 0 0 1\nf -4 -1 3\n");
    CHECK(mesh.triangles == std::vector<Int3>{{0, 1, 2}, {0, 1, 3}, {0, 3, 2}});
}

TEST_CASE("texture coordinates of an OBJ belong to corners; corners without one get the origin")
{
    const TriMesh mesh =
        load_tri_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.5 0\nvt 1\nf 1/1 2/2/1 3/-2\nf 1 2 3\n");
    REQUIRE(mesh.corner_uvs.size() == 2);
    CHECK(mesh.corner_uvs[0] == std::array<Vec2, 3>{Vec2{0.25f, 0.5f}, Vec2{1, 0}, Vec2{0.25f, 0.5f}});
    CHECK(mesh.corner_uvs[1] == std::array<Vec2, 3>{});
}

TEST_CASE("concave polygons are cut into triangles that turn like the polygon and cover its area")
{
    // A comb with teeth of uneven height, standing in a tilted plane, started at every corner and wound both ways.
    std::vector<std::array<double, 2>> outline = {{0, 0}, {9, 0}};
    for (int tooth = 4; tooth >= 0; --tooth) {
        outline.push_back({2.0 * tooth + 1, 4.0 + tooth % 3});
        if (tooth > 0) outline.push_back({2.0 * tooth, 0.5});
    }
    const auto place = [](std::array<double, 2> p) { return Vec3d{p[0] + p[1], p[0] - 2 * p[1], 3 * p[0] + 5 * p[1]}; };
    const std::size_t n = outline.size();
    for (std::size_t start = 0; start < n; ++start) {
        for (const bool backwards : {false, true}) {
            std::string text;
            Vec3d area;
            char line[200];
            std::vector<Vec3d> polygon;
            for (std::size_t k = 0; k < n; ++k) {
                polygon.push_back(place(outline[(backwards ? start + n - k : start + k) % n]));
                std::snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", polygon[k].x, polygon[k].y, polygon[k].z);
                text += line;
            }
            for (std::size_t k = 0; k < n; ++k) area += cross(polygon[k], polygon[(k + 1) % n]);
            text += "f";
            for (std::size_t k = 0; k < n; ++k) text += " " + std::to_string(k + 1);
            const TriMesh mesh = load_tri_text("comb.obj", text + "\n");
            CHECK(mesh.triangles.size() == n - 2);
            double sum = 0.0;
            for (const Int3& t : mesh.triangles) {
                const Vec3d normal =
                    cross(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]]);
                CHECK(dot(normal, area) > 0.0);
                sum += length(normal);
            }
            CHECK(sum == doctest::Approx(length(area)).epsilon(1e-12));
        }
    }
}

TEST_CASE("a polygon without area, or one that crosses itself, still gives its number of triangles")
{
    CHECK(load_tri_text("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n").triangles.size() == 2);
    CHECK(load_tri_text("a.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nv 0 2 0\nf 1 2 3 4 5\n").triangles.size() == 3);
    CHECK(load_tri_text("a.obj", "v 1 1 1\nf 1 1 1 1 1\n").triangles.size() == 3);
}

TEST_CASE("mistakes in an OBJ are told with their line")
{
    const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
    check_refused("a.obj", "", ":1", "no vertices");
    check_refused("a.obj", square, ":4", "no faces");
    check_refused("a.obj", square + "f 1 2 4\n", ":4", "vertex 4; expected 1 to 3");
    check_refused("a.obj", square + "f 1 2 3\nf 0 1 2\n", ":5", "vertex 0");
    check_refused("a.obj", square + "f -4 1 2\n", ":4", "expected 1 to 3");
    check_refused("a.obj", square + "f 1 2\n", ":4", "2 corners");
    check_refused("a.obj", square + "f 1 2 x\n", ":4", "\"x\"");
    check_refused("a.obj", square + "f 1 2/1 3\n", ":4", "texture coordinate 1 of 0");
    check_refused("a.obj", square + "f 1 2 99999999999999999999\n", ":4", "99999999999999999999");
    check_refused("a.obj", "v 0 0\n" + square, ":1", "the line ends");
    check_refused("a.obj", "\nv 0 nan 0\n", ":2", "nan");
    check_refused("a.obj", "\n\nv 0 1e999 0\n", ":3", "1e999");
    check_refused("a.obj", "v 0 1e30 0\n", ":1", "1e+30");
    check_refused("a.obj", "v 0 1,5 0\n", ":1", "1,5");
    check_refused("a.xyz", "v 0 0 0\n", "", "none of");
    CHECK(load_tri_mesh("no/such/file.obj").error().what == "no such file");
    CHECK(load_tri_mesh(std::filesystem::temp_directory_path()).error().what.find("none of") != std::string::npos);
}

TEST_CASE("numbers too small for a double are zero, denormal ones are kept")
{
    const TriMesh mesh = load_tri_text("a.obj", "v 1e-400 5e-324 -1e-4000\nv 0 0 1\nv 0 1 0\nf 1 2 3\n");
    CHECK(mesh.vertices[0] == Vec3d{0.0, 5e-324, 0.0});
}

TEST_CASE("meshes that could not be read back are not saved")
{
    TempFolder folder;
    TriMesh mesh = cube();
    mesh.triangles[3][1] = 8;
    CHECK(save_tri_mesh(folder / "a.obj", mesh).error().what.find("vertex 8 of 8") != std::string::npos);
    mesh = cube();
    mesh.vertices[2].y = std::nan("");
    CHECK(save_tri_mesh(folder / "a.ply", mesh).error().what.find("vertex 2") != std::string::npos);
    mesh = cube();
    mesh.corner_uvs.pop_back();
    CHECK_FALSE(save_tri_mesh(folder / "a.obj", mesh));
    CHECK_FALSE(save_tri_mesh(folder / "a.xyz", cube()));
    CHECK_FALSE(save_tri_mesh(folder / "no" / "folder" / "a.obj", cube()));
    CHECK_FALSE(save_tri_mesh(folder / "a.obj", TriMesh{}));
}
