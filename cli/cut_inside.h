// What places on the face of a cut have from the particles of a body: where they are at rest, or a value.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "yawara/collider.h"
#include "yawara/mesh.h"
#include "yawara/section.h"

namespace yawara::cli {

class CutFace {
public:
    /// A solid with tets whose particles are somewhere else now, cut by a plane.
    CutFace(const TetMesh& solid, std::span<const Vec3> particles, const Plane& plane);

    /// Something of the particles, at the corners of the face; for at().
    template <class Value>
    std::vector<Value> values(std::span<const Value> of_particles) const
    {
        return cut_.values(of_particles);
    }
    /// Such a value at a place; one of the plane that no tet holds belongs to the nearest one. `otherwise`: nothing is cut.
    template <class Value>
    Value at(Vec3 place, const std::vector<Value>& values, Value otherwise) const
    {
        const Spot spot = nearest(place);
        if (spot.triangle < 0) return otherwise;
        const Int3& corner = cut_.triangles[std::size_t(spot.triangle)];
        return values[std::size_t(corner[0])] * spot.weights[0] + values[std::size_t(corner[1])] * spot.weights[1] +
               values[std::size_t(corner[2])] * spot.weights[2];
    }

private:
    struct Spot {
        std::int32_t triangle = -1;
        std::array<float, 3> weights{};
    };
    Spot nearest(Vec3 place) const;
    Vec2 flat(Vec3 place) const;
    std::array<int, 2> cell_of(Vec2 p) const;

    Vec3d point_, u_, v_;
    Section cut_;
    std::vector<std::array<Vec2, 3>> corners_;  ///< of its triangles, in coordinates of the plane
    Vec2 low_;
    float cell_ = 1;
    int columns_ = 0, rows_ = 0;
    std::vector<std::vector<std::int32_t>> triangles_in_;  ///< per cell of a grid over them
};

}  // namespace yawara::cli
