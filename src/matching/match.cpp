#include "matching/match.h"

#include <algorithm>
#include <array>

#include "matching/combine.h"
#include "math/rotation.h"

namespace yawara::matching {

MatchMemory::MatchMemory(const Regions& regions, std::size_t layers, const Examples* with)
    : positions(kPositionSize * (regions.region_count() + 1)),
      way(regions.region_count()),
      pass_way(regions.region_count()),
      way_before(regions.region_count()),
      transforms(regions.boxes() ? 0 : (regions.block_count() * kLanes + 1) * kTransformSize),
      stretch(layers > 0 ? regions.block_count() : 0),
      wanted(layers > 0 ? regions.region_count() : 0),
      combined(layers > 1 ? regions.region_count() : 0),
      counts(chunk_count(regions.block_count(), kBlocksPerChunk)),
      examples(with ? with->memory() : ExampleMemory{}),
      offsets(with && with->offsets() ? &*with->offsets() : nullptr),
      chunk_sums(counts.size()),
      centers(chunk_count(regions.region_count(), kParticlesPerChunk)),
      covariances(centers.size()),
      residuals(centers.size())
{
    if (regions.boxes()) {
        classes = regions.boxes();
        boxes = std::make_unique<BoxMemory>(*classes);
    }
}

std::vector<float> placed_turns(const Regions& regions, const Mat3d& turn, bool with_examples)
{
    const Quat q = to_quat(turn);
    const float entries[4] = {float(q.x), float(q.y), float(q.z), float(q.w)};
    std::vector<float> turns(regions.block_count() * kTurnSize * (with_examples ? 2 : 1));
    for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = entries[k / kLanes % 4];
    return turns;
}

namespace {

Sym3 get(const RegionStretch& block, std::size_t lane)
{
    return {block.T[0][lane], block.T[1][lane], block.T[2][lane], block.T[3][lane], block.T[4][lane], block.T[5][lane]};
}
void put(RegionStretch& block, std::size_t lane, const Sym3& s)
{
    block.T[0][lane] = s.xx, block.T[1][lane] = s.yy, block.T[2][lane] = s.zz;
    block.T[3][lane] = s.yz, block.T[4][lane] = s.xz, block.T[5][lane] = s.xy;
}

/// Calls then(slot, lane) for the regions of blocks [first, last).
template <class Then>
void for_each_region(const Regions& regions, std::size_t first, std::size_t last, const Then& then)
{
    for (std::size_t slot = first * kLanes; slot < std::min(last * kLanes, regions.region_count()); ++slot)
        then(slot, slot % kLanes);
}

/// Adds what the wanted shape has beyond its stretch, and finds the rotations of the whole.
RotateCount rotate_with_offsets(const Regions& regions, const Examples& examples, float beta,
                                const RegionStretch* stretch, std::size_t first, std::size_t last, float* turns,
                                MatchMemory& memory)
{
    const Offsets& offsets = *memory.offsets;
    RegionMoments* const moments = memory.examples.moments.data();
    for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
        std::array<float, kMostExamples> shares;
        for (std::size_t k = 0; k < examples.count(); ++k) shares[k] = beta * examples.weight(k, slot, memory.examples);
        offsets.prepare(slot, shares, memory.positions.data(), stretch[slot / kLanes - first], moments[slot / kLanes],
                        memory.examples.offsets);
    });
    const bool keep = examples.turning() == Turning::keep;
    const RotateCount count =
        kernels().rotate(moments + first, regions.rest().data(), stretch, keep ? Turning::keep : Turning::fit, first,
                         last, regions.region_count(), turns, memory.transforms.data());
    for_each_region(regions, first, last,
                    [&](std::size_t slot, std::size_t) { offsets.turn(slot, turns, memory.examples.offsets); });
    return count;
}

}  // namespace

const RegionStretch* ask_layers(const StretchLayers& layers, const Regions& regions, double time, MatchMemory& memory)
{
    if (layers.empty()) return nullptr;
    const std::size_t count = memory.wanted.size();
    layers.front()->target(time, memory.wanted);
    for (std::size_t k = 1; k < layers.size(); ++k) {
        layers[k]->target(time, memory.combined);
        for_each_chunk(count, kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t r = first; r < last; ++r) memory.wanted[r] = combine(memory.wanted[r], memory.combined[r]);
        });
    }
    for_each_chunk(memory.stretch.size(), kBlocksPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t lane = first * kLanes; lane < last * kLanes; ++lane) {
            const std::int32_t region = regions.region_in(lane);
            put(memory.stretch[lane / kLanes], lane % kLanes, region < 0 ? Sym3{} : memory.wanted[std::size_t(region)]);
        }
    });
    return memory.stretch.data();
}

