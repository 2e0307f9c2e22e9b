// Finite elements from outside: dumps of the forest, levels and stats of a run, equilibrium and audit.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "program.h"
#include "yawara/io.h"

using program::contains;
using Shape = std::vector<std::size_t>;

namespace {

/// A beam of one half ten times stiffer, held at its left end.
std::string beam(const std::string& fem, const std::string& more = "")
{
    return R"({"yawara": 1, "step": {"substeps": 1}, "bodies": [{"name": "beam",
        "solid": {"bar": {"size": [2, 0.5, 0.5], "cells": [4, 1, 1]}}, "density": 1000,
        "fem": {"materials": [{"young": 2e5}, {"select": {"box": {"low": [0, -9, -9], "high": [9, 9, 9]}}, "young": 2e6}], "cache": false)" +
           (fem.empty() ? "" : ", " + fem) + R"(},
        "pins": [{"select": {"box": {"low": [-1.001, -1, -1], "high": [-0.999, 1, 1]}}}])" +
           (more.empty() ? "" : ", " + more) + "}]}";
}

}  // namespace

TEST_CASE("inspect dumps the forest with its tensors")
{
    const program::Scratch scratch;
    scratch.write("beam.json", beam(R"("levels": 1)"));
    REQUIRE(scratch.run({"inspect", "beam.json", "--dump", "arrays"}).code == 0);
    const auto array = [&](const std::string& what) {
        return yawara::load_npy(scratch / ("arrays/beam." + what + ".npy")).value();
    };
    const auto nodes = array("forest_nodes"), tets = array("forest_tets"), elasticity = array("elasticity");
    CHECK(tets.shape == Shape{20 + 160, 6});
    CHECK(elasticity.shape == Shape{180, 6, 6});
    CHECK(array("viscosity").shape == Shape{180, 6, 6});
    CHECK(array("vertices").shape == nodes.shape);
    CHECK(contains(scratch.read("arrays/beam.forest_tets.npy").substr(0, 128), "'<i4'"));
    for (std::size_t t = 0; t < 180; ++t) {
        CHECK(tets.values[6 * t + 4] == (t < 20 ? 0 : 1));
        CHECK(tets.values[6 * t + 5] == (t < 20 ? -1.0 : std::floor((double(t) - 20) / 8)));
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < i; ++j)
                CHECK(elasticity.values[36 * t + 6 * i + j] == doctest::Approx(elasticity.values[36 * t + 6 * j + i]));
    }
}

TEST_CASE("run --settle finds the sag of a cantilever, and --format npy tells levels and energies")
{
    const program::Scratch scratch;
    scratch.write("beam.json", beam(R"("levels": 1, "refinement": "full")"));
    const auto answer = scratch.run({"run", "beam.json", "--settle", "--out", "out", "--format", "npy", "--json"});
    REQUIRE(answer.code == 0);
    const auto told = nlohmann::json::parse(answer.out);
    CHECK(told["settled"][0]["static"] == true);
    CHECK(told["settled"][0]["residual"].get<double>() < 1e-8);
    const auto positions = yawara::load_npy(scratch / "out/beam.positions.npy").value();
    CHECK(positions.shape[0] == 1);
    double lowest = 9;
    for (std::size_t k = 1; k < positions.values.size(); k += 3) lowest = std::min(lowest, positions.values[k]);
    CHECK(lowest < -0.05);
    CHECK(lowest > -1.8);  // it hangs down, but is 2 m long
    // Going on from there, it stays.
    REQUIRE(scratch.run({"run", "beam.json", "--settle", "--frames", "5", "--out", "on", "--format", "npy"}).code == 0);
    const auto later = yawara::load_npy(scratch / "on/beam.positions.npy").value();
    CHECK(later.shape[0] == 6);
    double moved = 0;
    for (std::size_t k = 0; k < positions.values.size(); ++k)
        moved = std::max(moved, std::abs(later.values[5 * positions.values.size() + k] - positions.values[k]));
    CHECK(moved < 1e-3);
    CHECK(yawara::load_npy(scratch / "on/beam.levels.npy").value().shape == Shape{6, 160});
    const std::string stats = scratch.read("on/beam.stats.csv");
    CHECK(contains(stats, "frame,time,kinetic_energy,elastic_energy,momentum_x"));
    CHECK(std::count(stats.begin(), stats.end(), '\n') == 6);
}

TEST_CASE("run --settle warns of a load that squeezes tets to nothing")
{
    const program::Scratch scratch;
    for (const bool heavy : {false, true}) {
        const std::string light = beam(R"("levels": 0)");
        const std::string step = R"("step": {"substeps": 1)";
        scratch.write("beam.json", heavy ? std::string(light).replace(light.find(step), step.size(),
                                                                      step + R"(, "gravity": [0, -300, 0])")
                                         : light);
        const auto answer = scratch.run({"run", "beam.json", "--settle", "--out", "out", "--format", "npy", "--json"});
        REQUIRE(answer.code == 0);
        const auto settled = nlohmann::json::parse(answer.out)["settled"][0];
        CHECK((settled["squeezed_tets"].get<int>() > 0) == heavy);
        CHECK(contains(answer.err, "squeezed below a fifth of their volume") == heavy);
    }
}

