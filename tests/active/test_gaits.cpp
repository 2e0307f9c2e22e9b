#include <doctest/doctest.h>

#include <algorithm>

#include "../sim/bodies.h"
#include "matching/combine.h"
#include "matching/layers.h"
#include "yawara/active.h"

using namespace yawara;
using namespace yawara::test;

namespace {

Charts beating(double period, double least)
{
    Charts charts;
    charts.period = period;
    charts.directions[0] = {{{0, 1}, {0.3 * period, least}, {0.7 * period, 1.1}}, true};
    return charts;
}

/// Fibres along x, a wave along it.
ActiveFields fields_of(const TetMesh& mesh)
{
    FieldsSpec spec;
    spec.direction = std::function<Vec3d(Vec3d)>([](Vec3d) { return Vec3d{1, 0, 0}; });
    spec.depth = [](Vec3d p) { return p.y; };
    spec.phase = [](Vec3d p) { return 0.5 + 0.5 * p.x; };
    return make_fields(spec, mesh).value();
}

const TetMesh& body_mesh()
{
    static const TetMesh mesh = make_bar({2, 1, 1}, {8, 2, 2}, {-1, -0.5, -0.5});
    return mesh;
}

std::vector<Sym3> wanted(const ChartedLayer& layer, double time)
{
    std::vector<Sym3> out(body_mesh().vertices.size());
    active(fields_of(body_mesh()), layer).value()->target(time, out);
    return out;
}

double farthest(const std::vector<Sym3>& a, const std::vector<Sym3>& b)
{
    double most = 0;
    for (std::size_t r = 0; r < a.size(); ++r)
        for (const auto part : {&Sym3::xx, &Sym3::yy, &Sym3::zz, &Sym3::yz, &Sym3::xz, &Sym3::xy})
            most = std::max(most, double(std::abs(a[r].*part - b[r].*part)));
    return most;
}

ChartedLayer walk_and_flee()
{
    ChartedLayer layer{.charts = beating(1.7, 0.8), .speed = 0.6};
    layer.gaits = {{"flee", beating(0.4, 0.6), 2.5}};
    return layer;
}

}  // namespace

TEST_CASE("a gait that counts alone is what a layer with its charts does")
{
    ChartedLayer both = walk_and_flee();
    for (const double time : {-2.3, 0.0, 0.17, 5.123}) {
        both.keys = {{0, {1, 0}}};
        CHECK(farthest(wanted(both, time), wanted({.charts = both.charts, .speed = both.speed}, time)) < 1e-5);
        both.keys = {{0, {0, 1}}};
        const Gait& flee = both.gaits[0];
        CHECK(farthest(wanted(both, time), wanted({.charts = flee.charts, .speed = flee.speed}, time)) < 1e-5);
    }
}

TEST_CASE("gaits of one rhythm are blended by the logarithms of their stretches")
{
    ChartedLayer layer{.charts = beating(1, 0.5)};
    layer.gaits = {{"gentle", beating(1, 0.9), 1}};
    for (const double share : {0.25, 0.5, 0.9}) {
        layer.keys = {{0, {1 - share, share}}};
        const auto a = wanted({.charts = layer.charts}, 0.31), b = wanted({.charts = layer.gaits[0].charts}, 0.31);
        const auto blend = wanted(layer, 0.31);
        for (std::size_t r = 0; r < a.size(); ++r)
            CHECK(std::log(blend[r].xx) ==
                  doctest::Approx((1 - share) * std::log(a[r].xx) + share * std::log(b[r].xx)).epsilon(1e-4));
    }
}

TEST_CASE(
    "from one gait to another of another period the stretch never jumps, and the beat is the integral of its frequency")
{
    ChartedLayer layer = walk_and_flee();
    layer.keys = {{1, {1, 0}}, {3, {0, 1}}, {3.5, {0.4, 0.6}}};
    const double step = 1e-3;
    double cycles = beat(layer, 0).cycles;
    CHECK(cycles == 0);
    auto before = wanted(layer, 0);
    for (int k = 1; k <= 5000; ++k) {
        cycles += step * beat(layer, (k - 0.5) * step).frequency;  // exact but where a key lies within the step
        if (k % 100 != 0) continue;
        CHECK(beat(layer, k * step).cycles == doctest::Approx(cycles).epsilon(1e-9));
        // At most the slope of the faster charts and the turn of the wave.
        before = wanted(layer, (k - 1) * step);
        CHECK(farthest(before, wanted(layer, k * step)) < 0.03);
    }
    CHECK(beat(layer, 2).frequency == doctest::Approx(0.5 / 1.7 + 0.5 / 0.4));
    CHECK(beat(layer, -1).cycles == doctest::Approx(-1 / 1.7));
}

