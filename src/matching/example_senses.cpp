// What the weights of examples listen to besides the shape, [Examples] 12.12, and what a body keeps of them, 12.14.
#include <algorithm>
#include <cmath>

#include "matching/examples.h"

namespace yawara::matching {
namespace {

/// How much of the way to something that is followed within `fade` seconds is gone in a step.
double approach(double dt, double fade)
{
    return fade > 0 ? 1 - std::exp(-dt / fade) : 1;
}

/// Numbers that a host may have set.
double usable(float value)
{
    return std::isfinite(value) ? double(value) : 0.0;
}

}  // namespace

bool Examples::listens_to(CueSource source) const
{
    return std::ranges::any_of(set_->cues, [&](const ExampleCue& cue) { return cue.source == source; });
}

void Examples::hear(double dt, std::span<const float> masses, std::span<const Vec3> velocities,
                    std::span<const float> controls, std::span<float> heard, ExampleMemory& memory) const
{
    const std::size_t groups = group_count();
    if (listens_to(CueSource::speed)) {
        std::ranges::fill(memory.group_sums, 0.0);
        for (std::size_t i = 0; i < masses.size(); ++i)
            memory.group_sums[group_of_region(i)] += double(masses[i]) * double(dot(velocities[i], velocities[i]));
    }
    for (std::size_t c = 0; c < cues_.size(); ++c) {
        const ExampleCue& cue = set_->cues[c];
        const double share = approach(dt, cue.fade);
        for (std::size_t g = 0; g < groups; ++g) {
            double now = 0;  // contact: fades
            if (cue.source == CueSource::control) now = usable(controls[cues_[c].control]);
            if (cue.source == CueSource::speed && group_masses_[g] > 0)
                now = std::sqrt(memory.group_sums[g] / group_masses_[g]);
            float& level = heard[c * groups + g];
            level = float(usable(level) + share * (now - usable(level)));
        }
    }
}

void Examples::hear_contact(const ContactChange& change, std::span<float> heard, ExampleMemory& memory) const
{
    std::ranges::fill(memory.group_sums, 0.0);
    double whole = 0;
    for (std::size_t i = 0; i < change.masses.size(); ++i) {
        const Vec3 by = change.after[i] - change.before[i];
        if (by == Vec3{}) continue;
        const double impulse = double(change.masses[i]) * double(length(by));
        memory.group_sums[group_of_region(i)] += impulse;
        whole += impulse;
    }
    if (!(whole > 0)) return;
    const double scale = std::max(1.0, change.impulse / whole);
    for (std::size_t c = 0; c < cues_.size(); ++c)
        for (std::size_t g = 0; g < group_count() && set_->cues[c].source == CueSource::contact; ++g)
            if (group_masses_[g] > 0)
                heard[c * group_count() + g] += float(scale * memory.group_sums[g] / group_masses_[g]);
}

void Examples::take(std::span<const float> heard, std::span<const float> kept, ExampleMemory& memory) const
{
    const std::size_t n = count(), groups = group_count();
    std::ranges::fill(memory.asked, 0.0);
    const auto take_group = [&](std::size_t group, std::size_t row) {
        for (std::size_t c = 0; c < cues_.size(); ++c) {
            const Cue& cue = cues_[c];
            const ExampleCue& said = set_->cues[c];
            const double level = usable(heard[c * groups + group]);
            const double share = std::clamp((level - said.low) / (said.high - said.low), 0.0, 1.0);
            // Counted from what is kept: silence does not take that away.
            const double at_rest = plastic() ? double(kept[group * n + cue.pose]) : 0;
            memory.asked[row * n + cue.pose] += cue.strengths[row] * (at_rest + (1 - at_rest) * share);
        }
    };
    if (!each_region_)
        for (std::size_t g = 0; g < groups; ++g) take_group(g, g);
    if (!each_region_ && !plastic()) return;
    for_each_region(0, blocks_, [&](std::size_t lane, std::size_t region) {
        if (each_region_) take_group(region, lane);
        for (std::size_t k = 0; k < n && plastic(); ++k) {
            double share = 0;
            for_each_share(lane, region, [&](std::size_t group, double part) {
                share += part * usable(kept[(each_region_ ? region : group) * n + k]);
            });
            memory.kept[k * lane_stride() + lane] = float(share);
        }
    });
}

void Examples::creep(double dt, const ExampleMemory& memory, std::span<float> kept) const
{
    if (!plastic()) return;
    const ExamplePlasticity& law = *set_->plasticity;
    const std::size_t n = count();
    const double flow = -std::expm1(-law.rate * dt), left = std::exp(-law.recovery * dt);
    const auto weight_of = [&](std::size_t group, std::size_t k) {
        return each_region_ ? double(weight(k, lane_of_region_[group], memory)) : memory.weights[group * n + k];
    };
    for (std::size_t g = 0; g < group_count(); ++g) {
        float* const own = kept.data() + g * n;
        double square = 0, sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double away = weight_of(g, k) - usable(own[k]);
            square += away * away;
        }
        const double distance = std::sqrt(square), share = distance > law.yield ? flow * (1 - law.yield / distance) : 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double now = usable(own[k]);
            own[k] = float(std::max((now + share * (weight_of(g, k) - now)) * left, 0.0));
            sum += double(own[k]);
        }
        for (std::size_t k = 0; k < n && sum > law.bound; ++k) own[k] = float(double(own[k]) * law.bound / sum);
    }
}

bool Examples::stirs(std::span<const float> controls, std::span<const float> heard, std::span<const float> kept) const
{
    constexpr double kNoticed = 1e-3;
    for (std::size_t c = 0; c < cues_.size(); ++c)
        for (std::size_t g = 0; g < group_count(); ++g) {
            if (set_->cues[c].source != CueSource::control) continue;  // moves with the body
            const double away = usable(controls[cues_[c].control]) - usable(heard[c * group_count() + g]);
            if (std::abs(away) > kNoticed) return true;
        }
    return plastic() && set_->plasticity->recovery > 0 &&
           std::ranges::any_of(kept, [](float weight) { return double(weight) > kNoticed; });
}

}  // namespace yawara::matching
