// Painting and drawing in the studio: how long the page waits for the picture of a stroke that is being drawn.
#include <fmt/format.h>

#include <cmath>

#include "section.h"
#include "stopwatch.h"
#include "stream/queries/query.h"

namespace yawara::bench {
namespace {

using nlohmann::json;
using stream::Json;

constexpr int kTouches = 200;      // of the stroke that is being drawn
constexpr int kEarlierCoats = 20;  // under it
constexpr int kFewStrokes = 12;    // that streamlines follow, of 19 samples each
constexpr int kManyStrokes = 53;   // about 1,000 samples

struct Canvas {
    const char* name;
    const char* solid;
};
/// Both have about 2,000 particles and 20,000 triangles or more.
constexpr Canvas kCanvases[] = {
    {"tets", R"({"formula": "x*x + y*y + z*z - 0.25", "particles": 2000, "detail": 4.05,
                 "box": {"low": [-0.6, -0.6, -0.6], "high": [0.6, 0.6, 0.6]}})"},
    {"lattice", R"({"volume": {"format": "yawara-cvg", "version": 1, "root": {"prim": "sphere", "radius": 0.5}},
                    "cell": 0.0755, "voxels": 4})"},
};

/// A spiral from the top of a ball of radius 0.5 downwards.
Json stroke(int touches, double turn)
{
    Json path = Json::array();
    for (int k = 0; k < touches; ++k) {
        const double t = 3.0 * k / touches, a = 6 * t + turn;
        path.push_back({0.5 * std::sin(t) * std::cos(a), 0.5 * std::cos(t), 0.5 * std::sin(t) * std::sin(a)});
    }
    return {{"value", 0.9}, {"radius", 0.08}, {"path", std::move(path)}};
}

/// Samples all over the ball, one of them another each time: nothing of it is there already.
Json samples(int count, double first)
{
    Json touches = Json::array();
    for (int k = 0; k < count; ++k) {
        const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z), a = 2.399963229728653 * k;
        touches.push_back({{"at", {0.5 * r * std::cos(a), 0.5 * r * std::sin(a), 0.5 * z}},
                           {"value", k == 0 ? first : 0.5 + 0.5 * std::sin(5 * z) * std::cos(a)}});
    }
    return {{"paint", std::move(touches)}};
}

/// Arcs across the ball, each about as long as its radius.
Json muscle_strokes(int count)
{
    Json strokes = Json::array();
    for (int k = 0; k < count; ++k) {
        Json points = Json::array();
        for (int i = 0; i < 20; ++i) {
            const double t = 0.8 + 0.8 * (k % 2) + 0.03 * i, a = 1.05 * k + 0.04 * i;
            points.push_back({0.5 * std::sin(t) * std::cos(a), 0.5 * std::cos(t), 0.5 * std::sin(t) * std::sin(a)});
        }
        strokes.push_back({{"points", std::move(points)}});
    }
    return {{"strokes", std::move(strokes)}};
}

struct Subject {
    explicit Subject(const Canvas& canvas)
        : run(LoadedScene::from_text(
                  fmt::format(R"({{"yawara": 1, "bodies": [{{"name": "ball", "solid": {}}}]}})", canvas.solid), ".")
                  .value())
    {
        Json coats = Json::array();
        for (int k = 0; k < kEarlierCoats; ++k) coats.push_back(stroke(20, k));
        coats.push_back(stroke(kTouches, 0.5));
        query = {{"body", "ball"},
                 {"field", {{"base", 0.5}, {"coats", std::move(coats)}}},
                 {"labels", false},
                 {"cut", nullptr}};
        cut_query = query;
        cut_query["cut"] = {{"point", {0, 0, 0}}, {"normal", {0, 0, 1}}};
    }
    /// Of so many samples.
    bool ask_filled(int count)
    {
        Json asked = query;
        asked["field"] = samples(count, 1e-3 * ++asked_);
        return ask(asked);
    }
    bool ask_lines(int strokes)
    {
        Json direction = muscle_strokes(strokes);
        direction["strokes"][0]["points"][0][0] = 1e-4 * ++asked_;  // as a hand goes on
        const Json asked{{"body", "ball"},
                         {"depth", {{"distance", "outside"}}},
                         {"direction", std::move(direction)},
                         {"level", nullptr},
                         {"cut", nullptr},
                         {"spacing", 0.03}};
        return bool(stream::answer_streamlines(asked, stream::take_snapshot(run, true), mirror_));
    }
    bool ask(const Json& asked)
    {
        stream::Mirror mirror;
        return bool(stream::answer_field(asked, stream::take_snapshot(run, true), mirror));
    }

