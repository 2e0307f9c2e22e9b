// The program `yawara`: reads the command line, does what one verb asks, returns 0 good, 1 failure, 2 usage, 130
// stopped.
#include <exception>
#include <optional>
#include <vector>

#include <oneapi/tbb/global_control.h>

#include "yawara/spelling.h"

#include "interrupt.h"
#include "verbs.h"

namespace yawara::cli {

void add_common(CLI::App& verb, Session& session)
{
    verb.add_flag("-q,--quiet", session.terminal.quiet, "Print errors only");
    verb.add_flag("--json", session.terminal.json, "Print one JSON object to stdout, messages to stderr");
    verb.add_option("--threads", session.threads, "Worker threads (0: all cores). The result does not depend on it")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
}

namespace {

int unknown_verb(const CLI::App& app, const std::string& word)
{
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
        verbs.push_back(verb->get_name());
    fmt::print(stderr, "error: \"{}\" is not a verb{}\nVerbs: {}. More: yawara --help\n", word,
               did_you_mean(word, verbs), fmt::join(verbs, ", "));
    return kUsage;
}

int parse_and_act(int argc, char** argv)
{
    CLI::App app{"Yawara: real-time elastic solids. Simulate, mesh, convert and draw soft bodies."};
    app.name("yawara");
    app.set_version_flag("--version", "yawara " + std::string(version()));
    app.footer(
        "Examples:\n"
        "  yawara run scenes/jelly_cube.json            simulate, leaves jelly_cube.ywc\n"
        "  yawara render jelly_cube.ywc --out jelly.webp  draw what was recorded\n"
        "  yawara mesh bunny.obj --particles 3000       any surface becomes a tet mesh\n"
        "  yawara demo                                  the gallery, a page in out/index.html\n"
        "  yawara run --help                            options and examples of a verb");
    std::string completion;
    app.add_option("--completion", completion, "Print a completion script: source <(yawara --completion bash)")
        ->check(CLI::IsMember({"bash"}))
        ->type_name("SHELL");

    Session session;
    add_run(app, session);
    add_sweep(app, session);
    add_fit(app, session);
    add_check(app, session);
    add_inspect(app, session);
    add_mesh(app, session);
    add_convert(app, session);
    add_render(app, session);
    add_bench(app, session);
    add_demo(app, session);
    add_studio(app, session);

    const auto is_verb = [&](const CLI::App* verb) { return verb->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_verb).empty()) return unknown_verb(app, argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help_or_version) {
        return app.exit(help_or_version);
    } catch (const CLI::ParseError& mistake) {
        const auto verbs = app.get_subcommands();
        fmt::print(stderr, "error: {}\nMore: yawara {}--help\n", mistake.what(),
                   verbs.empty() ? "" : verbs[0]->get_name() + " ");
        return kUsage;
    }
    if (!completion.empty()) {
        fmt::print("{}", bash_completion(app));
        return kGood;
    }
    if (!session.action) {
        fmt::print("{}", app.help());
        return kUsage;
    }

    std::optional<oneapi::tbb::global_control> limit;
    if (session.threads > 0)
        limit.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(session.threads));
    try {
        return session.action();
    } catch (const std::bad_alloc&) {
        return session.terminal.fail(Error{"", "not enough memory"});
    } catch (const Exception& trouble) {
        return session.terminal.fail(trouble.error());
    } catch (const std::exception&) {
        return session.terminal.fail(Error{"", "an internal error; please report what you did"});
    }
}

}  // namespace

}  // namespace yawara::cli

int main(int argc, char** argv)
{
    yawara::cli::watch_for_interrupts();
    return yawara::cli::parse_and_act(argc, argv);
}
