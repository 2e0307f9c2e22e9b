// Measures against shapes that are known; tests/scene_file/test_examples.cpp has those of scenes.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "sim/bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// Twists a body about y: nothing at y = 0, `degrees` at y = 1.4.
void twist(Scene& scene, BodyId body, double degrees)
{
    const auto rest = scene.model(body).rest_positions();
    for (std::size_t i = 0; i < rest.size(); ++i)
        scene.state(body).positions[i] =
            (rotation(Vec3d{0, 1, 0}, degrees * std::numbers::pi / 180 * rest[i].y / 1.4) * rest[i]).as<float>();
}

}  // namespace

TEST_CASE("measures give what is known of a moved, stretched and twisted bar")
{
    Scene scene;
    const BodyId body = scene.add(bar()), other = scene.add(bar(), {}, {.move = {3, 0, 0}});
    Measures measures;
    const auto add = [&](auto what) {
        MeasureSpec spec;
        spec.body = body;
        spec.what = what;
        CHECK(measures.add(std::move(spec), scene));
    };
    add(MeasureExtent{1});
    add(MeasureTwist{1});
    add(MeasureCenter{0});
    add(MeasureVolume{});
    add(MeasureDistance{other});
    CHECK(measures.infos()[0].label == "Extent along y (m)");
    CHECK(measures.values(scene)[4] == doctest::Approx(0));

    for (Vec3& p : scene.state(body).positions) p = {p.x + 2, 1.5f * p.y, p.z};
    std::vector<double> now = measures.values(scene);
    CHECK(now[0] == doctest::Approx(2.1));
    CHECK(now[1] == doctest::Approx(0));
    CHECK(now[2] == doctest::Approx(center_of_mass(scene, body).x));
    CHECK(now[3] == doctest::Approx(0.5 * 2.1 * 0.5));
    CHECK(now[4] > 2);
    for (Vec3& p : scene.state(other).positions) p = {p.x + 2, 1.5f * p.y, p.z};
    CHECK(measures.values(scene)[4] == doctest::Approx(0));

    for (const double degrees : {90.0, -270.0}) {
        twist(scene, body, degrees);
        CHECK(measures.values(scene)[1] == doctest::Approx(degrees).epsilon(1e-4));
    }
}

TEST_CASE("the distance between two points follows both bodies, wherever in them the points are")
{
    Scene scene;
    const BodyId body = scene.add(bar()), other = scene.add(bar(), {}, {.move = {3, 0, 0}});
    const Vec3d a{0.03, 0.51, -0.07}, b{-0.11, 1.02, 0.13};
    Measures measures;
    for (const BodyId end : {body, other}) {
        MeasureSpec spec;
        spec.body = body;
        spec.what = MeasurePoints{end, a, b};
        REQUIRE(measures.add(std::move(spec), scene));
    }
    CHECK(measures.values(scene)[0] == doctest::Approx(length(b - a)).epsilon(1e-5));
    CHECK(measures.values(scene)[1] == doctest::Approx(length(b + Vec3d{3, 0, 0} - a)).epsilon(1e-5));
    // Any affine motion is followed exactly.
    const auto moved = [](Vec3d p) { return Vec3d{2 * p.x + 0.3 * p.y + 1, 0.5 * p.y - 2, p.z + 0.1 * p.x}; };
    for (Vec3& p : scene.state(body).positions) p = moved(p.as<double>()).as<float>();
    CHECK(measures.values(scene)[0] == doctest::Approx(length(moved(b) - moved(a))).epsilon(1e-5));
    CHECK(measures.values(scene)[1] == doctest::Approx(length(b + Vec3d{3, 0, 0} - moved(a))).epsilon(1e-5));
    REQUIRE(scene.remove(other));
    CHECK(std::isnan(measures.values(scene)[1]));
    CHECK_FALSE(std::isnan(measures.values(scene)[0]));
}

TEST_CASE("a measure goes on with the particles of a body that was replaced")
{
    Scene scene;
    const BodyId body = scene.add(bar());
    Measures measures;
    REQUIRE(measures.add({.name = "twist", .label = "t", .body = body, .what = MeasureTwist{1}}, scene));
    REQUIRE(scene.replace(body, bar({0.5, 1.4, 0.5}, {5, 14, 5})));
    twist(scene, body, 500);
    CHECK(measures.values(scene)[0] == doctest::Approx(500).epsilon(1e-4));
    REQUIRE(scene.remove(body));
    CHECK(std::isnan(measures.values(scene)[0]));
}

TEST_CASE("what cannot be measured is refused by the part of its description")
{
    Scene scene;
    const BodyId body = scene.add(bar()), coarse = scene.add(bar({0.5, 1.4, 0.5}, {1, 2, 1}));
    Measures measures;
    const auto where = [&](MeasureSpec spec) { return measures.add(std::move(spec), scene).error().where; };
    CHECK(where({.name = "", .label = "", .body = BodyId{}, .what = MeasureVolume{}}) == "body");
    CHECK(where({.name = "", .label = "", .body = body, .what = MeasureExtent{3}}) == "axis");
    CHECK(where({.name = "", .label = "", .body = body, .what = MeasureWeight{"bent"}}) == "example");
    CHECK(where({.name = "", .label = "", .body = body, .what = MeasureDistance{BodyId{}}}) == "other");
    CHECK(where({.name = "", .label = "", .body = body, .what = MeasureDistance{coarse}}) == "");
    CHECK(measures.infos().empty());
    CHECK(measures.values(scene).empty());
}
