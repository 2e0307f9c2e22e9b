// `yawara inspect`: what is in a scene, a mesh or a recording.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "example_report.h"
#include "interrupt.h"
#include "outputs.h"
#include "reports.h"
#include "scene_input.h"
#include "verbs.h"
#include "yawara/active.h"
#include "yawara/replace_file.h"
#include "yawara/streamlines.h"

namespace yawara::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct InspectChoices {
    std::string file, dump, out, streamlines;
    std::optional<double> layer;
    bool schema = false;
};

double volume_of(const Domain& domain)
{
    if (const TetMesh* mesh = std::get_if<TetMesh>(&domain)) return volume(*mesh);
    const Lattice& lattice = std::get<Lattice>(domain);
    return static_cast<double>(lattice.cells.size()) * lattice.cell * lattice.cell * lattice.cell;
}

Json facts_of_body(const BodyModel& model, const std::optional<SolidReport>& report)
{
    double mass = 0;
    for (const double m : model.masses()) mass += m;
    Json facts = {{"name", model.name()}, {"particles", model.particle_count()}, {"regions", model.region_count()}};
    if (const TetMesh* mesh = std::get_if<TetMesh>(&model.domain())) {
        const auto dihedral = dihedral_range(*mesh);
        facts["tets"] = mesh->tets.size();
        facts["smallest_dihedral"] = dihedral[0];
        facts["largest_dihedral"] = dihedral[1];
    } else {
        facts["cells"] = std::get<Lattice>(model.domain()).cells.size();
    }
    if (const ForestView forest = model.forest(); !forest.tets.empty()) {
        std::vector<std::size_t> counts(static_cast<std::size_t>(forest.levels) + 1, 0);
        for (const auto& tet : forest.tets) ++counts[static_cast<std::size_t>(tet[4])];
        facts["fem"] = {{"levels", forest.levels},
                        {"tets_by_level", counts},
                        {"stable_step", forest.stable_step},
                        {"coarsening_seconds", forest.coarsening_seconds},
                        {"from_cache", forest.from_cache},
                        {"law", forest.law},
                        {"elements", forest.elements == Elements::nodal ? "nodal" : "linear"},
                        {"muscle_tets", forest.muscle_tets}};
    }
    if (model.is_rigid()) facts["rigid"] = true;
    facts["mass"] = mass;
    facts["volume"] = volume_of(model.domain());
    facts["size"] = to_json(bounds(model.rest_positions()).size());
    facts["spacing"] = model.spacing();
    facts["surface_vertices"] = model.surface().vertices.size();
    facts["surface_triangles"] = model.surface().triangles.size();
    facts["surface_outside"] = {{"count", model.embedding().outside_count()},
                                {"distance", model.embedding().outside_distance()}};
    facts["warnings"] = std::vector<std::string>(model.warnings().begin(), model.warnings().end());
    if (report) facts["meshing"] = to_json(*report);
    return facts;
}

template <class Number, std::size_t Columns, class Rows>
Status save_rows(const fs::path& path, const Rows& rows)
{
    std::vector<Number> flat;
    flat.reserve(rows.size() * Columns);
    for (const auto& row : rows)
        for (std::size_t k = 0; k < Columns; ++k) {
            if constexpr (requires { row.x; })
                flat.push_back(static_cast<Number>(row[static_cast<int>(k)]));
            else
                flat.push_back(static_cast<Number>(row[k]));
        }
    return save_npy(path, std::array{rows.size(), Columns}, std::span<const Number>(flat));
}

Status save_tensors(const fs::path& path, const std::vector<Elasticity>& tensors)
{
    std::vector<double> flat;
    for (const Elasticity& tensor : tensors) flat.insert(flat.end(), tensor.c.begin(), tensor.c.end());
    return save_npy(path, std::array<std::size_t, 3>{tensors.size(), 6, 6}, std::span<const double>(flat));
}

