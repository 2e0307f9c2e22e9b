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

namespace {

/// Looks from far along -z onto x and y: the picture is the plane, -1 to 1 for -1.5 to 1.5 m around the bar's middle.
Json seen_from_front(const char* body, Json areas, bool through)
{
    const double far = 1000, s = 1 / 1.5;
    Json view = Json::array({s * far, 0, 0, 0, 0, s * far, 0, 0, 0, 0, 0, -1, 0, -5.5 * s * far, 0, far});
    return {{"body", body}, {"view", view}, {"eye", {0, 5.5, far}}, {"areas", std::move(areas)}, {"through", through}};
}

struct Lassoed {
    std::int64_t particles;
    std::vector<std::int32_t> found;  ///< by the selection that was answered, at rest
    Json select;
};

std::vector<std::int32_t> selected(const Json& select, std::span<const Vec3d> rest)
{
    std::vector<std::int32_t> found;
    const auto vector = [](const Json& v) { return Vec3d{v[0], v[1], v[2]}; };
    const auto in = [&](const auto& self, const Json& part, Vec3d p) -> bool {
        if (part == "all") return true;
        if (part.contains("any"))
            return std::ranges::any_of(part["any"], [&](const Json& one) { return self(self, one, p); });
        if (part.contains("sphere"))
            return length(p - vector(part["sphere"]["center"])) <= part["sphere"]["radius"].get<double>();
        const Vec3d low = vector(part["box"]["low"]), high = vector(part["box"]["high"]);
        return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
    };
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (in(in, select, rest[i])) found.push_back(std::int32_t(i));
    return found;
}

Lassoed lasso(Playback& run, const Json& query)
{
    const Snapshot snapshot = take_snapshot(run, true);
    Mirror mirror;
    mirror.show(snapshot);
    REQUIRE(check_query("lasso", query));
    const Json answer = std::get<Json>(answer_lasso(query, snapshot, mirror).value());
    const auto count = answer["particles"].get<std::int64_t>();
    CHECK(std::int64_t(answer["places"].size()) == std::min<std::int64_t>(count, 2000));
    if (count == 0) return {0, {}, answer["select"]};
    return {count, selected(answer["select"], snapshot.bodies[0].model.rest_positions()), answer["select"]};
}

/// A rectangle of the picture, in m around the bar's middle.
Json rectangle(double left, double right, double bottom, double top)
{
    const double s = 1 / 1.5;
    return Json::array({left * s, bottom * s, right * s, bottom * s, right * s, top * s, left * s, top * s});
}

}  // namespace

TEST_CASE("a lasso through a body takes all particles in it, and says so by a box where that is all there is")
{
    Playback run = bar();
    const Lassoed end = lasso(run, seen_from_front("bar", Json::array({rectangle(0.55, 1.2, -1, 1)}), true));
    CHECK(end.particles == 5 * 11 * 11);
    CHECK(std::ssize(end.found) == end.particles);
    CHECK(end.select.contains("box"));
    CHECK(lasso(run, seen_from_front("bar", Json::array({rectangle(-9, 9, -9, 9)}), true)).select == "all");
}

TEST_CASE("a lasso spares the side that is turned away unless it goes through")
{
    Playback run = bar();
    const auto area = Json::array({rectangle(-0.25, 0.25, -0.25, 0.25)});
    const Lassoed seen = lasso(run, seen_from_front("bar", area, false)),
                  all = lasso(run, seen_from_front("bar", area, true));
    const std::span<const Vec3d> rest = run.scene().model(run.scene().bodies()[0]).rest_positions();
    CHECK(all.particles == 5 * 5 * 11);
    CHECK(seen.particles == 5 * 5 * 2);  // the outermost, and one below it
    for (const std::int32_t i : seen.found) CHECK(rest[std::size_t(i)].z > 0.39);
    CHECK(std::ssize(seen.found) == seen.particles);
}

TEST_CASE("a lasso around nothing finds nothing")
{
    Playback run = bar();
    const Lassoed none = lasso(run, seen_from_front("bar", Json::array({rectangle(1.2, 1.4, -1, 1)}), true));
    CHECK(none.particles == 0);
    CHECK(none.select.is_null());
    CHECK_FALSE(answer_lasso(seen_from_front("nobody", Json::array({rectangle(0, 1, 0, 1)}), true),
                             take_snapshot(run, false), *std::make_unique<Mirror>()));
}

