#include "fem/front.h"

#include <algorithm>
#include <atomic>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kMassRow = 24;   // entries of a row of the mass matrix beside its diagonal, more than the average
constexpr std::size_t kMostRuns = 48;  // of a chunk, more than it has: see SumRun
constexpr std::size_t kMoreChunks = 8;  // than full ones, at most: see chunk_tets()
/// Place of an entry of a symmetric 4x4 matrix in FemModel::tet_masses.
constexpr std::uint8_t kEntry[4][4] = {{0, 1, 3, 6}, {1, 2, 4, 7}, {3, 4, 5, 8}, {6, 7, 8, 9}};

}  // namespace

Front::Front(const FemModel& model)
    : used_index_(model.forest.node_count()),
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
    const std::size_t blocks = chunk_count(tets, kLanes);
    const std::size_t chunks = chunk_count(tets, kTetsPerChunk) + kMoreChunks;
    const std::size_t slots = tets >= kFewestForTwo ? std::min(4 * tets, 8 * nodes) : 0;
    active.reserve(tets), corners.reserve(tets), split.reserve(forest.inner_count());
    used.reserve(nodes), is_free.reserve(nodes), hanging_nodes.reserve(nodes);
    free_nodes_.reserve(4 * nodes), free_node_offsets_.reserve(nodes + 1);
    mass_diagonal.reserve(nodes), mass_offsets.reserve(nodes + 1);
    mass_columns.reserve(kMassRow * nodes), mass_values.reserve(kMassRow * nodes);
    exact_diagonal.reserve(nodes), exact_values.reserve(kMassRow * nodes);
    uses_.reserve(8 * tets), use_offsets_.reserve(nodes + 1), column_of_.reserve(nodes + 1);
    column_value_.reserve(nodes), row_columns_.reserve(nodes + 1);
    packing_.slot.reserve(std::max(nodes + 1, slots)), packing_.number.assign(4 * kTetsPerChunk, -1);
    for (auto* list : {&packing_.nodes, &packing_.tets, &packing_.next}) list->reserve(4 * kTetsPerChunk);
    chunks_.reserve(chunks), runs_.reserve(chunks * kMostRuns);
    sum_corners_.reserve(4 * tets), sum_targets_.reserve(slots > 0 ? slots : nodes);
    constants_.reserve(blocks * block_floats(model.isotropic, model.viscous)), block_nodes_.reserve(blocks),
        barriers_.reserve(blocks * kLanes);
    if (model.plastic) plastic.reserve(tets), prestress_.reserve(blocks * 6 * kLanes);
    slot_nodes_.reserve(slots), shares_.reserve(slots), slot_counts_.reserve(nodes);
    shared_nodes_.reserve(nodes), share_offsets_.reserve(nodes + 1);
    slot_positions_.reserve(4 * slots), share_forces_.reserve(4 * slots);
    slot_velocities_.reserve(model.viscous ? 4 * slots : 0);
    if (model.law) laws.reserve(model);
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
    find_free_nodes();
    assemble_mass(model, lumped_mass);
    if (model.law)
        laws.fit(model, active, corners, used.size());
    else
        pack_chunks(model);
    plastic.clear(), prestress_.clear();
}

void Front::take_plastic(const FemModel& model, std::span<const float> finest)
{
    const bool known = plastic.size() == active.size();  // of this front; then most have not changed
    const std::int32_t first_finest = model.forest.first_of(model.forest.levels());
    plastic.resize(active.size());
    prestress_.resize(block_nodes_.size() * 6 * kLanes);
    for_each_chunk(active.size(), kNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const std::int32_t f = active[k] - first_finest;
            if (known && f >= 0 &&
                std::equal(plastic[k].mean.begin(), plastic[k].mean.end(), &finest[6 * std::size_t(f)]))
                continue;
            set_plastic(k, plastic_tet(model, active[k], finest));
        }
    });
}

void Front::set_plastic(std::size_t k, const PlasticTet& tet)
{
    plastic[k] = tet;
    // The last one is repeated in the lanes behind it.
    const std::size_t end = k + 1 == active.size() ? (k / kLanes + 1) * kLanes : k + 1;
    for (std::size_t lane = k; lane < end; ++lane)
        for (std::size_t I = 0; I < 6; ++I)
            prestress_[(lane / kLanes * 6 + I) * kLanes + lane % kLanes] = tet.stress[I];
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
    for (std::size_t k = 0; k < used.size(); ++k) used_index_[std::size_t(used[k])] = std::int32_t(k);
    corners.resize(active.size());
    for (std::size_t k = 0; k < active.size(); ++k)
        for (std::size_t a = 0; a < 4; ++a) corners[k][a] = used_index_[std::size_t(forest.tet(active[k])[a])];
    is_free.assign(used.size(), 0);
    hanging_nodes.clear();
    for (std::size_t k = 0; k < used.size(); ++k) {
        is_free[k] = is_free_node(forest, used[k]);
        if (is_free[k]) continue;
        const ForestNode& node = forest.node(used[k]);
        hanging_nodes.push_back({std::int32_t(k), used_index_[std::size_t(node.a)], used_index_[std::size_t(node.b)]});
    }
}