/// Arrays for anybody's tools; a lattice has cells (8 corners each) and an empty list of tets.
Status dump_body(const fs::path& folder, const BodyModel& model)
{
    const auto file = [&](const char* what) { return folder / (model.name() + "." + what + ".npy"); };
    const std::vector<double> masses(model.masses().begin(), model.masses().end());
    const TetMesh* mesh = std::get_if<TetMesh>(&model.domain());
    if (Status s = save_rows<double, 3>(file("vertices"), model.rest_positions()); !s) return s;
    if (Status s = save_rows<std::int32_t, 4>(file("tets"), mesh ? mesh->tets : std::vector<Int4>{}); !s) return s;
    if (!mesh)
        if (Status s = save_rows<std::int32_t, 8>(file("cells"), std::get<Lattice>(model.domain()).cells); !s) return s;
    if (Status s = save_npy(file("masses"), std::array{masses.size()}, std::span<const double>(masses)); !s) return s;
    if (const ActiveParts* active = active_parts(model)) {
        const ActiveFields& fields = active->fields;
        const std::pair<const char*, const std::vector<double>*> scalars[] = {
            {"depth", &fields.depth}, {"amplitude", &fields.amplitude}, {"phase", &fields.phase}};
        for (const auto& [name, values] : scalars)
            if (Status s = save_npy(file(name), std::array{values->size()}, std::span<const double>(*values)); !s)
                return s;
        std::vector<double> frames;  // [particle][direction][x, y, z]
        for (const Mat3d& frame : fields.frames)
            for (const Vec3d& d : {frame.c0, frame.c1, frame.c2}) frames.insert(frames.end(), {d.x, d.y, d.z});
        if (Status s = save_npy(file("frames"), std::array{fields.frames.size(), std::size_t{3}, std::size_t{3}},
                                std::span<const double>(frames));
            !s)
            return s;
    }
    if (const ForestView forest = model.forest(); !forest.tets.empty()) {
        if (Status s = save_rows<double, 3>(file("forest_nodes"), forest.nodes); !s) return s;
        if (Status s = save_rows<std::int32_t, 6>(file("forest_tets"), forest.tets); !s) return s;
        if (Status s = save_tensors(file("elasticity"), forest.elasticity); !s) return s;
        if (Status s = save_tensors(file("viscosity"), forest.viscosity); !s) return s;
    }
    if (Status s = save_rows<double, 3>(file("surface_vertices"), model.surface().vertices); !s) return s;
    return save_rows<std::int32_t, 3>(file("surface_triangles"), model.surface().triangles);
}

/// What regions of a lattice are made from, so that any sum over them can be checked: coordinates, links, widths.
Status dump_lattice(const fs::path& folder, const BodyModel& model, const BodyState& state, double dt)
{
    const Lattice* lattice = std::get_if<Lattice>(&model.domain());
    if (!lattice) return Done{};
    const auto file = [&](const char* what) { return folder / (model.name() + "." + what + ".npy"); };
    const std::size_t n = lattice->nodes.size();
    if (Status s = save_rows<std::int32_t, 3>(file("lattice"), lattice->nodes); !s) return s;
    std::vector<std::array<std::int32_t, 2>> pairs;
    for (const Int8& cell : lattice->cells)
        for (const std::int32_t i : cell)
            for (const std::int32_t j : cell)
                if (i < j) pairs.push_back({i, j});
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    if (Status s = save_rows<std::int32_t, 2>(file("links"), pairs); !s) return s;
    const RegionReach regions = region_reach(model, state, dt);
    if (regions.reach.empty()) return Done{};
    std::vector<std::int32_t> widths;
    bool even = true;
    for (const Int3& w : regions.reach) {
        widths.push_back(w[0]);
        even = even && w[0] == w[1] && w[1] == w[2];
    }
    if (Status s = even ? save_npy(file("widths"), std::array{n}, std::span<const std::int32_t>(widths))
                        : save_rows<std::int32_t, 3>(file("widths"), regions.reach);
        !s)
        return s;
    if (Status s = save_npy(file("alphas"), std::array{n}, std::span<const float>(regions.alphas)); !s) return s;
    std::vector<float> stiffness = state.matching.stiffness;
    stiffness.resize(n);
    return save_npy(file("stiffness"), std::array{n}, std::span<const float>(stiffness));
}

