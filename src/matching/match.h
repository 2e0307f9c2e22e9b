// One matching pass: where every particle would like to be. Called by matching/passes.h; the inner loops are in
// matching/kernels.inl.
#pragma once

#include <memory>
#include <span>

#include "core/aligned.h"
#include "matching/examples.h"
#include "matching/regions.h"
#include "yawara/stretch.h"

namespace yawara::matching {

/// Scratch of one body, sized once. All arrays are by slots, see Regions.
struct MatchMemory {
    MatchMemory(const Regions& regions, std::size_t layers, const Examples* examples);

    AlignedVector<float> positions;   ///< kPositionSize each: where the next pass starts
    AlignedVector<Vec3> way;          ///< from the positions at the start of the step to the goals
    AlignedVector<Vec3> pass_way;     ///< of one pass
    AlignedVector<Vec3> way_before;   ///< as `way` was a pass ago
    AlignedVector<float> transforms;  ///< of the regions, kTransformSize each; none for boxes
    AlignedVector<RegionStretch> stretch;
    std::vector<Sym3> wanted, combined;  ///< per region, by the layers: in the order of the body
    std::vector<RotateCount> counts;     ///< per chunk
    ExampleMemory examples;
    const Offsets* offsets = nullptr;  ///< of the examples, if goals have them
    void place(std::size_t slot, Vec3 position)
    {
        float* const p = positions.data() + kPositionSize * slot;
        p[0] = position.x, p[1] = position.y, p[2] = position.z;
    }

    /// Where moments wait until the weights of examples are known: in the place of the transforms they become, unless
    /// they are needed more than once.
    RegionMoments* moments()
    {
        if (!examples.moments.empty()) return examples.moments.data();
        return reinterpret_cast<RegionMoments*>(transforms.data());
    }

    std::vector<double> chunk_sums;  ///< per chunk of regions
    struct Centers {
        double mass = 0;
        Vec3d position, way;  ///< sums of mass times these
    };
    std::vector<Centers> centers;    ///< per chunk of particles
    std::vector<Mat3d> covariances;  ///< likewise
    std::vector<double> residuals;   ///< likewise: sum of mass times pass_way squared
    std::vector<Momenta> momenta;        ///< likewise: what `way` gives to the whole

    /// Regions by lists that take but a share of the way, per particle in the order of the body.
    void set_alphas(const Regions& regions, std::span<const float> alphas);
    std::vector<float> alphas, alpha_sums;  ///< of each region, and over those that hold a particle; empty: 1
    AlignedVector<float> pulls;             ///< transforms times alphas

    const BoxClasses* classes = nullptr;               ///< widths and weights of a lattice as they are now
    std::unique_ptr<const BoxClasses> changed;         ///< ... if no longer those it was built with
    std::unique_ptr<const Examples> changed_examples;  ///< ... and examples fitted to its regions, if they are others
    std::unique_ptr<BoxMemory> boxes;
    const RegionStretch* last_stretch = nullptr;  ///< of the last match_regions, for mismatch()
    const float* last_turns = nullptr;
};

struct MatchCount {
    int inverted = 0, robust = 0;
};

/// Rotations of the regions of a body that was turned as a whole, to start from; see Examples::turn_sets().
std::vector<float> placed_turns(const Regions& regions, const Mat3d& turn, std::size_t sets = 1);
/// Rotations to start from, of a body whose particles changed: those of the regions around the old particle that is
/// `nearest` to the particle of each new region.
void carry_turns(const Regions& before, std::span<const float> from, const Regions& after,
                 std::span<const std::int32_t> nearest, std::span<float> to);

/// What the layers want now, ready for match_regions; null if there are no layers.
const RegionStretch* ask_layers(const StretchLayers& layers, const Regions& regions, double time, MatchMemory& memory);

/// What the regions want to become: what the layers say, or null, and examples with their strength, or null. Examples
/// see the stretch that the layers do not explain, and add theirs to it.
struct Wanted {
    const RegionStretch* stretch = nullptr;
    const Examples* examples = nullptr;
    float beta = 0;
};

/// Transforms of all regions for the particles as placed: best rotation of the wanted shape, [Examples] 3.9. Warm
/// started from `turns` and left there.
MatchCount match_regions(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory);

/// Weights of the examples for the particles as placed, left in memory.examples; the first half of match_regions.
int find_weights(const Regions& regions, const Wanted& wanted, float* turns, MatchMemory& memory);

/// Transforms of the shapes that examples want with the weights found, for blocks [first, last); the second half.
/// `moments` begin with the first block.
RotateCount rotate_wanted(const Regions& regions, const Wanted& wanted, const RegionMoments* moments, std::size_t first,
                          std::size_t last, float* turns, MatchMemory& memory);

/// Elastic mismatch of the transforms that match_regions left, E of [ProcDef] 4.2 in kg m^2.
double mismatch(const Regions& regions, MatchMemory& memory);

/// Ways of all particles to their goals, which are means over their regions, [Examples] 3.9.
/// `then(first, last)` is called for each finished run of slots, on the worker that made it. memory.momenta are those of
/// the regions' transforms: none of boxes, and without offsets.
template <class Then>
void find_ways(const Regions& regions, MatchMemory& memory, Vec3* way, const Then& then);

/// Turn the goals x + memory.way about their centre so that they carry no angular momentum from x: those of several
/// passes do, [ProcDef] 4.1. Masses and positions in the order of the body.
void align_ways(const Regions& regions, std::span<const double> masses, std::span<const Vec3> x, MatchMemory& memory);

}  // namespace yawara::matching

#include "core/parallel.h"

namespace yawara::matching {

constexpr std::size_t kBlocksPerChunk = 32;
constexpr std::size_t kParticlesPerChunk = 256;

template <class Then>
void find_ways(const Regions& regions, MatchMemory& memory, Vec3* way, const Then& then)
{
    if (memory.classes) spread_planes(*memory.classes, memory.positions.data(), *memory.boxes, way);
    for_each_chunk(memory.way.size(), kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        if (!memory.classes)
            memory.momenta[first / kParticlesPerChunk] = regions.ways(
                memory.alphas.empty() ? memory.transforms.data() : memory.pulls.data(),
                memory.alphas.empty() ? nullptr : memory.alpha_sums.data(), memory.positions.data(), first, last, way);
        if (memory.offsets)
            for (std::size_t slot = first; slot < last; ++slot)
                memory.offsets->add(slot, memory.examples.offsets, way[slot]);
        then(first, last);
    });
}

}  // namespace yawara::matching
