// Edits of a running scene: what they need, what they do at once, and that they do it as a scene that was started so.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "scene_file/live_edit.h"
#include "yawara/active.h"

using namespace yawara;
using namespace yawara::scene_file;

namespace {

const std::filesystem::path kScenes = std::filesystem::path(YAWARA_SOURCE_DIR) / "scenes";

Json scene_named(const std::string& name)
{
    return Json::parse(std::ifstream(kScenes / (name + ".json")));
}

LoadedScene load(const Json& scene, BuildCache cache = {})
{
    return LoadedScene::from_text(scene.dump(), kScenes, "scene", {}, std::move(cache)).value();
}

/// With a muscle, a pin and a neighbour on a floor.
Json small_scene()
{
    return Json::parse(R"({"yawara": 1, "step": {"substeps": 2}, "bodies": [
        {"name": "bar", "solid": {"bar": {"size": [1, 0.4, 0.4], "cells": [6, 3, 3]}}, "place": {"translate": [0, 0.1, 0]},
         "matching": {"alpha": 0.6, "stretch": [{"active": {"fields": {"direction": [1, 0, 0], "phase": "x + 0.5"},
             "charts": {"period": 0.5, "d1": {"keys": [[0, 1], [0.2, 0.7]]}}}}]},
         "pins": [{"select": {"box": {"low": [-9, -9, -9], "high": [-0.45, 9, 9]}}}]},
        {"name": "cube", "solid": {"lattice": {"box": {"size": [0.3, 0.3, 0.3], "cells": [3, 3, 3]}}},
         "place": {"translate": [0.2, 0.52, 0]},
         "instances": [{}, {"id": "x", "translate": [1, 0, 0], "time_offset": 0.1}]},
        {"name": "fem", "solid": {"bar": {"size": [0.4, 0.2, 0.2], "cells": [2, 1, 1]}}, "place": {"translate": [-0.25, 0.55, 0]},
         "fem": {"levels": 1, "materials": [{"young": 2e4, "poisson": 0.3}]}}],
      "obstacles": [{"plane": {}}, {"sphere": {"center": [2, 0, 0], "radius": 0.3}}]})");
}

void take_state(LoadedScene& from, LoadedScene& to)
{
    for (const BodyId id : from.scene().bodies())
        to.scene().state(to.find(from.identity(id)).value()) = from.scene().state(id);
    to.scene().set_clock(from.scene().step_count() / from.scene().settings().substeps * to.scene().settings().substeps,
                         from.scene().time());
}

struct Change {
    std::string pointer;
    Json value;
};

const std::vector<Change>& live_changes()
{
    static const std::vector<Change> all{
        {"/step/gravity", {1, -5, 0}},
        {"/step/dt", 0.01},
        {"/step/substeps", 4},
        {"/medium/drag", 300},
        {"/obstacles/0/friction", 0.05},
        {"/obstacles/0/plane/normal", {0.2, 1, 0}},
        {"/obstacles/1/sphere/radius", 1.5},
        {"/obstacles/0/belt", {1, 0, 0}},
        {"/obstacles/1/path", Json::array({{{"time", 0}}, {{"time", 1}, {"move", {-3, 0, 0}}}})},
        {"/bodies/0/matching/alpha", 0.2},
        {"/bodies/0/matching/passes", 4},
        {"/bodies/0/matching/damping", 0.4},
        {"/bodies/0/matching/region_damping", 0.2},
        {"/bodies/0/matching/drag", 3},
        {"/bodies/0/matching/stretch/0/active/charts/d1/keys", {{0, 1}, {0.3, 0.5}}},
        {"/bodies/0/matching/stretch/0/active/speed", 3},
        {"/bodies/0/matching/stretch/0/strength", 0.5},
        {"/bodies/0/matching/stretch/0/on", false},
        {"/bodies/0/time_offset", 0.2},
        {"/bodies/0/contact/friction", 0.0},
        {"/bodies/0/contact/thickness", 0.02},
        {"/bodies/0/forces", Json::array({{{"acceleration", {0, 4, 2}}}})},
        {"/bodies/0/pins", Json::array()},
        {"/bodies/1/instances/1/forces", Json::array({{{"acceleration", {0, 4, 2}}}})},
        {"/bodies/2/fem/tolerance", 0.05},
        {"/bodies/2/fem/safety", 0.3},
        {"/bodies/2/fem/integration", "implicit"},
        {"/bodies/2/fem/refinement", "full"},
        {"/bodies/2/fem/drag", 2},
    };
    return all;
}

}  // namespace

