// The creatures of the gallery do what their descriptions say.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <sstream>

#include "gallery.h"
#include "yawara/active.h"
#include "yawara/quantities.h"

using namespace yawara;
using namespace yawara::test;
using Json = nlohmann::json;

namespace {

Vec3d center(LoadedScene& loaded, std::size_t number)
{
    const BodyId body = loaded.scene().bodies()[number];
    const auto masses = loaded.scene().model(body).masses();
    Vec3d sum;
    double mass = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        sum += loaded.scene().state(body).positions[i].as<double>() * masses[i];
        mass += masses[i];
    }
    return sum / mass;
}

void run(LoadedScene& loaded, int frames)
{
    for (int k = 0; k < frames; ++k) loaded.step();
}

/// A bar with a muscle, as a document.
Json muscle_bar(const Json& fields)
{
    return Json::parse(R"({"yawara": 1, "bodies": [{"name": "bar", "solid": {"bar": {"size": [3, 1, 1], "cells": [6, 2, 2]}},
        "matching": {"stretch": [{"active": {"charts": {"d1": {"keys": [[0, 0.8], [0.5, 1.2]]}}}}]}}]})")
        .patch({{{"op", "add"}, {"path", "/bodies/0/matching/stretch/0/active/fields"}, {"value", fields}}});
}

std::string error_of(const Json& scene)
{
    const auto loaded = LoadedScene::from_text(scene.dump(), ".");
    return loaded ? "" : loaded.error().message();
}

}  // namespace

TEST_CASE("a quick contraction swims forward, a slow one backward, a symmetric one barely")
{
    LoadedScene loaded = load(gallery("jellyfish_strokes"));
    run(loaded, 120);
    double start[3], advance[3];
    for (int k = 0; k < 3; ++k) start[k] = center(loaded, k).y;
    run(loaded, 180);  // three cycles
    for (int k = 0; k < 3; ++k) advance[k] = (center(loaded, k).y - start[k]) / 3;
    CHECK(advance[0] > 0.1);
    CHECK(advance[2] < -0.03);
    CHECK(std::abs(advance[1]) < 0.5 * advance[0]);
}

TEST_CASE("a swimmer goes as far as the plain law of drag takes it")
{
    const double drag = 500;
    const auto advance = [&](bool plainly, int substeps) {
        Json scene = gallery("jellyfish_strokes");
        scene["bodies"] = Json::array({scene["bodies"][0]});
        scene["step"] = {{"dt", 1.0 / 60 / substeps}, {"substeps", 1}, {"gravity", {0, 0, 0}}};
        if (plainly) scene.erase("medium");
        LoadedScene loaded = load(scene);
        const BodyModel& model = loaded.scene().model(loaded.scene().bodies()[0]);
        const std::size_t n = model.particle_count();
        std::vector<std::int32_t> particle_of;
        const TriMesh outer = boundary_surface(std::get<TetMesh>(model.domain()), &particle_of);
        std::vector<Push>& pushes = loaded.scene().pushes(loaded.scene().bodies()[0]);
        for (std::size_t i = 0; i < n && plainly; ++i) pushes.push_back({{std::int32_t(i)}, {}, {}});
        double start = 0;
        for (int k = 0; k < 180 * substeps; ++k) {
            if (k == 60 * substeps) start = center(loaded, 0).y;
            const BodyState& state = std::as_const(loaded.scene()).state(loaded.scene().bodies()[0]);
            std::vector<Vec3d> forces(n);  // -drag A |u| u n on every triangle
            for (const Int3& t : outer.triangles) {
                std::size_t c[3];
                for (std::size_t j = 0; j < 3; ++j) c[j] = std::size_t(particle_of[std::size_t(t[j])]);
                const auto x = [&](std::size_t j) { return state.positions[c[j]].as<double>(); };
                const auto v = [&](std::size_t j) { return state.velocities[c[j]].as<double>(); };
                const Vec3d twice_area = cross(x(1) - x(0), x(2) - x(0));
                const double u = dot(normalized(twice_area), v(0) + v(1) + v(2)) / 3;
                for (const std::size_t i : c) forces[i] -= twice_area * (drag / 6 * std::abs(u) * u);
            }
            for (std::size_t i = 0; i < n && plainly; ++i) pushes[pushes.size() - n + i].force = forces[i].as<float>();
            loaded.step();
        }
        return center(loaded, 0).y - start;
    };
    const double plain = advance(true, 10);
    CHECK(plain > 0.2);
    CHECK(advance(false, 10) == doctest::Approx(plain).epsilon(0.03));
    CHECK(advance(false, 5) == doctest::Approx(advance(true, 5)).epsilon(0.1));
}

