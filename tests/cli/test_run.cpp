// `run`: the arrays it promises, states that continue with the same bits, an early end.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "program.h"
#include "yawara/io.h"

using program::contains;
using Shape = std::vector<std::size_t>;

TEST_CASE("an empty scene is sound, and running or drawing it says that there is nothing to do")
{
    const program::Scratch scratch;
    scratch.write("empty.json", R"({"yawara": 1, "bodies": [], "obstacles": [{"plane": {}}]})");
    CHECK(scratch.run({"check", "empty.json"}).code == 0);
    CHECK(scratch.run({"inspect", "empty.json"}).code == 0);
    const auto run = scratch.run({"run", "empty.json", "--out", "empty.ywc"});
    CHECK(run.code == 1);
    CHECK(contains(run.err, "empty.json: has no bodies: there is nothing to simulate"));
    const auto render = scratch.run({"render", "empty.json", "--out", "empty.png"});
    CHECK(render.code == 1);
    CHECK(contains(render.err, "empty.json: has no bodies: there is nothing to see"));
}

TEST_CASE("run writes positions and surface of every frame as float32, the initial state first")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    const auto answer = scratch.run({"run", "bar.json", "--frames", "7", "--out", "data", "--format", "npy"});
    REQUIRE(answer.code == 0);
    CHECK(contains(answer.out, "7 frames"));
    const auto positions = yawara::load_npy(scratch / "data/bar.positions.npy");
    const auto surface = yawara::load_npy(scratch / "data/bar.surface.npy");
    REQUIRE(positions);
    REQUIRE(surface);
    CHECK(positions->shape == Shape{8, 36, 3});
    CHECK(contains(scratch.read("data/bar.positions.npy").substr(0, 128), "'<f4'"));
    CHECK(surface->shape[0] == 8);
    CHECK(surface->shape[2] == 3);
    // The bar stands on y = 0 and was lifted by 0.05.
    double lowest = 1e9, fell = 0;
    for (std::size_t k = 0; k < 36; ++k) {
        lowest = std::min(lowest, positions->values[3 * k + 1]);
        fell += positions->values[3 * k + 1] - positions->values[3 * (7 * 36 + k) + 1];
    }
    CHECK(lowest == doctest::Approx(0.05));
    CHECK(fell > 0);
}

TEST_CASE("inspect dumps rest shape, masses and surface that agree with each other")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    REQUIRE(scratch.run({"inspect", "bar.json", "--dump", "arrays"}).code == 0);
    const auto array = [&](const std::string& what) {
        return yawara::load_npy(scratch / ("arrays/bar." + what + ".npy")).value();
    };
    CHECK(array("vertices").shape == Shape{36, 3});
    CHECK(array("tets").shape == Shape{60, 4});
    CHECK(array("masses").shape == Shape{36});
    double mass = 0;
    for (const double m : array("masses").values) mass += m;
    CHECK(mass == doctest::Approx(0.6 * 0.4 * 0.4 * 1000));
    const std::size_t surface_vertices = array("surface_vertices").shape[0];
    for (const double corner : array("surface_triangles").values) CHECK(corner < static_cast<double>(surface_vertices));
    for (const double corner : array("tets").values) CHECK(corner < 36);
    const auto header = [&](const std::string& what) {
        return scratch.read("arrays/bar." + what + ".npy").substr(0, 128);
    };
    for (const char* what : {"vertices", "masses", "surface_vertices"}) CHECK(contains(header(what), "'<f8'"));
    for (const char* what : {"tets", "surface_triangles"}) CHECK(contains(header(what), "'<i4'"));
}

