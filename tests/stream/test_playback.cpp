// A scene that plays: recorded, scrubbed, edited while it moves, held by a hand; and what is sent of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <set>

#include "scene_file/json.h"
#include "stream/exports.h"
#include "stream/opened_scene.h"
#include "stream/pins.h"
#include "stream/playback.h"
#include "stream/player.h"
#include "stream/protocol.h"

using namespace yawara;
using namespace yawara::stream;
using scene_file::Json;

namespace {

std::string bar_text(double alpha, const std::string& more = "")
{
    return fmt::format(
        R"({{"yawara": 1, "bodies": [{{"name": "bar", "solid": {{"bar": {{"size": [1, 0.5, 0.5], "cells": [6, 3, 3]}}}},
        "matching": {{"alpha": {}}}, "place": {{"translate": [0, 1, 0]}}{}}}], "obstacles": [{{"plane": {{}}}}]}})",
        alpha, more);
}

LoadedScene bar(double alpha = 0.3)
{
    return LoadedScene::from_text(bar_text(alpha), ".").value();
}

void advance(Playback& run, int frames)
{
    for (int k = 0; k < frames; ++k) run.step();
}

LoadedScene load(const Json& scene, Playback* earlier = nullptr)
{
    return LoadedScene::from_text(scene.dump(), ".", "scene", {}, earlier ? &earlier->loaded() : nullptr).value();
}

/// Bars beside each other that fly apart, one of each name.
Json bars(const std::vector<std::string>& names)
{
    Json scene = Json::parse(bar_text(0.3));
    const Json first = scene["bodies"][0];
    scene["bodies"] = Json::array();
    for (const std::string& name : names) {
        Json bar = first;
        const double k = name.front() - 'a';  // each its own place and speed
        bar["name"] = name;
        bar["place"] = {{"translate", {3 * k, 1, 0}}};
        bar["velocity"] = {k, 0, 0};
        scene["bodies"].push_back(bar);
    }
    return scene;
}

const BodyState& state_of(Playback& run, const std::string& identity)
{
    return run.scene().state(run.loaded().find(identity).value());
}

bool has_null(const Json& value)
{
    if (value.is_null()) return true;
    return value.is_structured() && std::ranges::any_of(value, [](const Json& part) { return has_null(part); });
}

struct ReadSection {
    std::uint16_t what;
    std::uint8_t run;
    std::uint32_t body, count;
    std::string bytes;
};

/// As the page reads it: studio/src/connection/frames.ts.
std::vector<ReadSection> read_sections(const std::string& bytes)
{
    const auto number = [&]<class T>(std::size_t at, T) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    REQUIRE(bytes.substr(0, 4) == "YWF1");
    std::vector<ReadSection> sections;
    std::size_t at = 32;
    for (std::uint32_t k = number(24, std::uint32_t()); k > 0; --k) {
        const auto length = number(at + 12, std::uint32_t());
        sections.push_back({number(at, std::uint16_t()), number(at + 2, std::uint8_t()),
                            number(at + 4, std::uint32_t()), number(at + 8, std::uint32_t()),
                            bytes.substr(at + 16, length)});
        at += 16 + (length + 3) / 4 * 4;
    }
    CHECK(at == bytes.size());
    return sections;
}

}  // namespace

TEST_CASE("reset returns exactly to the start, and going on repeats the same bits")
{
    Playback run(bar());
    const auto start = run.scene().hash();
    advance(run, 20);
    const auto later = run.scene().hash();
    CHECK(later != start);
    run.reset();
    CHECK(run.scene().hash() == start);
    CHECK(run.frame() == 0);
    advance(run, 20);
    CHECK(run.scene().hash() == later);
}

TEST_CASE("scrubbing and stepping inside a take show what was recorded and lose nothing; at its end time goes on")
{
    Playback run(bar());
    advance(run, 10);
    const auto tenth = run.scene().hash();
    advance(run, 20);
    const auto last = run.scene().hash();
    CHECK(run.last_frame() == 30);
    CHECK_FALSE(run.seek(31));
    REQUIRE(run.seek(5));
    CHECK(run.is_replaying());
    CHECK(run.step().empty());
    advance(run, 4);
    CHECK(run.scene().hash() == tenth);
    CHECK(run.last_frame() == 30);
    advance(run, 20);
    CHECK(run.scene().hash() == last);
    CHECK_FALSE(run.is_replaying());
    CHECK(run.step().size() == 1);
    CHECK(run.last_frame() == 31);
    CHECK(run.takes().list().size() == 1);
}

