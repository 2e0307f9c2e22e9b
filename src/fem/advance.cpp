#include "fem/advance.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSubstepsPerCheck = 8;     // between two checks of the front; fewer after a change or a first touch
constexpr int kSubstepsPerTouch = 2;     // likewise, while a front that is not fine touches something
constexpr int kMostChecks = 12;          // of the front in a step, about: bodies of many sub-steps check less often
constexpr int kSubstepsPerSurvey = 16;   // between two surveys of the stable sub-step
constexpr int kSubstepsPerFlow = 4;      // between two plastic flows
constexpr int kMostFlows = 6;            // plastic flows in a step, about
constexpr int kSubstepsPerSearch = 32;   // between two searches for nodes that may touch an obstacle
constexpr int kMostSubsteps = 20000;     // in a step; then the body is too stiff for explicit steps
constexpr double kMassTolerance = 1e-5;  // of M a = f; what it leaves of momentum is taken off at the end of the step
constexpr std::size_t kMostReserved = 1'000'000;  // nodes or tets, see Front
constexpr std::size_t kNodesPerChunk = 512;

double seconds_since(Clock::time_point& last)
{
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
}

/// Pushes on forest nodes, handed to the used ones. Forces of soft grips depend on positions: see add_loads.
void take_pushes(const FemModel& model, std::span<const double> masses, const StepInput& input, Workspace& work)
{
    work.push_loads.clear();
    if (input.pushes.empty()) return;
    const TetForest& forest = model.forest;
    std::vector<Vec3>& fine = work.push_loads;
    fine.assign(forest.node_count(), {});
    for (const Push& push : input.pushes) {
        if (!is_finite(push.force) || !is_finite(push.acceleration)) continue;
        const auto act = [&](std::size_t i) { fine[i] += push.force + push.acceleration * float(masses[i]); };
        if (push.particles.empty())
            for (std::size_t i = 0; i < fine.size(); ++i) act(i);
        for (const std::int32_t i : push.particles)
            if (std::size_t(i) < fine.size()) act(std::size_t(i));
    }
    work.push.assign(4 * work.front.used.size(), 0.0f);
    for (auto n = std::int32_t(forest.node_count()) - 1; n >= 0; --n) {
        const auto k = std::size_t(n);
        if (const std::int32_t place = work.front.used_index(n); place >= 0) {
            put(work.push, std::size_t(place), fine[k]);
        } else {
            fine[std::size_t(forest.node(n).a)] += fine[k] * 0.5f;
            fine[std::size_t(forest.node(n).b)] += fine[k] * 0.5f;
        }
    }
}

/// Forces of pushes and soft grips.
void add_loads(const FemModel& model, std::span<const double> masses, const StepInput& input, double h, double kick,
               Workspace& work, OuterImpulse& impulse)
{
    const auto act = [&](std::size_t k, Vec3 x, Vec3 f) {
        add(work.force, k, f);
        impulse.linear += f.as<double>() * kick;
        impulse.angular += cross(x.as<double>() - impulse.about, f.as<double>() * kick);
    };
    work.grip_loads.clear();
    if (!work.push_loads.empty())
        for (std::size_t k = 0; k < work.front.used.size(); ++k) act(k, get(work.x, k), get(work.push, k));
    for (const Grip& grip : input.grips) {
        if (is_hard(grip)) continue;
        for_each_held(grip, model.forest.node_count(), [&](std::size_t i, Vec3 target, Vec3) {
            const Support held = work.front.support(model.forest, std::int32_t(i));
            const Vec3 x = work.to_world(held.mean(work.x));
            // The spring may not carry the node past its target in one sub-step: no stiffness is too large.
            const Vec3 pull = (target - x) * std::min(grip.stiffness, float(masses[i] / (h * h)));
            for (std::int32_t k = 0; k < held.count; ++k) {
                const auto on = std::size_t(held.on[k]);
                act(on, get(work.x, on), pull * held.weight[k]);
            }
            work.grip_loads.push_back({std::int32_t(i), pull});
        });
    }
}

/// Moves the nodes [first, last), hanging ones too: those are interpolated afterwards.
void move_nodes(float* x, float* v, const float* a, const std::uint8_t* fixed, Four gravity, Four kick, Four dt,
                Four kept, std::size_t first, std::size_t last)
{
    for (std::size_t k = first; k < last; ++k) {
        Four velocity = get4(v, k);
        if (!fixed || !fixed[k]) velocity = (velocity + (get4(a, k) + gravity) * kick) * kept;
        put4(v, k, velocity);
        put4(x, k, get4(x, k) + velocity * dt);
    }
}