TEST_CASE("inspect writes a layer of equal depth as a surface, and says which depths there are if there is none")
{
    const program::Scratch scratch;
    scratch.write("layered.json", R"({"yawara": 1, "bodies": [{"name": "bar",
        "solid": {"bar": {"size": [2, 1, 1], "cells": [8, 4, 4]}}, "matching": {"stretch": [{"active": {
        "fields": {"depth": "y", "direction": [1, 0, 0]}, "charts": {"d1": {"keys": [[0, 1]]}}}}]}}]})");
    REQUIRE(scratch.run({"inspect", "layered.json", "--layer", "0.6", "--out", "layer.obj"}).code == 0);
    const yawara::TriMesh layer = yawara::load_tri_mesh(scratch / "layer.obj").value();
    REQUIRE(layer.vertices.size() > 20);
    for (const yawara::Vec3d& p : layer.vertices) CHECK(p.y == doctest::Approx(0.6));
    const auto deeper = scratch.run({"inspect", "layered.json", "--layer", "2", "--out", "none.obj"});
    CHECK(deeper.code == 1);
    CHECK(contains(deeper.err, "depths go from 0 to 1"));
    scratch.write("bar.json", program::falling_bar());
    CHECK(contains(scratch.run({"inspect", "bar.json", "--layer", "1", "--out", "none.obj"}).err, "has muscles"));
}

TEST_CASE("inspect writes lines along the fibres of a surface and of a layer, and says where there are none")
{
    const program::Scratch scratch;
    const auto write_bar = [&](const std::string& name, const std::string& direction) {
        scratch.write(name, R"({"yawara": 1, "bodies": [{"name": "bar",
            "solid": {"bar": {"size": [2, 1, 1], "cells": [8, 4, 4]}}, "matching": {"stretch": [{"active": {
            "fields": {"depth": "y")" +
                                direction + R"(}, "charts": {"d1": {"keys": [[0, 1]]}}}}]}}]})");
    };
    /// Points, and of each line which of them.
    const auto read = [&](const std::string& name) {
        std::vector<std::array<double, 3>> points;
        std::vector<std::vector<std::size_t>> lines;
        std::istringstream text(scratch.read(name));
        for (std::string line; std::getline(text, line);) {
            std::istringstream words(line.substr(1));
            if (line[0] == 'v') {
                auto& p = points.emplace_back();
                words >> p[0] >> p[1] >> p[2];
                REQUIRE(!words.fail());
            } else {
                REQUIRE(line[0] == 'l');
                auto& numbers = lines.emplace_back();
                for (std::size_t number; words >> number;) {
                    REQUIRE(number >= 1);
                    REQUIRE(number <= points.size());
                    numbers.push_back(number - 1);
                }
            }
        }
        return std::pair(points, lines);
    };
    write_bar("along.json", R"(, "direction": [1, 0, 0])");
    for (const bool layered : {false, true}) {
        std::vector<std::string> words{"inspect", "along.json", "--streamlines", "fibres.obj"};
        if (layered) words.insert(words.end(), {"--layer", "0.6"});
        REQUIRE(scratch.run(words).code == 0);
        const auto [points, lines] = read("fibres.obj");
        REQUIRE(lines.size() > 5);
        for (const auto& line : lines) {
            REQUIRE(line.size() >= 3);
            for (const std::size_t k : line) {
                CHECK(points[k][1] == doctest::Approx(points[line[0]][1]).epsilon(1e-6));
                CHECK(points[k][2] == doctest::Approx(points[line[0]][2]).epsilon(1e-6));
                if (layered) CHECK(points[k][1] == doctest::Approx(0.6));
            }
            CHECK(std::abs(points[line.back()][0] - points[line[0]][0]) > 0.05);
        }
    }
    write_bar("unknown.json", "");
    const auto none = scratch.run({"inspect", "unknown.json", "--streamlines", "none.obj"});
    CHECK(none.code == 1);
    CHECK(contains(none.err, "known nowhere"));
    CHECK(contains(scratch.run({"inspect", "along.json", "--streamlines", "lines.stl"}).err, "as .obj"));
    CHECK(contains(scratch.run({"inspect", "along.json", "--layer", "0.5"}).err, "--streamlines FILE"));
    CHECK(!std::filesystem::exists(scratch / "none.obj"));
}

TEST_CASE("a lattice has cells instead of tets, and its run has their corners")
{
    const program::Scratch scratch;
    scratch.write("blocks.json", R"({ "yawara": 1, "bodies": [ { "name": "blocks",
        "solid": { "lattice": { "box": { "size": [0.3, 0.2, 0.2], "cells": [3, 2, 2] } } } } ] })");
    REQUIRE(scratch.run({"inspect", "blocks.json", "--dump", "a"}).code == 0);
    CHECK(yawara::load_npy(scratch / "a/blocks.cells.npy").value().shape == Shape{12, 8});
    CHECK(yawara::load_npy(scratch / "a/blocks.tets.npy").value().shape == Shape{0, 4});
    REQUIRE(scratch.run({"run", "blocks.json", "--frames", "2", "--out", "a", "--format", "npy"}).code == 0);
    CHECK(yawara::load_npy(scratch / "a/blocks.positions.npy").value().shape == Shape{3, 36, 3});
}

TEST_CASE("a run continued from a saved state has the bits of one that was never stopped")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", "bar.json", "--format", "npy"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        REQUIRE(scratch.run(arguments).code == 0);
    };
    run({"--frames", "20", "--out", "whole"});
    run({"--frames", "8", "--out", "first", "--save-state", "middle.state"});
    run({"--frames", "12", "--out", "second", "--load-state", "middle.state", "--threads", "1"});
    const std::size_t frame = 36 * 3 * sizeof(float);
    const auto tail = [&](const char* folder, std::size_t frames) {
        const std::string bytes = scratch.read(std::string(folder) + "/bar.positions.npy");
        return bytes.substr(bytes.size() - frames * frame);
    };
    CHECK(yawara::load_npy(scratch / "second/bar.positions.npy").value().shape == Shape{13, 36, 3});
    CHECK(tail("whole", 13) == tail("second", 13));
    CHECK(tail("first", 1) == tail("second", 13).substr(0, frame));
    CHECK(tail("whole", 1) != tail("first", 1));
}

