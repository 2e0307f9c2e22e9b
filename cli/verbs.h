// The verbs: each adds its options to the program and leaves behind what is to be done once they are read.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "terminal.h"

namespace yawara::cli {

struct Session {
    Terminal terminal;
    int threads = 0;              ///< 0: all cores
    std::function<int()> action;  ///< of the verb asked for; returns the exit code
};

void add_run(CLI::App& app, Session& session);
void add_sweep(CLI::App& app, Session& session);
void add_fit(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_mesh(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_render(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);
void add_studio(CLI::App& app, Session& session);

/// --quiet, --json and --threads, which every verb has.
void add_common(CLI::App& verb, Session& session);

/// A completion script for bash made from the verbs and options of the program.
std::string bash_completion(const CLI::App& app);

}  // namespace yawara::cli
