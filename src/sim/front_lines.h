// Which edges of a drawn surface are edges of the active tets of a finite-element body.
#pragma once

#include <cstdint>
#include <vector>

#include "yawara/body.h"

namespace yawara {

/// Per triangle of the model's surface three bits: edge k goes from corner k to the next. Empty if the surface is not
/// the outside of finite elements.
std::vector<std::uint8_t> front_lines(const BodyModel& model, const BodyState& state);

}  // namespace yawara
