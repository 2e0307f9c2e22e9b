// Volume formats: each must give back the same bar, vertex for vertex and tet for tet.
#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

TetMesh with_labels(TetMesh mesh, std::vector<std::int32_t> labels)
{
    mesh.materials = std::move(labels);
    return mesh;
}

// 3 * 11 for the first half of the tets, 4 * 11 for the second: the physical groups in msh4_binary().
TetMesh bar_in_halves()
{
    TetMesh mesh = bar();
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) mesh.materials[t] = t < mesh.tets.size() / 2 ? 33 : 44;
    return mesh;
}

/// Cells of every kind that fill a box together: hexahedra in a 2 x 2 x 2 grid, two of which are cut into two wedges
/// each and one into six pyramids around its centre. Vertices are numbered by `order`, so that quadrangles are cut in
/// many ways.
struct MixedCells {
    std::vector<Vec3d> vertices;
    std::vector<std::vector<int>> cells;
    std::size_t tets = 0;

    explicit MixedCells(unsigned seed)
    {
        std::vector<int> order(28);
        for (int k = 0; k < 28; ++k) order[k] = k;
        for (int k = 27; k > 0; --k)
            std::swap(order[k], order[(seed = seed * 1103515245u + 12345u) / 65536u % (k + 1)]);
        vertices.resize(28);
        for (int k = 0; k < 27; ++k) vertices[order[k]] = {0.5 * (k % 3), 0.7 * (k / 3 % 3), 0.3 * (k / 9)};
        vertices[order[27]] = {0.25, 0.35, 0.15};
        for (int c = 0; c < 8; ++c) {
            const auto at = [&](int x, int y, int z) {
                return order[(c % 2 + x) + 3 * (c / 2 % 2 + y) + 9 * (c / 4 + z)];
            };
            const int v[8] = {at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0),
                              at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)};
            if (c == 0) {
                for (const auto& f :
                     {std::array{0, 1, 2, 3}, {7, 6, 5, 4}, {4, 5, 1, 0}, {5, 6, 2, 1}, {6, 7, 3, 2}, {7, 4, 0, 3}})
                    cells.push_back({v[f[0]], v[f[1]], v[f[2]], v[f[3]], order[27]});
                tets += 12;
            } else if (c == 3 || c == 7) {  // on one another: their triangles match
                cells.push_back({v[0], v[1], v[3], v[4], v[5], v[7]});
                cells.push_back({v[1], v[2], v[3], v[5], v[6], v[7]});
                tets += 6;
            } else {
                cells.push_back({v, v + 8});
                tets += 6;
            }
        }
    }

    std::string as_msh() const
    {
        std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n28\n" + numbered(1) +
                           "$EndNodes\n$Elements\n" + std::to_string(cells.size()) + "\n";
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const int type = cells[c].size() == 8 ? 5 : cells[c].size() == 6 ? 6 : 7;
            text += std::to_string(c + 1) + " " + std::to_string(type) + " 1 3" + corners(c, 1) + "\n";
        }
        return text + "$EndElements\n";
    }
    std::string as_vtk() const
    {
        std::string text = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 28 double\n";
        for (const Vec3d& v : vertices) text += position(v) + "\n";
        std::size_t numbers = 0;
        std::string lists, types;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            lists += std::to_string(cells[c].size()) + corners(c, 0) + "\n";
            types += cells[c].size() == 8 ? "12\n" : cells[c].size() == 6 ? "13\n" : "14\n";
            numbers += cells[c].size() + 1;
        }
        return text + "CELLS " + std::to_string(cells.size()) + " " + std::to_string(numbers) + "\n" + lists +
               "CELL_TYPES " + std::to_string(cells.size()) + "\n" + types;
    }
    std::string as_medit() const
    {
        std::string text = "MeshVersionFormatted 2\nDimension 3\nVertices 28\n";
        for (const Vec3d& v : vertices) text += position(v) + " 0\n";
        for (const auto& [key, size] : {std::pair{"Hexahedra ", 8u}, {"Prisms ", 6u}, {"Pyramids ", 5u}}) {
            std::string list;
            std::size_t count = 0;
            for (std::size_t c = 0; c < cells.size(); ++c)
                if (cells[c].size() == size) list += corners(c, 1) + " 3\n", ++count;
            text += key + std::to_string(count) + "\n" + list;
        }
        return text + "End\n";
    }
    std::string as_vega() const  // has no wedges and pyramids
    {
        std::string text = "*VERTICES\n28 3 0 0\n" + numbered(1) + "*ELEMENTS\nCUBIC\n5 8 0\n";
        int number = 0;
        for (std::size_t c = 0; c < cells.size(); ++c)
            if (cells[c].size() == 8) text += std::to_string(++number) + corners(c, 1) + "\n";
        return text;
    }

