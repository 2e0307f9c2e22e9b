// Least squares find known minima; a fit finds the numbers that a run was made with.
#include <doctest/doctest.h>

#include <cmath>

#include "sweep/least_squares.h"
#include "sweep_scene.h"
#include "yawara/fit.h"

using namespace yawara;
using sweep::Point;

namespace {

/// Residuals of a function of one point, for a batch.
template <class Function>
sweep::Residuals batch(Function function, std::size_t& calls)
{
    return [function, &calls](const std::vector<Point>& points) {
        std::vector<std::vector<double>> found;
        for (const Point& point : points) found.push_back(function(point));
        calls += points.size();
        return found;
    };
}

const auto silent = [](const sweep::LeastSquares&) {};

/// A soft block that is thrown on a floor and slides to a stop.
std::string sliding_block(double young, double friction)
{
    return R"({ "yawara": 1, "frames": 45, "step": { "substeps": 5 },
  "bodies": [ { "name": "block", "solid": { "bar": { "size": [0.4, 0.3, 0.3], "cells": [4, 3, 3] } },
                "matching": { "young": )" +
           std::to_string(young) +
           R"(, "damping": 0.01 }, "place": { "translate": [0, 0.05, 0] }, "velocity": [2, 0, 0] } ],
  "measures": [ { "name": "way", "what": "center", "body": "block", "axis": "x" },
                { "name": "tallness", "what": "extent", "body": "block", "axis": "y" } ],
  "obstacles": [ { "plane": {}, "friction": )" +
           std::to_string(friction) + " } ] }";
}

/// What a scene measures, frame by frame.
FitTarget measured(const std::string& text)
{
    auto loaded = LoadedScene::from_text(text, ".").value();
    FitTarget target{{}, {"way", "tallness"}, {{}, {}}};
    for (int frame = 0; frame < loaded.frames(); ++frame) {
        loaded.step();
        target.times.push_back(loaded.scene().time());
        const std::vector<double> values = loaded.measures().values(loaded.scene());
        for (std::size_t k = 0; k < 2; ++k) target.values[k].push_back(values[k]);
    }
    return target;
}

}  // namespace

TEST_CASE("least squares find the bottom of a bent valley, and an end of the range if the bottom lies beyond")
{
    std::size_t calls = 0;
    const auto valley = [](const Point& p) {  // Rosenbrock's, with its minimum at (0.75, 0.75)
        const double x = 4 * p[0] - 2, y = 4 * p[1] - 2;
        return std::vector<double>{10 * (y - x * x), 1 - x};
    };
    const auto found = sweep::minimise(batch(valley, calls), {{0.1, 0.9}, {0.2, 0.1}}, 60, silent);
    CHECK(found.best[0] == doctest::Approx(0.75).epsilon(1e-3));
    CHECK(found.best[1] == doctest::Approx(0.75).epsilon(1e-3));
    CHECK(calls < 400);

    const auto beyond = [](const Point& p) { return std::vector<double>{p[0] - 1.5, 2 * (p[1] - 0.3)}; };
    const auto at_end = sweep::minimise(batch(beyond, calls), {{0.5, 0.5}}, 60, silent);
    CHECK(at_end.best[0] == 1);
    CHECK(at_end.best[1] == doctest::Approx(0.3).epsilon(1e-3));
    CHECK(at_end.converged);
}

TEST_CASE("least squares pass over small steps in what they are given")
{
    std::size_t calls = 0;
    const auto rough = [](const Point& p) {
        std::vector<double> r;
        for (int k = 0; k < 20; ++k) {
            const double t = 0.1 * k, smooth = std::exp(-3 * p[0] * t) * std::cos(6 * p[1] * t) -
                                               std::exp(-1.2 * t) * std::cos(3.6 * t);
            r.push_back(std::round(smooth * 1e4) / 1e4);
        }
        return r;
    };
    const auto found = sweep::minimise(batch(rough, calls), {{0.2, 0.3}, {0.7, 0.7}, {0.3, 0.8}}, 60, silent);
    CHECK(found.best[0] == doctest::Approx(0.4).epsilon(0.01));
    CHECK(found.best[1] == doctest::Approx(0.6).epsilon(0.01));
}

TEST_CASE("a modulus and a friction are recovered within 2 % from a run made with them")
{
    const SweepScratch scratch;
    const double young = 31'000, friction = 0.37;
    scratch.write("block.json", sliding_block(90'000, 0.8));
    const FitTarget target = measured(sliding_block(young, friction));
    const auto found = fit(scratch.path / "block.json", target,
                           {"E=bodies[0].matching.young=5e3:2e5:log", "mu=obstacles[0].friction=0.05:1"}, {});
    INFO((found ? "" : found.error().message()));
    REQUIRE(found);
    CHECK(found->names == std::vector<std::string>{"E", "mu"});
    CHECK(found->values[0] == doctest::Approx(young).epsilon(0.02));
    CHECK(found->values[1] == doctest::Approx(friction).epsilon(0.02));
    CHECK(found->residual < 0.01);
}

TEST_CASE("a target that cannot be used is refused with its line")
{
    const SweepScratch scratch;
    const auto mistake = [&](const std::string& text) {
        scratch.write("target.csv", text);
        const auto target = load_fit_target(scratch.path / "target.csv");
        return target ? "none" : target.error().message().substr(scratch.path.string().size() + 1);
    };
    CHECK(mistake("time,\"extent along x, m: reach\"\n0,1\n0.5,2\n") == "none");
    CHECK(load_fit_target(scratch.path / "target.csv")->names[0] == "reach");
    CHECK(mistake("frame,reach\n1,2\n") == "target.csv:1: expected the heading time, then the names of measures");
    CHECK(mistake("time,reach\n0,1\n0,2\n") == "target.csv:3: the times have to increase");
    CHECK(mistake("time,reach\n0,one\n") == "target.csv:2: \"one\" is not a number");
    CHECK(mistake("time,reach\n0,1,2\n") == "target.csv:2: has 3 fields, the heading has 2");
    CHECK(mistake("time,reach\n") == "target.csv: has no rows");
}
