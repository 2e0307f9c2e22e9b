// Saved states: a run that is continued from one has the bits of the run that was never stopped.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "gallery.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A file of its own, gone at the end.
struct StateFile {
    inline static int made = 0;
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("yawara_state_" + std::to_string(::getpid()) + "_" + std::to_string(made++) + ".bin");
    ~StateFile() { std::filesystem::remove(path); }
};

/// Runs `before` frames, saves, goes on for `after` frames; and the same from the saved state in a scene of its own.
/// Names the first body that differs.
std::string first_difference(const nlohmann::json& document, int before, int after)
{
    const std::string folder = std::string(YAWARA_SOURCE_DIR) + "/scenes";
    const StateFile file;
    LoadedScene whole = load(document);
    for (int k = 0; k < before; ++k) whole.step();
    REQUIRE(whole.save_state(file.path));
    for (int k = 0; k < after; ++k) whole.step();

    LoadedScene second = LoadedScene::from_text(document.dump(), folder, "scene", {}, &whole).value();
    REQUIRE(second.load_state(file.path));
    for (int k = 0; k < after; ++k) second.step();
    for (std::size_t b = 0; b < whole.scene().bodies().size(); ++b)
        if (!(whole.scene().state(whole.scene().bodies()[b]) == second.scene().state(second.scene().bodies()[b])))
            return whole.scene().model(whole.scene().bodies()[b]).name();
    CHECK(whole.scene().time() == second.scene().time());
    CHECK(whole.scene().hash() == second.scene().hash());
    return "";
}

}  // namespace

TEST_CASE("every scene of the gallery goes on from a saved state with the same bits")
{
    // Frames before the state is saved, and after it: fewer of large scenes.
    const std::map<std::string, std::pair<int, int>> large{
        {"letters_in_a_bowl", {2, 2}}, {"cvg_hemispheres", {3, 2}}, {"cvg_operators", {3, 2}},
        {"cvg_peach", {3, 2}},         {"examples_cars", {4, 3}},   {"examples_teddy", {4, 3}},
        {"fem_hit", {6, 4}},           {"linked_rings", {6, 4}},    {"rabbit", {6, 4}},
        {"cvg_spine", {8, 6}},         {"through_the_gap", {8, 6}}, {"cvg_gummy_bears", {3, 2}},
        {"cvg_mango", {3, 2}},         {"cvg_knee", {3, 2}}};
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(YAWARA_SOURCE_DIR) + "/scenes")) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().stem();
        const auto found = large.find(name);
        const auto [before, after] = found == large.end() ? std::pair{30, 15} : found->second;
        CAPTURE(name);
        CHECK(first_difference(gallery(name), before, after) == "");
        ++count;
    }
    CHECK(count > 30);
}

TEST_CASE("bodies that sleep when a state is saved sleep on, and wake if gravity has changed meanwhile")
{
    const auto document = nlohmann::json::parse(R"({ "yawara": 1, "step": { "sleep": true }, "bodies": [
            { "name": "low", "solid": { "bar": { "size": [0.4, 0.2, 0.4], "cells": [4, 2, 4] } },
              "place": { "translate": [0, 0.101, 0] } },
            { "name": "high", "solid": { "bar": { "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3] } },
              "place": { "translate": [0.03, 0.32, 0.02] } } ],
          "obstacles": [ { "plane": { "normal": [0, 1, 0] }, "friction": 0.6 } ] })");
    const StateFile file;
    LoadedScene whole = load(document);
    const auto sleep = [](LoadedScene& loaded) {
        return loaded.scene().state(loaded.scene().bodies()[0]).still >= 0.5f &&
               loaded.scene().state(loaded.scene().bodies()[1]).still >= 0.5f;
    };
    for (int k = 0; k < 900 && !sleep(whole); ++k) whole.step();
    REQUIRE(sleep(whole));
    REQUIRE(whole.save_state(file.path));
    const std::uint64_t hash = whole.scene().hash();

    LoadedScene second = load(document);
    REQUIRE(second.load_state(file.path));
    for (int k = 0; k < 30; ++k) second.step();
    CHECK(sleep(second));
    CHECK(second.scene().hash() == hash);
    CHECK(first_difference(document, 200, 30) == "");

    LoadedScene lighter = load(document);
    lighter.scene().settings().gravity = {0, -2, 0};
    REQUIRE(lighter.load_state(file.path));
    lighter.step();
    CHECK(!sleep(lighter));
}

TEST_CASE(
    "what presses and rocks goes on from any moment with the same bits: rigid pieces, sleep, examples, plastic flow")
{
    const auto document = nlohmann::json::parse(R"({ "yawara": 1, "step": { "sleep": true }, "bodies": [
            { "name": "bones", "solid": { "lattice": { "box": { "size": [0.5, 0.3, 0.3], "cells": [10, 6, 6] } } },
              "matching": { "regions": { "stiffness": [ { "value": 0.3 }, { "value": 1,
                  "select": { "box": { "low": [-0.2, -0.06, -0.06], "high": [0.2, 0.16, 0.06] } } } ] } },
              "place": { "translate": [0, 0.35, 0], "rotate": { "axis": [1, 0.4, 0.3], "degrees": 130 } } },
            { "name": "twisted", "solid": { "bar": { "size": [0.2, 0.5, 0.2], "cells": [3, 7, 3] } },
              "matching": { "examples": { "poses": [ { "name": "twist", "deform": [ { "twist": { "degrees": 90 } } ] } ] } },
              "place": { "translate": [0.1, 0.9, 0] } },
            { "name": "clay", "solid": { "bar": { "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2] } },
              "fem": { "levels": 1, "cache": false,
                       "materials": [ { "young": 100000, "poisson": 0.3, "plasticity": { "yield": 0.01 } } ] },
              "place": { "translate": [-0.2, 0.8, 0.05] } } ],
          "obstacles": [ { "plane": { "normal": [0.1, 1, 0] }, "friction": 0.6 } ] })");
    for (const int before : {17, 40, 75, 200}) {
        CAPTURE(before);
        CHECK(first_difference(document, before, 25) == "");
    }
}
