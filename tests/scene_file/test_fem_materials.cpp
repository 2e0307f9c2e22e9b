// Materials of finite-element bodies from volume models and from drawn fibres.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "yawara/fem.h"
#include "yawara/scene_file.h"

using namespace yawara;
using Json = nlohmann::json;

namespace {

Json bar(const Json& material)
{
    Json scene = Json::parse(R"({"yawara": 1, "bodies": [{"name": "bar", "density": 1000,
        "solid": {"bar": {"size": [2, 1, 1], "cells": [4, 2, 2]}}, "fem": {"levels": 1, "cache": false}}]})");
    scene["bodies"][0]["fem"]["materials"] = Json::array({material});
    return scene;
}

ForestView forest_of(const Json& scene)
{
    LoadedScene loaded = LoadedScene::from_text(scene.dump(), ".").value();
    return loaded.scene().model(loaded.scene().bodies()[0]).forest();
}

std::string error_of(const Json& scene)
{
    const auto loaded = LoadedScene::from_text(scene.dump(), ".");
    return loaded ? "" : loaded.error().message();
}

Vec3d center_of(const ForestView& forest, std::size_t t)
{
    Vec3d sum;
    for (std::size_t a = 0; a < 4; ++a) sum += forest.nodes[std::size_t(forest.tets[t][a])] * 0.25;
    return sum;
}

/// Young's modulus of a tensor along a direction: one over the compliance there.
double young_along(const Elasticity& c, Vec3d d)
{
    d = normalized(d);
    double m[6][7];  // C e = s for the unit stress s = d d^T, by elimination
    const double s[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) m[i][j] = c(i, j);
        m[i][6] = s[i];
    }
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 6; ++i) {
            if (i == k) continue;
            const double factor = m[i][k] / m[k][k];
            for (int j = k; j < 7; ++j) m[i][j] -= factor * m[k][j];
        }
    double stretch = 0;
    for (int i = 0; i < 6; ++i) stretch += m[i][6] / m[i][i] * s[i];
    return 1 / stretch;
}

}  // namespace

TEST_CASE("a volume model says how stiff each place of a body is")
{
    Json material = Json::parse(R"({"young": 1000, "poisson": 0.3, "viscosity": {"time": 0.01}, "volume": {"softest": 2,
        "stiffest": 200, "model": {"format": "yawara-cvg", "version": 1, "root": {"op": "union", "args": [
            {"prim": "sphere", "radius": 0.45, "stiffness": 0.5, "transform": {"translate": [0.5, 0, 0]}},
            {"prim": "cube", "side": 4, "stiffness": 0}]}}}})");
    Json scene = bar(material);
    const ForestView forest = forest_of(scene);
    int hard = 0, soft = 0;
    for (std::size_t t = 0; t < forest.tets.size(); ++t) {
        if (forest.tets[t][4] != 1) continue;
        const double distance = length(center_of(forest, t) - Vec3d{0.5, 0, 0});
        if (std::abs(distance - 0.45) < 0.01) continue;  // either side
        const double factor = distance < 0.45 ? 20 : 2;  // half way in the logarithm
        ++(distance < 0.45 ? hard : soft);
        CHECK(young_along(forest.elasticity[t], {1, 2, 3}) == doctest::Approx(1000 * factor).epsilon(1e-6));
        CHECK(forest.viscosity[t](3, 3) == doctest::Approx(0.01 * forest.elasticity[t](3, 3)).epsilon(1e-9));
    }
    CHECK(hard > 20);
    CHECK(soft > 200);

    scene["bodies"][0]["place"]["scale"] = 3;  // the model is in the coordinates before that
    const ForestView larger = forest_of(scene);
    for (std::size_t t = 0; t < forest.tets.size(); ++t)
        if (forest.tets[t][4] == 1)
            CHECK(larger.elasticity[t](0, 0) == doctest::Approx(forest.elasticity[t](0, 0)).epsilon(1e-9));
    Json& volume = scene["bodies"][0]["fem"]["materials"][0]["volume"];
    volume["model"]["root"] =
        Json::parse(R"({"prim": "sphere", "radius": 0.1, "transform": {"translate": [9, 0, 0]}})");
    CHECK(error_of(scene).find("materials[0].volume.model: the body lies wholly outside") != std::string::npos);
    volume["model"] = "nowhere.cvg.json";
    CHECK(error_of(scene).find("nowhere.cvg.json") != std::string::npos);
    volume.erase("stiffest");
    CHECK(error_of(scene).find("stiffest") != std::string::npos);
}

