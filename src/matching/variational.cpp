// Examples as an energy, [Examples] 12.6: beta times the least distance to the example set plus (1 - beta) times that
// to the rest shape. Goals are its gradient, so that a body without damping keeps its energy. Called by list_work.cpp.
#include <algorithm>

#include "matching/list_work.h"
#include "matching/match.h"

namespace yawara::matching {
namespace {

/// tr(D K D^T) for the first three columns of a transform; K as in RegionTensor.
double weighed_square(const float* D, const double (&K)[6])
{
    double sum = 0;
    for (int row = 0; row < 3; ++row) {
        const double x = double(D[row]), y = double(D[4 + row]), z = double(D[8 + row]);
        sum += x * x * K[0] + y * y * K[1] + z * z * K[2] + 2 * (y * z * K[3] + x * z * K[4] + x * y * K[5]);
    }
    return sum;
}

}  // namespace

/// From weights that were found by the stretches to those which, together with the best rotations of the shapes they
/// make, bring these nearest to the particles: in turn rotations for given weights and weights for given rotations.
void ListWork::improve_weights(const Regions& regions, const Examples& examples, float* rotations, MatchMemory& memory)
{
    constexpr int kMostRounds = 12;    // each leaves about a sixth of what the one before left
    constexpr float kSettled = 1e-5f;  // of a stretch: a hundredth of a millimetre in a region of a metre
    const float* const positions = memory.positions.data();
    const TurnedRegions turned{rotations, positions};
    ExampleMemory& found = memory.examples;
    for (int round = 0; round < kMostRounds; ++round) {
        std::ranges::copy(found.lanes, found.lanes_before.begin());
        for_each_chunk(
            regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
                rotate_wanted(regions, {nullptr, &examples, 1.0f}, moments() + first, first, last, rotations, memory);
                RegionStretch now[kBlocksPerChunk];
                kernels().observe_turned(moments() + first, examples.inertia(), first, last, rotations, now);
                examples.project(now, chunk, first, last, found, &turned);
            });
        examples.decide(found);
        if (examples.change(found) < kSettled) return;
    }
}

/// Transforms of a chunk of blocks [first, last): the mean of the wanted shape and the rest shape, each with its own
/// rotation.
RotateCount ListWork::rotate_and_mix(const Regions& regions, const WantedShapes& wanted, std::size_t chunk,
                                     std::size_t first, std::size_t last, float* rotations, MatchMemory& memory)
{
    const Examples& examples = *wanted.examples;
    const float beta = wanted.beta;
    RotateCount count =
        rotate_wanted(regions, {nullptr, &examples, 1.0f}, moments() + first, first, last, rotations, memory);
    float* const rest_transforms = memory.examples.rest_transforms.data();
    const RotateCount rest_count = kernels().rotate(
        moments() + first, regions.rest().data(), {}, RotationSource::fit_stretched, nullptr, first, last,
        regions.region_count(), rotations + regions.block_count() * kRotationSize, rest_transforms);
    count.inverted = rest_count.inverted;
    count.robust += rest_count.robust;

    // beta |a - p|^2 + (1 - beta) |b - p|^2 = |beta a + (1 - beta) b - p|^2 + beta (1 - beta) |a - b|^2
    double apart = 0;
    for (std::size_t slot = first * kLanes; slot < std::min(last * kLanes, regions.region_count()); ++slot) {
        float* const a = transforms_.data() + slot * kTransformSize;
        const float* const b = rest_transforms + slot * kTransformSize;
        float D[kTransformSize];
        double K[6];
        for (std::size_t e = 0; e < kTransformSize; ++e) {
            D[e] = a[e] - b[e];
            a[e] = b[e] + beta * D[e];
        }
        for (int e = 0; e < 6; ++e) K[e] = double(examples.inertia()[slot / kLanes].K[e][slot % kLanes]);
        apart += 0.5 * weighed_square(D, K);
        if (offsets_) apart += offsets_->scale(slot, beta, memory.examples.offsets);
    }
    memory.examples.apart[chunk] = double(beta) * (1 - double(beta)) * regions.mass_unit() * apart;
    return count;
}

}  // namespace yawara::matching
