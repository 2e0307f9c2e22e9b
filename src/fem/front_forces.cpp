// The force loop of a front: its tets packed for the kernels in chunks, and the sum over the chunks.
#include <algorithm>

#include "core/parallel.h"
#include "fem/front.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kForceNodesPerChunk = 160;
/// Of so few nodes chunks read the positions where they are: they stay in the cache.
constexpr std::size_t kMostInPlace = 2048;

/// Tets of every chunk but the last: as many in each, and some chunks for every thread if there are enough. Of two
/// small chunks the first one is larger: who has it begins earlier, and does not have to report.
std::size_t chunk_tets(std::size_t count)
{
    if (count < kFewestForTwo) return kTetsPerChunk;
    if (count <= kTetsPerChunk) return chunk_count(count * 10 / 16, kLanes) * kLanes;
    const std::size_t full = chunk_count(count, kTetsPerChunk), wanted = std::min<std::size_t>(8, count / 1024);
    const std::size_t chunks = (std::max(full, wanted) + 1) / 2 * 2;
    return chunk_count(chunk_count(count, chunks), kLanes) * kLanes;
}

}  // namespace

/// Which corners of the tets of a chunk are which node's: own nodes first, then by falling number of tets.
void Front::pack_sums(std::size_t c, std::int32_t& shares)
{
    auto& [slot, number, nodes, tets, next] = packing_;
    Chunk& chunk = chunks_[c];
    const std::size_t first = chunk.first_tet, last = chunk.last_tet;
    const auto place_of = [&](std::size_t k, std::size_t a) {
        return block_nodes_[k / kLanes].node[a][k % kLanes] / 2;
    };
    nodes.clear(), tets.clear();
    std::int32_t most = 0;
    for (std::size_t k = first; k < last; ++k)
        for (std::size_t a = 0; a < 4; ++a) {
            const std::int32_t place = place_of(k, a);
            std::int32_t& n = number[std::size_t(place)];
            if (n < 0) {
                n = std::int32_t(nodes.size());
                nodes.push_back(place), tets.push_back(0);
            }
            most = std::max(most, ++tets[std::size_t(n)]);
        }
    chunk.first_run = runs_.size(), chunk.first_target = sum_targets_.size();
    next.resize(nodes.size());  // where the next corner of a node goes
    std::size_t corner = 4 * first;
    const bool single = chunks_.size() == 1;
    const auto used_node = [&](std::int32_t place) {
        return single ? place : slot_nodes_[chunk.first_slot + std::size_t(place)];
    };
    for (const bool shared : {false, true}) {
        if (shared) chunk.own_runs = runs_.size() - chunk.first_run;
        for (std::int32_t count = most; count > 0; --count) {
            const std::size_t before = sum_targets_.size();
            for (std::size_t n = 0; n < nodes.size(); ++n) {
                if (tets[n] != count) continue;
                const std::int32_t node = used_node(nodes[n]);
                if ((!single && slot_counts_[std::size_t(node)] > 1) != shared) continue;
                if (shared) slot[chunk.first_slot + std::size_t(nodes[n])] = shares;
                sum_targets_.push_back(2 * std::uint32_t(shared ? shares++ : node));
                next[n] = std::int32_t(corner);
                corner += std::size_t(count);
            }
            const std::size_t found = sum_targets_.size() - before;
            if (found > 0) runs_.push_back({std::uint16_t(count), std::uint16_t(found)});
        }
    }
    chunk.runs = runs_.size() - chunk.first_run;
    for (std::size_t k = first; k < last; ++k)
        for (std::size_t a = 0; a < 4; ++a) {
            const std::size_t at = (k - first) / kLanes * 4 * kLanes + corner_index(k % kLanes, a);
            sum_corners_[std::size_t(next[std::size_t(number[std::size_t(place_of(k, a))])]++)] = std::uint16_t(2 * at);
        }
    for (const std::int32_t place : nodes) number[std::size_t(place)] = -1;
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
    const std::size_t count = active.size(), size = chunk_tets(count);
    const std::size_t blocks = chunk_count(count, kLanes);
    constants_.resize(blocks * block_floats(model.isotropic, model.viscous));
    barriers_.resize(blocks * kLanes);
    block_nodes_.resize(blocks);
    sum_corners_.resize(4 * count);
    chunks_.clear(), runs_.clear(), slot_nodes_.clear(), sum_targets_.clear();
    std::vector<std::int32_t>& slot = packing_.slot;
    const bool single = count <= size;  // slots are the used nodes themselves
    slot.assign(single ? 0 : used.size(), -1);
    slot_counts_.assign(single ? 0 : used.size(), 0);
    for (std::size_t first = 0; first < count; first += size) {
        const std::size_t last = std::min(count, first + size), first_slot = slot_nodes_.size();
        for (std::size_t k = first; k < first + chunk_count(last - first, kLanes) * kLanes; ++k) {
            const std::size_t block = k / kLanes, lane = k % kLanes, tet = std::min(k, last - 1);
            for (std::size_t a = 0; a < 4; ++a) {
                const std::int32_t node = corners[tet][a];
                std::int32_t place = node;
                if (!single) {
                    std::int32_t& mark = slot[std::size_t(node)];
                    if (mark < std::int32_t(first_slot)) {  // in an earlier chunk, if any
                        mark = std::int32_t(slot_nodes_.size());
                        slot_nodes_.push_back(node);
                        ++slot_counts_[std::size_t(node)];
                    }
                    place = mark - std::int32_t(first_slot);
                }
                block_nodes_[block].node[a][lane] = std::uint16_t(2 * place);
            }
            pack_constants(model, tet, block, lane);
        }
        chunks_.push_back({first, last, first_slot, slot_nodes_.size() - first_slot, 0, 0, 0, 0});
    }
    slot.assign(slot_nodes_.size(), -1);  // from here on: the share of each slot, or -1
    std::int32_t shares = 0;
    for (std::size_t c = 0; c < chunks_.size(); ++c) pack_sums(c, shares);
    copies_ = false;
    if (single) return;
    shared_nodes_.clear();
    share_offsets_.assign(1, 0);
    // In the order of the chunks, so that a thread finds most of what it sums in its cache.
    for (std::size_t s = 0; s < slot_nodes_.size(); ++s) {
        std::int32_t& copies = slot_counts_[std::size_t(slot_nodes_[s])];
        if (copies < 2) continue;
        shared_nodes_.push_back(slot_nodes_[s]);
        share_offsets_.push_back(share_offsets_.back() + copies);
        copies = 0;
    }
    for (std::size_t n = 0; n < shared_nodes_.size(); ++n)  // from here on: where the next share of a node goes
        slot_counts_[std::size_t(shared_nodes_[n])] = share_offsets_[n];
    shares_.resize(std::size_t(shares));
    for (std::size_t s = 0; s < slot_nodes_.size(); ++s)
        if (slot[s] >= 0) shares_[std::size_t(slot_counts_[std::size_t(slot_nodes_[s])]++)] = slot[s];
    share_forces_.resize(4 * std::size_t(shares));
    copies_ = used.size() > kMostInPlace;
    if (!copies_) {
        for (const Chunk& chunk : chunks_)
            for (std::size_t b = chunk.first_tet / kLanes; b < chunk_count(chunk.last_tet, kLanes); ++b)
                for (auto& corner : block_nodes_[b].node)
                    for (std::uint16_t& at : corner)
                        at = std::uint16_t(2 * slot_nodes_[chunk.first_slot + std::size_t(at / 2)]);
        return;
    }
    slot_positions_.resize(4 * slot_nodes_.size());
    slot_velocities_.resize(model.viscous ? 4 * slot_nodes_.size() : 0);
}

