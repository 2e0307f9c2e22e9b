// Chebyshev passes, [ProcDef] 12.1: the linearised pass is self-adjoint with eigenvalues in [0, 1], so the
// semi-iteration for a spectrum [0, rho] applies. A residual that grows beyond the first can only come from bends in
// the energy: then a plain pass, which never raises the energy, is taken and the recurrence starts again. Where regions
// are crushed or inside out, eigenvalues are above 1, and the recurrence raises such a motion exponentially: there the
// energy itself is watched, a pass after which it is larger is taken back, and particles that go far make plain passes.
#include "matching/passes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "yawara/rotation.h"

namespace yawara::matching {
namespace {

/// acosh(2): the stiffness of fast motion ripples between 1 - 1/cosh(passes theta) = 1/2 and 3/2 of full.
constexpr double kRipple = 1.3169578969248166;
/// acosh(4), for implicit passes
constexpr double kImplicitRipple = 2.0634370688955608;
/// More are not made: at this many even the slowest bending of a body a hundred particles long is stiff within a step.
constexpr int kMostPasses = 200;

/// Weights of the recurrence g' = w (gamma (S(g) - g) + g - g_before) + g_before.
class Recurrence {
public:
    explicit Recurrence(double wave)
    {
        if (wave <= 0) return;
        const double cosh = std::cosh(wave), rho = 2 / (1 + cosh);
        gamma_ = 2 / (2 - rho);
        sigma_ = 1 / cosh;
    }
    void restart() { done_ = 0; }
    /// w, and w gamma
    std::pair<float, float> next()
    {
        ++done_;
        weight_ = done_ == 1 ? 1 : done_ == 2 ? 2 / (2 - sigma_ * sigma_) : 4 / (4 - sigma_ * sigma_ * weight_);
        return {float(weight_), float(weight_ * gamma_)};
    }
    bool plain() const { return sigma_ == 0; }

private:
    double gamma_ = 1, sigma_ = 0, weight_ = 1;
    int done_ = 0;
};

}  // namespace

double plain_equivalent(const PassPlan& plan)
{
    const double n = plan.passes;
    return plan.alpha * (plan.wave > 0 ? n * std::tanh(n * plan.wave) / std::tanh(plan.wave / 2) : n);
}

namespace {

/// What so many passes can be worth.
double stiffest(int passes, double ripple)
{
    return plain_equivalent({passes, 1.0f, ripple / passes});
}

PassPlan plan_with(double stiffness, double ripple)
{
    PassPlan plan;
    while (plan.passes < kMostPasses && stiffest(plan.passes, ripple) < stiffness) ++plan.passes;
    if (stiffness <= plan.passes) {
        plan.alpha = float(stiffness / plan.passes);
        return plan;
    }
    double low = ripple / plan.passes, high = 40;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (plain_equivalent({plan.passes, 1.0f, middle}) > stiffness ? low : high) = middle;
    }
    plan.wave = low;
    return plan;
}

}  // namespace

double most_plain_passes()
{
    return stiffest(kMostPasses, kRipple);
}

PassPlan accelerated_plan(double stiffness)
{
    return plan_with(stiffness, kRipple);
}

PassPlan implicit_plan(double stiffness)
{
    return plan_with(stiffness, kImplicitRipple);
}

WantedShapes wanted_now(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory)
{
    WantedShapes wanted = input.wanted;
    if (input.layers) ask_layers(*input.layers, regions, rotations, wanted, memory);
    return wanted;
}

Momenta momenta_of(const Regions& regions, const PassInput& input, const MatchMemory& memory, bool implicit,
                   std::size_t first, std::size_t last)
{
    Momenta sum;
    const bool angular = memory.work->sums_angular(), met = implicit && input.contacts && input.contacts->any();
    for (std::size_t slot = first; slot < last; ++slot) {
        const std::size_t i = regions.particle_at(slot);
        const Vec3d push = memory.displacement[slot].as<double>() * input.masses[i];
        sum.linear += push;
        if (!angular) continue;
        const Vec3d from = met ? (input.x[i] - input.predicted[i]).as<double>() : input.x[i].as<double>();
        sum.angular += cross(from, push);
    }
    return sum;
}