void Front::find_free_nodes()
{
    free_nodes_.clear();
    free_node_offsets_.assign(1, 0);
    std::size_t next_hanging = 0;
    for (std::size_t k = 0; k < used.size(); ++k) {
        if (is_free[k]) {
            free_nodes_.push_back({std::int32_t(k), 1.0f});
        } else {
            const HangingNode& hanging = hanging_nodes[next_hanging++];
            const std::size_t first = free_nodes_.size();
            for (const std::int32_t parent : {hanging.a, hanging.b})
                for (std::int32_t m = free_node_offsets_[std::size_t(parent)];
                     m < free_node_offsets_[std::size_t(parent) + 1]; ++m) {
                    const WeightedNode from = free_nodes_[std::size_t(m)];
                    auto same = std::find_if(free_nodes_.begin() + std::ptrdiff_t(first), free_nodes_.end(),
                                             [&](const WeightedNode& other) { return other.node == from.node; });
                    if (same != free_nodes_.end())
                        same->weight += from.weight / 2;
                    else
                        free_nodes_.push_back({from.node, from.weight / 2});
                }
        }
        free_node_offsets_.push_back(std::int32_t(free_nodes_.size()));
    }
}

Support Front::support(const TetForest& forest, std::int32_t node) const
{
    Support support;
    const auto rest_on = [&](std::int32_t n, float weight) {
        const std::int32_t k = used_index(n);
        std::int32_t i = 0;
        while (i < support.count && support.on[i] != k) ++i;
        if (i == support.count) support.on[support.count++] = k, support.weight[i] = 0;
        support.weight[i] += weight;
    };
    if (used_index(node) >= 0) {
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
    for (const HangingNode& s : hanging_nodes)
        put4(values, std::size_t(s.node),
             (get4(values, std::size_t(s.a)) + get4(values, std::size_t(s.b))) * splat(0.5f));
}

void Front::restrict_to_free(Nodal& values) const
{
    for (std::size_t k = hanging_nodes.size(); k-- > 0;) {
        const HangingNode& s = hanging_nodes[k];
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
    const auto entry = [](const std::array<double, 10>& m, int a, int b) { return m[kEntry[a][b]]; };
    if (all_finest || lumped) {
        for (std::size_t k = 0; k < active.size(); ++k) {
            const auto& m = model.tet_masses[std::size_t(active[k])];
            for (int a = 0; a < 4; ++a) {
                double sum = 0;
                for (int b = 0; b < 4; ++b) sum += entry(m, a, b);
                for (const WeightedNode& from : free_nodes_of(std::size_t(corners[k][std::size_t(a)])))
                    exact_diagonal[std::size_t(from.node)] += double(from.weight) * sum;
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
    // Which coarser tets and hanging masses each free node is part of, directly or through hanging nodes.
    use_offsets_.assign(used.size() + 1, 0);
    const auto for_each_use = [&](const auto& then) {
        for (std::size_t k = 0; k < active.size(); ++k)
            for (int a = 0; a < 4 && active[k] < finest; ++a)
                for (const WeightedNode& from : free_nodes_of(std::size_t(corners[k][std::size_t(a)])))
                    then(from.node, Use{a, std::int32_t(k), from.weight});
        for (const HangingNode& hanging : hanging_nodes)
            if (own[std::size_t(hanging.node)] > 0)
                for (const WeightedNode& from : free_nodes_of(std::size_t(hanging.node)))
                    then(from.node, Use{-1, hanging.node, from.weight});
    };
    for_each_use([&](std::int32_t node, const Use&) { ++use_offsets_[std::size_t(node) + 1]; });
    for (std::size_t k = 0; k < used.size(); ++k) use_offsets_[k + 1] += use_offsets_[k];
    uses_.resize(std::size_t(use_offsets_.back()));
    column_of_.assign(use_offsets_.begin(), use_offsets_.end() - 1);
    for_each_use([&](std::int32_t node, const Use& use) { uses_[std::size_t(column_of_[std::size_t(node)]++)] = use; });

    column_value_.assign(used.size(), 0.0);
    row_columns_.resize(used.size() + 1);
    column_of_.assign(used.size(), -1);  // last row that touched a column
    for (std::size_t row = 0; row < used.size(); ++row) {
        std::size_t columns = 0;
        const auto add = [&](std::int32_t column, double mass) {
            std::int32_t& last_row = column_of_[std::size_t(column)];
            double& value = column_value_[std::size_t(column)];
            const bool is_new = last_row != std::int32_t(row);
            last_row = std::int32_t(row);
            value = (is_new ? 0.0 : value) + mass;
            row_columns_[columns] = column;  // stays only if it is new
            columns += is_new;
        };
        const auto couple = [&](std::int32_t node, double mass) {
            if (is_free[std::size_t(node)]) return add(node, mass);
            for (const WeightedNode& from : free_nodes_of(std::size_t(node)))
                add(from.node, double(from.weight) * mass);
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
        for (std::size_t c = 0; c < columns; ++c) {
            const std::int32_t column = row_columns_[c];
            if (column == std::int32_t(row)) {
                exact_diagonal[row] += column_value_[row];
            } else {
                mass_columns.push_back(column);
                exact_values.push_back(column_value_[std::size_t(column)]);
            }
        }
        mass_offsets[row + 1] = std::int32_t(mass_columns.size());
    }
    for (const HangingNode& hanging : hanging_nodes) own[std::size_t(hanging.node)] = 0;
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

}  // namespace yawara::fem
