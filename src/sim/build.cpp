// build(): checks a description and precomputes a BodyModel from it, in double.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "fem/advance.h"
#include "matching/layers.h"
#include "matching/match.h"
#include "matching/region_sums.h"
#include "matching/strength_limit.h"
#include "sim/bending_masses.h"
#include "sim/body_model.h"
#include "sim/lattice_regions.h"
#include "sim/rigid_solid.h"
#include "sim/sample_fields.h"
#include "yawara/body.h"

namespace yawara {
namespace {

std::string count_of(std::size_t count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Status check_solid(const TetMesh& mesh)
{
    if (mesh.tets.empty()) return Error{"solid", "has no tetrahedra"};
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        if (!is_finite(mesh.vertices[i])) return Error{"solid", "vertex " + std::to_string(i) + " is not finite"};
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (const std::int32_t v : mesh.tets[t])
            if (v < 0 || std::size_t(v) >= mesh.vertices.size())
                return Error{"solid", "tet " + std::to_string(t) + " uses vertex " + std::to_string(v) + " of " +
                                          std::to_string(mesh.vertices.size())};
        if (!(signed_volume(mesh, mesh.tets[t]) > 0))
            return Error{"solid", "tet " + std::to_string(t) + " is flat or inverted: repair() turns or removes such"};
    }
    return Done{};
}

Status check_solid(const Lattice& lattice)
{
    if (lattice.cells.empty()) return Error{"solid", "the lattice has no cells"};
    if (!(lattice.cell > 0) || !std::isfinite(lattice.cell) || !is_finite(lattice.origin))
        return Error{"solid", "the lattice needs a finite origin and a positive cell size"};
    for (const Int8& cell : lattice.cells)
        for (const std::int32_t v : cell)
            if (v < 0 || std::size_t(v) >= lattice.nodes.size())
                return Error{"solid",
                             "a cell uses node " + std::to_string(v) + " of " + std::to_string(lattice.nodes.size())};
    return Done{};
}

std::vector<double> lumped_volumes(const TetMesh& mesh)
{
    std::vector<double> volumes(mesh.vertices.size(), 0.0);
    for (const Int4& tet : mesh.tets)
        for (const std::int32_t v : tet) volumes[std::size_t(v)] += signed_volume(mesh, tet) / 4;
    return volumes;
}

std::vector<double> lumped_volumes(const Lattice& lattice)
{
    std::vector<double> volumes(lattice.nodes.size(), 0.0);
    const double share = lattice.cell * lattice.cell * lattice.cell / 8;
    for (const Int8& cell : lattice.cells)
        for (const std::int32_t v : cell) volumes[std::size_t(v)] += share;
    return volumes;
}

/// Masses of all particles. One that no tet or cell uses has no volume: it gets the mean, and a warning.
Result<std::vector<double>> masses_of(const BodySpec& spec, const FieldPlaces& places,
                                      std::vector<std::string>& warnings)
{
    const Domain& domain = places.domain;
    const std::size_t particles = places.points.size();
    if (!spec.particle_masses.empty()) {
        if (spec.particle_masses.size() != particles)
            return Error{"masses", "has " + count_of(spec.particle_masses.size(), "value") + " for " +
                                       count_of(particles, "particle")};
        for (std::size_t i = 0; i < particles; ++i)
            if (!(spec.particle_masses[i] > 0) || !std::isfinite(spec.particle_masses[i]))
                return Error{"masses", "mass of particle " + std::to_string(i) + " is not a positive number"};
        return spec.particle_masses;
    }
    FieldUse use = positive("density");
    use.warnings = &warnings;
    const Result<std::vector<double>> densities = sample(spec.density, places, use);
    if (!densities) return densities.error();
    std::vector<double> masses = std::visit([](const auto& d) { return lumped_volumes(d); }, domain);
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    const auto used = std::size_t(std::count_if(masses.begin(), masses.end(), [](double m) { return m > 0; }));
    if (used < masses.size())
        warnings.push_back(count_of(masses.size() - used, "particle") + " in no element: free, with the mean mass");
    const double mean = total / double(used);
    for (std::size_t i = 0; i < masses.size(); ++i)
        masses[i] = (*densities)[i] * (spec.masses == Masses::uniform || !(masses[i] > 0) ? mean : masses[i]);
    if (spec.masses == Masses::bending) {
        const auto* lattice = std::get_if<Lattice>(&domain);
        if (!lattice) return Error{"masses", "only those of a lattice can be moved for bending"};
        move_masses_inwards(*lattice, masses);
    }
    return masses;
}

double mean_link_length(const matching::Lists& links, const std::vector<Vec3d>& rest)
{
    double sum = 0;
    for (std::size_t i = 0; i < links.size(); ++i)
        for (const std::int32_t j : links[i]) sum += length(rest[std::size_t(j)] - rest[i]);
    return links.values.empty() ? 0 : sum / double(links.values.size());
}

/// Particles of each connected part; empty if there is one.
matching::Lists parts_of(const matching::Lists& links)
{
    std::vector<std::int32_t> part(links.size(), -1), open;
    matching::Lists parts;
    for (std::size_t seed = 0; seed < links.size(); ++seed) {
        if (part[seed] >= 0) continue;
        part[seed] = std::int32_t(parts.size());
        open.assign(1, std::int32_t(seed));
        while (!open.empty()) {
            const std::int32_t i = open.back();
            open.pop_back();
            parts.values.push_back(i);
            for (const std::int32_t j : links[std::size_t(i)])
                if (part[std::size_t(j)] < 0) {
                    part[std::size_t(j)] = part[seed];
                    open.push_back(j);
                }
        }
        parts.offsets.push_back(std::int32_t(parts.values.size()));
    }
    return parts.size() > 1 ? parts : matching::Lists{};
}

/// The layers of a body with its examples apart.
struct SortedLayers {
    std::shared_ptr<const StretchLayer> examples;  ///< null: none
    std::size_t before_examples = 0;
    StretchLayers others;
    const ExampleSet* set() const { return examples ? example_set(*examples) : nullptr; }
};

Result<SortedLayers> sort_layers(const StretchLayers& layers)
{
    SortedLayers sorted;
    for (const auto& layer : layers) {
        if (!layer) return Error{"stretch", "a layer is null"};
        const ExampleSet* const set = example_set(*layer);
        if (!set) {
            sorted.others.push_back(layer);
            continue;
        }
        if (set->poses.empty()) continue;
        if (sorted.examples) return Error{"stretch", "has two layers of examples: give one of them all poses"};
        sorted.examples = layer;
        sorted.before_examples = sorted.others.size();
    }
    return sorted;
}

Status check_surface(const TriMesh& surface)
{
    for (std::size_t i = 0; i < surface.vertices.size(); ++i)
        if (!is_finite(surface.vertices[i])) return Error{"surface", "vertex " + std::to_string(i) + " is not finite"};
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        for (const std::int32_t v : surface.triangles[t])
            if (v < 0 || std::size_t(v) >= surface.vertices.size())
                return Error{"surface", "triangle " + std::to_string(t) + " uses vertex " + std::to_string(v) + " of " +
                                            std::to_string(surface.vertices.size())};
    return Done{};
}

/// A finite-element body: its particles are the nodes of the finest level, whatever the front.
Result<BodyModel> build_fem_body(BodySpec spec)
{
    if (!spec.particle_masses.empty() || spec.masses != Masses::lumped)
        return Error{"masses", "a finite-element body has the mass of its tets: give densities"};
    if (const Status ok = check_surface(spec.surface); !ok) return ok.error();
    auto data = std::make_shared<BodyModel::Data>();
    Result<fem::BuiltFem> built =
        fem::build_fem(std::get<Fem>(spec.solid), spec.density, data->warnings, spec.channels);
    if (!built) return built.error();
    data->name = spec.name;
    const fem::TetForest& forest = built->model.forest;
    TetMesh finest = forest.finest();
    const std::vector<std::int32_t>& labels = std::get<Fem>(spec.solid).mesh.materials;
    for (std::size_t t = 0; !labels.empty() && t < finest.tets.size(); ++t)
        finest.materials.push_back(
            labels[std::size_t(forest.base_of(forest.first_of(forest.levels()) + std::int32_t(t)))]);
    data->rest = finest.vertices;
    data->masses = std::move(built->masses);
    data->masses_f.assign(data->masses.begin(), data->masses.end());
    for (const double m : data->masses) data->inverse_masses.push_back(m > 0 ? float(1 / m) : 0.0f);
    data->surface = std::move(spec.surface);
    if (data->surface.triangles.empty() && data->surface.vertices.empty()) data->surface = boundary_surface(finest);
    data->embedding = Embedding(finest, data->surface.vertices);
    const matching::Lists links = matching::links(finest);
    data->spacing = mean_link_length(links, data->rest);
    data->parts = parts_of(links);
    data->total_mass = built->model.total_mass;
    data->volume = volume(finest);
    data->domain = std::move(finest);
    data->fem = std::make_shared<const fem::FemModel>(std::move(built->model));
    return BodyModel(std::move(data));
}

/// A rigid body: mass and inertia of its solid.
Result<BodyModel> build_rigid_body(BodySpec spec)
{
    Rigid& rigid = std::get<Rigid>(spec.solid);
    if (!spec.particle_masses.empty() || spec.masses != Masses::lumped)
        return Error{"masses", "a rigid body has the mass of its solid: give a density, or its mass and inertia"};
    if (const Status ok = check_surface(spec.surface); !ok) return ok.error();
    const Status sound = std::visit([](const auto& d) { return check_solid(d); }, rigid.domain);
    if (!sound) return sound.error();
    FieldPlaces places = particle_places(rigid.domain);
    places.channels = spec.channels;
    const Result<std::vector<double>> densities = sample(spec.density, places, positive("density"));
    if (!densities) return densities.error();
    const TetMesh solid = solid_of(rigid.domain);
    SolidMasses masses = masses_of_solid(solid, *densities);
    Result<RigidSolid> made = make_rigid_solid(rigid, masses, places.points);
    if (!made) return made.error();
    auto data = std::make_shared<BodyModel::Data>();
    data->name = std::move(spec.name);
    const auto used = std::count_if(masses.particles.begin(), masses.particles.end(), [](double m) { return m > 0; });
    if (std::size_t(used) < masses.particles.size())
        data->warnings.push_back(count_of(masses.particles.size() - std::size_t(used), "particle") +
                                 " in no element: carried along without mass");
    for (const double m : masses.particles) {
        data->masses.push_back(m * made->mass / masses.mass);
        data->masses_f.push_back(float(data->masses.back()));
        data->inverse_masses.push_back(data->masses.back() > 0 ? float(1 / data->masses.back()) : 0.0f);
    }
    data->rest = std::move(places.points);
    data->surface = std::move(spec.surface);
    if (data->surface.triangles.empty() && data->surface.vertices.empty())
        data->surface = std::visit([](const auto& d) { return boundary_surface(d); }, rigid.domain);
    data->embedding = std::visit([&](const auto& d) { return Embedding(d, data->surface.vertices); }, rigid.domain);
    const matching::Lists links = std::visit([](const auto& d) { return matching::links(d); }, rigid.domain);
    data->spacing = mean_link_length(links, data->rest);
    data->total_mass = made->mass;
    data->volume = volume(solid);
    data->rigid = std::make_shared<const RigidSolid>(std::move(*made));
    data->domain = std::move(rigid.domain);
    return BodyModel(std::move(data));
}

}  // namespace

Result<BodyModel> build(BodySpec spec)
{
    const auto refused = [name = spec.name](const Error& e) {
        return Error{"body \"" + name + "\", " + e.where, e.what};
    };
    if (!std::holds_alternative<Matching>(spec.solid)) {
        const bool rigid = std::holds_alternative<Rigid>(spec.solid);
        Result<BodyModel> model = rigid ? build_rigid_body(std::move(spec)) : build_fem_body(std::move(spec));
        return model ? model : Result<BodyModel>(refused(model.error()));
    }
    Matching& solid = std::get<Matching>(spec.solid);
    std::vector<std::string> warnings;

    if (solid.hops < 1) return refused({"hops", std::to_string(solid.hops) + " is less than 1"});
    const Status sound = std::visit([](const auto& d) { return check_solid(d); }, solid.domain);
    if (!sound) return refused(sound.error());
    FieldPlaces places = particle_places(solid.domain);
    places.channels = spec.channels;
    auto masses = masses_of(spec, places, warnings);
    if (!masses) return refused(masses.error());
    auto particle_widths = sample_widths(solid.widths, places, warnings);
    if (!particle_widths) return refused(particle_widths.error());
    std::vector<Vec3d>& rest = places.points;
    if (const Status ok = check_surface(spec.surface); !ok) return refused(ok.error());
    const Result<SortedLayers> layers = sort_layers(solid.stretch);
    if (!layers) return refused(layers.error());

    const matching::Lists links = std::visit([](const auto& d) { return matching::links(d); }, solid.domain);
    const double spacing = mean_link_length(links, rest);
    const std::vector<double> volumes = std::visit([](const auto& d) { return lumped_volumes(d); }, solid.domain);
    const double volume = std::accumulate(volumes.begin(), volumes.end(), 0.0);
    const double total_mass = std::accumulate(masses->begin(), masses->end(), 0.0);
    std::optional<matching::WidthPlan> widths;
    std::optional<matching::Regions> regions;
    if (summed_by_boxes(solid, layers->set())) {
        auto built = build_lattice_regions(solid, std::move(*particle_widths), rest, *masses);
        if (!built) return refused(built.error());
        regions = std::move(built->regions);
        widths = std::move(built->widths);
    } else {
        if (solid.widths.stiffness || solid.widths.alphas || solid.widths.reach) {
            const auto* lattice = std::get_if<Lattice>(&solid.domain);
            auto plan = matching::WidthPlan::make_even(std::move(*particle_widths), solid.hops, rest.size(),
                                                       total_mass / volume, lattice ? lattice->cell : spacing);
            if (!plan) return refused(plan.error());
            widths = std::move(*plan);
        }
        auto lists = matching::neighbourhoods(links, solid.hops);
        if (!lists) return refused(lists.error());
        regions.emplace(std::move(*lists), rest, *masses);
    }
    std::optional<matching::Examples> examples;
    if (const ExampleSet* const set = layers->set()) {
        if (set->rotation == ExampleRotation::joint && !layers->others.empty())
            return refused({"examples", "joint rotations cannot be combined with other stretch layers"});
        const auto sampled = sample_groups(*set, places, warnings);
        if (!sampled) return refused(sampled.error());
        std::shared_ptr<const matching::SoftGroups> soft;
        if (sampled->groups && std::isfinite(set->border) && set->border > 0)
            soft = std::make_shared<const matching::SoftGroups>(
                matching::soft_groups(links, rest, *masses, *sampled->groups->array(), set->border));
        auto made = matching::Examples::make(*sampled, *regions, rest, *masses, std::move(soft));
        if (!made) return refused(made.error());
        examples = std::move(*made);
        const float limit = matching::strength_limit(*regions, *examples, set->poses);
        examples->limit_strength(limit);
        if (limit < 0.9f)
            warnings.push_back("the examples hold the body: a strength below 1 counts as " + std::to_string(limit) +
                               " times as much, so that it can go back to rest");
        warnings.insert(warnings.end(), examples->warnings().begin(), examples->warnings().end());
    }

    if (spec.surface.triangles.empty() && spec.surface.vertices.empty())
        spec.surface = std::visit([](const auto& d) { return boundary_surface(d); }, solid.domain);
    Embedding embedding = std::visit([&](const auto& d) { return Embedding(d, spec.surface.vertices); }, solid.domain);
    if (embedding.outside_distance() > 2 * spacing)
        warnings.push_back(count_of(std::size_t(embedding.outside_count()), "point") +
                           " of the surface outside the solid, the farthest by " +
                           std::to_string(embedding.outside_distance()));

    const matching::RegionSums sums(*regions, *masses);
    const double pass_modulus = sums.pass_modulus(rest, *masses, volume);
    matching::AskedLayers asked = matching::join_layers(layers->others, layers->before_examples);
    matching::LayerPlan layer_plan = matching::plan_layers(asked.layers, asked.before_examples, *regions, sums, rest);
    auto data = std::make_shared<BodyModel::Data>();
    data->name = std::move(spec.name);
    data->masses_f.assign(masses->begin(), masses->end());
    for (const double m : *masses) data->inverse_masses.push_back(float(1 / m));
    data->masses = std::move(*masses);
    data->stretch = layers->others;
    data->stretch_before_examples = layers->before_examples;
    data->asked = std::move(asked.layers);
    data->layer_plan = std::move(layer_plan);
    data->regions = std::move(*regions);
    data->widths = std::move(widths);
    data->examples = std::move(examples);
    data->parts = parts_of(links);
    data->surface = std::move(spec.surface);
    data->embedding = std::move(embedding);
    data->spacing = spacing;
    data->volume = volume;
    data->total_mass = total_mass;
    data->pass_modulus = pass_modulus;
    data->warnings = std::move(warnings);
    data->rest = std::move(rest);
    data->domain = std::move(solid.domain);
    return BodyModel(std::move(data));
}

std::uint64_t next_revision()
{
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

BodyModel::BodyModel(std::shared_ptr<const Data> data) : data_(std::move(data)), name_(data_->name) {}
BodyModel BodyModel::renamed(std::string name) const
{
    BodyModel model = *this;
    model.name_ = std::move(name);
    return model;
}
std::size_t BodyModel::particle_count() const
{
    return data_->rest.size();
}
std::size_t BodyModel::region_count() const
{
    return data_->regions.region_count();
}
std::span<const Vec3d> BodyModel::rest_positions() const
{
    return data_->rest;
}
std::span<const double> BodyModel::masses() const
{
    return data_->masses;
}
const Domain& BodyModel::domain() const
{
    return data_->domain;
}
const TriMesh& BodyModel::surface() const
{
    return data_->surface;
}
const Embedding& BodyModel::embedding() const
{
    return data_->embedding;
}
std::uint64_t BodyModel::revision() const
{
    return data_->revision;
}
bool BodyModel::is_rigid() const
{
    return data_->rigid != nullptr;
}
bool BodyModel::is_fem() const
{
    return data_->fem != nullptr;
}
double BodyModel::spacing() const
{
    return data_->spacing;
}
std::span<const ExampleReport> BodyModel::examples() const
{
    return data_->examples ? data_->examples->reports() : std::span<const ExampleReport>{};
}
std::size_t BodyModel::example_groups() const
{
    return data_->examples ? data_->examples->group_count() : 0;
}
std::span<const std::string> BodyModel::example_controls() const
{
    return data_->examples ? std::span<const std::string>(data_->examples->controls()) : std::span<const std::string>{};
}
double BodyModel::pass_young(double dt) const
{
    return data_->pass_modulus / (dt * dt);
}
std::span<const std::string> BodyModel::warnings() const
{
    return data_->warnings;
}

}  // namespace yawara
