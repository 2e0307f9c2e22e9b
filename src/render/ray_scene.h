// Rays against surfaces. Embree does the work and stays inside ray_scene.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "render/surfaces.h"

namespace yawara::drawing {

struct Ray {
    Vec3 origin;
    float near = 0;
    Vec3 direction;
    float far = -1;  ///< less than near: the ray is not traced and hits nothing
    float time = 0;  ///< 0..1 while the shutter is open
};

struct Hit {
    float distance;
    std::int32_t surface = -1;  ///< -1: none
    std::int32_t triangle;
    float u, v;  ///< weights of the second and third corner
};

constexpr int kBatch = 256;  ///< rays traced at once, at most

class RayScene {
public:
    /// Keeps pointing into the surfaces, which must outlive it; into those alone that are not clear if `opaque_only`.
    static Result<RayScene> build(std::span<const Surface> surfaces, bool opaque_only = false);

    /// Rays of a batch that start close together and run alike are `coherent`: faster together.
    void nearest(std::span<const Ray> rays, std::span<Hit> hits, bool coherent) const;
    void blocked(std::span<const Ray> rays, std::span<std::uint8_t> blocked) const;

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

}  // namespace yawara::drawing