TEST_CASE("going on from a frame before the end is a new take with the same beginning, and the old one is still there")
{
    Playback run(bar());
    advance(run, 20);
    const auto old_end = run.scene().hash();
    run.seek(8);
    const std::size_t bytes = run.takes().bytes();
    run.go_on_here();
    CHECK_MESSAGE(run.takes().bytes() == bytes, "the frames up to there are shared");
    CHECK_FALSE(run.is_replaying());
    run.throw_body(0, {0, 3, 0});
    advance(run, 4);
    CHECK(run.frame() == 12);
    CHECK(run.first_frame() == 0);
    const auto new_end = run.scene().hash();
    REQUIRE(run.takes().list().size() == 2);
    REQUIRE(run.show_take(1));
    CHECK(run.frame() == 12);
    CHECK(run.is_replaying());
    advance(run, 8);
    CHECK(run.scene().hash() == old_end);
    REQUIRE(run.show_take(2));
    CHECK_MESSAGE(run.frame() == 12, "the nearest it has");
    CHECK(run.scene().hash() == new_end);
    CHECK_FALSE(run.takes().remove(2));
    REQUIRE(run.takes().remove(1));
    CHECK(run.takes().list().size() == 1);
    CHECK(run.takes().bytes() == 13 * bytes / 21);
    CHECK_FALSE(run.show_take(1));
}

TEST_CASE("hands, throws, edits and resets after a scrub leave the recording as it was")
{
    const auto after_a_scrub = [](const auto& what) {
        Playback run(bar());
        advance(run, 10);
        const auto end = run.scene().hash();
        run.seek(4);
        what(run);
        advance(run, 3);
        REQUIRE(run.takes().list().size() == 2);
        CHECK(run.takes().list()[0].last == 10);
        REQUIRE(run.show_take(1));
        run.seek(10);
        CHECK(run.scene().hash() == end);
    };
    const Spot spot{"bar", 0, {1, 0, 0}};
    after_a_scrub([&](Playback& run) { run.grab(1, spot, {0, 3, 0}); });
    after_a_scrub([&](Playback& run) { run.throw_body(0, {1, 0, 0}); });
    after_a_scrub([&](Playback& run) { run.set_ball(Sphere{{0, 1, 0}, 0.2}); });
    after_a_scrub([&](Playback& run) { REQUIRE(run.edit(Json::parse(bar_text(0.05)))); });
    after_a_scrub([&](Playback& run) { run.take_over(bar(0.05)); });
    after_a_scrub([&](Playback& run) { run.reset(); });
}

TEST_CASE("a take keeps the models it was recorded with: it is replayed as it was after the scene became another")
{
    Playback run(bar());
    advance(run, 6);
    const auto end = run.scene().hash();
    const std::uint64_t number = run.stage_number();
    Json finer = Json::parse(bar_text(0.3));
    finer["bodies"][0]["solid"]["bar"]["cells"] = {12, 6, 6};
    CHECK_FALSE(run.take_over(load(finer, &run)));
    CHECK(run.stage_number() != number);
    CHECK(run.frame() == 6);
    advance(run, 4);
    const std::size_t particles = state_of(run, "bar").positions.size();
    REQUIRE(run.takes().list().size() == 2);
    REQUIRE(run.show_take(1));
    CHECK(run.frame() == 6);
    CHECK(run.scene().hash() == end);
    CHECK(state_of(run, "bar").positions.size() == 7 * 4 * 4);
    run.seek(3);
    CHECK(run.step().empty());

    // Going on from there is a matter of the scene as it is now.
    run.go_on_here();
    CHECK(state_of(run, "bar").positions.size() == particles);
    CHECK(run.frame() == 4);
    CHECK(run.step().size() == 1);
    CHECK(run.takes().list().size() == 3);
}

TEST_CASE("for want of memory the oldest takes go first, kept ones never, and all of it is said")
{
    Playback run(bar());
    advance(run, 1);
    const std::size_t moment = run.takes().bytes() / 2;
    run.takes().set_most_bytes(25 * moment);
    advance(run, 9);
    REQUIRE(run.takes().keep(1, true));
    REQUIRE(run.takes().rename(1, "first"));
    run.reset();
    advance(run, 9);
    CHECK(run.takes().news().empty());
    run.reset();
    advance(run, 9);
    auto news = run.takes().news();
    REQUIRE(news.size() == 1);
    CHECK(news[0].find("\"Take 2\" was removed") == 0);
    REQUIRE(run.takes().list().size() == 2);
    CHECK(run.takes().list()[0].name == "first");
    CHECK(run.takes().list()[0].last == 10);
    advance(run, 30);
    CHECK(run.takes().bytes() <= 25 * moment);
    CHECK(run.last_frame() == 39);
    CHECK(run.first_frame() == 39 - 13);
    news = run.takes().news();
    REQUIRE(news.size() == 1);
    CHECK(news[0].find("oldest frames") != std::string::npos);

    REQUIRE(run.takes().keep(3, true));
    advance(run, 3);
    REQUIRE(run.takes().list().size() == 3);
    CHECK(run.takes().list()[1].last == 39);
    CHECK(run.frame() == 42);
    CHECK(run.takes().news().front().find("Recording goes on") != std::string::npos);
}

