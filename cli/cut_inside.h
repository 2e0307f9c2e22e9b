// Where places on the face of a cut are in the body at rest.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "yawara/collider.h"
#include "yawara/mesh.h"

namespace yawara::cli {

class RestOfCut {
public:
    /// A solid with tets whose particles are somewhere else now, cut by a plane.
    RestOfCut(const TetMesh& solid, std::span<const Vec3> particles, const Plane& plane);

    /// At rest; a place of the plane that no tet holds belongs to the nearest one.
    Vec3 at(Vec3 place) const;

private:
    struct Face {
        std::array<Vec2, 3> corner;  ///< in coordinates of the plane
        std::array<Vec3, 3> rest;
    };
    Vec2 flat(Vec3 place) const;
    std::array<int, 2> cell_of(Vec2 p) const;

    Vec3d point_, u_, v_;
    std::vector<Face> faces_;
    Vec2 low_;
    float cell_ = 1;
    int columns_ = 0, rows_ = 0;
    std::vector<std::vector<std::int32_t>> faces_in_;  ///< per cell of a grid over the faces
};

}  // namespace yawara::cli
