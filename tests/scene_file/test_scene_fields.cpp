// Fields in scenes: the same forms at every key that takes one.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "yawara/active.h"
#include "yawara/io.h"
#include "yawara/quantities.h"
#include "yawara/scene_file.h"

using namespace yawara;
using Json = nlohmann::json;

namespace {

/// A folder of its own, gone at the end.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("yawara_fields_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
};

Json body_of(const char* solid)
{
    return {{"name", "a"}, {"solid", Json::parse(solid)}};
}
Json bar()
{
    return body_of(R"({"bar": {"size": [2, 1, 1], "cells": [4, 2, 2]}})");
}
Json lattice()
{
    return body_of(R"({"lattice": {"box": {"size": [2, 1, 1], "cells": [4, 2, 2]}}})");
}
/// Stiffness 1 and red on the right, 0.25 and green on the left.
Json volume()
{
    return body_of(R"({"cell": 0.25, "volume": {"format": "yawara-cvg", "version": 1, "root": {"op": "union", "args": [
        {"prim": "cube", "side": [1, 1, 1], "stiffness": 1, "color": [1, 0, 0], "transform": {"translate": [0.5, 0, 0]}},
        {"prim": "cube", "side": [1, 1, 1], "stiffness": 0.25, "color": [0, 1, 0], "transform": {"translate": [-0.5, 0, 0]}}]}}})");
}
Json muscle(Json body, const Json& fields)
{
    body["matching"]["stretch"] = Json::parse(R"([{"active": {"charts": {"d1": {"keys": [[0, 0.8], [0.5, 1.2]]}}}}])");
    body["matching"]["stretch"][0]["active"]["fields"] = fields;
    return body;
}
Json elements(const Json& material)
{
    Json body = bar();
    body["fem"] = {{"levels", 1}, {"cache", false}, {"materials", Json::array({material})}};
    return body;
}

Result<LoadedScene> loaded(const Json& body, const std::filesystem::path& folder = ".")
{
    return LoadedScene::from_text(Json{{"yawara", 1}, {"bodies", Json::array({body})}}.dump(), folder);
}
BodyModel model_of(const Json& body, const std::filesystem::path& folder = ".")
{
    LoadedScene scene = loaded(body, folder).value();
    return scene.scene().model(scene.scene().bodies()[0]);
}
std::string error_of(const Json& body)
{
    auto scene = loaded(body);
    return scene ? "" : scene.error().message();
}

/// Forms of the field that is 0.5 + 0.25 x on solids from x = -1 to 1.
std::vector<std::pair<const char*, Json>> linear_forms(const std::filesystem::path& folder, std::span<const Vec3d> rest)
{
    std::vector<double> values;
    for (const Vec3d& p : rest) values.push_back(0.5 + 0.25 * p.x);
    const std::size_t shape[] = {values.size()};
    REQUIRE(save_npy(folder / "linear.npy", shape, std::span<const double>(values)));
    return {
        {"formula", "0.5 + 0.25*x"},
        {"array", "linear.npy"},
        {"values", {{"values", "linear.npy"}}},
        {"list", {{"values", values}}},
        {"paint", Json::parse(R"({"paint": [{"at": [-1, 0, 0], "value": 0.25}, {"at": [1, 0, 0], "value": 0.75}]})")},
        {"brush", Json::parse(R"({"filling": "harmonic", "paint": [{"brush": "flat", "at": [-1, 0.5, 0], "value": 0.25},
                                                                      {"brush": "flat", "at": [1, 0.5, 0], "value": 0.75}]})")},
        {"coats", Json::parse(R"({"base": 0.5, "coats": [{"brush": "gradient", "value": 0.25, "to": 0.75,
                                                          "path": [[-1, 0, 0], [1, 0, 0]]}]})")},
        {"coats over coats",
         Json::parse(R"({"base": {"base": "0.1 + 0.25*x", "coats": [{"brush": "select", "op": "add", "value": 0.3}]},
                                             "coats": [{"brush": "select", "op": "add", "value": 0.1}], "range": [0, 1]})")},
        {"parts",
         {{"base", "0.5 + 0.25*x"},
          {"parts",
           Json::parse(R"([{"select": {"box": {"low": [-1, 0, -1], "high": [-1, 2, 1]}}, "value": 0.25}])")}}}};
}

}  // namespace

