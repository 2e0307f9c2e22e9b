#include "sim/lattice_regions.h"

#include <algorithm>
#include <numeric>

#include "matching/passes.h"
#include "sim/body_model.h"

namespace yawara {
namespace {

/// Mass over volume, so that given masses count as they are.
double density_of(const Lattice& lattice, std::span<const double> masses)
{
    const double volume = double(lattice.cells.size()) * lattice.cell * lattice.cell * lattice.cell;
    return std::accumulate(masses.begin(), masses.end(), 0.0) / volume;
}

/// How many cells across: as a cube with the same share of surface, and at most as its box.
double thickness_of(const Lattice& lattice)
{
    Int3 low = lattice.nodes.front(), high = low;
    for (const Int3& node : lattice.nodes)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], node[axis]);
            high[axis] = std::max(high[axis], node[axis]);
        }
    const double faces = double(boundary_surface(lattice).triangles.size()) / 2;
    return std::min(6 * double(lattice.cells.size()) / faces,
                    double(std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]})));
}

}  // namespace

bool summed_by_boxes(const Matching& solid, const ExampleSet* examples)
{
    if (!std::holds_alternative<Lattice>(solid.domain)) return false;
    if (!examples) return true;
    if (examples->goal == ExampleGoal::offsets || examples->rotation == ExampleRotation::joint) return false;
    return examples->goal == ExampleGoal::affine || solid.widths.stiffness || solid.widths.reach;
}

Result<LatticeRegions> build_lattice_regions(const Matching& solid, matching::ParticleWidths widths,
                                             std::span<const Vec3d> rest, std::span<const double> masses, double dt)
{
    const Lattice& lattice = std::get<Lattice>(solid.domain);
    auto plan = matching::WidthPlan::make(std::move(widths), solid.hops, rest.size(), density_of(lattice, masses),
                                          lattice.cell, thickness_of(lattice));
    if (!plan) return plan.error();
    auto grid = matching::BoxGrid::build(lattice, matching::levels_of(plan->classes()));
    if (!grid) return grid.error();
    const matching::BoxChoice choice = plan->choose(plan->widths().stiffness, dt);
    matching::BoxClasses classes(std::make_shared<const matching::BoxGrid>(std::move(*grid)), plan->classes(),
                                 plan->rule(), choice, masses);
    return LatticeRegions{matching::Regions(std::move(classes), rest, masses), std::move(*plan)};
}

std::span<const float> built_stiffness(const BodyModel::Data& model)
{
    return model.widths ? std::span<const float>(model.widths->widths().stiffness) : std::span<const float>();
}

std::span<const float> stiffness_now(const BodyModel::Data& model, const BodyState& state)
{
    const std::span<const float> built = built_stiffness(model);
    return state.matching.stiffness.size() == built.size() ? std::span<const float>(state.matching.stiffness) : built;
}

void LatticeFit::update(const BodyModel& body, const matching::WidthInput& now, matching::MatchMemory& memory)
{
    const BodyModel::Data& model = body.data();
    const std::optional<matching::WidthPlan>& widths = model.widths;
    const matching::Regions& regions = model.regions;
    if (!widths) return;
    const std::vector<float>& built = widths->widths().stiffness;
    const bool other_stiffness = !std::ranges::equal(now.stiffness, started_ ? fitted_ : built);
    const bool other_step = now.dt != dt_;
    const bool others =
        widths->even() ? !started_ || other_stiffness || other_step || now.available != available_
                       : other_stiffness || (widths->by_step() && other_step) || !std::ranges::equal(now.held, held_);
    if (others && memory.work->adapt(regions, *widths, now, model.masses)) {
        if (model.examples)
            memory.changed_examples = memory.work->fitted(*model.examples, regions, model.rest, model.masses);
        if (model.layer_plan.looks())
            memory.looks.spread =
                matching::region_spread(regions, memory.work->sums(regions, model.masses), model.rest);
    }
    if (!widths->even() && (!started_ || other_stiffness) && widths->by_stiffness() && widths->widths().rigid <= 1)
        pieces_ =
            matching::RigidPieces(regions.grid(), now.stiffness, widths->widths().rigid, model.rest, model.masses);
    if (!started_ || other_stiffness) fitted_.assign(now.stiffness.begin(), now.stiffness.end());
    held_.assign(now.held.begin(), now.held.end());
    dt_ = now.dt;
    available_ = now.available;
    started_ = true;
}

RegionReach region_reach(const BodyModel& model, const BodyState& state, double dt)
{
    RegionReach out;
    const auto& plan = model.data().widths;
    if (!plan) return out;
    const std::span<const float> stiffness = stiffness_now(model.data(), state);
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

ModulusReach matching_modulus_reach(const BodyModel& body, const BodySettings& settings, double dt)
{
    const BodyModel::Data& model = body.data();
    const bool by_law = model.widths && model.widths->by_step() && !model.widths->even();
    const double pass = by_law ? model.widths->reachable(dt) : body.pass_young(dt);
    ModulusReach out{by_law ? model.widths->widths().law.stiffest : double(settings.matching.young),
                     matching::most_plain_passes() * pass};
    if (model.widths && !model.widths->even()) {
        // Passes pull a particle to its goal but not beyond. A body that would swing through within a few steps is
        // softer than it should be: by a tenth if sound crosses its length in 2.2 steps.
        const Vec3d size = bounds(model.rest).high - bounds(model.rest).low;
        const double speed = std::max({size.x, size.y, size.z}) / dt;
        out.possible = std::min(out.possible, 0.2 * model.total_mass / model.volume * speed * speed);
    }
    return out;
}

}  // namespace yawara
