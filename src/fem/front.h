// The active front: which tets of the forest carry the body now, who of their nodes is free, and everything the step
// needs of them in dense arrays. A pure function of the split flags, rebuilt when they change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "fem/law_elements.h"

namespace yawara::fem {

/// Nodes that a worker takes at once.
inline constexpr std::size_t kNodesPerChunk = 512;
/// Nodes or tets that there is room for from the start.
inline constexpr std::size_t kMostReserved = 1'000'000;

/// Four floats a node: x, y, z and a spare one.
using Nodal = AlignedVector<float>;
inline Vec3 get(const Nodal& values, std::size_t k)
{
    return {values[4 * k], values[4 * k + 1], values[4 * k + 2]};
}
inline void put(Nodal& values, std::size_t k, Vec3 v)
{
    values[4 * k] = v.x, values[4 * k + 1] = v.y, values[4 * k + 2] = v.z;
}
inline void add(Nodal& values, std::size_t k, Vec3 v)
{
    values[4 * k] += v.x, values[4 * k + 1] += v.y, values[4 * k + 2] += v.z;
}
/// All four at once.
using Four = float __attribute__((vector_size(16)));
inline Four get4(const float* values, std::size_t k)
{
    Four v;
    __builtin_memcpy(&v, values + 4 * k, sizeof v);
    return v;
}
inline Four get4(const Nodal& values, std::size_t k)
{
    return get4(values.data(), k);
}
inline void put4(float* values, std::size_t k, Four v)
{
    __builtin_memcpy(values + 4 * k, &v, sizeof v);
}
inline void put4(Nodal& values, std::size_t k, Four v)
{
    put4(values.data(), k, v);
}
inline Four splat(float s)
{
    return Four{s, s, s, s};
}
inline Four four(Vec3 v)
{
    return Four{v.x, v.y, v.z, 0};
}

/// What carries a node of the forest: itself if it is used, else the corners of the active tet it lies in.
struct Support {
    std::int32_t count = 0;
    std::int32_t on[4];  ///< indices in Front::used
    float weight[4];

    Vec3 mean(const Nodal& values) const
    {
        Four sum{};
        for (std::int32_t k = 0; k < count; ++k) sum += get4(values, std::size_t(on[k])) * splat(weight[k]);
        return {sum[0], sum[1], sum[2]};
    }
    void share_out(Vec3 v, Nodal& values) const
    {
        for (std::int32_t k = 0; k < count; ++k) add(values, std::size_t(on[k]), v * weight[k]);
    }
};

class Front {
public:
    explicit Front(const FemModel& model);

    /// `splits`: per tet with children, 0 if it is not split in this front. All ancestors of a split tet are split.
    void rebuild(const FemModel& model, std::span<const std::int32_t> splits, bool lumped_mass);

    // Nodes below are indices in `used`, unless they are called forest nodes.
    std::vector<std::int32_t> active;   ///< forest tets, neighbours near each other
    std::vector<std::int32_t> split;    ///< forest tets that are split, parents first
    std::vector<std::int32_t> used;     ///< forest nodes of the active tets, ascending
    std::vector<Int4> corners;          ///< of the active tets
    std::vector<std::uint8_t> is_free;  ///< per used node: has a motion of its own
    struct HangingNode {
        std::int32_t node, a, b;  ///< sits halfway between a and b
    };
    std::vector<HangingNode> hanging_nodes;  ///< ascending

    /// Index of a forest node in `used`, or -1.
    std::int32_t used_index(std::int32_t node) const
    {
        return stamp_[std::size_t(node)] == current_ ? used_index_[std::size_t(node)] : -1;
    }
    /// How many tets at the edge of midpoint n are split.
    std::int32_t split_at_edge(std::int32_t n) const
    {
        return split_stamp_[std::size_t(n)] == current_ ? split_count_[std::size_t(n)] : 0;
    }
    bool is_free_node(const TetForest& forest, std::int32_t n) const
    {
        return forest.node(n).a < 0 || split_at_edge(n) == forest.node(n).incident;
    }

    bool is_split(std::int32_t t) const
    {
        return std::size_t(t) < tet_stamp_.size() && tet_stamp_[std::size_t(t)] == current_;
    }
    Support support(const TetForest& forest, std::int32_t node) const;

    /// Free nodes that determine a used node, with weights that sum to one.
    struct WeightedNode {
        std::int32_t node;
        float weight;
    };
    std::span<const WeightedNode> free_nodes_of(std::size_t k) const
    {
        return {free_nodes_.data() + free_node_offsets_[k],
                std::size_t(free_node_offsets_[k + 1] - free_node_offsets_[k])};
    }

    /// Hanging nodes to the middle of their parents.
    void interpolate(Nodal& values) const;
    /// Forces of hanging nodes to their parents, half each; what a hanging node keeps is meaningless.
    void restrict_to_free(Nodal& values) const;

