#include "fem/front.h"

#include <algorithm>
#include <atomic>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kNodesPerChunk = 512;
constexpr std::size_t kMostReserved = 1'000'000;
constexpr std::size_t kMassRow =
    24;  // entries of a row of the mass matrix beside its diagonal, more than it has on average

}  // namespace

Front::Front(const FemModel& model)
    : place_(model.forest.node_count()),
      split_count_(model.forest.node_count()),
      stamp_(model.forest.node_count(), 0),
      split_stamp_(model.forest.node_count(), 0),
      tet_stamp_(model.forest.inner_count(), 0)
{
    // Room for the finest front, so that no change of it allocates. Pages that are never used cost nothing; of bodies
    // so large that this could hurt the arrays grow as they are needed.
    const TetForest& forest = model.forest;
    const std::size_t tets = std::min(forest.count_of(forest.levels()), kMostReserved);
    const std::size_t nodes = std::min(forest.node_count(), kMostReserved);
    const std::size_t blocks = chunk_count(tets, kLanes) + chunk_count(tets, kTetsPerChunk);
    const std::size_t slots = tets > kTetsPerChunk ? std::min(4 * tets, 8 * nodes) : 0;
    active.reserve(tets), corners.reserve(tets), split.reserve(forest.inner_count());
    used.reserve(nodes), is_free.reserve(nodes), slaves.reserve(nodes);
    masters_.reserve(4 * nodes), master_offsets_.reserve(nodes + 1);
    mass_diagonal.reserve(nodes), mass_offsets.reserve(nodes + 1);
    mass_columns.reserve(kMassRow * nodes), mass_values.reserve(kMassRow * nodes);
    exact_diagonal.reserve(nodes), exact_values.reserve(kMassRow * nodes);
    uses_.reserve(8 * tets), use_offsets_.reserve(nodes + 1), column_of_.reserve(nodes + 1);
    column_value_.reserve(nodes), row_columns_.reserve(nodes), chunk_mark_.reserve(nodes + 1);
    chunks_.reserve(chunk_count(tets, kTetsPerChunk));
    constants_.reserve(blocks * block_floats(model.isotropic, model.viscous)), block_nodes_.reserve(blocks);
    slot_nodes_.reserve(slots), node_slots_.reserve(slots), node_offsets_.reserve(nodes + 1);
    slot_positions_.reserve(4 * slots), slot_forces_.reserve(4 * slots);
    slot_velocities_.reserve(model.viscous ? 4 * slots : 0);
}

void Front::rebuild(const FemModel& model, std::span<const std::int32_t> splits, bool lumped_mass)
{
    const TetForest& forest = model.forest;
    ++current_;
    static std::atomic<std::uint64_t> revisions{0};
    revision = ++revisions;
    active.clear();
    split.clear();
    // Depth first along the curve of level 0: children stay together.
    const auto visit = [&](auto&& self, std::int32_t t, int level) -> void {
        if (std::size_t(t) >= forest.inner_count() || splits[std::size_t(t)] == 0) {
            active.push_back(t);
            return;
        }
        split.push_back(t);
        tet_stamp_[std::size_t(t)] = current_;
        for (const std::int32_t m : forest.midpoints(t)) {
            if (split_stamp_[std::size_t(m)] != current_) {
                split_stamp_[std::size_t(m)] = current_;
                split_count_[std::size_t(m)] = 0;
            }
            ++split_count_[std::size_t(m)];
        }
        const std::int32_t first = forest.first_of(level + 1) + 8 * (t - forest.first_of(level));
        for (std::int32_t c = first; c < first + 8; ++c) self(self, c, level + 1);
    };
    for (const std::int32_t t : model.base_order) visit(visit, t, 0);
    number_nodes(forest);
    find_masters();
    assemble_mass(model, lumped_mass);
    pack_chunks(model);
}

void Front::number_nodes(const TetForest& forest)
{
    used.clear();
    for (const std::int32_t t : active)
        for (const std::int32_t n : forest.tet(t))
            if (stamp_[std::size_t(n)] != current_) {
                stamp_[std::size_t(n)] = current_;
                used.push_back(n);
            }
    std::sort(used.begin(), used.end());
    for (std::size_t k = 0; k < used.size(); ++k) place_[std::size_t(used[k])] = std::int32_t(k);
    corners.resize(active.size());
    for (std::size_t k = 0; k < active.size(); ++k)
        for (std::size_t a = 0; a < 4; ++a) corners[k][a] = place_[std::size_t(forest.tet(active[k])[a])];
    is_free.assign(used.size(), 0);
    slaves.clear();
    for (std::size_t k = 0; k < used.size(); ++k) {
        is_free[k] = is_free_node(forest, used[k]);
        if (is_free[k]) continue;
        const ForestNode& node = forest.node(used[k]);
        slaves.push_back({std::int32_t(k), place_[std::size_t(node.a)], place_[std::size_t(node.b)]});
    }
}

