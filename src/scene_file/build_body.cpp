// One body of a scene document: solid, masses, model, state at the start, and the script of what holds and pushes it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "scene_file/build.h"
#include "yawara/io.h"

namespace yawara::scene_file {
namespace {

constexpr double kLargestValue = 1e18;  // the squares of larger numbers are none in single precision

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
        if (std::abs(array->values[i]) <= kLargestValue) continue;
        return Error{file.where, fmt::format("value {} of {} is {:g}; expected a finite number within +-1e18", i,
                                             file.path.string(), array->values[i])};
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
Result<Script> make_script(const BodyDocument& body, const BodyModel& model, const BodyState& state,
                           const HeldPins& held_pins, std::vector<std::string>& warnings)
{
    // Selections speak of the solid before "place".
    std::vector<Vec3d> rest(model.rest_positions().begin(), model.rest_positions().end());
    for (Vec3d& p : rest) p = p / body.scale;

    Script script;
    std::unordered_map<std::int32_t, std::string> held;
    const auto hold = [&](const Selection& select, const std::vector<std::int32_t>& particles) {
        for (const std::int32_t i : particles) {
            const auto [earlier, is_new] = held.emplace(i, select.where);
            if (is_new) continue;
            warnings.push_back(fmt::format("{}: particle {} is held by {} too", select.where, i, earlier->second));
            return;
        }
    };
    for (std::size_t k = 0; k < body.pins.size(); ++k) {
        const auto particles = select_particles(body.pins[k], rest);
        if (!particles) return particles.error();
        hold(body.pins[k], *particles);
        const bool elsewhere = k < held_pins.pins.size() && held_pins.pins[k];
        script.add_pin(*particles, elsewhere ? held_pins.positions : std::span<const Vec3>(state.positions));
    }
    for (const HandleDocument& handle : body.handles) {
        const auto particles = select_particles(handle.select, rest);
        if (!particles) return particles.error();
        if (handle.motion.stiffness == 0) hold(handle.select, *particles);
        script.add_handle(handle.motion, *particles, state.positions);
    }
    for (const ForceDocument& force : body.forces) {
        const auto particles = select_particles(force.select, rest);
        if (!particles) return particles.error();
        const bool all = std::holds_alternative<SelectEverything>(force.select.kind);
        script.add_force(force.plan, all ? std::span<const std::int32_t>() : *particles);
    }
    if (!body.changes.empty() && state.matching.stiffness.empty())
        return Error{body.changes.front().select.where, "there is no stiffness that could change"};
    for (const StiffnessChangeDocument& change : body.changes) {
        auto particles = select_particles(change.select, rest);
        if (!particles) return particles.error();
        script.add_stiffness_change({std::move(*particles), change.from, change.until, float(change.value)});
    }
    for (std::size_t k = 0; k < model.example_controls().size(); ++k) {
        const auto led = std::ranges::find(body.controls, model.example_controls()[k], &ControlDocument::name);
        if (led != body.controls.end()) script.add_control(k, led->keys);
    }
    return script;
}

}  // namespace

FieldPlaces particle_places(const BodyDocument& body, const Domain& domain, const Channels& channels)
{
    FieldPlaces places = yawara::particle_places(domain);
    places.channels = channels;
    places.scale = body.scale;
    return places;
}

Result<FieldPlaces> finest_places(const BodyDocument& body, const Domain& domain, const Channels& channels)
{
    Result<FieldPlaces> places = yawara::finest_places(domain, body.fem->levels);
    if (!places) return Error{body.where, places.error().message()};
    places->channels = channels;
    places->scale = body.scale;
    return places;
}

std::vector<ChartedLayer> charts_of(const BodyDocument& body)
{
    std::vector<ChartedLayer> layers;
    for (const ActiveDocument& active : body.active) layers.push_back(active.layer);
    return layers;
}

Result<BuiltModel> build_model(const BodyDocument& body, const BuiltSolid& solid)
{
    Domain domain = body.fem ? Domain(solid_of(solid.domain)) : solid.domain;
    const FieldPlaces particles = particle_places(body, domain, solid.channels);
    const Result<FieldPlaces> places =
        body.fem ? finest_places(body, domain, solid.channels) : Result<FieldPlaces>(particles);
    if (!places) return places.error();
    std::vector<std::string> warnings;
    const auto above_zero = [&](std::string name) {
        FieldUse use = positive(std::move(name));
        use.warnings = &warnings;
        return use;
    };
    BodySpec spec;
    spec.name = body.name;
    spec.masses = body.masses.spread;
    if (body.masses.values) {
        Result<std::vector<double>> masses = sample(*body.masses.values, particles, above_zero(body.masses.where));
        if (!masses) return masses.error();
        spec.particle_masses = std::move(*masses);
    }
    spec.density = body.density;
    if (!body.density.constant()) {
        const Result<std::vector<double>> density = sample(body.density, *places, above_zero(body.where + ".density"));
        if (!density) return density.error();
        spec.density = *density;
    }
    if (body.fem) {
        Result<Fem> fem = build_fem(body, *places, warnings);
        if (!fem) return fem.error();
        spec.solid = std::move(*fem);
    } else if (body.rigid) {
        spec.solid = Rigid{std::move(domain), body.rigid->mass, body.rigid->inertia};
    } else {
        Matching matching;
        for (const ActiveDocument& active : body.active) {
            auto layer = build_active(active, particles, warnings);
            if (!layer) return layer.error();
            matching.stretch.push_back(*std::move(layer));
        }
        if (body.examples) {
            Result<ExampleSet> examples = build_examples(body, solid, particles, warnings);
            if (!examples) return examples.error();
            matching.stretch.push_back(yawara::examples(std::move(*examples)));
        }
        matching.hops = body.hops;
        const bool lattice = std::holds_alternative<Lattice>(domain);
        // Tets of a model that says nothing about stiffness are as stiff as the body's other settings make them.
        const auto stiff = [](float s) { return s > 0; };
        if (body.regions || (lattice && !solid.stiffness.empty()) || std::ranges::any_of(solid.stiffness, stiff)) {
            Result<Widths> widths = build_widths(body, particles, solid.stiffness, warnings);
            if (!widths) return widths.error();
            matching.widths = std::move(*widths);
        }
        matching.domain = std::move(domain);
        spec.solid = std::move(matching);
    }
    spec.surface = solid.surface;
    Result<BodyModel> model = build(std::move(spec));
    if (!model) return Error{body.where, model.error().message()};

    for (const std::string& warning : solid.warnings) warnings.push_back(body.solid.where + ": " + warning);
    for (const std::string& warning : model->warnings()) warnings.push_back(body.where + ": " + warning);
    std::optional<FileFrame> file;
    if (!solid.surface.vertices.empty()) file = FileFrame{solid.file_scale, solid.file_move};
    return BuiltModel{*std::move(model), charts_of(body), solid.report, std::move(warnings), solid.channels, file, solid.skin, solid.colors};
}

/// Says so if single precision moves the particles of a body by a noticeable part of their distances.
void check_precision(const BodyDocument& body, const BodyState& state, bool elastic_by_matching,
                     std::vector<std::string>& warnings)
{
    // Of the mean distance of particles. Stiff matching amplifies it: a rabbit of 2 cm and 100 kPa, 10 m from the
    // origin (3e-4), trembles by 1 % of its size, one of 10 cm (7e-5) by 0.1 %. Finite elements have a frame of their
    // own.
    const double noticeable = elastic_by_matching ? 1e-4 : 1e-3;
    Box3 box;
    for (const Vec3& p : state.positions) box.add(p.as<double>());
    const Vec3d size = box.size(), far = max(box.high, -box.low);
    const double distance = std::max({far.x, far.y, far.z});
    const double rounding = distance * double(std::numeric_limits<float>::epsilon()) / 2;
    const double apart = std::cbrt(size.x * size.y * size.z / double(state.positions.size()));
    if (rounding > noticeable * apart)
        warnings.push_back(
            fmt::format("{}: {:.3g} m from the origin, positions are exact to {:.2g} m, {:.2g} % of the "
                        "distance of its particles, {:.2g} m: move the scene to the origin",
                        body.where, distance, rounding, 100 * rounding / apart, apart));
}

Result<BuiltBody> build_body(const BodyDocument& body, const BodyModel& model, const HeldPins& held)
{
    Result<BodyState> state = start(body, model);
    if (!state) return state.error();
    std::vector<std::string> warnings;
    Result<Script> script = make_script(body, model, *state, held, warnings);
    if (!script) return script.error();
    check_precision(body, *state, !model.is_fem() && !model.is_rigid(), warnings);
    return BuiltBody{std::move(*state), std::move(*script), std::move(warnings)};
}

}  // namespace yawara::scene_file
