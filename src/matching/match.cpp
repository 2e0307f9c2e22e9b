#include "matching/match.h"

#include <algorithm>
#include <array>

#include "matching/combine.h"
#include "matching/variational.h"
#include "yawara/rotation.h"

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
      residuals(centers.size()),
      momenta(centers.size())
{
    if (regions.boxes()) {
        classes = regions.boxes();
        boxes = std::make_unique<BoxMemory>(*classes);
    }
}

void MatchMemory::set_alphas(const Regions& regions, std::span<const float> given)
{
    const std::size_t n = given.size();
    alphas.resize(n);
    alpha_sums.assign(n, 0.0f);
    pulls.resize(transforms.size());
    for (std::size_t slot = 0; slot < n; ++slot) alphas[slot] = given[regions.particle_at(slot)];
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (const std::int32_t r : regions.holders()[i]) sum += double(given[std::size_t(r)]);
        alpha_sums[regions.slot(i)] = float(sum);
    }
}

std::vector<float> placed_turns(const Regions& regions, const Mat3d& turn, std::size_t sets)
{
    const Quat q = to_quat(turn);
    const float entries[4] = {float(q.x), float(q.y), float(q.z), float(q.w)};
    std::vector<float> turns(regions.block_count() * kTurnSize * sets);
    for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = entries[k / kLanes % 4];
    return turns;
}

void carry_turns(const Regions& before, std::span<const float> from, const Regions& after,
                 std::span<const std::int32_t> nearest, std::span<float> to)
{
    if (from.size() < before.block_count() * kTurnSize) return;
    const auto at = [](std::size_t lane) { return lane / kLanes * kTurnSize + lane % kLanes; };
    std::vector<std::size_t> lane_of(before.region_count());
    for (std::size_t lane = 0; lane < before.block_count() * kLanes; ++lane)
        if (const std::int32_t region = before.region_in(lane); region >= 0) lane_of[std::size_t(region)] = lane;
    const std::size_t set = after.block_count() * kTurnSize;
    for (std::size_t lane = 0; lane < after.block_count() * kLanes; ++lane) {
        const std::int32_t region = after.region_in(lane);
        if (region < 0) continue;
        const std::size_t source = at(lane_of[std::size_t(nearest[std::size_t(region)])]);
        for (std::size_t first = 0; first + set <= to.size(); first += set)
            for (std::size_t e = 0; e < 4; ++e) to[first + at(lane) + e * kLanes] = from[source + e * kLanes];
    }
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

/// Calls then(place, lane) for the regions of blocks [first, last): lanes counted through all blocks, and in a block.
/// Of lists the first are slots.
template <class Then>
void for_each_region(const Regions& regions, std::size_t first, std::size_t last, const Then& then)
{
    for (std::size_t place = first * kLanes; place < last * kLanes; ++place)
        if (regions.region_in(place) >= 0) then(place, place % kLanes);
}

/// Calls then(first, last) for the blocks [first, last), a few at a time: while these wait for quotients and roots, the
/// processor gathers the next.
constexpr std::size_t kFewBlocks = 4;
template <class Then>
void for_few_blocks(std::size_t first, std::size_t last, const Then& then)
{
    for (std::size_t block = first; block < last; block += kFewBlocks) then(block, std::min(block + kFewBlocks, last));
}

void add(RotateCount& sum, const RotateCount& more)
{
    sum.inverted += more.inverted;
    sum.robust += more.robust;
}

/// Adds what the wanted shape has beyond its stretch, and finds the rotations of the whole.
RotateCount rotate_with_offsets(const Regions& regions, const Examples& examples, float beta,
                                const RegionStretch* stretch, const RegionMoments* moments, std::size_t first,
                                std::size_t last, float* turns, MatchMemory& memory)
{
    const Offsets& offsets = *memory.offsets;
    const bool linear = examples.turning() == Turning::fit_linear;
    RegionMoments fitted[kBlocksPerChunk];  // spare lanes as they are: how they turn out decides about Newton rounds
    std::copy(moments, moments + (last - first), fitted);
    for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
        std::array<float, kMostExamples> shares;
        for (std::size_t k = 0; k < examples.count(); ++k) shares[k] = beta * examples.weight(k, slot, memory.examples);
        offsets.blend(slot, shares, memory.examples.offsets);
        const std::size_t block = slot / kLanes - first;
        if (!linear)
            offsets.prepare(slot, memory.positions.data(), stretch[block], memory.examples.offsets, moments[block],
                            fitted[block]);
    });
    const RotateCount count = kernels().rotate(linear ? moments : fitted, regions.rest().data(), {.given = stretch},
                                               linear ? Turning::fit_linear : Turning::fit, examples.spread(), first,
                                               last, regions.region_count(), turns, memory.transforms.data());
    for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
        offsets.turn(slot, turns, memory.alphas.empty() ? 1.0f : memory.alphas[slot], memory.examples.offsets);
    });
    return count;
}