TEST_CASE("run --audit tells how far the adaptive motion is from the full one")
{
    const program::Scratch scratch;
    scratch.write("beam.json", beam(R"("levels": 1, "tolerance": 0.0005)"));
    const auto answer = scratch.run({"run", "beam.json", "--frames", "10", "--audit", "--out", "a.ywc", "--json"});
    REQUIRE(answer.code == 0);
    const auto told = nlohmann::json::parse(answer.out);
    CHECK(told["audit"]["bodies"][0]["largest_rms"].get<double>() < 0.02);
    CHECK(told["fem"]["most_active_tets"].get<int>() > 20);
}

TEST_CASE("the adaptive tet of the gallery stays within 2 degrees of full resolution over its bounces")
{
    const program::Scratch scratch;
    const auto answer = scratch.run({"run", YAWARA_SOURCE_DIR "/scenes/fem_adaptive.json", "--frames", "66", "--audit",
                                     "--out", "a.ywc", "--json"});
    REQUIRE(answer.code == 0);
    const auto adaptive = nlohmann::json::parse(answer.out)["audit"]["bodies"][0];
    CHECK(adaptive["largest_tilt_degrees"].get<double>() < 2);
    CHECK(adaptive["largest_shape"].get<double>() < 0.002);
}

TEST_CASE("stats tell all the energy of a bounce, and on which levels tets are active")
{
    const program::Scratch scratch;
    scratch.write("tet.json", R"({"yawara": 1, "step": {"dt": 0.01, "substeps": 1}, "frames": 40,
        "bodies": [{"name": "tet", "solid": {"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, "density": 5e-6,
          "place": {"rotate": {"axis": [0.9, 0.2, 0.4], "degrees": 75}, "translate": [0, 0.9, 0]}, "velocity": [0, -1, 0],
          "fem": {"levels": 2, "tolerance": 0.002, "materials": [{"lame": [0.00419, 0.00516]}], "cache": false}}],
        "obstacles": [{"plane": {"normal": [0, 1, 0]}, "friction": 0, "restitution": 1}]})");
    REQUIRE(scratch.run({"run", "tet.json", "--out", "out", "--format", "npy"}).code == 0);
    std::istringstream stats(scratch.read("out/tet.stats.csv"));
    std::string line;
    std::getline(stats, line);
    std::vector<std::string> names;
    for (std::istringstream header(line); std::getline(header, line, ',');) names.push_back(line);
    double first = 0, most_stored = 0, least = 1e30, most = 0;
    while (std::getline(stats, line)) {
        std::map<std::string, double> at;
        std::size_t column = 0;
        for (std::istringstream row(line); std::getline(row, line, ',');) at[names.at(column++)] = std::stod(line);
        const double energy = at["kinetic_energy"] + at["elastic_energy"] + at["contact_energy"] + 5e-6 * 9.8 * at["center_y"];
        if (first == 0) first = energy;
        least = std::min(least, energy), most = std::max(most, energy);
        most_stored = std::max(most_stored, at["contact_energy"]);
        double active = 0;
        for (int level = 0; level < 6; ++level) active += at["active_on_level_" + std::to_string(level)];
        CHECK(active == at["active_tets"]);
    }
    CHECK(most_stored > 0.015 * first);
    CHECK(least > 0.985 * first);
    CHECK(most < 1.01 * first);
}

TEST_CASE("a body of matching settles by motion")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    const auto answer = scratch.run({"run", "bar.json", "--settle", "--out", "out", "--format", "npy", "--json"});
    REQUIRE(answer.code == 0);
    const auto told = nlohmann::json::parse(answer.out);
    CHECK(told["settled"][0]["static"] == false);
    const auto positions = yawara::load_npy(scratch / "out/bar.positions.npy").value();
    double lowest = 9;
    for (std::size_t k = 1; k < positions.values.size(); k += 3) lowest = std::min(lowest, positions.values[k]);
    CHECK(lowest == doctest::Approx(0).epsilon(0.01));
}

TEST_CASE("mistakes in finite-element bodies are told with their places")
{
    const program::Scratch scratch;
    const auto error = [&](const std::string& fem) {
        scratch.write("bad.json", R"({"yawara": 1, "bodies": [{"name": "a", "solid": {"bar": {"size": [1, 1, 1],
            "cells": [1, 1, 1]}}, "fem": )" + fem + "}]}");
        const auto answer = scratch.run({"run", "bad.json", "--frames", "0", "--out", "x.ywc"});
        return answer.code == 1 ? answer.err : std::string("accepted");
    };
    CHECK(contains(error(R"({"materials": [{"young": 1000, "poisson": 0.5}]})"), "bodies[0].fem.materials[0].poisson: 0.5"));
    CHECK(contains(error(R"({"materials": [{"young": -1}]})"), "materials[0].young: -1 is outside [1e-06, 1e+15]"));
    CHECK(contains(error(R"({"materials": [{"lame": [-1, 1]}]})"), "not positive definite"));
    CHECK(contains(error(R"({"materials": [{"young": 1, "lame": [1, 1]}]})"), "materials[0]"));
    CHECK(contains(error(R"({"materials": [{"young": 1, "regions": [7]}]})"), "no material is given there"));
    CHECK(contains(error(R"({"materials": [{"young": 1}], "fronts": [{"tets": [999]}]})"), "there is no tet 999"));
    CHECK(contains(error(R"({"materials": [{"young": 1}]}, "matching": {})"), "not more than one of them"));
    CHECK(contains(error(R"({"materials": [{"young": 1}], "fronts": [{"boxes": [{"low": [0,0,0], "high": [1,1,1], "level": 2}]}]})"),
                   "level"));
}
