// A body as a graphics card wants it; Scene::drawing gives it out.
#pragma once

#include <cstdint>
#include <span>

#include "yawara/mesh.h"

namespace yawara {

/// Along the u of a texture, for normal maps.
struct Tangent {
    Vec3 along{};    ///< unit length, at right angles to the normal
    float side = 1;  ///< the v of the texture grows along side * cross(normal, along): 1, or -1 where it is mirrored
    friend bool operator==(const Tangent&, const Tangent&) = default;
};

/// The drawn surface of a body now, one entry per drawn vertex: those of BodyModel::surface() in their order, each as
/// often as sharp edges of the rest shape and seams of the texture part it. All arrays are dense, for vertex buffers.
struct Drawing {
    std::span<const Vec3> positions;          ///< m
    std::span<const Vec3> last_positions;     ///< m, when it was last drawn, before the last step: for motion vectors
    std::span<const Vec3> normals;            ///< unit length, outwards
    std::span<const Tangent> tangents;        ///< without a texture: any direction
    std::span<const Vec2> uvs;                ///< as in the file, v upwards; empty: the surface has none
    std::span<const Int3> triangles;          ///< index buffer; in the order of BodyModel::surface()
    std::span<const std::int32_t> source;     ///< the vertex of BodyModel::surface() behind each
};

}  // namespace yawara
