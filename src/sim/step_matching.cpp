// One step of a matching body: damping, forces, goals, velocities, positions, obstacles, grips. [Examples] 3.11 damps
// behind the goals; see matching/damping.h. The goals are found in matching/passes.h.
#include "sim/step_matching.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>

#include "contact/meeting.h"
#include "contact/response.h"
#include "core/grips.h"
#include "core/parallel.h"
#include "sim/advance.h"
#include "sim/body_model.h"
#include "sim/fibers_now.h"
#include "sim/obstacle_blows.h"
#include "sim/pass_contacts.h"
#include "sim/resting.h"
#include "sim/scene_events.h"
#include "sim/workspace.h"

namespace yawara {

MatchingWorkspace::MatchingWorkspace(const BodyModel::Data& model)
    : match(model.regions, model.asked.size(), model.examples ? &*model.examples : nullptr, model.layer_plan.looks()),
      rigid_damping(model.rest.size(), model.parts.size()),
      positions_before(model.rest.size()),
      velocities_before(model.rest.size()),
      velocities_untouched(model.examples && model.examples->listens_to(CueSource::contact) ? model.rest.size() : 0),
      chunk_counts(chunk_count(model.rest.size(), matching::kParticlesPerChunk)),
      chunk_displacements(chunk_counts.size()),
      chunk_squares(chunk_counts.size()),
      wanted_now(model.stretch.empty() ? 0 : model.regions.region_count()),
      wanted_later(wanted_now.size())
{
}

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
bool take_positions(const BodyModel::Data& model, const BodyState& state, MatchingWorkspace& work)
{
    for_each_chunk(state.positions.size(), matching::kParticlesPerChunk,
                   [&](std::size_t chunk, std::size_t first, std::size_t last) {
                       const Vec3 *const x = &state.positions[first], *const v = &state.velocities[first];
                       const std::size_t count = last - first;
                       std::copy(x, x + count, &work.positions_before[first]);
                       float* const slots = work.match.positions.data() + matching::kPositionSize * first;
                       if (model.regions.in_body_order()) {
                           work.chunk_counts[chunk] = load_positions(x, v, count, slots);
                           return;
                       }
                       work.chunk_counts[chunk] = are_finite(x, v, count);
                       for (std::size_t k = 0; k < count; ++k) {
                           const Vec3& p = state.positions[model.regions.particle_at(first + k)];
                           const float slot[matching::kPositionSize] = {p.x, p.y, p.z, 0};
                           std::memcpy(slots + matching::kPositionSize * k, slot, sizeof slot);
                       }
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
void find_held(const matching::Regions& regions, std::span<const Grip> grips, MatchingWorkspace& work)
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
                               double dt, MatchingMemory& kept)
{
    const float alpha = std::clamp(settings.matching.alpha, 0.0f, 1.0f);
    const int passes = std::max(settings.matching.passes, 1);
    const bool by_law = model.widths && model.widths->by_step() && !model.widths->even();
    if (!by_law && !(settings.matching.young > 0) && !settings.matching.accelerate) return {passes, alpha, 0};
    const double stiffness = by_law ? model.widths->passes(stiffness_now(model, state), dt)
                             : settings.matching.young > 0
                                 ? double(settings.matching.young) * dt * dt / model.pass_modulus
                                 : passes;
    if (stiffness != kept.plan_stiffness) {
        kept.plan = matching::accelerated_plan(stiffness);
        kept.implicit_plan = matching::implicit_plan(stiffness);
        kept.plan_stiffness = stiffness;
    }
    return {kept.plan.passes, kept.plan.alpha * alpha, kept.plan.wave};
}

/// How the body moved in this step, seen from the obstacle that carries it.
MotionRates motion_rates(const BodyModel::Data& model, const StepInput& input, const BodyState& state,
                         const Collider* carrier, MatchingWorkspace& work)
{
    for_each_chunk(state.positions.size(), matching::kParticlesPerChunk,
                   [&](std::size_t chunk, std::size_t first, std::size_t last) {
                       Vec3d sum;
                       double sum2 = 0;
                       for (std::size_t i = first; i < last; ++i) {
                           const Vec3 start = carrier
                                                  ? contact::relative_start(*carrier, work.positions_before[i]).start
                                                  : work.positions_before[i];
                           const Vec3d displacement = (state.positions[i] - start).as<double>();
                           sum += displacement * model.masses[i];
                           sum2 += dot(displacement, displacement) * model.masses[i];
                       }
                       work.chunk_displacements[chunk] = sum;
                       work.chunk_squares[chunk] = sum2;
                   });
    Vec3d mean;
    for (const Vec3d& chunk : work.chunk_displacements) mean += chunk / model.total_mass;
    const double mean2 = std::accumulate(work.chunk_squares.begin(), work.chunk_squares.end(), 0.0) / model.total_mass;
    const double size = model.spacing * std::cbrt(double(model.rest.size()));
    return {length(mean) / (input.dt * size), std::sqrt(std::max(mean2 - dot(mean, mean), 0.0)) / (input.dt * size)};
}

/// Whether the stretch that layers want will be another after a step of dt.
bool layers_change(const StretchLayers& layers, double time, double dt, MatchingWorkspace& work)
{
    return std::any_of(layers.begin(), layers.end(), [&](const auto& layer) {
        layer->target(time, work.wanted_now);
        layer->target(time + dt, work.wanted_later);
        return work.wanted_now != work.wanted_later;
    });
}

/// A body at rest loses a tenth of its non-rigid velocity per 1/300 s, and a little of all of it, relative to what
/// carries it: what rocks on a floor would do so for long, what trembles on a slope shake itself loose.
void calm(const BodyModel::Data& model, double dt, const Collider* carrier, BodyState& state, MatchingWorkspace& work)
{
    work.rigid_damping.apply(per_step(0.1f, dt), model.masses_f, model.parts, state.positions, state.velocities);
    const float keep = 1 - per_step(0.005f, dt);
    for_each_chunk(
        state.velocities.size(), matching::kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                state.velocities[i] *= keep;
                if (carrier)
                    state.velocities[i] +=
                        contact::velocity_at(*carrier, state.positions[i].as<double>()).as<float>() * (1 - keep);
            }
        });
}

/// Inner forces cannot move a part: what rounding left of the sum of mass times displacement is taken off the
/// velocities.
void remove_residual_momenta(const BodyModel::Data& model, const Vec3* displacement, float pull, BodyState& state)
{
    for_each_chunk(model.parts.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
        Vec3d sum;
        double mass = 0;
        for (const std::int32_t i : model.parts[part]) {
            sum += displacement[model.regions.slot(std::size_t(i))].as<double>() * model.masses[std::size_t(i)];
            mass += model.masses[std::size_t(i)];
        }
        const Vec3 residual = (sum * (double(pull) / mass)).as<float>();
        for (const std::int32_t i : model.parts[part]) state.velocities[std::size_t(i)] -= residual;
    });
}

