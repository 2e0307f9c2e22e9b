// What is measured of muscles at work, and what is doubted about them.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "../sim/bodies.h"
#include "yawara/doubts.h"
#include "yawara/measures.h"

using namespace yawara;
using namespace yawara::test;

namespace {

FieldsSpec along_x()
{
    FieldsSpec fields;
    fields.direction = std::function<Vec3d(Vec3d)>([](Vec3d) { return Vec3d{1, 0, 0}; });
    return fields;
}

Charts pulse(double period, double least)
{
    Charts charts;
    charts.period = period;
    charts.directions[0] = {{{0, 1}, {0.2 * period, least}, {0.3 * period, least}, {0.5 * period, 1}}, true};
    return charts;
}

BodyModel body_of(const TetMesh& mesh, const FieldsSpec& fields, const ChartedLayer& layer)
{
    BodySpec spec;
    spec.solid = Matching{.domain = mesh, .stretch = {active(make_fields(fields, mesh).value(), layer).value()}};
    return build(spec).value();
}

BodySettings firm()
{
    BodySettings settings;
    settings.matching.passes = 10;
    settings.matching.accelerate = true;
    settings.matching.region_damping = 0.1f;
    return settings;
}

/// A square ring: a plate without its middle.
TetMesh ring()
{
    const TetMesh plate = make_bar({2, 2, 0.4}, {12, 12, 2}, {-1, -1, -0.2});
    TetMesh out;
    std::vector<int> number(plate.vertices.size(), -1);
    for (Int4 tet : plate.tets) {
        Vec3d middle;
        for (const std::int32_t v : tet) middle += plate.vertices[std::size_t(v)] / 4;
        if (std::max(std::abs(middle.x), std::abs(middle.y)) < 0.6) continue;
        for (std::int32_t& v : tet) {
            int& known = number[std::size_t(v)];
            if (known < 0) {
                known = int(out.vertices.size());
                out.vertices.push_back(plate.vertices[std::size_t(v)]);
            }
            v = known;
        }
        out.tets.push_back(tet);
    }
    return out;
}

bool doubts(const std::vector<MuscleDoubt>& all, MuscleDoubt::Kind kind)
{
    return std::ranges::any_of(all, [&](const MuscleDoubt& doubt) { return doubt.kind == kind; });
}

}  // namespace

TEST_CASE("asked and achieved stretch at a place are the chart's and that of the body")
{
    const TetMesh mesh = make_bar({2, 0.4, 0.4}, {10, 2, 2}, {-1, 0, -0.2});
    Charts charts;
    charts.directions[0].keys = {{0, 0.8}};
    Scene scene(weightless(0.01));
    const BodyId body = scene.add(body_of(mesh, along_x(), {.charts = charts}), firm());
    Measures measures;
    REQUIRE(measures.add({"asked", "", body, MeasureFiber{{0.1, 0.2, 0}, true}}, scene));
    REQUIRE(measures.add({"achieved", "", body, MeasureFiber{{0.1, 0.2, 0}, false}}, scene));
    CHECK(measures.values(scene)[0] == doctest::Approx(0.8));
    CHECK(measures.values(scene)[1] == doctest::Approx(1));
    for (int k = 0; k < 600; ++k) scene.substep();
    CHECK(measures.values(scene)[1] == doctest::Approx(0.8).epsilon(0.01));
    CHECK(measures.infos()[0].label == measures.infos()[1].label);

    QuantityGauge gauge(scene);
    std::vector<float> asked(mesh.vertices.size()), beyond(asked);
    REQUIRE(gauge.measure("asked", scene, body, asked));
    REQUIRE(gauge.measure("shortfall", scene, body, beyond));
    for (std::size_t i = 0; i < asked.size(); ++i) {
        CHECK(asked[i] == doctest::Approx(-0.2).epsilon(1e-4));
        CHECK(std::abs(beyond[i]) < 0.02);
    }
}

