// A scene to clips, and what is told of it.
#include "record.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "interrupt.h"

namespace yawara::cli {

Result<Recording> record(LoadedScene& loaded, RecordOptions options, const ClipInfo& info, ClipWriters& writers,
                         const Terminal& terminal, const std::string& label)
{
    ProgressBar bar(terminal, label);
    options.measures = &loaded.measures();
    options.cavities = loaded.cavities();
    options.visit = [&, visit = std::move(options.visit)](const PlayedFrame& frame) {
        if (frame.number > 0) bar.update(frame.number, options.frames, "frames");
        return (!visit || visit(frame)) && !interrupted();
    };
    auto recording = yawara::record(loaded.scene(), options, writers, info.bodies);
    bar.clear();
    for (const Error& ended : writers.ended()) terminal.warn(ended.message());
    if (recording)
        for (const std::string& body : recording->missing)
            terminal.warn("body \"" + body + "\" was added during the run and is not in the clip");
    return recording;
}

nlohmann::ordered_json to_json(const Recording& recording)
{
    nlohmann::ordered_json phases;
    const auto medians = recording.median_phase_ms();
    for (std::size_t p = 0; p < kPhases; ++p) phases[std::string(to_string(static_cast<Phase>(p)))] = medians[p];
    nlohmann::ordered_json measured = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < recording.measures.size() && !recording.numbers.empty(); ++k) {
        const auto at = [k](const FrameNumbers& frame) { return frame.measures[k]; };
        const auto [low, high] = std::ranges::minmax(recording.numbers, {}, at);
        measured.push_back({{"name", recording.measures[k].name},
                            {"label", recording.measures[k].label},
                            {"least", at(low)},
                            {"most", at(high)},
                            {"last", at(recording.numbers.back())}});
    }
    nlohmann::ordered_json cavities = nlohmann::ordered_json::array();
    for (std::size_t k = 0; !recording.numbers.empty() && k < recording.numbers.back().cavities.size(); ++k) {
        std::vector<double> volumes;
        for (const FrameNumbers& frame : recording.numbers) volumes.push_back(frame.cavities[k].volume);
        const auto [least, most] = std::ranges::minmax(volumes);
        cavities.push_back({{"body", recording.numbers.back().cavities[k].body},
                            {"smallest", least},
                            {"largest", most},
                            {"ejected", most > 0 ? 1 - least / most : 0.0},
                            {"volumes", volumes}});
    }
    nlohmann::ordered_json json = {{"frames", recording.frames},
                                   {"cavities", cavities},
                                   {"simulated_seconds", recording.simulated},
                                   {"wall_seconds", recording.wall},
                                   {"frames_per_second", recording.frames_per_second()},
                                   {"step_ms", recording.median_step_ms()},
                                   {"step_ms_by_phase", phases},
                                   {"inverted_regions", recording.inverted_regions},
                                   {"robust_rotations", recording.robust_rotations},
                                   {"passes", recording.passes},
                                   {"repaired_particles", recording.repaired_particles},
                                   {"repaired_numbers", recording.repaired_numbers},
                                   {"contacts", recording.contacts},
                                   {"touches", recording.touches},
                                   {"overlap", recording.overlap},
                                   {"measures", measured},
                                   {"interrupted", recording.stopped_early},
                                   {"notes", recording.notes}};
    if (recording.most_active_tets > 0)
        json["fem"] = {{"mean_active_tets", recording.mean_active_tets},
                       {"most_active_tets", recording.most_active_tets},
                       {"energy_jumps", recording.energy_jumps}};
    return json;
}

}  // namespace yawara::cli
