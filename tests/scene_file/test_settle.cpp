// Scenes brought to rest: where motion would end, without a trace of the way there.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "yawara/scene_file.h"
#include "yawara/settle.h"

using namespace yawara;

namespace {

/// A bar held at one end; `more` are further settings of its matching.
LoadedScene hanging_bar(const std::string& more = "", const std::string& pins = R"({ "plane": { "point": [-0.19, 0, 0],
    "normal": [-1, 0, 0] } })")
{
    return LoadedScene::from_text(fmt::format(R"({{ "yawara": 1, "step": {{ "dt": 0.01, "substeps": 2 }}, "bodies": [
                    {{ "name": "bar", "solid": {{ "bar": {{ "size": [0.4, 0.1, 0.1], "cells": [8, 2, 2] }} }},
                       "place": {{ "translate": [0, 1, 0] }}, "matching": {{ "alpha": 0.5{} }},
                       "pins": [ {{ "select": {} }} ] }} ] }})",
                                              more, pins),
                                  ".")
        .value();
}

const BodyState& first_state(const Scene& scene)
{
    return scene.state(scene.bodies()[0]);
}

double farthest_apart(const LoadedScene& a, const LoadedScene& b)
{
    const auto& x = first_state(const_cast<LoadedScene&>(a).scene()).positions;
    const auto& y = first_state(const_cast<LoadedScene&>(b).scene()).positions;
    float largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, length(x[i] - y[i]));
    return double(largest);
}

double sag(LoadedScene& loaded)
{
    float lowest = 1e9f;
    for (const Vec3& p : loaded.scene().state(loaded.scene().bodies()[0]).positions) lowest = std::min(lowest, p.y);
    return 1.0 - double(lowest);
}

}  // namespace

TEST_CASE("a hanging bar settles where long motion through air ends, with nothing left of its speed")
{
    LoadedScene settled = hanging_bar(), moved = hanging_bar(R"(, "damping": 0, "drag": 4)");
    REQUIRE(settle(settled.scene()));
    for (int frame = 0; frame < 1500; ++frame) moved.step();
    CHECK(sag(settled) > 0.01);
    CHECK(farthest_apart(settled, moved) < 0.01 * sag(settled));
    for (const Vec3& v : settled.scene().state(settled.scene().bodies()[0]).velocities) CHECK(v == Vec3{});
}

TEST_CASE("damping and drag do not change where a body settles, and are as before afterwards")
{
    LoadedScene plain = hanging_bar(), slow = hanging_bar(R"(, "damping": 0.2, "drag": 3)");
    REQUIRE(settle(plain.scene()));
    REQUIRE(settle(slow.scene()));
    CHECK(farthest_apart(plain, slow) < 1e-6);
    CHECK(slow.scene().body_settings(slow.scene().bodies()[0]).matching.damping == 0.2f);
    CHECK(slow.scene().body_settings(slow.scene().bodies()[0]).drag == 3);
}

TEST_CASE("the clock stands still, and a body at rest stays there when it settles once more or goes on")
{
    LoadedScene once = hanging_bar(R"(, "damping": 0, "drag": 4)");
    for (int frame = 0; frame < 7; ++frame) once.step();
    const double time = once.scene().time();
    const std::int64_t steps = once.scene().step_count();
    REQUIRE(settle(once.scene()));
    CHECK(once.scene().time() == time);
    CHECK(once.scene().step_count() == steps);
    CHECK(once.frame() == 7);
    const std::vector<Vec3> rest = once.scene().state(once.scene().bodies()[0]).positions;
    const auto moved = [&] {
        float largest = 0;
        for (std::size_t i = 0; i < rest.size(); ++i)
            largest = std::max(largest, length(once.scene().state(once.scene().bodies()[0]).positions[i] - rest[i]));
        return double(largest);
    };
    REQUIRE(settle(once.scene()));
    CHECK(moved() < 1e-4);
    for (int frame = 0; frame < 100; ++frame) once.step();
    CHECK(moved() < 1e-3 * sag(once));
}

TEST_CASE("a body that lands on the floor settles on it, upright as it fell")
{
    LoadedScene loaded = LoadedScene::from_text(R"({ "yawara": 1, "step": { "dt": 0.01, "substeps": 2 }, "bodies": [
            { "name": "cube", "solid": { "bar": { "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3] } },
              "place": { "translate": [0, 0.15, 0] }, "matching": { "alpha": 0.8 } } ],
          "obstacles": [ { "plane": { "point": [0, 0, 0], "normal": [0, 1, 0] }, "friction": 0.6 } ] })",
                                                ".")
                             .value();
    const auto settled = settle(loaded.scene());
    REQUIRE(settled);
    CHECK_FALSE((*settled)[0].solved);
    Vec3d middle;
    float lowest = 1e9f;
    const auto& x = loaded.scene().state(loaded.scene().bodies()[0]).positions;
    for (const Vec3& p : x) {
        middle += p.as<double>() / double(x.size());
        lowest = std::min(lowest, p.y);
    }
    CHECK(std::abs(lowest) < 1e-3f);
    CHECK(std::abs(middle.x) < 2e-3);
    CHECK(std::abs(middle.z) < 2e-3);
}

TEST_CASE("what falls for ever is named instead of called settled, and settling can be cancelled")
{
    LoadedScene falling = LoadedScene::from_text(R"({ "yawara": 1, "step": { "dt": 0.01, "substeps": 50 }, "bodies": [
            { "name": "stone", "solid": { "bar": { "size": [0.1, 0.1, 0.1], "cells": [1, 1, 1] } }, "matching": {} } ] })",
                                                 ".")
                              .value();
    const auto settled = settle(falling.scene());
    REQUIRE_FALSE(settled);
    CHECK(settled.error().message().find("stone") != std::string::npos);

    LoadedScene stopped = hanging_bar();
    const auto cancelled = settle(stopped.scene(), [](std::string_view, double) { return false; });
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().message().find("cancelled") != std::string::npos);
}
