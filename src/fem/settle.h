// The equilibrium of a finite-element body under its loads, by Newton's method in double.
#pragma once

#include "fem/advance.h"

namespace yawara::fem {

Result<SettleReport> settle(const FemModel& model, std::span<const double> masses, const BodySettings& settings,
                            const StepInput& input, BodyState& state, Workspace& work);

}  // namespace yawara::fem
