// Masses of a lattice that has a Young's modulus, so that it bends as the modulus says and not only stretches so.
#pragma once

#include <vector>

#include "yawara/lattice.h"

namespace yawara {

/// The stretch stiffness of a layer of particles is as its mass. With masses lumped at the corners of cells, a part of
/// t cells across resists bending as t^3/12 + t/6 (their second moment) + t/12 (regions of width 1 resist the curvature
/// of each layer as well) instead of t^3/12: 3/t^2 too much. So mass is moved from the faces inwards, along every row
/// of particles by a quadratic that keeps its total and its centre. Stretch, weight and momenta stay what they were. A
/// single cell has nothing within to move it to; where a part is as thick as long nothing bends.
void move_masses_inwards(const Lattice& lattice, std::vector<double>& masses);

}  // namespace yawara
