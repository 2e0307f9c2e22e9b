// `yawara bench`: hands over to yawara-bench, the program beside this one.
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "scene_input.h"
#include "verbs.h"

namespace yawara::cli {

namespace {

int bench(const std::vector<std::string>& arguments, const Terminal& terminal)
{
    const std::string program = (program_path().parent_path() / "yawara-bench").string();
    if (access(program.c_str(), X_OK) != 0) {
        const bool asks_for_help =
            std::ranges::any_of(arguments, [](const auto& a) { return a == "-h" || a == "--help"; });
        if (asks_for_help) {
            fmt::print(
                "yawara bench [...]: measure the speed of the solver; arguments go to the program yawara-bench.\n");
            return kGood;
        }
        return terminal.fail(Error{program, "not built; configure with -DYAWARA_BENCHMARKS=ON and build again"});
    }
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    return terminal.fail(Error{program, std::string("cannot be started: ") + std::strerror(errno)});
}

}  // namespace

void add_bench(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("bench", "Measure the speed of the solver (arguments go to yawara-bench)");
    verb->set_help_flag();
    verb->prefix_command();
    verb->callback([verb, &session] {
        session.action = [arguments = verb->remaining(), &session] { return bench(arguments, session.terminal); };
    });
}

}  // namespace yawara::cli