TEST_CASE("without a medium the swimmer's centre of mass stays put")
{
    Json scene = gallery("jellyfish_strokes");
    scene.erase("medium");
    LoadedScene loaded = load(scene);
    const Vec3d before = center(loaded, 0);
    run(loaded, 120);
    CHECK(length(center(loaded, 0) - before) < 1e-5);
}

TEST_CASE("a medium of any drag is stable, carries buoyant bodies and drags them along with its current")
{
    Json scene = gallery("jellyfish_strokes");
    scene["medium"] = {{"drag", 500000}, {"current", {1, 0, 0}}};
    LoadedScene loaded = load(scene);
    const double before = center(loaded, 1).x;
    run(loaded, 120);
    CHECK(center(loaded, 1).x - before == doctest::Approx(2).epsilon(0.2));
    scene["medium"] = {{"density", 1000}};
    scene["step"]["gravity"] = {0, -9.8, 0};
    LoadedScene floating = load(scene);
    const double height = center(floating, 1).y;
    run(floating, 60);
    CHECK(center(floating, 1).y == doctest::Approx(height).epsilon(1e-3));
}

TEST_CASE("the heart pumps, and twists the other way with mirrored fibres")
{
    double twist[2];
    for (int mirrored = 0; mirrored < 2; ++mirrored) {
        Json scene = gallery("heart");
        if (mirrored)
            for (Json& f : scene["bodies"][0]["matching"]["stretch"][0]["active"]["fields"]["direction"]) {
                std::string text = f;
                for (std::size_t at; (at = text.find("pi/3")) != std::string::npos;) text.replace(at, 4, "(-1.0471975511965976)");
                f = text;
            }
        LoadedScene loaded = load(scene);
        const auto rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
        double least = 1e9, most = 0, turn = 0;
        for (int k = 0; k < 120; ++k) {
            loaded.step();
            const double volume = cavity_volumes(loaded.scene(), loaded.cavities()).at(0).volume;
            if (k >= 60) {
                most = std::max(most, volume);
                if (volume < least) {
                    least = volume;
                    double sum = 0, weight = 0;
                    for (std::size_t i = 0; i < rest.size(); ++i) {
                        if (rest[i].y > -0.8) continue;
                        const Vec3d now = loaded.scene().state(loaded.scene().bodies()[0]).positions[i].as<double>();
                        sum += rest[i].x * now.z - rest[i].z * now.x;
                        weight += rest[i].x * now.x + rest[i].z * now.z;
                    }
                    turn = std::atan2(sum, weight);
                }
            }
        }
        CHECK(1 - least / most > 0.3);
        twist[mirrored] = turn;
    }
    CHECK(std::abs(twist[0]) > 0.02);
    CHECK(twist[0] * twist[1] < 0);
}

TEST_CASE("the heart drawn with strokes ejects half of what its ventricles hold, and its apex turns")
{
    LoadedScene loaded = load(gallery("heart_ventricles"));
    const auto turn = [&] { return loaded.measures().values(loaded.scene())[0]; };
    double least = 1e9, most = 0, slack = 0, squeezed = 0;
    for (int k = 0; k < 120; ++k) {
        loaded.step();
        const double volume = cavity_volumes(loaded.scene(), loaded.cavities()).at(0).volume;
        if (k < 60) continue;
        if (volume > most) most = volume, slack = turn();
        if (volume < least) least = volume, squeezed = turn();
    }
    CHECK(1 - least / most > 0.45);
    CHECK(1 - least / most < 0.7);
    CHECK(squeezed - slack > 8);
}

TEST_CASE("the coiled intestine carries a bite along")
{
    LoadedScene loaded = load(gallery("intestine_coiled"));
    const BodyId gut = loaded.scene().bodies()[0];
    const std::vector<double>& phase = active_parts(loaded.scene().model(gut))->fields.phase;
    const auto reached = [&] {  // phase of the place of the gut that is nearest to the bite
        const Vec3d bite = center(loaded, 1);
        const auto distance = [&](const Vec3& x) { return length(x.as<double>() - bite); };
        const auto& places = std::as_const(loaded.scene()).state(gut).positions;
        return phase[std::size_t(std::ranges::min_element(places, {}, distance) - places.begin())];
    };
    CHECK(reached() < 0.1);
    double lowest = 1;
    for (int k = 0; k < 150; ++k) {
        loaded.step();
        lowest = std::min(lowest, center(loaded, 1).y);
    }
    CHECK(reached() > 0.25);
    CHECK(reached() < 0.5);  // the wave itself is at 0.32
    CHECK(lowest > 0.16);    // on the table it would be at its radius, 0.12
}

