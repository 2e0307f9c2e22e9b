// `yawara convert`: recordings to any clip format, surfaces to surfaces, tet meshes to tet meshes, volume
// models to .vdb and surfaces.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "outputs.h"
#include "verbs.h"
#include "volume_picture.h"

namespace yawara::cli {

namespace {

namespace fs = std::filesystem;

struct ConvertChoices {
    std::string in, out;
    std::vector<std::string> formats;
    ClipOptions clip;
    double voxel = 0;
};

/// With the meshes that change at it.
Status copy_frame(ClipReader& clip, std::size_t k, ClipWriter& writer)
{
    for (const ClipReader::Change& change : clip.changes()) {
        if (change.frame != k) continue;
        const auto body = clip.body(change.body, k);
        if (!body) return body.error();
        if (Status changed = writer.change(change.body, **body); !changed) return changed;
    }
    const auto frame = clip.frame(k);
    if (!frame) return frame.error();
    return writer.frame(clip.time(k), *frame);
}

int convert_clip(const ConvertChoices& options, const Terminal& terminal)
{
    auto outputs = plan_outputs(options.out, options.formats, fs::path(options.in).stem().string());
    if (!outputs) return terminal.fail(outputs.error());
    auto clip = ClipReader::open(options.in);
    if (!clip) return terminal.fail(clip.error());
    warn_if_cut_off(options.in, clip->info(), terminal);
    std::error_code ignored;
    for (const Output& output : *outputs)
        if (fs::equivalent(output.path, options.in, ignored))
            return terminal.fail(Error{options.out, "is the input itself"});
    auto writers = open_writers(*outputs, clip->info(), options.clip);
    if (!writers) return terminal.fail(writers.error());

    const std::size_t frames = clip->info().frames;
    std::size_t done = 0;
    ProgressBar bar(terminal, "converting");
    for (; done < frames && !interrupted(); bar.update(++done, frames, "frames")) {
        if (Status copied = copy_frame(*clip, done, *writers); !copied) return terminal.fail(copied.error());
    }
    const Status finished = writers->finish();
    bar.clear();
    if (!finished) return terminal.fail(finished.error());
    for (const Error& ended : writers->ended()) terminal.warn(ended.message());
    const std::vector<std::string> notes = writers->notes();
    for (const std::string& note : notes) terminal.say("{}", note);
    nlohmann::ordered_json object = {{"ok", true}, {"frames", done}, {"interrupted", done < frames}, {"notes", notes}};
    for (const Output& output : *outputs)
        object["outputs"].push_back({{"format", output.format}, {"path", output.path.string()}});
    terminal.object(object);
    return done < frames ? kInterrupted : kGood;
}

/// Saves and says so.
template <class Save>
int write_mesh(const ConvertChoices& options, const Terminal& terminal, Save&& save)
{
    Status saved = make_folder_of(options.out);
    if (saved) saved = save();
    if (!saved) return terminal.fail(saved.error());
    terminal.say("wrote {}", options.out);
    terminal.object({{"ok", true}, {"outputs", {{{"path", options.out}}}}});
    return kGood;
}

bool is_surface_ending(const fs::path& path)
{
    const MeshFormat* format = mesh_format(path);
    return format && format->saves_surface;
}

int convert_volume(const ConvertChoices& options, const Terminal& terminal)
{
    const bool grids = fs::path(options.out).extension() == ".vdb";
    if (!grids && !is_surface_ending(options.out))
        return terminal.fail(
            Error{options.out, fmt::format("a volume model is written as .vdb, or its surface as one of {}",
                                           mesh_endings(&MeshFormat::saves_surface))});
    const auto volume = load_volume(options.in, options.voxel);
    if (!volume) return terminal.fail(volume.error());
    if (grids) return write_mesh(options, terminal, [&] { return volume->save(options.out); });
    return write_mesh(options, terminal, [&] { return save_tri_mesh(options.out, volume->surface()); });
}

/// Takes out the tets with a vertex twice; how many there were.
std::size_t remove_collapsed(TetMesh& mesh)
{
    std::size_t kept = 0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Int4 sorted = mesh.tets[t];
        std::ranges::sort(sorted);
        if (std::ranges::adjacent_find(sorted) != sorted.end()) continue;
        mesh.tets[kept] = mesh.tets[t];
        if (!mesh.materials.empty()) mesh.materials[kept] = mesh.materials[t];
        ++kept;
    }
    const std::size_t left_out = mesh.tets.size() - kept;
    mesh.tets.resize(kept);
    if (!mesh.materials.empty()) mesh.materials.resize(kept);
    return left_out;
}

int convert(const ConvertChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    if (fs::path(options.in).extension() == ".ywc") return convert_clip(options, terminal);
    if (!options.formats.empty())
        return terminal.fail(
            Error{"--format", "is for recordings (.ywc); for a mesh the extension of OUT sets the format"});
    if (is_volume_model(options.in)) return convert_volume(options, terminal);
    if (options.voxel > 0) return terminal.fail(Error{"--voxel", "is for volume models"});
    if (is_tet_mesh_file(options.in)) {
        auto mesh = load_tet_mesh(options.in);
        if (!mesh) return terminal.fail(mesh.error());
        if (!is_surface_ending(options.out)) {
            if (const std::size_t left_out = remove_collapsed(*mesh))
                terminal.warn(fmt::format("{} tets that have a vertex twice are left out", left_out));
            return write_mesh(options, terminal, [&] { return save_tet_mesh(options.out, *mesh); });
        }
        if (const auto report = repair(*mesh); !report)
            return terminal.fail(Error{options.in, report.error().message()});
        terminal.say("the outer surface of the tets");
        return write_mesh(options, terminal, [&] { return save_tri_mesh(options.out, boundary_surface(*mesh)); });
    }
    const auto mesh = load_tri_mesh(options.in);
    if (!mesh) return terminal.fail(mesh.error());
    if (!is_surface_ending(options.out))
        return terminal.fail(
            Error{options.out, fmt::format("a surface is written as one of {}; to fill it with tets use `yawara mesh`",
                                           mesh_endings(&MeshFormat::saves_surface))});
    return write_mesh(options, terminal, [&] { return save_tri_mesh(options.out, *mesh); });
}

}  // namespace