TEST_CASE("a selection by lasso is exact on its mesh, of any shape, and means the same place of a finer one")
{
    Playback run = bar();
    // A triangle and a square apart: no box.
    const double s = 1 / 1.5;
    const Json areas = Json::array({Json::array({-0.83 * s, -0.42 * s, -0.23 * s, -0.42 * s, -0.53 * s, 0.42 * s}),
                                    rectangle(0.35, 0.75, -0.25, 0.25)});
    const Lassoed coarse = lasso(run, seen_from_front("bar", areas, true));
    CHECK(coarse.particles > 100);
    CHECK(std::ssize(coarse.found) == coarse.particles);
    const std::span<const Vec3d> rest = run.scene().model(run.scene().bodies()[0]).rest_positions();
    const auto chosen = [&](std::size_t i) { return std::ranges::binary_search(coarse.found, std::int32_t(i)); };
    // Whatever lies nearer to a chosen particle than a third of the spacing is held in every mesh; whatever lies as
    // near to another one is not.
    for (const double shift : {-0.03, 0.03})
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const std::vector<Vec3d> moved{rest[i] + Vec3d{shift, 0, 0}};
            CHECK_MESSAGE(selected(coarse.select, moved).size() == (chosen(i) ? 1 : 0), i);
        }
}

TEST_CASE("a page is told the rest shape of a body, and where pins and handles take hold at the start")
{
    Playback run(LoadedScene::from_text(R"({"yawara": 1, "bodies": [{"name": "bar",
        "solid": {"bar": {"size": [2, 1, 1], "cells": [4, 2, 2]}}, "place": {"scale": 2, "translate": [0, 5, 0]},
        "pins": [{"select": {"plane": {"point": [-1, 0, 0], "normal": [-1, 0, 0]}}}],
        "handles": [{"select": {"plane": {"point": [1, 0, 0], "normal": [1, 0, 0]}}, "path": [{"time": 1, "move": [1, 0, 0]}]}]}]})",
                                        ".")
                     .value());
    for (int k = 0; k < 3; ++k) run.step();
    const Snapshot snapshot = take_snapshot(run, true);
    Mirror mirror;
    const auto shape = answer_rest_shape({{"body", "bar"}}, snapshot, mirror).value();
    const auto& positions = std::get<0>(std::get<BinaryAnswer>(shape).arrays[0]);
    CHECK(positions.size() == 3 * snapshot.bodies[0].surface->vertex_count());
    CHECK(*std::ranges::max_element(positions) == doctest::Approx(2));  // scaled, not moved
    const Json grips = std::get<Json>(answer_grips({{"body", "bar"}}, snapshot, mirror).value())["grips"];
    REQUIRE(grips.size() == 2);
    CHECK(grips[0]["path"] == "/bodies/0/pins/0");
    CHECK(grips[1]["path"] == "/bodies/0/handles/0");
    CHECK(grips[1]["particles"] == 9);
    CHECK(grips[1]["center"][0].get<double>() == doctest::Approx(2));
    CHECK(grips[1]["center"][1].get<double>() == doctest::Approx(6));
    CHECK_FALSE(answer_grips({{"body", "nobody"}}, snapshot, mirror));
}