/// From this many passes on a body is so stiff that its passes have to know of all obstacles.
constexpr int kStiffPasses = 30;

/// Whether any grip holds anything.
bool holds(std::span<const Grip> grips)
{
    return std::any_of(grips.begin(), grips.end(), [](const Grip& grip) { return !grip.particles.empty(); });
}

/// The phases of a step, in the order in which step() below calls them.
class MatchingStep {
public:
    MatchingStep(const BodyModel& body, const BodySettings& settings, const StepInput& input, BodyState& state,
                 Workspace::Data& all_work)
        : body_(body),
          model_(body.data()),
          settings_(settings),
          own_(settings.matching),
          input_(input),
          state_(state),
          all_work_(all_work),
          work_(*all_work.matching),
          h_(float(input.dt)),
          plan_(plan_passes(model_, settings, state, input.dt, all_work.kept)),
          pull_(plan_.alpha / h_),
          keep_(settings.drag > 0 ? 1 / (1 + settings.drag * h_) : 1.0f)
    {
    }

    /// What comes too fast for its shape to answer.
    void strike()
    {
        const auto given = take_obstacle_blows(model_, input_, weight_in(input_, model_) * h_, keep_, state_);
        all_work_.struck = given.has_value();
        struck_ = given.value_or(Vec3d{});
    }

