// The loop of passes of a step: goals of goals, plain or accelerated, with pins held and spin taken out. Called by
// sim/step_matching.cpp; one pass is in matching/match.h.
//
// Passes begin at the positions of the start: what they find is added to the motion of the step. Accelerated ones of a
// body that meets an obstacle, or has regions that are inside out, begin instead where the particles would be at the
// end of the step, and keep out of the obstacles from pass to pass: an implicit step, with obstacles as part of it.
// Then nothing overshoots; and an obstacle carries the body as a whole, not just its lowest particles, which could not
// be pressed more strongly than by their own mass over the squared step.
#pragma once

#include <functional>
#include <span>

#include "matching/layers.h"
#include "matching/match.h"
#include "matching/pass_contact.h"
#include "matching/pass_plan.h"

namespace yawara::matching {

/// A particle that stays where it is held, from pass to pass.
struct HeldSlot {
    std::size_t slot;
    Vec3 displacement;  ///< from its position at the start of the step
};

struct PassInput {
    PassPlan plan;
    PassPlan implicit_plan{};  ///< instead, if they begin at the predicted positions
    WantedShapes wanted;
    const LayerQuestion* layers = nullptr;  ///< to be asked in every pass; null: asked already
    std::span<const Vec3> x;                ///< positions at the start of the step, in the order of the body
    std::span<const double> masses;         ///< likewise
    std::span<const Vec3> predicted = {};   ///< likewise, at its end without goals; for accelerated passes
    std::span<const Vec3d> rest = {};       ///< likewise, if that is what the body wants to be
    PassContacts* contacts = nullptr;       ///< obstacles at the predicted positions; null or not any(): none
    float share = 1;                        ///< of a displacement that the step goes
    std::span<const HeldSlot> held;
    bool align = true;     ///< turn the goals of several passes so that no spin is created
    bool measure = false;  ///< of the first pass
};

struct PassReport {
    int passes = 1;         ///< made
    int inverted = 0;       ///< regions, at the start
    int robust = 0;         ///< in all passes
    int restarts = 0;       ///< accelerated passes that overshot and were continued by a plain one
    bool implicit = false;  ///< displacements are from the predicted positions
    double mismatch = 0;    ///< at the start, of implicit passes at the last: if measured
    Vec3d held;             ///< kg m, what held particles add to the sum of mass times displacement
    double match_seconds = 0, goal_seconds = 0;
};

/// All passes from the particles as placed in `memory`. memory.displacement then leads to the last goals,
/// memory.momenta are what it gives to the whole; `then(first, last)` is called for each finished run of slots.
template <class Then>
PassReport find_goals(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory,
                      const Then& then);

/// What memory.displacement of the slots [first, last) gives to the whole; the angular part if anybody needs it. Of
/// implicit passes that met obstacles, it is only what they give because they do not begin at the start.
Momenta momenta_of(const Regions& regions, const PassInput& input, const MatchMemory& memory, bool implicit,
                   std::size_t first, std::size_t last);

/// With what the layers want of the particles as placed.
WantedShapes wanted_now(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory);

/// Several passes, or accelerated ones.
PassReport repeat_passes(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory);

/// Adds up the time between calls.
class PassClock {
public:
    PassClock();
    double lap();

private:
    double last_;
};

template <class Then>
PassReport find_goals(const Regions& regions, const PassInput& input, float* rotations, MatchMemory& memory,
                      const Then& then)
{
    PassClock clock;
    PassReport report;
    const auto sum_and_then = [&](std::size_t first, std::size_t last) {
        memory.momenta[first / kParticlesPerChunk] = momenta_of(regions, input, memory, report.implicit, first, last);
        then(first, last);
    };
    if (input.plan.repeated()) {
        report = repeat_passes(regions, input, rotations, memory);
        clock.lap();
        for_each_chunk(memory.displacement.size(), kParticlesPerChunk,
                       [&](std::size_t, std::size_t first, std::size_t last) { sum_and_then(first, last); });
    } else {
        const WantedShapes wanted = wanted_now(regions, input, rotations, memory);
        const std::optional<MatchCount> found =
            memory.work->match_and_find(regions, wanted, rotations, memory, memory.displacement.data(),
                                        std::cref(then));  // by reference: to copy it would allocate
        const MatchCount count = found ? *found : match_regions(regions, wanted, rotations, memory);
        report.inverted = count.inverted;
        report.robust = count.robust;
        if (input.measure) report.mismatch = mismatch(regions, memory);
        report.match_seconds = clock.lap();
        if (found) return report;
        if (!memory.work->sums_momenta())
            find_displacements(regions, memory, memory.displacement.data(), sum_and_then);
        else
            find_displacements(regions, memory, memory.displacement.data(), then);
    }
    report.goal_seconds += clock.lap();
    return report;
}

}  // namespace yawara::matching