TEST_CASE("a field with a draft of paint is what the built body would have, on the surface and on the cut")
{
    const Json field{{"base", 0.5},
                     {"coats", {{{"value", 1}, {"radius", 0.4}, {"path", {{-0.5, 1, 0}, {0.5, 1, 0}}}}}},
                     {"range", {0, 1}}};
    // Twice as large: fields speak of the body before its scale.
    const Json document{
        {"yawara", 1},
        {"bodies",
         {{{"name", "bar"},
           {"solid", {{"bar", {{"size", {2, 1, 1}}, {"cells", {20, 10, 10}}}}}},
           {"place", {{"scale", 2}}},
           {"matching", {{"regions", {{"law", "young"}, {"range", {1e4, 1e6}}, {"stiffness", field}}}}}}}}};
    Playback run(LoadedScene::from_text(document.dump(), ".").value());
    const Snapshot snapshot = take_snapshot(run, true);
    const std::vector<float>& built = snapshot.bodies[0].state.matching.stiffness;
    REQUIRE(built.size() == snapshot.bodies[0].model.particle_count());

    Mirror mirror;
    const auto ask = [&](const Json& asked) {
        const Json query{{"body", "bar"},
                         {"field", asked},
                         {"labels", false},
                         {"cut", {{"point", {0, 0, 0.013}}, {"normal", {0, 0, 1}}}}};
        REQUIRE(check_query("field", query));
        return answer_field(query, snapshot, mirror);
    };
    const Answer answer = ask(field).value();
    const auto& arrays = std::get<BinaryAnswer>(answer).arrays;
    const auto& drawn = std::get<0>(arrays[0]);
    std::vector<float> expected(snapshot.bodies[0].model.surface().vertices.size());
    carry_to_surface(snapshot.bodies[0].model.embedding(), built, expected);
    REQUIRE(drawn.size() == snapshot.bodies[0].surface->vertex_count());
    for (std::size_t v = 0; v < drawn.size(); ++v)
        CHECK(drawn[v] == doctest::Approx(expected[std::size_t(snapshot.bodies[0].surface->source()[v])]));

    const auto &points = std::get<0>(arrays[1]), &rests = std::get<0>(arrays[2]), &values = std::get<0>(arrays[3]);
    REQUIRE(points.size() == rests.size());
    REQUIRE(points.size() == 3 * values.size());
    float most = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        for (std::size_t c = 0; c < 3; ++c)
            CHECK(points[3 * k + c] == doctest::Approx(2 * rests[3 * k + c]).epsilon(1e-4));
        CHECK(std::abs(points[3 * k + 2] - 0.013f) < 1e-4f);
        if (rests[3 * k + 1] < 0.55f) CHECK(values[k] == 0.5f);
        most = std::max(most, values[k]);
    }
    CHECK(most == doctest::Approx(1));

    CHECK_FALSE(ask({{"base", 0.5}, {"coats", {{{"value", 1}, {"path", {{0, 1, 0}}}}}}}));  // no radius
    CHECK_FALSE(ask("sin(x"));
}

namespace {

/// A bar, twice as large as its fields say, lifted and turned: nothing of it is where it rests.
struct MovedBar {
    MovedBar()
        : run(LoadedScene::from_text(R"({"yawara": 1, "bodies": [{"name": "bar",
              "solid": {"bar": {"size": [2, 1, 1], "cells": [20, 10, 10]}},
              "place": {"scale": 2, "rotate": {"axis": [0, 0, 1], "degrees": 90}, "translate": [0, 5, 0]}}]})",
                                     ".")
                  .value()),
          snapshot(take_snapshot(run, true))
    {
    }
    /// Where a place in the coordinates of fields is now.
    static Vec3d now(Vec3d p) { return Vec3d{-2 * p.y, 2 * p.x, 2 * p.z} + Vec3d{0, 5, 0}; }

    std::vector<std::variant<std::vector<float>, std::vector<std::uint32_t>>> ask(Result<Answer> (*answer)(const Json&, const Snapshot&, Mirror&), const Json& query)
    {
        const Answer given = answer(query, snapshot, mirror).value();
        return std::get<BinaryAnswer>(given).arrays;
    }
    Playback run;
    Snapshot snapshot;
    Mirror mirror;
};

Vec3d vector_at(const std::vector<float>& numbers, std::size_t k)
{
    return {numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]};
}

}  // namespace