TEST_CASE("a pin on a body that has moved holds it where it is, and after a reset where it starts, in one piece")
{
    Json scene = Json::parse(bar_text(0.5));
    Playback run(load(scene));
    const Spot spot{"bar", 0, {0.4f, 0.3f, 0.3f}};
    run.throw_body(0, {4, 3, 0});
    advance(run, 20);
    const auto particle = std::size_t(run.particle_at(spot));
    const Vec3 held = state_of(run, "bar").positions[particle];
    const auto largest_edge = [&] {
        const BodyModel& model = run.scene().model(run.scene().bodies()[0]);
        float largest = 0;
        for (const auto& [a, b] : edges_of(model.domain()))
            largest = std::max(largest, length(state_of(run, "bar").positions[a] - state_of(run, "bar").positions[b]));
        return largest;
    };
    const float whole = largest_edge();
    scene = with_pin(scene, run, pin_place(run, spot)).value();
    CHECK(scene["bodies"][0]["pins"].size() == 1);
    CHECK_FALSE(scene["bodies"][0].contains("handles"));
    SUBCASE("at once")
    {
        REQUIRE(run.edit(scene)->waiting.empty());
    }
    SUBCASE("by a scene built anew")
    {
        run.take_over(load(scene, &run));
    }
    advance(run, 1);
    CHECK(length(state_of(run, "bar").positions[particle] - held) < 1e-5f);
    CHECK(largest_edge() < 1.5f * whole);
    advance(run, 60);
    CHECK(length(state_of(run, "bar").positions[particle] - held) < 1e-5f);

    // Another edit does not let it slip.
    scene["bodies"][0]["forces"] = Json::array({{{"acceleration", {0, 1, 0}}}});
    REQUIRE(run.edit(scene));
    advance(run, 5);
    CHECK(length(state_of(run, "bar").positions[particle] - held) < 1e-5f);

    run.reset();
    const Vec3 start = state_of(run, "bar").positions[particle];
    advance(run, 30);
    CHECK(length(state_of(run, "bar").positions[particle] - start) < 1e-5f);
    CHECK(largest_edge() < 1.6f * whole);
}

TEST_CASE("an edit while it moves keeps the motion; at the start it is the new start")
{
    Playback run(bar(0.3));
    advance(run, 15);
    const auto moving = run.scene().hash();
    const bool same = run.take_over(LoadedScene::from_text(bar_text(0.05), ".", "scene", {}, &run.loaded()).value());
    CHECK(same);
    CHECK(run.scene().hash() == moving);
    CHECK(run.frame() == 15);
    CHECK(run.scene().body_settings(run.scene().bodies()[0]).matching.alpha == 0.05f);
    advance(run, 1);
    CHECK(run.frame() == 16);
    run.reset();
    CHECK(run.scene().hash() == Playback(bar()).scene().hash());
    REQUIRE(run.take_over(
        LoadedScene::from_text(bar_text(0.05, R"(, "velocity": [3, 0, 0])"), ".", "scene", {}, &run.loaded()).value()));
    CHECK(run.scene().state(run.scene().bodies()[0]).velocities[0].x == 3);
}

TEST_CASE("bodies keep their motion when others before them come or go, and when they are renamed")
{
    const Json scene = bars({"a", "b", "c"});
    Playback run(load(scene));
    advance(run, 10);
    const BodyState b = state_of(run, "b"), c = state_of(run, "c");
    const auto keep_motion = [&] {
        CHECK(state_of(run, "b").velocities == b.velocities);
        CHECK(state_of(run, "c").positions == c.positions);
    };
    run.take_over(load(bars({"b", "c"}), &run));
    keep_motion();
    CHECK_FALSE(run.find("a"));
    run.take_over(load(bars({"c", "d", "b"}), &run));
    keep_motion();
    CHECK(run.find("b") == 2);
    Json renamed = bars({"c", "d", "b"});
    renamed["bodies"][0]["name"] = "b";  // what another body was called
    renamed["bodies"][0]["id"] = "c";
    renamed["bodies"][2]["name"] = "x";
    renamed["bodies"][2]["id"] = "b";
    CHECK_MESSAGE(run.take_over(load(renamed, &run)), "a name is no part of a model");
    keep_motion();
    CHECK(run.scene().model(*run.loaded().find("b")).name() == "x");
}