TEST_CASE("every key of the schema says what it acts on, itself or by the key that holds it")
{
    const Json schema = Json::parse(scene_schema());
    const auto known = [](const Json& property) {
        const std::string acts = property.value("x-acts", "");
        return acts == "view" || acts == "live" || acts == "start" || acts == "model";
    };
    for (const auto& [key, property] : schema["properties"].items()) CHECK_MESSAGE(known(property), key);
    // Parts with keys of different kinds say it key by key.
    for (const auto& [name, part] : schema["$defs"].items()) {
        if (!part.contains("properties")) continue;
        std::size_t said = 0;
        for (const auto& [key, property] : part["properties"].items()) {
            if (property.contains("x-acts")) CHECK_MESSAGE(known(property), name << "." << key);
            said += property.contains("x-acts");
        }
        if (name != "obstacle") CHECK_MESSAGE((said == 0 || said == part["properties"].size()), name);
    }
}

TEST_CASE("differences are told by key, with what is left out taken for its default")
{
    const Json before = small_scene();
    Json after = before;
    CHECK(differences(before, after).empty());
    after["bodies"][0]["matching"]["damping"] = 0.03;  // as it is without
    after["medium"] = Json::object();
    CHECK(differences(before, after).empty());
    after["bodies"][0]["matching"]["damping"] = 0.1;
    after["bodies"][1]["density"] = 500;
    after["bodies"][1]["place"]["translate"] = {0, 1, 0};
    after["title"] = "x";
    const auto found = differences(before, after);
    REQUIRE(found.size() == 4);
    CHECK(found[0].pointer == "/title");
    CHECK(found[0].acts == Acts::view);
    CHECK(found[1].pointer == "/bodies/0/matching/damping");
    CHECK(found[1].acts == Acts::live);
    CHECK(found[2].pointer == "/bodies/1/density");
    CHECK(found[2].acts == Acts::model);
    CHECK(found[3].pointer == "/bodies/1/place/translate");
    CHECK(found[3].acts == Acts::start);

    after = before;
    after["bodies"].erase(0);
    REQUIRE(differences(before, after).size() == 1);
    CHECK(differences(before, after)[0].pointer == "/bodies");
}

TEST_CASE("a live edit gives bit for bit the motion of a scene that was loaded with it and given the same state")
{
    const Json before = small_scene();
    for (const Change& change : live_changes()) {
        INFO(change.pointer);
        LoadedScene running = load(before);
        for (int frame = 0; frame < 6; ++frame) running.step();
        Json after = before;
        after[Json::json_pointer(change.pointer)] = change.value;
        const BuildCache::Made made = running.build_cache().made();
        const auto edit = edit_live(running, after);
        REQUIRE(edit);
        CHECK(edit->waiting.empty());
        CHECK(edit->done.size() == 1);
        CHECK(edit->did(Acts::live));
        CHECK(running.build_cache().made().models == made.models);
        CHECK(running.build_cache().made().solids == made.solids);
        CHECK(edit_live(running, after)->done.empty());

        LoadedScene fresh = load(after);
        LoadedScene untouched = load(before);
        take_state(running, fresh);
        take_state(running, untouched);
        for (int frame = 0; frame < 12; ++frame) {
            running.step();
            fresh.step();
            untouched.step();
        }
        CHECK(running.scene().hash() == fresh.scene().hash());
        CHECK_MESSAGE(running.scene().hash() != untouched.scene().hash(), "it does something");
        CHECK(std::ranges::equal(running.warnings(), fresh.warnings()));
    }
}

TEST_CASE("a period edited while muscles move goes on with their beat, in another build too; from the start it is as loaded")
{
    const Json before = small_scene();
    LoadedScene running = load(before);
    for (int frame = 0; frame < 7; ++frame) running.step();
    const BodyId bar = running.scene().bodies()[0];
    const auto beat_now = [](LoadedScene& loaded) {
        const BodyId body = loaded.scene().bodies()[0];
        const double cycles = beat(active_parts(loaded.scene().model(body))->layer, loaded.scene().time()).cycles;
        return cycles - std::floor(cycles);
    };
    const double share = beat_now(running);
    Json after = before;
    after["bodies"][0]["matching"]["stretch"][0]["active"]["charts"]["period"] = 0.8;
    REQUIRE(edit_live(running, after));
    CHECK(beat_now(running) == doctest::Approx(share));
    CHECK(beat(active_parts(running.scene().model(bar))->layer, 0).frequency == doctest::Approx(1 / 0.8));

    LoadedScene other = load(after);
    other.scene().set_clock(running.scene().step_count(), running.scene().time());
    CHECK(beat_now(other) != doctest::Approx(share));
    carry_beat(running, other);
    CHECK(beat_now(other) == doctest::Approx(share));

    beat_from_start(running);
    CHECK(active_parts(running.scene().model(bar))->layer.lead == 0);
}