TEST_CASE("several formats in one run go to one folder, and a file's ending chooses its format")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    REQUIRE(scratch.run({"run", "bar.json", "--out", "all", "--format", "npy,ywc", "--format", "glb"}).code == 0);
    for (const char* file : {"all/bar.positions.npy", "all/bar.ywc", "all/bar.glb"}) {
        CAPTURE(file);
        CHECK(std::filesystem::exists(scratch / file));
    }
    REQUIRE(scratch.run({"run", "bar.json"}).code == 0);
    CHECK(yawara::ClipReader::open(scratch / "bar.ywc").value().info().frames == 13);
    REQUIRE(scratch.run({"run", "bar.json", "--out", "deep/er/x.glb"}).code == 0);
    CHECK(scratch.read("deep/er/x.glb").substr(0, 4) == "glTF");
    const auto answer = scratch.run({"run", "bar.json", "--out", "x.docx"});
    CHECK(answer.code == 2);
    CHECK(contains(answer.err, "npy"));
}

TEST_CASE("a recording converted to arrays is what run writes directly")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    REQUIRE(scratch.run({"run", "bar.json", "--out", "direct", "--format", "npy"}).code == 0);
    REQUIRE(scratch.run({"run", "bar.json", "--values", "speed,displacement,stretch"}).code == 0);
    REQUIRE(scratch.run({"convert", "bar.ywc", "converted", "--format", "npy"}).code == 0);
    CHECK(scratch.read("direct/bar.positions.npy") == scratch.read("converted/bar.positions.npy"));
    REQUIRE(scratch.run({"convert", "bar.ywc", "frames/%04d.obj"}).code == 0);
    CHECK(std::filesystem::is_directory(scratch / "frames"));
    CHECK(!std::filesystem::is_empty(scratch / "frames"));
}

TEST_CASE("a run in which a body was pulled to several times its size says so and fails")
{
    const program::Scratch scratch;
    nlohmann::json scene = nlohmann::json::parse(program::falling_bar());
    scene["bodies"][0]["pins"] = {{{"select", {{"box", {{"low", {-1, -1, -1}}, {"high", {-0.25, 1, 1}}}}}}}};
    scene["bodies"][0]["handles"] = {{{"select", {{"box", {{"low", {0.25, -1, -1}}, {"high", {1, 1, 1}}}}}},
                                      {"path", {{{"time", 0}}, {{"time", 0.2}, {"move", {6, 0, 0}}}}}}};
    scratch.write("torn.json", scene.dump());
    const auto answer = scratch.run({"run", "torn.json", "--frames", "20", "--json"});
    CHECK(answer.code == 1);
    const auto told = nlohmann::json::parse(answer.out);
    CHECK(told["ok"] == false);
    REQUIRE(told["grown"].size() == 1);
    CHECK(contains(told["grown"][0].get<std::string>(), "body \"bar\" grew to"));
}