namespace {

/// The passes of one step.
class PassLoop {
public:
    PassLoop(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory)
        : regions_(regions),
          input_(input),
          turns_(rotations),
          memory_(memory),
          plan_(input.plan),
          recurrence_(input.plan.wave),
          contacts_(input.contacts && input.contacts->any() ? input.contacts : nullptr)
    {
    }

    PassReport run()
    {
        start(contacts_ != nullptr);
        for (int pass = 0; pass < plan_.passes; ++pass) {
            const MatchCount count =
                match_regions(regions_, wanted_now(regions_, input_, turns_, memory_), turns_, memory_);
            report_.robust += count.robust;
            if (pass == 0) {
                const bool hard = count.inverted > 0 || count.robust > 0;
                if (!input_.predicted.empty() && hard) watched_ = true;
                report_.inverted = std::max(report_.inverted, count.inverted);
                if (watched_ && !report_.implicit) {
                    start(true);
                    --pass;
                    continue;
                }
            }
            if (input_.measure && pass == (report_.implicit ? plan_.passes - 1 : 0))
                report_.mismatch = mismatch(regions_, memory_);
            report_.match_seconds += clock_.lap();
            if (recurrence_.plain())
                add_plain_pass();
            else
                add_pass(pass == 0);
            report_.goal_seconds += clock_.lap();
        }
        if (input_.align && input_.held.empty() && !contacts_) align_goals(regions_, input_.masses, base_, memory_);
        if (report_.implicit && input_.held.empty()) limit_energy();
        report_.goal_seconds += clock_.lap();
        report_.held = held_;
        report_.passes = plan_.passes;
        return report_;
    }

private:
    void start(bool implicit)
    {
        report_.implicit = implicit;
        base_ = implicit ? input_.predicted : input_.x;
        std::ranges::fill(memory_.displacement, Vec3{});
        held_ = {};
        if (implicit) {
            plan_ = input_.implicit_plan;
            recurrence_ = Recurrence(plan_.wave);
            for_each_chunk(memory_.displacement.size(), kParticlesPerChunk,
                           [&](std::size_t chunk, std::size_t first, std::size_t last) {
                               for (std::size_t slot = first; slot < last; ++slot)
                                   memory_.set_position(slot, base_[regions_.particle_at(slot)]);
                               push_out(chunk);
                           });
            restore_held();
        }
        std::ranges::copy(memory_.displacement, memory_.displacement_before.begin());
        held_before_ = held_;
    }

    void place(std::size_t slot)
    {
        memory_.set_position(slot, base_[regions_.particle_at(slot)] + memory_.displacement[slot]);
    }

    /// Particles of a chunk that are in an obstacle, or were in one in an earlier pass.
    void push_out(std::size_t chunk)
    {
        if (!contacts_) return;
        for (PassContact& contact : contacts_->of(chunk)) {
            Vec3& displacement = memory_.displacement[contact.slot];
            contact.pressed = contact.pressed || contact.least > dot(contact.normal, displacement);
            displacement = pushed_out(contact, displacement, input_.share);
            place(contact.slot);
        }
    }

    void restore_held()
    {
        for (const HeldSlot& h : input_.held) {
            const std::size_t i = regions_.particle_at(h.slot);
            const Vec3 there = report_.implicit ? input_.x[i] + h.displacement - base_[i] : h.displacement;
            held_ += (there - memory_.displacement[h.slot]).as<double>() * input_.masses[i];
            memory_.displacement[h.slot] = there;
            memory_.set_position(h.slot, input_.x[i] + h.displacement);
        }
    }

    void add_plain_pass()
    {
        Vec3* const more = memory_.pass_displacement.data();
        find_displacements(regions_, memory_, more, [&](std::size_t first, std::size_t last) {
            for (std::size_t slot = first; slot < last; ++slot) {
                memory_.displacement[slot] += more[slot];
                place(slot);
            }
        });
        restore_held();
    }

