// One modulus for a tensor, for people to read.
#pragma once

#include "yawara/fem.h"

namespace yawara {

/// Young's modulus of the isotropic material closest to a tensor: with its mean bulk and shear moduli.
inline double mean_young(const Elasticity& c)
{
    const double axial = c(0, 0) + c(1, 1) + c(2, 2), cross = c(0, 1) + c(0, 2) + c(1, 2);
    const double bulk = (axial + 2 * cross) / 9, shear = (axial - cross + 3 * (c(3, 3) + c(4, 4) + c(5, 5))) / 15;
    return 9 * bulk * shear / (3 * bulk + shear);
}

}  // namespace yawara
