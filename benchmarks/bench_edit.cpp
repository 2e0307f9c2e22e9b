// Edits of a running scene: what one tick of a slider costs against a step of the same scene, in one run.
#include <fmt/format.h>

#include <memory>

#include "gallery.h"
#include "scene_file/live_edit.h"
#include "section.h"
#include "stopwatch.h"

namespace yawara::bench {
namespace {

using nlohmann::json;
using scene_file::Json;

struct Slider {
    const char* scene;
    const char* key;
    double low, high;
};
constexpr Slider kSliders[] = {
    {"caterpillar_crowd", "/bodies/0/matching/damping", 0.005, 0.02},
    {"caterpillar_crowd", "/bodies/0/contact/friction", 0.2, 0.6},
    {"caterpillar_crowd", "/obstacles/0/friction", 0.4, 0.8},
    {"caterpillar_crowd", "/bodies/0/matching/stretch/0/active/charts/period", 1.0, 1.4},
    {"bar of 20,000", "/bodies/0/matching/damping", 0.01, 0.05},
    {"bar of 20,000", "/bodies/0/matching/alpha", 0.5, 0.8},
    {"bar of 20,000", "/bodies/0/contact/friction", 0.2, 0.6},
};

json document_of(const Slider& slider)
{
    if (std::string(slider.scene).starts_with("bar"))
        return json::parse(R"({"yawara": 1, "bodies": [{"name": "bar", "matching": {"alpha": 0.7},
            "solid": {"bar": {"size": [9.8, 1.9, 1.9], "cells": [49, 19, 19]}}, "place": {"translate": [0, 0.01, 0]}}],
            "obstacles": [{"plane": {}}]})");
    return read_gallery(slider.scene);
}

/// A scene in motion, its document with two values of the slider, and which of them it has.
struct Subject {
    explicit Subject(const Slider& slider) : loaded(load(document_of(slider)))
    {
        values[0] = values[1] = Json::parse(document_of(slider).dump());  // keys in the order they were loaded
        values[0][Json::json_pointer(slider.key)] = slider.low;
        values[1][Json::json_pointer(slider.key)] = slider.high;
        for (int frame = 0; frame < 30; ++frame) loaded.step();
    }
    bool tick()
    {
        now = 1 - now;
        const auto edit = scene_file::edit_live(loaded, values[now]);
        return edit && edit->waiting.empty() && !edit->done.empty();
    }

    LoadedScene loaded;
    Json values[2];
    std::size_t now = 0;
};

json measure_slider(const Slider& slider, double seconds)
{
    Subject subject(slider);
    std::vector<Rival> rivals{{"tick", [&] { subject.tick(); }}, {"step", [&] { subject.loaded.scene().substep(); }}};
    race(rivals, seconds, true);
    std::size_t particles = 0;
    for (const BodyId id : subject.loaded.scene().bodies())
        particles += subject.loaded.scene().model(id).particle_count();
    return {{"scene", slider.scene},
            {"key", slider.key},
            {"particles", particles},
            {"tick_ms", 1000 * rivals[0].seconds},
            {"step_ms", 1000 * rivals[1].seconds},
            {"ratio", rivals[0].seconds / rivals[1].seconds}};
}

bool check()
{
    bool good = true;
    for (const Slider& slider : kSliders) {
        Subject subject(slider);
        const BuildCache::Made made = subject.loaded.build_cache().made();
        good = good && subject.tick() && subject.tick() && subject.loaded.build_cache().made() == made;
    }
    fmt::print("edit: a tick of a slider {}\n", good ? "builds nothing" : "WAITS FOR A BUILD");
    return good;
}

json measure(const BenchOptions& options)
{
    json rows = json::array();
    for (const Slider& slider : kSliders)
        rows.push_back(measure_slider(slider, options.quick ? 0.5 : options.seconds / 3));
    return rows;
}

void print(const json& rows)
{
    fmt::print("One tick of a slider on a running scene against one step of it, one thread.\n\n");
    fmt::print("{:<20} {:>9} {:<52} | {:>9} {:>9} {:>7}\n", "scene", "particles", "key", "tick, ms", "step, ms",
               "ratio");
    for (const json& r : rows)
        fmt::print("{:<20} {:>9} {:<52} | {:>9.3f} {:>9.3f} {:>7.2f}\n", r["scene"].get<std::string>(),
                   r["particles"].get<int>(), r["key"].get<std::string>(), r["tick_ms"].get<double>(),
                   r["step_ms"].get<double>(), r["ratio"].get<double>());
}

}  // namespace

const Section kEditSection{"edit", check, measure, print};

}  // namespace yawara::bench
