// Files as users meet them: what is wrong with one is said before any work, and what is right stays.
#include <doctest/doctest.h>

#include <csignal>

#include <nlohmann/json.hpp>

#include "program.h"
#include "yawara/io.h"

namespace {

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// A scene with one body of this solid.
std::string scene_of(const std::string& solid, const std::string& more = "", const std::string& name = "body")
{
    return R"({ "yawara": 1, "frames": 2, "bodies": [ { "name": ")" + name + R"(", "solid": )" + solid +
           R"(, "matching": { "alpha": 0.5 })" + more + " } ] }";
}

constexpr const char* kBar = R"({ "bar": { "size": [0.6, 0.4, 0.4], "cells": [3, 2, 2] } })";

/// Two closed cubes whose faces do not share vertices.
std::string loose_cubes_obj()
{
    std::string text;
    int count = 0;
    const int corners[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {1, 2, 6, 5}, {0, 4, 7, 3}};
    for (const double shift : {0.0, 5.0})
        for (const auto& face : corners) {
            for (const int k : face) {
                const int x = k == 1 || k == 2 || k == 5 || k == 6, y = k == 2 || k == 3 || k == 6 || k == 7;
                text += "v " + std::to_string(x + shift) + " " + std::to_string(y) + " " + std::to_string(k / 4) + "\n";
            }
            text += "f";
            for (int k = 0; k < 4; ++k) text += " " + std::to_string(++count);
            text += "\n";
        }
    return text;
}

}  // namespace