TEST_CASE("every form of a field says the same for stiffness, alphas, amplitude, phase and density")
{
    const Folder folder;
    const BodyModel plain = model_of(lattice());
    for (const auto& [form, field] : linear_forms(folder.path, plain.rest_positions())) {
        CAPTURE(form);
        Json body = lattice();
        body["matching"]["regions"] = {{"stiffness", field}, {"alphas", field}};
        body["density"] = field;
        body["masses"] = "uniform";
        auto scene = loaded(muscle(body, {{"amplitude", field}, {"phase", field}}), folder.path);
        const std::string complaint = scene ? "" : scene.error().message();
        CAPTURE(complaint);
        REQUIRE(scene);
        const BodyModel& model = scene->scene().model(scene->scene().bodies()[0]);
        const ActiveFields& fields = active_parts(model)->fields;
        for (std::size_t i = 0; i < plain.particle_count(); ++i) {
            const double expected = 0.5 + 0.25 * plain.rest_positions()[i].x;
            CHECK(scene->scene().state(scene->scene().bodies()[0]).matching.stiffness[i] ==
                  doctest::Approx(expected).epsilon(1e-6));
            CHECK(fields.amplitude[i] == doctest::Approx(expected).epsilon(1e-6));
            CHECK(fields.phase[i] == doctest::Approx(expected).epsilon(1e-6));
            CHECK(model.masses()[i] / model.masses()[0] == doctest::Approx(expected / 0.25).epsilon(1e-6));
        }
    }
}

TEST_CASE("density by a formula gives the mass of its integral, for matching and for finite elements")
{
    // (1 + x / 2) over a bar of 2 m^3 about x = 0, and its first moment: 2/3 * 1/2.
    for (Json body : {bar(), lattice(), elements({{"young", 1e5}})}) {
        body["density"] = "100*(1 + x/2)";
        body["place"] = {{"scale", 2}};  // eight times the volume, formulas as before
        const BodyModel model = model_of(body);
        double mass = 0, moment = 0;
        for (std::size_t i = 0; i < model.particle_count(); ++i) {
            mass += model.masses()[i];
            moment += model.masses()[i] * model.rest_positions()[i].x / 2;
        }
        CHECK(mass == doctest::Approx(1600).epsilon(1e-9));
        CHECK(moment == doctest::Approx(800.0 / 3).epsilon(0.2));  // of lumps
    }
    Json body = elements(
        {{"young", 1e5},
         {"density",
          Json::parse(R"([{"select": {"plane": {"point": [0, 0, 0], "normal": [1, 0, 0]}}, "value": 300}])")}});
    body["density"] = 100;
    const BodyModel model = model_of(body);
    const std::span<const double> masses = model.masses();
    CHECK(std::accumulate(masses.begin(), masses.end(), 0.0) ==
          doctest::Approx(400));  // what is not in a part has the body's
}

TEST_CASE("amplitude by selections: parts over a base, or over what would hold without them")
{
    const Json right =
        Json::parse(R"([{"select": {"plane": {"point": [0.4, 0, 0], "normal": [1, 0, 0]}}, "value": -1}])");
    for (const Json& field : {Json{{"base", 0.5}, {"parts", right}}, Json{{"parts", right}}, right}) {
        const double base = field.is_object() && field.contains("base") ? 0.5 : 1;
        const BodyModel model = model_of(muscle(bar(), {{"amplitude", field}}));
        for (std::size_t i = 0; i < model.particle_count(); ++i)
            CHECK(active_parts(model)->fields.amplitude[i] == (model.rest_positions()[i].x > 0.45 ? -1 : base));
    }
}

