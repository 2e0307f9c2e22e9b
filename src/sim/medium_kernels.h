// The inner loops of the drag of a medium, compiled for every processor, for AVX2 and for AVX-512; medium_kernels()
// picks. Called by medium.cpp. Triangles and particles are those of the surface alone, by numbers of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "yawara/math.h"

namespace yawara {

/// Runs of triangles are filled up to a multiple of so many, with triangles without area.
constexpr std::size_t kTrianglesAtOnce = 8;
/// Floats of a particle: position, 0, velocity, 0.
constexpr std::size_t kCornerSize = 8;
/// Floats of the drag of a triangle: impulse on each corner, kg m/s, and h k A |u|, kg.
constexpr std::size_t kDragSize = 4;

struct MediumKernels {
    /// Particles [first, last) with ids in the body.
    void (*load)(const std::int32_t* ids, const Vec3* positions, const Vec3* velocities, std::size_t first,
                 std::size_t last, float* places);
    /// Drag of the triangles [first, last), a multiple of eight, with three corners each. `strength`: h k / 2. What is
    /// not finite is zero.
    void (*drag)(const std::int32_t* corners, const float* places, Vec3 current, float strength, std::size_t first,
                 std::size_t last, float* drags);
    /// Sums of the drags over the triangles around the particles [first, last); lists are of even length.
    void (*sum)(const std::int32_t* offsets, const std::int32_t* triangles, const float* drags, std::size_t first,
                std::size_t last, float* sums);
    /// The share of its impulses that each particle of [first, last) allows; a multiple of eight can be read and
    /// written. True if any allows less than all.
    bool (*limit)(const float* sums, const float* inverse_masses, std::size_t first, std::size_t last, float* shares);
    /// Drags of the triangles [first, last) times the least share of their corners.
    void (*weaken)(const std::int32_t* corners, const float* shares, std::size_t first, std::size_t last, float* drags);
    /// v += impulse / m of the particles [first, last).
    void (*push)(const std::int32_t* ids, const float* sums, const float* inverse_masses, std::size_t first,
                 std::size_t last, Vec3* velocities);
};

const MediumKernels& medium_kernels();

}  // namespace yawara
