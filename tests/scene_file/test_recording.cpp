// A run to a file and back, with a body that is replaced on the way; identities of measures and obstacles.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "yawara/scene_file.h"

using namespace yawara;

namespace {

const char* const kScene = R"({"yawara": 1, "title": "t",
    "bodies": [{"name": "bar", "id": "rod", "solid": {"bar": {"size": [0.3, 0.3, 1], "cells": [2, 2, 6]}},
                "place": {"translate": [0, 1, 0]}},
               {"name": "cube", "solid": {"bar": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}},
                "instances": [{"translate": [2, 1, 0]}, {"id": "far", "translate": [4, 1, 0]}]}],
    "obstacles": [{"plane": {"normal": [0, 1, 0], "point": [0, 0, 0]}}, {"id": "ball", "sphere": {"center": [9, 0, 0], "radius": 1}}],
    "measures": [{"name": "a", "what": "center", "body": "rod"}, {"name": "b", "what": "center", "axis": "x", "body": "cube/far"},
                 {"name": "c", "what": "center", "axis": "x", "body": "cube_1"},
                 {"name": "d", "what": "distance", "body": "cube/1", "other": "cube/far"}]})";

struct ScratchFile {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("yawara-recording-" + std::to_string(getpid()) + ".ywc");
    ~ScratchFile()
    {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

}  // namespace

TEST_CASE("a run in which a body is replaced comes back from its file with both meshes, each with its positions")
{
    LoadedScene loaded = LoadedScene::from_text(kScene, ".").value();
    Scene& scene = loaded.scene();
    const BodyId body = loaded.find("rod").value();
    const BodyModel coarse = scene.model(body);
    BodySpec spec;
    spec.solid = Matching{make_bar({0.3, 0.3, 1}, {3, 3, 9}, {-0.15, 0, -0.5})};
    const BodyModel fine = build(spec).value();

    const ScratchFile file;
    const ClipInfo info = describe_clip(loaded, 30, {"speed"});
    auto writer = make_clip_writer("ywc", file.path, info).value();
    struct Seen {
        std::vector<Vec3> particles, surface, velocities;
    };
    std::vector<Seen> seen;
    const auto visit = [&](const PlayedFrame& frame) {
        const auto& state = scene.state(body);
        const std::span<const Vec3> surface = scene.surface(body);
        seen.push_back({state.positions, {surface.begin(), surface.end()}, state.velocities});
        if (frame.number == 17) REQUIRE(scene.replace(body, fine));
        return true;
    };
    const auto recording = record(scene, {.frames = 30, .visit = visit}, *writer, info.bodies);
    REQUIRE(recording);
    CHECK(recording->frames == 30);

    ClipReader reader = ClipReader::open(file.path).value();
    REQUIRE(reader.info().frames == 31);
    REQUIRE(reader.changes().size() == 1);
    CHECK(reader.changes()[0].frame == 18);
    for (const std::size_t k : {30, 17, 18, 0, 29, 5, 25}) {
        CAPTURE(k);
        const BodyModel& model = k < 18 ? coarse : fine;
        const auto shown = reader.body(0, k).value();
        CHECK(shown->name == "bar");
        CHECK(shown->solid.tets == std::get<TetMesh>(model.domain()).tets);
        CHECK(shown->solid.vertices == std::get<TetMesh>(model.domain()).vertices);
        CHECK(shown->surface.triangles == model.surface().triangles);
        const ClipFrame& frame = reader.frame(k).value()[0];
        CHECK(std::ranges::equal(frame.particles, seen[k].particles));
        CHECK(std::ranges::equal(frame.surface, seen[k].surface));
        REQUIRE(frame.values[0].size() == seen[k].velocities.size());
        for (std::size_t i = 0; i < frame.values[0].size(); ++i)
            CHECK(frame.values[0][i] == length(seen[k].velocities[i]));
    }
}

TEST_CASE("measures find bodies by identity or name, and obstacles are found by their identities")
{
    LoadedScene loaded = LoadedScene::from_text(kScene, ".").value();
    const std::vector<double> values = loaded.measures().values(loaded.scene());
    CHECK(values[0] == doctest::Approx(1.15));
    CHECK(values[1] == doctest::Approx(4));
    CHECK(values[2] == doctest::Approx(2));
    CHECK(values[3] == doctest::Approx(0));

    const Scene& scene = loaded.scene();
    CHECK(loaded.find_obstacle("1") == scene.collider_ids()[0]);
    CHECK(loaded.find_obstacle("ball") == scene.collider_ids()[1]);
    CHECK(loaded.identity(scene.collider_ids()[1]) == "ball");
    CHECK_FALSE(loaded.find_obstacle("2"));
    REQUIRE(loaded.scene().remove(*loaded.find_obstacle("1")));
    CHECK_FALSE(loaded.find_obstacle("1"));
    CHECK(loaded.find_obstacle("ball") == scene.collider_ids()[0]);
}
