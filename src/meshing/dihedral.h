// How well a tet is shaped, by its smallest dihedral angle. Asked where tets are cut and where they are squeezed.
#pragma once

#include <algorithm>
#include <array>

#include "yawara/mesh.h"

namespace yawara::meshing {

inline double cosine_of_smallest_dihedral(Vec3d a, Vec3d b, Vec3d c, Vec3d d)
{
    // Largest cosine of a dihedral angle = smallest angle; normals outward up to a common sign.
    const std::array<Vec3d, 4> n{normalized(cross(c - b, d - b)), normalized(cross(d - a, c - a)),
                                 normalized(cross(b - a, d - a)), normalized(cross(c - a, b - a))};
    double largest = -1;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < i; ++j) largest = std::max(largest, -dot(n[i], n[j]));
    }
    return largest;
}

}  // namespace yawara::meshing
