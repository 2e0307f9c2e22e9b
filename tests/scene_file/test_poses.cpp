// Poses made by hand in a scene: handles, touches, captures, mirror images, blend shapes, frames; and what is said of
// bad ones.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "yawara/deform.h"
#include "yawara/io.h"
#include "yawara/posing.h"
#include "yawara/scene_file.h"

using namespace yawara;

namespace {

std::string bar_with(const std::string& poses, const std::string& cells = "[2, 6, 2]", const std::string& place = "{}")
{
    return R"({"yawara": 1, "bodies": [{"name": "bar", "solid": {"bar": {"size": [0.5, 1.5, 0.5], "cells": )" + cells +
           R"(}}, "place": )" + place + R"(, "matching": {"examples": {"poses": [)" + poses + "]}}}]}";
}

std::string error_of(const std::string& text, const std::filesystem::path& folder = ".")
{
    const auto loaded = LoadedScene::from_text(text, folder);
    return loaded ? "" : loaded.error().message();
}

/// Weight of the first example when the body has a shape.
double weight_in(LoadedScene& loaded, const std::vector<Vec3d>& positions)
{
    const BodyId body = loaded.scene().bodies()[0];
    BodyState state = std::as_const(loaded.scene()).state(body);
    for (std::size_t i = 0; i < positions.size(); ++i) state.positions[i] = positions[i].as<float>();
    return double(example_weights(loaded.scene().model(body), state)[1]);
}

std::vector<Vec3d> rest_of(LoadedScene& loaded)
{
    const auto rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
    return {rest.begin(), rest.end()};
}

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("yawara_poses_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
};

/// A tetrahedron with two blend shapes, as glTF with its buffer inside.
std::string gltf_with_shapes()
{
    // Positions of four corners, then the moves of two shapes: the top up by 0.5, and to the side by 0.3.
    const std::vector<float> floats{-0.5f, 0, -0.5f, 0.5f, 0,    -0.5f, 0, 0, 0.5f, 0, 1, 0, 0, 0, 0, 0,    0, 0,
                                    0,     0, 0,     0,    0.5f, 0,     0, 0, 0,    0, 0, 0, 0, 0, 0, 0.3f, 0, 0};
    const std::vector<std::uint16_t> indices{0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    std::string bytes(reinterpret_cast<const char*>(floats.data()), 4 * floats.size());
    bytes.append(reinterpret_cast<const char*>(indices.data()), 2 * indices.size());
    static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string base64;
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        std::uint32_t three = 0;
        for (std::size_t j = 0; j < 3; ++j)
            three = three << 8 | (k + j < bytes.size() ? std::uint8_t(bytes[k + j]) : 0u);
        for (int j = 3; j >= 0; --j) base64 += digits[three >> (6 * j) & 63];
    }
    REQUIRE(bytes.size() % 3 == 0);
    return R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"extras": {"targetNames": ["tall", "leaning"]}, "primitives": [{"attributes": {"POSITION": 0}, "indices": 3,
        "targets": [{"POSITION": 1}, {"POSITION": 2}]}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
          {"bufferView": 0, "byteOffset": 48, "componentType": 5126, "count": 4, "type": "VEC3"},
          {"bufferView": 0, "byteOffset": 96, "componentType": 5126, "count": 4, "type": "VEC3"},
          {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 144}, {"buffer": 0, "byteOffset": 144, "byteLength": 24}],
        "buffers": [{"byteLength": 168, "uri": "data:application/octet-stream;base64,)" +
           base64 + R"("}]})";
}

}  // namespace

TEST_CASE("a pose by handles is the pose that the engine's handles make, at any scale of the body")
{
    const std::string pose =
        R"({"name": "pull", "handles": [{"at": [0, 0, 0], "radius": 0.3}, {"at": [0, 1.5, 0], "radius": 0.3,
           "move": [0.3, -0.1, 0], "turn": [0, 60, 0]}]})";
    for (const double scale : {1.0, 0.1}) {
        LoadedScene loaded =
            LoadedScene::from_text(bar_with(pose, "[2, 6, 2]", R"({"scale": )" + std::to_string(scale) + "}"), ".")
                .value();
        const std::vector<Vec3d> rest = rest_of(loaded);
        const Vec3d foot{}, head{0, 1.5 * scale, 0};
        const std::vector<PoseHandle> handles{
            {foot, foot, 0.3 * scale, {}, {}},
            {head, head, 0.3 * scale, Vec3d{0.3, -0.1, 0} * scale, {0, 60 * 3.14159265358979 / 180, 0}}};
        const Domain& domain = loaded.scene().model(loaded.scene().bodies()[0]).domain();
        CHECK(weight_in(loaded, Poser::make(domain, rest, handles)->pose(handles)) == doctest::Approx(1).epsilon(1e-3));
        CHECK(weight_in(loaded, rest) < 1e-3);
    }
}