/// Transforms times the alphas of their regions, if there are any.
void weigh_transforms(MatchMemory& memory)
{
    for_each_chunk(memory.alphas.size(), kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t slot = first; slot < last; ++slot)
            for (std::size_t k = slot * kTransformSize; k < (slot + 1) * kTransformSize; ++k)
                memory.pulls[k] = memory.alphas[slot] * memory.transforms[k];
    });
}

/// What examples want of blocks [first, last) with the weights found, added to what the layers want.
void want_shapes(const Regions& regions, const Wanted& wanted, std::size_t first, std::size_t last,
                 const ExampleMemory& memory, RegionStretch* shapes)
{
    kernels().blend(wanted.examples->wanted(wanted.beta, first, memory), last - first, shapes);
    if (wanted.stretch)
        for_each_region(regions, first, last, [&](std::size_t place, std::size_t lane) {
            RegionStretch& block = shapes[place / kLanes - first];
            put(block, lane, combine(get(wanted.stretch[place / kLanes], lane), get(block, lane)));
        });
}

/// Rotations of regions that are boxes, with what they send out.
MatchCount match_boxes(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory)
{
    const Examples* const examples = wanted.examples;
    BoxShapes shapes{wanted.stretch};
    int robust = 0;
    if (examples) {
        robust = find_weights(regions, wanted, turns, memory);
        shapes.moments = memory.moments();
        if (examples->turning() == Turning::fit_linear) shapes.spread = examples->spread();
        if (wanted.stretch || !examples->at_rest(wanted.beta, memory.examples)) {
            RegionStretch* const all = memory.examples.wanted.data();
            for_each_chunk(regions.block_count(), kBlocksPerChunk,
                           [&](std::size_t, std::size_t first, std::size_t last) {
                               want_shapes(regions, wanted, first, last, memory.examples, all + first);
                           });
            shapes.stretch = all;
        }
    } else {
        load_planes(*memory.classes, memory.positions.data(), *memory.boxes);
    }
    memory.last_stretch = shapes.stretch;
    memory.last_turns = turns;
    const RotateCount count = rotate_planes(*memory.classes, shapes, turns, *memory.boxes);
    return {count.inverted, count.robust + robust};
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

RotateCount rotate_wanted(const Regions& regions, const Wanted& wanted, const RegionMoments* moments, std::size_t first,
                          std::size_t last, float* turns, MatchMemory& memory)
{
    const Examples& examples = *wanted.examples;
    RegionStretch shapes[kBlocksPerChunk];
    if (memory.offsets) {
        want_shapes(regions, wanted, first, last, memory.examples, shapes);
        return rotate_with_offsets(regions, examples, wanted.beta, shapes, moments, first, last, turns, memory);
    }
    WantedStretch target;
    if (wanted.stretch) {
        want_shapes(regions, wanted, first, last, memory.examples, shapes);
        target.given = shapes;
    } else {
        target = examples.wanted(wanted.beta, first, memory.examples);
    }
    return kernels().rotate(moments, regions.rest().data(), target, examples.turning(), examples.spread(), first, last,
                            regions.region_count(), turns, memory.transforms.data());
}

namespace {

/// Moments of blocks [first, last) of lists, and weights as far as their stretches tell: of what the layers do not
/// explain. Returns how many were hard.
int observe(const Regions& regions, const Wanted& wanted, std::size_t chunk, std::size_t first, std::size_t last,
            const float* turns, RegionMoments* moments, MatchMemory& memory)
{
    const Examples& examples = *wanted.examples;
    if (!memory.classes) regions.moments(memory.positions.data(), first, last, moments);
    if (!wanted.stretch) return examples.observe(moments, turns, chunk, first, last, memory.examples);
    RegionStretch now[kFewBlocks];
    const int robust = kernels().observe(moments, examples.spread(), first, last, examples.used_lanes(), turns, now);
    for_each_region(regions, first, last, [&](std::size_t place, std::size_t lane) {
        RegionStretch& block = now[place / kLanes - first];
        put(block, lane, without(get(block, lane), get(wanted.stretch[place / kLanes], lane)));
    });
    examples.project(now, chunk, first, last, memory.examples);
    return robust;
}

/// A chunk whose regions are groups of their own: no weight waits for another chunk.
RotateCount match_alone(const Regions& regions, const Wanted& wanted, std::size_t chunk, std::size_t first,
                        std::size_t last, float* turns, MatchMemory& memory)
{
    RegionMoments moments[kBlocksPerChunk];
    RotateCount count;
    for_few_blocks(first, last, [&](std::size_t begin, std::size_t end) {
        count.robust += observe(regions, wanted, chunk, begin, end, turns, moments + (begin - first), memory);
    });
    add(count, rotate_wanted(regions, wanted, moments, first, last, turns, memory));
    return count;
}

}  // namespace

int find_weights(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory)
{
    const Examples& examples = *wanted.examples;
    RegionMoments* const moments = memory.moments();
    if (memory.classes) {
        load_planes(*memory.classes, memory.positions.data(), *memory.boxes);
        find_moments(*memory.classes, *memory.boxes, moments);
    }
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        RotateCount count;
        for_few_blocks(first, last, [&](std::size_t begin, std::size_t end) {
            count.robust += observe(regions, wanted, chunk, begin, end, turns, moments + begin, memory);
        });
        memory.counts[chunk] = count;
    });
    examples.decide(memory.examples);
    int robust = 0;
    for (const RotateCount& c : memory.counts) robust += c.robust;
    if (examples.variational()) improve_weights(regions, examples, turns, memory);
    return robust;
}

