// One step of one body: goals, velocities, damping, positions, contact, grips, in the order of [Examples] 3.11.
// Scene::step (sim/scene.cpp) comes here; the goals are found in matching/passes.h.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "contact/response.h"
#include "core/grips.h"
#include "core/parallel.h"
#include "fem/settle.h"
#include "matching/damping.h"
#include "matching/passes.h"
#include "sim/advance.h"
#include "sim/body_model.h"
#include "sim/fibers_now.h"
#include "sim/lattice_regions.h"
#include "sim/medium.h"
#include "sim/resting.h"
#include "yawara/scene.h"

namespace yawara {

struct Workspace::Data {
    explicit Data(const BodyModel::Data& model)
        : match(model.regions, model.stretch.size(), model.examples ? &*model.examples : nullptr,
                model.layer_plan.looks()),
          rigid_damping(model.rest.size(), model.parts.size()),
          positions_before(model.rest.size()),
          velocities_before(model.rest.size()),
          chunk_counts(chunk_count(model.rest.size(), matching::kParticlesPerChunk)),
          chunk_ways(chunk_counts.size()),
          chunk_squares(chunk_counts.size()),
          fem(model.fem ? std::make_unique<fem::Workspace>(*model.fem) : nullptr)
    {
    }
    matching::MatchMemory match;
    matching::RigidDamping rigid_damping;
    LatticeFit lattice;
    std::vector<Vec3> positions_before, velocities_before;
    std::vector<int> chunk_counts;    ///< per chunk of particles
    std::vector<Vec3d> chunk_ways;    ///< sum of mass times way, likewise
    std::vector<double> chunk_squares;  ///< sum of mass times way squared, likewise
    std::vector<Vec3> fibers;         ///< where they point now, if an obstacle wants to know
    std::vector<matching::Held> held; ///< what hard grips hold
    std::vector<std::int32_t> held_particles;
    matching::PassPlan plan;          ///< for this many plain passes:
    double plan_stiffness = -1;
    std::optional<MediumSurface> medium;  ///< made when there is one
    std::unique_ptr<fem::Workspace> fem;  ///< of a finite-element body
};

Workspace::Workspace(const BodyModel& model) : data_(std::make_unique<Data>(model.data())) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time since the last call to a phase.
class Stopwatch {
public:
    explicit Stopwatch(StepReport& report) : report_(report) {}
    void lap(Phase phase)
    {
        const Clock::time_point now = Clock::now();
        report_.seconds[std::size_t(phase)] += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

    void restart() { last_ = Clock::now(); }

private:
    StepReport& report_;
    Clock::time_point last_ = Clock::now();
};

/// A share given per 1/300 s, for a step of dt.
float per_step(float share, double dt)
{
    return float(1 - std::pow(1 - std::clamp(double(share), 0.0, 1.0), 300 * dt));
}

/// Puts particles that are not finite back to their rest place about the others' middle, at rest.
int repair_state(const BodyModel::Data& model, BodyState& state)
{
    Vec3d middle;
    std::size_t good = 0;
    for (const Vec3& p : state.positions)
        if (is_finite(p)) middle += p.as<double>(), ++good;
    if (good > 0) middle = middle / double(good);
    int repaired = 0;
    for (std::size_t i = 0; i < model.rest.size(); ++i) {
        if (is_finite(state.positions[i]) && is_finite(state.velocities[i])) continue;
        if (!is_finite(state.positions[i]))
            state.positions[i] = (middle + model.rest[i] - model.regions.origin()).as<float>();
        state.velocities[i] = {};
        ++repaired;
    }
    return repaired;
}

/// The positions to match, and whether all numbers were finite.
bool take_positions(const BodyModel::Data& model, const BodyState& state, Workspace::Data& work)
{
    for_each_chunk(state.positions.size(), matching::kParticlesPerChunk,
                   [&](std::size_t chunk, std::size_t first, std::size_t last) {
                       if (model.regions.in_body_order()) {
                           std::copy(&state.positions[first], &state.positions[first] + (last - first),
                                     &work.positions_before[first]);
                           work.chunk_counts[chunk] = place(&state.positions[first], &state.velocities[first],
                                                            last - first, work.match.positions.data() +
                                                                              matching::kPositionSize * first);
                           return;
                       }
                       float sum = 0;  // of zeros, unless something is not finite
                       for (std::size_t slot = first; slot < last; ++slot) {
                           const std::size_t i = model.regions.particle_at(slot);
                           const Vec3 p = state.positions[i], v = state.velocities[i];
                           sum += 0.0f * (p.x + p.y + p.z) + 0.0f * (v.x + v.y + v.z);
                           work.positions_before[i] = p;
                           work.match.place(slot, p);
                       }
                       work.chunk_counts[chunk] = sum == 0.0f;
                   });
    return std::all_of(work.chunk_counts.begin(), work.chunk_counts.end(), [](int flag) { return flag != 0; });
}

/// Forces on single particles go straight into the velocities: v += h f / m.
void apply_forces(const BodyModel::Data& model, const StepInput& input, BodyState& state)
{
    const auto h = float(input.dt);
    for (const Push& push : input.pushes) {
        if (!is_finite(push.force) || !is_finite(push.acceleration)) continue;
        const auto act = [&](std::size_t i) {
            state.velocities[i] += (push.force * model.inverse_masses[i] + push.acceleration) * h;
        };
        if (push.particles.empty())
            for (std::size_t i = 0; i < state.velocities.size(); ++i) act(i);
        for (const std::int32_t i : push.particles)
            if (std::size_t(i) < state.velocities.size()) act(std::size_t(i));
    }
    for (const Grip& grip : input.grips) {
        if (is_hard(grip)) continue;
        for_each_held(grip, state.positions.size(), [&](std::size_t i, Vec3 target, Vec3) {
            // The spring may not carry the particle past its target in one step: no stiffness is too large.
            const float pull = std::min(grip.stiffness * h * model.inverse_masses[i], 1 / h);
            state.velocities[i] += (target - state.positions[i]) * pull;
        });
    }
}

/// What hard grips hold stays there from pass to pass.
void find_held(const matching::Regions& regions, std::span<const Grip> grips, Workspace::Data& work)
{
    work.held.clear();
    work.held_particles.clear();
    for (const Grip& grip : grips)
        if (is_hard(grip))
            for_each_held(grip, work.positions_before.size(), [&](std::size_t i, Vec3 target, Vec3) {
                work.held.push_back({regions.slot(i), target - work.positions_before[i]});
                work.held_particles.push_back(std::int32_t(i));
            });
}

/// Passes as set, or as many as Young's modulus asks for in a step of dt.
matching::PassPlan plan_passes(const BodyModel::Data& model, const BodySettings& settings, const BodyState& state,
                               double dt, Workspace::Data& work)
{
    const float alpha = std::clamp(settings.alpha, 0.0f, 1.0f);
    const int passes = std::max(settings.passes, 1);
    const bool by_law = model.widths && model.widths->by_step() && !model.widths->even();
    if (!by_law && !(settings.young > 0) && !settings.accelerate) return {passes, alpha, 0};
    const double stiffness = by_law               ? model.widths->passes(stiffness_now(model, state), dt)
                             : settings.young > 0 ? double(settings.young) * dt * dt / model.pass_modulus
                                                  : passes;
    if (stiffness != work.plan_stiffness) {
        work.plan = matching::accelerated_plan(stiffness);
        work.plan_stiffness = stiffness;
    }
    return {work.plan.passes, work.plan.alpha * alpha, work.plan.wave};
}

/// How the body moved in this step.
Pace pace_of(const BodyModel::Data& model, const StepInput& input, const BodyState& state, Workspace::Data& work)
{
    for_each_chunk(state.positions.size(), matching::kParticlesPerChunk,
                   [&](std::size_t chunk, std::size_t first, std::size_t last) {
                       Vec3d sum;
                       double sum2 = 0;
                       for (std::size_t i = first; i < last; ++i) {
                           const Vec3d way = (state.positions[i] - work.positions_before[i]).as<double>();
                           sum += way * model.masses[i];
                           sum2 += dot(way, way) * model.masses[i];
                       }
                       work.chunk_ways[chunk] = sum;
                       work.chunk_squares[chunk] = sum2;
                   });
    Vec3d mean;
    for (const Vec3d& chunk : work.chunk_ways) mean += chunk / model.total_mass;
    const double mean2 = std::accumulate(work.chunk_squares.begin(), work.chunk_squares.end(), 0.0) / model.total_mass;
    const double size = model.spacing * std::cbrt(double(model.rest.size()));
    const Vec3d down = normalized(input.gravity.as<double>());
    return {length(mean - down * dot(mean, down)) / (input.dt * size), length(mean) / (input.dt * size),
            std::sqrt(std::max(mean2 - dot(mean, mean), 0.0)) / (input.dt * size)};
}

/// A body at rest loses a tenth of its non-rigid velocity per 1/300 s, and a little of all of it: what rocks on a floor
/// would do so for long, what trembles on a slope shake itself loose.
void settle(const BodyModel::Data& model, double dt, BodyState& state, Workspace::Data& work)
{
    work.rigid_damping.apply(per_step(0.1f, dt), model.masses_f, model.parts, state.positions, state.velocities);
    const float keep = 1 - per_step(0.005f, dt);
    for_each_chunk(state.velocities.size(), matching::kParticlesPerChunk,
                   [&](std::size_t, std::size_t first, std::size_t last) {
                       for (std::size_t i = first; i < last; ++i) state.velocities[i] *= keep;
                   });
}

/// Inner forces cannot move a part: what rounding left of the sum of mass times way is taken off the velocities.
void take_off_strays(const BodyModel::Data& model, const Vec3* way, float pull, BodyState& state)
{
    for_each_chunk(model.parts.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
        Vec3d sum;
        double mass = 0;
        for (const std::int32_t i : model.parts[part]) {
            sum += way[model.regions.slot(std::size_t(i))].as<double>() * model.masses[std::size_t(i)];
            mass += model.masses[std::size_t(i)];
        }
        const Vec3 stray = (sum * (double(pull) / mass)).as<float>();
        for (const std::int32_t i : model.parts[part]) state.velocities[std::size_t(i)] -= stray;
    });
}

void measure(const BodyModel::Data& model, const BodyState& state, StepReport& report)
{
    for (std::size_t i = 0; i < model.masses.size(); ++i) {
        const Vec3d v = state.velocities[i].as<double>();
        report.momentum += v * model.masses[i];
        report.kinetic_energy += 0.5 * model.masses[i] * dot(v, v);
        report.center += state.positions[i].as<double>() * (model.masses[i] / model.total_mass);
    }
    for (std::size_t i = 0; i < model.masses.size(); ++i)
        report.angular_momentum += cross(state.positions[i].as<double>() - report.center,
                                         state.velocities[i].as<double>() * model.masses[i]);
}

}  // namespace

