// The inner loops of box sums on a lattice: sliding windows along one axis, eight lines side by side, three channels (a
// vector) at a time. No window is made by subtracting from a longer one, so nothing cancels, however large the lattice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matching/kernels.h"

namespace yawara::matching {

/// Lines of eight lanes: entry k of channel c is the eight floats at data + c * channel + k * step.
struct Line {
    const float* data;
    std::size_t step, channel;
};
struct LineOut {
    float* data;
    std::size_t step, channel;
};

/// Floats of scratch that a window of this width needs.
constexpr std::size_t line_scratch(int width)
{
    return (2 * std::size_t(width) + 1) * 6 * kLanes;
}

/// Constants of eight regions that are neighbours along x. Lanes without a particle have zero mass and weight.
struct alignas(32) BoxBlock {
    float inverse_mass[kLanes];  ///< 1 / sum of the members' shared masses; 0: no region here
    float offset[3][kLanes];     ///< rest centre of mass - rest position of the region's own particle
    float weight[kLanes];        ///< weight of the region times its alpha, beta_r alpha_r of [CVG] 10.1, 10.2
};

/// Column of blocks along z, which follow each other: sums in, what is to be spread out; 12 channels of eight floats an entry.
struct BoxColumn {
    const float* sums;  ///< sum m x, then its first moments along x, y, z in cells
    float* out;         ///< weight * (goal of the region's own particle), then weight * F * cell along x, y, z
    std::size_t channel;
    const BoxBlock* blocks;
    const RegionStretch* stretch;  ///< or null
    float* turns;
    std::size_t count;
    float cell;
};

/// Blocks of eight values with the classes of their nodes.
struct MaskedBlocks {
    const std::uint32_t* bits;
    std::size_t bits_step;
    std::uint32_t set;
    std::size_t count, step, channels, channel;
};

struct BoxKernels {
    /// s_i = sum of in[j], |j - i| <= width
    void (*sum)(const Line& in, int n, int width, const LineOut& s, float* scratch);
    /// and m_i = sum of (j - i) in[j]
    void (*moment)(const Line& in, int n, int width, const LineOut& s, const LineOut& m, float* scratch);
    /// s_i = sum of p[j] - (j - i) f[j]: the way back
    void (*spread)(const Line& p, const Line& f, int n, int width, const LineOut& s, float* scratch);
    /// Rows become lanes: out[x] = the eight rows' entries at x, for x < n; n is a multiple of 8.
    void (*rows_to_lanes)(const float* rows, std::size_t row_step, std::size_t n, float* out);
    void (*lanes_to_rows)(const float* lanes, std::size_t n, float* rows, std::size_t row_step);
    /// out = in where the class is in the set, else 0, for blocks of eight: `count` of them, `step` floats apart in
    /// `in` and `out`, `bits_step` apart in `bits`; `channels` channels of `channel` floats.
    void (*mask)(const MaskedBlocks& blocks, const float* in, float* out);
    /// out += in where the class is in the set.
    void (*add_masked)(const MaskedBlocks& blocks, const float* in, float* out);
    /// Mass times (position - origin) of n particles in a row of nodes, one channel an axis; ids below 0: nobody, zero.
    void (*load_row)(const float* positions, const std::int32_t* ids, const float* masses, Vec3 origin, std::size_t n,
                     float* out, std::size_t channel);
    /// ways[id] = (sum - weight (position - origin)) share, for the particles of a row of nodes.
    void (*store_row)(const float* sums, std::size_t channel, const std::int32_t* ids, const float* positions,
                      const float* weights, const float* shares, Vec3 origin, std::size_t n, Vec3* ways);
    /// Rotations of a column and what its regions send out.
    RotateCount (*rotate)(const BoxColumn& column);
};

}  // namespace yawara::matching