TEST_CASE("a wave is measured at the speed it was given, and a crawl by how far it goes in a period")
{
    const double length = 4, period = 1;
    const TetMesh mesh = make_bar({length, 0.4, 0.4}, {32, 3, 3}, {-2, 0, -0.2});
    FieldsSpec fields = along_x();
    fields.phase = [&](Vec3d p) { return 0.5 + p.x / length; };
    for (const double speed : {0.7, -0.9}) {
        Scene scene(SceneSettings{.dt = 1.0 / 60, .substeps = 2});
        scene.add(Collider{.shape = Plane{}, .friction = 0.7f});
        const BodyId body = scene.add(body_of(mesh, fields, {.charts = pulse(period, 0.75), .speed = speed}), firm());
        Measures measures;
        REQUIRE(measures.add({"wave", "", body, MeasureWave{}}, scene));
        REQUIRE(measures.add({"advance", "", body, MeasureAdvance{0}}, scene));
        REQUIRE(measures.add({"x", "", body, MeasureCenter{0}}, scene));
        std::vector<double> places;
        std::vector<double> now;
        for (int frame = 0; frame < 240; ++frame) {
            scene.step();
            now = measures.values(scene);
            places.push_back(now[2]);
            if (frame == 10) CHECK(std::isnan(now[0]));
        }
        CHECK(now[0] == doctest::Approx(speed * length).epsilon(0.05));
        CHECK(now[1] == doctest::Approx(places[239] - places[179]).epsilon(1e-6));
        CHECK(now[1] * speed > 0);  // [ProcDef] 4.9: with the wave
    }
}

TEST_CASE("measures of muscles refuse a body without any, and a depth that no wall has")
{
    const TetMesh mesh = make_bar({1, 0.4, 0.4}, {4, 2, 2});
    Scene scene(weightless(0.01));
    BodySpec without;
    without.solid = Matching{.domain = mesh};
    const BodyId plain = scene.add(build(std::move(without)).value());
    FieldsSpec deep = along_x();
    deep.depth = 0.5;
    const BodyId body = scene.add(body_of(mesh, deep, {.charts = pulse(1, 0.8)}));
    Measures measures;
    CHECK(measures.add({"a", "", plain, MeasureAdvance{0}}, scene).error().where == "body");
    CHECK(measures.add({"c", "", body, MeasureCavity{0.2}}, scene).error().where == "depth");
    REQUIRE(measures.add({"c", "", body, MeasureCavity{0.6}}, scene));
    CHECK(std::abs(measures.values(scene)[0]) == doctest::Approx(0.16).epsilon(1e-3));
}

TEST_CASE("a bend over fewer than four cells is doubted where it is, one over four is not")
{
    for (const int cells : {2, 3, 4, 6}) {
        const TetMesh mesh = make_bar({2, 0.4, 0.4}, {20, cells, cells}, {-1, -0.2, -0.2});
        FieldsSpec fields = along_x();
        fields.amplitude = [](Vec3d p) { return p.y / 0.2; };
        const auto found = muscle_doubts(body_of(mesh, fields, {.charts = pulse(1, 0.8)}), firm().matching, 0.01);
        CHECK(doubts(found, MuscleDoubt::Kind::coarse_bend) == (cells < 4));
    }
    // Along the fibres it only stretches.
    const TetMesh mesh = make_bar({2, 0.4, 0.4}, {6, 2, 2}, {-1, -0.2, -0.2});
    FieldsSpec fields = along_x();
    fields.amplitude = [](Vec3d p) { return p.x; };
    CHECK(muscle_doubts(body_of(mesh, fields, {.charts = pulse(1, 0.8)}), firm().matching, 0.01).empty());
}