int find_weights(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory)
{
    const RegionStretch* const stretch = wanted.stretch;
    const Examples& examples = *wanted.examples;
    float* const fits = turns + regions.block_count() * kTurnSize;
    RegionMoments* const moments = memory.examples.moments.data();
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        regions.moments(memory.positions.data(), first, last, moments + first);
        RegionStretch now[kBlocksPerChunk];
        memory.counts[chunk].robust =
            kernels().observe(moments + first, examples.spread(), first, last, regions.region_count(), fits, now);
        if (stretch)
            for_each_region(regions, first, last, [&](std::size_t slot, std::size_t lane) {
                RegionStretch& block = now[slot / kLanes - first];
                put(block, lane, without(get(block, lane), get(stretch[slot / kLanes], lane)));
            });
        examples.project(now, chunk, first, last, memory.examples);
    });
    examples.decide(memory.examples);
    int robust = 0;
    for (const RotateCount& c : memory.counts) robust += c.robust;
    return robust;
}

MatchCount match_regions(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory)
{
    const RegionStretch* const stretch = wanted.stretch;
    const Examples* const examples = wanted.examples;
    if (memory.classes) {
        memory.last_stretch = stretch;
        memory.last_turns = turns;
        sum_planes(*memory.classes, memory.positions.data(), *memory.boxes);
        const RotateCount count = rotate_slabs(*memory.classes, stretch, turns, *memory.boxes);
        return {count.inverted, count.robust};
    }
    MatchCount sum;
    if (examples) sum.robust = find_weights(regions, wanted, turns, memory);
    float* const shape_turns =
        examples && examples->turning() == Turning::keep ? turns + regions.block_count() * kTurnSize : turns;
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        if (!examples) {
            RegionMoments moments[kBlocksPerChunk];
            regions.moments(memory.positions.data(), first, last, moments);
            memory.counts[chunk] = kernels().rotate(moments, regions.rest().data(), stretch ? stretch + first : nullptr,
                                                    Turning::fit_stretched, first, last, regions.region_count(), turns,
                                                    memory.transforms.data());
            return;
        }
        RegionStretch shapes[kBlocksPerChunk];
        examples->want(wanted.beta, first, last, memory.examples, shapes);
        if (stretch)
            for_each_region(regions, first, last, [&](std::size_t slot, std::size_t lane) {
                RegionStretch& block = shapes[slot / kLanes - first];
                put(block, lane, combine(get(stretch[slot / kLanes], lane), get(block, lane)));
            });
        memory.counts[chunk] =
            memory.offsets
                ? rotate_with_offsets(regions, *examples, wanted.beta, shapes, first, last, shape_turns, memory)
                : kernels().rotate(memory.examples.moments.data() + first, regions.rest().data(), shapes,
                                   examples->turning(), first, last, regions.region_count(), shape_turns,
                                   memory.transforms.data());
    });
    for (const RotateCount& c : memory.counts) {
        sum.inverted += c.inverted;
        sum.robust += c.robust;
    }
    return sum;
}

double mismatch(const Regions& regions, MatchMemory& memory)
{
    if (memory.classes)
        return box_mismatch(*memory.classes, memory.positions.data(), memory.last_stretch, memory.last_turns);
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        double& sum = memory.chunk_sums[chunk];
        if (!memory.offsets) {
            sum = regions.mismatch(memory.transforms.data(), memory.positions.data(), first * kLanes,
                                   std::min(last * kLanes, regions.region_count()));
            return;
        }
        sum = 0;
        for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
            sum += regions.mass_unit() * memory.offsets->mismatch(slot, memory.transforms.data(),
                                                                  memory.positions.data(), memory.examples.offsets);
        });
    });
    double sum = 0;
    for (const double s : memory.chunk_sums) sum += s;
    return sum;
}

void align_ways(const Regions& regions, std::span<const double> masses, std::span<const Vec3> x, MatchMemory& memory)
{
    for_each_chunk(x.size(), kParticlesPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        MatchMemory::Centers sum;
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = regions.particle_at(slot);
            sum.mass += masses[i];
            sum.position += x[i].as<double>() * masses[i];
            sum.way += memory.way[slot].as<double>() * masses[i];
        }
        memory.centers[chunk] = sum;
    });
    MatchMemory::Centers all;
    for (const MatchMemory::Centers& c : memory.centers) {
        all.mass += c.mass;
        all.position += c.position;
        all.way += c.way;
    }
    const Vec3d center = all.position / all.mass, shift = all.way / all.mass;
    const auto relative_goal = [&](std::size_t slot, Vec3d p) { return p + memory.way[slot].as<double>() - shift; };

    for_each_chunk(x.size(), kParticlesPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        Mat3d sum = Mat3d::zero();
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = regions.particle_at(slot);
            const Vec3d p = x[i].as<double>() - center;
            sum = sum + outer(p * masses[i], relative_goal(slot, p));
        }
        memory.covariances[chunk] = sum;
    });
    Mat3d A = Mat3d::zero();
    for (const Mat3d& c : memory.covariances) A = A + c;
    const Mat3d R = to_matrix(closest_rotation(A, {}));
    for_each_chunk(x.size(), kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t slot = first; slot < last; ++slot) {
            const Vec3d p = x[regions.particle_at(slot)].as<double>() - center;
            memory.way[slot] = (R * relative_goal(slot, p) + shift - p).as<float>();
        }
    });
}

}  // namespace yawara::matching
