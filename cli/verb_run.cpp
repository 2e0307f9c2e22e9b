// `yawara run`: simulate a scene and keep what happened.
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "audit.h"
#include "body_stats.h"
#include "event_log.h"
#include "interrupt.h"
#include "outputs.h"
#include "record.h"
#include "scene_input.h"
#include "verbs.h"
#include "yawara/quantities.h"
#include "yawara/settle.h"

namespace yawara::cli {

namespace {

struct RunChoices {
    std::string scene, out, save_state, load_state, events;
    std::optional<int> frames;
    ClipOptions clip;
    std::vector<std::string> formats, values{"speed"};
    bool settle = false, audit = false;
};

void summarize(const Recording& recording, const Terminal& terminal)
{
    terminal.say("{} frames, {} s simulated in {} s: {} frames/s", recording.frames, brief(recording.simulated),
                 brief(recording.wall), brief(recording.frames_per_second()));
    std::string phases;
    const auto medians = recording.median_phase_ms();
    for (std::size_t p = 0; p < kPhases; ++p)
        phases += fmt::format("{}{} {}", p ? ", " : "", to_string(static_cast<Phase>(p)), brief(medians[p]));
    terminal.say("{} ms per step (median): {}", brief(recording.median_step_ms()), phases);
    terminal.say("at most {} inverted regions and {} contacts in a step; {} particles repaired",
                 recording.inverted_regions, recording.contacts, recording.repaired_particles);
    if (recording.touches > 0)
        terminal.say(
            "bodies touched with at most {} particles in a step; deepest overlap left {:.2g} % of a body's size",
            recording.touches, 100 * recording.overlap);
    if (recording.most_active_tets > 0)
        terminal.say("{} tets active on average, {} at most; level changes added {} J",
                     brief(recording.mean_active_tets), recording.most_active_tets, brief(recording.energy_jumps));
    for (const std::string& note : recording.notes) terminal.say("{}", note);
}

/// What no elastic body does unless something pulls it apart, and what only a body that is too soft does, in words.
struct LostShapes {
    std::vector<std::string> grown, collapsed;
};
LostShapes lost_shapes(const Recording& recording)
{
    LostShapes lost;
    for (const ShapeNumbers& shape : recording.shapes) {
        const ShapeReport worst{shape.largest, 1, shape.collapsed};
        if (worst.has_grown())
            lost.grown.push_back(
                fmt::format("body \"{}\" grew to {} times its size: something pulls it apart, or its motion is wrong",
                            shape.body, brief(double(shape.largest))));
        if (worst.has_collapsed())
            lost.collapsed.push_back(fmt::format(
                "body \"{}\" was flat or inside out for {} s: it may be too soft for its size, see `yawara inspect`",
                shape.body, brief(double(shape.collapsed))));
    }
    return lost;
}

/// Finest tets of a body below a fifth of their volume: there only the barrier against inversion holds them.
std::size_t squeezed_tets(const BodyModel& model, const BodyState& state)
{
    constexpr double kFifth = 0.2;
    std::size_t count = 0;
    for (const Int4& tet : std::get<TetMesh>(model.domain()).tets) {
        const auto volume = [&](const auto& at) {
            const Vec3d origin = at(tet[0]);
            return dot(at(tet[1]) - origin, cross(at(tet[2]) - origin, at(tet[3]) - origin));
        };
        const double rest = volume([&](std::int32_t n) { return model.rest_positions()[static_cast<std::size_t>(n)]; });
        const double now =
            volume([&](std::int32_t n) { return state.positions[static_cast<std::size_t>(n)].as<double>(); });
        count += now < kFifth * rest;
    }
    return count;
}

/// Brings the scene to rest and tells how.
Result<nlohmann::ordered_json> settle(LoadedScene& loaded, const Terminal& terminal)
{
    ProgressBar bar(terminal, "settling");
    const auto settled = yawara::settle(loaded.scene(), bar.callback());
    bar.clear();
    if (!settled) return settled.error();
    auto list = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < settled->size(); ++k) {
        const SettledBody& s = (*settled)[k];
        const std::string& name = loaded.scene().model(loaded.scene().bodies()[k]).name();
        terminal.say("{} {}", name,
                     s.solved
                         ? fmt::format("is in equilibrium after {} rounds; largest unbalanced force {} of the largest",
                                       s.rounds, brief(s.residual))
                         : fmt::format("came to rest within {} frames", s.rounds));
        list.push_back({{"body", name}, {"static", s.solved}, {"rounds", s.rounds}, {"residual", s.residual}});
        if (!s.solved) continue;
        const BodyId id = loaded.scene().bodies()[k];
        const std::size_t squeezed = squeezed_tets(loaded.scene().model(id), loaded.scene().state(id));
        list.back()["squeezed_tets"] = squeezed;
        if (squeezed > 0)
            terminal.warn(
                fmt::format("{} tetrahedra of {} are squeezed below a fifth of their volume: this load is more than "
                            "the material can carry by itself",
                            squeezed, name));
    }
    return list;
}

void say_audit(const Audit& audit, const Scene& scene, const Terminal& terminal, nlohmann::ordered_json& object)
{
    object["audit"] = {{"full_seconds", audit.seconds()}, {"bodies", nlohmann::ordered_json::array()}};
    for (std::size_t k = 0; k < audit.last().size(); ++k) {
        const std::string& name = scene.model(scene.bodies()[k]).name();
        const Difference &last = audit.last()[k], &most = audit.largest()[k];
        terminal.say(
            "{} differs from full resolution by {} of its size (rms, at most {}) and {} degrees (at most {}); its "
            "shape by {} (at most {})",
            name, brief(last.rms), brief(most.rms), brief(last.tilt_degrees), brief(most.tilt_degrees),
            brief(last.shape), brief(most.shape));
        object["audit"]["bodies"].push_back({{"body", name},
                                             {"rms", last.rms},
                                             {"largest_rms", most.rms},
                                             {"shape", last.shape},
                                             {"largest_shape", most.shape},
                                             {"tilt_degrees", last.tilt_degrees},
                                             {"largest_tilt_degrees", most.tilt_degrees},
                                             {"energy", last.energy}});
    }
}

int run(const RunChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    const std::string stem = stem_of(options.scene);
    auto outputs = plan_outputs(options.out, options.formats, stem);
    if (!outputs) {
        terminal.fail(outputs.error());
        return kUsage;
    }

    auto loaded = load_scene(options.scene, session.threads, terminal);
    if (interrupted()) return terminal.stopped("stopped while building; nothing was written");
    if (!loaded) return terminal.fail(loaded.error());
    if (loaded->scene().bodies().empty())
        return terminal.fail(Error{options.scene, "has no bodies: there is nothing to simulate"});
    for (const std::string& warning : loaded->warnings()) terminal.warn(warning);
    if (!options.load_state.empty())
        if (Status state = loaded->load_state(options.load_state); !state) return terminal.fail(state.error());

    nlohmann::ordered_json settled;
    if (options.settle) {
        auto told = settle(*loaded, terminal);
        if (!told)
            return interrupted() ? terminal.stopped("stopped while settling; nothing was written")
                                 : terminal.fail(told.error());
        settled = *std::move(told);
    }
    std::unique_ptr<Audit> audit;
    if (options.audit) {
        auto full = load_scene(options.scene, session.threads, terminal);
        if (!full) return terminal.fail(full.error());
        audit = std::make_unique<Audit>(*std::move(full));
    }

    const std::size_t frames = static_cast<std::size_t>(options.frames.value_or(options.settle ? 0 : loaded->frames()));
    const ClipInfo info = describe_clip(*loaded, frames, options.values);
    auto writers = open_writers(*outputs, info, options.clip);
    if (!writers) return terminal.fail(writers.error());
    std::optional<SideNumbers> side;
    std::optional<BodyStats> stats;
    for (const Output& output : *outputs) {
        if (output.format != "npy") continue;
        auto numbers = SideNumbers::create(*loaded, output.path);
        if (!numbers) return terminal.fail(numbers.error());
        side.emplace(*std::move(numbers));
        auto made = BodyStats::create(loaded->scene(), output.path, audit != nullptr);
        if (!made) return terminal.fail(made.error());
        stats.emplace(*std::move(made));
    }
    std::optional<EventLog> events;
    if (!options.events.empty()) {
        auto log = EventLog::create(options.events);
        if (!log) return terminal.fail(log.error());
        events.emplace(*std::move(log));
    }
    Status noted = Done{};
    const auto note = [&](const PlayedFrame& frame) {
        const std::vector<Difference> none;
        const auto& differences = audit && frame.number > 0 ? audit->step(loaded->scene(), frame.reports) : none;
        if (stats) noted = stats->frame(loaded->scene(), frame.reports, differences);
        if (side && noted) noted = side->frame(*loaded);
        if (events && noted && frame.number > 0) noted = events->frame(*loaded, frame.number);
        return static_cast<bool>(noted);
    };
    const bool measures_frames = stats || audit;
    auto recording = record(*loaded,
                            {.frames = frames,
                             .measured = measures_frames ? MeasuredFrames::all : MeasuredFrames::none,
                             .visit = measures_frames || events ? FrameVisitor(note) : FrameVisitor()},
                            info, *writers, terminal, stem);
    if (!noted) return terminal.fail(noted.error());
    if (!recording) return terminal.fail(recording.error());
    if (side) {
        auto notes = side->finish();
        if (!notes) return terminal.fail(notes.error());
        recording->notes.insert(recording->notes.end(), notes->begin(), notes->end());
    }
    if (stats)
        if (Status written = stats->finish(); !written) return terminal.fail(written.error());
    if (events) {
        if (Status written = events->finish(); !written) return terminal.fail(written.error());
        recording->notes.push_back(fmt::format("{}: {} events", options.events, events->rows()));
    }
    if (!options.save_state.empty()) {
        Status saved = make_folder_of(options.save_state);
        if (saved) saved = loaded->save_state(options.save_state);
        if (!saved) return terminal.fail(saved.error());
    }

    const LostShapes lost = lost_shapes(*recording);
    nlohmann::ordered_json object = {{"ok", lost.grown.empty()}, {"scene", options.scene}};
    object.update(to_json(*recording));
    object["grown"] = lost.grown;
    object["collapsed"] = lost.collapsed;
    if (options.settle) object["settled"] = settled;
    object["warnings"] = std::vector<std::string>(loaded->warnings().begin(), loaded->warnings().end());
    object["hash"] = fmt::format("{:016x}", loaded->scene().hash());
    object["outputs"] = nlohmann::ordered_json::array();
    for (const Output& output : *outputs)
        object["outputs"].push_back({{"format", output.format}, {"path", output.path.string()}});
    if (recording->stopped_early)
        terminal.warn(fmt::format("stopped after {} of {} frames", recording->frames, frames));
    summarize(*recording, terminal);
    if (audit && recording->frames > 0) say_audit(*audit, loaded->scene(), terminal, object);
    for (const auto* sentences : {&lost.collapsed, &lost.grown})
        for (const std::string& sentence : *sentences) terminal.warn(sentence);
    terminal.object(object);
    if (!lost.grown.empty()) return kFailure;
    return recording->stopped_early ? kInterrupted : kGood;
}

}  // namespace

