// Muscles found from a motion stand in the document as formulas and charts, and move the body alike.
#include <doctest/doctest.h>

#include <cmath>

#include "scene_file/json.h"
#include "yawara/active.h"
#include "yawara/scene_muscles.h"

using namespace yawara;
using scene_file::Json;

namespace {

/// A worm, enlarged: its fields speak of it before that.
Json worm()
{
    return Json::parse(R"({"yawara": 1, "step": {"substeps": 2}, "obstacles": [{"plane": {}, "friction": 0.6}],
        "bodies": [{"name": "worm", "solid": {"bar": {"size": [1.2, 0.3, 0.3], "cells": [12, 2, 2]}}, "place": {"scale": 2},
            "matching": {"passes": 8, "region_damping": 0.1, "stretch": [{"active": {
                "fields": {"direction": [1, 0, 0], "phase": "0.5 + x / 1.2"}, "speed": 0.9,
                "charts": {"period": 0.8, "d1": {"keys": [[0, 1], [0.2, 0.75], [0.5, 1]], "smooth": true}}}}]}}]})");
}

MotionTarget motion_of(const Json& scene, int frames)
{
    LoadedScene loaded = LoadedScene::from_text(scene.dump(), ".").value();
    MotionTarget motion;
    for (int frame = 0; frame < frames; ++frame) {
        loaded.step();
        motion.times.push_back(loaded.scene().time());
        motion.positions.push_back(loaded.scene().state(loaded.scene().bodies()[0]).positions);
    }
    return motion;
}

}  // namespace

TEST_CASE("muscles found from a motion stand in the document, in its coordinates, and are those that made it")
{
    const Json made = worm();
    Json blank = made;
    Json& layer = blank["bodies"][0]["matching"]["stretch"][0]["active"];
    layer = Json::parse(R"({"fields": {"direction": [1, 0, 0]}, "charts": {"period": 0.8}})");
    const auto target = [&](const BodyModel&, double) -> Result<MotionTarget> { return motion_of(made, 120); };
    MuscleFitOptions options;
    options.rounds = 6;
    const SceneMuscleFit found = fit_scene_muscles({blank.dump(), "."}, "worm", target, options).value();
    CHECK(found.fit.residual < 0.05);
    CHECK(Json::parse(found.scene)["bodies"][0]["matching"]["stretch"][0]["active"] == Json::parse(found.layer));

    LoadedScene truth = LoadedScene::from_text(made.dump(), ".").value();
    LoadedScene again = LoadedScene::from_text(found.scene, ".").value();
    const ActiveParts& a = *active_parts(truth.scene().model(truth.scene().bodies()[0]));
    const ActiveParts& b = *active_parts(again.scene().model(again.scene().bodies()[0]));
    for (std::size_t i = 0; i < a.fields.phase.size(); ++i) {
        CHECK(b.fields.amplitude[i] == doctest::Approx(1).epsilon(0.05));
        CHECK(std::abs(b.fields.phase[i] / b.speed - a.fields.phase[i] / a.speed) < 0.05 * 0.8);
    }
    for (double time = 0; time < 0.8; time += 0.05)
        CHECK(std::abs(chart_value(b.charts, 0, time) - chart_value(a.charts, 0, time)) < 0.05 * 0.25 + 0.01);
}

TEST_CASE("a fit tells a body that is not there, one without muscles and a motion of too few shapes")
{
    const auto refusal = [](const Json& scene, const std::string& body) {
        const auto target = [](const BodyModel&, double) -> Result<MotionTarget> { return MotionTarget{}; };
        return fit_scene_muscles({scene.dump(), "."}, body, target, {}).error().message();
    };
    CHECK(refusal(worm(), "wrm").find("did you mean \"worm\"") != std::string::npos);
    Json plain = worm();
    plain["bodies"][0]["matching"].erase("stretch");
    CHECK(refusal(plain, "worm").find("has no muscles") != std::string::npos);
    CHECK(refusal(worm(), "worm").find("fewer than four shapes") != std::string::npos);
}