TEST_CASE("a captured shape means the same to a coarser and a finer mesh")
{
    LoadedScene first =
        LoadedScene::from_text(bar_with(R"({"name": "a", "deform": [{"twist": {"degrees": 90}}]})", "[3, 9, 3]"), ".")
            .value();
    const std::vector<Vec3d> rest = rest_of(first);
    const std::vector<Deformer> twist{Twist{1, 90 * 3.14159265358979 / 180, {}}};
    const PoseSamples samples = pose_samples(rest, deformed(rest, twist));
    const auto list = [](const std::vector<Vec3d>& points) {
        std::string text = "[";
        for (const Vec3d& p : points)
            text += (text.size() > 1 ? ", [" : "[") + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " +
                    std::to_string(p.z) + "]";
        return text + "]";
    };
    const std::string pose =
        R"({"name": "caught", "captured": {"at": )" + list(samples.at) + R"(, "to": )" + list(samples.to) + "}}";
    for (const char* cells : {"[2, 6, 2]", "[4, 12, 4]"}) {
        LoadedScene other = LoadedScene::from_text(bar_with(pose, cells), ".").value();
        CHECK(weight_in(other, deformed(rest_of(other), twist)) == doctest::Approx(1).epsilon(0.03));
    }
}

TEST_CASE("a mirrored pose is the pose of the mirrored body")
{
    LoadedScene mirrored_bend =
        LoadedScene::from_text(bar_with(R"({"name": "lean", "deform": [{"bend": {"degrees": 40}}], "mirror": "x"})"),
                               ".")
            .value();
    const std::vector<Vec3d> rest = rest_of(mirrored_bend);
    const std::vector<Deformer> other{Bend{1, 0, -40 * 3.14159265358979 / 180, {}}};
    CHECK(weight_in(mirrored_bend, deformed(rest, other)) == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("a weaker pose is on the way to the pose")
{
    LoadedScene half =
        LoadedScene::from_text(
            bar_with(R"({"name": "long", "strength": 0.5, "deform": [{"stretch": {"factor": 1.4}}]})"), ".")
            .value();
    const std::vector<Vec3d> rest = rest_of(half);
    CHECK(weight_in(half, deformed(rest, std::vector<Deformer>{Stretch{1, 1.2, false, {}}})) ==
          doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("blend shapes of a glTF are poses by their names")
{
    const Folder folder;
    std::ofstream(folder.path / "tet.gltf") << gltf_with_shapes();
    const auto scene = [](const std::string& pose) {
        return R"({"yawara": 1, "bodies": [{"name": "tet", "solid": {"from": "tet.gltf", "particles": 200},
                   "matching": {"examples": {"poses": [)" +
               pose + "]}}}]}";
    };
    LoadedScene loaded =
        LoadedScene::from_text(scene(R"({"name": "up", "surface": "tet.gltf", "shape": "tall"})"), folder.path).value();
    const std::vector<Vec3d> rest = rest_of(loaded);
    const Box3 box = bounds(rest);
    std::vector<Vec3d> tall = rest;
    for (Vec3d& p : tall) p.y = box.low.y + (p.y - box.low.y) * 1.5;
    CHECK(weight_in(loaded, tall) > 0.9);
    CHECK(error_of(scene(R"({"name": "up", "surface": "tet.gltf", "shape": "wide"})"), folder.path)
              .find("tall, leaning") != std::string::npos);
    CHECK(error_of(scene(R"({"name": "up", "shape": "tall", "deform": [{"twist": {"degrees": 10}}]})"), folder.path)
              .find("surface") != std::string::npos);
    CHECK(
        error_of(scene(R"({"name": "up", "surface": "tet.gltf", "frame": 2})"), folder.path).find("has no animation") !=
        std::string::npos);
    std::ofstream(folder.path / "tet.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    CHECK(error_of(scene(R"({"name": "up", "surface": "tet.obj", "frame": 2})"), folder.path).find("point cache") !=
          std::string::npos);
}

TEST_CASE("bad poses are told with their place")
{
    CHECK(error_of(bar_with(R"({"name": "none"})")).find("poses[0]") != std::string::npos);
    const std::string twice = R"({"name": "two", "captured": {"at": [[0,0,0]], "to": [[0,0,0]]}, "vertices": "x.npy"})";
    const Folder folder;
    std::ofstream(folder.path / "x.npy") << "an array";
    CHECK(error_of(bar_with(twice), folder.path).find("one of") != std::string::npos);
    const std::string uneven = R"({"name": "two", "captured": {"at": [[0,0,0]], "to": [[0,0,0], [1,0,0]]}})";
    CHECK(error_of(bar_with(uneven)).find("captured.to") != std::string::npos);
    const std::string buried =
        R"({"name": "h", "handles": [{"at": [0,0,0], "radius": 9}, {"at": [0,0.5,0], "radius": 0.1}]})";
    CHECK(error_of(bar_with(buried)).find("handles[1]") != std::string::npos);

    // Inside out: the head pushed down through the foot, which stays.
    const std::string through = R"({"name": "crushed", "handles": [{"at": [0, 0, 0], "radius": 0.4},
        {"at": [0, 1.5, 0], "radius": 0.4, "move": [0, -1.6, 0]}]})";
    LoadedScene crushed = LoadedScene::from_text(bar_with(through), ".").value();
    const auto& warnings = crushed.warnings();
    CHECK(std::ranges::any_of(warnings, [](const std::string& warning) {
        return warning.find("poses[0]") != std::string::npos &&
               warning.find("inside out, the worst at [") != std::string::npos;
    }));
    LoadedScene still =
        LoadedScene::from_text(bar_with(R"({"name": "same", "handles": [{"at": [0, 0, 0], "radius": 0.3}]})"), ".")
            .value();
    CHECK(std::ranges::any_of(still.warnings(), [](const std::string& warning) {
        return warning.find("\"same\" is the rest shape") != std::string::npos;
    }));
}