void Front::find_masters()
{
    masters_.clear();
    master_offsets_.assign(1, 0);
    std::size_t next_slave = 0;
    for (std::size_t k = 0; k < used.size(); ++k) {
        if (is_free[k]) {
            masters_.push_back({std::int32_t(k), 1.0f});
        } else {
            const Slave& slave = slaves[next_slave++];
            const std::size_t first = masters_.size();
            for (const std::int32_t parent : {slave.a, slave.b})
                for (std::int32_t m = master_offsets_[std::size_t(parent)];
                     m < master_offsets_[std::size_t(parent) + 1]; ++m) {
                    const Master master = masters_[std::size_t(m)];
                    auto same = std::find_if(masters_.begin() + std::ptrdiff_t(first), masters_.end(),
                                             [&](const Master& other) { return other.node == master.node; });
                    if (same != masters_.end())
                        same->weight += master.weight / 2;
                    else
                        masters_.push_back({master.node, master.weight / 2});
                }
        }
        master_offsets_.push_back(std::int32_t(masters_.size()));
    }
}

Support Front::support(const TetForest& forest, std::int32_t node) const
{
    Support support;
    const auto rest_on = [&](std::int32_t n, float weight) {
        const std::int32_t k = place(n);
        std::int32_t i = 0;
        while (i < support.count && support.on[i] != k) ++i;
        if (i == support.count) support.on[support.count++] = k, support.weight[i] = 0;
        support.weight[i] += weight;
    };
    if (place(node) >= 0) {
        rest_on(node, 1);
        return support;
    }
    // No tet at its edge is split, or it would be used; one of their ancestors is active.
    std::int32_t t = forest.tets_at_edge(node)[0];
    for (std::int32_t parent = forest.parent(t); parent >= 0 && !is_split(parent); parent = forest.parent(t))
        t = parent;
    const Int4& corners_of = forest.tet(t);
    const auto descend = [&](auto&& self, std::int32_t n, float weight) -> void {
        if (std::find(corners_of.begin(), corners_of.end(), n) != corners_of.end()) return rest_on(n, weight);
        self(self, forest.node(n).a, weight / 2);
        self(self, forest.node(n).b, weight / 2);
    };
    descend(descend, node, 1);
    return support;
}

void Front::interpolate(Nodal& values) const
{
    for (const Slave& s : slaves)
        put4(values, std::size_t(s.node),
             (get4(values, std::size_t(s.a)) + get4(values, std::size_t(s.b))) * splat(0.5f));
}

void Front::restrict_to_free(Nodal& values) const
{
    for (std::size_t k = slaves.size(); k-- > 0;) {
        const Slave& s = slaves[k];
        const Four half = get4(values, std::size_t(s.node)) * splat(0.5f);
        put4(values, std::size_t(s.a), get4(values, std::size_t(s.a)) + half);
        put4(values, std::size_t(s.b), get4(values, std::size_t(s.b)) + half);
    }
}

void Front::assemble_mass(const FemModel& model, bool lumped)
{
    exact_diagonal.assign(used.size(), 0.0);
    mass_offsets.assign(used.size() + 1, 0);
    mass_columns.clear();
    exact_values.clear();
    sum_mass(model, lumped);
    mass_diagonal.assign(exact_diagonal.begin(), exact_diagonal.end());
    mass_values.assign(exact_values.begin(), exact_values.end());
}

