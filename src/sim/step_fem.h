// The step of a finite-element body; step (sim/solid_kind.cpp) comes here, and goes on in fem/advance.h.
#pragma once

#include "sim/solid_kind.h"

namespace yawara {

extern const SolidKind kFemKind;

}  // namespace yawara