TEST_CASE("fibres follow drawn strokes")
{
    Json material = Json::parse(R"({"fibres": {"young_along": 800, "young_across": 100, "poisson_along": 0.3,
        "poisson_across": 0.3, "shear_along": 50, "strokes": [[[-1, 0, 0], [1, 0, 0]]]}})");
    const ForestView straight = forest_of(bar(material));
    for (const Elasticity& c : straight.elasticity) {
        CHECK(young_along(c, {1, 0, 0}) == doctest::Approx(800).epsilon(0.02));
        CHECK(young_along(c, {0, 1, 0}) == doctest::Approx(100).epsilon(0.02));
    }
    // Along y on the left, along x on the right; in between the direction turns.
    material["fibres"]["strokes"] =
        Json::parse("[[[-1, -0.4, 0], [-1, 0.4, 0]], [[-0.5, -0.4, 0], [-0.5, 0.4, 0]], [[0.5, 0, 0], [1, 0, 0]]]");
    const ForestView turning = forest_of(bar(material));
    double left_y = 0, left_x = 0, right_x = 0, right_y = 0;
    for (std::size_t t = 0; t < turning.tets.size(); ++t) {
        const Elasticity& c = turning.elasticity[t];
        const double along_x = young_along(c, {1, 0, 0}), along_y = young_along(c, {0, 1, 0});
        if (const double x = center_of(turning, t).x; x < -0.85)
            left_y = std::max(left_y, along_y), left_x = std::max(left_x, along_x);
        else if (x > 0.85)
            right_y = std::max(right_y, along_y), right_x = std::max(right_x, along_x);
    }
    CHECK(left_y > 2 * left_x);
    CHECK(right_x > 2 * right_y);
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "yawara_test_fibre_directions.npy";
    std::ofstream(file) << "some file";
    material["fibres"]["directions"] = file.string();
    CHECK(error_of(bar(material)).find("say the same: give one") != std::string::npos);
    std::filesystem::remove(file);
}

TEST_CASE("plasticity of a material is read, and refused where it cannot be")
{
    Json material = Json::parse(R"({"young": 1000000, "plasticity": {"yield": 0.01}})");
    const auto plastic_of = [](const Json& scene) {
        LoadedScene loaded = LoadedScene::from_text(scene.dump(), ".").value();
        return loaded.scene().state(loaded.scene().bodies()[0]).fem.plastic.size();
    };
    CHECK(plastic_of(bar(material)) == 6 * 8 * 5 * 16);  // of all finest tets
    for (const auto& [key, value] : {std::pair{"yield", -0.1}, {"creep", 0.0}, {"limit", -1.0}}) {
        Json wrong = material;
        wrong["plasticity"][key] = value;
        CHECK(error_of(bar(wrong)).find(std::string("materials[0].plasticity.") + key) != std::string::npos);
    }
    Json unknown = material;
    unknown["plasticity"]["flow"] = 1;
    CHECK(error_of(bar(unknown)).find("plasticity") != std::string::npos);
    material["plasticity"] = {{"creep", 10}};
    CHECK(error_of(bar(material)).find("yield") != std::string::npos);
    material.erase("plasticity");
    CHECK(plastic_of(bar(material)) == 0);
}

TEST_CASE("law, elements and muscles of a scene reach the body")
{
    Json scene = bar({{"young", 1000}, {"poisson", 0.49}});
    CHECK(forest_of(scene).law == "stvk");
    CHECK(forest_of(scene).elements == Elements::linear);
    Json& fem = scene["bodies"][0]["fem"];
    fem["law"] = "neo-hookean", fem["elements"] = "nodal";
    fem["muscles"] = Json::parse(R"json([{"direction": [1, 0, 0], "stiffness": "500 * step(0.5, y)", "period": 2,
        "chart": {"keys": [[0, 1], [1, 0.7]]}, "phase": "x", "speed": 2}])json");
    const ForestView forest = forest_of(scene);
    CHECK(forest.law == "neo-hookean");
    CHECK(forest.elements == Elements::nodal);
    CHECK(forest.muscle_tets == 5 * 8 * 16 / 2);  // the upper half of the finest
    // Enlarged, the same places have fibres.
    scene["bodies"][0]["place"] = {{"scale", 3}};
    fem["muscles"][0]["stiffness"] = "500 * step(0.7, y)";
    const std::size_t enlarged = forest_of(scene).muscle_tets;
    scene["bodies"][0].erase("place");
    CHECK(forest_of(scene).muscle_tets == enlarged);
    CHECK(enlarged < 5 * 8 * 16 / 2);

    fem["muscles"][0]["chart"]["keys"][1][1] = -0.7;
    CHECK(error_of(scene).find("bodies[0].fem.muscles[0].chart") != std::string::npos);
    fem["muscles"] = Json::array();
    fem["materials"] = Json::parse(R"([{"fibres": {"young_along": 4000, "young_across": 1000, "shear_along": 400}}])");
    CHECK(error_of(scene).find("neo-hookean needs isotropic materials") != std::string::npos);
}