/// A body with muscles, or why there is nothing to show of it.
struct Muscular {
    const BodyModel* model = nullptr;
    const ActiveFields* fields = nullptr;
};

Result<Muscular> first_with_muscles(Scene& scene, const char* option)
{
    for (const BodyId id : scene.bodies())
        if (const ActiveParts* active = active_parts(scene.model(id)))
            return Muscular{&scene.model(id), &active->fields};
    return Error{option, "no body of the scene has muscles"};
}

Result<Section> layer_of(const Muscular& body, double depth)
{
    Section layer = iso_section(solid_of(body.model->domain()), body.fields->depth, depth);
    if (!layer.triangles.empty()) return layer;
    const auto [low, high] = std::ranges::minmax(body.fields->depth);
    return Error{"--layer",
                 fmt::format("nothing of {} is that deep: depths go from {:g} to {:g}", body.model->name(), low, high)};
}

/// The surface of equal depth in the first body with muscles, at rest.
Status save_layer(const InspectChoices& options, Scene& scene, const Terminal& terminal)
{
    const auto body = first_with_muscles(scene, "--layer");
    if (!body) return body.error();
    const auto layer = layer_of(*body, *options.layer);
    if (!layer) return layer.error();
    const TriMesh surface{layer->values<Vec3d>(body->model->rest_positions()), layer->triangles, {}, {}};
    if (Status saved = save_tri_mesh(options.out, surface); !saved) return saved;
    terminal.say("wrote the layer of {} at depth {:g} to {}", body->model->name(), *options.layer, options.out);
    return Done{};
}

/// Lines along the fibres of the first body with muscles, at rest: on its surface, or on a layer of it.
Status save_streamlines(const InspectChoices& options, Scene& scene, const Terminal& terminal)
{
    constexpr double kSpacing = 0.03;  // of the body's size, as the studio draws them
    if (fs::path(options.streamlines).extension() != ".obj")
        return Error{"--streamlines", "lines are written as .obj, not as " + options.streamlines};
    const auto body = first_with_muscles(scene, "--streamlines");
    if (!body) return body.error();
    FibreSurface ground;
    if (options.layer) {
        const auto layer = layer_of(*body, *options.layer);
        if (!layer) return layer.error();
        ground = fibres_on_section(*body->model, *body->fields, *layer);
    } else {
        ground = fibres_on_surface(*body->model, *body->fields);
    }
    const std::vector<Streamline> lines =
        streamlines(ground.rest, ground.directions, kSpacing * bounds(body->model->rest_positions()).diagonal());
    if (lines.empty())
        return Error{"--streamlines",
                     "the direction of the fibres of " + body->model->name() + " is known nowhere there"};
    std::string places, ways;
    std::size_t count = 0;
    for (const Streamline& line : lines) {
        ways += "l";
        for (const StreamPoint& point : line) {
            const Int3& corners = ground.rest.triangles[std::size_t(point.triangle)];
            Vec3d place;
            for (std::size_t k = 0; k < 3; ++k)
                place += ground.rest.vertices[std::size_t(corners[k])] * point.weights[k];
            places += fmt::format("v {:.9g} {:.9g} {:.9g}\n", place.x, place.y, place.z);
            ways += fmt::format(" {}", ++count);
        }
        ways += "\n";
    }
    Status done = make_folder_of(options.streamlines);
    if (done) done = replace_file(options.streamlines, places + ways);
    if (!done) return done;
    terminal.say("wrote {} lines along the fibres of {}{} to {}", lines.size(), body->model->name(),
                 options.layer ? fmt::format(" at depth {:g}", *options.layer) : "", options.streamlines);
    return Done{};
}