    /// Positions at the start, who is held, and regions that fit the stiffness of now.
    void begin()
    {
        if (!take_positions(model_, state_, work_)) {
            report_.repaired_particles = repair_state(model_, state_);
            take_positions(model_, state_, work_);
        }
        if (!input_.colliders.empty())
            std::copy(state_.velocities.begin(), state_.velocities.end(), work_.velocities_before.begin());
        find_held(model_.regions, input_.grips, work_);
        matching::WidthInput widths{
            stiffness_now(model_, state_), input_.dt, matching::plain_equivalent(plan_) * model_.pass_modulus, {}};
        if ((own_.young > 0 || (model_.widths && model_.widths->by_step())) && !model_.examples)
            widths.held = work_.held_particles;
        work_.lattice.update(body_, widths, work_.match);
        examples_ = work_.match.changed_examples ? work_.match.changed_examples.get()
                    : model_.examples            ? &*model_.examples
                                                 : nullptr;
        if (examples_) attend();
    }

    /// What the weights of the examples look at besides the shape: what is heard, and what is kept.
    void attend()
    {
        MatchingState& own = state_.matching;
        if (examples_->listens())
            examples_->hear(input_.dt, model_.masses_f, state_.velocities, own.controls, own.heard,
                            work_.match.examples);
        examples_->take(own.heard, own.kept, work_.match.examples);
    }

    /// Takes from the velocities what is not rigid motion. Before anything pulls: a share of a pull would be lost, and
    /// with it of the stiffness, and equilibria would depend on damping.
    void damp()
    {
        if (own_.region_damping > 0) damp_regions();
        if (own_.damping > 0)
            work_.rigid_damping.apply(per_step(own_.damping, input_.dt), model_.masses_f, model_.parts,
                                      state_.positions, state_.velocities, work_.held_particles);
    }

    /// To damp its regions costs as much as a pass. Weak damping is done at longer intervals, all at once: as soon as
    /// it is worth a fifth of the velocity, or a frame of a film is over.
    void damp_regions()
    {
        constexpr float kWorth = 0.2f, kLongest = 0.999f / 60;
        float& since = state_.matching.undamped;
        since = std::max(0.0f, since) + h_;
        const float share = per_step(own_.region_damping, since);
        if (share < kWorth && since < kLongest) return;
        work_.match.work->damp(share, model_.regions, state_.positions, state_.velocities);
        since = 0;
    }

    void load()
    {
        apply_forces(model_, input_, state_);
        apply_medium(body_, input_, state_, work_.medium);
        if (all_work_.watched || hears_contact())
            loaded_ = momentum_of(model_.masses_f, state_.velocities) - struck_;
    }

    /// Where the particles would be without goals, and the obstacles there.
    void predict(Vec3 fall)
    {
        work_.predicted.resize(state_.positions.size());
        for_each_chunk(work_.predicted.size(), matching::kParticlesPerChunk,
                       [&](std::size_t, std::size_t first, std::size_t last) {
                           for (std::size_t i = first; i < last; ++i)
                               work_.predicted[i] =
                                   work_.positions_before[i] + (state_.velocities[i] + fall) * (keep_ * h_);
                       });
        watch_.lap(Phase::integrate);
        find_pass_contacts(input_.colliders, model_.regions,
                           {.before = work_.positions_before,
                            .predicted = work_.predicted,
                            .velocities_before = work_.velocities_before,
                            .fall = fall * h_,
                            .dt = h_,
                            .near = float(model_.spacing),
                            .bounces = !rests(state_.matching.resting),
                            .stiff = plan_.passes >= kStiffPasses},
                           plan_.alpha * keep_, work_.contacts);
        watch_.lap(Phase::contact);
    }