TEST_CASE("a hand keeps its body when another one is deleted, and lets go of a deleted one")
{
    Playback run(load(bars({"a", "b"})));
    advance(run, 5);
    const Spot on_a{"a", 0, {1, 0, 0}}, on_b{"b", 0, {1, 0, 0}};
    run.grab(1, on_a, run.position_of(on_a));
    run.grab(2, on_b, run.position_of(on_b) + Vec3{0, 1, 0});
    run.take_over(load(bars({"b"}), &run));
    CHECK(run.holds() == std::vector<int>{2});
    CHECK(run.pull() == doctest::Approx(1));
    CHECK_FALSE(run.is_spot(on_a));
}

TEST_CASE("a pin on one of many copies is its own: the others move on, and it does again when it is freed")
{
    const OpenedScene opened =
        open_scene_file(std::filesystem::path(YAWARA_SOURCE_DIR) / "scenes/jellyfish_swarm.json", true).value();
    const Json& scene = opened.content;
    const std::size_t count = scene["bodies"][0]["instances"].size();
    REQUIRE(count > 7);
    const std::string seventh = "jellyfish/7";
    const Spot spot{seventh, 0, {0.4f, 0.3f, 0.3f}};
    Playback run(load(scene));
    CHECK(run.loaded().pointer(*run.loaded().find(seventh)) == "/bodies/0/instances/6");

    const Json at_start = with_pin(scene, run, pin_place(run, spot)).value();
    Json expected = scene;
    expected["bodies"][0]["instances"][6]["pins"] = at_start["bodies"][0]["instances"][6]["pins"];
    CHECK(at_start == expected);
    CHECK(at_start["bodies"][0]["instances"][6]["pins"].size() == 1);

    advance(run, 12);
    const Json pinned = with_pin(scene, run, pin_place(run, spot)).value();
    CHECK_FALSE(has_null(pinned));
    CHECK_MESSAGE(pinned == at_start, "the pin is one of the body, wherever that is now");

    const auto particle = std::size_t(run.particle_at(spot));
    /// How far the particle goes in some frames, in every copy.
    const auto ways = [&] {
        std::vector<Vec3> from;
        for (std::size_t k = 0; k < count; ++k)
            from.push_back(run.scene().state(run.scene().bodies()[k]).positions[particle]);
        advance(run, 12);
        std::vector<float> far;
        for (std::size_t k = 0; k < count; ++k)
            far.push_back(length(run.scene().state(run.scene().bodies()[k]).positions[particle] - from[k]));
        return far;
    };
    CHECK(run.take_over(load(pinned, &run)));
    const std::vector<float> held = ways();
    for (std::size_t k = 0; k < count; ++k) {
        if (k == 6)
            CHECK(held[k] < 1e-5f);
        else
            CHECK_MESSAGE(held[k] > 1e-3f, k);
    }

    CHECK(with_pin(pinned, run, pin_place(run, spot)).error().message() == "spot: is already pinned");
    Json freed = without_pin(pinned, run, pin_place(run, spot)).value();
    CHECK(freed["bodies"][0]["instances"][6]["pins"].empty());
    run.take_over(load(freed, &run));
    CHECK(ways()[6] > 1e-3f);
    CHECK(without_pin(freed, run, pin_place(run, spot)).error().message() == "spot: this point is not pinned");
    freed["bodies"][0]["instances"][6].erase("pins");
    CHECK(freed == scene);
}

TEST_CASE("what holds all copies of a body goes on to hold the others when one is freed")
{
    Json scene =
        Json::parse(bar_text(0.3, R"(, "pins": [{"select": {"box": {"low": [-9, -9, -9], "high": [9, 0.01, 9]}}},
        {"select": {"box": {"low": [-9, 0.49, -9], "high": [9, 9, 9]}}}],
        "instances": [{}, {"id": "x", "translate": [3, 0, 0]}, {"translate": [6, 0, 0]}])"));
    Playback run(load(scene));
    Spot spot{"bar/x", 0, {1, 0, 0}};
    const std::size_t body = run.number_of(spot);
    while (!run.held_by(body, run.particle_at(spot))) ++spot.triangle;
    const std::size_t grip = *run.held_by(body, run.particle_at(spot));
    const Json freed = without_pin(scene, run, pin_place(run, spot)).value();
    const Json pin = scene["bodies"][0]["pins"][grip];
    Json expected = scene;
    expected["bodies"][0]["pins"].erase(grip);
    for (const int other : {0, 2}) expected["bodies"][0]["instances"][std::size_t(other)]["pins"] = Json::array({pin});
    CHECK(freed == expected);
    run.take_over(load(freed, &run));
    CHECK(run.scene().scripted_grips(*run.loaded().find("bar/1")).size() == 2);
    CHECK(run.scene().scripted_grips(*run.loaded().find("bar/x")).size() == 1);
}