TEST_CASE("a wave that turns round with the gait passes through a standing beat")
{
    ChartedLayer layer{.charts = beating(1, 0.7), .speed = 0.5};
    layer.gaits = {{"back", beating(1, 0.7), -0.5}};
    layer.keys = {{0, {0.5, 0.5}}};
    CHECK(beat(layer, 3).cycles_per_phase == 0);
    const auto now = wanted(layer, 0.4);
    for (const Sym3& T : now) CHECK(T.xx == doctest::Approx(now[0].xx).epsilon(1e-5));
}

TEST_CASE("the strength of a layer is the exponent of its stretches, and 0 changes no bit of the others")
{
    const ChartedLayer once{.charts = beating(1, 0.7)};
    ChartedLayer twice = once, off = once;
    twice.strength = 2;
    off.strength = 0;
    const auto a = wanted(once, 0.3), b = wanted(twice, 0.3);
    for (std::size_t r = 0; r < a.size(); ++r) CHECK(b[r].xx == doctest::Approx(a[r].xx * a[r].xx).epsilon(1e-5));

    const auto body = [&](StretchLayers layers) {
        BodySpec spec;
        spec.solid = Matching{.domain = body_mesh(), .stretch = std::move(layers)};
        return build(spec).value();
    };
    const auto acts = active(fields_of(body_mesh()), once).value(), rests = active(fields_of(body_mesh()), off).value();
    Scene alone(weightless(0.01)), beside(weightless(0.01));
    alone.add(body({acts}));
    beside.add(body({rests, acts, rests}));
    for (int k = 0; k < 30; ++k) alone.substep(), beside.substep();
    CHECK(alone.hash() == beside.hash());
}

TEST_CASE("a period that changes while the muscles move goes on with their beat")
{
    BodySpec spec;
    spec.solid =
        Matching{.domain = body_mesh(), .stretch = {active(fields_of(body_mesh()), beating(1.3, 0.7), 0.8).value()}};
    const BodyModel before = build(spec).value();
    const double time = 7.77;
    const auto layers = going_on(before, {{.charts = beating(0.45, 0.7), .speed = 0.8 * 1.3 / 0.45}}, time);
    const BodyModel after = with_charts(before, layers).value();
    const auto a = wanted_stretch(before, time), b = wanted_stretch(after, time);
    CHECK(farthest(a, b) < 1e-5);
    CHECK(farthest(a, wanted_stretch(with_charts(before, std::vector<ChartedLayer>{{.charts = beating(0.45, 0.7),
                                                                                    .speed = 0.8 * 1.3 / 0.45}})
                                         .value(),
                                     time)) > 0.05);
}

TEST_CASE("wrong gaits are refused with what is wrong")
{
    const auto refusal = [](const std::function<void(ChartedLayer&)>& spoil) {
        ChartedLayer layer = walk_and_flee();
        layer.keys = {{0, {1, 0}}, {1, {0, 1}}};
        spoil(layer);
        const Status status = check(layer);
        return status ? std::string("none") : status.error().message();
    };
    CHECK(refusal([](ChartedLayer&) {}) == "none");
    CHECK(refusal([](ChartedLayer& l) { l.gaits.push_back(l.gaits[0]); }).find("two of this name") !=
          std::string::npos);
    CHECK(refusal([](ChartedLayer& l) { l.gaits[0].speed = 0; }).find("gait \"flee\"") != std::string::npos);
    CHECK(refusal([](ChartedLayer& l) { l.keys[1].time = 0; }).find("not later") != std::string::npos);
    CHECK(refusal([](ChartedLayer& l) { l.keys[1].weights = {0.2, 0.2}; }).find("not 1") != std::string::npos);
    CHECK(refusal([](ChartedLayer& l) { l.keys[1].weights = {1}; }).find("2") != std::string::npos);
}

TEST_CASE("layers of the same muscles are asked as one for what they want together, but not across the examples")
{
    ChartedLayer slow = walk_and_flee(), fast{.charts = beating(0.3, 0.8), .speed = -1.5, .strength = 0.7};
    slow.keys = {{0, {0.3, 0.7}}};
    const StretchLayers layers{active(fields_of(body_mesh()), slow).value(), active(fields_of(body_mesh()), fast).value()};
    const matching::AskedLayers asked = matching::join_layers(layers, 0);
    REQUIRE(asked.layers.size() == 1);
    for (const double time : {-1.2, 0.0, 0.21, 4.4}) {
        std::vector<Sym3> joined(body_mesh().vertices.size()), product = wanted(slow, time);
        asked.layers[0]->target(time, joined);
        matching::combine(product, wanted(fast, time));
        CHECK(farthest(joined, product) < 2e-6);
    }
    const matching::AskedLayers apart = matching::join_layers(layers, 1);
    CHECK(apart.layers == layers);
    CHECK(apart.before_examples == 1);
    CHECK(matching::join_layers(layers, 2).before_examples == 1);

    FieldsSpec across;
    across.direction = std::function<Vec3d(Vec3d)>([](Vec3d) { return Vec3d{0, 1, 0}; });
    const StretchLayers others{layers[0], active(make_fields(across, body_mesh()).value(), fast).value()};
    CHECK(matching::join_layers(others, 0).layers == others);
}