StepReport step(const BodyModel& body, const BodySettings& settings, const StepInput& input, BodyState& state,
                Workspace& workspace)
{
    const BodyModel::Data& model = body.data();
    Workspace::Data& work = workspace.data();
    if (model.fem) {
        StepInput wet = input;
        wet.gravity = input.gravity * float(1 - double(input.medium.density) * model.volume / model.total_mass);
        if (input.medium.drag > 0) {
            if (!work.medium) work.medium.emplace(body);
            work.medium->apply(input.medium, float(input.dt), state.positions, state.velocities);
        }
        StepReport report = fem::advance(*model.fem, model.masses, settings, wet, state, *work.fem);
        if (settings.measure) measure(model, state, report);
        return report;
    }
    matching::MatchMemory& match = work.match;
    const std::size_t n = model.rest.size();
    const auto h = float(input.dt);
    const matching::PassPlan plan = plan_passes(model, settings, state, input.dt, work);
    const float alpha = plan.alpha;

    StepReport report;
    Stopwatch watch(report);
    if (!take_positions(model, state, work)) {
        report.repaired_particles = repair_state(model, state);
        take_positions(model, state, work);
    }
    if (!input.colliders.empty())
        std::copy(state.velocities.begin(), state.velocities.end(), work.velocities_before.begin());
    find_held(model.regions, input.grips, work);
    matching::WidthInput widths{
        stiffness_now(model, state), input.dt, matching::plain_equivalent(plan) * model.pass_modulus, {}};
    if ((settings.young > 0 || (model.widths && model.widths->by_step())) && !model.examples)
        widths.held = work.held_particles;
    work.lattice.update(body, widths, match);
    const matching::Examples* const examples = match.changed_examples ? match.changed_examples.get()
                                               : model.examples       ? &*model.examples
                                                                      : nullptr;
    matching::RigidPieces& pieces = work.lattice.pieces();
    if (settings.region_damping > 0)
        match.work->damp(per_step(settings.region_damping, input.dt), model.regions, model.masses_f, state.positions,
                         state.velocities);
    const auto damp = [&](const matching::Momenta& stray) {
        if (settings.damping > 0)
            work.rigid_damping.apply(per_step(settings.damping, input.dt), model.masses_f, model.parts, state.positions,
                                     state.velocities, stray);
    };
    // On a lattice before what pulls: behind it a share of that would be lost, and with it of the stiffness, [CVG] 5.4.
    if (!match.work->sums_angular()) damp({});
    apply_forces(model, input, state);
    if (input.medium.drag > 0) {
        if (!work.medium) work.medium.emplace(body);
        work.medium->apply(input.medium, h, state.positions, state.velocities);
    }
    matching::Wanted wanted;
    wanted.examples = examples;
    if (examples) wanted.beta = examples->strength(std::clamp(settings.beta, 0.0f, 1.0f));
    const matching::LayerQuestion layers{model.stretch, model.layer_plan, input.time + settings.time_offset};
    if (!layers.plan.looks()) matching::ask_layers(layers, model.regions, state.rotations.data(), wanted, match);
    watch.lap(Phase::integrate);

    // v += alpha (goal - x) / h + h gravity, as soon as the last goals are known
    const Vec3 fall = input.gravity * (h * float(1 - double(input.medium.density) * model.volume / model.total_mass));
    const float pull = alpha / h, keep = settings.drag > 0 ? 1 / (1 + settings.drag * h) : 1.0f;
    const Vec3* const way = match.displacement.data();
    const auto follow = [&](std::size_t first, std::size_t last) {
        for (std::size_t slot = first; slot < last; ++slot) {
            Vec3& v = state.velocities[model.regions.particle_at(slot)];
            v = (v + way[slot] * pull + fall) * keep;
        }
    };
    const matching::PassInput goals{.plan = plan, .wanted = wanted, .layers = layers.plan.looks() ? &layers : nullptr, .x = work.positions_before,
                                    .masses = model.masses, .held = work.held, .align = settings.align,
                                    .measure = settings.measure};
    const matching::PassReport passes = matching::find_goals(model.regions, goals, state.rotations.data(), match, follow);
    report.inverted_regions = passes.inverted;
    report.robust_rotations = passes.robust;
    report.passes = plan.passes;
    report.restarts = passes.restarts;
    if (settings.measure)
        report.elastic_energy = matching::plain_equivalent(plan) * passes.mismatch / (input.dt * input.dt);
    report.seconds[std::size_t(Phase::match)] += passes.match_seconds;
    report.seconds[std::size_t(Phase::goals)] += passes.goal_seconds;
    watch.restart();
    // Inner forces cannot move or turn the whole: what rounding left of their sums is taken off, as far as it is that.
    matching::Momenta left;
    for (const matching::Momenta& chunk : match.momenta) {
        left.linear += chunk.linear * double(pull * keep);
        left.angular += chunk.angular * double(pull * keep);
    }
    const bool inner = work.held.empty() || !(plan.repeated() || match.work->braced());
    const bool turns = (plan.repeated() && !settings.align) ||
                       (examples && examples->turning() == matching::Turning::fit_linear);
    if (match.work->sums_angular()) damp(inner && !turns ? left : matching::Momenta{});
    pieces.join_velocities(state.positions, state.velocities);
    Vec3 stray;
    if (inner && model.parts.size() > 1)
        take_off_strays(model, way, pull * keep, state);
    else if (inner)
        stray = (left.linear / model.total_mass).as<float>();
    for_each_chunk(n, matching::kParticlesPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        int repaired = 0;
        if (!advance(&state.positions[first], &state.velocities[first], last - first, stray, h))
            for (std::size_t i = first; i < last; ++i) {
                if (is_finite(state.positions[i]) && is_finite(state.velocities[i])) continue;
                state.positions[i] = work.positions_before[i];
                state.velocities[i] = {};
                ++repaired;
            }
        work.chunk_counts[chunk] = repaired;
    });
    for (const int repaired : work.chunk_counts) report.repaired_particles += repaired;
    watch.lap(Phase::integrate);

    const bool resting = rests(state.resting);
    const contact::Friction friction = !model.stretch.empty() ? contact::Friction::ways
                                       : resting              ? contact::Friction::shared_ways
                                                              : contact::Friction::speeds;
    const std::span<const Vec3> fibers = fibers_now(body, input.colliders, state, work.fibers);
    contact::ObstacleReport touched;
    const auto hold_and_touch = [&] {
        if (!input.colliders.empty()) {
            const contact::ObstacleReport found =
                contact::resolve_contacts(input.colliders, work.positions_before, work.velocities_before, state.positions,
                                          state.velocities, friction, model.masses_f, fibers);
            if (found.contacts >= touched.contacts) touched = found;  // rigid pieces come here more than once
        }
        for (const Grip& grip : input.grips)
            if (is_hard(grip))
                for_each_held(grip, n, [&](std::size_t i, Vec3 target, Vec3 velocity) {
                    state.positions[i] = target;
                    state.velocities[i] = velocity;
                });
    };
    pieces.settle(state.positions, state.velocities, work.held_particles, hold_and_touch);
    report.contact = touched;
    // What is held by hand or moves by itself does not rest.
    const bool may_rest = touched.contacts > 0 && input.grips.empty() && model.stretch.empty();
    state.resting = may_rest ? rest_on(state.resting, pace_of(model, input, state, work),
                                      2 * touched.sliding > touched.contacts, h)
                            : 0;
    if (resting && rests(state.resting)) settle(model, input.dt, state, work);
    if (settings.measure) measure(model, state, report);
    watch.lap(Phase::contact);
    return report;
}

