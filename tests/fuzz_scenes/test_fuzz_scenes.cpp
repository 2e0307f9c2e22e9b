// Scenes, states, volume models and .vdb files, and hundreds of damaged ones of each: reading one gives something that
// can be used, or an error in our own words, and takes no more memory than its size explains.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "fuzz/damage.h"
#include "io/clip_samples.h"
#include "yawara/cvg.h"
#include "yawara/scene_file.h"

using namespace yawara;
using clip_samples::bytes_of;
using clip_samples::put_bytes;
using clip_samples::TempFolder;

namespace {

const char* const kScenes[] = {
    R"({ "yawara": 1, "frames": 3, "bodies": [ { "name": "bar", "solid": { "bar": { "size": [0.6, 0.4, 0.4],
         "cells": [3, 2, 2] } }, "matching": { "alpha": 0.5, "hops": 1 }, "place": { "translate": [0, 0.5, 0] },
         "pins": [ { "select": { "box": { "low": [-1, -1, -1], "high": [-0.2, 1, 1] } } } ], "spin": [0, 0, 2] } ],
         "obstacles": [ { "plane": {} }, { "sphere": { "center": [0, -1, 0], "radius": 0.5 } } ] })",
    R"({ "yawara": 1, "bodies": [ { "name": "ball", "solid": { "formula": "length(x, y, z) - 1",
         "box": { "low": [-1.1, -1.1, -1.1], "high": [1.1, 1.1, 1.1] }, "particles": 60 },
         "matching": { "young": 10000 } } ] })",
    R"({ "yawara": 1, "bodies": [ { "name": "block", "solid": { "lattice": { "box": { "size": [1, 1, 1],
         "cells": [3, 3, 3] } } }, "matching": { "alpha": 0.3 }, "density": 500 } ] })",
    R"({ "yawara": 1, "bodies": [ { "name": "beam", "solid": { "bar": { "size": [1, 0.2, 0.2], "cells": [4, 1, 1] } },
         "fem": { "levels": 1, "materials": [ { "young": 100000, "poisson": 0.3 } ] } } ] })",
};

constexpr const char* kTree =
    R"({ "format": "yawara-cvg", "version": 1, "root": { "op": "union", "args": [
         { "prim": "sphere", "radius": 0.5, "stiffness": 0.2 },
         { "prim": "cube", "side": [1, 0.4, 0.4], "transform": { "translate": [0.4, 0, 0] }, "color": [1, 0, 0] } ] } })";

bool all_finite(std::span<const Vec3> points)
{
    return std::ranges::all_of(points,
                               [](Vec3 p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); });
}

template <class Read>
void read_damaged(const std::string& good, std::uint32_t seed, Read&& read)
{
    int number = 0;
    for (const std::string& content : fuzz::damaged(good, seed)) {
        CAPTURE(number++);
        read(content);
    }
}

}  // namespace

TEST_CASE("a damaged scene can be stepped or is refused in our own words")
{
    std::uint32_t seed = 100;
    for (const char* scene : kScenes) {
        const auto good = LoadedScene::from_text(scene, ".");
        REQUIRE_MESSAGE(good, (good ? "" : good.error().message()));
        read_damaged(scene, seed++, [](const std::string& text) {
            auto loaded = LoadedScene::from_text(text, ".");
            CAPTURE(text.substr(0, 1500));
            if (!loaded) {
                CHECK_MESSAGE(fuzz::is_ours(loaded.error()), loaded.error().message().substr(0, 500));
                return;
            }
            loaded->step();
            for (const BodyId id : loaded->scene().bodies()) CHECK(all_finite(loaded->scene().state(id).positions));
        });
    }
}

TEST_CASE("a damaged state is loaded whole or refused in our own words")
{
    const TempFolder folder;
    LoadedScene scene = LoadedScene::from_text(kScenes[0], ".").value();
    scene.step();
    REQUIRE(scene.save_state(folder / "a.yws"));
    const std::uint64_t before = scene.scene().hash();
    read_damaged(bytes_of(folder / "a.yws"), 200, [&](const std::string& bytes) {
        put_bytes(folder / "b.yws", bytes);
        const Status loaded = scene.load_state(folder / "b.yws");
        if (!loaded) CHECK_MESSAGE(fuzz::is_ours(loaded.error()), loaded.error().message().substr(0, 500));
        CHECK(scene.scene().hash() == before);
    });
}

TEST_CASE("a damaged volume model is a tree or refused in our own words")
{
    const auto good = cvg::parse_tree(kTree, ".");
    REQUIRE_MESSAGE(good, (good ? "" : good.error().message()));
    read_damaged(kTree, 300, [](const std::string& text) {
        const auto tree = cvg::parse_tree(text, ".");
        if (!tree) CHECK_MESSAGE(fuzz::is_ours(tree.error()), tree.error().message().substr(0, 500));
    });
}

TEST_CASE("a damaged .vdb is a volume or refused in our own words, and takes no memory beyond its size")
{
    const TempFolder folder;
    const cvg::Tree tree = cvg::parse_tree(kTree, ".").value();
    REQUIRE(cvg::Volume::evaluate(tree, 0.05).value().save(folder / "good.vdb"));
    const std::string good = bytes_of(folder / "good.vdb");
    REQUIRE(cvg::Volume::load(folder / "good.vdb"));
    const auto read = [&](const std::string& bytes) {
        put_bytes(folder / "bad.vdb", bytes);
        const auto volume = cvg::Volume::load(folder / "bad.vdb");
        if (!volume) CHECK_MESSAGE(fuzz::is_ours(volume.error()), volume.error().message().substr(0, 500));
    };
    const double before = fuzz::megabytes_used();
    read_damaged(good, 400, read);
    // Lengths and counts are 32 or 64 bits wide: large ones at every place of the head, and at some of the grids.
    for (std::size_t at = 0; at + 4 <= good.size(); at += at < 1500 ? 1 : 997) {
        CAPTURE(at);
        for (const std::uint32_t large : {0x7fffffffu, 0x28282828u}) {
            std::string bytes = good;
            std::memcpy(bytes.data() + at, &large, 4);
            read(bytes);
        }
    }
    CHECK(fuzz::megabytes_used() - before < 1000);
}
