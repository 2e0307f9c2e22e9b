// How two wanted stretches become one.
#pragma once

#include <span>

#include "yawara/stretch.h"

namespace yawara::matching {

/// a = exp(log a + log b) for as many of them: symmetric and positive whatever the order; eigenvalues below 1e-3 count
/// as 1e-3.
void combine(std::span<Sym3> a, std::span<const Sym3> b);

/// a = exp(log a - log b): what of stretch a is not b's.
void without(std::span<Sym3> a, std::span<const Sym3> b);

}  // namespace yawara::matching
