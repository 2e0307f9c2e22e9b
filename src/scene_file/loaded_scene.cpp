// LoadedScene: a document whose bodies, scripts, obstacles and measures are built, and clips of it.
#include "scene_file/loaded_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "scene_file/build_cache.h"
#include "scene_file/identity.h"
#include "yawara/doubts.h"
#include "yawara/scene_file.h"
#include "yawara/snapshot.h"
#include "yawara/tessellate.h"

namespace yawara {

using namespace scene_file;

LoadedScene::Data::Data(const SceneDocument& read, BuildCache build_cache)
    : scene(read.settings),
      cache(std::move(build_cache)),
      title(read.title),
      description(read.description),
      frames(read.frames),
      poster(read.poster),
      look(read.look),
      camera(read.camera),
      document_warnings(read.warnings)
{
}

const DocumentEntry& LoadedScene::Data::entry(BodyId body) const
{
    const auto found = std::ranges::find(entries, body, &DocumentEntry::body);
    if (found == entries.end()) throw Exception({"scene", "the document has no such body"});
    return *found;
}

std::optional<BodyId> LoadedScene::Data::find(std::string_view identity) const
{
    const auto found = std::ranges::find(entries, identity, &DocumentEntry::identity);
    return found == entries.end() ? scene.find(identity) : found->body;
}

Status LoadedScene::Data::add(const MeasureDocument& measure)
{
    MeasureSpec spec = measure.spec;
    const auto look_up = [&](const std::string& identity, const char* key, BodyId& into) -> Status {
        const auto found = find(identity);
        if (!found) return Error{measure.where + "." + key, "there is no body \"" + identity + "\""};
        into = *found;
        return Done{};
    };
    if (Status found = look_up(measure.body, "body", spec.body); !found) return found;
    if (auto* distance = std::get_if<MeasureDistance>(&spec.what))
        if (Status found = look_up(measure.other, "other", distance->other); !found) return found;
    if (auto* points = std::get_if<MeasurePoints>(&spec.what)) {
        if (Status found = look_up(measure.other, "other", points->other); !found) return found;
        points->from *= entry(spec.body).scale;
        points->to *= entry(points->other).scale;
    }
    if (auto* fiber = std::get_if<MeasureFiber>(&spec.what)) fiber->at *= entry(spec.body).scale;
    const Status added = measures.add(std::move(spec), scene);
    if (added) return added;
    const Error& error = added.error();
    return Error{measure.where + (error.where.empty() ? "" : "." + error.where), error.what};
}

Status LoadedScene::Data::add(const JointDocument& written)
{
    Joint joint = written.joint;
    const auto hold = [&](const std::string& identity, const char* key, const std::optional<Selection>& select,
                          JointSide& side) -> Status {
        side.body = find(identity);
        if (!side.body) return Error{written.where + "." + key, "there is no body \"" + identity + "\""};
        if (!select) return Done{};
        const std::span<const Vec3d> rest = scene.model(*side.body).rest_positions();
        std::vector<Vec3d> places(rest.begin(), rest.end());
        for (Vec3d& p : places) p = p / entry(*side.body).scale;
        auto particles = select_particles(*select, places);
        if (!particles) return particles.error();
        side.particles = std::move(*particles);
        return Done{};
    };
    if (Status held = hold(written.body, "body", written.select, joint.a); !held) return held;
    if (!written.to.empty())
        if (Status held = hold(written.to, "to", written.to_select, joint.b); !held) return held;
    const auto added = scene.add(joint);
    if (!added) return Error{written.where, added.error().what};
    if (joint.b.body && !written.collide) return scene.ignore(*joint.a.body, *joint.b.body);
    return Done{};
}

void LoadedScene::Data::gather_warnings()
{
    warnings = document_warnings;
    for (const DocumentEntry& entry : entries)
        for (const auto* list : {&entry.model_warnings, &entry.script_warnings, &entry.modulus_warnings})
            warnings.insert(warnings.end(), list->begin(), list->end());
}

DocumentEntry scene_file::entry_of(const BodyDocument& document, BodyId body, BodyState start)
{
    DocumentEntry entry;
    entry.body = body;
    entry.where = document.where;
    entry.identity = document.identity;
    entry.pointer = pointer_of(document.where);
    entry.start = std::move(start);
    entry.scale = document.scale;
    entry.masses = document.masses.spread;
    entry.law_modulus = document.law_modulus;
    entry.law_is_young = document.law_is_young;
    entry.model_says_stiffness = document.model_says_stiffness;
    // "bodies[3]" or "bodies[3].instances[7]"
    const std::string_view place = document.where;
    const auto number_behind = [&](std::size_t bracket) {
        std::size_t number = 0;
        std::from_chars(place.data() + bracket + 1, place.data() + place.size(), number);
        return number;
    };
    const std::size_t first = place.find('['), last = place.rfind('[');
    entry.number = number_behind(first);
    if (last != first) entry.instance = number_behind(last);
    const auto add = [&](const Selection& select) {
        entry.grips.push_back(pointer_of(select.where.substr(0, select.where.rfind(".select"))));
    };
    for (const Selection& pin : document.pins) add(pin);
    for (const HandleDocument& handle : document.handles) add(handle.select);
    return entry;
}

std::vector<Json> scene_file::pins_of(const DocumentEntry& entry, const Json& document)
{
    const Json& body = document["bodies"][entry.number];
    std::vector<Json> pins = body.value("pins", std::vector<Json>());
    if (entry.instance)
        for (const Json& pin : body["instances"][*entry.instance].value("pins", Json::array())) pins.push_back(pin);
    return pins;
}

std::vector<std::string> scene_file::modulus_warnings(const DocumentEntry& entry, const BodyModel& model,
                                                      const BodySettings& settings, const SceneSettings& scene)
{
    std::vector<std::string> warnings;
    const double dt = scene.dt / scene.substeps;
    const ModulusReach reach = modulus_reach(model, settings, dt);
    if (reach.wanted > reach.possible)
        warnings.push_back(fmt::format(
            "{}: a step of {:.3g} s gives a Young's modulus of {:.3g} Pa at most: {} substeps would be enough",
            entry.where, dt, reach.possible, std::ceil(scene.substeps * std::sqrt(reach.wanted / reach.possible))));
    const IntegrationChoice steps = integration_of(model, settings.fem, dt);
    if (steps.implicit && settings.fem.integration == Integration::explicit_steps)
        warnings.push_back(fmt::format(
            "{}: a step of {:.3g} s would take {:.0f} explicit sub-steps, so it is taken implicitly; a softer "
            "material, less viscosity, a mesh without slivers or more substeps would let it be explicit",
            entry.where, dt, steps.substeps));
    if (const auto* lattice = std::get_if<Lattice>(&model.domain()); lattice && reach.wanted > 0) {
        const Vec3d size = bounds(model.rest_positions()).high - bounds(model.rest_positions()).low;
        const double across = std::min({size.x, size.y, size.z}) / lattice->cell;
        // masses at the corners of cells: 3 / across^2 too stiff, unless they were moved where there are cells within
        const bool moved = entry.masses == Masses::bending && across > 1.5;
        if (across < 4.5 && !moved)
            warnings.push_back(
                fmt::format("{}: with {:.0f} cells across it bends about {:.0f} % stiffer than its "
                            "modulus says: smaller cells would help",
                            entry.where, across, 300 / (across * across)));
    }
    if (entry.instance.value_or(0) == 0)
        for (const MuscleDoubt& doubt : muscle_doubts(model, settings.matching, dt))
            warnings.push_back(fmt::format("bodies[{}].matching.stretch[{}].active: {}, near ({:.3g}, {:.3g}, {:.3g})",
                                           entry.number, doubt.layer, doubt.what, doubt.place.x / entry.scale,
                                           doubt.place.y / entry.scale, doubt.place.z / entry.scale));
    return warnings;
}

namespace {

Error first_of(const std::vector<Error>& errors)
{
    Error error = errors.front();
    if (errors.size() > 1) error.what += fmt::format(" (and {} more: `yawara check` lists them)", errors.size() - 1);
    return error;
}

/// Warnings of a model at the body that has it now: it may have been built for another entry of the document.
std::vector<std::string> placed(std::vector<std::string> warnings, const std::string& where)
{
    const auto entry = [](const std::string& text) { return text.find(']') + 1; };  // length of "bodies[3]"
    for (std::string& warning : warnings) warning.replace(0, entry(warning), where, 0, entry(where));
    return warnings;
}

/// Progress of one body as part of that of all.
Progress part_of(const Progress& progress, std::size_t index, std::size_t count)
{
    if (!progress) return {};
    return [&progress, index, count](std::string_view phase, double fraction) {
        return progress(phase, (static_cast<double>(index) + fraction) / static_cast<double>(count));
    };
}

/// The model of a body with its own charts. Copies of one body share it: `earlier` is that of the body before.
struct ChartedModel {
    std::shared_ptr<const BuiltModel> built;
    std::vector<ChartedLayer> charts;
    BodyModel model;
};
Result<ChartedModel> charted_model(std::shared_ptr<const BuiltModel> built, const BodyDocument& body,
                                   const std::optional<ChartedModel>& earlier)
{
    std::vector<ChartedLayer> charts = charts_of(body);
    if (earlier && earlier->built == built && earlier->charts == charts) return *earlier;
    if (charts == built->charts) return ChartedModel{built, std::move(charts), built->model};
    Result<BodyModel> model = with_charts(built->model, charts);
    if (!model) return Error{body.where, model.error().message()};
    return ChartedModel{std::move(built), std::move(charts), *std::move(model)};
}

}  // namespace

Result<LoadedScene> LoadedScene::from_file(const std::filesystem::path& path, const Progress& progress)
{
    const Result<std::string> text = read_scene_text(path);
    if (!text) return text.error();
    return from_text(*text, path.parent_path(), path.string(), progress);
}

Result<LoadedScene> LoadedScene::from_text(std::string_view json, const std::filesystem::path& folder,
                                           const std::string& name, const Progress& progress, BuildCache cache)
{
    Result<Json> parsed = parse_json(json, name, progress);
    if (!parsed) return parsed.error();
    ReadScene read = read_scene(*parsed, folder, name, progress);
    if (!read.errors.empty()) return first_of(read.errors);
    const SceneDocument& document = read.document;

    auto data = std::make_unique<Data>(document, cache);
    data->document = *std::move(parsed);
    data->folder = folder;
    for (const ObstacleDocument& obstacle : document.obstacles) {
        Result<Collider> collider = cache.data().obstacle(obstacle);
        if (!collider) return collider.error();
        data->obstacles.push_back(data->scene.add(*std::move(collider)));
        data->obstacle_identities.push_back(obstacle.identity);
        data->obstacle_sources.push_back(obstacle.shape_source + obstacle.motion_source);
    }
    const std::size_t count = document.bodies.size();
    std::optional<ChartedModel> model;
    std::set<const BuiltModel*> seen;
    for (std::size_t i = 0; i < count; ++i) {
        const BodyDocument& body = document.bodies[i];
        const Progress part = part_of(progress, i, count);
        if (part && !part("building " + body.name, 0)) return Error{body.where, "cancelled"};
        const auto built = cache.data().model(body, part);
        if (!built) return built.error();
        const bool is_twin = !seen.insert(built->get()).second;
        Result<ChartedModel> charted = charted_model(*built, body, model);
        if (!charted) return charted.error();
        model = *std::move(charted);
        const BodyModel named = model->model.renamed(body.name);
        Result<BuiltBody> start = build_body(body, named);
        if (!start) return start.error();
        const BodyId id = data->scene.add(named, body.settings, start->state);
        data->scene.set_script(id, std::move(start->script));
        DocumentEntry& entry = data->entries.emplace_back(entry_of(body, id, std::move(start->state)));
        entry.channels = (*built)->channels;
        entry.file = (*built)->file;
        entry.pins = pins_of(entry, data->document);
        if (entry.instance)
            entry.time_offset =
                data->document["bodies"][entry.number]["instances"][*entry.instance].value("time_offset", 0.0);
        entry.held_later.assign(entry.pins.size(), false);
        data->looks.push_back(body.look);
        data->looks.back().skin = (*built)->skin;
        data->looks.back().volume_colors = (*built)->colors;
        if (body.cavity_depth) {
            Result<CavityGauge> cavity = build_cavity(body, named);
            if (!cavity) return cavity.error();
            data->cavities.push_back({body.name, id, *std::move(cavity), named.revision()});
        }
        data->solid_reports.push_back((*built)->report);
        if (!is_twin) entry.model_warnings = placed((*built)->warnings, body.where);
        entry.script_warnings = std::move(start->warnings);
        entry.modulus_warnings = modulus_warnings(entry, named, body.settings, document.settings);
    }
    for (const JointDocument& joint : document.joints)
        if (Status added = data->add(joint); !added) return added.error();
    for (const MeasureDocument& measure : document.measures)
        if (Status added = data->add(measure); !added) return added.error();
    data->gather_warnings();
    return LoadedScene(std::move(data));
}

LoadedScene::LoadedScene(std::unique_ptr<Data> data) : data_(std::move(data)) {}
LoadedScene::~LoadedScene() = default;
LoadedScene::LoadedScene(LoadedScene&&) noexcept = default;
LoadedScene& LoadedScene::operator=(LoadedScene&&) noexcept = default;

Scene& LoadedScene::scene()
{
    return data_->scene;
}
const std::string& LoadedScene::identity(BodyId body) const
{
    return data_->entry(body).identity;
}
std::optional<BodyId> LoadedScene::find(std::string_view identity) const
{
    const auto found = std::ranges::find(data_->entries, identity, &DocumentEntry::identity);
    if (found == data_->entries.end() || !data_->scene.contains(found->body)) return std::nullopt;
    return found->body;
}
const std::string& LoadedScene::identity(ColliderId obstacle) const
{
    const auto found = std::ranges::find(data_->obstacles, obstacle);
    if (found == data_->obstacles.end()) throw Exception({"scene", "the document has no such obstacle"});
    return data_->obstacle_identities[std::size_t(found - data_->obstacles.begin())];
}
std::optional<ColliderId> LoadedScene::find_obstacle(std::string_view identity) const
{
    const auto found = std::ranges::find(data_->obstacle_identities, identity);
    if (found == data_->obstacle_identities.end()) return std::nullopt;
    const ColliderId collider = data_->obstacles[std::size_t(found - data_->obstacle_identities.begin())];
    return data_->scene.contains(collider) ? std::optional(collider) : std::nullopt;
}
const std::string& LoadedScene::pointer(BodyId body) const
{
    return data_->entry(body).pointer;
}
std::span<const std::string> LoadedScene::grip_pointers(BodyId body) const
{
    return data_->entry(body).grips;
}
const BodyState& LoadedScene::start(BodyId body) const
{
    return data_->entry(body).start;
}
std::span<const ColliderId> LoadedScene::obstacles() const
{
    return data_->obstacles;
}
const BuildCache& LoadedScene::build_cache() const
{
    return data_->cache;
}
const std::string& LoadedScene::title() const
{
    return data_->title;
}
const std::string& LoadedScene::description() const
{
    return data_->description;
}
int LoadedScene::frames() const
{
    return data_->frames;
}
int LoadedScene::poster() const
{
    constexpr int kLatest = 150;
    return std::min(data_->poster.value_or(std::min(data_->frames * 2 / 5, kLatest)), data_->frames);
}
std::span<const BodyLook> LoadedScene::looks() const
{
    return data_->looks;
}
const Look& LoadedScene::look() const
{
    return data_->look;
}
const std::optional<Camera>& LoadedScene::camera() const
{
    return data_->camera;
}
std::span<const std::string> LoadedScene::warnings() const
{
    return data_->warnings;
}
std::span<const std::optional<SolidReport>> LoadedScene::solid_reports() const
{
    return data_->solid_reports;
}
std::int64_t LoadedScene::frame() const
{
    return data_->scene.step_count() / std::max(1, data_->scene.settings().substeps);
}

std::span<const StepReport> LoadedScene::step()
{
    return data_->scene.step();
}

Measures& LoadedScene::measures()
{
    return data_->measures;
}

std::span<const BodyCavity> LoadedScene::cavities() const
{
    return data_->cavities;
}

std::optional<WaterLook> LoadedScene::water() const
{
    const Medium& medium = data_->scene.settings().medium;
    if (medium.is_everywhere()) return std::nullopt;
    WaterLook water{medium.level ? double(*medium.level) : medium.box->high.y, medium.box, {}};
    if (const auto found = data_->document.find("medium"); found != data_->document.end())
        water.waves = found->value("waves", "");
    return water;
}

Status LoadedScene::save_state(const std::filesystem::path& path) const
{
    return save_snapshot(data_->scene, path);
}

Status LoadedScene::load_state(const std::filesystem::path& path)
{
    return load_snapshot(data_->scene, path);
}

ClipStage clip_stage(LoadedScene& loaded)
{
    ClipStage stage{
        loaded.camera(), loaded.look(), {loaded.looks().begin(), loaded.looks().end()}, {}, {}, {}, {}, {}, {}};
    for (Collider collider : loaded.scene().colliders()) {
        if (!collider.path.empty()) collider.motion.reset();  // the path tells where it is
        if (const auto plane = plane_of(collider)) {
            stage.floors.push_back(*plane);
            stage.floor_paths.push_back(collider.path);
        } else {
            stage.obstacles.push_back(tessellate(collider, 0));
            stage.obstacle_paths.push_back(collider.path);
            stage.obstacle_animations.push_back(collider.animation);
        }
    }
    stage.water = loaded.water();
    return stage;
}

ClipInfo describe_clip(LoadedScene& loaded, std::size_t frames, const std::vector<std::string>& quantities,
                       bool all_lines)
{
    const Scene& scene = loaded.scene();
    ClipInfo info;
    info.frame_time = scene.settings().dt;
    info.frames = frames + 1;
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        const BodyLook& look = loaded.looks()[k];
        std::vector<std::string> names = quantities;
        const bool by_positions = look.show.empty() || look.show == "displacement" || look.show == "stretch";
        if (!by_positions && std::ranges::find(names, look.show) == names.end()) names.push_back(look.show);
        info.bodies.push_back(clip_body(scene, scene.bodies()[k], std::move(names), all_lines || look.wireframe));
        info.bodies.back().color = look.color;
    }
    info.stage = clip_stage(loaded);
    return info;
}

std::vector<std::string> quantities_to_show(const LoadedScene& loaded, const std::string& show)
{
    std::vector<std::string> names{"speed"};
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(common_quantities(), name, &Quantity::name) == common_quantities().end()) return;
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const BodyLook& look : loaded.looks()) add(look.show);
    add(show);
    return names;
}

std::vector<Error> check_scene(const std::filesystem::path& path)
{
    const Result<std::string> text = read_scene_text(path);
    if (!text) return {text.error()};
    const Result<Json> parsed = parse_json(*text, path.string());
    if (!parsed) return {parsed.error()};
    return read_scene(*parsed, path.parent_path(), path.string()).errors;
}

}  // namespace yawara