TEST_CASE("events of a run are a table: a bar falls through a sensor, which it leaves, onto a floor, where it stays")
{
    const program::Scratch scratch;
    nlohmann::json scene = nlohmann::json::parse(program::falling_bar());
    scene["bodies"][0]["place"] = {{"translate", {0, 2, 0}}};
    scene["bodies"][0].erase("spin");
    scene["obstacles"] = {
        {{"id", "floor"}, {"plane", nlohmann::json::object()}},
        {{"id", "gate"}, {"box", {{"size", {9, 0.1, 9}}, {"center", {0, 1.5, 0}}}}, {"sensor", true}}};
    scratch.write("fall.json", scene.dump());
    const auto answer = scratch.run({"run", "fall.json", "--frames", "120", "--events", "deep/events.csv"});
    REQUIRE(answer.code == 0);
    const std::string table = scratch.read("deep/events.csv");
    CHECK(table.starts_with("frame,time,event,body,other,sensor,x,y,z,normal_x,normal_y,normal_z,impulse\n"));
    const auto frame_of = [&](const std::string& row) {
        const std::size_t at = table.find(row);
        REQUIRE_MESSAGE(at != std::string::npos, row);
        return std::stoi(table.substr(table.rfind('\n', at) + 1));
    };
    const int enters = frame_of("touch_began,bar,gate,1"), leaves = frame_of("touch_ended,bar,gate,1"),
              lands = frame_of("touch_began,bar,floor,0");
    // From 2 m it needs sqrt(2 s / g) to fall by s; frames are 1/60 s.
    CHECK(std::abs(enters - 60 * std::sqrt(2 * 0.45 / 9.8)) <= 1.5);
    CHECK(std::abs(lands - 60 * std::sqrt(2 * 2 / 9.8)) <= 1.5);
    CHECK(leaves > enters);
    CHECK(contains(table, "touch_stayed,bar,floor,0"));

    const auto refused = scratch.run({"run", "fall.json", "--frames", "2", "--events", "fall.json/events.csv"});
    CHECK(refused.code == 1);
    CHECK(contains(refused.err, "fall.json"));
}

TEST_CASE("a scene is read from standard input")
{
    const program::Scratch scratch;
    CHECK(scratch.run({"check", "-"}, program::falling_bar()).code == 0);
    REQUIRE(scratch.run({"run", "-", "--frames", "2"}, program::falling_bar()).code == 0);
    CHECK(std::filesystem::exists(scratch / "scene.ywc"));
}

TEST_CASE("Ctrl-C leaves a valid, shorter result and exits with 130")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    for (const int signal : {SIGINT, SIGTERM}) {
        const std::string folder = signal == SIGINT ? "int" : "term";
        const pid_t child = scratch.start({"run", "bar.json", "--frames", "50000000", "--out", folder, "--format",
                                           "npy,ywc", "--save-state", folder + "/end.state", "--json"});
        // Wait until some frames are written; a bound on the waiting, not on the time the program takes.
        std::error_code absent;
        for (int k = 0; k < 3000 && !(std::filesystem::file_size(
                                          scratch / (folder + "/unfinished_npy/bar.positions.npy"), absent) > 50'000 &&
                                      !absent);
             ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        kill(child, signal);
        const auto answer = scratch.wait(child);
        CHECK(answer.code == 130);
        const auto object = nlohmann::json::parse(answer.out, nullptr, false);
        REQUIRE(object.is_object());
        CHECK(object["interrupted"] == true);
        const std::size_t frames = object["frames"];
        CHECK(frames > 0);
        const auto positions = yawara::load_npy(scratch / (folder + "/bar.positions.npy"));
        REQUIRE(positions);
        CHECK(positions->shape == Shape{frames + 1, 36, 3});
        CHECK(yawara::ClipReader::open(scratch / (folder + "/bar.ywc")).value().info().frames == frames + 1);
        CHECK(scratch.run({"run", "bar.json", "--frames", "1", "--load-state", folder + "/end.state"}).code == 0);
    }
}
