// The volume of a hollow: an inner wall of triangles, its openings closed by fans.
#pragma once

#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara {

class CavityGauge {
public:
    /// `wall`: outer triangles of a solid that face the hollow, so they are turned away from its inside.
    explicit CavityGauge(std::vector<Int3> wall);
    /// m^3; positive, unless the hollow is turned inside out.
    double volume(std::span<const Vec3> positions) const;
    bool empty() const { return wall_.empty(); }
    std::size_t opening_count() const { return openings_.size(); }

private:
    std::vector<Int3> wall_;
    std::vector<std::vector<std::int32_t>> openings_;  ///< rims, in the order that closes the wall
};

}  // namespace yawara
