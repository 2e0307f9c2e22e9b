// LoadedScene: a document built and stepped. Each sub-step, the scripts set what holds and pushes, then the scene
// steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene_file/build.h"
#include "scene_file/identity.h"
#include "scene_file/measures.h"
#include "scene_file/scene_document.h"
#include "scene_file/state_file.h"
#include "yawara/scene_file.h"
#include "yawara/tessellate.h"

namespace yawara {

using namespace scene_file;

namespace {

/// Where a body comes from in the document.
struct DocumentEntry {
    BodyId body;
    std::string identity, pointer;
    std::vector<std::string> grips;  ///< pointers
};

}  // namespace

struct LoadedScene::Data {
    explicit Data(const SceneDocument& document)
        : scene(document.settings),
          title(document.title),
          description(document.description),
          frames(document.frames),
          look(document.look),
          camera(document.camera),
          warnings(document.warnings)
    {
    }

    const DocumentEntry& entry(BodyId body) const
    {
        const auto found = std::ranges::find(entries, body, &DocumentEntry::body);
        if (found == entries.end()) throw Exception({"scene", "the document has no such body"});
        return *found;
    }

    Scene scene;
    std::vector<DocumentEntry> entries;  ///< per body
    std::string title, description;
    int frames;
    Look look;
    std::optional<Camera> camera;
    std::vector<std::string> warnings;
    std::vector<BuiltModel> models;                         ///< per body
    std::vector<std::string> obstacle_sources;              ///< per collider
    std::vector<BodyLook> looks;                            ///< per body
    std::vector<std::optional<SolidReport>> solid_reports;  ///< per body
    Measures measures;
    std::vector<std::pair<BodyId, CavityGauge>> cavities;
};

namespace {

Error first_of(const std::vector<Error>& errors)
{
    Error error = errors.front();
    if (errors.size() > 1) error.what += fmt::format(" (and {} more: `yawara check` lists them)", errors.size() - 1);
    return error;
}

DocumentEntry entry_of(const BodyDocument& document, BodyId body)
{
    DocumentEntry entry{body, document.identity, pointer_of(document.where), {}};
    const auto add = [&](const Selection& select) {
        entry.grips.push_back(pointer_of(select.where.substr(0, select.where.rfind(".select"))));
    };
    for (const Selection& pin : document.pins) add(pin);
    for (const HandleDocument& handle : document.handles) add(handle.select);
    return entry;
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

}  // namespace

Result<LoadedScene> LoadedScene::from_file(const std::filesystem::path& path, const Progress& progress)
{
    const Result<std::string> text = read_scene_text(path);
    if (!text) return text.error();
    return from_text(*text, path.parent_path(), path.string(), progress);
}

Result<LoadedScene> LoadedScene::from_text(std::string_view json, const std::filesystem::path& folder,
                                           const std::string& name, const Progress& progress,
                                           const LoadedScene* earlier)
{
    const auto ready_model = [&](const std::string& source) -> const BuiltModel* {
        if (!earlier) return nullptr;
        const auto& models = earlier->data_->models;
        const auto found = std::ranges::find(models, source, &BuiltModel::source);
        return found == models.end() ? nullptr : &*found;
    };
    const auto ready_obstacle = [&](const std::string& source) -> const Collider* {
        if (!earlier) return nullptr;
        const auto& sources = earlier->data_->obstacle_sources;
        const auto found = std::ranges::find(sources, source);
        return found == sources.end() ? nullptr
                                      : &earlier->data_->scene.colliders()[std::size_t(found - sources.begin())];
    };

    ReadScene read = read_scene(json, folder, name);
    if (!read.errors.empty()) return first_of(read.errors);
    const SceneDocument& document = read.document;

    auto data = std::make_unique<Data>(document);
    for (const ObstacleDocument& obstacle : document.obstacles) {
        const Collider* ready = ready_obstacle(obstacle.shape_source);
        Result<Collider> collider = ready ? Result<Collider>(Collider{ready->shape, obstacle.friction,
                                                                      obstacle.restitution, obstacle.friction_along})
                                          : build_obstacle(obstacle);
        if (!collider) return collider.error();
        data->scene.add(std::move(*collider));
        data->obstacle_sources.push_back(obstacle.shape_source);
    }
    const std::size_t count = document.bodies.size();
    for (std::size_t i = 0; i < count; ++i) {
        const BodyDocument& body = document.bodies[i];
        const Progress part = part_of(progress, i, count);
        if (part && !part("building " + body.name, 0)) return Error{body.where, "cancelled"};
        const auto twin = std::ranges::find(data->models, body.model_source, &BuiltModel::source);
        const BuiltModel* ready = twin != data->models.end() ? &*twin : ready_model(body.model_source);
        Result<BuiltModel> model = ready ? Result<BuiltModel>(*ready) : build_model(body, part);
        if (!model) return model.error();
        model->model = model->model.renamed(body.name);
        Result<BuiltBody> built = build_body(body, model->model);
        if (!built) return built.error();
        const BodyId id = data->scene.add(model->model, body.settings, std::move(built->state));
        data->scene.set_script(id, std::move(built->script));
        data->entries.push_back(entry_of(body, id));
        data->looks.push_back(body.look);
        if (body.cavity_depth) {
            Result<CavityGauge> cavity = build_cavity(body, model->model);
            if (!cavity) return cavity.error();
            data->cavities.emplace_back(id, *std::move(cavity));
        }
        data->solid_reports.push_back(model->report);
        const auto warn = [&](const std::vector<std::string>& warnings) {
            data->warnings.insert(data->warnings.end(), warnings.begin(), warnings.end());
        };
        if (twin == data->models.end()) warn(placed(model->warnings, body.where));
        warn(built->warnings);
        const double dt = document.settings.dt / document.settings.substeps;
        const ModulusReach reach = modulus_reach(model->model, body.settings, dt);
        if (reach.wanted > reach.possible)
            data->warnings.push_back(fmt::format(
                "{}: a step of {:.3g} s gives a Young's modulus of {:.3g} Pa at most: {} substeps would do", body.where,
                dt, reach.possible, std::ceil(document.settings.substeps * std::sqrt(reach.wanted / reach.possible))));
        const IntegrationChoice steps = integration_of(model->model, body.settings.fem, dt);
        if (steps.implicit && body.settings.fem.integration == Integration::explicit_steps)
            data->warnings.push_back(fmt::format(
                "{}: a step of {:.3g} s would take {:.0f} explicit sub-steps, so it is taken implicitly; a softer "
                "material, less viscosity, a mesh without slivers or more substeps would let it be explicit",
                body.where, dt, steps.substeps));
        if (const auto* lattice = std::get_if<Lattice>(&model->model.domain()); lattice && reach.wanted > 0) {
            const Vec3d size = bounds(model->model.rest_positions()).high - bounds(model->model.rest_positions()).low;
            const double across = std::min({size.x, size.y, size.z}) / lattice->cell;
            // masses at the corners of cells: 3 / across^2 too stiff, unless they were moved where there are cells
            // within
            const bool moved = body.masses.spread == Masses::bending && across > 1.5;
            if (across < 4.5 && !moved)
                data->warnings.push_back(
                    fmt::format("{}: with {:.0f} cells across it bends about {:.0f} % stiffer than its modulus says: "
                                "smaller cells would do",
                                body.where, across, 300 / (across * across)));
        }
        data->models.push_back(std::move(*model));
    }
    Result<Measures> measures = Measures::make(document.measures, data->scene);
    if (!measures) return measures.error();
    data->measures = std::move(*measures);
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
const std::string& LoadedScene::pointer(BodyId body) const
{
    return data_->entry(body).pointer;
}
std::span<const std::string> LoadedScene::grip_pointers(BodyId body) const
{
    return data_->entry(body).grips;
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

std::span<const MeasureInfo> LoadedScene::measures() const
{
    return data_->measures.infos();
}

std::vector<double> LoadedScene::measure()
{
    return data_->measures.now(data_->scene);
}

std::vector<CavityVolume> LoadedScene::cavity_volumes() const
{
    std::vector<CavityVolume> volumes;
    for (const auto& [body, cavity] : data_->cavities)
        volumes.push_back({data_->scene.model(body).name(), cavity.volume(data_->scene.state(body).positions)});
    return volumes;
}

Status LoadedScene::save_state(const std::filesystem::path& path) const
{
    return save_scene_state(data_->scene, path);
}

Status LoadedScene::load_state(const std::filesystem::path& path)
{
    return load_scene_state(data_->scene, path);
}

ClipStage clip_stage(LoadedScene& loaded)
{
    ClipStage stage{loaded.camera(), loaded.look(), {loaded.looks().begin(), loaded.looks().end()}, {}, {}};
    for (const Collider& collider : loaded.scene().colliders()) {
        if (const Plane* plane = std::get_if<Plane>(&collider.shape))
            stage.floors.push_back(*plane);
        else
            stage.obstacles.push_back(tessellate(collider, 0));
    }
    return stage;
}

std::vector<Error> check_scene(const std::filesystem::path& path)
{
    const Result<std::string> text = read_scene_text(path);
    if (!text) return {text.error()};
    return read_scene(*text, path.parent_path(), path.string()).errors;
}

}  // namespace yawara
