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
constexpr double kMassTolerance = 1e-5;  // of M a = f; what it leaves of momentum is taken off at the end of the step

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
                      const StepInput& input, std::span<const Collider> obstacles, const SubstepTimes& times,
                      float keep, bool keep_corner_forces, Workspace& work, OuterImpulse& impulse,
                      ContactForecast& forecast, ContactReport& contact)
{
    const double h = times.h, kick = times.kick;
    Front& front = work.front;
    front.forces(model, work.x, work.v, settings.barrier, work.force,
                 keep_corner_forces ? &work.corner_forces : nullptr);
    if (keep_corner_forces) work.raw_force = work.force;
    if (!input.pushes.empty() || !input.grips.empty()) add_loads(model, masses, input, h, kick, work, impulse);
    if (!work.candidates.empty()) {
        const Vec3d before = impulse.linear;
        forecast = add_contact(obstacles, times, input.gravity, work, impulse, contact);
        work.contact_impulse += impulse.linear - before;
    }
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

/// One step while it is taken.
class StepRun {
public:
    StepRun(const FemModel& model, std::span<const double> masses, const BodySettings& settings, const StepInput& input,
            BodyState& state, Workspace& work)
        : model_(model),
          masses_(masses),
          settings_(settings),
          fem_(settings.fem),
          input_(input),
          state_(state),
          work_(work),
          clock_(Clock::now())
    {
    }

    void begin();
    bool is_done() const { return done_ >= input_.dt * (1 - 1e-12); }
    void substep();
    StepReport finish();

private:
    void lap(Phase phase) { report_.seconds[std::size_t(phase)] += seconds_since(clock_); }
    void survey_if_due();
    void search_if_due();
    void hold_passed_nodes();
    void measure_wanted();
    double choose_substep() const;
    bool front_is_due(double h, bool last);
    float kept_velocity(double h) const;
    void move_explicitly(double h, bool check);
    void move_implicitly(double h, bool check);
    double implicit_length();
    void report_volumes(double smallest, int inverted);
    void set_time(double since);
    void flow_if_due(double h, bool last);
    void check_front();
    void store_state();

    const FemModel& model_;
    std::span<const double> masses_;
    const BodySettings& settings_;
    const FemSettings& fem_;
    const StepInput& input_;
    BodyState& state_;
    Workspace& work_;
    StepReport report_;
    Clock::time_point clock_;

    /// What the motion of the whole must be, in double: momenta about the origin of the frame, and the centre of mass.
    Momentum wanted_;
    bool implicit_ = false;    ///< the rest of the step
    bool selects_ = false;     ///< the motion decides on the front
    double done_ = 0;          ///< s of the step
    int unchecked_ = 0;        ///< sub-steps since the levels were checked
    bool just_split_ = false;  ///< a tet has just been split: finer ones may be wanted
    bool touched_ = false;     ///< an obstacle, in the last sub-step
    ContactForecast forecast_;
    Survey survey_;
    double stable_ = 0, surveyed_ = 0;  ///< s: the sub-step in force, and when in the step it was found
    double unflowed_ = 0;               ///< s since plastic strain last flowed
    double searched_ = 0,
           foreseen_ = 0;  ///< times in the step: of the last search for contact, and up to which it holds
    double asked_ = 0;     ///< time in the step when obstacles were last asked
};

void StepRun::begin()
{
    const bool stored = is_stored(state_, work_);
    if (!stored) report_.repaired_particles = repair_state(model_, state_);
    prepare_step(model_, masses_, fem_, input_, true, stored, state_, work_);
    work_.candidates.clear();
    work_.grip_loads.clear();
    if (!work_.fixed.empty())
        for (std::size_t k = 0; k < work_.fixed_nodes.size(); ++k)
            if (const std::int32_t place = work_.front.used_index(work_.fixed_nodes[k]); place >= 0)
                put(work_.v, std::size_t(place), work_.fixed_velocities[k]);
    work_.front.interpolate(work_.v);

    set_time(0);
    follow_forced_front(model_, masses_, fem_, input_, state_, work_, report_.fem);
    // Momenta of all nodes of the state, not of the front: so that what rounding left in finer nodes counts too. The
    // linear momentum is all in the velocity of the frame, which starts at the first node.
    wanted_.angular = work_.frame.angular, wanted_.center = work_.frame.center;
    implicit_ = choose_integration(model_, fem_, input_.dt).implicit;
    selects_ = !forced_now(model_, input_.time) && !is_full(model_, fem_) && model_.forest.levels() > 0;
    lap(Phase::integrate);
}

/// Muscles pull as they do this long after the start of the step.
void StepRun::set_time(double since)
{
    if (!model_.muscles.empty()) work_.front.laws.set_time(model_, input_.time + since);
}

void StepRun::report_volumes(double smallest, int inverted)
{
    report_.inverted = std::max(report_.inverted, inverted);
    report_.fem.smallest_volume = std::min(report_.fem.smallest_volume, smallest);
}

/// Finds the stable sub-step if the last survey is too old.
void StepRun::survey_if_due()
{
    if (report_.fem.substeps % kSubstepsPerSurvey != 0 && stable_ > 0 && done_ < surveyed_ + survey_.good_for) return;
    survey_ = survey(model_, fem_.barrier, work_);
    surveyed_ = done_;
    report_volumes(survey_.smallest, survey_.inverted);
    const double steady = steady_substep(survey_, std::clamp(fem_.safety, 0.05, 1.0), state_.fem.substep_reduction);
    stable_ = stable_ > 0 ? std::min(stable_, steady) : steady;
    const bool may_choose = model_.law && fem_.integration == Integration::automatic;
    const double most = may_choose ? kMostLawSubsteps : kMostSubsteps;
    implicit_ = stable_ < input_.dt / most;  // so deformed that explicit sub-steps would take too long
}

/// The motion of the whole is what became of it.
void StepRun::measure_wanted()
{
    const Momentum is = work_.tally.momentum(work_.front, work_.x, work_.v, {});
    wanted_.linear = is.linear, wanted_.angular = is.angular, wanted_.center = is.center;
}

/// Before the candidates for contact are forgotten.
void StepRun::hold_passed_nodes()
{
    if (work_.candidates.empty() || !(asked_ < done_)) return;
    if (hold_passed(obstacles_in(input_, asked_, done_, work_), work_) > 0) measure_wanted();
    asked_ = done_;
}

/// Searches for nodes that may touch an obstacle, if the next sub-step goes beyond what the last search foresaw.
void StepRun::search_if_due()
{
    if (!(std::min(done_ + stable_, input_.dt) > foreseen_ * (1 + 1e-9))) return;
    hold_passed_nodes();
    searched_ = done_;
    foreseen_ = std::min(input_.dt, done_ + stable_ * kSubstepsPerSearch);
    find_candidates(model_, masses_, input_, done_, foreseen_ - done_, work_);
    asked_ = done_;
}

/// Sub-steps end when something touches, and a blow is followed, as exactly as at full resolution: whatever the front,
/// it is the same.
double StepRun::choose_substep() const
{
    const double longest_press = 0.2 * fem_.tolerance * model_.size;  // m, the longest way across an obstacle
    const double finest = std::min(model_.finest_stable * fem_.safety, stable_);
    const double frequency = 2 * fem_.safety / stable_;  // the springs of contact swing with the body
    const double held = 2 * fem_.safety / std::sqrt(frequency * frequency + double(forecast_.springs));
    double longest =
        std::clamp(std::min({forecast_.soonest, longest_press / double(forecast_.fastest), held}), finest, stable_);
    // The survey does not foresee that a blow stops nodes while those behind them come on.
    constexpr double kCrossing = 0.125, kMostByCrossing = 1000;  // sub-steps in a step
    if (!work_.candidates.empty())
        longest = std::min(longest, std::max(kCrossing * work_.reach.crossing, input_.dt / kMostByCrossing));
    const double left = input_.dt - done_;
    return left / std::ceil(left / longest * (1 - 1e-9));
}

/// Whether to look, after a sub-step of length h, where the front should be finer or coarser.
bool StepRun::front_is_due(double h, bool last)
{
    const int most = int(input_.dt / (h * kMostChecks));
    const bool coarse = stable_ > 1.3 * std::min(model_.finest_stable * fem_.safety, stable_);
    const int interval = std::max(just_split_ ? 1 : touched_ && coarse ? kSubstepsPerTouch : kSubstepsPerCheck, most);
    ++unchecked_;
    const bool landed = (forecast_.lands || (forecast_.touching > 0 && !touched_)) && unchecked_ > most;
    const bool ends = last && unchecked_ >= std::min(kSubstepsPerCheck / 2, report_.fem.substeps + 1);
    touched_ = forecast_.touching > 0;
    if (!selects_ || !(unchecked_ >= interval || landed || ends)) return false;
    unchecked_ = 0;
    return true;
}

/// Share of the velocity that drag leaves.
float StepRun::kept_velocity(double h) const
{
    return float(settings_.drag > 0 ? 1 / (1 + double(settings_.drag) * h) : 1.0);
}

/// Moves the body, its frame, and what is wanted of both. `check`: keep what level selection asks for.
void StepRun::move_explicitly(double h, bool check)
{
    const float keep = kept_velocity(h);
    OuterImpulse impulse{wanted_.linear, wanted_.angular, {}};
    const auto last = double(state_.fem.substep);
    const SubstepTimes times{h, last, kick_time(last, h), done_ - searched_, stable_};
    state_.fem.substep = float(h);
    const auto obstacles = work_.candidates.empty()
                               ? std::span<const Collider>()
                               : obstacles_in(input_, asked_ < done_ ? asked_ : done_ - h, done_, work_);
    asked_ = done_;
    explicit_substep(model_, masses_, fem_, input_, obstacles, times, keep, check, work_, impulse, forecast_,
                     report_.contact);
    wanted_.linear = impulse.linear * double(keep);
    wanted_.angular = impulse.angular * double(keep);
    wanted_.center += wanted_.linear * (h / model_.total_mass);
    const int held = work_.candidates.empty() ? 0 : hold_pressed(model_, times, input_.gravity, work_);
    if (held + forecast_.held_back > 0) measure_wanted();
    move_frame(input_.gravity.as<double>(), h, double(keep), work_);
}

void StepRun::move_implicitly(double h, bool check)
{
    if (const float keep = kept_velocity(h); keep < 1) {
        work_.frame.velocity *= double(keep);
        for (std::size_t k = 0; k < work_.front.used.size(); ++k)
            if (work_.fixed.empty() || !work_.fixed[k]) put(work_.v, k, get(work_.v, k) * keep);
        wanted_.linear *= double(keep), wanted_.angular *= double(keep);
    }
    state_.fem.substep = 0;
    implicit_substep(model_, masses_, fem_, input_, done_, h, work_, wanted_, report_);
    if (check) work_.front.forces(model_, work_.x, work_.v, fem_.barrier, work_.raw_force, &work_.corner_forces);
}

/// Backward Euler follows the chord of a rotation, and takes an obstacle for a plane at every node: sub-steps may not
/// turn the body by much, nor carry it far beside what is not flat.
double StepRun::implicit_length()
{
    constexpr double kTurn = 0.3;                  // rad
    constexpr double kMost = 8;                    // sub-steps in a step, about
    constexpr double kWay = 0.2, kMostByWay = 50;  // likewise: sizes of the body, sub-steps
    const double left = input_.dt - done_;
    double count = 1;
    const auto is_plane = [](const Collider& c) { return std::holds_alternative<Plane>(c.shape); };
    if (!std::all_of(input_.colliders.begin(), input_.colliders.end(), is_plane)) {
        find_candidates(model_, masses_, input_, done_, left, work_);
        if (!work_.candidates.empty())
            count = std::clamp(work_.reach.speed * left / (kWay * model_.size), count, kMostByWay);
    }
    if (!work_.fixed.empty()) return left / std::ceil(count);
    const Vec3d origin = get(work_.x, 0).as<double>();
    const Momentum motion = work_.tally.momentum(work_.front, work_.x, work_.v, origin);
    const Vec3d angular = motion.angular - cross(motion.center - origin, motion.linear);
    const double turn = length(solve_symmetric(motion.inertia, angular)) * left;
    return left / std::ceil(std::max(count, std::clamp(turn / kTurn, 1.0, kMost)));
}

void StepRun::flow_if_due(double h, bool last)
{
    unflowed_ += h;
    const bool due = unflowed_ > std::max(kSubstepsPerFlow * h, input_.dt / kMostFlows) * (1 - 1e-6);
    if (work_.plastic.empty() || !fem_.flow || !(last || due)) return;
    report_.fem.plastic_loss += flow(model_, unflowed_, work_);
    unflowed_ = 0;
}

/// Goes over to a finer or coarser front where the motion asks for it.
void StepRun::check_front()
{
    lap(Phase::match);
    const int passes =
        forecast_.lands || fem_.refinement == Refinement::strain ? std::max(model_.forest.levels(), 1) : 1;
    const int splits = report_.fem.splits;
    for (int pass = 0; pass < passes; ++pass) {
        if (pass > 0 && fem_.refinement != Refinement::strain)
            work_.front.forces(model_, work_.x, work_.v, fem_.barrier, work_.raw_force, &work_.corner_forces);
        if (!select_levels(model_, fem_, state_, work_, report_.fem)) break;
        change_front(model_, fem_, state_, work_, report_.fem);
        take_pushes(model_, masses_, input_, work_);
        stable_ = 0;
    }
    just_split_ = report_.fem.splits > splits;
    lap(Phase::goals);
}

void StepRun::substep()
{
    if (!implicit_) survey_if_due();
    if (!implicit_) search_if_due();
    const double h = implicit_ ? implicit_length() : choose_substep();
    const bool last = done_ + h >= input_.dt * (1 - 1e-9);
    set_time(done_ + (implicit_ ? h : 0));
    const bool check = implicit_ ? selects_ && last : front_is_due(h, last);
    if (implicit_)
        move_implicitly(h, check);
    else
        move_explicitly(h, check);
    ++report_.fem.substeps;
    done_ += h;
    flow_if_due(h, last);
    if (check) check_front();
}

void StepRun::store_state()
{
    Correction correction;
    if (!is_finite(work_.x) || !is_finite(work_.v)) {
        // Even so something is not finite: the body stays where it was, at rest.
        for (Vec3& v : state_.velocities) v = {};
        std::fill(state_.fem.accelerations.begin(), state_.fem.accelerations.end(), Vec3{});
        report_.repaired_particles += int(work_.front.used.size());
        place_frame(masses_, state_, work_.frame.falls, work_);
        load(state_, work_);
    } else if (work_.fixed.empty()) {
        Momentum about_center = wanted_;
        about_center.angular -= cross(wanted_.center, wanted_.linear);
        correction = missing_momentum(model_, about_center, work_);
    }
    store(model_, masses_, input_, correction, state_, work_);
    work_.front_splits.resize(state_.fem.front.size());
    for (std::size_t t = 0; t < state_.fem.front.size(); ++t) work_.front_splits[t] = state_.fem.front[t] != 0;
}

StepReport StepRun::finish()
{
    state_.fem.substep_reduction = relaxed_reduction(state_.fem.substep_reduction, input_.dt);
    if (!implicit_) hold_passed_nodes();
    lap(Phase::match);
    store_state();
    FemReport& levels = report_.fem;
    levels.active_tets = int(work_.front.active.size());
    if (model_.forest.levels() == 0)
        levels.active_by_level[0] = levels.active_tets;
    else
        for (const std::int32_t t : work_.front.active)
            ++levels.active_by_level[std::size_t(model_.forest.level_of(t))];
    if (settings_.measure) {
        report_.elastic_energy = work_.tally.elastic_energy(model_, work_.front, work_.x, fem_.barrier);
        levels.contact_energy = contact_energy(input_.colliders, work_);
    }
    lap(Phase::integrate);
    return report_;
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
    candidates.reserve(nodes), near.candidates.reserve(nodes), touching.reserve(model.surface_nodes.size());
    springs_on.reserve(nodes);
    fine_positions.reserve(nodes);
    wanted.reserve(model.forest.inner_count()), transfer.both.reserve(model.forest.inner_count());
    edges.edges.reserve(nodes), edges.residuals.reserve(4 * nodes), edges.number.assign(model.forest.node_count(), -1);
    edges.tets.reserve(model.forest.inner_count());
    loaded_nodes.reserve(nodes), split_requests.reserve(nodes), stored.positions.reserve(nodes),
        stored.velocities.reserve(nodes);
    fixed.reserve(nodes), landing.reserve(nodes), transfer.movable.reserve(nodes), transfer.stiffness.reserve(nodes);
    for (auto* list : {&transfer.on, &transfer.off, &transfer.load, &exact_velocities}) list->reserve(nodes);
    mass.reserve(nodes);
    tally.reserve(std::max(nodes, tets));
}

void follow_forced_front(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                         const StepInput& input, BodyState& state, Workspace& work, FemReport& report)
{
    const ForcedFront* forced = forced_now(model, input.time);
    if (forced && !is_full(model, settings)) {
        forced_splits(model.forest, *forced, work.wanted);
        change_front(model, settings, state, work, report);
    }
    take_pushes(model, masses, input, work);
}

StepReport advance(const FemModel& model, std::span<const double> masses, const BodySettings& settings,
                   const StepInput& input, BodyState& state, Workspace& work)
{
    const FlushDenormals flush;
    StepRun run(model, masses, settings, input, state, work);
    run.begin();
    while (!run.is_done()) run.substep();
    return run.finish();
}

}  // namespace yawara::fem
