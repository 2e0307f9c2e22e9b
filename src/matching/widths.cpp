#include "matching/widths.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace yawara::matching {
namespace {

Status check_law(const StiffnessLaw& law)
{
    const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
    if (law.kind == StiffnessLaw::Kind::paper) {
        if (law.lowest < 0 || law.highest < law.lowest || law.highest > kLargestReach)
            return Error{"widths", "the paper's widths go from " + std::to_string(law.lowest) + " to " +
                                       std::to_string(law.highest) +
                                       "; expected 0 <= lowest <= highest <= " + std::to_string(kLargestReach)};
        if (std::size_t(law.highest - law.lowest) >= kMostClasses)
            return Error{"widths", "more than " + std::to_string(kMostClasses) + " different widths"};
        return Done{};
    }
    if (!positive(law.softest) || !positive(law.stiffest) || law.stiffest < law.softest)
        return Error{"widths", "stiffness from " + std::to_string(law.softest) + " to " + std::to_string(law.stiffest) +
                                   "; expected two positive numbers, the smaller first"};
    if (law.widths.empty() || law.widths.size() > kMostClasses)
        return Error{"widths", std::to_string(law.widths.size()) + " widths to choose from; expected 1 to " +
                                   std::to_string(kMostClasses)};
    for (std::size_t k = 0; k < law.widths.size(); ++k)
        if (law.widths[k] < 1 || law.widths[k] > kLargestReach || (k > 0 && law.widths[k] <= law.widths[k - 1]))
            return Error{"widths", "the widths to choose from have to increase, from at least 1 to at most " +
                                       std::to_string(kLargestReach)};
    return Done{};
}

}  // namespace

double resistance(int width)
{
    return width * (width + 1) / 3.0;
}

Result<WidthPlan> WidthPlan::make_even(ParticleWidths widths, int hops, std::size_t particles, double density,
                                       double spacing)
{
    if (!widths.reach.empty())
        return Error{"widths",
                     "only lattices have regions that differ in width, and none with examples that want "
                     "offsets or joint rotations: give them the goal \"affine\", or stiffness instead"};
    if (!widths.stiffness.empty() && widths.law.kind == StiffnessLaw::Kind::paper)
        return Error{"widths", "the paper's law makes widths of stiffness, which only lattices have"};
    Result<WidthPlan> plan = make(std::move(widths), hops, particles, density, spacing, 0);
    if (!plan) return plan;
    plan->classes_ = {{hops, hops, hops}};
    plan->class_of_.assign(particles, 0);
    plan->even_ = true;
    return plan;
}

Result<WidthPlan> WidthPlan::make(ParticleWidths widths, int hops, std::size_t particles, double density, double cell,
                                  double thickness)
{
    WidthPlan plan;
    plan.density_ = density;
    plan.cell_ = cell;
    if (!widths.stiffness.empty()) {
        if (!widths.reach.empty()) return Error{"widths", "both stiffness and widths are given: one decides"};
        if (const Status s = check_law(widths.law); !s) return s.error();
        if (widths.law.kind == StiffnessLaw::Kind::paper)
            for (int w = widths.law.lowest; w <= widths.law.highest; ++w) plan.widths_by_law_.push_back(w);
        else
            plan.widths_by_law_ = widths.law.widths;
        if (widths.law.kind == StiffnessLaw::Kind::young)
            while (plan.widths_by_law_.size() > 1 && 3 * plan.widths_by_law_.back() > thickness)
                plan.widths_by_law_.pop_back();
        for (const int w : plan.widths_by_law_) plan.classes_.push_back({w, w, w});
    } else if (!widths.reach.empty()) {
        for (const Reach& r : widths.reach) {
            auto found = std::find(plan.classes_.begin(), plan.classes_.end(), r);
            if (found == plan.classes_.end()) {
                if (plan.classes_.size() == kMostClasses)
                    return Error{"widths", "more than " + std::to_string(kMostClasses) +
                                               " different widths: let alphas make the finer differences"};
                found = plan.classes_.insert(found, r);
            }
            plan.class_of_.push_back(std::uint8_t(found - plan.classes_.begin()));
        }
    } else {
        plan.classes_ = {{hops, hops, hops}};
        plan.class_of_.assign(particles, 0);
    }
    plan.widths_ = std::move(widths);
    return plan;
}

double WidthPlan::wanted(float stiffness, double dt) const
{
    const StiffnessLaw& law = widths_.law;
    const double S = std::clamp(double(stiffness), 0.0, 1.0);
    const double e = law.softest * std::pow(law.stiffest / law.softest, S);
    return law.kind == StiffnessLaw::Kind::young ? e * dt * dt / (density_ * cell_ * cell_) : e;
}

std::vector<float> WidthPlan::alphas(std::span<const float> stiffness, double dt, double available) const
{
    std::vector<float> out = widths_.alphas;
    if (!by_stiffness()) return out;
    out.resize(stiffness.size(), 1.0f);
    const double unit = density_ * cell_ * cell_ / available;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] *= float(std::clamp(wanted(stiffness[i], dt) * unit, 1e-9, 1.0));
    return out;
}

double WidthPlan::reachable(double dt) const
{
    if (!by_step() || even_) return 0;
    return resistance(widths_by_law_.back()) * density_ * cell_ * cell_ / (dt * dt);
}

double WidthPlan::passes(std::span<const float> stiffness, double dt) const
{
    if (!by_step() || even_ || stiffness.empty()) return 1;
    return std::max(
        wanted(*std::max_element(stiffness.begin(), stiffness.end()), dt) / resistance(widths_by_law_.back()), 1.0);
}

BoxChoice WidthPlan::choose(std::span<const float> stiffness, double dt) const
{
    BoxChoice choice;
    const auto given_alpha = [&](std::size_t i) { return widths_.alphas.empty() ? 1.0f : widths_.alphas[i]; };
    if (!by_stiffness()) {
        choice.classes = class_of_;
        for (std::size_t i = 0; i < class_of_.size(); ++i) choice.alphas.push_back(given_alpha(i));
        return choice;
    }
    const StiffnessLaw& law = widths_.law;
    const double shared = passes(stiffness, dt);
    for (std::size_t i = 0; i < stiffness.size(); ++i) {
        std::size_t c = 0;
        double alpha = 1;
        if (law.kind == StiffnessLaw::Kind::paper) {
            const double S = std::clamp(double(stiffness[i]), 0.0, 1.0);
            c = std::size_t(std::floor((law.highest - law.lowest) * S + 0.5));  // half up, [CVG] 3.4
        } else {
            const double e = wanted(stiffness[i], dt) / shared;
            while (c + 1 < widths_by_law_.size() && resistance(widths_by_law_[c]) < e * (1 - 1e-9)) ++c;
            alpha = std::min(1.0, e / resistance(widths_by_law_[c]));
        }
        choice.classes.push_back(std::uint8_t(c));
        choice.alphas.push_back(float(std::max(alpha, 1e-9)) * given_alpha(i));
    }
    return choice;
}

}  // namespace yawara::matching
