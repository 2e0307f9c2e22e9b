// `yawara fit`: find the numbers of a scene that reproduce measured ones.
#include <memory>

#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "outputs.h"
#include "verbs.h"
#include "yawara/fit.h"
#include "yawara/replace_file.h"

namespace yawara::cli {

namespace {

constexpr double kNoInfluence = 1e-3;  // change of the residual over a whole range that tells nothing

struct FitChoices {
    std::string scene, target, out;
    std::vector<std::string> vary;
    FitOptions fit;
    std::string muscles;  ///< body whose muscles are found from a motion
    MuscleFitOptions muscle_fit;
    double fps = 0;  ///< of a motion without a clock
};

std::string listed(const std::vector<double>& values)
{
    std::vector<std::string> words;
    for (const double value : values) words.push_back(fmt::format("{:.5g}", value));
    return fmt::format("{}", fmt::join(words, ", "));
}

nlohmann::ordered_json result_json(const FitResult& result, const FitTarget& target)
{
    nlohmann::ordered_json object{{"ok", result.converged}, {"values", nlohmann::ordered_json::object()}};
    for (std::size_t k = 0; k < result.names.size(); ++k) object["values"][result.names[k]] = result.values[k];
    object["residual"] = result.residual;
    for (std::size_t k = 0; k < target.names.size(); ++k) object["residuals"][target.names[k]] = result.residuals[k];
    object["runs"] = result.runs;
    object["rounds"] = result.rounds;
    object["interrupted"] = result.cancelled;
    return object;
}

int save_scene(const FitChoices& options, const Terminal& terminal, const std::string& scene)
{
    if (options.out.empty()) return kGood;
    Status saved = make_folder_of(options.out);
    if (saved) saved = replace_file(options.out, scene + "\n");
    if (!saved) return terminal.fail(saved.error());
    terminal.say("{}: the scene with what was found", options.out);
    return kGood;
}

int fit_motion(FitChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    if (!options.vary.empty()) return terminal.fail({"--muscles", "finds muscles and cannot be combined with --vary"});
    options.muscle_fit.rounds = options.fit.most_rounds;
    options.muscle_fit.cancelled = interrupted;
    options.muscle_fit.progress = [&](const MuscleFitProgress& told) {
        terminal.say("round {:2}  residual {:.3g} %", told.round, 100 * told.residual);
    };
    const auto found =
        fit_scene_muscles(options.scene, options.muscles, options.target, options.fps, options.muscle_fit);
    if (!found) return interrupted() ? terminal.stopped(found.error().what) : terminal.fail(found.error());
    const MuscleFit& fit = found->fit;
    terminal.say("stretches are off by {:.3g} % of the motion's (root mean square)", 100 * fit.residual);
    if (fit.residual > 0.2)
        terminal.warn("much of the motion cannot come from one muscle layer along these directions");
    if (const int code = save_scene(options, terminal, found->scene); code != kGood) return code;
    terminal.object({{"ok", true},
                     {"residual", fit.residual},
                     {"rounds", fit.rounds},
                     {"speed", fit.layer.speed},
                     {"amplitude", fit.amplitude.formula()},
                     {"phase", fit.phase.formula()},
                     {"interrupted", fit.cancelled}});
    return fit.cancelled ? kInterrupted : kGood;
}

int fit_scene(FitChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    if (!options.muscles.empty()) return fit_motion(options, session);
    if (options.vary.empty()) return terminal.fail({"--vary", "is missing: which values are to be fitted?"});
    const auto target = load_fit_target(options.target);
    if (!target) return terminal.fail(target.error());
    options.fit.threads = session.threads;
    options.fit.cancelled = interrupted;
    options.fit.progress = [&](const FitProgress& told) {
        terminal.say("round {:2}  {:4} runs  residual {:.3g} %  at {}", told.round, told.runs, 100 * told.residual,
                     listed(told.values));
    };
    const auto result = fit(options.scene, *target, options.vary, options.fit);
    if (!result) return interrupted() ? terminal.stopped(result.error().what) : terminal.fail(result.error());

    for (std::size_t k = 0; k < result->names.size(); ++k) {
        terminal.say("{} = {:.5g}", result->names[k], result->values[k]);
        if (result->at_end[k]) terminal.warn(result->names[k] + " is at an end of its range: it may lie beyond");
        if (k < result->slopes.size() && result->slopes[k] < kNoInfluence)
            terminal.warn(result->names[k] + " hardly changes what is measured: its value means little");
    }
    for (std::size_t k = 0; k < target->names.size(); ++k)
        terminal.say("{} is off by {:.3g} % of its range (root mean square)", target->names[k],
                     100 * result->residuals[k]);
    if (!result->converged && !result->cancelled)
        terminal.warn("the values were still changing after the last round; --rounds allows more");
    if (const int code = save_scene(options, terminal, result->scene); code != kGood) return code;
    terminal.object(result_json(*result, *target));
    return result->cancelled ? kInterrupted : kGood;
}

}  // namespace

void add_fit(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("fit", "Find the values of a scene that reproduce measurements");
    auto options = std::make_shared<FitChoices>();
    verb->add_option("scene", options->scene, "Scene file with the same measures as the target")
        ->required()
        ->type_name("SCENE");
    verb->add_option("--target", options->target,
                     "Measures over time: columns time and names of measures; with --muscles a recorded motion, "
                     ".ywc, .pc2 or .mdd")
        ->required()
        ->type_name("FILE");
    verb->add_option(
            "--muscles", options->muscles,
            "Find charts, amplitude and phase of this body's muscles from a motion, along the directions it has")
        ->type_name("BODY");
    verb->add_option("--period", options->muscle_fit.period,
                     "Period of the motion, s (default: that of the body's charts)")
        ->check(CLI::PositiveNumber)
        ->type_name("S");
    verb->add_option("--fps", options->fps, "Frame rate of a .pc2, which stores none (default: that of the scene)")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    verb->add_option("--vary", options->vary,
                     "A place in the scene and its range; LOW:HIGH:log for moduli and the like")
        ->allow_extra_args(false)
        ->type_name("PATH=LOW:HIGH");
    verb->add_option("-o,--out", options->out,
                     "Write the scene with the values found; keep it beside the original, whose files it names")
        ->type_name("FILE");
    verb->add_option("--rounds", options->fit.most_rounds, "Maximum number of rounds")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->type_name("N");
    verb->add_option("--seed", options->fit.seed, "Seed of the first runs")->type_name("N");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara run bar.json --out data --format npy       leaves data/measures.csv\n"
        "  yawara fit bar.json --target data/measures.csv --vary E=bodies[0].matching.young=1e3:1e6:log\n"
        "  yawara fit slope.json --target film.csv --vary bodies[0].fem.young=1e4:1e6:log \\\n"
        "      --vary obstacles[0].friction=0:1 --out fitted.json\n"
        "  yawara fit worm.json --muscles worm --target worm.ywc --out found.json\n"
        "--threads is the number of simultaneous runs. A residual is relative to the range of the measurements.");
    verb->callback(
        [options, &session] { session.action = [options, &session] { return fit_scene(*options, session); }; });
}

}  // namespace yawara::cli