TEST_CASE("gaits of a document blend by its keys, and wrong ones are refused with their place")
{
    Json scene = small_scene();
    Json& active = scene["bodies"][0]["matching"]["stretch"][0]["active"];
    active["gaits"] = Json::parse(R"([{"name": "flee", "charts": {"period": 0.2, "d1": {"keys": [[0, 0.8]]}}, "speed": 4}])");
    active["gait"] = Json::parse(R"([{}, {"time": 2, "name": "main", "to": "flee", "share": 0.25}])");
    LoadedScene loaded = load(scene);
    const ChartedLayer& layer = active_parts(loaded.scene().model(loaded.scene().bodies()[0]))->layer;
    CHECK(beat(layer, 1).weights == std::vector<double>{0.875, 0.125});
    CHECK(beat(layer, 5).frequency == doctest::Approx(0.75 / 0.5 + 0.25 / 0.2));

    const auto refusal = [&](const char* pointer, const Json& value) {
        Json wrong = active;
        wrong[Json::json_pointer(pointer)] = value;
        Json document = scene;
        document["bodies"][0]["matching"]["stretch"][0]["active"] = wrong;
        const std::vector<Error> errors = check_document(document, kScenes, "scene");
        return errors.empty() ? std::string() : errors.front().message();
    };
    CHECK(refusal("/gait/1/to", "fle").find("gait[1].to: there is no gait \"fle\", did you mean \"flee\"") != std::string::npos);
    CHECK(refusal("/gait/1/time", 0).find("gait[1].time: is not later") != std::string::npos);
    CHECK(refusal("/gaits/0/name", "main").find("gaits[0].name") != std::string::npos);
    CHECK(refusal("/gaits/0/speed", 0).find("gaits[0].speed: is zero") != std::string::npos);
}

TEST_CASE("a modulus that comes or goes with the papers' numbers gives what a scene loaded so has")
{
    for (const char* const pointer : {"/bodies/0/matching", "/bodies/1/matching"})
        for (const bool named : {false, true}) {
            INFO(pointer);
            CAPTURE(named);
            Json without = small_scene();
            without[Json::json_pointer(pointer)]["damping"] = 0.02;
            without[Json::json_pointer(pointer)].erase("alpha");
            Json with = without;
            with[Json::json_pointer(pointer)]["alpha"] = 0.6;
            const Json &before = named ? without : with, &after = named ? with : without;
            LoadedScene running = load(before);
            for (int frame = 0; frame < 3; ++frame) running.step();
            if (edit_live(running, after)->waiting.empty()) {
                LoadedScene fresh = load(after);
                take_state(running, fresh);
                running.step();
                fresh.step();
                CHECK(running.scene().hash() == fresh.scene().hash());
            } else {
                CHECK(std::string(pointer) == "/bodies/1/matching");  // a lattice, whose masses move
            }
        }
}

TEST_CASE("a start that was edited moves nothing until the scene is reset; pictures and names change at once")
{
    Json before = small_scene();
    before["bodies"][0]["id"] = "bar";
    LoadedScene running = load(before);
    for (int frame = 0; frame < 4; ++frame) running.step();
    const auto hash = running.scene().hash();
    Json after = before;
    after["bodies"][1]["place"]["translate"] = {0.2, 2, 0};
    after["bodies"][1]["instances"][1]["velocity"] = {0, 3, 0};
    after["bodies"][0]["name"] = "beam";
    after["bodies"][2]["look"]["color"] = "#ff0000";
    after["title"] = "other";
    const auto edit = edit_live(running, after);
    REQUIRE(edit);
    CHECK(edit->waiting.empty());
    CHECK(edit->did(Acts::start));
    CHECK(edit->looks_changed());
    CHECK(running.scene().hash() == hash);
    LoadedScene fresh = load(after);
    for (const BodyId id : running.scene().bodies()) {
        const BodyId other = fresh.find(running.identity(id)).value();
        CHECK(running.start(id).positions == fresh.start(other).positions);
        CHECK(running.start(id).velocities == fresh.start(other).velocities);
        CHECK(running.scene().model(id).name() == fresh.scene().model(other).name());
    }
    CHECK(running.title() == "other");
    CHECK(running.looks()[3].color == fresh.looks()[3].color);

    // Without an id the name is the identity: another body, as far as anyone can tell.
    Json renamed = after;
    renamed["bodies"][2]["name"] = "other";
    REQUIRE(edit_live(running, renamed)->waiting.size() == 1);
    CHECK(edit_live(running, renamed)->waiting[0].pointer == "/bodies");
}

