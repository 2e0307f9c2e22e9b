// The loop of run, render and demo: step, measure, write.
#include "record.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "outputs.h"
#include "yawara/quantities.h"

namespace yawara::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Median over the frames without measurements.
template <class Number>
double median_of_plain(const std::vector<FrameNumbers>& frames, Number&& number)
{
    std::vector<double> values;
    for (const FrameNumbers& frame : frames)
        if (!frame.measured) values.push_back(number(frame));
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Fills the recorded quantities of all bodies, frame after frame.
class Measured {
public:
    Measured(const ClipInfo& info, const Scene& scene) : gauge_(scene)
    {
        for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
            const std::size_t particles = scene.model(scene.bodies()[k]).particle_count();
            for (const std::string& name : info.bodies[k].value_names)
                values_.push_back({scene.bodies()[k], name, std::vector<float>(particles)});
        }
    }

    std::vector<std::span<const float>> measure(Scene& scene, BodyId body)
    {
        std::vector<std::span<const float>> spans;
        for (Values& one : values_) {
            if (one.body != body) continue;
            gauge_.measure(one.name, scene, body, one.values);
            spans.emplace_back(one.values);
        }
        return spans;
    }

private:
    struct Values {
        BodyId body;
        std::string name;
        std::vector<float> values;
    };
    QuantityGauge gauge_;
    std::vector<Values> values_;
};

double height_of(const Scene& scene)
{
    double moment = 0, mass = 0;
    for (const BodyId body : scene.bodies()) {
        const auto masses = scene.model(body).masses();
        const auto& positions = scene.state(body).positions;
        for (std::size_t k = 0; k < masses.size(); ++k) {
            moment += masses[k] * positions[k].y;
            mass += masses[k];
        }
    }
    return mass > 0 ? moment / mass : 0;
}

FrameNumbers numbers_of(std::span<const StepReport> reports, const Scene& scene, double step_seconds, double steps)
{
    FrameNumbers numbers;
    numbers.time = scene.time();
    numbers.height = height_of(scene);
    numbers.step_ms_total = 1000 * step_seconds / steps;
    for (std::size_t k = 0; k < reports.size(); ++k) {
        const StepReport& report = reports[k];
        numbers.kinetic += report.kinetic_energy;
        numbers.elastic += report.elastic_energy;
        numbers.contacts += report.contact.contacts;
        numbers.touches += report.contact.touches;
        numbers.overlap = std::max(numbers.overlap, static_cast<double>(report.contact.overlap));
        for (std::size_t p = 0; p < kPhases; ++p) numbers.step_ms[p] += 1000 * report.seconds[p] / steps;
        if (report.fem.active_tets == 0) continue;
        const double seconds = std::accumulate(report.seconds.begin(), report.seconds.end(), 0.0);
        numbers.fronts.push_back(
            {scene.model(scene.bodies()[k]).name(), 1000 * seconds / steps, report.fem.active_tets});
    }
    return numbers;
}

Status write_frame(LoadedScene& loaded, const ClipInfo& info, Measured& measured,
                   std::span<const std::unique_ptr<ClipWriter>> writers)
{
    Scene& scene = loaded.scene();
    std::vector<ClipFrame> frame(scene.bodies().size());
    std::vector<std::vector<std::uint8_t>> lines(frame.size());
    for (std::size_t k = 0; k < frame.size(); ++k) {
        const BodyId body = scene.bodies()[k];
        if (info.bodies[k].lines) lines[k] = front_lines(scene.model(body), scene.state(body));
        frame[k] = {scene.state(body).positions, scene.surface(body), measured.measure(scene, body), lines[k]};
    }
    for (const auto& writer : writers)
        if (Status written = writer->frame(scene.time(), frame); !written) return written;
    return Done{};
}

}  // namespace

std::vector<std::string> quantities_to_show(const LoadedScene& loaded, const std::string& show)
{
    std::vector<std::string> names{"speed"};
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(common_quantities(), name, &Quantity::name) == common_quantities().end()) return;
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const BodyLook& look : loaded.looks()) add(look.show);
    add(show);
    return names;
}

ClipInfo describe_clip(LoadedScene& loaded, std::size_t frames, const std::vector<std::string>& quantities,
                       bool all_lines)
{
    Scene& scene = loaded.scene();
    ClipInfo info;
    info.frame_time = scene.settings().dt;
    info.frames = frames + 1;
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        const BodyModel& model = scene.model(scene.bodies()[k]);
        std::vector<std::string> names = quantities;
        const std::string& show = loaded.looks()[k].show;  // displacement and stretch can be had from the positions
        if (!show.empty() && show != "displacement" && show != "stretch" && std::ranges::find(names, show) == names.end())
            names.push_back(show);
        const bool lines =
            (all_lines || loaded.looks()[k].wireframe) && !front_lines(model, scene.state(scene.bodies()[k])).empty();
        info.bodies.push_back(
            {model.name(), model.surface(), solid_of(model.domain()), names, loaded.looks()[k].color, lines});
    }
    info.stage = clip_stage(loaded);
    return info;
}