    /// Mass matrix of the free nodes, T^T diag(m) T: a diagonal and the rest by rows. Rows of hanging nodes are empty.
    std::vector<float> mass_diagonal;
    std::vector<std::int32_t> mass_offsets, mass_columns;
    std::vector<float> mass_values;
    std::vector<double> exact_diagonal, exact_values;  ///< the same before rounding, for sums
    bool diagonal_mass() const { return mass_values.empty(); }
    std::uint64_t revision = 0;  ///< of the mass matrix: grows with every rebuild, never the same in two fronts
    /// out = M values for the free nodes.
    void apply_mass(const Nodal& values, Nodal& out) const;

    /// Per active tet; empty: no plastic strain. `finest`: of every finest tet.
    std::vector<PlasticTet> plastic;
    void take_plastic(const FemModel& model, std::span<const float> finest);
    void set_plastic(std::size_t k, const PlasticTet& tet);

    /// What forces and energies come from, if the elements are not plain St. Venant-Kirchhoff tets; else unused.
    LawElements laws;
    /// The elements that the matrix of an implicit step is summed over, and the used nodes of each.
    std::size_t element_count() const { return laws.count() > 0 ? laws.count() : corners.size(); }
    std::span<const std::int32_t> element_nodes(std::size_t e) const
    {
        return laws.count() > 0 ? laws.nodes(e) : std::span<const std::int32_t>(corners[e]);
    }

    /// Internal forces of all used nodes, before restriction. `corner_forces`, if not null, gets those of every tet,
    /// see ChunkView.
    void forces(const FemModel& model, const Nodal& positions, const Nodal& velocities, bool barrier, Nodal& out,
                AlignedVector<float>* corner_forces, const Kernels& with = kernels());
    /// The force on a corner of active tet k in corner_forces, as a four.
    Four corner_force(const AlignedVector<float>& corner_forces, std::size_t k, std::size_t corner) const
    {
        return get4(corner_forces, k / kLanes * kLanes * 4 + corner_index(k % kLanes, corner));
    }

private:
    void number_nodes(const TetForest& forest);
    void find_free_nodes();
    void assemble_mass(const FemModel& model, bool lumped);
    void sum_mass(const FemModel& model, bool lumped);
    void pack_sums(std::size_t chunk, std::int32_t& shares);
    void pack_constants(const FemModel& model, std::size_t k, std::size_t block, std::size_t lane);
    void pack_chunks(const FemModel& model);

    std::vector<std::int32_t> used_index_, split_count_;
    std::vector<std::uint32_t> stamp_, split_stamp_;  ///< entries of the two above are valid if theirs is current
    std::vector<std::uint32_t> tet_stamp_;            ///< per tet with children: current if it is split
    std::uint32_t current_ = 0;
    std::vector<WeightedNode> free_nodes_;
    std::vector<std::int32_t> free_node_offsets_;

    struct Chunk {
        std::size_t first_tet, last_tet;
        std::size_t first_slot, slots;  ///< slots: copies of nodes that belong to the chunk alone
        std::size_t first_run, own_runs, runs, first_target;
    };
    std::vector<Chunk> chunks_;
    bool copies_ = false;                    ///< whether chunks copy positions and velocities to their slots
    std::vector<std::int32_t> slot_nodes_;   ///< used node of each slot; with one chunk slots are used nodes
    std::vector<std::int32_t> slot_counts_;  ///< per used node, with more than one chunk
    /// Used nodes that several chunks have, and per node which of share_forces_ add up to its force.
    std::vector<std::int32_t> shared_nodes_, share_offsets_, shares_;
    AlignedVector<float> constants_, barriers_, prestress_;
    AlignedVector<BlockNodes> block_nodes_;
    std::vector<SumRun> runs_;  ///< this and the next: see CornerSums
    std::vector<std::uint16_t> sum_corners_;
    std::vector<std::uint32_t> sum_targets_;
    Nodal slot_positions_, slot_velocities_, share_forces_;
    struct {
        std::vector<std::int32_t> slot;    ///< per used node: of the last chunk it is in
        std::vector<std::int32_t> number;  ///< per slot of a chunk: among `nodes`, or -1
        std::vector<std::int32_t> nodes, tets, next;
    } packing_;  ///< scratch

    // scratch of the mass matrix
    struct Use {
        std::int32_t corner;  ///< corner of an active tet; -1: the mass is that of a hanging node
        std::int32_t of;      ///< the active tet, or the hanging node
        float weight;
    };
    std::vector<Use> uses_;
    std::vector<std::int32_t> use_offsets_, column_of_;
    std::vector<double> column_value_;
    std::vector<std::int32_t> row_columns_;
};

}  // namespace yawara::fem