TEST_CASE("directions that are unknown over a part are doubted there")
{
    const TetMesh mesh = make_bar({2, 0.4, 0.4}, {20, 3, 3}, {-1, -0.2, -0.2});
    FieldsSpec fields;
    fields.direction = std::function<Vec3d(Vec3d)>([](Vec3d p) { return p.x < 0.3 ? Vec3d{1, 0, 0} : Vec3d{}; });
    const auto found = muscle_doubts(body_of(mesh, fields, {.charts = pulse(1, 0.8)}), firm().matching, 0.01);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == MuscleDoubt::Kind::unknown_direction);
    CHECK(found[0].place.x > 0.3);
    CHECK(
        muscle_doubts(body_of(mesh, fields, {.charts = pulse(1, 0.8), .strength = 0}), firm().matching, 0.01).empty());
}

TEST_CASE("a wave faster than the body is doubted, by its passes and by its modulus")
{
    const TetMesh mesh = make_bar({4, 0.4, 0.4}, {40, 4, 4}, {-2, -0.2, -0.2});
    FieldsSpec fields = along_x();
    fields.phase = [](Vec3d p) { return 0.5 + p.x / 4; };
    const auto doubted = [&](double speed, const MatchingSettings& settings) {
        return doubts(muscle_doubts(body_of(mesh, fields, {.charts = pulse(1, 0.8), .speed = speed}), settings, 0.01),
                      MuscleDoubt::Kind::fast_wave);
    };
    MatchingSettings one;  // 0.7 cells in a step of 0.01 s: 7 m/s
    CHECK(!doubted(0.8, one));
    CHECK(doubted(1.0, one));
    MatchingSettings nine = one;
    nine.passes = 9;
    CHECK(!doubted(2.5, nine));
    CHECK(doubted(2.8, nine));
    MatchingSettings young = one;
    young.young = 1e5f;  // 10 m/s in a body of 1000 kg/m^3
    CHECK(!doubted(1.2, young));
    CHECK(doubted(1.3, young));
}

TEST_CASE("a jump of the phase around a ring is doubted, unless it is whole periods")
{
    const TetMesh mesh = ring();
    FieldsSpec fields = along_x();
    fields.phase = [](Vec3d p) { return 0.5 + std::atan2(p.y + 0.01, p.x) / (2 * std::numbers::pi); };
    const auto doubted = [&](double speed) {
        return doubts(
            muscle_doubts(body_of(mesh, fields, {.charts = pulse(1, 0.8), .speed = speed}), firm().matching, 1e-3),
            MuscleDoubt::Kind::phase_jump);
    };
    CHECK(doubted(0.8));
    CHECK(!doubted(1.0));
    CHECK(!doubted(0.5));
    // A part with a phase of its own, as the atria of a heart have, is meant.
    fields.phase = [](Vec3d p) { return p.x < 0 ? 0.0 : 0.4 + 0.2 * p.x; };
    CHECK(!doubted(0.8));
    fields.phase = [](Vec3d p) { return p.x < 0 ? -0.1 * p.x : 0.5 + 0.2 * p.x; };
    CHECK(doubted(0.8));
}

TEST_CASE("strokes that say nothing, lie off the body or run along the depth are told with their places")
{
    const TetMesh mesh = make_bar({2, 0.4, 0.4}, {20, 4, 4}, {-1, -0.2, -0.2});
    const auto warnings = [&](Strokes strokes) {
        FieldsSpec spec;
        spec.depth = [](Vec3d p) { return p.y; };
        spec.direction = std::move(strokes);
        std::string all;
        for (const std::string& warning : make_fields(spec, mesh).value().warnings) all += warning + "\n";
        return all;
    };
    const Stroke good{{{-0.5, 0, 0}, {0.5, 0, 0}}};
    CHECK(warnings({{good}}).empty());
    CHECK(warnings({{good, {{{0.3, 0, 0}, {0.3, 0, 0}}}}}).find("stroke 1 is a single point") != std::string::npos);
    CHECK(warnings({{{{{-0.5, 3, 0}, {0.5, 3, 0}}}}}).find("stroke 0 is off the body") != std::string::npos);
    const std::string along = warnings({{{{{0, -0.2, 0}, {0, 0.2, 0}}}}});
    CHECK(along.find("run along the depth at 100 %") != std::string::npos);
    CHECK(along.find("near (") != std::string::npos);
}
