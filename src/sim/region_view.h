// Who is in which region, for people who look.
#pragma once

#include <cstdint>
#include <vector>

#include "yawara/body.h"

namespace yawara {

/// Particles in the region around one, in a state and with steps of dt; none if the body has no regions.
std::vector<std::int32_t> region_members(const BodyModel& model, const BodyState& state, double dt,
                                         std::size_t particle);
/// How many those are, for every particle.
std::vector<float> region_sizes(const BodyModel& model, const BodyState& state, double dt);

}  // namespace yawara
