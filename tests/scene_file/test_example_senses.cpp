// Cues, controls, plasticity and borders in scene files: what they mean, what is refused, and controls that are moved
// while a scene runs.
#include <doctest/doctest.h>

#include "gallery.h"
#include "scene_file/live_edit.h"

using namespace yawara;
using namespace yawara::scene_file;

namespace {

Json bar(const Json& examples)
{
    Json scene = Json::parse(R"({"yawara": 1, "step": {"gravity": [0, 0, 0]}, "bodies": [{"name": "bar",
        "solid": {"bar": {"size": [0.5, 1.4, 0.5], "cells": [2, 6, 2]}}, "matching": {"alpha": 1, "damping": 0.1, "examples":
            {"poses": [{"name": "low", "deform": [{"stretch": {"axis": "y", "factor": 0.6}}]}]}}}]})");
    scene["bodies"][0]["matching"]["examples"].update(examples);
    return scene;
}

const Json kListening = Json::parse(R"({"cues": [{"pose": "low", "listens": "control", "control": "down", "strength": 50}],
    "controls": [{"name": "down"}]})");

std::string error_of(const char* examples)
{
    const auto loaded = LoadedScene::from_text(bar(Json::parse(examples)).dump(), ".");
    return loaded ? "" : loaded.error().message();
}

double height(LoadedScene& loaded)
{
    Box3 box;
    for (const Vec3& p : loaded.scene().state(loaded.scene().bodies()[0]).positions) box.add(p.as<double>());
    return box.size().y;
}

}  // namespace

TEST_CASE("a control is moved while the scene runs, and starts anew where the document has it")
{
    Json document = bar(kListening);
    LoadedScene loaded = LoadedScene::from_text(document.dump(), ".").value();
    const BodyId body = loaded.scene().bodies()[0];
    REQUIRE(loaded.scene().model(body).example_controls().size() == 1);
    const double rest = height(loaded);
    const std::uint64_t built = loaded.scene().model(body).revision();
    document["bodies"][0]["matching"]["examples"]["controls"][0]["value"] = 1;
    const auto edit = edit_live(loaded, document);
    REQUIRE(edit);
    CHECK(edit->waiting.empty());
    for (int frame = 0; frame < 120; ++frame) loaded.scene().step();
    CHECK(loaded.scene().model(body).revision() == built);
    CHECK(height(loaded) < 0.65 * rest);
    document["bodies"][0]["matching"]["examples"]["controls"][0]["keys"] =
        Json::parse(R"([{"time": 0, "value": 1}, {"time": 2.5, "value": 0}])");
    REQUIRE(edit_live(loaded, document));
    for (int frame = 0; frame < 180; ++frame) loaded.scene().step();
    CHECK(height(loaded) > 0.97 * rest);
}

TEST_CASE("borders go with the scale of the body, and plasticity has its numbers")
{
    const Json examples = Json::parse(R"({"groups": [{"plane": {"point": [0, 0.7, 0], "normal": [0, 1, 0]}}], "border": 0.2,
        "plasticity": {"bound": 0.3}})");
    Json large = bar(examples);
    large["bodies"][0]["place"]["scale"] = 3;
    for (const Json& document : {bar(examples), large}) {
        LoadedScene loaded = LoadedScene::from_text(document.dump(), ".").value();
        const BodyState& state = loaded.scene().state(loaded.scene().bodies()[0]);
        CHECK(state.matching.kept.size() == 2);
        CHECK(state.matching.heard.empty());
    }
}

TEST_CASE("mistakes in cues, controls and borders are told with their place")
{
    const std::string at = "bodies[0].matching.examples.";
    CHECK(error_of(R"({"cues": [{"pose": "nod", "listens": "speed"}]})") == at + "cues[0].pose: there is no pose \"nod\"");
    CHECK(error_of(R"({"cues": [{"pose": "low", "listens": "control"}]})") ==
          at + "cues[0]: needs \"control\", the name of what it listens to");
    CHECK(error_of(R"({"cues": [{"pose": "low", "listens": "control", "control": "c"}]})") ==
          at + "cues[0].control: \"controls\" has no \"c\"");
    CHECK(error_of(R"({"cues": [{"pose": "low", "listens": "speed", "from": 2}]})") ==
          at + "cues[0].to: has to be more than \"from\"");
    CHECK(error_of(R"({"cues": [{"pose": "low", "listens": "contact", "fade": 0}]})").find("cues[0].fade") !=
          std::string::npos);
    CHECK(error_of(R"({"cues": [{"pose": "low", "listens": "wind"}]})").find("listens") != std::string::npos);
    CHECK(error_of(R"({"controls": [{"name": "a"}, {"name": "a"}]})").find("two controls \"a\"") != std::string::npos);
    CHECK(error_of(R"({"controls": [{"name": "a", "keys": [{"time": 1, "value": 0}, {"time": 1, "value": 1}]}]})") ==
          at + "controls[0].keys[1].time: is not later than the key before");
    CHECK(error_of(R"({"border": 0.1})") == at + "border: \"groups\" gives no groups that it could lie between");
    CHECK(error_of(R"({"plasticity": {"bound": 2}})").find("plasticity.bound") != std::string::npos);
    CHECK(error_of(R"({"plasticity": {}, "variant": "variational"})").find("joint rotations") != std::string::npos);
    CHECK(error_of(R"({"cues": [{"pose": "low", "listens": "speed", "group": 4}]})").find("no group 4") != std::string::npos);
}