    /// v += alpha (goal - x) / h + h gravity, as soon as the last goals are known.
    void follow_goals()
    {
        matching::WantedShapes wanted;
        wanted.examples = examples_;
        if (examples_) wanted.beta = examples_->strength(std::clamp(own_.beta, 0.0f, 1.0f));
        const matching::LayerQuestion layers{model_.asked, model_.layer_plan, input_.time + own_.time_offset};
        float* const rotations = state_.matching.rotations.data();
        if (!layers.plan.looks()) matching::ask_layers(layers, model_.regions, rotations, wanted, work_.match);
        watch_.lap(Phase::integrate);
        const Vec3 fall = weight_in(input_, model_) * h_;
        // By value: what a loop reads through a reference it has to read again after every velocity it writes.
        const auto follow = [velocities = state_.velocities.data(), displacement = work_.match.displacement.data(),
                             &regions = model_.regions, pull = pull_, keep = keep_,
                             fall](std::size_t first, std::size_t last) {
            for (std::size_t slot = first; slot < last; ++slot) {
                Vec3& v = velocities[regions.particle_at(slot)];
                v = (v + displacement[slot] * pull + fall) * keep;
            }
        };
        const bool accelerated = plan_.wave > 0;
        if (accelerated) predict(fall);
        const matching::PassInput goals{
            .plan = plan_,
            .implicit_plan = all_work_.kept.implicit_plan,
            .wanted = wanted,
            .layers = layers.plan.looks() ? &layers : nullptr,
            .x = work_.positions_before,
            .masses = model_.masses,
            .predicted = accelerated ? std::span<const Vec3>(work_.predicted) : std::span<const Vec3>(),
            .rest =
                model_.stretch.empty() && !examples_ ? std::span<const Vec3d>(model_.rest) : std::span<const Vec3d>(),
            .contacts = accelerated ? &work_.contacts : nullptr,
            .share = plan_.alpha * keep_,
            .held = work_.held,
            .align = own_.align,
            .measure = settings_.measure};
        const matching::PassReport passes = matching::find_goals(model_.regions, goals, rotations, work_.match, follow);
        if (examples_) examples_->creep(input_.dt, work_.match.examples, state_.matching.kept);
        // Air, weight and hands; what else the passes give to the whole, obstacles do.
        others_ = (loaded_ + fall.as<double>() * model_.total_mass + passes.held * double(pull_)) * double(keep_);
        report_.inverted = passes.inverted;
        report_.matching = {passes.passes, passes.restarts, passes.robust, passes.implicit};
        if (settings_.measure)
            report_.elastic_energy = matching::plain_equivalent(plan_) * passes.mismatch / (input_.dt * input_.dt);
        report_.seconds[std::size_t(Phase::match)] += passes.match_seconds;
        report_.seconds[std::size_t(Phase::goals)] += passes.goal_seconds;
        watch_.restart();
    }

    /// Of the whole in this step, without goals, m.
    Vec3d mean_motion() const
    {
        Vec3d sum;
        for (std::size_t i = 0; i < model_.masses.size(); ++i)
            sum += (work_.predicted[i] - work_.positions_before[i]).as<double>() * model_.masses[i];
        return sum / model_.total_mass;
    }

    /// Inner forces cannot move or turn the whole: what rounding left of their sums is taken off, as far as it is that.
    MomentumCorrection residual_correction()
    {
        const matching::MatchMemory& match = work_.match;
        const bool met = report_.matching.implicit && work_.contacts.any();
        const bool inner = work_.held.empty() || !(plan_.repeated() || match.work->braced());
        if (!inner || (met && model_.parts.size() > 1)) return {};
        if (model_.parts.size() > 1) {
            remove_residual_momenta(model_, match.displacement.data(), pull_ * keep_, state_);
            return {};
        }
        matching::Momenta left;
        for (const matching::Momenta& chunk : match.momenta) {
            left.linear += chunk.linear * double(pull_ * keep_);
            left.angular += chunk.angular * double(pull_ * keep_);
        }
        if (met) {  // obstacles move and turn the whole: only what the implicit step itself took of its spin
            left.angular += cross(mean_motion(), left.linear);
            left.linear = {};
        }
        MomentumCorrection correction;
        correction.shift = (left.linear / -model_.total_mass).as<float>();
        const bool turns = (plan_.repeated() && !own_.align && !met) ||
                           (examples_ && examples_->turning() == matching::RotationSource::fit_linear);
        // Moments of inertia are there if there was damping, angular momenta of lists alone.
        if (own_.damping > 0 && work_.held.empty() && match.work->sums_angular() && !turns) {
            const matching::RigidDamping::Turn turn = work_.rigid_damping.turn_of(left);
            correction.shift += cross(turn.spin, turn.center);
            correction.spin = -turn.spin;
        }
        return correction;
    }