MatchCount match_regions(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory)
{
    const RegionStretch* const stretch = wanted.stretch;
    const Examples* const examples = wanted.examples;
    if (memory.classes) return match_boxes(regions, wanted, turns, memory);
    MatchCount sum;
    const bool alone = examples && examples->each_region() && !examples->variational();
    if (examples && !alone) sum.robust = find_weights(regions, wanted, turns, memory);
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        if (examples && examples->variational()) {
            memory.counts[chunk] = rotate_and_mix(regions, wanted, chunk, first, last, turns, memory);
        } else if (alone) {
            memory.counts[chunk] = match_alone(regions, wanted, chunk, first, last, turns, memory);
        } else if (examples) {
            memory.counts[chunk] = rotate_wanted(regions, wanted, memory.moments() + first, first, last, turns, memory);
        } else {
            RegionMoments moments[kBlocksPerChunk];
            regions.moments(memory.positions.data(), first, last, moments);
            memory.counts[chunk] = kernels().rotate(
                moments, regions.rest().data(), {.given = stretch ? stretch + first : nullptr}, Turning::fit_stretched,
                nullptr, first, last, regions.region_count(), turns, memory.transforms.data());
        }
    });
    // The place behind the last region is nobody's, and moments may have waited there.
    std::fill(memory.transforms.begin() + std::ptrdiff_t(regions.region_count() * kTransformSize),
              memory.transforms.end(), 0.0f);
    weigh_transforms(memory);
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
        if (!memory.offsets && memory.alphas.empty()) {
            sum = regions.mismatch(memory.transforms.data(), memory.positions.data(), first * kLanes,
                                   std::min(last * kLanes, regions.region_count()));
            return;
        }
        sum = 0;
        for_each_region(regions, first, last, [&](std::size_t slot, std::size_t) {
            const float alpha = memory.alphas.empty() ? 1.0f : memory.alphas[slot];
            sum +=
                double(alpha) *
                (memory.offsets ? regions.mass_unit() * memory.offsets->mismatch(slot, memory.transforms.data(),
                                                                                 memory.positions.data(), alpha,
                                                                                 memory.examples.offsets)
                                : regions.mismatch(memory.transforms.data(), memory.positions.data(), slot, slot + 1));
        });
    });
    double sum = 0;
    for (const double s : memory.chunk_sums) sum += s;
    for (const double s : memory.examples.apart) sum += s;
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
