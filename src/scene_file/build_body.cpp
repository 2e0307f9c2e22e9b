// One body of a scene document: solid, masses, model, state at the start, and the script of what holds and pushes it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "scene_file/build.h"
#include "yawara/io.h"

namespace yawara::scene_file {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape)
{
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Result<Array> load_array(const FileName& file, const std::vector<std::size_t>& shape)
{
    Result<Array> array = load_npy(file.path);
    if (!array) return Error{file.where, array.error().message()};
    if (array->shape != shape) {
        return Error{file.where, fmt::format("{} has shape {}, expected {}", file.path.string(),
                                             shape_text(array->shape), shape_text(shape))};
    }
    for (std::size_t i = 0; i < array->values.size(); ++i) {
        if (std::isfinite(static_cast<float>(array->values[i]))) continue;
        return Error{file.where,
                     fmt::format("value {} of {} is not a finite number of single precision", i, file.path.string())};
    }
    return array;
}

Status load_vectors(const FileName& file, std::vector<Vec3>& vectors)
{
    const Result<Array> array = load_array(file, {vectors.size(), 3});
    if (!array) return array.error();
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const double* v = &array->values[3 * i];
        vectors[i] = Vec3d{v[0], v[1], v[2]}.as<float>();
    }
    return Done{};
}

std::size_t particle_count(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return mesh->vertices.size();
    return std::get<Lattice>(domain).nodes.size();
}

Result<std::vector<double>> particle_masses(const MassesDocument& masses, std::size_t count)
{
    std::vector<double> values = masses.values;
    if (masses.file) {
        Result<Array> array = load_array(*masses.file, {count});
        if (!array) return array.error();
        values = std::move(array->values);
    }
    if (!values.empty() && values.size() != count) {
        return Error{masses.where, fmt::format("{} masses for {} particles", values.size(), count)};
    }
    const auto bad = std::find_if(values.begin(), values.end(), [](double m) { return !(m > 0); });
    if (bad != values.end()) {
        return Error{masses.where, fmt::format("mass {} is {:g}; masses are positive", bad - values.begin(), *bad)};
    }
    return values;
}

Result<BodyState> start(const BodyDocument& body, const BodyModel& model)
{
    BodyState state = initial_state(model, body.placement, body.velocity, body.spin);
    if (body.initial_positions) {
        if (const Status loaded = load_vectors(*body.initial_positions, state.positions); !loaded)
            return loaded.error();
    }
    if (body.initial_velocities) {
        if (const Status loaded = load_vectors(*body.initial_velocities, state.velocities); !loaded)
            return loaded.error();
    }
    return state;
}

/// Turns selections into particles, and notices those that two hard grips hold.
Result<BodyScript> make_script(const BodyDocument& body, const BodyModel& model, const BodyState& state,
                               std::vector<std::string>& warnings)
{
    // Selections speak of the solid before "place".
    std::vector<Vec3d> rest(model.rest_positions().begin(), model.rest_positions().end());
    for (Vec3d& p : rest) p = p / body.scale;

    BodyScript script;
    std::unordered_map<std::int32_t, std::string> held;
    const auto hold = [&](const Selection& select, const std::vector<std::int32_t>& particles) {
        for (const std::int32_t i : particles) {
            const auto [earlier, is_new] = held.emplace(i, select.where);
            if (is_new) continue;
            warnings.push_back(fmt::format("{}: particle {} is held by {} too", select.where, i, earlier->second));
            return;
        }
    };
    for (const Selection& pin : body.pins) {
        const auto particles = select_particles(pin, rest);
        if (!particles) return particles.error();
        hold(pin, *particles);
        script.add_pin(*particles, state.positions);
    }
    for (const HandleDocument& handle : body.handles) {
        const auto particles = select_particles(handle.select, rest);
        if (!particles) return particles.error();
        if (handle.stiffness == 0) hold(handle.select, *particles);
        script.add_handle(handle, *particles, state.positions);
    }
    for (const ForceDocument& force : body.forces) {
        const auto particles = select_particles(force.select, rest);
        if (!particles) return particles.error();
        script.add_force(force, *particles);
    }
    return script;
}

}  // namespace

Result<BuiltModel> build_model(const BodyDocument& body, const Progress& progress)
{
    Result<BuiltSolid> solid = build_solid(body, progress);
    if (!solid) return solid.error();
    Result<std::vector<double>> masses = particle_masses(body.masses, particle_count(solid->domain));
    if (!masses) return masses.error();

    std::vector<std::string> warnings;
    BodySpec spec;
    spec.name = body.name;
    if (body.fem) {
        Result<Fem> fem = build_fem(body, solid->domain);
        if (!fem) return fem.error();
        spec.solid = std::move(*fem);
    } else {
        Matching matching;
        for (const ActiveDocument& active : body.active) {
            auto layer = build_active(active, solid->domain, body.scale, warnings);
            if (!layer) return layer.error();
            matching.stretch.push_back(*std::move(layer));
        }
        if (body.examples) {
            Result<ExampleSet> examples = build_examples(body, *solid);
            if (!examples) return examples.error();
            matching.stretch.push_back(yawara::examples(std::move(*examples)));
        }
        matching.domain = std::move(solid->domain);
        matching.hops = body.hops;
        const auto* lattice = std::get_if<Lattice>(&matching.domain);
        // Tets of a model that says nothing about stiffness are as stiff as the body's other settings make them.
        const auto stiff = [](float s) { return s > 0; };
        if (body.regions || (lattice && !solid->stiffness.empty()) || std::ranges::any_of(solid->stiffness, stiff)) {
            Result<Widths> widths = build_widths(body, rest_positions(matching.domain), std::move(solid->stiffness));
            if (!widths) return widths.error();
            matching.widths = std::move(*widths);
        }
        spec.solid = std::move(matching);
    }
    spec.density = body.density;
    spec.masses = body.masses.spread;
    spec.particle_masses = std::move(*masses);
    spec.surface = std::move(solid->surface);
    Result<BodyModel> model = build(std::move(spec));
    if (!model) return Error{body.where, model.error().message()};

    for (const std::string& warning : solid->warnings) warnings.push_back(body.solid.where + ": " + warning);
    for (const std::string& warning : model->warnings()) warnings.push_back(body.where + ": " + warning);
    return BuiltModel{body.model_source, std::move(*model), std::move(solid->report), std::move(warnings)};
}

Result<BuiltBody> build_body(const BodyDocument& body, const BodyModel& model)
{
    Result<BodyState> state = start(body, model);
    if (!state) return state.error();
    std::vector<std::string> warnings;
    Result<BodyScript> script = make_script(body, model, *state, warnings);
    if (!script) return script.error();
    Result<StiffnessScript> stiffness = build_stiffness_script(body, model, state->stiffness);
    if (!stiffness) return stiffness.error();
    return BuiltBody{std::move(*state), std::move(*script), std::move(*stiffness), std::move(warnings)};
}

}  // namespace yawara::scene_file