TEST_CASE("constrictions of the intestine travel at the speed of its phase")
{
    const Json scene = gallery("intestine");
    LoadedScene loaded = load(scene);
    const ActiveParts& active = *active_parts(loaded.scene().model(loaded.scene().bodies()[0]));
    const auto rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
    // Slices by phase; the mean distance from the axis of each over one period, its first harmonic.
    constexpr int kSlices = 8;
    const auto slice_of = [&](std::size_t i) { return int((active.fields.phase[i] - 0.1) / 0.8 * kSlices); };
    std::vector<double> c(kSlices, 0.0), s(kSlices, 0.0);
    const int frames = int(std::lround(active.charts.period * 60));
    run(loaded, 2 * frames);
    for (int k = 0; k < frames; ++k) {
        loaded.step();
        for (int j = 0; j < kSlices; ++j) {
            Vec3d middle;
            double count = 0, spread = 0;
            for (std::size_t i = 0; i < rest.size(); ++i)
                if (slice_of(i) == j)
                    middle += loaded.scene().state(loaded.scene().bodies()[0]).positions[i].as<double>(), ++count;
            for (std::size_t i = 0; i < rest.size(); ++i)
                if (slice_of(i) == j)
                    spread += std::abs(double(loaded.scene().state(loaded.scene().bodies()[0]).positions[i].y) -
                                       middle.y / count) /
                              count;
            c[std::size_t(j)] += spread * std::cos(2 * std::numbers::pi * k / frames);
            s[std::size_t(j)] += spread * std::sin(2 * std::numbers::pi * k / frames);
        }
    }
    std::vector<double> delay;
    for (std::size_t j = 0; j < kSlices; ++j) {
        double next = std::atan2(s[j], c[j]);
        while (j > 0 && next < delay.back() - 0.5) next += 2 * std::numbers::pi;
        delay.push_back(next);
    }
    const double seconds = (delay[6] - delay[1]) / (2 * std::numbers::pi) * active.charts.period;
    CHECK(5 * 0.8 / kSlices / seconds == doctest::Approx(active.speed).epsilon(0.1));
}

TEST_CASE("the caterpillar walks with its wave and the snake crawls against it, both head first")
{
    const auto advance = [](const std::string& name, double periods) {
        LoadedScene loaded = load(gallery(name));
        const ActiveParts& active = *active_parts(loaded.scene().model(loaded.scene().bodies()[0]));
        const int frames = int(std::lround(active.charts.period * periods * 60));
        run(loaded, frames);
        const Vec3d from = center(loaded, 0);
        run(loaded, frames);
        return (center(loaded, 0).x - from.x) / periods;
    };
    CHECK(advance("caterpillar", 2) > 0.2);
    CHECK(advance("caterpillar_snake", 1) > 1);
    CHECK(advance("snake", 1) > 1);
}

TEST_CASE("the jellyfish swims apex first, with its tentacles")
{
    LoadedScene loaded = load(gallery("jellyfish"));
    run(loaded, 144);
    const double from = center(loaded, 0).y, trailing = center(loaded, 1).y;
    run(loaded, 72);  // a period
    CHECK(center(loaded, 0).y - from > 0.2);
    CHECK(center(loaded, 1).y - trailing > 0.2);
}

TEST_CASE("the arms of the starfish rise in turn, a fifth of a period apart")
{
    LoadedScene loaded = load(gallery("starfish"));
    const BodyId body = loaded.scene().bodies()[0];
    const auto rest = loaded.scene().model(body).rest_positions();
    std::array<std::size_t, 5> tips{};
    for (std::size_t arm = 0; arm < tips.size(); ++arm) {
        const double angle = std::numbers::pi * (0.5 + 0.4 * double(arm));
        const auto along = [&](const auto& place) { return place.x * std::cos(angle) + place.z * std::sin(angle); };
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (along(rest[i]) > along(rest[tips[arm]])) tips[arm] = i;
    }
    constexpr int kPeriod = 300;  // frames
    run(loaded, kPeriod);
    std::array<int, 5> highest{};
    std::array<float, 5> height{};
    for (int frame = 0; frame < kPeriod; ++frame) {
        loaded.step();
        for (std::size_t arm = 0; arm < tips.size(); ++arm) {
            const float y = loaded.scene().state(body).positions[tips[arm]].y;
            if (y <= height[arm]) continue;
            height[arm] = y;
            highest[arm] = frame;
        }
    }
    for (std::size_t arm = 0; arm < tips.size(); ++arm) {
        CAPTURE(arm);
        CHECK(height[arm] > 0.9);  // it lies at 0.2
        const int later = (highest[(arm + 1) % 5] - highest[arm] + kPeriod) % kPeriod;
        CHECK(later == doctest::Approx(kPeriod / 5).epsilon(0.35));
    }
}

