// Questions of the page, answered from snapshots.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "stream/queries/query.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

/// A bar 2 x 1 x 1, its surface the outer faces: flat sides of squares, sharp edges.
Playback bar()
{
    return Playback(LoadedScene::from_text(R"({"yawara": 1, "bodies": [{"name": "bar",
        "solid": {"bar": {"size": [2, 1, 1], "cells": [20, 10, 10]}}, "place": {"translate": [0, 5, 0]}}]})",
                                           ".")
                        .value());
}

/// A triangle of the top, and its corners at rest.
std::size_t top_triangle(const TriMesh& mesh, Vec3d near)
{
    std::size_t best = 0;
    double least = 1e9;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        Vec3d middle;
        for (const std::int32_t v : mesh.triangles[t]) middle += mesh.vertices[std::size_t(v)] * (1.0 / 3);
        if (length(middle - near) < least) least = length(middle - near), best = t;
    }
    return best;
}

Json spot(std::size_t triangle)
{
    return {{"body", "bar"}, {"triangle", triangle}, {"weights", {1.0 / 3, 1.0 / 3, 1.0 / 3}}};
}

struct Brushed {
    std::vector<std::uint32_t> vertices;
    std::vector<float> weights;
};

Brushed brush(const Snapshot& snapshot, std::size_t triangle, const char* kind, double radius, double angle)
{
    Mirror mirror;
    const Json query{{"spot", spot(triangle)}, {"kind", kind}, {"radius", radius}, {"angle", angle}};
    REQUIRE(check_query("brush", query));
    const auto answer = answer_brush(query, snapshot, mirror).value();
    const auto& arrays = std::get<BinaryAnswer>(answer).arrays;
    return {std::get<1>(arrays[0]), std::get<0>(arrays[1])};
}

}  // namespace

TEST_CASE("every question of the schema has an answer, and every answer a question")
{
    const Json schema = Json::parse(protocol_schema());
    std::size_t asked = 0;
    for (const auto& [name, unused] : schema["$defs"].items())
        if (name.starts_with("query_")) {
            ++asked;
            CHECK_MESSAGE(find_query(name.substr(6)) != nullptr, name);
        }
    CHECK(asked == all_queries().size());
    CHECK_FALSE(find_query("pik"));
}

TEST_CASE("a brush reaches as far on a flat side as a ruler, and around an edge as far as both sides unfolded")
{
    Playback run = bar();
    const Snapshot snapshot = take_snapshot(run, false);
    const TriMesh& rest = snapshot.bodies[0].model.surface();
    const double top = bounds(rest.vertices).high.y;
    const std::size_t triangle = top_triangle(rest, {0, top, 0.3});
    Vec3d middle;
    for (const std::int32_t v : rest.triangles[triangle]) middle += rest.vertices[std::size_t(v)] * (1.0 / 3);
    const double radius = 0.45, front = bounds(rest.vertices).high.z;
    const Brushed brushed = brush(snapshot, triangle, "geodesic", radius, 0);
    std::map<std::int32_t, float> weight_of;
    for (std::size_t k = 0; k < brushed.vertices.size(); ++k)
        weight_of[snapshot.bodies[0].surface->source()[brushed.vertices[k]]] = brushed.weights[k];
    bool around_the_edge = false;
    for (std::size_t v = 0; v < rest.vertices.size(); ++v) {
        const Vec3d p = rest.vertices[v];
        double distance = 1e9;  // on the top, or on the front side unfolded into its plane
        if (p.y > top - 1e-9)
            distance = length(p - middle);
        else if (p.z > front - 1e-9)
            distance = std::hypot(p.x - middle.x, front - middle.z + top - p.y);
        else
            continue;
        const double inside = distance < radius ? 1 - distance * distance / (radius * radius) : 0;
        if (std::abs(distance - radius) < 0.02) continue;
        const auto found = weight_of.find(std::int32_t(v));
        CHECK((found != weight_of.end()) == (inside > 0));
        if (found == weight_of.end()) continue;
        CHECK(found->second == doctest::Approx(inside * inside).epsilon(0.03));
        around_the_edge = around_the_edge || p.y < top - 0.05;
    }
    CHECK(around_the_edge);
}

TEST_CASE("a brush for flat regions stops at edges, one for polygons at its triangle")
{
    Playback run = bar();
    const Snapshot snapshot = take_snapshot(run, false);
    const TriMesh& rest = snapshot.bodies[0].model.surface();
    const DrawnSurface& drawn = *snapshot.bodies[0].surface;
    const double top = bounds(rest.vertices).high.y;
    const std::size_t triangle = top_triangle(rest, {0, top, 0});
    const Brushed flat = brush(snapshot, triangle, "flat", 0, 30);
    CHECK(flat.vertices.size() == 21 * 11);
    for (const std::uint32_t v : flat.vertices)
        CHECK(rest.vertices[std::size_t(drawn.source()[v])].y == doctest::Approx(top));
    CHECK(brush(snapshot, triangle, "flat", 0, 120).vertices.size() == drawn.vertex_count());
    CHECK(brush(snapshot, triangle, "polygon", 0, 0).vertices.size() == 3);
}

TEST_CASE("a hit on the moving body is a place in the rest shape, whatever became of the body")
{
    Playback run = bar();
    for (int k = 0; k < 5; ++k) run.step();
    run.throw_body(0, {3, 0, 1});
    for (int k = 0; k < 5; ++k) run.step();
    const Snapshot snapshot = take_snapshot(run, false);
    Mirror mirror;
    const TriMesh& rest = snapshot.bodies[0].model.surface();
    const auto answer = answer_rest_place({{"spot", spot(17)}}, snapshot, mirror).value();
    Vec3d middle;
    for (const std::int32_t v : rest.triangles[17]) middle += rest.vertices[std::size_t(v)] * (1.0 / 3);
    const Json place = std::get<Json>(answer)["place"];
    CHECK(place[0].get<double>() == doctest::Approx(middle.x));
    CHECK(place[1].get<double>() == doctest::Approx(middle.y));
    CHECK(place[2].get<double>() == doctest::Approx(middle.z));
    CHECK_FALSE(answer_rest_place({{"spot", spot(1'000'000)}}, snapshot, mirror));
}

TEST_CASE("what is picked beside time is what the run itself measures at that moment")
{
    Playback run = bar();
    Mirror mirror;
    for (const int frames : {0, 7, 4}) {
        for (int k = 0; k < frames; ++k) run.step();
        const Snapshot snapshot = take_snapshot(run, true);
        mirror.show(snapshot);
        const Json answer = std::get<Json>(answer_pick({{"spot", spot(40)}}, snapshot, mirror).value());
        const Spot same{"bar", 40, {1.0f / 3, 1.0f / 3, 1.0f / 3}};
        const std::int32_t particle = run.particle_at(same);
        CHECK(answer["particle"] == particle);
        CHECK(answer["region"].get<std::vector<std::int32_t>>() == run.region_of(0, particle));
        CHECK(answer["held"] == false);
        std::size_t k = 0;
        for (const Quantity& quantity : run.quantities(0)) {
            CHECK(answer["values"][k]["label"] == quantity.label);
            CHECK(answer["values"][k++]["value"].get<float>() == run.measure(0, quantity.name, particle));
        }
    }
}
