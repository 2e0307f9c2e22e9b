// Chebyshev passes, [ProcDef] 12.1: the linearised pass is self-adjoint with eigenvalues in [0, 1], so the
// semi-iteration for a spectrum [0, rho] applies. A residual that grows beyond the first can only come from bends in
// the energy: then a plain pass, which never raises the energy, is taken and the recurrence starts again.
#include "matching/passes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace yawara::matching {
namespace {

/// acosh(2): the stiffness of fast motion ripples between 1 - 1/cosh(passes theta) = 1/2 and 3/2 of full.
constexpr double kRipple = 1.3169578969248166;
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

void restore_held(std::span<const HeldSlot> held, std::span<const Vec3> x, const Regions& regions, MatchMemory& memory)
{
    for (const HeldSlot& h : held) {
        memory.displacement[h.slot] = h.displacement;
        memory.set_position(h.slot, x[regions.particle_at(h.slot)] + h.displacement);
    }
}

}  // namespace

double plain_equivalent(const PassPlan& plan)
{
    const double n = plan.passes;
    return plan.alpha * (plan.wave > 0 ? n * std::tanh(n * plan.wave) / std::tanh(plan.wave / 2) : n);
}

namespace {

/// What so many passes can be worth.
double stiffest(int passes)
{
    return plain_equivalent({passes, 1.0f, kRipple / passes});
}

}  // namespace

double most_plain_passes()
{
    return stiffest(kMostPasses);
}

PassPlan accelerated_plan(double stiffness)
{
    PassPlan plan;
    while (plan.passes < kMostPasses && stiffest(plan.passes) < stiffness) ++plan.passes;
    if (stiffness <= plan.passes) {
        plan.alpha = float(stiffness / plan.passes);
        return plan;
    }
    double low = kRipple / plan.passes, high = 40;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (plain_equivalent({plan.passes, 1.0f, middle}) > stiffness ? low : high) = middle;
    }
    plan.wave = low;
    return plan;
}

Wanted wanted_now(const Regions& regions, const PassInput& input, float* turns, MatchMemory& memory)
{
    Wanted wanted = input.wanted;
    if (input.layers) ask_layers(*input.layers, regions, turns, wanted, memory);
    return wanted;
}

Momenta momenta_of(const Regions& regions, const PassInput& input, const MatchMemory& memory, std::size_t first,
                   std::size_t last)
{
    Momenta sum;
    const bool angular = memory.work->sums_angular();
    for (std::size_t slot = first; slot < last; ++slot) {
        const std::size_t i = regions.particle_at(slot);
        const Vec3d push = memory.displacement[slot].as<double>() * input.masses[i];
        sum.linear += push;
        if (angular) sum.angular += cross(input.x[i].as<double>(), push);
    }
    return sum;
}

PassReport repeat_passes(const Regions& regions, const PassInput& input, float* turns, MatchMemory& memory)
{
    /// Rounding alone may let a residual that does not shrink look a little larger.
    constexpr double kTolerance = 1.01;
    PassReport report;
    PassClock clock;
    Recurrence recurrence(input.plan.wave);
    double first_residual = 0;
    Vec3* const more = memory.pass_displacement.data();
    Vec3* const whole = memory.displacement.data();
    Vec3* const before = memory.displacement_before.data();
    std::ranges::fill(memory.displacement, Vec3{});
    std::ranges::fill(memory.displacement_before, Vec3{});
    const auto advance = [&](float w, float w_gamma) {  // with 1 and 1: a plain pass
        for_each_chunk(memory.displacement.size(), kParticlesPerChunk,
                       [&](std::size_t, std::size_t first, std::size_t last) {
                           for (std::size_t slot = first; slot < last; ++slot) {
                               const Vec3 next = more[slot] * w_gamma + (whole[slot] - before[slot]) * w + before[slot];
                               before[slot] = whole[slot];
                               whole[slot] = next;
                               memory.set_position(slot, input.x[regions.particle_at(slot)] + next);
                           }
                       });
    };
    for (int pass = 0; pass < input.plan.passes; ++pass) {
        const MatchCount count = match_regions(regions, wanted_now(regions, input, turns, memory), turns, memory);
        report.robust += count.robust;
        if (pass == 0) {
            report.inverted = count.inverted;
            if (input.measure) report.mismatch = mismatch(regions, memory);
        }
        report.match_seconds += clock.lap();
        if (recurrence.plain()) {
            find_displacements(regions, memory, more, [&](std::size_t first, std::size_t last) {
                for (std::size_t slot = first; slot < last; ++slot) {
                    whole[slot] += more[slot];
                    memory.set_position(slot, input.x[regions.particle_at(slot)] + whole[slot]);
                }
            });
        } else {
            find_displacements(regions, memory, more, [&](std::size_t first, std::size_t last) {
                double sum = 0;
                for (std::size_t slot = first; slot < last; ++slot)
                    sum += double(dot(more[slot], more[slot])) * input.masses[regions.particle_at(slot)];
                memory.residuals[first / kParticlesPerChunk] = sum;
            });
            double residual = 0;
            for (const double r : memory.residuals) residual += r;
            if (pass == 0) first_residual = residual;
            if (pass > 0 && residual > kTolerance * first_residual) {
                recurrence.restart();
                first_residual = residual;
                ++report.restarts;
                advance(1.0f, 1.0f);
            } else {
                const auto [w, w_gamma] = recurrence.next();
                advance(w, w_gamma);
            }
        }
        restore_held(input.held, input.x, regions, memory);
        report.goal_seconds += clock.lap();
    }
    if (input.align && input.held.empty()) align_goals(regions, input.masses, input.x, memory);
    report.goal_seconds += clock.lap();
    return report;
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
