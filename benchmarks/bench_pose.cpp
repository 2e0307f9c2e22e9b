// A body posed by hand: how long a page waits for the shape of a handle that is dragged.
#include <fmt/format.h>

#include <cmath>

#include "section.h"
#include "stopwatch.h"
#include "stream/queries/query.h"

namespace yawara::bench {
namespace {

using json = nlohmann::json;
using stream::Json;

struct Canvas {
    int particles;  ///< about
    Int3 cells;
};
const Canvas kCanvases[] = {{2'000, {7, 28, 7}}, {10'000, {12, 60, 12}}};
constexpr double kBar = 30;  ///< pictures a second while a handle is dragged

struct Subject {
    explicit Subject(Int3 cells)
        : run(LoadedScene::from_text(fmt::format(R"({{"yawara": 1, "bodies": [{{"name": "bar",
              "solid": {{"bar": {{"size": [0.4, 2, 0.4], "cells": [{}, {}, {}]}}}}}}]}})",
                                                 cells[0], cells[1], cells[2]),
                                     ".")
                  .value()),
          snapshot(stream::take_snapshot(run, false))
    {
    }
    /// The foot stays, the top is bent over and turned, a little farther at every call, as a hand goes on.
    stream::BinaryAnswer ask(bool draft)
    {
        const double far = 0.3 + 0.2 * std::sin(0.05 * ++asked_);
        const Json pose{{"name", "bent"},
                        {"handles", Json::array({{{"at", {0, 0, 0}}, {"radius", 0.3}},
                                                 {{"at", {0, 2, 0}}, {"radius", 0.3}, {"move", {far, -0.3 * far, 0}}, {"turn", {0, 0, -60 * far}}}})}};
        return std::get<stream::BinaryAnswer>(
            stream::answer_pose({{"body", "bar"}, {"pose", pose}, {"blend", 1}, {"draft", draft}}, snapshot, mirror_).value());
    }

    stream::Playback run;
    stream::Snapshot snapshot;

private:
    int asked_ = 0;
    stream::Mirror mirror_;
};

json measure_canvas(const Canvas& canvas, double seconds)
{
    Subject drafted(canvas.cells), kept(canvas.cells);
    std::vector<Rival> rivals{{"dragged", [&] { drafted.ask(true); }}, {"let go", [&] { kept.ask(false); }}};
    race(rivals, seconds);
    return {{"particles", drafted.snapshot.bodies[0].model.particle_count()},
            {"dragged_ms", 1000 * rivals[0].seconds},
            {"let_go_ms", 1000 * rivals[1].seconds}};
}

bool check()
{
    Subject subject(kCanvases[0].cells);
    const bool good = std::get<0>(subject.ask(true).arrays[0]).size() == std::get<0>(subject.ask(false).arrays[0]).size();
    fmt::print("pose: a draft {}\n", good ? "is answered" : "IS OF ANOTHER SHAPE");
    return good;
}

json measure(const BenchOptions& options)
{
    json rows = json::array();
    for (const Canvas& canvas : kCanvases) rows.push_back(measure_canvas(canvas, options.quick ? 1.0 : options.seconds));
    return rows;
}

void print(const json& rows)
{
    fmt::print("A handle of a pose is dragged, and let go; bar: {:.0f} shapes a second while it is dragged.\n\n", kBar);
    for (const json& r : rows)
        fmt::print("{:>7} particles: {:.1f} ms dragged, {:.0f} a second; {:.0f} ms let go\n", r["particles"].get<int>(),
                   r["dragged_ms"].get<double>(), 1000 / r["dragged_ms"].get<double>(), r["let_go_ms"].get<double>());
}

}  // namespace

const Section kPoseSection{"pose", check, measure, print};

}  // namespace yawara::bench
