// The force loop of linear tets, eight at a time, and the substitutions of a mass factor, compiled once for every
// processor and once for AVX2 and FMA; kernels() picks. Tets are taken in chunks that hold their own copies of positions
// and forces, so that chunks can be done by any number of threads with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace yawara::fem {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kTetsPerChunk = 1024;
/// The barrier acts below this share of the rest volume.
constexpr float kBarrierVolume = 0.2f;

/// A tet as the kernels see it. The upper triangles of C and D are by rows, times half the rest volume.
struct TetConstants {
    float inverse_edges[9];  ///< of [m1 - m0, m2 - m0, m3 - m0], by rows: the gradients g1, g2, g3
    float barrier;           ///< volume times the stiffness of the barrier against inversion, J
    float elasticity[21];    ///< or, isotropic: lambda and mu
    float viscosity[21];     ///< likewise
};

/// Eight tets, one in each lane; how many of the arrays exist depends on the kind, see block_floats().
/// Order: inverse_edges[9], barrier, elasticity (2 or 21), viscosity (0, 2 or 21), each 8 floats.
constexpr std::size_t block_floats(bool isotropic, bool viscous)
{
    return kLanes * (10 + (isotropic ? 2u : 21u) * (viscous ? 2u : 1u));
}

/// Corners of eight tets among the nodes of their chunk: [corner][lane].
struct BlockNodes {
    std::uint16_t node[4][kLanes];
};

/// Unused lanes repeat a tet with zero stiffness.
struct ChunkView {
    const float* constants;  ///< block_floats() per block
    const BlockNodes* nodes;
    std::size_t blocks;
    const float* positions;   ///< 4 per node of the chunk
    const float* velocities;  ///< likewise; only read by viscous kernels
    float* forces;            ///< 4 per node of the chunk, added to
    float*
        corner_forces;  ///< 9 x 8 floats per block: x, y, z of corners 1, 2, 3; corner 0 has minus their sum. Or null
    bool barrier;
};

/// M = L D L^T, L by columns without its unit diagonal.
struct FactorView {
    std::size_t size;
    const std::int32_t *offsets, *rows;
    const float *values, *inverse_diagonal;
    float* vectors;  ///< 4 per row: the right-hand side, then the solution
};

struct Kernels {
    const char* name;
    /// [isotropic][viscous]
    void (*forces[2][2])(const ChunkView& chunk);
    void (*substitute)(const FactorView& factor);
};

const Kernels& kernels();
/// All that this build and this processor offer, the best last.
std::size_t available_kernels(const Kernels* (&out)[2]);

}  // namespace yawara::fem