TEST_CASE("a wrong value is refused with its place and changes nothing, also together with right ones")
{
    const Json before = small_scene();
    LoadedScene running = load(before);
    Json after = before;
    after["bodies"][0]["matching"]["alpha"] = 0.1;
    after["bodies"][1]["contact"]["friction"] = -1;
    const auto edit = edit_live(running, after);
    REQUIRE_FALSE(edit);
    CHECK(edit.error().where == "bodies[1].contact.friction");
    CHECK(running.scene().body_settings(running.scene().bodies()[0]).matching.alpha == 0.6f);
    after["bodies"][1]["contact"]["friction"] = 1;
    CHECK(edit_live(running, after));
    CHECK(running.scene().body_settings(running.scene().bodies()[0]).matching.alpha == 0.1f);
}

TEST_CASE("an edit that needs a model waits, and what is live in it is done; building makes only that model")
{
    const Json before = small_scene();
    LoadedScene running = load(before);
    Json after = before;
    after["bodies"][0]["matching"]["alpha"] = 0.1;
    after["bodies"][0]["density"] = 700;
    auto edit = edit_live(running, after);
    REQUIRE(edit);
    REQUIRE(edit->waiting.size() == 1);
    CHECK(edit->waiting[0].pointer == "/bodies/0/density");
    CHECK(running.scene().body_settings(running.scene().bodies()[0]).matching.alpha == 0.1f);
    const auto made = running.build_cache().made();
    CHECK(made == BuildCache::Made{3, 3, 2});
    LoadedScene built = load(after, running.build_cache());
    CHECK(running.build_cache().made() == BuildCache::Made{3, 4, 2});
    // And back: nothing at all.
    LoadedScene back = load(before, running.build_cache());
    CHECK(running.build_cache().made() == BuildCache::Made{3, 4, 2});
    CHECK(back.scene().hash() == load(before).scene().hash());
}

TEST_CASE("a file that changed on the disk is another content; the same file is not")
{
    const auto folder = std::filesystem::temp_directory_path() / "yawara_live_edit_files";
    std::filesystem::create_directories(folder);
    const auto write = [&](double size) {
        std::ofstream out(folder / "box.obj");
        for (int k = 0; k < 8; ++k)
            out << "v " << size * (k & 1) << ' ' << size * (k >> 1 & 1) << ' ' << size * (k >> 2 & 1) << '\n';
        out << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    };
    const Json scene =
        Json::parse(R"({"yawara": 1, "bodies": [{"name": "box", "solid": {"from": "box.obj", "particles": 100}}],
        "obstacles": [{"mesh": {"file": "box.obj", "translate": [0, -3, 0]}}]})");
    write(1);
    BuildCache cache;
    const auto build = [&] { return LoadedScene::from_text(scene.dump(), folder, "scene", {}, cache).value(); };
    (void)build();
    CHECK(cache.made() == BuildCache::Made{1, 1, 1});
    (void)build();
    CHECK(cache.made() == BuildCache::Made{1, 1, 1});
    write(1.5);
    LoadedScene larger = build();
    CHECK(cache.made() == BuildCache::Made{2, 2, 2});
    CHECK(bounds(larger.scene().model(larger.scene().bodies()[0]).rest_positions()).size().x ==
          doctest::Approx(1.5).epsilon(0.05));
    std::filesystem::remove_all(folder);
}

TEST_CASE("friction, tolerance, damping, muscles and names of gallery scenes build nothing")
{
    const std::vector<std::pair<std::string, Change>> ticks{
        {"caterpillar_crowd", {"/bodies/0/matching/damping", 0.02}},
        {"caterpillar_crowd", {"/bodies/0/contact/friction", 0.1}},
        {"caterpillar_crowd", {"/bodies/0/matching/stretch/0/active/charts/period", 2}},
    };
    for (const auto& [name, change] : ticks) {
        INFO(name << change.pointer);
        const Json before = scene_named(name);
        LoadedScene running = load(before);
        running.step();
        Json after = before;
        after[Json::json_pointer(change.pointer)] = change.value;
        const auto made = running.build_cache().made();
        const auto edit = edit_live(running, after);
        REQUIRE(edit);
        CHECK(edit->waiting.empty());
        CHECK(running.build_cache().made() == made);
        running.step();
        LoadedScene fresh = load(after, running.build_cache());
        CHECK(running.build_cache().made() == made);
    }
}