private:
    static std::string position(const Vec3d& v)
    {
        return std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z);
    }
    std::string numbered(int first) const
    {
        std::string text;
        for (const Vec3d& v : vertices) text += std::to_string(first++) + " " + position(v) + "\n";
        return text;
    }
    std::string corners(std::size_t c, int first) const
    {
        std::string text;
        for (const int v : cells[c]) text += " " + std::to_string(v + first);
        return text;
    }
};

}  // namespace

TEST_CASE("hexahedra, wedges and pyramids become tets that fill them and match across every face")
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const MixedCells mixed(seed);
        CAPTURE(seed);
        for (const auto& [name, text] :
             {std::pair{"a.msh", mixed.as_msh()}, {"a.vtk", mixed.as_vtk()}, {"a.mesh", mixed.as_medit()}}) {
            CAPTURE(name);
            const TetMesh mesh = load_tet_text(name, text);
            CHECK(mesh.tets.size() == mixed.tets);
            double filled = 0;
            for (const Int4& tet : mesh.tets) {
                CHECK(signed_volume(mesh, tet) > 0);
                filled += signed_volume(mesh, tet);
            }
            CHECK(filled == doctest::Approx(1.0 * 1.4 * 0.6));
            CHECK(boundary_surface(mesh).triangles.size() == 6 * 4 * 2);  // no face within is open
        }
        CHECK(volume(load_tet_text("a.veg", mixed.as_vega())) == doctest::Approx(5 * 0.5 * 0.7 * 0.3));
    }
}

TEST_CASE("saving and loading a volume changes no bit of coordinates, order or regions, with and without regions")
{
    TempFolder folder;
    for (const TetMesh& mesh :
         {bar(), with_labels(bar(), {}), with_labels(bar(), std::vector<std::int32_t>(bar().tets.size(), -3))}) {
        for (const char* name : {"bar.msh", "bar.mesh", "bar.vtu", "bar.node", "bar.ele"}) {
            CAPTURE(name);
            REQUIRE(save_tet_mesh(folder / name, mesh));
            check_same(load_tet_mesh(folder / name).value(), mesh);
            CHECK(is_tet_mesh_file(folder / name));
        }
        check_same(load_tet_mesh(folder / "bar.node").value(), load_tet_mesh(folder / "bar.ele").value());
    }
}

TEST_CASE("Gmsh files of versions 1 and 2.2, as text and as bytes of either order, give the same volume")
{
    check_same(load_tet_text("a.msh", msh1(bar())), bar());
    check_same(load_tet_text("a.msh", msh2(bar(), false)), bar());
    check_same(load_tet_text("a.msh", msh2(bar(), true)), bar());
    check_same(load_tet_text("a.msh", msh2(bar(), true, std::endian::big)), bar());
}

TEST_CASE("binary Gmsh files of versions 4.0 and 4.1 give the same volume, with parametric nodes and physical groups")
{
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        check_same(load_tet_text("a.msh", msh4_binary(bar(), order)), bar_in_halves());
        check_same(load_tet_text("a.msh", msh4_binary(bar(), order, true)), bar_in_halves());
    }
}

TEST_CASE("legacy VTK files, as text and bytes, of version 3 and 5.1, give the same volume")
{
    for (const bool binary : {false, true}) {
        for (const bool version_5 : {false, true})
            check_same(load_tet_text("a.vtk", vtk(bar(), binary, version_5)), bar());
    }
}

