#include "matching/layers.h"

#include <algorithm>

#include "matching/combine.h"
#include "matching/joining_layer.h"
#include "matching/want_shapes.h"

namespace yawara::matching {
namespace {

/// From blocks to regions in the order of the body, and back; of no region: the rest shape.
void unpack(const Regions& regions, const RegionStretch* blocks, std::vector<Sym3>& out)
{
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for_each_region(regions, first, last, [&](std::size_t place, std::size_t lane) {
            out[std::size_t(regions.region_in(place))] = get_stretch(blocks[place / kLanes], lane);
        });
    });
}
/// Rows become columns.
template <class Row>
void transpose(const Row (&row)[4], Row (&column)[4])
{
    const Row a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
              b = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
              c = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
              d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    column[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    column[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    column[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    column[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

void pack(const Regions& regions, const std::vector<Sym3>& stretch, RegionStretch* blocks)
{
    using f4 = float __attribute__((vector_size(16)));
    static_assert(sizeof(Sym3) == 6 * sizeof(float));
    constexpr Sym3 kRest;
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t lane = first * kLanes; lane < last * kLanes; lane += 4) {
            f4 front[4], back[4], columns[4];  // entries 0 to 3 of four regions, and 2 to 5
            for (std::size_t k = 0; k < 4; ++k) {
                const std::int32_t region = regions.region_in(lane + k);
                const Sym3& s = region < 0 ? kRest : stretch[std::size_t(region)];
                const char* const entries = reinterpret_cast<const char*>(&s);
                __builtin_memcpy(&front[k], entries, sizeof(f4));
                __builtin_memcpy(&back[k], entries + 2 * sizeof(float), sizeof(f4));
            }
            RegionStretch& block = blocks[lane / kLanes];
            const auto put = [&](std::size_t entry, f4 column) {
                __builtin_memcpy(&block.T[entry][lane % kLanes], &column, sizeof column);
            };
            transpose(front, columns);
            for (std::size_t e = 0; e < 4; ++e) put(e, columns[e]);
            transpose(back, columns);
            for (std::size_t e = 4; e < 6; ++e) put(e, columns[e - 2]);
        }
    });
}

/// with(a, b) for all regions.
void for_all(std::span<Sym3> a, std::span<const Sym3> b, void (*with)(std::span<Sym3>, std::span<const Sym3>))
{
    for_each_chunk(a.size(), kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        with(a.subspan(first, last - first), b.subspan(first, last - first));
    });
}

/// Stretches of all regions as they are, left in memory.looks.now.
void look(const LayerPlan& plan, const Regions& regions, const float* rotations, MatchMemory& memory)
{
    MatchMemory::Looks& looks = memory.looks;
    const RegionTensor* const spread = looks.spread.empty() ? plan.spread.data() : looks.spread.data();
    memory.work->sum_regions(regions, memory, looks.moments.data());
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        kernels().observe(looks.moments.data() + first, spread, first, last, regions.used_lanes(), rotations,
                          looks.blocks.data() + first);
    });
    unpack(regions, looks.blocks.data(), looks.now);
}

/// Takes off the present stretch what the examples explain, with `explained` by the layers before them.
void explain_by_examples(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    find_weights(regions, wanted, rotations, memory);
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        want_shapes({nullptr, wanted.examples, wanted.beta}, first, last, memory.examples,
                    memory.looks.blocks.data() + first);
    });
    unpack(regions, memory.looks.blocks.data(), memory.combined);
    for_all(memory.looks.now, memory.combined, without);
}

}  // namespace

AskedLayers join_layers(const StretchLayers& layers, std::size_t before_examples)
{
    AskedLayers asked;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        std::shared_ptr<const StretchLayer> joined;
        if (k > 0 && k != before_examples)
            if (const auto* before = dynamic_cast<const JoiningLayer*>(asked.layers.back().get()))
                joined = before->joined_with(*layers[k]);
        if (joined)
            asked.layers.back() = std::move(joined);
        else
            asked.layers.push_back(layers[k]);
        if (k < before_examples) asked.before_examples = asked.layers.size();
    }
    return asked;
}

LayerPlan plan_layers(const StretchLayers& layers, std::size_t before_examples, const Regions& regions,
                      const RegionSums& sums, std::span<const Vec3d> rest)
{
    LayerPlan plan{before_examples, {}};
    if (std::ranges::any_of(layers, [](const auto& layer) { return layer->looks(); }))
        plan.spread = region_spread(regions, sums, rest);
    return plan;
}

void ask_layers(const LayerQuestion& question, const Regions& regions, float* rotations, WantedShapes& wanted,
                MatchMemory& memory)
{
    const StretchLayers& layers = question.layers;
    const LayerPlan& plan = question.plan;
    if (layers.empty()) return;
    if (plan.looks()) look(plan, regions, rotations, memory);
    for (std::size_t k = 0; k < layers.size(); ++k) {
        if (k == plan.before_examples && wanted.examples) {
            if (k > 0) {
                pack(regions, memory.wanted, memory.explained.data());
                wanted.explained = memory.explained.data();
            }
            if (plan.looks()) explain_by_examples(regions, wanted, rotations, memory);
        }
        std::vector<Sym3>& target = k == 0 ? memory.wanted : memory.combined;
        if (layers[k]->looks())
            layers[k]->respond(question.time, memory.looks.now, target);
        else
            layers[k]->target(question.time, target);
        if (plan.looks()) for_all(memory.looks.now, target, without);
        if (k > 0) for_all(memory.wanted, memory.combined, combine);
    }
    pack(regions, memory.wanted, memory.stretch.data());
    wanted.stretch = memory.stretch.data();
    if (wanted.examples && plan.before_examples >= layers.size()) wanted.explained = wanted.stretch;
}

}  // namespace yawara::matching