void Front::forces(const FemModel& model, const Nodal& positions, const Nodal& velocities, bool barrier, Nodal& out,
                   AlignedVector<float>* corner_forces, const Kernels& with)
{
    if (corner_forces) corner_forces->resize(kFloatsPerTet * kLanes * chunk_count(active.size(), kLanes));
    if (model.law) {
        laws.forces(positions, velocities, barrier, out);
        for (std::size_t k = 0; corner_forces && k < 4 * active.size(); ++k) {
            const std::size_t t = k / 4, at = t / kLanes * kLanes * 4 + corner_index(t % kLanes, k % 4);
            put4(*corner_forces, at, four(-laws.gradients()[k].as<float>()));
        }
        return;
    }
    const auto chunk_forces = [this, kernel = with.forces[model.isotropic][model.viscous],
                               constants = block_floats(model.isotropic, model.viscous), viscous = model.viscous,
                               positions = positions.data(), velocities = velocities.data(), barrier, out = out.data(),
                               corner_forces = corner_forces ? corner_forces->data() : nullptr](std::size_t c) {
        const FlushDenormals flush;
        const Chunk& chunk = chunks_[c];
        const float *x = positions, *v = velocities;
        if (copies_) {
            for (std::size_t s = chunk.first_slot; s < chunk.first_slot + chunk.slots; ++s) {
                const auto n = std::size_t(slot_nodes_[s]);
                put4(slot_positions_, s, get4(positions, n));
                if (viscous) put4(slot_velocities_, s, get4(velocities, n));
            }
            x = &slot_positions_[4 * chunk.first_slot];
            if (viscous) v = &slot_velocities_[4 * chunk.first_slot];
        }
        const std::size_t block = chunk.first_tet / kLanes;
        kernel({&constants_[block * constants],
                barrier ? &barriers_[block * kLanes] : nullptr,
                prestress_.empty() ? nullptr : &prestress_[block * 6 * kLanes],
                &block_nodes_[block],
                chunk_count(chunk.last_tet - chunk.first_tet, kLanes),
                x,
                v,
                {&runs_[chunk.first_run], chunk.own_runs, chunk.runs, &sum_corners_[4 * chunk.first_tet],
                 &sum_targets_[chunk.first_target]},
                out,
                share_forces_.data(),
                corner_forces ? corner_forces + block * kLanes * kFloatsPerTet : nullptr});
    };
    if (chunks_.size() == 1) return chunk_forces(0);
    for_each_in_parallel(chunks_.size(), chunk_forces);
    for_each_chunk(shared_nodes_.size(), kForceNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            Four sum = get4(share_forces_, std::size_t(shares_[std::size_t(share_offsets_[n])]));
            for (std::int32_t k = share_offsets_[n] + 1; k < share_offsets_[n + 1]; ++k)
                sum += get4(share_forces_, std::size_t(shares_[std::size_t(k)]));
            put4(out, std::size_t(shared_nodes_[n]), sum);
        }
    });
}

}  // namespace yawara::fem