void Front::sum_mass(const FemModel& model, bool lumped)
{
    const std::int32_t finest = model.forest.first_of(model.forest.levels());
    const bool all_finest = std::all_of(active.begin(), active.end(), [&](std::int32_t t) { return t >= finest; });
    const auto entry = [](const std::array<double, 10>& m, int a, int b) {
        return a >= b ? m[std::size_t(a * (a + 1) / 2 + b)] : m[std::size_t(b * (b + 1) / 2 + a)];
    };
    if (all_finest || lumped) {
        for (std::size_t k = 0; k < active.size(); ++k) {
            const auto& m = model.tet_masses[std::size_t(active[k])];
            for (int a = 0; a < 4; ++a) {
                double sum = 0;
                for (int b = 0; b < 4; ++b) sum += entry(m, a, b);
                for (const Master& master : masters(std::size_t(corners[k][std::size_t(a)])))
                    exact_diagonal[std::size_t(master.node)] += double(master.weight) * sum;
            }
        }
        return;
    }
    // The mass of finest tets sits at their corners. Most of these are free; what hanging ones have is shared out.
    std::vector<double>& own = exact_diagonal;
    for (std::size_t k = 0; k < active.size(); ++k) {
        if (active[k] < finest) continue;
        const auto& m = model.tet_masses[std::size_t(active[k])];
        for (int a = 0; a < 4; ++a) own[std::size_t(corners[k][std::size_t(a)])] += entry(m, a, a);
    }
    // Which coarser tets and hanging masses each free node is part of, directly or through slaves.
    use_offsets_.assign(used.size() + 1, 0);
    const auto for_each_use = [&](const auto& then) {
        for (std::size_t k = 0; k < active.size(); ++k)
            for (int a = 0; a < 4 && active[k] < finest; ++a)
                for (const Master& master : masters(std::size_t(corners[k][std::size_t(a)])))
                    then(master.node, Use{a, std::int32_t(k), master.weight});
        for (const Slave& slave : slaves)
            if (own[std::size_t(slave.node)] > 0)
                for (const Master& master : masters(std::size_t(slave.node)))
                    then(master.node, Use{-1, slave.node, master.weight});
    };
    for_each_use([&](std::int32_t node, const Use&) { ++use_offsets_[std::size_t(node) + 1]; });
    for (std::size_t k = 0; k < used.size(); ++k) use_offsets_[k + 1] += use_offsets_[k];
    uses_.resize(std::size_t(use_offsets_.back()));
    column_of_.assign(use_offsets_.begin(), use_offsets_.end() - 1);
    for_each_use([&](std::int32_t node, const Use& use) { uses_[std::size_t(column_of_[std::size_t(node)]++)] = use; });

    column_value_.assign(used.size(), 0.0);
    column_of_.assign(used.size(), -1);  // last row that touched a column
    for (std::size_t row = 0; row < used.size(); ++row) {
        row_columns_.clear();
        const auto couple = [&](std::int32_t node, double mass) {
            for (const Master& master : masters(std::size_t(node))) {
                const auto column = std::size_t(master.node);
                if (column_of_[column] != std::int32_t(row)) {
                    column_of_[column] = std::int32_t(row);
                    column_value_[column] = 0;
                    row_columns_.push_back(master.node);
                }
                column_value_[column] += double(master.weight) * mass;
            }
        };
        for (std::int32_t u = use_offsets_[row]; u < use_offsets_[row + 1]; ++u) {
            const Use& use = uses_[std::size_t(u)];
            const auto of = std::size_t(use.of);
            if (use.corner < 0) {
                couple(use.of, own[of] * double(use.weight));
                continue;
            }
            const auto& m = model.tet_masses[std::size_t(active[of])];
            for (int b = 0; b < 4; ++b)
                couple(corners[of][std::size_t(b)], entry(m, use.corner, b) * double(use.weight));
        }
        for (const std::int32_t column : row_columns_) {
            if (column == std::int32_t(row)) {
                exact_diagonal[row] += column_value_[row];
            } else {
                mass_columns.push_back(column);
                exact_values.push_back(column_value_[std::size_t(column)]);
            }
        }
        mass_offsets[row + 1] = std::int32_t(mass_columns.size());
    }
    for (const Slave& slave : slaves) own[std::size_t(slave.node)] = 0;
}

void Front::apply_mass(const Nodal& values, Nodal& out) const
{
    for_each_chunk(used.size(), kNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            Four sum = get4(values, row) * splat(mass_diagonal[row]);
            for (std::int32_t k = mass_offsets[row]; k < mass_offsets[row + 1]; ++k)
                sum += get4(values, std::size_t(mass_columns[std::size_t(k)])) * splat(mass_values[std::size_t(k)]);
            put4(out, row, sum);
        }
    });
}