    /// x += h v; what would not be finite stays where it was.
    void move()
    {
        work_.lattice.pieces().join_velocities(state_.positions, state_.velocities);
        const MomentumCorrection correction = residual_correction();
        for_each_chunk(
            state_.positions.size(), matching::kParticlesPerChunk,
            [&](std::size_t chunk, std::size_t first, std::size_t last) {
                int repaired = 0;
                if (!advance(&state_.positions[first], &state_.velocities[first], last - first, correction, h_))
                    for (std::size_t i = first; i < last; ++i) {
                        if (is_finite(state_.positions[i]) && is_finite(state_.velocities[i])) continue;
                        state_.positions[i] = work_.positions_before[i];
                        state_.velocities[i] = {};
                        ++repaired;
                    }
                work_.chunk_counts[chunk] = repaired;
            });
        for (const int repaired : work_.chunk_counts) report_.repaired_particles += repaired;
        watch_.lap(Phase::integrate);
    }

    /// Obstacles push out, then hard grips have the last word.
    void touch_and_hold()
    {
        const contact::Friction friction =
            rests(state_.matching.resting) ? contact::Friction::shared : contact::Friction::per_particle;
        const std::span<const Vec3> fibers = fibers_now(body_, input_.colliders, state_, work_.fibers);
        const auto touch = [&] {
            if (!input_.colliders.empty()) {
                if (hears_contact()) std::ranges::copy(state_.velocities, work_.velocities_untouched.begin());
                const contact::ObstacleReport found =
                    contact::resolve_contacts(input_.colliders, work_.positions_before, work_.velocities_before,
                                              state_.positions, state_.velocities, friction, model_.masses_f, fibers,
                                              &all_work_.kept.clearances);
                if (found.contacts >= touched_.contacts) touched_ = found;  // rigid pieces come here more than once
                if (hears_contact()) hear_obstacles();
            }
            for (const Grip& grip : input_.grips)
                if (is_hard(grip))
                    for_each_held(grip, state_.positions.size(), [&](std::size_t i, Vec3 target, Vec3 velocity) {
                        others_ += (velocity - state_.velocities[i]).as<double>() * model_.masses[i];
                        state_.positions[i] = target;
                        state_.velocities[i] = velocity;
                    });
        };
        work_.lattice.pieces().touch_and_join(state_.positions, state_.velocities, work_.held_particles, touch);
        report_.contact = touched_;
    }

    bool hears_contact() const
    {
        return examples_ && examples_->listens_to(CueSource::contact) && !input_.colliders.empty();
    }

    /// What obstacles did to every group. Implicit passes meet them before: then the whole was given more than is seen
    /// here, where the same particles touch.
    void hear_obstacles()
    {
        const Vec3d given = momentum_of(model_.masses_f, state_.velocities) - others_;
        examples_->hear_contact({model_.masses_f, work_.velocities_untouched, state_.velocities, length(given)},
                                state_.matching.heard, work_.match.examples);
    }

    /// What is held by hand or moves by itself does not rest.
    void rest()
    {
        float& resting = state_.matching.resting;
        const bool rested = rests(resting);
        resting = touched_.contacts > 0 && !holds(input_.grips)
                      ? next_resting_time(resting, motion_rates(model_, input_, state_, touched_.carrier, work_),
                                          2 * touched_.sliding > touched_.contacts, h_)
                      : 0;
        if (rests(resting) && layers_change(model_.asked, input_.time + own_.time_offset, input_.dt, work_))
            resting = 0;
        if (rests(resting) && examples_ && examples_->listens() &&
            examples_->stirs(state_.matching.controls, state_.matching.heard, {}))
            resting = 0;
        if (rested && rests(resting)) calm(model_, input_.dt, touched_.carrier, state_, work_);
        if (all_work_.watched) all_work_.obstacle_impulse = momentum_of(model_.masses_f, state_.velocities) - others_;
        watch_.lap(Phase::contact);
    }

