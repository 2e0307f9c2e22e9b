// The force loop of linear tets, sixteen at a time, and the substitutions of a mass factor, compiled for any
// processor, for AVX2 and FMA, and for AVX-512; kernels() picks. Tets are taken in chunks that hold their own copies of
// positions and forces, so that chunks can be done by any number of threads with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace yawara::fem {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kTetsPerChunk = 2048;  // at most
constexpr std::size_t kFewestForTwo = 384;   // with fewer tets there is one chunk: to share them out takes too long
/// The barrier acts below this share of the rest volume.
constexpr float kBarrierVolume = 0.2f;

/// A tet as the kernels see it, in a frame of its own: at rest, edge m1 - m0 lies along its x axis and m2 - m0 in its
/// xy plane, so that the inverse of the edges is an upper triangle. The upper triangles of C and D are by rows, in that
/// frame too, times half the rest volume.
struct TetConstants {
    float inverse_edges[6];  ///< by rows: of the gradients g1, g2, g3 what is not zero
    float barrier;           ///< volume times the stiffness of the barrier against inversion, J
    float elasticity[21];    ///< or, isotropic: lambda and mu
    float viscosity[21];     ///< likewise
};

/// Deformation gradient in the frame of the tet, by columns, from the edges that leave corner 0.
template <class Vector>
inline void own_gradient(const TetConstants& tet, const Vector (&edge)[3], Vector (&column)[3])
{
    const float* const g = tet.inverse_edges;
    column[0] = edge[0] * g[0];
    column[1] = edge[0] * g[1] + edge[1] * g[3];
    column[2] = edge[0] * g[2] + edge[1] * g[4] + edge[2] * g[5];
}

/// A block of tets, one in each lane; how many of the arrays exist depends on the kind, see block_floats().
/// Order: inverse_edges[6], elasticity (2 or 21), viscosity (0, 2 or 21), kLanes floats each.
constexpr std::size_t block_floats(bool isotropic, bool viscous)
{
    return kLanes * (6 + (isotropic ? 2u : 21u) * (viscous ? 2u : 1u));
}

/// Corners of the tets of a block among the nodes of their chunk: [corner][lane]. Indices into arrays of four floats
/// are doubled here and below: they count eight bytes, as addresses can.
struct BlockNodes {
    std::uint16_t node[4][kLanes];
};

/// A run of `nodes` nodes, each of which is a corner of `tets` tets of the chunk.
struct SumRun {
    std::uint16_t tets, nodes;
};

/// For each node of a chunk the corners of tets that meet there, so that its force is summed at once and in one order.
/// First come the nodes that are in no other chunk.
struct CornerSums {
    const SumRun* runs;
    std::size_t own_runs, run_count;
    const std::uint16_t* corners;  ///< `tets` of them for every node of a run: corner_index() in the chunk, doubled
    const std::uint32_t* targets;  ///< per node of the runs: where its force goes, doubled
};

/// Index of the force on a corner in ChunkView::corner_forces, in units of four floats from the start of its block.
constexpr std::size_t corner_index(std::size_t lane, std::size_t corner)
{
    return (4 * corner + lane % 4) * (kLanes / 4) + lane / 4;
}
constexpr std::size_t kFloatsPerTet = 16;  // of corner_forces

/// Lanes without a tet of their own repeat another one.
struct ChunkView {
    const float* constants;  ///< block_floats() per block
    const float* barriers;   ///< kLanes per block. Or null: none
    const float* prestress;  ///< 6 kLanes per block: what is taken off the stress, see PlasticTet. Or null: nothing
    const BlockNodes* nodes;
    std::size_t blocks;
    const float* positions;   ///< 4 per node of the chunk
    const float* velocities;  ///< likewise; only read by viscous kernels
    CornerSums sums;
    float* forces;         ///< 4 per target of the nodes that are in this chunk alone
    float* shares;         ///< likewise, of the others
    float* corner_forces;  ///< of every tet, kFloatsPerTet each, see corner_index(). Or null
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
std::span<const Kernels* const> available_kernels();

}  // namespace yawara::fem