void add_convert(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("convert", "Write a recording, a mesh or a volume model in another format");
    auto options = std::make_shared<ConvertChoices>();
    verb->add_option("in", options->in, "Recording (.ywc), surface, tet mesh, or volume model (.json, .vdb)")
        ->required()
        ->type_name("IN");
    verb->add_option("out", options->out, "File or folder; the extension selects the format")
        ->required()
        ->type_name("OUT");
    verb->add_option("--format", options->formats, fmt::format("For recordings: {}", fmt::join(clip_formats(), ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME");
    add_clip_options(*verb, options->clip);
    verb->add_option("--voxel", options->voxel,
                     "For volume models: size of the voxels, m (default: a 200th of the model)")
        ->check(CLI::PositiveNumber)
        ->type_name("M");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara convert jelly.ywc jelly.glb               for Blender and the web\n"
        "  yawara convert jelly.ywc frames/%04d.obj         a folder of OBJ files\n"
        "  yawara convert jelly.ywc film --format pc2 --fps 24\n"
        "  yawara convert jelly.ywc export --format pc2,npy\n"
        "  yawara convert scan.stl scan.obj\n"
        "  yawara convert bar.msh bar.vtu\n"
        "  yawara convert peach.cvg.json peach.vdb          grids density, r, g, b, stiffness for Blender and Houdini");
    verb->callback(
        [options, &session] { session.action = [options, &session] { return convert(*options, session); }; });
}

}  // namespace yawara::cli
