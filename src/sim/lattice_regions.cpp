#include "sim/lattice_regions.h"

#include <algorithm>
#include <numeric>

#include "sim/body_model.h"

namespace yawara {
namespace {

/// Mass over volume, so that given masses count as they are.
double density_of(const Lattice& lattice, std::span<const double> masses)
{
    const double volume = double(lattice.cells.size()) * lattice.cell * lattice.cell * lattice.cell;
    return std::accumulate(masses.begin(), masses.end(), 0.0) / volume;
}

/// Every region reaches as far in one as in the other.
bool same_regions(const matching::BoxClasses& a, const matching::BoxClasses& b)
{
    for (std::size_t part = 0; part < a.grid().parts().size(); ++part)
        if (!std::ranges::equal(a.class_bits(part), b.class_bits(part))) return false;
    return true;
}

/// The lattice gets new widths and alphas. Examples are measured anew only where widths differ: alphas do not count.
void change_classes(const BodyModel::Data& model, const matching::BoxChoice& choice, matching::MatchMemory& memory)
{
    const matching::BoxClasses& built = *model.regions.boxes();
    auto changed = std::make_unique<const matching::BoxClasses>(built.shared_grid(), model.widths->classes(),
                                                                model.widths->rule(), choice, model.masses);
    if (model.examples && !same_regions(*changed, *memory.classes))
        memory.changed_examples = same_regions(*changed, built)
                                      ? nullptr
                                      : std::make_unique<const matching::Examples>(
                                            model.examples->fitted(model.regions, *changed, model.rest, model.masses));
    memory.changed = std::move(changed);
    memory.classes = memory.changed.get();
    memory.boxes->fit(*memory.classes);
}

}  // namespace

bool summed_by_boxes(const Matching& solid)
{
    if (!std::holds_alternative<Lattice>(solid.domain)) return false;
    const ExampleSet& examples = solid.examples;
    if (examples.poses.empty()) return true;
    if (examples.goal == ExampleGoal::offsets || examples.rotation == ExampleRotation::joint) return false;
    return examples.goal == ExampleGoal::affine || !solid.widths.stiffness.empty() || !solid.widths.reach.empty();
}

Result<LatticeRegions> build_lattice_regions(const Matching& solid, std::span<const Vec3d> rest,
                                             std::span<const double> masses, double dt)
{
    const Lattice& lattice = std::get<Lattice>(solid.domain);
    auto plan =
        matching::WidthPlan::make(solid.widths, solid.hops, rest.size(), density_of(lattice, masses), lattice.cell);
    if (!plan) return plan.error();
    auto grid = matching::BoxGrid::build(lattice, matching::levels_of(plan->classes()));
    if (!grid) return grid.error();
    const matching::BoxChoice choice = plan->choose(plan->widths().stiffness, dt);
    matching::BoxClasses classes(std::make_shared<const matching::BoxGrid>(std::move(*grid)), plan->classes(),
                                 plan->rule(), choice, masses);
    return LatticeRegions{matching::Regions(std::move(classes), rest, masses), std::move(*plan)};
}

void LatticeFit::update(const BodyModel& body, std::span<const float> stiffness, double dt, double available,
                        matching::MatchMemory& memory)
{
    const BodyModel::Data& model = body.data();
    const std::optional<matching::WidthPlan>& widths = model.widths;
    const matching::Regions& regions = model.regions;
    if (!widths || !(widths->by_stiffness() || widths->even())) return;
    const std::vector<float>& built = widths->widths().stiffness;
    if (stiffness.size() != built.size()) stiffness = built;  // a state that was made by hand
    if (widths->even()) {
        if (started_ && dt == dt_ && available == available_ && std::ranges::equal(stiffness, fitted_)) return;
        memory.set_alphas(regions, widths->alphas(stiffness, dt, available));
        fitted_.assign(stiffness.begin(), stiffness.end());
        dt_ = dt;
        available_ = available;
        started_ = true;
        return;
    }
    const bool changed = !started_ || !std::equal(stiffness.begin(), stiffness.end(), fitted_.begin(), fitted_.end());
    if (changed || (widths->by_step() && dt != dt_)) {
        if (started_ || widths->by_step() || !std::equal(stiffness.begin(), stiffness.end(), built.begin()))
            change_classes(model, widths->choose(stiffness, dt), memory);
        if (changed && widths->widths().rigid <= 1)
            pieces_ = matching::RigidPieces(regions.boxes()->grid(), stiffness, widths->widths().rigid, model.rest,
                                            model.masses);
        fitted_.assign(stiffness.begin(), stiffness.end());
        dt_ = dt;
        started_ = true;
    }
}

RegionReach region_reach(const BodyModel& model, const BodyState& state, double dt)
{
    RegionReach out;
    const auto& plan = model.data().widths;
    if (!plan) return out;
    const bool own = state.stiffness.size() == plan->widths().stiffness.size();
    const std::vector<float>& stiffness = own ? state.stiffness : plan->widths().stiffness;
    if (plan->even()) {  // as with one pass
        out.reach.assign(model.particle_count(), plan->classes()[0]);
        out.alphas = plan->alphas(stiffness, dt, model.data().pass_modulus);
        return out;
    }
    matching::BoxChoice choice = plan->choose(stiffness, dt);
    for (const std::uint8_t c : choice.classes) out.reach.push_back(plan->classes()[c]);
    out.alphas = std::move(choice.alphas);
    return out;
}

ModulusReach modulus_reach(const BodyModel& model, double dt)
{
    const auto& plan = model.data().widths;
    if (!plan || !plan->by_step() || plan->even()) return {};
    return {plan->widths().law.stiffest, plan->reachable(dt)};
}

}  // namespace yawara