void say_bodies(const Terminal& terminal, const Json& bodies)
{
    std::vector<std::vector<std::string>> rows{
        {"body", "particles", "tets", "regions", "mass (kg)", "volume (m^3)", "size", "dihedral"}};
    const auto count = [](const Json& n) { return with_commas(n.get<std::size_t>()); };
    for (const Json& body : bodies) {
        const Json& size = body["size"];
        rows.push_back({body["name"], count(body["particles"]),
                        body.contains("tets") ? count(body["tets"]) : count(body["cells"]) + " cells",
                        count(body["regions"]), brief(body["mass"]), brief(body["volume"]),
                        size_in_words({size[0], size[1], size[2]}),
                        body.contains("tets") ? fmt::format("{:.1f} to {:.1f}", body["smallest_dihedral"].get<double>(),
                                                            body["largest_dihedral"].get<double>())
                                              : "-"});
    }
    terminal.say("{}", table(rows));
}

int inspect_scene(const InspectChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    auto loaded = load_scene(options.file, session.threads, terminal);
    if (interrupted()) return terminal.stopped("stopped while building");
    if (!loaded) return terminal.fail(loaded.error());

    Scene& scene = loaded->scene();
    Json bodies = Json::array();
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        bodies.push_back(facts_of_body(scene.model(scene.bodies()[k]), loaded->solid_reports()[k]));
        bodies.back()["firmness"] = to_json(firmness_of(scene, scene.bodies()[k]));
    }
    const SceneSettings& settings = scene.settings();
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        if (!bodies[k].contains("fem")) continue;
        const BodyId id = scene.bodies()[k];
        const IntegrationChoice steps =
            integration_of(scene.model(id), scene.body_settings(id).fem, settings.dt / settings.substeps);
        bodies[k]["fem"]["integration"] = steps.implicit ? "implicit" : "explicit";
        bodies[k]["fem"]["explicit_substeps"] = steps.substeps;
    }
    if (!loaded->title().empty()) terminal.say("{}", loaded->title());
    const auto moves = [](const Collider& c) { return !c.path.empty() || c.belt != Vec3d{}; };
    const auto moving = std::ranges::count_if(scene.colliders(), moves);
    terminal.say("{} frames of {} s, {} steps each, {} colliders{}{}", loaded->frames(), brief(settings.dt),
                 settings.substeps, scene.colliders().size(),
                 moving > 0 ? fmt::format(", {} of them move", moving) : "",
                 scene.joints().empty() ? "" : fmt::format(", {} joints", scene.joints().size()));
    say_bodies(terminal, bodies);
    for (const BodyId body : scene.bodies())
        terminal.say("{}: {}", scene.model(body).name(), in_words(firmness_of(scene, body)));
    for (const Json& body : bodies)
        if (body.contains("fem"))
            terminal.say(
                "{}: finite elements, {} {}{}, tets by level {}; {} steps: stability needs {} explicit sub-steps of "
                "{} "
                "s in each; coarse tensors {} in {} s",
                body["name"].get<std::string>(), body["fem"]["elements"].get<std::string>(),
                body["fem"]["law"].get<std::string>(),
                body["fem"]["muscle_tets"] == 0 ? ""
                                                : fmt::format(" with muscles in {}", body["fem"]["muscle_tets"].dump()),
                body["fem"]["tets_by_level"].dump(), body["fem"]["integration"].get<std::string>(),
                body["fem"]["explicit_substeps"].get<double>(), brief(body["fem"]["stable_step"]),
                body["fem"]["from_cache"].get<bool>() ? "read" : "found", brief(body["fem"]["coarsening_seconds"]));
    for (std::size_t k = 0; k < scene.bodies().size(); ++k)
        if (const auto& report = loaded->solid_reports()[k]) {
            terminal.say("{}, meshed from a surface:", scene.model(scene.bodies()[k]).name());
            for (const std::string& line : in_words(*report)) terminal.say("  {}", line);
        }
    for (const std::string& warning : loaded->warnings()) terminal.warn(warning);

    if (!options.dump.empty()) {
        const fs::path folder = options.dump;
        Status done = make_folder_of(folder / "x");
        for (std::size_t k = 0; done && k < scene.bodies().size(); ++k)
            done = dump_body(folder, scene.model(scene.bodies()[k]));
        for (std::size_t k = 0; done && k < scene.bodies().size(); ++k)
            done = dump_lattice(folder, scene.model(scene.bodies()[k]), scene.state(scene.bodies()[k]),
                                settings.dt / settings.substeps);
        if (!done) return terminal.fail(done.error());
        terminal.say("wrote the arrays to {}", folder.string());
    }
    if (!options.out.empty())
        if (const Status saved = save_layer(options, scene, terminal); !saved) return terminal.fail(saved.error());
    if (!options.streamlines.empty())
        if (const Status saved = save_streamlines(options, scene, terminal); !saved)
            return terminal.fail(saved.error());
    constexpr std::size_t kRehearsal = 180;  // frames: long enough for a fall and its rebound
    const Json examples = report_examples(*loaded, std::min<std::size_t>(kRehearsal, std::size_t(loaded->frames())));
    std::vector<std::string> warnings(loaded->warnings().begin(), loaded->warnings().end());
    for (std::string& warning : say_examples(terminal, examples)) warnings.push_back(std::move(warning));
    terminal.object({{"ok", true},
                     {"kind", "scene"},
                     {"title", loaded->title()},
                     {"description", loaded->description()},
                     {"frames", loaded->frames()},
                     {"dt", settings.dt},
                     {"substeps", settings.substeps},
                     {"colliders", scene.colliders().size()},
                     {"joints", scene.joints().size()},
                     {"moving_colliders", moving},
                     {"bodies", bodies},
                     {"examples", examples},
                     {"warnings", warnings}});
    return kGood;
}