    stream::Playback run;
    Json query, cut_query;

private:
    int asked_ = 0;
    stream::Mirror mirror_;  ///< as the page's questions have it: depth is there after the first
};

json measure_canvas(const Canvas& canvas, double seconds)
{
    Subject subject(canvas);
    std::vector<Rival> rivals{{"surface", [&] { subject.ask(subject.query); }},
                              {"with the cut", [&] { subject.ask(subject.cut_query); }},
                              {"300 samples", [&] { subject.ask_filled(300); }},
                              {"5000 samples", [&] { subject.ask_filled(5000); }},
                              {"streamlines", [&] { subject.ask_lines(kFewStrokes); }},
                              {"streamlines of many", [&] { subject.ask_lines(kManyStrokes); }}};
    race(rivals, seconds, true);
    const BodyModel& model = subject.run.scene().model(subject.run.scene().bodies()[0]);
    return {{"canvas", canvas.name},
            {"particles", model.particle_count()},
            {"triangles", model.surface().triangles.size()},
            {"surface_ms", 1000 * rivals[0].seconds},
            {"cut_ms", 1000 * rivals[1].seconds},
            {"few_samples_ms", 1000 * rivals[2].seconds},
            {"many_samples_ms", 1000 * rivals[3].seconds},
            {"streamlines_ms", 1000 * rivals[4].seconds},
            {"many_streamlines_ms", 1000 * rivals[5].seconds}};
}

bool check()
{
    bool good = true;
    for (const Canvas& canvas : kCanvases) {
        Subject subject(canvas);
        good = good && subject.ask(subject.query) && subject.ask(subject.cut_query) && subject.ask_filled(300) &&
               subject.ask_lines(kFewStrokes);
    }
    fmt::print("paint: a draft {}\n", good ? "is answered" : "IS REFUSED");
    return good;
}

json measure(const BenchOptions& options)
{
    json rows = json::array();
    for (const Canvas& canvas : kCanvases)
        rows.push_back(measure_canvas(canvas, options.quick ? 0.5 : options.seconds / 3));
    return rows;
}

void print(const json& rows)
{
    fmt::print(
        "The picture of a stroke of {} touches over {} coats, of samples filled by radial functions, and of the "
        "streamlines of {} and of {} strokes of 19 samples; ms, one thread.\n\n",
        kTouches, kEarlierCoats, kFewStrokes, kManyStrokes);
    fmt::print("{:<10} {:>9} {:>9} | {:>8} {:>12} {:>11} {:>12} {:>11} {:>15}\n", "solid", "particles", "triangles",
               "surface", "with the cut", "300 samples", "5000 samples", "streamlines", "of many strokes");
    for (const json& r : rows)
        fmt::print("{:<10} {:>9} {:>9} | {:>8.2f} {:>12.2f} {:>11.2f} {:>12.2f} {:>11.2f} {:>15.2f}\n",
                   r["canvas"].get<std::string>(), r["particles"].get<int>(), r["triangles"].get<int>(),
                   r["surface_ms"].get<double>(), r["cut_ms"].get<double>(), r["few_samples_ms"].get<double>(),
                   r["many_samples_ms"].get<double>(), r["streamlines_ms"].get<double>(),
                   r["many_streamlines_ms"].get<double>());
}

}  // namespace

const Section kPaintSection{"paint", check, measure, print};

}  // namespace yawara::bench