    const StepReport& report() const { return report_; }

private:
    const BodyModel& body_;
    const BodyModel::Data& model_;
    const BodySettings& settings_;
    const MatchingSettings& own_;
    const StepInput& input_;
    BodyState& state_;
    Workspace::Data& all_work_;
    MatchingWorkspace& work_;
    const float h_;
    const matching::PassPlan plan_;
    const float pull_, keep_;  ///< 1/s of a displacement to a goal; share of the velocity that air leaves
    const matching::Examples* examples_ = nullptr;
    contact::ObstacleReport touched_;
    Vec3d struck_;           ///< kg m/s: what obstacles gave before the step began
    Vec3d loaded_, others_;  ///< kg m/s: after its loads; what it would have without obstacles, if that is watched
    StepReport report_;
    Stopwatch watch_{report_};
};

void prepare(const BodyModel& body, Workspace::Data& work)
{
    work.matching = std::make_unique<MatchingWorkspace>(body.data());
}

void start(const BodyModel::Data& model, const Mat3d& turn, BodyState& state)
{
    if (model.widths) state.matching.stiffness = model.widths->widths().stiffness;
    state.matching.rotations =
        matching::placed_rotations(model.regions, turn, model.examples ? model.examples->rotation_sets() : 1);
    if (!model.examples) return;
    state.matching.controls.assign(model.examples->controls().size(), 0.0f);
    state.matching.heard.assign(model.examples->heard_count(), 0.0f);
    state.matching.kept.assign(model.examples->kept_count(), 0.0f);
}

/// What it hears and keeps goes on where groups, cues and examples are as many as before; controls by their names.
void carry_senses(const BodyModel::Data& before, const BodyState& state, const BodyModel::Data& after, BodyState& next)
{
    if (!before.examples || !after.examples) return;
    const matching::Examples &from = *before.examples, &to = *after.examples;
    for (std::size_t k = 0; k < to.controls().size(); ++k) {
        const auto same = std::ranges::find(from.controls(), to.controls()[k]);
        if (same != from.controls().end())
            next.matching.controls[k] = state.matching.controls[std::size_t(same - from.controls().begin())];
    }
    if (from.group_count() != to.group_count()) return;
    if (state.matching.heard.size() == next.matching.heard.size()) next.matching.heard = state.matching.heard;
    if (state.matching.kept.size() == next.matching.kept.size()) next.matching.kept = state.matching.kept;
}

StepReport step(const BodyModel& body, const BodySettings& settings, const StepInput& input, BodyState& state,
                Workspace::Data& work)
{
    MatchingStep now(body, settings, input, state, work);
    now.strike();
    now.begin();
    now.damp();
    now.load();
    now.follow_goals();
    now.move();
    now.touch_and_hold();
    now.rest();
    return now.report();
}

int slices(const BodyModel::Data&, const BodySettings&, double)
{
    return 1;
}

/// Rotations of the regions start from those of the regions around the nearest particles of before.
void carry(const BodyModel::Data& before, const BodyState& state, const BodyModel::Data& after,
           const TopologyChange& change, std::span<const std::int32_t> nearest, BodyState& next)
{
    if (is_identity(change)) next.matching.resting = state.matching.resting;
    matching::carry_rotations(before.regions, state.matching.rotations, after.regions, nearest,
                              next.matching.rotations);
    carry_senses(before, state, after, next);
}

/// The S that the regions of a lattice follow.
std::vector<float> stiffness(const BodyModel::Data& model, const BodyState& state)
{
    if (!model.widths || !model.widths->by_stiffness()) return {};
    const std::span<const float> now = stiffness_now(model, state);
    return {now.begin(), now.end()};
}

}  // namespace

const SolidKind kMatchingKind{prepare, start, step,  nullptr,   slices,
                              false,   true,  carry, stiffness, matching_modulus_reach};

}  // namespace yawara