TEST_CASE("moduli of finite elements by paint, by formula and by arrays of vertices or of finest tets")
{
    const Folder folder;
    const auto young_of = [&](const Json& material) {
        const ForestView forest = model_of(elements(material), folder.path).forest();
        std::vector<std::pair<double, double>> out;  // x and Young's modulus of every finest tet
        for (std::size_t t = 0; t < forest.tets.size(); ++t) {
            if (forest.tets[t][4] != 1) continue;
            double x = 0;
            for (std::size_t a = 0; a < 4; ++a) x += forest.nodes[std::size_t(forest.tets[t][a])].x / 4;
            const Elasticity& c = forest.elasticity[t];
            const double lambda = c(0, 1), mu = c(3, 3);
            out.push_back({x, mu * (3 * lambda + 2 * mu) / (lambda + mu)});
        }
        return out;
    };
    const BodyModel plain = model_of(bar());
    std::vector<double> vertices, tets;
    for (const Vec3d& p : plain.rest_positions()) vertices.push_back(2 + p.x);
    for (const auto& [x, young] : young_of({{"young", 1000}})) tets.push_back(2 + x);
    const std::size_t vertex_shape[] = {vertices.size()}, tet_shape[] = {tets.size()};
    REQUIRE(save_npy(folder.path / "vertices.npy", vertex_shape, std::span<const double>(vertices)));
    REQUIRE(save_npy(folder.path / "tets.npy", tet_shape, std::span<const double>(tets)));
    const Json paint = Json::parse(R"({"paint": [{"at": [-1, 0, 0], "value": 1}, {"at": [1, 0, 0], "value": 3}]})");
    const Json coats = Json::parse(
        R"({"base": 1, "coats": [{"brush": "gradient", "value": 1, "to": 3, "path": [[-1, 0, 0], [1, 0, 0]]}]})");
    for (const Json& material :
         {Json{{"young", 1000}, {"factor", paint}}, Json{{"young", 1000}, {"factor", coats}},
          Json{{"young", 1000}, {"factor", "vertices.npy"}}, Json{{"young", 1000}, {"factor", "tets.npy"}},
          Json{{"young", 1000}, {"factor", "2 + x"}}, Json{{"young", "1000*(2 + x)"}}})
        for (const auto& [x, young] : young_of(material)) CHECK(young == doctest::Approx(1000 * (2 + x)).epsilon(1e-6));
    CHECK(error_of(elements({{"young", 1000}, {"factor", "x"}})).find("bodies[0].fem.materials[0].factor: is -") == 0);
    CHECK(error_of(
              elements({{"young", 1000},
                        {"factor", Json::parse(R"({"base": 1, "coats": [{"path": [[0, 0, 0]], "radius": 1}]})")}})) ==
          "bodies[0].fem.materials[0].factor.coats[0]: \"set\" needs a \"value\"");
    CHECK(error_of(elements({{"young", "x"}})).find("bodies[0].fem.materials[0].young: is -") == 0);
    CHECK(error_of(elements({{"young", 1000}, {"poisson", "1"}})).find("bodies[0].fem.materials[0].poisson: is 1") ==
          0);
}

TEST_CASE("directions of fibres are fields too: numbers, formulas, arrays, strokes, parts")
{
    const auto along_y = [](const Json& direction) {
        Json fibres = Json::parse(R"({"young_along": 800, "young_across": 100, "shear_along": 50})");
        fibres["direction"] = direction;
        const ForestView forest = model_of(elements({{"fibres", fibres}})).forest();
        return std::pair(forest.elasticity.back()(1, 1), forest.elasticity.back()(0, 0));
    };
    for (const Json& direction :
         {Json::parse("[0, 2, 0]"), Json::parse(R"(["x*0", "1", "0"])"), Json::parse(R"([0, "1", 0])"),
          Json::parse(R"({"strokes": [{"points": [[0, 0, 0], [0, 1, 0]]}]})"),
          Json::parse(R"({"parts": [{"value": [0, 1, 0]}]})")}) {
        const auto [yy, xx] = along_y(direction);
        CHECK(yy > 4 * xx);
    }
}