TEST_CASE("the octopus arm reaches farther than it is long, and draws its tip in to two thirds of that")
{
    LoadedScene loaded = load(gallery("octopus_arm"));
    const BodyId body = loaded.scene().bodies()[0];
    const auto rest = loaded.scene().model(body).rest_positions();
    std::size_t tip = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (rest[i].y > rest[tip].y) tip = i;
    const Vec3 foot = loaded.scene().state(body).positions[tip] - Vec3{0, float(rest[tip].y), 0};
    float nearest = 100, farthest = 0;
    for (int frame = 0; frame < 300; ++frame) {  // a period
        loaded.step();
        const float reach = length(loaded.scene().state(body).positions[tip] - foot);
        nearest = std::min(nearest, reach);
        farthest = std::max(farthest, reach);
    }
    CHECK(farthest > 1.05 * rest[tip].y);
    CHECK(nearest < 0.67 * farthest);
}

TEST_CASE("creatures made at the desk have no formula in their muscles, tell how they were made, and are small")
{
    for (const char* name : {"caterpillar", "caterpillar_snake", "heart_ventricles", "intestine_coiled", "jellyfish",
                             "octopus_arm", "snake", "starfish"}) {
        CAPTURE(name);
        const Json scene = gallery(name);
        CHECK(scene["made"].size() >= 4);
        CHECK(scene.dump().size() < 100'000);
        for (const Json& layer : scene["bodies"][0]["matching"]["stretch"]) {
            const Json& fields = layer["active"]["fields"];
            CHECK(fields["direction"].contains("strokes"));
            for (const char* painted : {"amplitude", "phase"}) CHECK(fields[painted].contains("coats"));
            CHECK((fields["depth"].contains("distance") || fields["depth"].contains("coats")));
        }
    }
}

TEST_CASE("steps of how a scene was made are sentences")
{
    Json scene = muscle_bar(Json::object());
    scene["made"] = {"A bar.", "Charts: It swings."};
    CHECK(error_of(scene) == "");
    scene["made"] = {"A bar.", 2};
    CHECK(error_of(scene).find("made[1]") != std::string::npos);
    scene["made"] = "A bar.";
    CHECK(error_of(scene).find("made") != std::string::npos);
}

TEST_CASE("instances share one model, have their own names, places and times")
{
    Json scene = muscle_bar(Json::object());
    scene["bodies"][0]["instances"] = Json::parse(R"([{"translate": [0, 5, 0], "time_offset": 0.25},
        {"rotate": {"axis": [0, 1, 0], "degrees": 90}, "translate": [4, 0, 0], "color": "#ff0000"}])");
    LoadedScene loaded = load(scene);
    REQUIRE(loaded.scene().bodies().size() == 2);
    CHECK(&loaded.scene().model(loaded.scene().bodies()[0]).data() ==
          &loaded.scene().model(loaded.scene().bodies()[1]).data());
    CHECK(loaded.scene().model(loaded.scene().bodies()[0]).name() == "bar_1");
    CHECK(loaded.scene().model(loaded.scene().bodies()[1]).name() == "bar_2");
    CHECK(loaded.looks()[1].color == Vec3{1, 0, 0});
    CHECK(center(loaded, 0).y == doctest::Approx(5.5));
    CHECK(center(loaded, 1).x == doctest::Approx(4));
    const Vec3d extent =
        bounds(std::vector<Vec3d>{loaded.scene().state(loaded.scene().bodies()[1]).positions[0].as<double>(),
                                  loaded.scene().state(loaded.scene().bodies()[1]).positions[6].as<double>()})
            .size();
    CHECK(extent.z == doctest::Approx(3).epsilon(1e-5));
    CHECK(loaded.scene().body_settings(loaded.scene().bodies()[0]).matching.time_offset == 0.25);
}

