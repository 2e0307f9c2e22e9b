#include "matching/list_work.h"

#include <algorithm>
#include <array>

#include "matching/match.h"
#include "matching/want_shapes.h"

namespace yawara::matching {

ListWork::ListWork(const Regions& regions, const Examples* examples)
    : transforms_((regions.block_count() * kLanes + 1) * kTransformSize),
      moments_(examples && (examples->offsets() || examples->variational()) ? regions.block_count() : 0),
      chunk_sums_(chunk_count(regions.block_count(), kBlocksPerChunk)),
      offsets_(examples && examples->offsets() ? &*examples->offsets() : nullptr)
{
}

void ListWork::sum_regions(const Regions& regions, const MatchMemory& memory, RegionMoments* moments)
{
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        regions.moments(memory.positions.data(), first, last, moments + first);
    });
}

/// Moments of a few blocks [first, last), and their weights.
int ListWork::observe(const Regions& regions, const WantedShapes& wanted, std::size_t chunk, std::size_t first,
                      std::size_t last, const float* rotations, RegionMoments* moments, MatchMemory& memory)
{
    regions.moments(memory.positions.data(), first, last, moments);
    return observe_examples(regions, wanted, moments, rotations, chunk, first, last, memory.examples);
}

int ListWork::find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        RotateCount count;
        for_few_blocks(first, last, [&](std::size_t begin, std::size_t end) {
            count.robust += observe(regions, wanted, chunk, begin, end, rotations, moments() + begin, memory);
        });
        memory.counts[chunk] = count;
    });
    wanted.examples->decide(memory.examples);
    int robust = 0;
    for (const RotateCount& c : memory.counts) robust += c.robust;
    if (wanted.examples->variational()) improve_weights(regions, *wanted.examples, rotations, memory);
    return robust;
}

/// Adds what the wanted shape has beyond its stretch, and finds the rotations of the whole.
RotateCount ListWork::rotate_with_offsets(const Regions& regions, const WantedShapes& wanted,
                                          const RegionMoments* moments, std::size_t first, std::size_t last,
                                          float* rotations, MatchMemory& memory)
{
    const Examples& examples = *wanted.examples;
    const bool linear = examples.turning() == RotationSource::fit_linear;
    RegionStretch shapes[kBlocksPerChunk];
    want_shapes(wanted, first, last, memory.examples, shapes);
    RegionMoments fitted[kBlocksPerChunk];  // spare lanes as they are: how they turn out decides about Newton rounds
    std::copy(moments, moments + (last - first), fitted);
    for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
        std::array<float, kMostExamples> shares;
        for (std::size_t k = 0; k < examples.count(); ++k)
            shares[k] = examples.share(wanted.beta, k, slot, memory.examples);
        offsets_->blend(slot, shares, memory.examples.offsets);
        const std::size_t block = slot / kLanes - first;
        if (!linear)
            offsets_->prepare(slot, memory.positions.data(), shapes[block], memory.examples.offsets, moments[block],
                              fitted[block]);
    });
    const RotateCount count =
        kernels().rotate(linear ? moments : fitted, regions.rest().data(), {.given = shapes},
                         linear ? RotationSource::fit_linear : RotationSource::fit, examples.spread(), first, last,
                         regions.region_count(), rotations, transforms_.data());
    for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
        offsets_->turn(slot, rotations, alpha(slot), memory.examples.offsets);
    });
    return count;
}

/// Transforms of the shapes that examples want with the weights found, for blocks [first, last). `moments` begin with
/// the first block.
RotateCount ListWork::rotate_wanted(const Regions& regions, const WantedShapes& wanted, const RegionMoments* moments,
                                    std::size_t first, std::size_t last, float* rotations, MatchMemory& memory)
{
    if (offsets_) return rotate_with_offsets(regions, wanted, moments, first, last, rotations, memory);
    const Examples& examples = *wanted.examples;
    RegionStretch shapes[kBlocksPerChunk];
    WantedStretch target;
    if (wanted.stretch) {
        want_shapes(wanted, first, last, memory.examples, shapes);
        target.given = shapes;
    } else {
        target = examples.wanted(wanted.beta, first, last, memory.examples);
    }
    return kernels().rotate(moments, regions.rest().data(), target, examples.turning(), examples.spread(), first, last,
                            regions.region_count(), rotations, transforms_.data());
}

/// A chunk whose regions are groups of their own: no weight waits for another chunk.
RotateCount ListWork::match_alone(const Regions& regions, const WantedShapes& wanted, std::size_t chunk,
                                  std::size_t first, std::size_t last, float* rotations, MatchMemory& memory)
{
    RegionMoments moments[kBlocksPerChunk];
    RotateCount count;
    for_few_blocks(first, last, [&](std::size_t begin, std::size_t end) {
        count.robust += observe(regions, wanted, chunk, begin, end, rotations, moments + (begin - first), memory);
    });
    add(count, rotate_wanted(regions, wanted, moments, first, last, rotations, memory));
    return count;
}

/// Blocks [first, last) without examples.
RotateCount ListWork::match_plain(const Regions& regions, const WantedShapes& wanted, std::size_t first,
                                  std::size_t last, float* rotations, MatchMemory& memory)
{
    RegionMoments moments[kBlocksPerChunk];
    regions.moments(memory.positions.data(), first, last, moments);
    return kernels().rotate(moments, regions.rest().data(),
                            {.given = wanted.stretch ? wanted.stretch + first : nullptr}, RotationSource::fit_stretched,
                            nullptr, first, last, regions.region_count(), rotations, transforms_.data());
}

