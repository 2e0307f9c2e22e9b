// `yawara studio`: serves the studio's page and the scenes in it until Ctrl-C.
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "scene_input.h"
#include "scene_picture.h"
#include "verbs.h"
#include "yawara/stream.h"

extern char** environ;

namespace yawara::cli {

namespace fs = std::filesystem;

namespace {

struct StudioChoices {
    std::string scene, state, scenes;
    int port = 8117;
    bool no_browser = false;
};

/// Where edits that were not saved, uploads and pictures are kept, by the rules of XDG.
fs::path state_folder()
{
    if (const char* given = std::getenv("XDG_STATE_HOME"); given && *given) return fs::path(given) / "yawara";
    const char* home = std::getenv("HOME");
    return (home && *home ? fs::path(home) / ".local" / "state" : fs::temp_directory_path()) / "yawara";
}

/// Asks the desktop to show the page, if there is a desktop.
void open_browser(const std::string& url)
{
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
    const std::string program = "xdg-open";
    std::string address = url;
    char* arguments[] = {const_cast<char*>(program.c_str()), address.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) == 0)
        std::thread([child] { waitpid(child, nullptr, 0); }).detach();
}

int studio(const StudioChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    StudioOptions wanted;
    wanted.scene = options.scene;
    wanted.gallery = options.scenes;
    if (options.scenes.empty()) wanted.gallery = find_scenes_folder().value_or(fs::path());
    wanted.page = find_page_folder().value_or(fs::path("studio/dist"));
    wanted.state = options.state.empty() ? state_folder() : fs::path(options.state);
    wanted.port = options.port;
    wanted.threads = session.threads;
    wanted.picture = [](const fs::path& scene) { return picture_of_scene(scene, [] { return interrupted(); }); };

    const auto running = Studio::start(std::move(wanted));
    if (!running) return terminal.fail(running.error());
    terminal.say("The studio is open: {}", running->url());
    terminal.say("Ctrl-C ends it.");
    if (running->has_lost_work())
        terminal.say("Edits from an earlier session were not saved; the page offers to restore them.");
    terminal.object({{"ok", true}, {"url", running->url()}, {"lost_work", running->has_lost_work()}});
    std::fflush(stdout);
    if (!options.no_browser) open_browser(running->url());
    while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return kGood;
}

}  // namespace

void add_studio(CLI::App& app, Session& session)
{
    CLI::App* verb =
        app.add_subcommand("studio", "Open the studio: see, grab, cut and tune soft bodies in the browser");
    auto options = std::make_shared<StudioChoices>();
    verb->add_option("scene", options->scene, "Scene file (default: open the gallery)")->type_name("SCENE");
    verb->add_option("--port", options->port, "Port on this machine; if taken, the next free one (0: any)")
        ->check(CLI::Range(0, 65000))
        ->type_name("N")
        ->capture_default_str();
    verb->add_option("--scenes", options->scenes,
                     "Folder of the gallery (default: the scenes that come with the program)")
        ->type_name("DIR");
    verb->add_option("--state", options->state,
                     "Folder for unsaved edits, uploads and pictures (default: in your home folder)")
        ->type_name("DIR");
    verb->add_flag("--no-browser", options->no_browser, "Do not open a browser; print the address");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara studio                 the gallery\n"
        "  yawara studio jelly.json      a scene; save writes it\n"
        "  yawara studio --port 9000 --no-browser\n"
        "The page is available only on this machine; the printed address contains a secret that it needs. Ctrl-C ends "
        "the "
        "studio.");
    verb->callback([options, &session] { session.action = [options, &session] { return studio(*options, session); }; });
}

}  // namespace yawara::cli
