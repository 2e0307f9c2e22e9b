// The pile that our contact and Bullet's are compared on: small soft cubes dropped into a box.
#pragma once

#include <vector>

#include "yawara/mesh.h"

namespace yawara::bench {

constexpr double kPileStep = 1.0 / 300.0;  ///< s

struct Pile {
    TetMesh mesh;                   ///< of every body
    std::vector<Placement> places;  ///< where they start
    double half_width = 0;          ///< of the box, m; its floor is y = 0
};

/// Cubes of `cells`^3 cells each.
Pile make_pile(int bodies, int cells = 3);

}  // namespace yawara::bench
