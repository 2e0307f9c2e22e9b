// Lattice bars that have a Young's modulus, held by one layer of particles as people hold them, against beam theory:
// for any cell, step and width of their regions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "yawara/scene_file.h"
#include "yawara/settle.h"

using namespace yawara;

namespace {

constexpr double kDensity = 1000;

struct Bar {
    int length, thickness;  ///< cells
    double cell, dt, young;
    std::string material;  ///< of "matching"
    int clamp = 0;         ///< cells that are held besides
};

/// How far the free end of a bar goes at rest, along x if pulled and down if not, over what it should by theory.
double modulus_found(const Bar& bar, bool pulled)
{
    const double length = bar.length * bar.cell, thickness = bar.thickness * bar.cell;
    const double wanted = (pulled ? 0.002 : 0.01) * length;
    const double by_unit_gravity =
        kDensity * length * length / bar.young *
        (pulled ? 0.5 : 12 * length * length / (8 * thickness * thickness) + 1.2);  // bending and shear, nu = 0
    const double gravity = wanted / by_unit_gravity;
    const int cells = bar.length + bar.clamp;
    const std::string text = fmt::format(
        R"({{ "yawara": 1, "step": {{ "dt": {}, "substeps": 1, "gravity": [{}, {}, 0] }},
              "bodies": [ {{ "name": "bar", "density": {}, "matching": {},
                "solid": {{ "lattice": {{ "box": {{ "size": [{}, {}, {}], "cells": [{}, {}, {}] }} }} }},
                "pins": [ {{ "select": {{ "plane": {{ "point": [{}, 0, 0], "normal": [-1, 0, 0] }} }} }} ] }} ] }})",
        bar.dt, pulled ? gravity : 0, pulled ? 0 : -gravity, kDensity, bar.material, cells * bar.cell, thickness,
        thickness, cells, bar.thickness, bar.thickness, (bar.clamp - cells * 0.5 + 0.01) * bar.cell);
    LoadedScene loaded = LoadedScene::from_text(text, ".").value();
    for (const std::string& warning : loaded.warnings()) CHECK(warning.find("substeps") == std::string::npos);
    REQUIRE(settle(loaded.scene()));
    const auto& rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
    const Box3 box = bounds(rest);
    double moved = 0;
    int count = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (rest[i].x > box.high.x - 0.5 * bar.cell) {
            const Vec3d way = loaded.scene().state(loaded.scene().bodies()[0]).positions[i].as<double>() - rest[i];
            moved += pulled ? way.x : -way.y;
            ++count;
        }
    return wanted / (moved / count);
}

std::string by_law(double young, const std::string& more = "")
{
    return fmt::format(R"({{ "regions": {{ "law": "young", "range": [{}, {}], "stiffness": 1{} }} }})", young, young,
                       more);
}

}  // namespace

TEST_CASE("a bar that one layer holds stretches as its Young's modulus says, for any cell and step")
{
    for (const double dt : {1.0 / 60, 1.0 / 240})
        for (const double cell : {0.05, 0.1})
            for (const double young : {5e4, 5e5}) {
                CAPTURE(dt);
                CAPTURE(cell);
                CAPTURE(young);
                const int length = cell < 0.1 ? 40 : 20;
                CHECK(modulus_found({length, 3, cell, dt, young, by_law(young)}, true) ==
                      doctest::Approx(1).epsilon(0.08));
                CHECK(modulus_found({length, 3, cell, dt, young, fmt::format(R"({{ "young": {} }})", young)}, true) ==
                      doctest::Approx(1).epsilon(0.08));
            }
    // wide regions in a thick bar, a thin grip and a deep one
    for (const int clamp : {0, 1, 3}) {
        CAPTURE(clamp);
        CHECK(modulus_found({30, 9, 0.05, 1.0 / 120, 1e5, by_law(1e5), clamp}, true) ==
              doctest::Approx(1).epsilon(0.08));
    }
    CHECK(modulus_found({20, 3, 0.05, 1.0 / 120, 1e5, by_law(1e5, R"(, "classes": [4])")}, true) ==
          doctest::Approx(1).epsilon(0.1));
    // with short steps a body starts slowly, but does not rest
    CHECK(modulus_found({10, 3, 0.05, 1.0 / 1000, 1e5, by_law(1e5)}, true) == doctest::Approx(1).epsilon(0.08));
}

TEST_CASE("a bar that one layer holds sags as its Young's modulus says, with two cells across as with many")
{
    for (const double dt : {1.0 / 60, 1.0 / 240})
        for (const int thickness : {2, 3, 4, 8}) {
            CAPTURE(dt);
            CAPTURE(thickness);
            CHECK(modulus_found({30, thickness, 0.05, dt, 2e5, by_law(2e5)}, false) ==
                  doctest::Approx(1).epsilon(0.06));
        }
    CHECK(modulus_found({20, 2, 0.1, 1.0 / 120, 2e5, R"({ "young": 2e5 })"}, false) ==
          doctest::Approx(1).epsilon(0.06));
    // wide regions resist the curvature of each layer more than narrow ones
    CHECK(modulus_found({30, 10, 0.05, 1.0 / 120, 2e5, by_law(2e5)}, false) == doctest::Approx(1).epsilon(0.12));
}