    /// More displacement by weights of the recurrence; with 1 and 1: a plain pass.
    void advance(float w, float w_gamma)
    {
        const Vec3* const more = memory_.pass_displacement.data();
        Vec3* const whole = memory_.displacement.data();
        Vec3* const before = memory_.displacement_before.data();
        for_each_chunk(memory_.displacement.size(), kParticlesPerChunk,
                       [&](std::size_t chunk, std::size_t first, std::size_t last) {
                           for (std::size_t slot = first; slot < last; ++slot) {
                               const bool far = watched_ && dot(more[slot], more[slot]) > far_;
                               const Vec3 next =
                                   far ? whole[slot] + more[slot]
                                       : more[slot] * w_gamma + (whole[slot] - before[slot]) * w + before[slot];
                               before[slot] = whole[slot];
                               whole[slot] = next;
                               place(slot);
                           }
                           push_out(chunk);
                       });
        const Vec3d next = (held_ - held_before_) * double(w) + held_before_;
        held_before_ = std::exchange(held_, next);
        restore_held();
    }

    /// Back to where the pass before began.
    void take_back()
    {
        for_each_chunk(memory_.displacement.size(), kParticlesPerChunk,
                       [&](std::size_t, std::size_t first, std::size_t last) {
                           for (std::size_t slot = first; slot < last; ++slot) {
                               memory_.displacement[slot] = memory_.displacement_before[slot];
                               place(slot);
                           }
                       });
        held_ = held_before_;
    }

    /// Obstacles give no energy, as seen from them: the motion of the step may gain what the regions had stored at its
    /// start and have not kept, and no more. Rotations that the passes find change the whole, too, and in a hard blow
    /// they do so by too much.
    void limit_energy()
    {
        const Vec3d carried = carried_by_obstacles();
        double gain = 0, square = 0;  // sums of mass times motion . displacement, and displacement^2
        for (std::size_t slot = 0; slot < memory_.displacement.size(); ++slot) {
            const std::size_t i = regions_.particle_at(slot);
            const Vec3d motion = (base_[i] - input_.x[i]).as<double>() - carried;
            const Vec3d d = memory_.displacement[slot].as<double>() * double(input_.share);
            gain += input_.masses[i] * dot(motion, d);
            square += input_.masses[i] * dot(d, d);
        }
        if (!(2 * gain + square > 0)) return;
        const double still_stored = stored_energy();
        for (std::size_t slot = 0; slot < memory_.displacement.size(); ++slot)
            memory_.set_position(slot, input_.x[regions_.particle_at(slot)]);
        double given = stored_energy();
        // Of what is too fast for the step, passes give back less: no more than 5/4 of the displacement to the rest
        // shape.
        if (!input_.rest.empty()) given = std::min(given, 25.0 / 16 * squared_deformation());
        given = std::max(given - still_stored, 0.0);
        if (2 * gain + square <= given) return;
        const auto kept = float((std::sqrt(gain * gain + square * given) - gain) / square);
        for (Vec3& d : memory_.displacement) d *= kept;
    }

    /// How far obstacles go in the step, where they press, m.
    Vec3d carried_by_obstacles()
    {
        if (!contacts_) return {};
        Vec3d sum;
        double weights = 0;
        for (std::size_t chunk = 0; chunk < contacts_->counts.size(); ++chunk)
            for (const PassContact& contact : contacts_->of(chunk)) {
                if (!contact.pressed) continue;
                const std::size_t i = regions_.particle_at(contact.slot);
                sum += (base_[i] - input_.x[i] - contact.motion).as<double>() * input_.masses[i];
                weights += input_.masses[i];
            }
        return weights > 0 ? sum / weights : Vec3d{};
    }

    /// By the regions, with the particles as placed; as twice a mass times a square.
    double stored_energy()
    {
        match_regions(regions_, wanted_now(regions_, input_, turns_, memory_), turns_, memory_);
        return 2 * plain_equivalent(input_.plan) * mismatch(regions_, memory_);
    }

