// Questions about poses: drafts are shown as they would be built, what is on the screen is caught, loads are told.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "stream/queries/query.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

Playback bar(const std::string& examples = "")
{
    return Playback(LoadedScene::from_text(R"({"yawara": 1, "bodies": [{"name": "bar",
        "solid": {"bar": {"size": [0.5, 1.5, 0.5], "cells": [3, 9, 3]}}, "place": {"scale": 2, "translate": [0, 5, 0]}, "matching": {)" +
                                               examples + "}}]}",
                                           ".")
                        .value());
}

std::vector<float> floats(const Answer& answer, std::size_t array)
{
    return std::get<0>(std::get<BinaryAnswer>(answer).arrays[array]);
}

Result<Answer> ask_pose(const Json& pose, double blend, const Snapshot& snapshot, Mirror& mirror)
{
    const Json query{{"body", "bar"}, {"pose", pose}, {"blend", blend}};
    REQUIRE(check_query("pose", query));
    return answer_pose(query, snapshot, mirror);
}

}  // namespace

TEST_CASE("a draft of a pose is shown on the body at rest, at its size, and half of it is between")
{
    Playback run = bar();
    const Snapshot snapshot = take_snapshot(run, false);
    Mirror mirror;
    const Json pose{{"name", "long"}, {"deform", Json::array({{{"stretch", {{"factor", 1.5}}}}})}};
    const auto top = [&](double blend) {
        const std::vector<float> p = floats(ask_pose(pose, blend, snapshot, mirror).value(), 0);
        float low = 1e9f, high = -1e9f;
        for (std::size_t k = 1; k < p.size(); k += 3) low = std::min(low, p[k]), high = std::max(high, p[k]);
        return double(high - low);
    };
    CHECK(top(1) == doctest::Approx(4.5));
    CHECK(top(0) == doctest::Approx(3).epsilon(1e-3));
    CHECK(top(0.5) == doctest::Approx(3.75).epsilon(0.02));
}

TEST_CASE("a handle of a draft is where it is dragged, drag after drag, and says what is wrong")
{
    Playback run = bar();
    const Snapshot snapshot = take_snapshot(run, false);
    Mirror mirror;
    for (const double far : {0.1, 0.25, 0.4}) {
        const Json pose{{"name", "pull"},
                        {"handles", Json::array({{{"at", {0, 0, 0}}, {"radius", 0.2}},
                                                 {{"at", {0, 1.5, 0}}, {"radius", 0.2}, {"move", {far, 0, 0}}}})}};
        const auto answer = ask_pose(pose, 1, snapshot, mirror).value();
        const std::vector<float> now = floats(answer, 0),
                                 rest = floats(answer_rest_shape({{"body", "bar"}}, snapshot, mirror).value(), 0);
        REQUIRE(now.size() == rest.size());
        int held = 0;
        for (std::size_t k = 0; k < rest.size(); k += 3) {
            if (std::hypot(rest[k], rest[k + 1] - 3.0f, rest[k + 2]) > 0.39f) continue;
            ++held;
            CHECK(double(now[k] - rest[k]) == doctest::Approx(2 * far).epsilon(0.01));
        }
        CHECK(held > 0);
        CHECK(double(floats(answer, 1)[0]) > 1e-3);
        CHECK(double(floats(answer, 1)[1]) == 0);
    }
    CHECK(!ask_pose({{"name", "none"}}, 1, snapshot, mirror));
    CHECK(!ask_pose({{"name", "odd"}, {"handles", "all"}}, 1, snapshot, mirror));
    // Only files of the document's own poses are read.
    CHECK(!ask_pose({{"name", "file"}, {"vertices", "/etc/hostname"}}, 1, snapshot, mirror));
    // The rest shape, turned, says that it is none.
    const Json turned{{"name", "turned"},
                      {"handles", Json::array({{{"at", {0, 0, 0}}, {"radius", 5}, {"turn", {0, 90, 0}}}})}};
    CHECK(double(floats(ask_pose(turned, 1, snapshot, mirror).value(), 1)[0]) < 1e-4);
}