TEST_CASE(
    "VTU arrays inline and appended, raw and base64, compressed and not, in either byte order give the same volume")
{
    using enum VtuData;
    for (const VtuData kind : {inline_base64, inline_base64_apart, appended_raw, appended_base64}) {
        for (const bool compressed : {false, true}) {
            for (const std::endian order : {std::endian::little, std::endian::big}) {
                check_same(load_tet_text("a.vtu", vtu(bar(), kind, compressed, order)), bar());
            }
        }
    }
}

TEST_CASE("two pieces of a VTU are one mesh, and a piece cannot use the points of another")
{
    const std::string piece =
        "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" format=\"ascii\">0 0 0 1 "
        "0 0 0 1 0 0 0 1"
        "</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 "
        "3</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray><DataArray type=\"UInt8\" "
        "Name=\"types\" format=\"ascii\">10</DataArray>"
        "</Cells></Piece>\n";
    const std::string start = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>",
                      end = "</UnstructuredGrid></VTKFile>";
    CHECK(load_tet_text("a.vtu", start + piece + piece + end).tets == std::vector<Int4>{{0, 1, 2, 3}, {4, 5, 6, 7}});
    std::string wrong = piece;
    wrong.replace(wrong.find("0 1 2 3<"), 7, "0 1 2 4");
    check_refused("a.vtu", start + wrong + piece + end, ":1", "point 4");
}

TEST_CASE("TetGen files may count from any number, in any order, with comments, attributes and ten nodes a tet")
{
    TempFolder folder;
    put_bytes(folder / "a.node",
              "# nodes\n5 3 1 1\n11 0 0 0 0.5 1\n 12 1 0 0 0.5 0\n14 0 1 0 0.5 1 # last but one\n\n13 0 0 1 0.5 1\n20 "
              "9 9 9 0 0\n");
    put_bytes(folder / "a.ele", "1 10 1\n1 11 12 14 13 20 20 20 20 20 20 3\n");
    const TetMesh mesh = load_tet_mesh(folder / "a.node").value();
    CHECK(mesh.vertices.size() == 5);
    CHECK(mesh.tets == std::vector<Int4>{{0, 1, 2, 3}});
    CHECK(mesh.materials == std::vector<std::int32_t>{3});
    std::filesystem::remove(folder / "a.ele");
    CHECK(load_tet_mesh(folder / "a.node").error().where == (folder / "a.ele").string());
}

TEST_CASE("the vertices of a volume file are those of its mesh, and a TetGen .node has them without its .ele")
{
    TempFolder folder;
    for (const MeshFormat& format : mesh_formats()) {
        if (!format.saves_tets) continue;
        const std::filesystem::path file = folder / ("bar" + std::string(format.ending));
        REQUIRE(save_tet_mesh(file, bar()));
        CHECK(load_tet_vertices(file).value() == bar().vertices);
    }
    std::filesystem::remove(folder / "bar.ele");
    CHECK(load_tet_vertices(folder / "bar.node").value() == bar().vertices);
    put_bytes(folder / "twice.node", "3 3 0 0\n1 0 0 0\n2 1 0 0\n1 0 1 0\n");
    CHECK(load_tet_vertices(folder / "twice.node").error().message() ==
          (folder / "twice.node").string() + ":4: vertex 1 is given twice");
    put_bytes(folder / "none.node", "0 3 0 0\n");
    CHECK(load_tet_vertices(folder / "none.node").error().what.find("no vertices") != std::string::npos);
    CHECK(load_tet_vertices(folder / "a.obj").error().what ==
          "the ending \".obj\" is none of .msh, .mesh, .vtk, .vtu, .veg, .tet, .node, .ele");
}

TEST_CASE("every mesh format that says so can be saved and loaded again, by its ending in capitals too")
{
    TempFolder folder;
    const TriMesh surface = boundary_surface(bar());
    for (const MeshFormat& format : mesh_formats()) {
        std::string capitals(format.ending);
        for (char& c : capitals) c = static_cast<char>(std::toupper(c));
        CAPTURE(capitals);
        REQUIRE(mesh_format("a" + capitals) == mesh_format("a" + std::string(format.ending)));
        CHECK(mesh_format("a" + capitals)->ending == format.ending);
        CHECK((format.loads_surface || format.loads_tets));
        const std::filesystem::path file = folder / ("mesh" + std::string(format.ending));
        CHECK(bool(save_tri_mesh(file, surface)) == format.saves_surface);
        if (format.saves_surface) CHECK(load_tri_mesh(file).value().triangles.size() == surface.triangles.size());
        CHECK(bool(save_tet_mesh(file, bar())) == format.saves_tets);
        if (!format.saves_tets) continue;
        CHECK(is_tet_mesh_file(file));
        CHECK(load_tet_mesh(file).value().tets == bar().tets);
    }
    CHECK(mesh_format("a.txt") == nullptr);
    CHECK(mesh_endings(&MeshFormat::saves_surface) == ".obj, .off, .ply, .stl");
}