int inspect_clip(const InspectChoices& options, const Terminal& terminal)
{
    const auto clip = ClipReader::open(options.file);
    if (!clip) return terminal.fail(clip.error());
    const ClipInfo& info = clip->info();
    warn_if_cut_off(options.file, info, terminal);
    Json bodies = Json::array();
    std::vector<std::vector<std::string>> rows{{"body", "particles", "tets", "surface vertices", "values"}};
    for (const ClipBody& body : info.bodies) {
        bodies.push_back({{"name", body.name},
                          {"particles", body.solid.vertices.size()},
                          {"tets", body.solid.tets.size()},
                          {"surface_vertices", body.surface.vertices.size()},
                          {"surface_triangles", body.surface.triangles.size()},
                          {"values", body.value_names}});
        rows.push_back({body.name, with_commas(body.solid.vertices.size()), with_commas(body.solid.tets.size()),
                        with_commas(body.surface.vertices.size()),
                        fmt::format("{}", fmt::join(body.value_names, ", "))});
    }
    terminal.say("recording of {} frames, {} s apart, from {} s to {} s", info.frames, brief(info.frame_time),
                 info.frames ? brief(clip->time(0)) : "-", info.frames ? brief(clip->time(info.frames - 1)) : "-");
    terminal.say("{}", table(rows));
    Json changes = Json::array();
    for (const ClipReader::Change& change : clip->changes()) {
        changes.push_back({{"frame", change.frame}, {"body", info.bodies[change.body].name}});
        terminal.say("{} has another mesh from frame {} on", info.bodies[change.body].name, change.frame);
    }
    terminal.object({{"ok", true},
                     {"kind", "recording"},
                     {"frames", info.frames},
                     {"changes", changes},
                     {"frame_time", info.frame_time},
                     {"cut_off", is_cut_off(options.file)},
                     {"bodies", bodies}});
    return kGood;
}

