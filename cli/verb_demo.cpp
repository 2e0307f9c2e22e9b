// `yawara demo`: the gallery of scenes as a page.
#include <memory>

#include "gallery.h"

namespace yawara::cli {

namespace {

struct DemoChoices {
    std::string out = "out", scenes, only;
    bool quick = false;
};

int demo(const DemoChoices& options, const Session& session)
{
    auto scenes = list_scenes(options.scenes, options.only);
    if (!scenes) return session.terminal.fail(scenes.error());
    return make_gallery({*std::move(scenes), options.out, options.quick}, session);
}

}  // namespace

void add_demo(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("demo", "Run the scenes of the gallery and write a web page about them");
    auto options = std::make_shared<DemoChoices>();
    verb->add_option("-o,--out", options->out, "Folder for the page, clips and animations")
        ->type_name("DIR")
        ->capture_default_str();
    verb->add_option("--scenes", options->scenes, "Folder of scenes (default: the gallery that comes with the program)")
        ->type_name("DIR");
    verb->add_option("--only", options->only, "Only this scene, by the name of its file without .json")
        ->type_name("NAME");
    verb->add_flag("--quick", options->quick, "Few frames and small pictures");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara demo                          writes out/index.html\n"
        "  yawara demo --only jelly_cube --quick\n"
        "  yawara demo --scenes my_scenes --out my_page\n"
        "Ctrl-C ends early with a page about the finished scenes (exit code 130).");
    verb->callback([options, &session] { session.action = [options, &session] { return demo(*options, session); }; });
}

}  // namespace yawara::cli
