// `yawara mesh`: any surface, clean or not, becomes a tet mesh; a tet mesh is repaired and written anew.
#include <chrono>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "yawara/io.h"

#include "interrupt.h"
#include "outputs.h"
#include "reports.h"
#include "verbs.h"

namespace yawara::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct MeshChoices {
    std::string file, out;
    double cell = 0;
    int particles = 2000;
};

int mesh(const MeshChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    const fs::path out = options.out.empty() ? fs::path(options.file).stem().string() + ".mesh" : options.out;
    std::error_code ignored;
    if (fs::equivalent(out, options.file, ignored))
        return terminal.fail(Error{"--out", "is the input itself: " + out.string()});

    if (const MeshFormat* format = mesh_format(out); !format || !format->saves_tets)
        return terminal.fail(Error{
            "--out", fmt::format("{} is written as one of {}", out.string(), mesh_endings(&MeshFormat::saves_tets))});

    const auto start = std::chrono::steady_clock::now();
    Json object = {{"ok", true}, {"input", options.file}};
    TetMesh result;
    if (is_tet_mesh_file(options.file)) {
        auto loaded = load_tet_mesh(options.file);
        if (!loaded) return terminal.fail(loaded.error());
        const auto report = repair(*loaded);
        if (!report) return terminal.fail(Error{options.file, report.error().message()});
        for (const std::string& message : report->messages()) terminal.say("{}", message);
        object["repairs"] = report->messages();
        result = *std::move(loaded);
    } else {
        const auto surface = load_tri_mesh(options.file);
        if (!surface) return terminal.fail(surface.error());
        ProgressBar bar(terminal, "meshing " + fs::path(options.file).stem().string());
        auto solid = make_solid(*surface, {options.cell, options.particles, bar.callback()});
        bar.clear();
        if (interrupted()) return terminal.stopped("stopped while meshing; nothing was written");
        if (!solid) return terminal.fail(Error{options.file, solid.error().what});
        for (const std::string& line : in_words(solid->report)) terminal.say("{}", line);
        for (const std::string& warning : solid->report.warnings) terminal.warn(warning);
        object["meshing"] = to_json(solid->report);
        result = std::move(solid->mesh);
    }
    Status saved = make_folder_of(out);
    if (saved) saved = save_tet_mesh(out, result);
    if (!saved) return terminal.fail(saved.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    terminal.say("{} particles, {} tets in {} s: {}", with_commas(result.vertices.size()),
                 with_commas(result.tets.size()), brief(seconds), out.string());
    object["mesh"] = facts_of(result);
    object["seconds"] = seconds;
    object["output"] = out.string();
    terminal.object(object);
    return kGood;
}

}  // namespace

void add_mesh(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("mesh", "Turn any surface into a tetrahedral mesh");
    auto options = std::make_shared<MeshChoices>();
    verb->add_option("file", options->file,
                     fmt::format("Surface ({}), or tet mesh to repair and convert ({})",
                                 mesh_endings(&MeshFormat::loads_surface), mesh_endings(&MeshFormat::loads_tets)))
        ->required()
        ->type_name("FILE");
    verb->add_option("-o,--out", options->out,
                     fmt::format("Tet mesh ({}; default: FILE.mesh in the current folder)",
                                 mesh_endings(&MeshFormat::saves_tets)))
        ->type_name("FILE");
    CLI::Option* cell = verb->add_option("--cell", options->cell, "Edge length of the cells, m");
    cell->check(CLI::PositiveNumber)->type_name("C");
    verb->add_option("--particles", options->particles, "Approximate number of particles")
        ->check(CLI::Range(4, 50'000'000))
        ->type_name("N")
        ->capture_default_str()
        ->excludes(cell);
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara mesh bunny.obj                              writes bunny.mesh, about 2000 particles\n"
        "  yawara mesh bunny.stl --particles 10000 --out bunny.msh\n"
        "  yawara mesh part.glb --cell 0.01 --out part.vtu    for ParaView\n"
        "  yawara mesh old.msh --out new.mesh                 turn inverted tets, drop flat ones");
    verb->callback([options, &session] { session.action = [options, &session] { return mesh(*options, session); }; });
}

}  // namespace yawara::cli