TEST_CASE("a layer of equal depth lies on its level at rest, and where the body is now")
{
    MovedBar bar;
    const Json query{{"body", "bar"}, {"depth", "y + 0.1 * z"}, {"level", 0.52}};
    REQUIRE(check_query("layer", query));
    for (int time = 0; time < 2; ++time) {  // the second answer comes from what was kept
        const auto arrays = bar.ask(answer_layer, query);
        const auto &positions = std::get<0>(arrays[0]), &rests = std::get<0>(arrays[1]), &range = std::get<0>(arrays[3]);
        const auto& triangles = std::get<1>(arrays[2]);
        REQUIRE(rests.size() > 300);
        REQUIRE(positions.size() == rests.size());
        for (std::size_t k = 0; k < rests.size() / 3; ++k) {
            const Vec3d rest = vector_at(rests, k);
            CHECK(std::abs(rest.y + 0.1 * rest.z - 0.52) < 1e-5);
            CHECK(length(vector_at(positions, k) - MovedBar::now(rest)) < 1e-4);
        }
        double area = 0;
        for (std::size_t t = 0; t < triangles.size(); t += 3) {
            const Vec3d a = vector_at(rests, triangles[t]);
            area += length(cross(vector_at(rests, triangles[t + 1]) - a, vector_at(rests, triangles[t + 2]) - a)) / 2;
        }
        CHECK(area == doctest::Approx(2 * std::sqrt(1.01)).epsilon(1e-3));
        CHECK(range[0] == doctest::Approx(-0.05));
        CHECK(range[1] == doctest::Approx(1.05));
    }
    // A depth that is the same everywhere has no layers, which is no mistake.
    CHECK(std::get<1>(bar.ask(answer_layer, {{"body", "bar"}, {"depth", 0}, {"level", 0.5}})[2]).empty());
    CHECK_FALSE(answer_layer({{"body", "bar"}, {"depth", "sin(x"}, {"level", 0.5}}, bar.snapshot, bar.mirror));
    CHECK_FALSE(answer_layer({{"body", "nobody"}, {"depth", 0}, {"level", 0.5}}, bar.snapshot, bar.mirror));
}

TEST_CASE("places of the body at rest are found where it is now, with their depth")
{
    MovedBar bar;
    const Json query{{"body", "bar"}, {"points", {{0.31, 0.4, -0.2}, {-0.9, 1, 0.5}}}, {"depth", "y"}};
    REQUIRE(check_query("places", query));
    const auto arrays = bar.ask(answer_places, query);
    CHECK(length(vector_at(std::get<0>(arrays[0]), 0) - MovedBar::now({0.31, 0.4, -0.2})) < 1e-4);
    CHECK(length(vector_at(std::get<0>(arrays[0]), 1) - MovedBar::now({-0.9, 1, 0.5})) < 1e-4);
    CHECK(std::get<0>(arrays[1])[0] == doctest::Approx(0.4));
    CHECK(std::get<0>(arrays[1])[1] == doctest::Approx(1));
}

TEST_CASE("streamlines of a draft follow its stroke, on the surface, on a layer and on the cut")
{
    MovedBar bar;
    const auto ask = [&](const Json& level, const Json& cut) {
        const Json query{{"body", "bar"},
                         {"depth", "y"},
                         {"direction", {{"strokes", {{{"points", {{-0.8, 0.5, 0}, {0.8, 0.5, 0}}}}}}}},
                         {"level", level},
                         {"cut", cut},
                         {"spacing", 0.05}};
        REQUIRE(check_query("streamlines", query));
        return bar.ask(answer_streamlines, query);
    };
    const auto check = [&](const auto& arrays, auto&& on) {
        const auto &points = std::get<0>(arrays[0]), &strengths = std::get<0>(arrays[1]);
        const auto& starts = std::get<1>(arrays[2]);
        REQUIRE(starts.size() > 3);
        REQUIRE(points.size() == 3 * strengths.size());
        for (std::size_t k = 1; k < strengths.size(); ++k) {
            if (std::ranges::find(starts, k) != starts.end()) continue;
            const Vec3d p = vector_at(points, k), way = p - vector_at(points, k - 1);
            CHECK(strengths[k] > 0.9f);
            CHECK(std::abs(way.y) > 0.98 * length(way));  // along the bar, which stands upright now
            on(p);
        }
    };
    check(ask(nullptr, nullptr), [](Vec3d) {});
    check(ask(0.47, nullptr), [](Vec3d p) { CHECK(std::abs(p.x + 2 * 0.47) < 1e-3); });
    const Json cut{{"point", {0, 5, 0.013}}, {"normal", {0, 0, 1}}};
    // What the cut hides has none, the cut itself has.
    int on_cut = 0;
    check(ask(nullptr, cut), [&](Vec3d p) {
        CHECK(p.z < 0.0131);
        on_cut += std::abs(p.z - 0.013) < 1e-4;
    });
    CHECK(on_cut > 20);
}
