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
};

/// `values` per particle, or empty.
void cut_tets(std::span<const Int4> tets, std::span<const Vec3> particles, std::span<const float> values,
              const CutPlane& plane, Section3& out);

}  // namespace yawara::stream