Result<Recording> record(LoadedScene& loaded, std::size_t frames, const ClipInfo& info,
                         std::span<const std::unique_ptr<ClipWriter>> writers, ProgressBar& bar, bool energies,
                         SideNumbers* side, const AfterFrame& after)
{
    Scene& scene = loaded.scene();
    Measured measured(info, scene);
    Recording recording;
    recording.measures.assign(loaded.measures().begin(), loaded.measures().end());
    const auto start = Clock::now();
    const double start_time = scene.time();
    const double steps = scene.settings().substeps;
    if (Status written = write_frame(loaded, info, measured, writers); !written) return written.error();
    if (side)
        if (Status written = side->frame(loaded); !written) return written.error();
    if (after)
        if (Status done = after({}); !done) return done.error();
    // A clip may have fewer frames than the run: those nearest to its times.
    const double stride = std::max(1.0, info.frame_time / scene.settings().dt);
    std::size_t written_frames = 1;
    while (recording.frames < frames && !interrupted()) {
        const bool measure = after || (energies && recording.frames % 2 == 1);
        for (std::size_t k = 0; k < scene.bodies().size(); ++k)
            scene.body_settings(scene.bodies()[k]).measure = measure;
        const auto step_start = Clock::now();
        const std::span<const StepReport> reports = loaded.step();
        recording.numbers.push_back(numbers_of(reports, scene, seconds_since(step_start), steps));
        recording.numbers.back().measured = measure && !after;
        recording.numbers.back().measures = loaded.measure();
        recording.numbers.back().cavities = loaded.cavity_volumes();
        if (after)
            if (Status done = after(reports); !done) return done.error();
        int inverted = 0, robust = 0, active = 0;
        for (const StepReport& report : reports) {
            inverted += report.inverted;
            robust += report.matching.robust_rotations;
            active += report.fem.active_tets;
            recording.energy_jumps += report.fem.energy_jumps;
            recording.passes = std::max(recording.passes, report.matching.passes);
            recording.repaired_particles += report.repaired_particles;
        }
        recording.most_active_tets = std::max(recording.most_active_tets, active);
        recording.mean_active_tets += (active - recording.mean_active_tets) / static_cast<double>(recording.frames + 1);
        recording.inverted_regions = std::max(recording.inverted_regions, inverted);
        recording.robust_rotations = std::max(recording.robust_rotations, robust);
        recording.contacts = std::max(recording.contacts, recording.numbers.back().contacts);
        recording.touches = std::max(recording.touches, recording.numbers.back().touches);
        recording.overlap = std::max(recording.overlap, recording.numbers.back().overlap);
        const auto next = static_cast<std::size_t>(std::llround(static_cast<double>(written_frames) * stride));
        if (recording.frames + 1 == next) {
            if (Status written = write_frame(loaded, info, measured, writers); !written) return written.error();
            if (side)
                if (Status numbers = side->frame(loaded); !numbers) return numbers.error();
            ++written_frames;
        }
        bar.update(++recording.frames, frames, "frames");
    }
    recording.stopped_early = recording.frames < frames;
    auto notes = finish_writers(writers);
    if (!notes) return notes.error();
    recording.notes = *std::move(notes);
    if (side) {
        auto more = side->finish();
        if (!more) return more.error();
        recording.notes.insert(recording.notes.end(), more->begin(), more->end());
    }
    recording.simulated = scene.time() - start_time;
    recording.wall = seconds_since(start);
    return recording;
}

double Recording::median_step_ms() const
{
    return median_of_plain(numbers, [](const FrameNumbers& frame) { return frame.step_ms_total; });
}

std::array<double, kPhases> Recording::median_phase_ms() const
{
    std::array<double, kPhases> medians{};
    for (std::size_t p = 0; p < kPhases; ++p)
        medians[p] = median_of_plain(numbers, [p](const FrameNumbers& frame) { return frame.step_ms[p]; });
    return medians;
}

nlohmann::ordered_json Recording::to_json() const
{
    nlohmann::ordered_json phases;
    const auto medians = median_phase_ms();
    for (std::size_t p = 0; p < kPhases; ++p) phases[std::string(to_string(static_cast<Phase>(p)))] = medians[p];
    nlohmann::ordered_json measured = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < measures.size() && !numbers.empty(); ++k) {
        const auto at = [k](const FrameNumbers& frame) { return frame.measures[k]; };
        const auto [low, high] = std::ranges::minmax(numbers, {}, at);
        measured.push_back({{"name", measures[k].name},
                            {"label", measures[k].label},
                            {"least", at(low)},
                            {"most", at(high)},
                            {"last", at(numbers.back())}});
    }
    nlohmann::ordered_json cavities = nlohmann::ordered_json::array();
    for (std::size_t k = 0; !numbers.empty() && k < numbers.back().cavities.size(); ++k) {
        std::vector<double> volumes;
        for (const FrameNumbers& frame : numbers) volumes.push_back(frame.cavities[k].volume);
        const auto [least, most] = std::ranges::minmax(volumes);
        cavities.push_back({{"body", numbers.back().cavities[k].body},
                            {"smallest", least},
                            {"largest", most},
                            {"ejected", most > 0 ? 1 - least / most : 0.0},
                            {"volumes", volumes}});
    }
    nlohmann::ordered_json json = {{"frames", frames},
                                   {"cavities", cavities},
            {"simulated_seconds", simulated},
            {"wall_seconds", wall},
            {"frames_per_second", frames_per_second()},
            {"step_ms", median_step_ms()},
            {"step_ms_by_phase", phases},
            {"inverted_regions", inverted_regions},
            {"robust_rotations", robust_rotations},
            {"passes", passes},
            {"repaired_particles", repaired_particles},
            {"contacts", contacts},
            {"touches", touches},
            {"overlap", overlap},
            {"measures", measured},
            {"interrupted", stopped_early},
            {"notes", notes}};
    if (most_active_tets > 0)
        json["fem"] = {{"mean_active_tets", mean_active_tets},
                       {"most_active_tets", most_active_tets},
                       {"energy_jumps", energy_jumps}};
    return json;
}

}  // namespace yawara::cli