TEST_CASE("a hand pulls what it holds to where it is, and lets go")
{
    Playback run(bar(0.6));
    const Spot spot{"bar", 0, {0.4f, 0.3f, 0.3f}};
    const Vec3 target = run.position_of(spot) + Vec3{0.3f, 0.5f, 0.2f};
    run.grab(1, spot, run.position_of(spot));
    run.drag(1, target);
    CHECK(run.pull() > 0.5f);
    advance(run, 90);
    CHECK(run.pull() < 0.12f);
    CHECK(length(run.position_of(spot) - target) == doctest::Approx(run.pull()));
    const float held = run.position_of(spot).y;
    run.release(1);
    CHECK(run.holds().empty());
    advance(run, 120);
    CHECK(run.position_of(spot).y < held - 0.3f);
}

namespace {

/// The largest stretch of an edge of the first body.
float largest_stretch(Playback& run)
{
    const BodyId id = run.scene().bodies()[0];
    const auto& now = run.scene().state(id).positions;
    const std::span<const Vec3d> rest = run.scene().model(id).rest_positions();
    float largest = 0;
    for (const auto [a, b] : edges_of(run.scene().model(id).domain()))
        largest = std::max(largest, length(now[a] - now[b]) / float(length(rest[a] - rest[b])));
    return largest;
}

/// The triangle whose middle is nearest to a point, and its middle.
Spot spot_near(Playback& run, Vec3 point)
{
    Spot nearest{"block", 0, {0.34f, 0.33f, 0.33f}};
    Spot spot = nearest;
    for (; run.is_spot(spot); ++spot.triangle)
        if (length(run.position_of(spot) - point) < length(run.position_of(nearest) - point)) nearest = spot;
    return nearest;
}

}  // namespace

TEST_CASE("a hand draws no spike out of a soft block that is pinned, wherever and however small it holds it")
{
    const auto scene = [](double alpha, int cells) {
        return Json{{"yawara", 1},
                    {"step", {{"gravity", {0, 0, 0}}}},
                    {"bodies",
                     {{{"name", "block"},
                       {"solid", {{"bar", {{"size", {1, 1, 1}}, {"cells", {cells, cells, cells}}}}}},
                       {"matching", {{"alpha", alpha}}},
                       {"pins", {{{"select", {{"box", {{"low", {-9, -9, -9}}, {"high", {9, 0.01, 9}}}}}}}}}}}}};
    };
    for (const double alpha : {0.005, 0.1})
        for (const int cells : {6, 12})
            for (const Vec3 held : {Vec3{0.5f, 1, 0.5f}, Vec3{0, 1, 0}, Vec3{0.5f, 0.1f, 0.5f}})
                for (const double radius : {0.0, 0.05}) {
                    Playback run(load(scene(alpha, cells)));
                    const Spot spot = spot_near(run, held);
                    const Vec3 from = run.position_of(spot);
                    run.grab(1, spot, from, radius);
                    run.drag(1, from + Vec3{0.6f, 0.8f, 0});
                    float most = 0;
                    for (int frame = 0; frame < 60; ++frame) {
                        run.step();
                        most = std::max(most, largest_stretch(run));
                    }
                    CAPTURE(alpha);
                    CAPTURE(cells);
                    CAPTURE(held.x);
                    CAPTURE(held.y);
                    CAPTURE(radius);
                    CHECK(most < 2.5f);
                }
}