TEST_CASE("groups of examples by formula, by paint and by parts")
{
    const Json paint = Json::parse(
        R"({"paint": [{"at": [-1, 0, 0], "value": 0}, {"at": [0.1, 0, 0], "value": 1}, {"at": [1.1, 0, 0], "value": 2}]})");
    const Json parts = Json::parse(R"([{"select": {"plane": {"point": [-0.45, 0, 0], "normal": [1, 0, 0]}}, "value": 1},
                                       {"select": {"plane": {"point": [0.6, 0, 0], "normal": [1, 0, 0]}}, "value": 2}])");
    for (const Json& labels : {Json("step(-0.45, x) + step(0.6, x)"), paint, parts}) {
        Json body = bar();
        body["matching"]["examples"] = {
            {"poses", Json::parse(R"([{"name": "twist", "deform": [{"twist": {"degrees": 90}}]}])")},
            {"groups", {{"labels", labels}}}};
        auto scene = loaded(body).value();
        CHECK(scene.scene().model(scene.scene().bodies()[0]).example_groups() == 3);
        QuantityGauge gauge(scene.scene());
        std::vector<float> groups(scene.scene().model(scene.scene().bodies()[0]).particle_count());
        REQUIRE(gauge.measure("group", scene.scene(), scene.scene().bodies()[0], groups));
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const double x = scene.scene().model(scene.scene().bodies()[0]).rest_positions()[i].x;
            CHECK(groups[i] == (x > 0.55 ? 2 : x > -0.46 ? 1 : 0));
        }
    }
    Json body = bar();
    body["matching"]["examples"] = {
        {"poses", Json::parse(R"([{"name": "twist", "deform": [{"twist": {"degrees": 90}}]}])")},
        {"groups", {{"labels", "x*2000"}}}};
    CHECK(error_of(body).find("bodies[0].matching.examples.groups: is -2000 at particle 0") == 0);
}

TEST_CASE("a coat that reaches nothing is told once, whatever it paints")
{
    const auto painted = [](double base) {  // through the air, past the body
        return Json{
            {"base", base},
            {"coats",
             Json::parse(
                 R"([{"path": [[0, 3, 0]], "radius": 0.1, "reach": "through", "along": [1, 0, 0], "value": 1}])")}};
    };
    const auto told = [&](const Json& body, const std::string& place) {
        const LoadedScene scene = loaded(body).value();
        CAPTURE(place);
        const auto is_it = [&](const std::string& warning) {
            return warning.starts_with("bodies[0]." + place + ".coats[0]: reaches no place of the body");
        };
        return std::ranges::count_if(scene.warnings(), is_it) == 1;
    };
    Json heavy = bar();
    heavy["density"] = painted(1000);
    CHECK(told(heavy, "density"));
    Json stiff = lattice();
    stiff["matching"]["regions"] = {{"stiffness", painted(0.5)}};
    CHECK(told(stiff, "matching.regions.stiffness"));
    stiff["matching"]["regions"] = {{"alphas", painted(0.5)}};
    CHECK(told(stiff, "matching.regions.alphas"));
    CHECK(told(muscle(bar(), {{"phase", painted(0)}}), "matching.stretch[0].active.fields.phase"));
    CHECK(told(elements({{"young", 1000}, {"factor", painted(1)}}), "fem.materials[0].factor"));
    Json posed = bar();
    posed["matching"]["examples"] = {
        {"poses", Json::parse(R"([{"name": "twist", "deform": [{"twist": {"degrees": 90}}]}])")},
        {"groups", {{"labels", painted(0)}}}};
    CHECK(told(posed, "matching.examples.groups.labels"));
}

TEST_CASE("channels of the volume a body is made of: phase by colour, stiffness remapped, parts over the model's own")
{
    for (const char* as : {"lattice", "tets"}) {
        Json body = volume();
        body["solid"]["as"] = as;
        body["place"] = {{"scale", 3}};
        const BodyModel model = model_of(
            muscle(body, {{"phase", {{"channel", "r"}}},
                          {"amplitude", Json::parse(R"({"channel": "stiffness", "remap": [[0.25, -1], [1, 1]]})")}}));
        const ActiveFields& fields = active_parts(model)->fields;
        int right = 0, left = 0;
        for (std::size_t i = 0; i < model.particle_count(); ++i) {
            const double x = model.rest_positions()[i].x;
            if (std::abs(x) < 0.8) continue;
            ++(x > 0 ? right : left);
            CHECK(fields.phase[i] == doctest::Approx(x > 0 ? 1 : 0));
            CHECK(fields.amplitude[i] == doctest::Approx(x > 0 ? 1 : -1));
        }
        CHECK(std::min(left, right) > 10);
    }
    Json body = volume();
    body["matching"]["regions"]["stiffness"] =
        Json::parse(R"([{"select": {"plane": {"point": [0.6, 0, 0], "normal": [1, 0, 0]}}, "value": 0.5}])");
    auto own = loaded(volume()).value(), changed = loaded(body).value();
    const std::span<const Vec3d> rest = own.scene().model(own.scene().bodies()[0]).rest_positions();
    for (std::size_t i = 0; i < rest.size(); ++i)
        CHECK(changed.scene().state(changed.scene().bodies()[0]).matching.stiffness[i] ==
              (rest[i].x > 0.6 - 1e-6 ? 0.5f : own.scene().state(own.scene().bodies()[0]).matching.stiffness[i]));
    // Asked by name, the particles of a lattice have the same stiffness to the bit.
    body["matching"]["regions"]["stiffness"] = {{"channel", "stiffness"}};
    LoadedScene by_name = loaded(body).value();
    CHECK(by_name.scene().state(by_name.scene().bodies()[0]).matching.stiffness ==
          own.scene().state(own.scene().bodies()[0]).matching.stiffness);

    CHECK(error_of(muscle(volume(), {{"phase", {{"channel", "stifness"}}}})) ==
          "bodies[0].matching.stretch[0].active.fields: phase: there is no channel \"stifness\", did you mean "
          "\"stiffness\"? "
          "(they are opacity, r, g, b, stiffness)");
    CHECK(error_of(muscle(bar(), {{"phase", {{"channel", "r"}}}})).find("only a body made of a volume model") !=
          std::string::npos);
}