void explicit_substep(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                      const StepInput& input, double h, double kick, double age, double next, float keep,
                      bool keep_corner_forces, Workspace& work, OuterImpulse& impulse, ContactForecast& forecast,
                      ContactReport& contact)
{
    Front& front = work.front;
    front.forces(model, work.x, work.v, settings.barrier, work.force,
                 keep_corner_forces ? &work.corner_forces : nullptr);
    if (keep_corner_forces) work.raw_force = work.force;
    if (!input.pushes.empty() || !input.grips.empty()) add_loads(model, masses, input, h, kick, work, impulse);
    if (!work.candidates.empty()) forecast = add_contact(input.colliders, h, kick, age, next, work, impulse, contact);
    front.restrict_to_free(work.force);
    // b = a - g solves M b = f; at nodes that are held, the acceleration is given.
    if (!work.fixed.empty())
        for (std::size_t k = 0; k < front.used.size(); ++k)
            if (work.fixed[k]) put(work.a, k, -input.gravity);
    work.mass.solve(front, work.force, work.fixed, kMassTolerance, work.a);
    const Four dt = splat(float(h)), kept = splat(keep);
    const Four gravity = four(work.frame.falls ? Vec3{} : input.gravity);
    const std::uint8_t* const fixed = work.fixed.empty() ? nullptr : work.fixed.data();
    for_each_chunk(front.used.size(), kNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        move_nodes(work.x.data(), work.v.data(), work.a.data(), fixed, gravity, splat(float(kick)), dt, kept, first,
                   last);
    });
    front.interpolate(work.x);
    front.interpolate(work.v);
}

/// How long forces act on the velocities in a sub-step: these belong to the middle of the sub-steps (leapfrog), so from
/// the middle of the last one. As long as h stays the same this is symplectic Euler; when it changes, what is conserved
/// hardly does.
double kick_time(double last, double h)
{
    return last > 0 ? (std::min(last, 2 * h) + h) / 2 : h;
}

/// Along the parabola, so that a fall does not depend on the sub-steps and with them on the front.
void move_frame(Vec3d gravity, double h, double keep, Workspace& work)
{
    if (!work.frame.falls) return;
    const Vec3d before = work.frame.velocity;
    work.frame.velocity = (before + gravity * h) * keep;
    work.frame.origin += (before + work.frame.velocity) * (h / 2);
}

const ForcedFront* forced_now(const FemModel& model, double time)
{
    const ForcedFront* now = nullptr;
    for (const ForcedFront& front : model.fronts)
        if (front.time <= time + 1e-9) now = &front;
    return now;
}

bool is_finite(const Nodal& values)
{
    float sum = 0;
    for (const float v : values) sum += 0.0f * v;
    return sum == 0;
}

}  // namespace

Workspace::Workspace(const FemModel& model) : front(model), old{Front(model), {}, {}, {}}
{
    const std::size_t nodes = std::min(model.forest.node_count(), kMostReserved);
    const std::size_t tets = std::min(model.forest.count_of(model.forest.levels()), kMostReserved);
    for (Nodal* values : {&x, &v, &a, &old.x, &old.v, &old.a, &force, &raw_force, &push, &scratch})
        values->reserve(4 * nodes);
    corner_forces.reserve(kFloatsPerTet * (tets + kLanes));
    chunk_values.reserve(kSurveyed * chunk_count(tets, kTetsPerSurvey));
    candidates.reserve(model.surface_nodes.size()), touching.reserve(model.surface_nodes.size());
    springs_on.reserve(nodes);
    fine_positions.reserve(nodes);
    wanted.reserve(model.forest.inner_count()), transfer.both.reserve(model.forest.inner_count());
    edges.edges.reserve(nodes), edges.residuals.reserve(4 * nodes), edges.number.assign(model.forest.node_count(), -1);
    edges.tets.reserve(model.forest.inner_count());
    loaded_nodes.reserve(nodes), split_requests.reserve(nodes), stored.positions.reserve(nodes),
        stored.velocities.reserve(nodes);
    fixed.reserve(nodes), transfer.movable.reserve(nodes), transfer.stiffness.reserve(nodes);
    for (auto* list : {&transfer.on, &transfer.off, &transfer.load, &exact_velocities}) list->reserve(nodes);
    mass.reserve(nodes);
    tally.reserve(std::max(nodes, tets));
}