TEST_CASE("fields are painted by brushes, written as formulas, or read from a file")
{
    const Json ends = Json::parse(R"({"phase": {"paint": [{"brush": "flat", "at": [-1.5, 0.5, 0], "value": 0},
        {"brush": "flat", "at": [1.5, 0.5, 0], "value": 1}]}, "direction": {"strokes": [{"points": [[-1, 1, 0], [1, 1, 0]], "depth": 1}]}})");
    const Json formulas = Json::parse(R"json({"phase": "(x + 1.5)/3", "direction": ["1", "0", "0"]})json");
    const std::string file = "procdef_fields_test.json";
    std::ofstream(file) << formulas.dump();
    for (const Json& fields : {ends, formulas, Json(file)}) {
        Json scene = muscle_bar(fields);
        scene["bodies"][0]["place"] = {{"scale", 2}};
        LoadedScene loaded = load(scene, ".");
        const ActiveFields& built = active_parts(loaded.scene().model(loaded.scene().bodies()[0]))->fields;
        const auto rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
        for (std::size_t i = 0; i < rest.size(); ++i) {
            CHECK(built.phase[i] == doctest::Approx((rest[i].x + 3) / 6).epsilon(1e-6));
            CHECK(std::abs(built.frames[i].c0.x) == doctest::Approx(1));
        }
    }
    std::ofstream(file) << R"({"phase": "x +"})";
    CHECK(error_of(muscle_bar(file)).find("ends where a value is expected") != std::string::npos);
    std::ofstream(file) << R"({"fase": 1})";
    CHECK(error_of(muscle_bar(file)).find("fase") != std::string::npos);
    std::remove(file.c_str());
}

TEST_CASE("mistakes in muscles are told with their place")
{
    const std::string fields = "bodies[0].matching.stretch[0].active.fields";
    CHECK(error_of(muscle_bar({{"phase", "1/(x*0)"}})).find("not finite at particle") != std::string::npos);
    CHECK(error_of(muscle_bar({{"phase", "foo(x)"}})).starts_with(fields + ".phase"));
    CHECK(error_of(muscle_bar(Json::parse(R"({"phase": {"paint": [{"brush": "stroke", "at": [0, 9, 0], "radius": 0.1, "value": 1}]}})")))
              .find("touches no vertex") != std::string::npos);
    CHECK(error_of(muscle_bar(Json::parse(R"({"phase": {"paint": [{"vertex": 4000, "value": 1}]}})"))).find("vertex 4000 of") != std::string::npos);
    Json scene = muscle_bar(Json::object());
    scene["bodies"][0]["matching"]["stretch"][0]["active"]["charts"]["d1"]["keys"] = {{0, 0.8}, {1, 0.9}};
    CHECK(error_of(scene).find("key 0 at 0 s and key 1 at 1 s") != std::string::npos);
    scene["bodies"][0]["matching"]["stretch"][0]["active"]["charts"]["d1"]["keys"] = {{0, 0.8}, {0.5, 0.9}, {1, 0.8}};
    CHECK(error_of(scene) == "");
    scene["bodies"][0]["matching"]["stretch"][0]["active"]["charts"]["limit"] = 1;
    CHECK(error_of(scene) == "");
    scene["bodies"][0]["matching"]["stretch"][0]["active"]["charts"]["limit"] = 0.999;
    CHECK(error_of(scene).find("0.999 is outside [1, 100]") != std::string::npos);
    scene = muscle_bar(Json::object());
    scene["bodies"][0]["cavity"] = {{"depth", -1}};
    CHECK(error_of(scene).find("least depth") != std::string::npos);
}

TEST_CASE("the creatures have the sizes of the paper and whole walls")
{
    // Euler's number of the outer surface: 2 for a bell, a cup and a worm, 0 for a tube. A hole in a wall takes 2 off.
    struct Creature {
        const char* scene;
        int particles, euler;
    };
    for (const auto& [name, particles, euler] : {Creature{"jellyfish", 854, 2},
                                                 {"caterpillar", 470, 2},
                                                 {"heart", 1302, 2},
                                                 {"intestine", 1576, 0},
                                                 {"jellyfish_swarm", 315, 2},
                                                 {"jellyfish_strokes", 315, 2},
                                                 {"caterpillar_crowd", 73, 2}}) {
        LoadedScene loaded = load(gallery(name));
        const BodyModel& model = loaded.scene().model(loaded.scene().bodies()[0]);
        CAPTURE(name);
        CHECK(std::abs(int(model.particle_count()) - particles) <= particles / 100);
        const TriMesh outside = boundary_surface(solid_of(model.domain()));
        std::map<std::pair<int, int>, int> edges;
        for (const Int3& t : outside.triangles)
            for (std::size_t k = 0; k < 3; ++k) ++edges[std::minmax(t[k], t[(k + 1) % 3])];
        CHECK(int(outside.vertices.size()) - int(edges.size()) + int(outside.triangles.size()) == euler);
        CHECK(std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 2; }));
    }
}