int inspect_mesh(const InspectChoices& options, const Terminal& terminal)
{
    Json object = {{"ok", true}};
    if (is_tet_mesh_file(options.file)) {
        auto mesh = load_tet_mesh(options.file);
        if (!mesh) return terminal.fail(mesh.error());
        const auto report = repair(*mesh);
        if (!report) return terminal.fail(Error{options.file, report.error().message()});
        terminal.say("{}: tet mesh", options.file);
        object["kind"] = "tet mesh";
        object.update(facts_of(*mesh));
        object["warnings"] = report->messages();
        for (const std::string& message : report->messages()) terminal.warn(message);
    } else {
        const auto mesh = load_tri_mesh(options.file);
        if (!mesh) return terminal.fail(mesh.error());
        terminal.say("{}: surface", options.file);
        object["kind"] = "surface";
        object.update(facts_of(*mesh));
    }
    Json facts = object;
    for (const char* not_a_fact : {"ok", "kind", "warnings"}) facts.erase(not_a_fact);
    say_facts(terminal, facts);
    terminal.object(object);
    return kGood;
}

int inspect(const InspectChoices& options, const Session& session)
{
    if (options.schema) {
        fmt::print("{}\n", scene_schema());
        return kGood;
    }
    const std::string ending = fs::path(options.file).extension().string();
    const bool is_scene = options.file == "-" || ending == ".json";
    if (!is_scene && !options.dump.empty())
        return session.terminal.fail(Error{"--dump", "only a scene can be dumped, " + options.file + " is none"});
    if (!is_scene && options.layer)
        return session.terminal.fail(Error{"--layer", "only a scene has layers, " + options.file + " is none"});
    if (!is_scene && !options.streamlines.empty())
        return session.terminal.fail(Error{"--streamlines", "only a scene has fibres, " + options.file + " is none"});
    if (options.layer && options.out.empty() && options.streamlines.empty())
        return session.terminal.fail(
            Error{"--layer", "what should be written of the layer? Give --out FILE or --streamlines FILE"});
    if (is_scene) return inspect_scene(options, session);
    if (ending == ".ywc") return inspect_clip(options, session.terminal);
    return inspect_mesh(options, session.terminal);
}

}  // namespace

void add_inspect(CLI::App& app, Session& session)
{
    CLI::App* verb = app.add_subcommand("inspect", "Describe a scene, a mesh or a recording");
    auto options = std::make_shared<InspectChoices>();
    CLI::Option* file =
        verb->add_option("file", options->file, "Scene (or - for standard input), surface, tet mesh or .ywc");
    file->type_name("FILE");
    verb->add_option(
            "--dump", options->dump,
            "Write vertices, tets, masses, surface and lattice of a scene's bodies as .npy; of active ones also depth, "
            "amplitude, phase and frames (n, direction, xyz)")
        ->type_name("DIR");
    CLI::Option* out = verb->add_option("--out", options->out, "Write the layer as a surface")->type_name("FILE");
    CLI::Option* layer =
        verb->add_option("--layer", options->layer, "The layer of equal depth in the first body with muscles, at rest")
            ->type_name("DEPTH");
    out->needs(layer);
    verb->add_option("--streamlines", options->streamlines,
                     "Write lines along the fibres of the first body with muscles, at rest, on its surface or, with "
                     "--layer, on that layer: polylines of an .obj")
        ->type_name("FILE");
    CLI::Option* schema = verb->add_flag("--schema", options->schema, "Print the JSON Schema of scene files");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara inspect jelly.json\n"
        "  yawara inspect jelly.json --dump arrays\n"
        "  yawara inspect heart.json --layer 0.5 --out layer.obj\n"
        "  yawara inspect heart.json --layer 0.5 --streamlines fibres.obj\n"
        "  yawara inspect bunny.obj --json\n"
        "  yawara inspect jelly.ywc\n"
        "  yawara inspect --schema > scene.schema.json");
    verb->callback([options, file, schema, &session] {
        if (!file->count() && !schema->count()) throw CLI::RequiredError("FILE or --schema");
        session.action = [options, &session] { return inspect(*options, session); };
    });
}

}  // namespace yawara::cli