void add_run(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("run", "Simulate a scene and record its motion");
    auto options = std::make_shared<RunChoices>();
    verb->add_option("scene", options->scene, "Scene file, or - for standard input")->required()->type_name("SCENE");
    verb->add_option("--frames", options->frames, "Frames to simulate (default: as the scene says)")
        ->check(CLI::Range(0, 100'000'000))
        ->type_name("F");
    verb->add_option("-o,--out", options->out, "File or folder (default: SCENE.ywc in the current folder)")
        ->type_name("PATH");
    verb->add_option("--format", options->formats,
                     fmt::format("{}; several with commas", fmt::join(clip_formats(), ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME");
    add_clip_options(*verb, options->clip);
    std::vector<std::string> quantities;
    for (const Quantity& quantity : common_quantities()) quantities.push_back(quantity.name);
    verb->add_option(
            "--values", options->values,
            fmt::format("Recorded per particle: {}; separate several with commas", fmt::join(quantities, ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(quantities))
        ->type_name("NAME")
        ->capture_default_str();
    verb->add_flag(
        "--settle", options->settle,
        "First find the equilibrium under the loads: by a static solve for finite elements that touch nothing, "
        "otherwise by running until everything is at rest. Without --frames, the run ends there");
    verb->add_flag("--audit", options->audit,
                   "Also run the scene with all finite elements at full resolution, and report the difference");
    verb->add_option("--events", options->events,
                     "Write what happened as a table (csv): touches with place, normal and impulse, sleep, repairs")
        ->type_name("FILE");
    verb->add_option("--save-state", options->save_state, "Save the state at the end, to continue from later")
        ->type_name("FILE");
    verb->add_option("--load-state", options->load_state, "Continue from a saved state, bit for bit")
        ->type_name("FILE");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara run jelly.json                                  writes jelly.ywc\n"
        "  yawara run jelly.json --frames 300 --out jelly.glb     an animation for Blender and the web\n"
        "  yawara run jelly.json --out jelly.glb --tolerance 0.02 --meshopt   more exact and compressed, for the web "
        "only\n"
        "  yawara run jelly.json --out data --format npy,vtu      arrays for NumPy, a series for ParaView\n"
        "  yawara run crates.json --events crates.csv             who touched whom, where and how hard\n"
        "  yawara run beam.json --settle --format npy             the shape in equilibrium, one frame\n"
        "  yawara run jelly.json --frames 100 --save-state a.yws  continue with --load-state a.yws\n"
        "Ctrl-C ends the run early and leaves valid, shorter files (exit code 130).");
    verb->callback([options, &session] { session.action = [options, &session] { return run(*options, session); }; });
}

}  // namespace yawara::cli