TEST_CASE("while a hand drags a handle the shape is near the pose, with the handle where the hand is; let go, it is the pose")
{
    Playback run = bar();
    const Snapshot snapshot = take_snapshot(run, false);
    Mirror mirror;
    const auto pose = [](double far) {
        return Json{{"name", "pull"},
                    {"handles", Json::array({{{"at", {0, 0, 0}}, {"radius", 0.3}},
                                             {{"at", {0, 1.5, 0}}, {"radius", 0.3}, {"move", {far, 0, 0}}, {"turn", {0, 0, -50 * far}}}})}};
    };
    const auto ask = [&](double far, bool draft, Mirror& by) {
        const Json query{{"body", "bar"}, {"pose", pose(far)}, {"blend", 1}, {"draft", draft}};
        REQUIRE(check_query("pose", query));
        return floats(answer_pose(query, snapshot, by).value(), 0);
    };
    const std::vector<float> rest = floats(answer_rest_shape({{"body", "bar"}}, snapshot, mirror).value(), 0);
    const auto apart = [](const std::vector<float>& a, const std::vector<float>& b) {
        double most = 0;
        for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, double(std::abs(a[k] - b[k])));
        return most;
    };
    for (int k = 0; k <= 20; ++k) {
        const double far = 0.02 * k;
        const std::vector<float> draft = ask(far, true, mirror);
        Mirror fresh;
        const std::vector<float> whole = ask(far, false, fresh);
        CHECK(apart(draft, whole) < 0.03 * 3);  // of the bar's height
        // What is held is held, in drafts too.
        double held = 0;
        for (std::size_t i = 0; i < rest.size(); i += 3)
            if (std::hypot(rest[i], rest[i + 1] - 3.0f, rest[i + 2]) < 0.55f)
                for (std::size_t c = 0; c < 3; ++c) held = std::max(held, double(std::abs(draft[i + c] - whole[i + c])));
        CHECK(held < 1e-3);
    }
    // A jump of the hand, and then the same as if nobody had dragged.
    ask(-0.3, true, mirror);
    Mirror fresh;
    CHECK(ask(0.4, false, mirror) == ask(0.4, false, fresh));
}

TEST_CASE("what is on the screen is caught without where the body is, and is the same shape as a pose")
{
    Playback run = bar();
    const BodyId body = run.scene().bodies()[0];
    // Stretched, turned about z by a quarter, and far away.
    for (Vec3& p : run.scene().state(body).positions) p = Vec3{-1.25f * (p.y - 5), p.x, p.z} + Vec3{7, 8, 9};
    const Snapshot snapshot = take_snapshot(run, true);
    Mirror mirror;
    mirror.show(snapshot);
    const Json caught = std::get<Json>(answer_capture({{"body", "bar"}}, snapshot, mirror).value());
    CHECK(caught["moved"].get<double>() > 0.05);
    CHECK(caught["at"].size() == caught["to"].size());
    const Json pose{{"name", "caught"}, {"captured", {{"at", caught["at"]}, {"to", caught["to"]}}}};
    const std::vector<float> p = floats(ask_pose(pose, 1, snapshot, mirror).value(), 0);
    float low = 1e9f, high = -1e9f;
    for (std::size_t k = 1; k < p.size(); k += 3) low = std::min(low, p[k]), high = std::max(high, p[k]);
    CHECK(double(high - low) == doctest::Approx(3.75).epsilon(1e-3));
    CHECK(double(low + high) / 2 == doctest::Approx(1.5).epsilon(1e-3));
}

TEST_CASE("a squeeze awakens a pose that is shorter, and a stretch works against it")
{
    Playback run = bar(R"("examples": {"poses": [{"name": "short", "deform": [{"stretch": {"factor": 0.7}}]}]})");
    const Snapshot snapshot = take_snapshot(run, true);
    Mirror mirror;
    const Json told = std::get<Json>(answer_couplings({{"body", "bar"}, {"group", 0}}, snapshot, mirror).value());
    CHECK(told["examples"][0] == "short");
    CHECK(told["groups"] == 1);
    for (const Json& load : told["loads"]) {
        if (load["load"] == "squeeze along y") CHECK(load["weights"][0].get<double>() == doctest::Approx(1.0 / 3).epsilon(0.02));
        if (load["load"] == "stretch along y") CHECK(load["weights"][0].get<double>() < -0.3);
    }
    CHECK(std::abs(told["now"][0].get<double>()) < 0.01);
    CHECK(!answer_couplings({{"body", "bar"}, {"group", 1}}, snapshot, mirror));
}