TEST_CASE("a ball dents what it is pressed into and gives its velocity to what it pushes")
{
    Json scene = Json::parse(R"({"yawara": 1, "step": {"gravity": [0, 0, 0]}, "bodies": [{"name": "block",
        "solid": {"bar": {"size": [1, 1, 1], "cells": [12, 12, 12]}}, "matching": {"alpha": 0.2},
        "pins": [{"select": {"box": {"low": [-9, -9, -9], "high": [9, 0.01, 9]}}}]}]})");
    SUBCASE("pressed in quickly by half its radius and more, from above")
    {
        for (const int cells : {6, 12})
            for (const double alpha : {0.02, 0.2}) {
                CAPTURE(cells);
                CAPTURE(alpha);
                scene["bodies"][0]["solid"]["bar"]["cells"] = {cells, cells, cells};
                scene["bodies"][0]["matching"]["alpha"] = alpha;
                Playback run(load(scene));
                run.set_ball(Sphere{{0, 1.6, 0}, 0.25});
                run.step();
                run.set_ball(Sphere{{0, 1.0, 0}, 0.25});  // in one jump
                for (int frame = 0; frame < 30; ++frame) run.step();
                const auto& now = state_of(run, "block").positions;
                const auto& rest = run.scene().model(run.scene().bodies()[0]).rest_positions();
                int above = 0, dented = 0;
                for (std::size_t i = 0; i < now.size(); ++i) {
                    if (rest[i].y < 0.99 || std::hypot(rest[i].x, rest[i].z) > 0.2) continue;
                    above += now[i].y > 1.0f;
                    dented += now[i].y < 0.8f;
                }
                CHECK_MESSAGE(above == 0, "no particle of the top has come out on the other side");
                CHECK(dented >= (cells == 12 ? 5 : 1));
                float nearest = 1;  // of the drawn surface: corners, edges and the insides of triangles
                Spot spot{"block", 0, {}};
                for (; run.is_spot(spot); ++spot.triangle)
                    for (const std::array<float, 3>& weights : {std::array{1.0f, 0.0f, 0.0f},
                                                                {0.5f, 0.5f, 0.0f},
                                                                {0.0f, 0.5f, 0.5f},
                                                                {0.34f, 0.33f, 0.33f}}) {
                        spot.weights = weights;
                        nearest = std::min(nearest, length(run.position_of(spot) - Vec3{0, 1, 0}));
                    }
                CHECK_MESSAGE(nearest > 0.24f, "the ball is seen whole");
            }
    }
    SUBCASE("pushes a free body along at its own speed")
    {
        scene["bodies"][0].erase("pins");
        Playback run(load(scene));
        for (int frame = 0; frame <= 60; ++frame) {
            run.set_ball(Sphere{{-0.9 + frame / 60.0, 0.5, 0}, 0.3});
            run.step();
        }
        Vec3 mean{};
        const auto& velocities = state_of(run, "block").velocities;
        for (const Vec3& v : velocities) mean += v / float(velocities.size());
        CHECK(mean.x > 0.8f);
        CHECK_MESSAGE(mean.x < 2.05f, "an elastic body leaves a wall that comes at 1 m/s with 2 m/s at most");
    }
}

TEST_CASE("a ball pushes a body aside and a throw moves it")
{
    Playback run(bar());
    const auto middle = [&] {
        Vec3 sum;
        for (const Vec3& p : run.scene().state(run.scene().bodies()[0]).positions) sum += p;
        return sum / float(run.scene().state(run.scene().bodies()[0]).positions.size());
    };
    advance(run, 60);
    const Vec3 before = middle();
    for (int k = 0; k < 40; ++k) {
        run.set_ball(Sphere{{-0.9 + 0.01 * k, 0.25, 0}, 0.3});
        advance(run, 1);
    }
    run.set_ball(std::nullopt);
    CHECK(middle().x > before.x + 0.05f);
    CHECK(run.scene().colliders().size() == 1);
    advance(run, 60);
    const Vec3 rest = middle();
    run.throw_body(0, {0, 4, 0});
    advance(run, 10);
    CHECK(middle().y > rest.y + 0.3f);
}

TEST_CASE("a frame holds what was asked for, and nothing else")
{
    Playback run(bar());
    FrameWriter writer;
    writer.start(FrameKind::moving, 7, 0.5, 30);
    run.write_frame(writer, 0, {});
    std::set<int> found;
    for (const ReadSection& section : read_sections(writer.bytes())) found.insert(section.what);
    CHECK(found == std::set<int>{1, 3, 9, 10});

    writer.start(FrameKind::moving, 8, 0.5, 30);
    run.write_frame(writer, 1, {.solid = true, .color = "speed", .cut = CutPlane{{0, 1.2f, 0}, {0, 1, 0}}});
    found.clear();
    for (const ReadSection& section : read_sections(writer.bytes())) {
        found.insert(section.what);
        CHECK(section.run == 1);
    }
    CHECK(found == std::set<int>{1, 3, 4, 5, 6, 7, 8, 9, 10});

    writer.start(FrameKind::moving, 9, 0.5, 30);
    run.write_frame(writer, 0, {.color = "no such quantity"});
    for (const ReadSection& section : read_sections(writer.bytes())) CHECK(section.what != 4);
}