    /// Sum of mass times squared distance from the rest shape where it fits best.
    double squared_deformation() const
    {
        double mass = 0;
        Vec3d center, rest_center;
        for (std::size_t i = 0; i < input_.x.size(); ++i) {
            mass += input_.masses[i];
            center += input_.x[i].as<double>() * input_.masses[i];
            rest_center += input_.rest[i] * input_.masses[i];
        }
        center = center / mass;
        rest_center = rest_center / mass;
        Mat3d A = Mat3d::zero();
        for (std::size_t i = 0; i < input_.x.size(); ++i)
            A = A + outer((input_.x[i].as<double>() - center) * input_.masses[i], input_.rest[i] - rest_center);
        const Mat3d R = to_matrix(closest_rotation(A, {}));
        double sum = 0;
        for (std::size_t i = 0; i < input_.x.size(); ++i) {
            const Vec3d off = input_.x[i].as<double>() - center - R * (input_.rest[i] - rest_center);
            sum += input_.masses[i] * dot(off, off);
        }
        return sum;
    }

    double find_residual()
    {
        const Vec3* const more = memory_.pass_displacement.data();
        find_displacements(
            regions_, memory_, memory_.pass_displacement.data(), [&](std::size_t first, std::size_t last) {
                double sum = 0;
                for (std::size_t slot = first; slot < last; ++slot)
                    sum += double(dot(more[slot], more[slot])) * input_.masses[regions_.particle_at(slot)];
                memory_.residuals[first / kParticlesPerChunk] = sum;
            });
        double residual = 0;
        for (const double r : memory_.residuals) residual += r;
        return residual;
    }

    void find_pressed()
    {
        if (!contacts_) return;
        for (std::size_t chunk = 0; chunk < contacts_->counts.size(); ++chunk)
            for (PassContact& contact : contacts_->of(chunk))
                contact.pressed = contact.pressed && dot(contact.normal, memory_.pass_displacement[contact.slot]) <= 0;
    }

    void add_pass(bool first)
    {
        /// Rounding alone may let what does not shrink look a little larger.
        constexpr double kTolerance = 1.01;
        if (watched_) {
            const double energy = mismatch(regions_, memory_);
            if (energy > kTolerance * last_energy_) {
                take_back();
                recurrence_.restart();
                last_energy_ = std::numeric_limits<double>::infinity();
                ++report_.restarts;
                return;
            }
            last_energy_ = energy;
        }
        const double residual = find_residual();
        if (first) {
            first_residual_ = residual;
            find_pressed();
            /// Of the farthest way, squared. Particles that go farther, tips of a single thin tet above all, are so
            /// light that the energy of the whole does not tell.
            constexpr float kFar = 0.1f;
            far_ = 0;
            for (const Vec3& d : memory_.pass_displacement) far_ = std::max(far_, kFar * dot(d, d));
        }
        if (!watched_ && residual > kTolerance * first_residual_) {
            recurrence_.restart();
            watched_ = report_.implicit;
            first_residual_ = residual;
            ++report_.restarts;
            advance(1.0f, 1.0f);
        } else {
            const auto [w, w_gamma] = recurrence_.next();
            advance(w, w_gamma);
        }
    }

    const Regions& regions_;
    const PassInput& input_;
    float* const turns_;
    MatchMemory& memory_;
    PassPlan plan_;
    Recurrence recurrence_;
    PassContacts* const contacts_;
    std::span<const Vec3> base_;  ///< displacements are from here
    Vec3d held_, held_before_;    ///< see PassReport::held; before the last pass
    float far_ = 0;               ///< m^2: if watched, a particle that a pass moves farther is moved by that alone
    bool watched_ = false;        ///< whether the energy has to fall from pass to pass
    double first_residual_ = 0, last_energy_ = std::numeric_limits<double>::infinity();
    PassReport report_;
    PassClock clock_;
};

}  // namespace

PassReport repeat_passes(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory)
{
    return PassLoop(regions, input, rotations, memory).run();
}

PassClock::PassClock() : last_(0)
{
    lap();
}

double PassClock::lap()
{
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    const double since = now - last_;
    last_ = now;
    return since;
}

}  // namespace yawara::matching
