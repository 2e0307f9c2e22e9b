// `yawara check`: is this scene right? Every mistake with its place, or "ok".
#include <memory>

#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "reports.h"
#include "scene_input.h"
#include "verbs.h"

namespace yawara::cli {

namespace {

struct CheckChoices {
    std::vector<std::string> scenes;
    bool fast = false;
};

/// Mistakes of the document; if there are none, what building its bodies finds.
std::vector<Error> errors_of(const std::string& scene, const CheckChoices& options, const Session& session,
                             std::vector<std::string>& warnings, nlohmann::ordered_json& bodies)
{
    if (scene != "-") {
        std::vector<Error> errors = check_scene(scene);
        if (!errors.empty() || options.fast) return errors;
    }
    auto loaded = load_scene(scene, session.threads, session.terminal);
    if (!loaded) return {loaded.error()};
    warnings.assign(loaded->warnings().begin(), loaded->warnings().end());
    Scene& built = loaded->scene();
    for (const BodyId body : built.bodies()) {
        const Firmness firmness = firmness_of(built, body);
        bodies.push_back({{"name", built.model(body).name()}, {"firmness", to_json(firmness)}});
        session.terminal.say("  {}: {}", built.model(body).name(), in_words(firmness));
    }
    return {};
}

int check(const CheckChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    nlohmann::ordered_json scenes = nlohmann::ordered_json::array();
    bool all_good = true;
    Terminal words = terminal;
    words.json = false;  // one object at the end, not one for each scene
    for (const std::string& scene : options.scenes) {
        std::vector<std::string> warnings;
        nlohmann::ordered_json bodies = nlohmann::ordered_json::array();
        const std::vector<Error> errors = errors_of(scene, options, session, warnings, bodies);
        if (interrupted()) return terminal.stopped("stopped before all scenes were checked");
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Error& error : errors) list.push_back({{"where", error.where}, {"what", error.what}});
        scenes.push_back(
            {{"scene", scene}, {"ok", errors.empty()}, {"errors", list}, {"warnings", warnings}, {"bodies", bodies}});
        for (const std::string& warning : warnings) terminal.warn(warning);
        if (errors.empty())
            terminal.say("{}: ok", scene);
        else {
            if (options.scenes.size() > 1)
                terminal.say("{}: {} error{}", scene, errors.size(), errors.size() == 1 ? "" : "s");
            words.fail(errors);
        }
        all_good = all_good && errors.empty();
    }
    terminal.object({{"ok", all_good}, {"scenes", scenes}});
    return all_good ? kGood : kFailure;
}

}  // namespace

void add_check(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("check", "Find every mistake in scene files");
    auto options = std::make_shared<CheckChoices>();
    verb->add_option("scenes", options->scenes, "Scene files, or - for standard input")->required()->type_name("SCENE");
    verb->add_flag("--fast", options->fast, "Check the documents only, without building bodies");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara check jelly.json\n"
        "  yawara check --fast scenes/*.json\n"
        "  generate | yawara check -\n"
        "Exit code 0: all scenes are valid; 1: at least one is not.");
    verb->callback([options, &session] { session.action = [options, &session] { return check(*options, session); }; });
}

}  // namespace yawara::cli
