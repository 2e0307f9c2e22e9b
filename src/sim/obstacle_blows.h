// What is thrown at an obstacle faster than its shape can answer in one step, or hit by one, meets it as a rigid body
// first. The same limit holds between bodies: contact/strikes.h.
#pragma once

#include <optional>

#include "sim/body_model.h"
#include "yawara/scene.h"

namespace yawara {

/// A part of the body that would go into an obstacle by more than 0.4 of its size in a step, as a whole, is put
/// where it touches and keeps as much of its speed as its shape can answer. `fall`: what weight adds to velocities in
/// the step, m/s. `keep`: share of a velocity that air leaves. Returns the momentum that the obstacles
/// gave, kg m/s, if any did.
std::optional<Vec3d> take_obstacle_blows(const BodyModel::Data& model, const StepInput& input, Vec3 fall, float keep,
                                         BodyState& state);

}  // namespace yawara
