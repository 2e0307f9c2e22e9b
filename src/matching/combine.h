// How two wanted stretches become one.
#pragma once

#include "yawara/stretch.h"

namespace yawara::matching {

/// exp(log a + log b): symmetric and positive whatever the order; eigenvalues below 1e-3 count as 1e-3.
Sym3 combine(const Sym3& a, const Sym3& b);

/// exp(log a - log b): what of stretch a is not b's.
Sym3 without(const Sym3& a, const Sym3& b);

}  // namespace yawara::matching
