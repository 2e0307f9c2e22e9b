// A bar of finite elements at level 0, deformed, whose forces can be summed again and again.
#pragma once

#include "fem/front.h"
#include "yawara/yawara.h"

namespace yawara::bench {

/// Where a point of the bar at rest is.
Vec3 bent(Vec3d p, const Box3& box);

/// 21 constants that no axis is special to.
Elasticity wood_across();

struct FemBar {
    fem::FemModel model;
    fem::Front front;
    fem::Nodal x, f;

    FemBar(const TetMesh& mesh, const Elasticity& elasticity);
    void evaluate() { front.forces(model, x, x, false, f, nullptr); }
};

}  // namespace yawara::bench