TEST_CASE("a .tet file gives the same bar in each of the ways it is written")
{
    for (const TetDialect dialect : {TetDialect::words, TetDialect::header, TetDialect::letters})
        check_same(load_tet_text("a.tet", tet_file(bar(), dialect)), with_labels(bar(), {}));
}

TEST_CASE("the regions of a Vega file become the numbers of their materials")
{
    TetMesh expected = bar();
    for (std::int32_t& label : expected.materials) label = label == 7 ? 3 : label;
    check_same(load_tet_text("a.veg", vega(bar())), expected);
}

TEST_CASE("a set that a Vega file includes is read beside it, and nowhere else")
{
    TempFolder folder;
    std::string text = vega(with_labels(bar(), std::vector<std::int32_t>(bar().tets.size(), 1)));
    const auto including = [&](const std::string& name) {
        std::string changed = text;
        return changed.replace(changed.find("*SET second\n") + 12, 0, "*INCLUDE " + name + "\n");
    };
    std::filesystem::create_directories(folder / "in");
    put_bytes(folder / "outside.txt", "2, 3\n");
    put_bytes(folder / "in/list.txt", "1, 2\n");
    put_bytes(folder / "in/a.veg", including("list.txt"));
    const TetMesh mesh = load_tet_mesh(folder / "in/a.veg").value();
    CHECK(std::vector<std::int32_t>(mesh.materials.begin(), mesh.materials.begin() + 3) ==
          std::vector<std::int32_t>{2, 2, 1});
    put_bytes(folder / "in/a.veg", including("../outside.txt"));
    CHECK(load_tet_mesh(folder / "in/a.veg").value().materials == std::vector<std::int32_t>(bar().tets.size(), 1));
    check_refused("a.veg", "*INCLUDE other.veg\n", ":1", "*INCLUDE");
}

TEST_CASE("of quadratic tets the corners are taken, other elements beside tets are passed over")
{
    const std::string nodes =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 "
        "0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n";
    const TetMesh mesh = load_tet_text(
        "a.msh",
        nodes + "$Elements\n3\n1 15 1 1 1\n2 77 1 1 1 2 3 4 5 6\n3 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n");
    CHECK(mesh.vertices.size() == 10);
    CHECK(mesh.tets == std::vector<Int4>{{0, 1, 2, 3}});
    CHECK(mesh.materials.empty());
    check_refused("a.msh", nodes + "$Elements\n1\n1 3 1 1 1 2 3 4\n$EndElements\n", ":21", "1 quadrangles");
    check_refused("a.vtk",
                  "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 "
                  "0 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n",
                  ":11", "1 polygons");
    CHECK(load_tet_text("a.mesh",
                        "MeshVersionFormatted 1\nDimension\n3\n# c\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0 9 "
                        "9 9 1\nTriangles\n1\n1 2 3 4\nTetrahedraP2 1\n1 2 3 4 5 5 5 5 5 5 6\nEnd\n")
              .materials == std::vector<std::int32_t>{6});
}

