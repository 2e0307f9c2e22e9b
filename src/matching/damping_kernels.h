// The inner loops of damping by regions, compiled like those of kernels.h; damping_kernels() picks. Called by
// region_damping.cpp and box_damping.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matching/kernels.h"
#include "yawara/math.h"

namespace yawara::matching {

/// Floats of a particle's place about a reference, and its share of its mass.
constexpr std::size_t kPlaceSize = 4;
/// Floats of its shared momentum beside a common velocity, 0, and of its spin about the reference, 0.
constexpr std::size_t kMomentaSize = 8;
/// Floats of the rigid motion of a region: velocity at the reference, 0, spin, 0.
constexpr std::size_t kMotionSize = 8;
/// Channels on a lattice. Shared mass times: x, v, x cross v, squares (xx, yy, zz), products (yz, xz, xy). Then, back:
/// spin, velocity at x = 0.
constexpr std::size_t kBoxProducts = 15, kBoxMotions = 6;

/// Somewhere in the body: what is told about it is small, however far off and fast the whole is.
struct DampingFrame {
    Vec3 place, velocity;
};

struct DampingKernels {
    /// What is summed of the slots [first, last): positions and velocities in the order of the body, `frame` is taken
    /// off.
    void (*load)(const ListView& lists, const std::int32_t* order, const Vec3* positions, const Vec3* velocities,
                 const DampingFrame& frame, std::size_t first, std::size_t last, float* places, float* momenta);
    /// Rigid motions of the regions [first, last). The place behind the last particle must hold zeros. Second moments
    /// are summed about a particle of the region: about a reference farther away, single precision would not do.
    void (*motions)(const ListView& lists, const float* places, const float* momenta, std::size_t first,
                    std::size_t last, float* motions);
    /// v += share (mean of the motions of its regions - v) of the slots [first, last). The place behind the last region
    /// must hold zeros.
    void (*spread)(const ListView& lists, const float* motions, const float* places, const DampingFrame& frame,
                   float share, std::size_t first, std::size_t last, const std::int32_t* order, Vec3* velocities);
    /// Products of n particles in a row of nodes, a multiple of eight; ids below 0: nobody, zero.
    void (*box_products)(const Vec3* positions, const Vec3* velocities, const std::int32_t* ids, const float* masses,
                         Vec3 origin, std::size_t n, float* products, std::size_t channel);
    /// Channels of n nodes, a multiple of eight, node by node: eight floats each, or sixteen if there are more channels.
    void (*by_nodes)(const float* values, std::size_t channel, std::size_t channels, std::size_t n, float* nodes);
    /// Weight times the rigid motion of eight regions; zero where the inverse mass is.
    void (*box_motions)(const float* sums, std::size_t channel, const float* inverse_masses, const float* weights,
                        float* motions, std::size_t motion_channel);
    /// v += share (share of the particle times the sum of motions there - v) for n particles in a row of nodes.
    void (*box_damp)(const float* sums, std::size_t channel, const std::int32_t* ids, const float* shares, Vec3 origin,
                     float share, std::size_t n, const Vec3* positions, Vec3* velocities);
};

const DampingKernels& damping_kernels();

}  // namespace yawara::matching