/// Transforms times the alphas of their regions, if there are any.
void ListWork::weigh_transforms()
{
    for_each_chunk(alphas_.size(), kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t slot = first; slot < last; ++slot)
            for (std::size_t k = slot * kTransformSize; k < (slot + 1) * kTransformSize; ++k)
                pulls_[k] = alphas_[slot] * transforms_[k];
    });
}

MatchCount ListWork::match(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    const Examples* const examples = wanted.examples;
    MatchCount sum;
    const bool alone = examples && examples->each_region() && !examples->variational();
    if (examples && !alone) sum.robust = find_weights(regions, wanted, rotations, memory);
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        RotateCount& count = memory.counts[chunk];
        if (examples && examples->variational()) {
            count = rotate_and_mix(regions, wanted, chunk, first, last, rotations, memory);
        } else if (alone) {
            count = match_alone(regions, wanted, chunk, first, last, rotations, memory);
        } else if (examples) {
            count = rotate_wanted(regions, wanted, moments() + first, first, last, rotations, memory);
        } else {
            count = match_plain(regions, wanted, first, last, rotations, memory);
        }
    });
    // The place behind the last region is nobody's, and moments may have waited there.
    std::fill(transforms_.begin() + std::ptrdiff_t(regions.region_count() * kTransformSize), transforms_.end(), 0.0f);
    weigh_transforms();
    for (const RotateCount& c : memory.counts) {
        sum.inverted += c.inverted;
        sum.robust += c.robust;
    }
    return sum;
}

std::optional<MatchCount> ListWork::match_and_find(const Regions& regions, const WantedShapes& wanted, float* rotations,
                                                   MatchMemory& memory, Vec3* displacement, const Then& then)
{
    static_assert(kBlocksPerChunk * kLanes == kParticlesPerChunk);
    if (wanted.examples || offsets_ || !alphas_.empty()) return {};
    if (!waits_) waits_ = std::make_unique<ChunkWaits>(regions, kParticlesPerChunk);
    waits_->begin();
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        memory.counts[chunk] = match_plain(regions, wanted, first, last, rotations, memory);
        waits_->finish(chunk, [&](std::size_t found) {
            const std::size_t begin = found * kParticlesPerChunk;
            const std::size_t end = std::min(begin + kParticlesPerChunk, regions.region_count());
            find_displacements(regions, memory, begin, end, displacement);
            then(begin, end);
        });
    });
    MatchCount sum;
    for (const RotateCount& c : memory.counts) {
        sum.inverted += c.inverted;
        sum.robust += c.robust;
    }
    return sum;
}

double ListWork::mismatch(const Regions& regions, MatchMemory& memory)
{
    const float* const positions = memory.positions.data();
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        double& sum = chunk_sums_[chunk];
        if (!offsets_ && alphas_.empty()) {
            sum = regions.mismatch(transforms_.data(), positions, first * kLanes,
                                   std::min(last * kLanes, regions.region_count()));
            return;
        }
        sum = 0;
        for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
            const double energy = offsets_
                                      ? regions.mass_unit() * offsets_->mismatch(slot, transforms_.data(), positions,
                                                                                 alpha(slot), memory.examples.offsets)
                                      : regions.mismatch(transforms_.data(), positions, slot, slot + 1);
            sum += double(alpha(slot)) * energy;
        });
    });
    double sum = 0;
    for (const double s : chunk_sums_) sum += s;
    for (const double s : memory.examples.apart) sum += s;
    return sum;
}

void ListWork::find_displacements(const Regions& regions, MatchMemory& memory, std::size_t first, std::size_t last,
                                  Vec3* displacement)
{
    const float* const positions = memory.positions.data();
    const float* const alpha_sums = alphas_.empty() ? nullptr : alpha_sums_.data();
    memory.momenta[first / kParticlesPerChunk] = regions.displacements(
        alphas_.empty() ? transforms_.data() : pulls_.data(), alpha_sums, positions, first, last, displacement);
    if (offsets_)
        for (std::size_t slot = first; slot < last; ++slot)
            offsets_->add(slot, memory.examples.offsets, displacement[slot]);
}

void ListWork::damp(float share, const Regions& regions, std::span<const Vec3> positions, std::span<Vec3> velocities)
{
    damping_.apply(share, regions, positions, velocities);
}

bool ListWork::adapt(const Regions& regions, const WidthPlan& plan, const WidthInput& now, std::span<const double>)
{
    const std::vector<float> given = plan.alphas(now.stiffness, now.dt, now.available);
    const std::size_t n = given.size();
    alphas_.resize(n);
    alpha_sums_.assign(n, 0.0f);
    pulls_.resize(transforms_.size());
    for (std::size_t slot = 0; slot < n; ++slot) alphas_[slot] = given[regions.particle_at(slot)];
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (const std::int32_t r : regions.holders()[i]) sum += double(given[std::size_t(r)]);
        alpha_sums_[regions.slot(i)] = float(sum);
    }
    return false;
}

}  // namespace yawara::matching
