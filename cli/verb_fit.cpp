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

struct Options {
    std::string scene, target, out;
    std::vector<std::string> vary;
    FitOptions fit;
};

std::string listed(const std::vector<double>& values)
{
    std::vector<std::string> words;
    for (const double value : values) words.push_back(fmt::format("{:.5g}", value));
    return fmt::format("{}", fmt::join(words, ", "));
}

nlohmann::ordered_json to_json(const FitResult& result, const FitTarget& target)
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

int fit_scene(Options& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
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
        terminal.warn("the numbers still moved when the rounds were over; --rounds allows more");
    if (!options.out.empty()) {
        Status saved = make_folder_of(options.out);
        if (saved) saved = replace_file(options.out, result->scene + "\n");
        if (!saved) return terminal.fail(saved.error());
        terminal.say("{}: the scene with these numbers", options.out);
    }
    terminal.object(to_json(*result, *target));
    return result->cancelled ? kInterrupted : kGood;
}

}  // namespace

void add_fit(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("fit", "Find the numbers of a scene that reproduce measured ones");
    auto options = std::make_shared<Options>();
    verb->add_option("scene", options->scene, "Scene file; it measures what the target has")
        ->required()
        ->type_name("SCENE");
    verb->add_option("--target", options->target, "Measures over time: columns time and names of measures")
        ->required()
        ->type_name("CSV");
    verb->add_option("--vary", options->vary,
                     "A place in the scene and its range; LOW:HIGH:log for moduli and the like")
        ->required()
        ->allow_extra_args(false)
        ->type_name("PATH=LOW:HIGH");
    verb->add_option("-o,--out", options->out, "Write the scene with the numbers found, beside the first for its files")
        ->type_name("FILE");
    verb->add_option("--rounds", options->fit.most_rounds, "At most this many rounds")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->type_name("N");
    verb->add_option("--seed", options->fit.seed, "Another number, other first runs")->type_name("N");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara run bar.json --out data --format npy       leaves data/measures.csv\n"
        "  yawara fit bar.json --target data/measures.csv --vary E=bodies[0].matching.young=1e3:1e6:log\n"
        "  yawara fit slope.json --target film.csv --vary bodies[0].fem.young=1e4:1e6:log \\\n"
        "      --vary obstacles[0].friction=0:1 --out fitted.json\n"
        "--threads is the number of runs at once. A residual is a share of the range of what was measured.");
    verb->callback(
        [options, &session] { session.action = [options, &session] { return fit_scene(*options, session); }; });
}

}  // namespace yawara::cli