void follow_forced_front(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                         const StepInput& input, BodyState& state, Workspace& work, FemReport& report)
{
    const ForcedFront* forced = forced_now(model, input.time);
    if (forced && settings.refinement != Refinement::full) {
        forced_splits(model.forest, *forced, work.wanted);
        change_front(model, settings, state, work, report);
    }
    take_pushes(model, masses, input, work);
}

StepReport advance(const FemModel& model, std::span<const double> masses, const BodySettings& settings,
                   const StepInput& input, BodyState& state, Workspace& work)
{
    const FlushDenormals flush;
    const FemSettings& fem = settings.fem;
    StepReport report;
    FemReport& levels = report.fem;
    auto& seconds = report.seconds;
    Clock::time_point clock = Clock::now();
    const auto lap = [&](Phase phase) { seconds[std::size_t(phase)] += seconds_since(clock); };

    if (!is_stored(state, work)) report.repaired_particles = repair_state(model, state);
    prepare_step(model, masses, fem, input, true, state, work);
    work.candidates.clear();
    work.grip_loads.clear();
    if (!work.fixed.empty())
        for (std::size_t k = 0; k < work.fixed_nodes.size(); ++k)
            if (const std::int32_t place = work.front.used_index(work.fixed_nodes[k]); place >= 0)
                put(work.v, std::size_t(place), work.fixed_velocities[k]);
    work.front.interpolate(work.v);

    follow_forced_front(model, masses, fem, input, state, work, levels);
    // Momenta of all nodes of the state, not of the front: so that what rounding left in finer nodes counts too. The
    // linear momentum is all in the velocity of the frame, which starts at the first node.
    Momentum wanted;
    wanted.angular = work.frame.angular, wanted.center = work.frame.center;
    const Vec3d about{};
    OuterImpulse impulse{{}, {}, about};
    const Vec3d gravity = input.gravity.as<double>();
    const bool selects =
        !forced_now(model, input.time) && fem.refinement != Refinement::full && model.forest.levels() > 0;
    lap(Phase::integrate);

    double done = 0;
    int unchecked = 0;      // sub-steps since the levels were checked
    bool just_split = false;  // a tet has just been split: finer ones may be wanted
    bool touched = false;   // an obstacle, in the last sub-step
    ContactForecast forecast;
    const double longest_press =
        0.2 * fem.tolerance * model.size;  // m, the longest way across an obstacle in a sub-step
    Survey now;
    double stable = 0, surveyed = 0;
    double unflowed = 0;                // s since plastic strain last flowed
    double searched = 0, foreseen = 0;  // times in the step: of the last search for contact, and up to which it holds
    while (done < input.dt * (1 - 1e-12)) {
        if (levels.substeps % kSubstepsPerSurvey == 0 || stable == 0 || done >= surveyed + now.good_for) {
            now = survey(model, fem.barrier, work);
            surveyed = done;
            report.inverted = std::max(report.inverted, now.inverted);
            levels.smallest_volume = std::min(levels.smallest_volume, now.smallest);
            const double steady = steady_substep(now, std::clamp(fem.safety, 0.05, 1.0), state.fem.substep_reduction);
            stable = stable > 0 ? std::min(stable, steady) : steady;
            if (fem.integration == Integration::implicit_step) stable = input.dt;
            stable = std::max(stable, input.dt / kMostSubsteps);
        }
        if (std::min(done + stable, input.dt) > foreseen * (1 + 1e-9)) {
            searched = done;
            foreseen = std::min(input.dt, done + stable * kSubstepsPerSearch);
            find_candidates(model, masses, input.colliders, foreseen - done, work);
        }
        const double left = input.dt - done;
        // Sub-steps end when something touches, and a blow is followed, as exactly as at full resolution: whatever the
        // front, it is the same.
        const double finest = std::min(model.finest_stable * fem.safety, stable);
        const double frequency = 2 * fem.safety / stable;  // the springs of contact swing with the body
        const double held = 2 * fem.safety / std::sqrt(frequency * frequency + double(forecast.springs));
        const double longest =
            std::clamp(std::min({forecast.soonest, longest_press / double(forecast.fastest), held}), finest, stable);
        const double h = left / std::ceil(left / longest * (1 - 1e-9));
        const bool last = done + h >= input.dt * (1 - 1e-9);
        const int most = int(input.dt / (h * kMostChecks));
        const bool coarse = stable > 1.3 * finest;
        const int interval = std::max(just_split ? 1 : touched && coarse ? kSubstepsPerTouch : kSubstepsPerCheck, most);
        ++unchecked;
        const bool landed = forecast.touching > 0 && !touched && unchecked > most;
        const bool ends = last && unchecked >= std::min(kSubstepsPerCheck / 2, levels.substeps + 1);
        const bool check = selects && (unchecked >= interval || landed || ends);
        touched = forecast.touching > 0;
        if (check) unchecked = 0;
        const auto keep = float(settings.drag > 0 ? 1 / (1 + double(settings.drag) * h) : 1.0);
        const bool implicit = fem.integration == Integration::implicit_step;

        impulse.linear = wanted.linear, impulse.angular = wanted.angular;
        if (implicit) {
            if (keep < 1) {
                work.frame.velocity *= double(keep);
                for (std::size_t k = 0; k < work.front.used.size(); ++k)
                    if (work.fixed.empty() || !work.fixed[k]) put(work.v, k, get(work.v, k) * keep);
            }
            impulse.linear *= double(keep), impulse.angular *= double(keep);
            implicit_substep(model, fem, input, h, work, impulse, report.contact);
        } else {
            const double kick = kick_time(double(state.fem.substep), h);
            state.fem.substep = float(h);
            explicit_substep(model, masses, fem, input, h, kick, done - searched, stable, keep, check, work, impulse,
                             forecast, report.contact);
        }
        // What the motion of the whole must be, in double; gravity moves the frame.
        const double kept = implicit ? 1.0 : double(keep);
        wanted.linear = impulse.linear * kept;
        wanted.angular = impulse.angular * kept;
        wanted.center += wanted.linear * (h / model.total_mass);
        move_frame(gravity, h, kept, work);
        ++levels.substeps;
        done += h;
        unflowed += h;
        const bool flows = unflowed > std::max(kSubstepsPerFlow * h, input.dt / kMostFlows) * (1 - 1e-6);
        if (!work.plastic.empty() && fem.flow && (last || flows)) {
            levels.plastic_loss += flow(model, unflowed, work);
            unflowed = 0;
        }
        if (check) {
            lap(Phase::match);
            const int passes = fem.refinement == Refinement::strain ? model.forest.levels() : 1;
            const int splits = levels.splits;
            for (int pass = 0; pass < passes; ++pass) {
                if (!select_levels(model, fem, state, work, levels)) break;
                change_front(model, fem, state, work, levels);
                take_pushes(model, masses, input, work);
                stable = 0;
            }
            just_split = levels.splits > splits;
            lap(Phase::goals);
        }
    }
    state.fem.substep_reduction = relaxed_reduction(state.fem.substep_reduction, input.dt);
    lap(Phase::match);
    Correction correction;
    if (!is_finite(work.x) || !is_finite(work.v)) {
        // Even so something is not finite: the body stays where it was, at rest.
        for (Vec3& v : state.velocities) v = {};
        std::fill(state.fem.accelerations.begin(), state.fem.accelerations.end(), Vec3{});
        report.repaired_particles += int(work.front.used.size());
        place_frame(masses, state, work.frame.falls, work);
        load(state, work);
    } else if (work.fixed.empty()) {
        wanted.angular -= cross(wanted.center - about, wanted.linear);  // about the centre
        correction = missing_momentum(model, wanted, work);
    }
    store(model, masses, input, correction, state, work);
    work.front_splits.resize(state.fem.front.size());
    for (std::size_t t = 0; t < state.fem.front.size(); ++t) work.front_splits[t] = state.fem.front[t] != 0;

    levels.active_tets = int(work.front.active.size());
    for (const std::int32_t t : work.front.active) ++levels.active_by_level[std::size_t(model.forest.level_of(t))];
    if (settings.measure) {
        report.elastic_energy = work.tally.elastic_energy(model, work.front, work.x, fem.barrier);
        levels.contact_energy = contact_energy(input.colliders, work);
    }
    lap(Phase::integrate);
    return report;
}

}  // namespace yawara::fem
