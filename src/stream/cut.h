// A look inside: the section of a solid with a plane, as triangles with values.
#pragma once

#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::stream {

struct CutPlane {
    Vec3 point, normal;  ///< what lies on the side of the normal is hidden
};

struct Section3 {
    std::vector<Vec3> points;   ///< three per triangle, turned to the side of the normal
    std::vector<float> values;  ///< per point; empty without values
    std::vector<Vec3> rests;    ///< per point: where it is at rest; empty without
};

/// `values` per particle, or empty; likewise `rests`, their places at rest.
void cut_tets(std::span<const Int4> tets, std::span<const Vec3> particles, std::span<const float> values,
              const CutPlane& plane, Section3& out, std::span<const Vec3> rests = {});

}  // namespace yawara::stream
