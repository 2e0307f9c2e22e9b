// An order in which to eliminate the rows of a sparse matrix of nodes in space so that its factor has few numbers:
// nested dissection. fem/rest_factor.cpp comes here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fem/implicit_kernels.h"
#include "yawara/math.h"

namespace yawara::fem {

/// Halves that do not touch each other come first, then what lies between them; likewise within the halves.
struct Dissection {
    std::vector<std::int32_t> order;  ///< rows of the matrix, the first to be eliminated first
    std::vector<std::int32_t> ends;   ///< in `order`: groups of rows that are all coupled in the factor, or nearly
    std::size_t half = 0, both = 0;   ///< in `order`: where the first half of all ends, and where the second one does
};

/// positions: m, of the rows.
Dissection dissect(const BlockRows& matrix, std::span<const Vec3d> positions);

}  // namespace yawara::fem
