// Who is in which region, for people who look.
#include "yawara/body.h"

#include "matching/region_sums.h"
#include "sim/body_model.h"
#include "sim/lattice_regions.h"

namespace yawara {
namespace {

/// Over regions with the widths that stiffness gives them now.
matching::RegionSums sums_now(const BodyModel::Data& model, const BodyState& state, double dt)
{
    if (!model.widths) return {model.regions, model.masses};
    return {model.regions, *model.widths, stiffness_now(model, state), dt, model.masses};
}

}  // namespace

std::vector<std::int32_t> region_members(const BodyModel& body, const BodyState& state, double dt, std::size_t particle)
{
    if (particle >= body.region_count()) return {};
    return sums_now(body.data(), state, dt).members(particle);
}

std::vector<float> region_sizes(const BodyModel& body, const BodyState& state, double dt)
{
    if (body.region_count() == 0) return std::vector<float>(body.particle_count(), 0.0f);
    return sums_now(body.data(), state, dt).sizes();
}

}  // namespace yawara
