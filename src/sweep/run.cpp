// Models that runs do not change are built once and found again in the cache. All of a run is done by its own thread.
#include "sweep/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include "yawara/clip.h"
#include "yawara/out_file.h"
#include "yawara/replace_file.h"

namespace yawara::sweep {

namespace fs = std::filesystem;

namespace {

MeasureSummary summary_of(const std::vector<double>& values)
{
    if (values.empty()) {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        return {none, none, none, none};
    }
    const auto [least, most] = std::ranges::minmax(values);
    return {values.back(), least, most, std::accumulate(values.begin(), values.end(), 0.0) / double(values.size())};
}

/// Whether all bodies kept their shape, and what there is to say if not.
void judge(const Recording& recording, RunResult& result)
{
    result.status = RunStatus::ok;
    for (const ShapeNumbers& shape : recording.shapes) {
        const ShapeReport worst{shape.largest, 1, shape.collapsed};
        if (worst.has_grown()) {
            result.status = RunStatus::grown;
            result.note = fmt::format("body {} grew to {:.3g} times its size", shape.body, shape.largest);
        } else if (worst.has_collapsed() && result.note.empty()) {
            result.note = fmt::format("body {} was flat or inside out for {:.3g} s", shape.body, shape.collapsed);
        }
    }
}

std::string csv_of(const Series& series, std::span<const std::string> names)
{
    std::string text = "time";
    for (const std::string& name : names) text += fmt::format(",\"{}\"", name);
    for (std::size_t k = 0; k < series.times.size(); ++k) {
        text += fmt::format("\n{}", series.times[k]);
        for (const auto& values : series.values) text += fmt::format(",{}", values[k]);
    }
    return text + "\n";
}

/// A folder for the files of one run while they are made: gone at its end.
class MakingFolder {
public:
    MakingFolder(const fs::path& scratch, std::size_t run)
        : path_(scratch / fmt::format("yawara-{}-{}", ::getpid(), run))
    {
    }
    ~MakingFolder()
    {
        std::error_code none;
        fs::remove_all(path_, none);
    }
    MakingFolder(const MakingFolder&) = delete;
    MakingFolder& operator=(const MakingFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Copies files to where they belong, each under its name only when it is whole.
Status move_files(const fs::path& from, const fs::path& to)
{
    if (Status made = make_folder(to); !made) return made;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(from, failed)) {
        const fs::path target = to / entry.path().filename();
        auto file = NewFile::create(target);
        if (!file) return file.error();
        fs::copy_file(entry.path(), file->path(), fs::copy_options::overwrite_existing, failed);
        if (failed) return Error{target.string(), "cannot be written: " + failed.message()};
        if (Status placed = file->put_in_place(); !placed) return placed;
    }
    return Done{};
}

Result<Recording> play(LoadedScene& loaded, Workplace& place, const fs::path& folder)
{
    RecordOptions options;
    options.frames = static_cast<std::size_t>(loaded.frames());
    options.measures = &loaded.measures();
    options.visit = [&](const PlayedFrame&) { return !place.options.cancelled || !place.options.cancelled(); };
    if (!place.plan.keeps("clip")) return record(loaded.scene(), options);
    const ClipInfo info = describe_clip(loaded, options.frames, {"speed"});
    auto writer = make_clip_writer("ywc", folder / "clip.ywc", info);
    if (!writer) return writer.error();
    return record(loaded.scene(), options, **writer, info.bodies);
}

/// What is kept beside the row of the table.
Status keep(LoadedScene& loaded, QuantityGauge& gauge, const Series& series, Workplace& place, const fs::path& folder)
{
    if (place.plan.keeps("series"))
        if (Status kept = replace_file(folder / "measures.csv", csv_of(series, place.plan.measures())); !kept)
            return kept;
    if (place.plan.keeps("state"))
        if (Status kept = loaded.save_state(folder / "state.yws"); !kept) return kept;
    if (place.plan.keeps("picture") && place.options.draw)
        if (Status kept = place.options.draw(loaded, gauge, folder / "picture.png"); !kept) return kept;
    return Done{};
}

Result<std::optional<RunResult>> simulate(Workplace& place, std::size_t run)
{
    RunResult result;
    result.measures.assign(place.plan.measures().size(), summary_of({}));
    auto loaded = LoadedScene::from_text(place.plan.scene_text(run), place.plan.scene_folder(),
                                         place.plan.scene_file().string(), {}, place.cache);
    if (!loaded) {
        result.note = loaded.error().message();
        return std::optional(result);
    }
    if (loaded->scene().bodies().empty()) {
        result.note = "the scene has no bodies";
        return std::optional(result);
    }
    loaded->scene().settings().threads = 1;
    QuantityGauge gauge(loaded->scene());

    const bool keeps = place.plan.keeps("series") || place.plan.keeps("state") || place.plan.keeps("clip") ||
                       place.plan.keeps("picture");
    const fs::path target = run_folder(place.folder, run);
    const bool elsewhere = !place.options.scratch.empty();
    const MakingFolder making(place.options.scratch, run);
    const fs::path folder = elsewhere ? making.path() : target;
    if (keeps)
        if (Status made = make_folder(folder); !made) return made.error();
    auto recording = play(*loaded, place, folder);
    if (!recording) return recording.error();
    if (recording->stopped_early) return std::optional<RunResult>();

    const Series series = series_of(*recording, place.plan.measures().size());
    if (Status kept = keep(*loaded, gauge, series, place, folder); !kept) return kept.error();
    if (keeps && elsewhere)
        if (Status moved = move_files(folder, target); !moved) return moved.error();
    judge(*recording, result);
    result.frames = static_cast<int>(recording->frames);
    for (std::size_t m = 0; m < series.values.size(); ++m) result.measures[m] = summary_of(series.values[m]);
    result.fingerprint = loaded->scene().hash();
    return std::optional(result);
}

}  // namespace

Series series_of(const Recording& recording, std::size_t measures)
{
    Series series;
    series.values.resize(measures);
    for (const FrameNumbers& frame : recording.numbers) {
        series.times.push_back(frame.time);
        for (std::size_t m = 0; m + 1 < measures; ++m) series.values[m].push_back(frame.measures[m]);
        series.values.back().push_back(frame.height);
    }
    return series;
}

Result<std::optional<RunResult>> do_run(Workplace& place, std::size_t run)
{
    const auto start = std::chrono::steady_clock::now();
    Result<std::optional<RunResult>> done = std::optional<RunResult>();
    tbb::task_arena(1).execute([&] {
        try {
            done = simulate(place, run);
        } catch (const std::bad_alloc&) {
            RunResult result;
            result.measures.assign(place.plan.measures().size(), summary_of({}));
            result.note = "not enough memory";
            done = std::optional(result);
        }
    });
    if (done && *done)
        (*done)->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return done;
}

}  // namespace yawara::sweep

namespace yawara {

std::filesystem::path run_folder(const std::filesystem::path& folder, std::size_t run)
{
    return folder / "runs" / fmt::format("{:06}", run);
}

}  // namespace yawara
