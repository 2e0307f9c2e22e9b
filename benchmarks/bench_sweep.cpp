// Sweeps: what a run costs beside its simulation, and what a second core is worth.
#include <fmt/format.h>

#include <stdlib.h>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "section.h"
#include "yawara/sweep.h"

namespace yawara::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A bar that falls, in a folder of its own.
struct Subject {
    Subject(const char* cells, int frames)
    {
        std::string pattern = (fs::temp_directory_path() / "yawara-bench-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        std::ofstream(folder / "bar.json") << fmt::format(
            R"({{"yawara": 1, "frames": {}, "bodies": [{{"name": "bar", "solid": {{"bar": {{"size": [1, 1, 1], "cells": {}}}}},
            "place": {{"translate": [0, 0.01, 0]}}, "spin": [0, 0, 1]}}], "obstacles": [{{"plane": {{}}}}]}})",
            frames, cells);
    }
    ~Subject() { fs::remove_all(folder); }
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    SweepPlan plan(int runs) const
    {
        SweepWords words;
        words.scene = folder / "bar.json";
        words.grid = {fmt::format("bodies[0].matching.alpha=0.1:0.9:{}", runs)};
        return SweepPlan::from_text(sweep_text(words).value(), folder).value();
    }
    /// Seconds of a whole sweep, with its table.
    double time(int runs, int threads) const
    {
        fs::remove_all(folder / "out");
        const SweepPlan all = plan(runs);
        const auto start = std::chrono::steady_clock::now();
        const auto outcome = run_sweep(all, folder / "out", {.threads = threads});
        if (!outcome || outcome->failed > 0) return NAN;
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    fs::path folder;
};

std::string table_of(const Subject& subject)
{
    std::ifstream in(subject.folder / "out/runs.csv");
    return {std::istreambuf_iterator<char>(in), {}};
}

bool check()
{
    const Subject subject("[2, 2, 2]", 3);
    subject.time(12, 1);
    const std::string one = table_of(subject);
    subject.time(12, 2);
    const bool good = !one.empty() && one == table_of(subject);
    fmt::print("sweep: one and two threads make {}\n", good ? "the same table" : "DIFFERENT TABLES");
    return good;
}

json measure(const BenchOptions& options)
{
    const Subject tiny("[2, 2, 2]", 1), bar("[12, 12, 12]", 100);
    const int runs = options.quick ? 200 : 1000, bars = options.quick ? 8 : 24;
    // What the simulation itself takes is in the runs' own seconds; a step of eight cells is next to nothing.
    const double seconds = tiny.time(runs, 1);
    const double one = bar.time(bars, 1), two = bar.time(bars, 2);
    return {{"runs", runs},     {"run_ms", 1000 * seconds / runs}, {"bars", bars}, {"one_s", one}, {"two_s", two},
            {"gain", one / two}};
}

void print(const json& r)
{
    fmt::print("Sweeps on one machine.\n\n");
    fmt::print("{} runs of one frame of a bar of 8 cells, one thread: {:.2f} ms a run, all included\n",
               r["runs"].get<int>(), r["run_ms"].get<double>());
    fmt::print(
        "{} runs of 100 frames of a bar of 12 x 12 x 12 cells: {:.2f} s on one core, {:.2f} s on two, {:.2f} times\n",
        r["bars"].get<int>(), r["one_s"].get<double>(), r["two_s"].get<double>(), r["gain"].get<double>());
}

}  // namespace

const Section kSweepSection{"sweep", check, measure, print};

}  // namespace yawara::bench
