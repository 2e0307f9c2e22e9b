// The force loop of a front: its tets packed for the kernels in chunks, and the sum over the chunks.
#include <algorithm>

#include "core/parallel.h"
#include "fem/front.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kNodesPerChunk = 512;

}  // namespace

/// Which corners of the tets of a chunk are which node's: nodes with the most tets first. Returns how many runs.
std::size_t Front::pack_sums(std::size_t first, std::size_t last)
{
    auto& [slot, number, nodes, tets, next] = packing_;
    const auto node_of = [&](std::size_t k, std::size_t a) { return block_nodes_[k / kLanes].node[a][k % kLanes]; };
    nodes.clear(), tets.clear();
    std::int32_t most = 0;
    for (std::size_t k = first; k < last; ++k)
        for (std::size_t a = 0; a < 4; ++a) {
            const std::uint16_t node = node_of(k, a);
            std::int32_t& n = number[node / 2];
            if (n < 0) {
                n = std::int32_t(nodes.size());
                nodes.push_back(node), tets.push_back(0);
            }
            most = std::max(most, ++tets[std::size_t(n)]);
        }
    const std::size_t first_run = runs_.size();
    const std::size_t first_target = sum_targets_.size();
    sum_targets_.resize(first_target + nodes.size());
    next.resize(nodes.size());  // where the next corner of a node goes
    std::size_t target = first_target, corner = 4 * first;
    for (std::int32_t count = most; count > 0; --count) {
        const std::size_t before = target;
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            if (tets[n] != count) continue;
            sum_targets_[target++] = std::uint16_t(nodes[n]);
            next[n] = std::int32_t(corner);
            corner += std::size_t(count);
        }
        if (target > before) runs_.push_back({std::uint16_t(count), std::uint16_t(target - before)});
    }
    for (std::size_t k = first; k < last; ++k)
        for (std::size_t a = 0; a < 4; ++a) {
            const std::size_t at = (k - first) / kLanes * 4 * kLanes + corner_index(k % kLanes, a);
            sum_corners_[std::size_t(next[std::size_t(number[node_of(k, a) / 2])]++)] = std::uint16_t(2 * at);
        }
    for (const std::int32_t node : nodes) number[std::size_t(node / 2)] = -1;
    return runs_.size() - first_run;
}

void Front::pack_constants(const FemModel& model, std::size_t k, std::size_t block, std::size_t lane)
{
    const std::size_t per_tensor = model.isotropic ? 2 : 21;
    const TetConstants& from = model.constants[std::size_t(active[k])];
    float* to = &constants_[block * block_floats(model.isotropic, model.viscous) + lane];
    const auto put = [&](const float* values, std::size_t count) {
        for (std::size_t j = 0; j < count; ++j, to += kLanes) *to = values[j];
    };
    put(from.inverse_edges, 6);
    put(from.elasticity, per_tensor);
    if (model.viscous) put(from.viscosity, per_tensor);
    barriers_[block * kLanes + lane] = from.barrier;
}