TEST_CASE("a step too long for a modulus and a body too thin for it are told, with what would do")
{
    const auto warnings = [](double dt, int across) {
        const LoadedScene loaded =
            LoadedScene::from_text(
                fmt::format(
                    R"({{ "yawara": 1, "step": {{ "dt": {}, "substeps": 1 }}, "bodies": [ {{ "name": "bar", "matching": {},
                  "solid": {{ "lattice": {{ "box": {{ "size": [1, {}, 0.2], "cells": [20, {}, 4] }} }} }} }} ] }})",
                    dt, by_law(1e6), 0.05 * across, across),
                ".")
                .value();
        return std::vector<std::string>(loaded.warnings().begin(), loaded.warnings().end());
    };
    REQUIRE(warnings(1.0 / 60, 2).size() == 1);
    CHECK(warnings(1.0 / 60, 2)[0].find("2 substeps would be enough") != std::string::npos);
    CHECK(warnings(1.0 / 120, 2).empty());
    REQUIRE(warnings(1.0 / 120, 1).size() == 1);
    CHECK(warnings(1.0 / 120, 1)[0].find("with 1 cells across it bends about 300 % stiffer") != std::string::npos);
}

TEST_CASE("a bar of two materials settles where stiffness and rule say, however slow its soft half is")
{
    // Soft length that is missing, in cells, as [CVG] 10.2 measures it: widths 12 and 1, alphas 1 and 0.1.
    const auto lost = [](const std::string& rule) {
        constexpr int kHalf = 36, kReach = 30;
        LoadedScene loaded =
            LoadedScene::from_text(
                fmt::format(
                    R"({{ "yawara": 1, "step": {{ "dt": 0.0166666, "substeps": 1, "gravity": [0, 0, 0] }},
                "bodies": [ {{ "name": "bar", "masses": "uniform",
                  "solid": {{ "lattice": {{ "box": {{ "size": [72, 3, 3], "cells": [72, 3, 3] }} }} }},
                  "matching": {{ "regions": {{ "rule": "{}", "rigid": 2, "stiffness": [ {{ "value": 0.2 }},
                    {{ "value": 1, "select": {{ "plane": {{ "point": [0, 0, 0], "normal": [-1, 0, 0] }} }} }} ] }} }},
                  "pins": [ {{ "select": {{ "plane": {{ "point": [-35.9, 0, 0], "normal": [-1, 0, 0] }} }} }} ],
                  "handles": [ {{ "select": {{ "plane": {{ "point": [35.9, 0, 0], "normal": [1, 0, 0] }} }},
                                 "path": [ {{ "time": 0, "move": [0.36, 0, 0] }} ] }} ] }} ] }})",
                    rule),
                ".")
                .value();
        REQUIRE(settle(loaded.scene()));
        std::vector<double> layers(2 * kHalf + 1, 0.0);
        for (std::size_t i = 0; i < loaded.scene().state(loaded.scene().bodies()[0]).positions.size(); ++i)
            layers[std::size_t(std::lround(loaded.scene().model(loaded.scene().bodies()[0]).rest_positions()[i].x) +
                               kHalf)] += double(loaded.scene().state(loaded.scene().bodies()[0]).positions[i].x) / 16;
        const auto strain = [&](int x) { return layers[std::size_t(x) + 1] - layers[std::size_t(x)] - 1; };
        double soft = 0, sum = 0;
        for (int x = 62; x < 69; ++x) soft += strain(x) / 7;
        for (int x = kHalf - kReach; x < kHalf + kReach; ++x) sum += (x < kHalf ? 1.0 / 780 : 1) - strain(x) / soft;
        return sum;
    };
    CHECK(std::abs(lost("paper") - 10.9) < 0.3);
    CHECK(std::abs(lost("sharp")) < 0.5);
}

TEST_CASE("a body that names no stiffness is the same jelly at 10 cm, 1 m and 10 m: 100 kPa")
{
    for (const double cell : {0.005, 0.05, 0.5}) {
        CAPTURE(cell);
        CHECK(modulus_found({20, 3, cell, cell < 0.01 ? 1.0 / 600 : 1.0 / 120, 1e5, "{}"}, true) ==
              doctest::Approx(1).epsilon(0.08));
    }
}

TEST_CASE("alpha, passes, regions and a volume are stiffness enough: no modulus is added to them")
{
    const auto young_of = [](const std::string& material, const std::string& solid) {
        LoadedScene loaded =
            LoadedScene::from_text(fmt::format(R"({{ "yawara": 1, "bodies": [ {{ "name": "toy", "matching": {},
                "solid": {} }} ] }})",
                                               material, solid),
                                   ".")
                .value();
        return loaded.scene().body_settings(loaded.scene().bodies()[0]).matching.young;
    };
    const char* const bar = R"({ "bar": { "size": [1, 1, 1], "cells": [2, 2, 2] } })";
    const char* const volume =
        R"({ "volume": { "format": "yawara-cvg", "version": 1, "root": { "prim": "sphere", "radius": 0.5 } }, "cell": 0.2 })";
    CHECK(young_of("{}", bar) == 1e5f);
    CHECK(young_of(R"({ "damping": 0.1 })", bar) == 1e5f);
    CHECK(young_of(R"({ "young": 2e4 })", bar) == 2e4f);
    CHECK(young_of(R"({ "alpha": 1 })", bar) == 0);
    CHECK(young_of(R"({ "passes": 1 })", bar) == 0);
    CHECK(young_of("{}", volume) == 0);
}