TEST_CASE("a killed run leaves the older recording, and what it had written is found")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    REQUIRE(scratch.run({"run", "bar.json", "--frames", "3", "--out", "bar.ywc"}).code == 0);
    const std::string before = scratch.read("bar.ywc");
    const pid_t child = scratch.start({"run", "bar.json", "--frames", "50000000", "--out", "bar.ywc"});
    std::error_code absent;
    for (int k = 0; k < 3000 && !(program::fs::file_size(scratch / "bar.unfinished.ywc", absent) > 50'000 && !absent);
         ++k)
        usleep(10'000);
    kill(child, SIGKILL);
    CHECK(scratch.wait(child).code == -SIGKILL);
    CHECK(scratch.read("bar.ywc") == before);
    const auto inspected = scratch.run({"inspect", "bar.unfinished.ywc"});
    CHECK(inspected.code == 0);
    CHECK(has(inspected.err, "is incomplete"));
    CHECK(yawara::ClipReader::open(scratch / "bar.unfinished.ywc").value().info().frames > 3);
    CHECK_FALSE(has(scratch.run({"inspect", "bar.ywc"}).err, "is incomplete"));
}

TEST_CASE("mesh refuses an ending that it cannot write before it meshes")
{
    const program::Scratch scratch;
    scratch.write("cube.obj", program::cube_obj());
    const auto answer = scratch.run({"mesh", "cube.obj", "--out", "cube.stl"});
    CHECK(answer.code == 1);
    CHECK(has(answer.err, ".msh"));
    CHECK_FALSE(has(answer.out + answer.err, "dihedral"));
}

TEST_CASE("inspect and mesh agree on parts and on what is closed")
{
    const program::Scratch scratch;
    scratch.write("loose.obj", loose_cubes_obj());
    const auto inspected = nlohmann::json::parse(scratch.run({"inspect", "loose.obj", "--json"}).out);
    const auto meshed = nlohmann::json::parse(
        scratch.run({"mesh", "loose.obj", "--particles", "300", "--out", "loose.mesh", "--json"}).out);
    CHECK(inspected["closed"] == true);
    CHECK(inspected["parts"] == 2);
    CHECK(meshed["meshing"]["closed"] == inspected["closed"]);
    CHECK(meshed["meshing"]["input_parts"] == inspected["parts"]);
}

TEST_CASE("a formula that is nowhere negative is said so")
{
    const program::Scratch scratch;
    scratch.write(
        "a.json",
        scene_of(R"({ "formula": "length(x, y, z) + 1", "box": { "low": [-1, -1, -1], "high": [1, 1, 1] } })"));
    const auto answer = scratch.run({"check", "a.json"});
    CHECK(answer.code == 1);
    CHECK(has(answer.err, "negative at none of 128^3 points"));
}

TEST_CASE("bodies may have names in any script, and files are called so")
{
    const program::Scratch scratch;
    scratch.write("a.json", scene_of(kBar, "", "柔らか_Würfel-1"));
    REQUIRE(scratch.run({"run", "a.json", "--out", "out", "--format", "npy"}).code == 0);
    CHECK(program::fs::exists(scratch / "out/柔らか_Würfel-1.positions.npy"));
    scratch.write("b.json", scene_of(kBar, "", "a/b"));
    CHECK(scratch.run({"check", "b.json"}).code == 1);
}

TEST_CASE("a body may have 3,000 pins")
{
    const program::Scratch scratch;
    std::string pins;
    for (int k = 0; k < 3000; ++k)
        pins += std::string(k ? ", " : "") + R"({ "select": { "vertices": [)" + std::to_string(k % 36) + "] } }";
    scratch.write("a.json", scene_of(kBar, R"(, "pins": [)" + pins + "]"));
    const auto answer = scratch.run({"check", "a.json"});
    CHECK_MESSAGE(answer.code == 0, answer.err);
}

TEST_CASE("text as UTF-16 is named")
{
    const program::Scratch scratch;
    const std::string start("\xFF\xFE{\0", 4);
    scratch.write("a.json", start);
    scratch.write("a.obj", start);
    CHECK(has(scratch.run({"check", "a.json"}).err, "UTF-16"));
    CHECK(has(scratch.run({"inspect", "a.obj"}).err, "UTF-16"));
}

TEST_CASE("positions beyond all reason are refused")
{
    const program::Scratch scratch;
    std::vector<float> positions(36 * 3, 0.1f);
    positions[7] = 1e38f;
    REQUIRE(yawara::save_npy(scratch / "far.npy", std::vector<std::size_t>{36, 3}, std::span<const float>(positions)));
    scratch.write("a.json", scene_of(kBar, R"(, "initial": { "positions": "far.npy" })"));
    const auto answer = scratch.run({"check", "a.json"});
    CHECK(answer.code == 1);
    CHECK(has(answer.err, "value 7 of"));
}

TEST_CASE("tet files are scaled and stood up as surfaces are")
{
    const program::Scratch scratch;
    scratch.write(
        "t.mesh",
        "MeshVersionFormatted 2\nDimension 3\nVertices 8\n5 5 5 0\n7 5 5 0\n7 6 5 0\n5 6 5 0\n5 5 6 0\n7 5 6 0\n"
        "7 6 6 0\n5 6 6 0\nHexahedra 1\n1 2 3 4 5 6 7 8 0\nEnd\n");
    scratch.write("a.json", scene_of(R"({ "tets": "t.mesh", "size": 0.5, "stand": true })"));
    REQUIRE(scratch.run({"run", "a.json", "--frames", "0", "--out", "out", "--format", "npy"}).code == 0);
    const auto points = yawara::load_npy(scratch / "out/body.positions.npy").value();
    REQUIRE(points.shape == std::vector<std::size_t>{1, 8, 3});
    CHECK(points.values[0] == doctest::Approx(-0.25));  // of the first corner
    CHECK(points.values[1] == doctest::Approx(0.0));
    CHECK(points.values[2] == doctest::Approx(-0.125));
}

TEST_CASE("tets with a corner twice are not written again")
{
    const program::Scratch scratch;
    scratch.write("a.veg",
                  "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n*ELEMENTS\nTET\n2 4 0\n1 1 2 3 "
                  "4\n2 2 3 3 5\n");
    const auto answer = scratch.run({"convert", "a.veg", "b.mesh"});
    CHECK(answer.code == 0);
    CHECK(has(answer.err, "1 tets that have a vertex twice"));
    CHECK(yawara::load_tet_mesh(scratch / "b.mesh").value().tets.size() == 1);
}

TEST_CASE("errors are told in our own words")
{
    const program::Scratch scratch;
    scratch.write("a.gltf", "{ \"asset\": ]");
    scratch.write("a.json", "{ \"yawara\": ]");
    for (const char* name : {"a.gltf", "a.json"}) {
        const auto answer = scratch.run({"inspect", name});
        CHECK(answer.code == 1);
        CHECK_FALSE(has(answer.err, "exception"));
    }
}
