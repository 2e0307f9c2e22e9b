// Ribs: from a particle of the surface straight through a thin part to the spot behind it, as found at rest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::contact {

struct Rib {
    std::int32_t vertex;           ///< a particle
    std::int32_t triangle;         ///< that has the spot
    std::array<float, 3> weights;  ///< of its corners there
    float length;                  ///< at rest, along the normal of the triangle, m
};

/// At most one for each of the `vertices`, where the body is no thicker than `thin`, m.
std::vector<Rib> find_ribs(std::span<const Int3> triangles, std::span<const std::int32_t> vertices,
                           std::span<const Vec3d> rest, double thin);

}  // namespace yawara::contact