TEST_CASE("mistakes in volume files are told with their line or byte")
{
    const std::string medit = "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n";
    check_refused("a.mesh", "", ":1", "the file ends");
    check_refused("a.mesh", "\x01\x02\x03 noise", ":1", "MeshVersionFormatted");
    check_refused("a.mesh", medit, ":8", "no tetrahedra");
    check_refused("a.mesh", medit + "Tetrahedra 1\n1 2 3 5 0\n", ":9", "vertex 5; expected 1 to 4");
    check_refused("a.mesh", medit + "Tetrahedra 1\n1 2 3\n\n\n\n\n\n\n", ":16", "the file ends");
    check_refused("a.mesh", medit + "Tetrahedra 99999999999\n1 2 3 4 0\n", ":8", "99999999999");
    check_refused("a.mesh", "MeshVersionFormatted 1\nDimension 2\n", ":2", "3, the dimension");
    check_refused("a.mesh", medit + "Triangles 1\n1 2 3 0\nQuadrilaterals 1\n1 2 3 4 0\n", ":12", "Quadrilaterals");

    const std::string nodes =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
    check_refused("a.msh", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", ":2", "version");
    check_refused("a.msh", "$Nodes\n", ":1", "before $MeshFormat");
    check_refused("a.msh", nodes.substr(0, nodes.size() - 10), ":10", "$EndNodes");
    check_refused("a.msh", nodes + "$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n", ":13", "vertex 9");
    check_refused("a.msh", nodes + "$Elements\n2\n1 4 0 1 2 3 4\n$EndElements\n", ":14", "$EndElements");
    std::string twice = nodes + "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
    twice.replace(twice.find("4 0 0 1\n$EndNodes"), 1, "2");
    check_refused("a.msh", twice, ":9", "vertex 2 is given twice");
    const std::string binary = msh2(bar(), true);
    const std::size_t elements = binary.find("$Elements\n") + std::string("$Elements\n31\n").size();
    check_refused("a.msh", binary.substr(0, elements + 60), ": byte " + std::to_string(elements - 3), "found 31");
    check_refused("a.msh", binary.substr(0, elements + 200), ": byte " + std::to_string(elements + 200),
                  "the file ends");

    check_refused("a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", ":4", "POLYDATA");
    check_refused("a.vtk", "hello\n", ":1", "vtk DataFile");
    check_refused("a.vtu", "<html></html>", ":1", "html");
    check_refused("a.vtu", "<VTKFile type=\"PolyData\">", ":1", "PolyData");
    check_refused("a.vtu", "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"-4\" NumberOfCells=\"1\">",
                  ":2", "-4");
    check_refused("a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nWEDGE\n1 6 0\n", ":5", "WEDGE");
    check_refused("a.tet", "4 vertices\n1 hexes\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n", ":2", "hexes");
    check_refused("a.tet", "4 vertices\n1 tets\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n8 0 1 2 3\n", ":7", "4, the number");
    check_refused("a.tet", "v 0 0 0\nf 0 1 2\n", ":2", "at the start of a line");
    check_refused("a.msh2", "x", "", "none of");
}

TEST_CASE("a volume file is known by its ending and its start")
{
    TempFolder folder;
    const std::vector<std::pair<std::string, std::string>> volumes = {
        {"a.msh", msh1(bar())},
        {"b.msh", msh2(bar(), true)},
        {"c.vtk", vtk(bar(), true, true)},
        {"d.vtu", vtu(bar(), VtuData::appended_raw, true)},
        {"e.veg", vega(bar())},
        {"e.tet", tet_file(bar(), TetDialect::words)},
        {"f.tet", tet_file(bar(), TetDialect::header)},
        {"g.tet", tet_file(bar(), TetDialect::letters)},
        {"f.node", "# c\n4 3 0 0\n"},
        {"g.ele", "1 10\n"}};
    for (const auto& [name, content] : volumes) {
        put_bytes(folder / name, content);
        CHECK_MESSAGE(is_tet_mesh_file(folder / name), name);
    }
    const std::vector<std::pair<std::string, std::string>> others = {
        {"a.obj", "v 0 0 0\n"},
        {"a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n"},
        {"b.vtu", "nothing"},
        {"c.mesh", "something else"},
        {"d.node", "4 2 0 0\n"}};
    for (const auto& [name, content] : others) {
        put_bytes(folder / name, content);
        CHECK_MESSAGE(!is_tet_mesh_file(folder / name), name);
    }
    const std::string reason = load_tri_mesh(folder / "a.vtk").error().message();
    CHECK_MESSAGE(reason.find("UNSTRUCTURED_GRID") != std::string::npos, reason);
    CHECK_FALSE(is_tet_mesh_file(folder / "missing.msh"));
    CHECK_FALSE(is_tet_mesh_file(folder.path()));
}
