// The loop over frames, and the numbers of a run.
#include "yawara/recorder.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

namespace yawara {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Median over the frames without measurements, or over all if there are none.
template <class Number>
double median_of_plain(const std::vector<FrameNumbers>& frames, Number&& number)
{
    std::vector<double> values;
    const bool all = std::ranges::all_of(frames, &FrameNumbers::measured);
    for (const FrameNumbers& frame : frames)
        if (all || !frame.measured) values.push_back(number(frame));
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

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

FrameNumbers numbers_of(const PlayedFrame& frame, const Scene& scene)
{
    const double steps = std::max(scene.settings().substeps, 1);
    FrameNumbers numbers;
    numbers.time = scene.time();
    numbers.height = height_of(scene);
    numbers.step_ms_total = 1000 * frame.seconds / steps;
    for (std::size_t k = 0; k < frame.reports.size(); ++k) {
        const StepReport& report = frame.reports[k];
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

void keep_shape(const std::string& body, const ShapeReport& shape, std::vector<ShapeNumbers>& shapes)
{
    auto found = std::ranges::find(shapes, body, &ShapeNumbers::body);
    if (found == shapes.end()) found = shapes.insert(shapes.end(), {body});
    if (!(shape.size <= found->largest)) found->largest = shape.size;
    found->collapsed = std::max(found->collapsed, shape.collapsed);
}

/// Adds a frame to the numbers of a run.
void keep(FrameNumbers numbers, std::span<const StepReport> reports, const Scene& scene, Recording& recording)
{
    for (std::size_t k = 0; k < reports.size(); ++k)
        keep_shape(scene.model(scene.bodies()[k]).name(), reports[k].shape, recording.shapes);
    int inverted = 0, robust = 0, active = 0;
    for (const StepReport& report : reports) {
        inverted += report.inverted;
        robust += report.matching.robust_rotations;
        active += report.fem.active_tets;
        recording.energy_jumps += report.fem.energy_jumps;
        recording.passes = std::max(recording.passes, report.matching.passes);
        recording.repaired_particles += report.repaired_particles;
        recording.repaired_numbers = std::max(recording.repaired_numbers, report.repaired_numbers);
    }
    ++recording.frames;
    recording.most_active_tets = std::max(recording.most_active_tets, active);
    recording.mean_active_tets += (active - recording.mean_active_tets) / static_cast<double>(recording.frames);
    recording.inverted_regions = std::max(recording.inverted_regions, inverted);
    recording.robust_rotations = std::max(recording.robust_rotations, robust);
    recording.contacts = std::max(recording.contacts, numbers.contacts);
    recording.touches = std::max(recording.touches, numbers.touches);
    recording.overlap = std::max(recording.overlap, numbers.overlap);
    recording.numbers.push_back(std::move(numbers));
}

/// Which frame reports energies is a setting of every body: as it was, afterwards.
class MeasuredBodies {
public:
    explicit MeasuredBodies(Scene& scene) : scene_(scene)
    {
        for (const BodyId body : scene.bodies()) before_.emplace_back(body, scene.body_settings(body).measure);
    }
    ~MeasuredBodies()
    {
        for (const auto& [body, measure] : before_)
            if (scene_.contains(body)) scene_.body_settings(body).measure = measure;
    }
    MeasuredBodies(const MeasuredBodies&) = delete;
    MeasuredBodies& operator=(const MeasuredBodies&) = delete;

    void set(bool measure)
    {
        for (const BodyId body : scene_.bodies()) scene_.body_settings(body).measure = measure;
    }

private:
    Scene& scene_;
    std::vector<std::pair<BodyId, bool>> before_;
};

bool is_measured(MeasuredFrames which, std::size_t frame)
{
    return which == MeasuredFrames::all || (which == MeasuredFrames::every_second && frame % 2 == 0);
}

/// Runs and keeps the numbers; `write` is told of every frame before the visitor.
template <class Write>
Recording record_numbers(Scene& scene, const RecordOptions& options, const Write& write)
{
    Recording recording;
    if (options.measures) recording.measures.assign(options.measures->infos().begin(), options.measures->infos().end());
    const auto start = Clock::now();
    const double start_time = scene.time();
    MeasuredBodies bodies(scene);
    play(scene, options.frames, [&](const PlayedFrame& frame) {
        if (frame.number > 0) {
            FrameNumbers numbers = numbers_of(frame, scene);
            numbers.measured = is_measured(options.measured, frame.number);
            if (options.measures) numbers.measures = options.measures->values(scene);
            numbers.cavities = cavity_volumes(scene, options.cavities);
            keep(std::move(numbers), frame.reports, scene, recording);
        }
        const bool goes_on = write() && (!options.visit || options.visit(frame));
        bodies.set(is_measured(options.measured, frame.number + 1));
        return goes_on;
    });
    recording.stopped_early = recording.frames < options.frames;
    recording.simulated = scene.time() - start_time;
    recording.wall = seconds_since(start);
    return recording;
}

}  // namespace

std::size_t play(Scene& scene, std::size_t frames, const FrameVisitor& visit)
{
    if (visit && !visit({})) return 0;
    for (std::size_t number = 1; number <= frames; ++number) {
        const auto start = Clock::now();
        const std::span<const StepReport> reports = scene.step();
        if (visit && !visit({number, reports, seconds_since(start)})) return number;
    }
    return frames;
}

std::vector<CavityVolume> cavity_volumes(const Scene& scene, std::span<const BodyCavity> cavities)
{
    std::vector<CavityVolume> volumes;
    for (const BodyCavity& cavity : cavities) {
        CavityVolume& now = volumes.emplace_back();
        now.volume = std::numeric_limits<double>::quiet_NaN();
        now.body = cavity.name;
        if (!scene.contains(cavity.body) || scene.model(cavity.body).revision() != cavity.revision) continue;
        now.volume = cavity.gauge.volume(scene.state(cavity.body).positions);
    }
    return volumes;
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

Recording record(Scene& scene, const RecordOptions& options)
{
    return record_numbers(scene, options, [] { return true; });
}

Result<Recording> record(Scene& scene, const RecordOptions& options, ClipWriter& writer,
                         std::span<const ClipBody> bodies)
{
    const auto start = Clock::now();
    ClipRecorder clip(scene, bodies);
    Status written = Done{};
    Recording recording = record_numbers(scene, options, [&] {
        written = clip.frame(scene, writer);
        return static_cast<bool>(written);
    });
    const Status finished = writer.finish();
    if (!written) return written.error();
    if (!finished) return finished.error();
    recording.notes = writer.notes();
    recording.missing.assign(clip.missing().begin(), clip.missing().end());
    recording.wall = seconds_since(start);
    return recording;
}

}  // namespace yawara
