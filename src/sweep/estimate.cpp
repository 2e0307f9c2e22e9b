// What a sweep will cost, from the first frames of its first run.
#include <algorithm>
#include <chrono>
#include <limits>

#include <oneapi/tbb/task_arena.h>

#include "yawara/sweep.h"

namespace yawara {

namespace {

constexpr double kLook = 0.5;  // s, at most

// Bytes on the disk: a row with its share of journal, table, arrays and page; a picture; a value in a series; a
// particle in a state; a vertex in a frame of a packed clip.
constexpr double kRow = 700, kRowPerMeasure = 250, kPicture = 40e3, kValue = 19, kParticle = 60, kVertex = 5;

}  // namespace

Result<SweepEstimate> estimate_sweep(const SweepPlan& plan, std::span<const std::size_t> runs)
{
    SweepEstimate estimate;
    if (runs.empty()) return estimate;
    Result<SweepEstimate> result = estimate;
    tbb::task_arena(1).execute([&] {
        using Clock = std::chrono::steady_clock;
        const auto since = [](Clock::time_point start) {
            return std::chrono::duration<double>(Clock::now() - start).count();
        };
        BuildCache cache;
        const auto load = [&] {
            return LoadedScene::from_text(plan.scene_text(runs[0]), plan.scene_folder(), plan.scene_file().string(), {},
                                          cache);
        };
        if (auto built = load(); !built) {  // the first one loads what the others share
            result = built.error();
            return;
        }
        const auto start = Clock::now();
        auto loaded = load();
        const double loading = since(start);
        loaded->scene().settings().threads = 1;
        const auto first_step = Clock::now();
        int frames = 0;
        while (frames < loaded->frames() && (frames == 0 || since(first_step) < kLook)) {
            loaded->step();
            ++frames;
        }
        const double count = static_cast<double>(runs.size()), each = since(first_step) / std::max(1, frames);
        estimate.seconds = count * (loading + each * loaded->frames());
        double particles = 0, vertices = 0;
        for (const BodyId body : loaded->scene().bodies()) {
            particles += static_cast<double>(loaded->scene().model(body).particle_count());
            vertices += static_cast<double>(loaded->scene().model(body).surface().vertices.size());
        }
        const double measures = static_cast<double>(plan.measures().size());
        double bytes = kRow + kRowPerMeasure * measures;
        if (plan.keeps("picture")) bytes += kPicture;
        if (plan.keeps("series")) bytes += kValue * loaded->frames() * (measures + 1);
        if (plan.keeps("state")) bytes += kParticle * particles;
        if (plan.keeps("clip")) bytes += kVertex * vertices * loaded->frames();
        estimate.bytes = static_cast<std::uintmax_t>(count * bytes);
        result = estimate;
    });
    return result;
}

}  // namespace yawara
