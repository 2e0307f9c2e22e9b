// `mesh` and mesh to mesh `convert`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "yawara/io.h"

using program::contains;

TEST_CASE("a cube's surface becomes tets that fill it")
{
    const program::Scratch scratch;
    scratch.write("cube.obj", program::cube_obj());
    const auto answer = scratch.run({"mesh", "cube.obj", "--particles", "500", "--out", "cube.msh", "--json"});
    REQUIRE(answer.code == 0);
    const auto object = nlohmann::json::parse(answer.out);
    CHECK(object["meshing"]["closed"] == true);
    CHECK(object["meshing"]["output_parts"] == 1);
    const yawara::TetMesh mesh = yawara::load_tet_mesh(scratch / "cube.msh").value();
    CHECK(mesh.vertices.size() == object["mesh"]["vertices"]);
    CHECK(yawara::volume(mesh) == doctest::Approx(1).epsilon(0.05));
    CHECK(yawara::dihedral_range(mesh)[0] > 10);
}

TEST_CASE("a tet mesh is repaired and converted")
{
    const program::Scratch scratch;
    yawara::TetMesh bar = yawara::make_bar({1, 1, 1}, {2, 2, 2});
    std::swap(bar.tets[3][0], bar.tets[3][1]);
    REQUIRE(yawara::save_tet_mesh(scratch / "bar.mesh", bar));
    const auto answer = scratch.run({"mesh", "bar.mesh", "--out", "bar.vtu", "--json"});
    REQUIRE(answer.code == 0);
    CHECK(nlohmann::json::parse(answer.out)["repairs"].size() == 1);
    const yawara::TetMesh repaired = yawara::load_tet_mesh(scratch / "bar.vtu").value();
    CHECK(repaired.vertices == bar.vertices);
    for (const yawara::Int4& tet : repaired.tets) CHECK(yawara::signed_volume(repaired, tet) > 0);
}

TEST_CASE("a mesh is never written over its own file")
{
    const program::Scratch scratch;
    REQUIRE(yawara::save_tet_mesh(scratch / "bar.mesh", yawara::make_bar({1, 1, 1}, {1, 1, 1})));
    const std::string before = scratch.read("bar.mesh");
    CHECK(scratch.run({"mesh", "bar.mesh"}).code == 1);
    CHECK(scratch.read("bar.mesh") == before);
}

TEST_CASE("convert keeps a surface's vertices, takes the skin of tets, and refuses to fill a surface")
{
    const program::Scratch scratch;
    scratch.write("cube.obj", program::cube_obj());
    REQUIRE(scratch.run({"convert", "cube.obj", "out/cube.ply"}).code == 0);
    const yawara::TriMesh cube = yawara::load_tri_mesh(scratch / "out/cube.ply").value();
    CHECK(cube.vertices.size() == 8);
    CHECK(cube.triangles.size() == 12);
    REQUIRE(yawara::save_tet_mesh(scratch / "bar.mesh", yawara::make_bar({2, 1, 1}, {2, 1, 1})));
    REQUIRE(scratch.run({"convert", "bar.mesh", "skin.off"}).code == 0);
    CHECK(yawara::signed_volume(yawara::load_tri_mesh(scratch / "skin.off").value()) == doctest::Approx(2));
    const auto answer = scratch.run({"convert", "cube.obj", "cube.msh"});
    CHECK(answer.code == 1);
    CHECK(contains(answer.err, "yawara mesh"));
}
