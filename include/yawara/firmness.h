// How stiff a body is in numbers that do not depend on its size, mesh or step, and what its own weight does to it.
#pragma once

#include "yawara/body.h"

namespace yawara {

struct Firmness {
    double softest = 0, stiffest = 0;  ///< Young's modulus, Pa, for slow motion; unequal where it differs within the body
    double sink = 0;  ///< share of its height that it loses under its own weight, about: rho g H / (2 E), at most 1
};

/// With these settings, steps of dt, s, and this gravity, m/s^2.
Firmness firmness(const BodyModel& model, const BodySettings& settings, double dt, Vec3 gravity);

}  // namespace yawara
