// The inner loops of damping by regions, compiled like those of kernels.h; damping_kernels() picks. Called by
// region_damping.cpp and box_damping.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matching/kernels.h"
#include "yawara/math.h"

namespace yawara::matching {

/// Floats of a particle: place about a reference, share of its mass, velocity, 0.
constexpr std::size_t kDampedSize = 8;
/// Doubles of what is summed of it. Sums are about the reference, and what counts is left over when the middle of a
/// region is taken off: single precision would not do.
constexpr std::size_t kProductSize = 16;
/// Floats of the rigid motion of a region: velocity at the reference, 0, spin, 0.
constexpr std::size_t kMotionSize = 8;
/// Channels on a lattice. Shared mass times: x, v, x cross v, squares (xx, yy, zz), products (yz, xz, xy). Then, back:
/// spin, velocity at x = 0.
constexpr std::size_t kBoxProducts = 15, kBoxMotions = 6;

struct DampingKernels {
    /// Of the slots [first, last).
    void (*products)(const float* particles, std::size_t first, std::size_t last, double* products);
    /// Rigid motions of the regions [first, last). The place behind the last particle must hold zeros.
    void (*motions)(const ListView& lists, const double* products, std::size_t first, std::size_t last, float* motions);
    /// v += share (mean of the motions of its regions - v) of the slots [first, last). The place behind the last region
    /// must hold zeros.
    void (*spread)(const ListView& lists, const float* motions, float share, std::size_t first, std::size_t last,
                   float* particles);
    /// Products of n particles in a row of nodes, a multiple of eight; ids below 0: nobody, zero.
    void (*box_products)(const Vec3* positions, const Vec3* velocities, const std::int32_t* ids, const float* masses,
                         Vec3 origin, std::size_t n, float* products, std::size_t channel);
    /// Weight times the rigid motion of eight regions; zero where the inverse mass is.
    void (*box_motions)(const float* sums, std::size_t channel, const float* inverse_masses, const float* weights,
                        float* motions, std::size_t motion_channel);
    /// v += share (share of the particle times the sum of motions there - v) for n particles in a row of nodes.
    void (*box_damp)(const float* sums, std::size_t channel, const std::int32_t* ids, const float* shares, Vec3 origin,
                     float share, std::size_t n, const Vec3* positions, Vec3* velocities);
};

const DampingKernels& damping_kernels();

}  // namespace yawara::matching