std::string_view to_string(Phase phase)
{
    constexpr std::string_view kNames[] = {"match", "goals", "integrate", "contact"};
    return kNames[std::size_t(phase)];
}

void StepReport::add(const StepReport& later)
{
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] += later.seconds[k];
    inverted_regions = std::max(inverted_regions, later.inverted_regions);
    robust_rotations = std::max(robust_rotations, later.robust_rotations);
    repaired_particles = std::max(repaired_particles, later.repaired_particles);
    passes = std::max(passes, later.passes);
    restarts = std::max(restarts, later.restarts);
    contact.contacts = std::max(contact.contacts, later.contact.contacts);
    contact.deepest = std::max(contact.deepest, later.contact.deepest);
    contact.wedged = std::max(contact.wedged, later.contact.wedged);
    contact.touches = std::max(contact.touches, later.contact.touches);
    contact.overlap = std::max(contact.overlap, later.contact.overlap);
    kinetic_energy = later.kinetic_energy;
    elastic_energy = later.elastic_energy;
    momentum = later.momentum;
    angular_momentum = later.angular_momentum;
    center = later.center;
    const FemReport earlier = fem;
    fem = later.fem;
    fem.substeps += earlier.substeps;
    fem.splits += earlier.splits;
    fem.merges += earlier.merges;
    fem.energy_jumps += earlier.energy_jumps;
    fem.tolerance = std::max(fem.tolerance, earlier.tolerance);
    fem.largest_residual = std::max(fem.largest_residual, earlier.largest_residual);
    fem.smallest_volume = std::min(fem.smallest_volume, earlier.smallest_volume);
}

Result<SettleReport> settle(const BodyModel& body, const BodySettings& settings, const StepInput& input,
                            BodyState& state, Workspace& workspace)
{
    const BodyModel::Data& model = body.data();
    if (!model.fem) return Error{"body \"" + model.name + "\"", "only finite-element bodies have a static solution"};
    Result<SettleReport> report = fem::settle(*model.fem, model.masses, settings, input, state, *workspace.data().fem);
    if (!report) return Error{"body \"" + model.name + "\"", report.error().what};
    return report;
}

}  // namespace yawara