void Front::pack_chunks(const FemModel& model)
{
    const std::size_t constants = block_floats(model.isotropic, model.viscous) / kLanes;
    const std::size_t per_tensor = model.isotropic ? 2 : 21;
    const std::size_t count = active.size(), chunks = chunk_count(count, kTetsPerChunk);
    const std::size_t blocks = chunk_count(count, kLanes);
    static_assert(kTetsPerChunk % kLanes == 0 && 4 * kTetsPerChunk < 65536);
    constants_.resize(blocks * constants * kLanes);
    block_nodes_.resize(blocks);
    chunks_.clear();
    slot_nodes_.clear();
    const bool single = chunks == 1;  // slots are the used nodes themselves
    chunk_mark_.assign(single ? 0 : used.size(), -1);
    for (std::size_t c = 0; c < chunks; ++c) {
        const std::size_t first = c * kTetsPerChunk, last = std::min(count, first + kTetsPerChunk);
        Chunk& chunk = chunks_.emplace_back();
        chunk = {first / kLanes, chunk_count(last - first, kLanes), slot_nodes_.size(), 0};
        for (std::size_t place = first; place < first + chunk.blocks * kLanes; ++place) {
            const auto [block, lane] = place_in_blocks(place);
            const bool real = place < last;
            const std::size_t k = real ? place : last - 1;
            for (std::size_t a = 0; a < 4; ++a) {
                const std::int32_t node = corners[k][a];
                std::int32_t slot = node;
                if (!single) {
                    std::int32_t& mark = chunk_mark_[std::size_t(node)];
                    if (mark < std::int32_t(chunk.first_slot)) {
                        mark = std::int32_t(slot_nodes_.size());
                        slot_nodes_.push_back(node);
                    }
                    slot = mark - std::int32_t(chunk.first_slot);
                }
                block_nodes_[block].node[a][lane] = std::uint16_t(slot);
            }
            const TetConstants& from = model.constants[std::size_t(active[k])];
            float* to = &constants_[block * constants * kLanes + lane];
            for (std::size_t j = 0; j < 9; ++j) to[j * kLanes] = from.inverse_edges[j];
            to[9 * kLanes] = real ? from.barrier : 0.0f;
            for (std::size_t j = 0; j < per_tensor; ++j) {
                to[(10 + j) * kLanes] = real ? from.elasticity[j] : 0.0f;
                if (model.viscous) to[(10 + per_tensor + j) * kLanes] = real ? from.viscosity[j] : 0.0f;
            }
        }
        chunk.slots = single ? used.size() : slot_nodes_.size() - chunk.first_slot;
    }
    if (single) return;
    node_offsets_.assign(used.size() + 1, 0);
    for (const std::int32_t n : slot_nodes_) ++node_offsets_[std::size_t(n) + 1];
    for (std::size_t k = 0; k < used.size(); ++k) node_offsets_[k + 1] += node_offsets_[k];
    node_slots_.resize(slot_nodes_.size());
    chunk_mark_.assign(node_offsets_.begin(), node_offsets_.end() - 1);
    for (std::size_t s = 0; s < slot_nodes_.size(); ++s)
        node_slots_[std::size_t(chunk_mark_[std::size_t(slot_nodes_[s])]++)] = std::int32_t(s);
    slot_positions_.resize(4 * slot_nodes_.size());
    slot_velocities_.resize(model.viscous ? 4 * slot_nodes_.size() : 0);
    slot_forces_.resize(4 * slot_nodes_.size());
}

void Front::forces(const FemModel& model, const Nodal& positions, const Nodal& velocities, bool barrier, Nodal& out,
                   AlignedVector<float>* corner_forces)
{
    const auto kernel = kernels().forces[model.isotropic][model.viscous];
    const std::size_t constants = block_floats(model.isotropic, model.viscous);
    if (corner_forces) corner_forces->resize(9 * kLanes * block_nodes_.size());
    const bool single = chunks_.size() == 1;
    for_each_chunk(chunks_.size(), 1, [&](std::size_t c, std::size_t, std::size_t) {
        const Chunk& chunk = chunks_[c];
        Nodal& forces = single ? out : slot_forces_;
        std::fill_n(&forces[4 * chunk.first_slot], 4 * chunk.slots, 0.0f);
        if (!single)
            for (std::size_t s = chunk.first_slot; s < chunk.first_slot + chunk.slots; ++s) {
                const std::size_t n = 4 * std::size_t(slot_nodes_[s]);
                __builtin_memcpy(&slot_positions_[4 * s], &positions[n], 16);
                if (model.viscous) __builtin_memcpy(&slot_velocities_[4 * s], &velocities[n], 16);
            }
        const Nodal& x = single ? positions : slot_positions_;
        const Nodal& v = single || !model.viscous ? velocities : slot_velocities_;
        kernel({&constants_[chunk.first_block * constants], &block_nodes_[chunk.first_block], chunk.blocks,
                &x[4 * chunk.first_slot], model.viscous ? &v[4 * chunk.first_slot] : nullptr,
                &forces[4 * chunk.first_slot],
                corner_forces ? &(*corner_forces)[chunk.first_block * 9 * kLanes] : nullptr, barrier});
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