void Front::pack_chunks(const FemModel& model)
{
    static_assert(kTetsPerChunk % kLanes == 0 && 8 * kTetsPerChunk < 65536);
    const std::size_t count = active.size(), chunks = chunk_count(count, kTetsPerChunk);
    const std::size_t blocks = chunk_count(count, kLanes);
    constants_.resize(blocks * block_floats(model.isotropic, model.viscous));
    barriers_.resize(blocks * kLanes);
    block_nodes_.resize(blocks);
    sum_corners_.resize(4 * count);
    chunks_.clear(), runs_.clear(), slot_nodes_.clear(), sum_targets_.clear();
    std::vector<std::int32_t>& slot = packing_.slot;
    const bool single = chunks == 1;  // slots are the used nodes themselves
    slot.assign(single ? 0 : used.size(), -1);
    for (std::size_t c = 0; c < chunks; ++c) {
        const std::size_t first = c * kTetsPerChunk, last = std::min(count, first + kTetsPerChunk);
        Chunk& chunk = chunks_.emplace_back();
        chunk = {
            first / kLanes,     chunk_count(last - first, kLanes), slot_nodes_.size(), used.size(), runs_.size(), 0,
            sum_targets_.size()};
        for (std::size_t k = first; k < first + chunk.blocks * kLanes; ++k) {
            const std::size_t block = k / kLanes, lane = k % kLanes, tet = std::min(k, last - 1);
            for (std::size_t a = 0; a < 4; ++a) {
                const std::int32_t node = corners[tet][a];
                std::int32_t place = node;
                if (!single) {
                    std::int32_t& mark = slot[std::size_t(node)];
                    if (mark < std::int32_t(chunk.first_slot)) {  // in an earlier chunk, if any
                        mark = std::int32_t(slot_nodes_.size());
                        slot_nodes_.push_back(node);
                    }
                    place = mark - std::int32_t(chunk.first_slot);
                }
                block_nodes_[block].node[a][lane] = std::uint16_t(2 * place);
            }
            pack_constants(model, tet, block, lane);
        }
        if (!single) chunk.slots = slot_nodes_.size() - chunk.first_slot;
        chunk.runs = pack_sums(first, last);
    }
    if (chunks == 1) return;
    node_offsets_.assign(used.size() + 1, 0);
    for (const std::int32_t n : slot_nodes_) ++node_offsets_[std::size_t(n) + 1];
    for (std::size_t k = 0; k < used.size(); ++k) node_offsets_[k + 1] += node_offsets_[k];
    node_slots_.resize(slot_nodes_.size());
    slot.assign(node_offsets_.begin(), node_offsets_.end() - 1);
    for (std::size_t s = 0; s < slot_nodes_.size(); ++s)
        node_slots_[std::size_t(slot[std::size_t(slot_nodes_[s])]++)] = std::int32_t(s);
    slot_positions_.resize(4 * slot_nodes_.size());
    slot_velocities_.resize(model.viscous ? 4 * slot_nodes_.size() : 0);
    slot_forces_.resize(4 * slot_nodes_.size());
}

void Front::forces(const FemModel& model, const Nodal& positions, const Nodal& velocities, bool barrier, Nodal& out,
                   AlignedVector<float>* corner_forces, const Kernels& with)
{
    const auto kernel = with.forces[model.isotropic][model.viscous];
    const std::size_t constants = block_floats(model.isotropic, model.viscous);
    if (corner_forces) corner_forces->resize(kFloatsPerTet * kLanes * block_nodes_.size());
    const bool single = chunks_.size() == 1;
    for_each_chunk(chunks_.size(), 1, [&](std::size_t c, std::size_t, std::size_t) {
        const Chunk& chunk = chunks_[c];
        if (!single)
            for (std::size_t s = chunk.first_slot; s < chunk.first_slot + chunk.slots; ++s) {
                const std::size_t n = 4 * std::size_t(slot_nodes_[s]);
                __builtin_memcpy(&slot_positions_[4 * s], &positions[n], 16);
                if (model.viscous) __builtin_memcpy(&slot_velocities_[4 * s], &velocities[n], 16);
            }
        const Nodal& x = single ? positions : slot_positions_;
        const Nodal& v = single || !model.viscous ? velocities : slot_velocities_;
        kernel({&constants_[chunk.first_block * constants],
                barrier ? &barriers_[chunk.first_block * kLanes] : nullptr,
                &block_nodes_[chunk.first_block],
                chunk.blocks,
                &x[4 * chunk.first_slot],
                model.viscous ? &v[4 * chunk.first_slot] : nullptr,
                {&runs_[chunk.first_run], chunk.runs, &sum_corners_[4 * c * kTetsPerChunk],
                 &sum_targets_[chunk.first_target]},
                &(single ? out : slot_forces_)[4 * chunk.first_slot],
                corner_forces ? &(*corner_forces)[chunk.first_block * kLanes * kFloatsPerTet] : nullptr});
    });
    if (single) return;
    for_each_chunk(used.size(), kNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            Four sum{};
            for (std::int32_t k = node_offsets_[n]; k < node_offsets_[n + 1]; ++k)
                sum += get4(slot_forces_, std::size_t(node_slots_[std::size_t(k)]));
            put4(out, n, sum);
        }
    });
}

}  // namespace yawara::fem