TEST_CASE("widths by formula and by channel are whole numbers")
{
    Json body = lattice();
    body["matching"]["regions"] = {{"widths", "1 + 2*step(0.1, x)"}};
    auto scene = loaded(body).value();
    const RegionReach reach = region_reach(scene.scene().model(scene.scene().bodies()[0]),
                                           scene.scene().state(scene.scene().bodies()[0]), 1.0 / 300);
    for (std::size_t i = 0; i < reach.reach.size(); ++i) {
        const int w = scene.scene().model(scene.scene().bodies()[0]).rest_positions()[i].x > 0.1 ? 3 : 1;
        CHECK(reach.reach[i] == Int3{w, w, w});
    }
    body["matching"]["regions"] = {{"widths", "1 + 40*step(0.1, x)"}};
    CHECK(error_of(body).find("bodies[0].matching.regions.widths: is 41 at particle") == 0);
    body["matching"]["regions"] = {{"widths", Json::parse("[1, 2, 3]")}};
    auto uneven = loaded(body).value();
    CHECK(region_reach(uneven.scene().model(uneven.scene().bodies()[0]),
                       uneven.scene().state(uneven.scene().bodies()[0]), 1.0 / 300)
              .reach[0] == Int3{1, 2, 3});
}

TEST_CASE("fields that cannot be are refused with their place in the document")
{
    Json body = lattice();
    body["density"] = "x";
    CHECK(error_of(body).find("bodies[0].density: is -1 at particle 0") == 0);
    body["density"] = "1 +";
    CHECK(error_of(body).find("bodies[0].density: ") == 0);
    CHECK(error_of(body).find("ends where a value is expected") != std::string::npos);
    body["density"] = {{"values", {1, 2, 3}}};
    CHECK(error_of(body) == "bodies[0].density: 3 values for 45 particles");
    body["density"] = {{"chanel", "r"}};
    CHECK(error_of(body).find("bodies[0].density") == 0);
    body = lattice();
    body["matching"]["regions"] = {{"stiffness", 1.5}};
    CHECK(error_of(body) == "bodies[0].matching.regions.stiffness: 1.5 is outside [0, 1]");
    body["matching"]["regions"] = {{"stiffness", Json::parse(R"([{"value": 1.5}])")}};
    CHECK(error_of(body).find("bodies[0].matching.regions.stiffness: is 1.5 at particle 0") == 0);
    body["matching"]["regions"] = {
        {"stiffness", Json::parse(R"([{"select": {"sphere": {"center": [9, 9, 9], "radius": 1}}, "value": 1}])")}};
    CHECK(error_of(body).find("bodies[0].matching.regions.stiffness[0].select: selects no particle") == 0);
    body["matching"]["regions"] = {{"widths", 1.5}};
    CHECK(error_of(body).find("bodies[0].matching.regions.widths") == 0);
    const Folder folder;
    std::ofstream(folder.path / "muscle.json") << R"({"phase": {"values": [1, 2]}})";
    const auto scene = loaded(muscle(lattice(), "muscle.json"), folder.path);
    REQUIRE(!scene);
    CHECK(scene.error().message().find("bodies[0].matching.stretch[0].active.fields: ") == 0);
    CHECK(scene.error().message().ends_with("muscle.json: phase: 2 values for 45 particles"));
}
