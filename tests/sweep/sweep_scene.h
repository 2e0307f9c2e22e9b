// A tiny scene and a folder of its own for tests of sweeps.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "yawara/sweep.h"

namespace yawara {

struct SweepScratch {
    std::filesystem::path path;

    explicit SweepScratch(int frames = 4)
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "yawara-sweep-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
        write("scene.json", scene(frames));
    }
    ~SweepScratch() { std::filesystem::remove_all(path); }
    SweepScratch(const SweepScratch&) = delete;
    SweepScratch& operator=(const SweepScratch&) = delete;

    /// A bar that falls on a floor, spinning.
    static std::string scene(int frames)
    {
        return R"({ "yawara": 1, "frames": )" + std::to_string(frames) + R"(,
  "bodies": [ { "name": "bar", "solid": { "bar": { "size": [0.6, 0.4, 0.4], "cells": [3, 2, 2] } },
                "matching": { "alpha": 0.5 }, "place": { "translate": [0, 0.05, 0] }, "spin": [0, 0, 2] } ],
  "measures": [ { "name": "reach", "what": "extent", "body": "bar", "axis": "x" } ],
  "obstacles": [ { "plane": {} } ] })";
    }

    void write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name, std::ios::binary) << text;
    }
    std::string read(const std::string& name) const
    {
        std::ifstream in(path / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }

    SweepWords words() const
    {
        SweepWords words;
        words.scene = path / "scene.json";
        return words;
    }
    static Result<SweepPlan> plan(const SweepWords& words)
    {
        const auto text = sweep_text(words);
        if (!text) return text.error();
        return SweepPlan::from_text(*text, "/");
    }
    /// Six runs: two stiffnesses, three densities.
    SweepPlan six_runs(std::vector<std::string> keep = {}) const
    {
        SweepWords wanted = words();
        wanted.grid = {"alpha=bodies[0].matching.alpha=[0.3,0.6]", "bodies[bar].density=500:2000:log:3"};
        wanted.keep = std::move(keep);
        return plan(wanted).value();
    }
};

}  // namespace yawara
