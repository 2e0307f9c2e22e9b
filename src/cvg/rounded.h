// Operators that round the edge where two shapes meet. Shapes are told by distances from their surfaces; where no rounding
// reaches, the values are those of the sharp operators.
#pragma once

#include "yawara/cvg.h"

namespace yawara::cvg {

/// A value with what rounding needs to know.
struct Shaped {
    Sample sample;        ///< as without rounding around it
    Sample near;          ///< what it is like where it is nearest
    double distance = 0;  ///< m from its surface, negative inside
};

/// A fillet of this radius in the corner between two shapes, negative inside: their union's distance with a quarter of
/// a circle in it. Exactly the smaller one wherever either is at least `radius` away.
double rounded_union(double a, double b, double radius);

/// One operator on shapes; radius 0 is sharp.
Shaped combine(Operator op, double radius, const Shaped& a, const Shaped& b);

}  // namespace yawara::cvg
