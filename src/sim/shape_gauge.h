// Size and volume of a body against those at rest, so that a run that went wrong says so. Scene::step asks once a
// frame.
#pragma once

#include <span>

#include "yawara/scene.h"

namespace yawara {

class ShapeGauge {
public:
    ShapeGauge() = default;
    /// `triangles`: of the outer surface, by particles, turned outwards.
    ShapeGauge(std::span<const Vec3d> rest, std::span<const Int3> triangles);

    /// After a frame of dt; `earlier`: the report of the frame before.
    ShapeReport measure(std::span<const Vec3> positions, std::span<const Int3> triangles, double dt,
                        const ShapeReport& earlier) const;

private:
    double edge_ = 0, volume_ = 0;  ///< m, m^3
};

}  // namespace yawara