TEST_CASE("lines of finite elements are the edges of the active tets, written when the front changes")
{
    const std::string text =
        R"({"yawara": 1, "bodies": [{"name": "bar", "solid": {"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}},
        "fem": {"levels": 2, "materials": [{"young": 1e5, "poisson": 0.3}],
                "fronts": [{"time": 0}, {"time": 0.05, "boxes": [{"low": [-1, -1, -1], "high": [1, 1, 1], "level": 1}]}]}},
        {"name": "other", "solid": {"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, "place": {"translate": [5, 0, 0]}}]})";
    Playback run(LoadedScene::from_text(text, ".").value());
    FrameWriter writer;
    std::vector<std::uint64_t> known;
    const auto lines = [&](std::uint32_t nodes = 0) {  // `nodes`: only those before it may occur, parents come first
        writer.start(FrameKind::shapes, 1, 0, 0);
        const bool any = run.write_lines(writer, 0, known);
        const std::vector<ReadSection> sections = read_sections(writer.bytes());
        CHECK(any == !sections.empty());
        if (!any) return std::uint32_t(0);
        REQUIRE(sections.size() == 1);
        CHECK(sections[0].what == 21);
        CHECK(sections[0].body == 0);
        for (std::size_t k = 0; k < 2 * sections[0].count; ++k) {
            std::uint32_t node;
            std::memcpy(&node, sections[0].bytes.data() + 4 * k, sizeof node);
            CHECK(node < nodes);
        }
        return sections[0].count;
    };
    const std::uint32_t coarse = lines(8);
    CHECK(coarse == 18);  // a cube of five tets: 12 edges and 6 diagonals
    advance(run, 2);
    CHECK(lines() == 0);
    advance(run, 4);
    // Every edge in two, three more in each of the 16 faces, one in each of the 5 tets.
    CHECK(lines(8 + 18) == 2 * 18 + 3 * 16 + 5);
    CHECK(lines() == 0);
    run.seek(0);
    CHECK(lines(8) == coarse);
    known.clear();  // a page that has just come
    CHECK(lines(8) == coarse);

    writer.start(FrameKind::shapes, 1, 0, 0);
    run.write_shapes(writer, 0);
    for (const ReadSection& section : read_sections(writer.bytes()))
        if (section.what == 21) CHECK(section.body == 1);
}

TEST_CASE("the section of a bar has its area and lies in the plane, turned to the cut side")
{
    const TetMesh solid = make_bar({2, 1, 0.5}, {8, 4, 2});
    std::vector<Vec3> particles;
    std::vector<float> values;
    for (const Vec3d& p : solid.vertices) particles.push_back(p.as<float>()), values.push_back(float(p.x));
    Section3 section;
    const Vec3 normal = normalized(Vec3{1, 0.5f, 0});
    cut_tets(solid.tets, particles, values, {{1, 0.5f, 0.25f}, normal}, section);
    double area = 0;
    for (std::size_t k = 0; k + 2 < section.points.size(); k += 3) {
        const Vec3 twice = cross(section.points[k + 1] - section.points[k], section.points[k + 2] - section.points[k]);
        CHECK(dot(twice, normal) >= -1e-7f);
        area += 0.5 * length(twice);
        CHECK(std::abs(dot(section.points[k] - Vec3{1, 0.5f, 0.25f}, normal)) < 1e-5f);
        CHECK(section.values[k] == doctest::Approx(section.points[k].x).epsilon(1e-4));
    }
    // Straight across it is 1 by 0.5; the slope makes it longer.
    CHECK(area == doctest::Approx(0.5 / double(normal.x)).epsilon(1e-4));
    cut_tets(solid.tets, particles, {}, {{9, 9, 9}, normal}, section);
    CHECK(section.points.empty());
}

TEST_CASE("large surfaces are sent small, and close to what they are")
{
    std::vector<Vec3> points;
    for (int k = 0; k < 1000; ++k) points.push_back({float(k) * 0.01f, std::sin(float(k)), 5});
    std::string bytes(quantised_bytes(points.size()), '\0');
    quantise(points, bytes);
    float box[6];
    std::memcpy(box, bytes.data(), sizeof box);
    for (std::size_t k = 0; k < points.size(); ++k) {
        std::uint16_t packed[4];
        std::memcpy(packed, bytes.data() + sizeof box + 8 * k, sizeof packed);
        const Vec3 back{box[0] + float(packed[0]) / 65535 * box[3], box[1] + float(packed[1]) / 65535 * box[4],
                        box[2] + float(packed[2]) / 65535 * box[5]};
        CHECK(length(back - points[k]) < 2e-4f);
    }
}

TEST_CASE("messages are checked by the schema: what is wrong is said, what is right is let in")
{
    CHECK(read_client_message(R"({"type": "play", "playing": true})").good());
    CHECK(read_client_message(R"({"type": "view", "solid": false, "color": "", "cut": null})").good());
    CHECK(read_client_message(R"({"type": "ball", "center": [0, 1, 2], "radius": 0.5})").good());
    for (const char* text :
         {"", "x", "[]", "{}", R"({"type": 5})", R"({"type": "ply", "playing": true})", R"({"type": "play"})",
          R"({"type": "play", "playing": 1})", R"({"type": "play", "playing": true, "more": 1})",
          R"({"type": "seek", "frame": -1})", R"({"type": "ball", "center": [0, 1], "radius": 0.5})",
          R"({"type": "speed", "factor": 1e99})", R"({"type": "grab", "hold": 1, "spot": {}, "target": [0, 0, 0]})"})
        CHECK_MESSAGE(!read_client_message(text).good(), text);
    CHECK(read_client_message(R"({"type": "ply", "playing": true})").what.find("play") != std::string::npos);
    CHECK_FALSE(read_client_message(std::string(100000, '[')).good());
    CHECK(check_server_message({{"type", "note"}, {"level", "info"}, {"text", "x"}}));
    CHECK_FALSE(check_server_message({{"type", "note"}, {"level", "loud"}, {"text", "x"}}));
}

TEST_CASE("what was recorded is exported, and the player stands where it stood")
{
    Playback run(bar());
    advance(run, 6);
    run.seek(4);
    const auto shown = run.scene().hash();
    for (const char* format : {"glb", "pc2"}) {
        const auto file = export_clip(recorded_take(run), format, "bar", [](std::string_view, double) { return true; });
        REQUIRE(file);
        CHECK(file->bytes.substr(0, 2) == (std::string(format) == "glb" ? "gl" : "PK"));
        CHECK(run.scene().hash() == shown);
        CHECK(run.last_frame() == 6);
    }
    CHECK_FALSE(export_clip(recorded_take(run), "glb", "bar", [](std::string_view, double) { return false; }));
}

TEST_CASE("a take beside another shows the same frame as it was recorded, stays at its end, and is not lost meanwhile")
{
    Player player;
    player.open(bar());
    player.play(false);
    const auto go_to_frame = [&](std::int64_t frame) {
        player.step(int(frame - player.run().frame()));
        while (player.run().frame() < frame) player.advance(true);
    };
    std::map<std::int64_t, std::uint64_t> recorded;
    for (const std::int64_t frame : {0, 5, 20, 30}) {
        go_to_frame(frame);
        recorded[frame] = player.run().scene().hash();
    }
    const int first = player.run().takes().shown().id;
    REQUIRE(player.run().edit(Json::parse(bar_text(0.1))));
    player.reset();
    go_to_frame(20);
    REQUIRE(player.run().scene().hash() != recorded[20]);

    const auto beside = [&]() -> Playback& {
        Playback* found = nullptr;
        player.each([&](Playback& run, int index) {
            if (index == 1) found = &run;
        });
        return *found;
    };
    REQUIRE(player.compare_with_take(first, load(Json::parse(bar_text(0.3)), &player.run())));
    CHECK(beside().scene().hash() == recorded[20]);
    go_to_frame(40);
    CHECK(beside().frame() == 30);
    CHECK(beside().scene().hash() == recorded[30]);
    REQUIRE(player.seek(5));
    CHECK(beside().scene().hash() == recorded[5]);
    CHECK(player.run().takes().shown().id != first);
    CHECK(player.run().takes().remove(first).error().what == "is being compared; end the comparison first");
    player.run().takes().set_most_bytes(1);
    go_to_frame(41);
    CHECK(player.run().takes().find(first) != nullptr);
    player.reset();
    CHECK(beside().scene().hash() == recorded[0]);

    player.end_comparison();
    CHECK_FALSE(player.is_comparing());
    CHECK(player.run().takes().remove(first));
    CHECK(player.compare_with_take(first, load(Json::parse(bar_text(0.3)), &player.run())).error().what ==
          "there is no such take any more");
}

TEST_CASE("a take whose meshes have become others is not shown beside with wrong ones")
{
    Player player;
    player.open(bar());
    const int first = player.run().takes().shown().id;
    Json other = Json::parse(bar_text(0.3));
    other["bodies"][0]["solid"]["bar"]["cells"] = {5, 3, 3};
    CHECK(player.compare_with_take(first, load(other)).error().what == "its meshes have changed");
    CHECK_FALSE(player.is_comparing());
}
