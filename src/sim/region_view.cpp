// Who is in which region, for people who look.
#include "yawara/body.h"

#include <algorithm>

#include "sim/body_model.h"
#include "sim/lattice_regions.h"

namespace yawara {
namespace {

/// The sums of a lattice body with the widths its stiffness gives now.
matching::BoxClasses classes_now(const BodyModel::Data& model, const BodyState& state, double dt)
{
    const matching::WidthPlan& plan = *model.widths;
    return {model.regions.boxes()->shared_grid(), plan.classes(), plan.rule(),
            plan.choose(stiffness_now(model, state), dt), model.masses};
}

}  // namespace

std::vector<std::int32_t> region_members(const BodyModel& body, const BodyState& state, double dt, std::size_t particle)
{
    const BodyModel::Data& model = body.data();
    std::vector<std::int32_t> members;
    if (particle >= body.region_count()) return members;
    if (!model.regions.boxes()) {
        const auto list = model.regions.lists()[particle];
        members.assign(list.begin(), list.end());
        return members;
    }
    std::vector<double> only(model.rest.size(), 0.0);
    only[particle] = 1;
    const std::vector<double> held = classes_now(model, state, dt).over_holders(only);
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i] > 0.5) members.push_back(std::int32_t(i));
    return members;
}

std::vector<float> region_sizes(const BodyModel& body, const BodyState& state, double dt)
{
    const BodyModel::Data& model = body.data();
    std::vector<float> sizes(body.particle_count(), 0.0f);
    if (body.region_count() == 0) return sizes;
    if (model.regions.boxes()) {
        const std::vector<double> ones(sizes.size(), 1.0);
        std::ranges::copy(classes_now(model, state, dt).over_regions(ones), sizes.begin());
    } else {
        for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = float(model.regions.lists()[k].size());
    }
    return sizes;
}

}  // namespace yawara
