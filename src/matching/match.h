// One matching pass: where every particle would like to be. Called by matching/passes.h; what differs between regions
// by lists and by boxes is behind RegionWork, the inner loops are in matching/kernels.inl.
#pragma once

#include <memory>
#include <span>

#include "core/aligned.h"
#include "core/parallel.h"
#include "matching/examples.h"
#include "matching/region_work.h"
#include "matching/regions.h"
#include "yawara/stretch.h"

namespace yawara::matching {

constexpr std::size_t kBlocksPerChunk = 32;
constexpr std::size_t kParticlesPerChunk = 256;

/// Scratch of one body, sized once. All arrays are by slots, see Regions.
struct MatchMemory {
    /// `layers` besides the examples; `looks`: one of them looks at the regions.
    MatchMemory(const Regions& regions, std::size_t layers, const Examples* examples, bool looks = false);

    std::unique_ptr<RegionWork> work;

    AlignedVector<float> positions;           ///< kPositionSize each: where the next pass starts
    AlignedVector<Vec3> displacement;         ///< from the positions at the start of the step to the goals
    AlignedVector<Vec3> pass_displacement;    ///< of one pass
    AlignedVector<Vec3> displacement_before;  ///< as `displacement` was a pass ago
    AlignedVector<RegionStretch> stretch;     ///< that the layers want, per block
    std::vector<Sym3> wanted, combined;       ///< per region, by the layers: in the order of the body
    AlignedVector<RegionStretch> explained;   ///< that those before the examples want, likewise
    /// For layers that look.
    struct Looks {
        AlignedVector<RegionMoments> moments;  ///< per block
        AlignedVector<RegionStretch> blocks;   ///< per block: stretches on their displacement to or from the layers
        std::vector<Sym3> now;                 ///< per region: stretch that no layer has explained so far
        AlignedVector<RegionTensor> spread;    ///< of regions that are no longer those of the model; empty: they are
    } looks;
    std::vector<RotateCount> counts;  ///< per chunk of blocks
    ExampleMemory examples;
    std::unique_ptr<const Examples> changed_examples;  ///< fitted to regions that are no longer those of the model
    void set_position(std::size_t slot, Vec3 position)
    {
        float* const p = positions.data() + kPositionSize * slot;
        p[0] = position.x, p[1] = position.y, p[2] = position.z;
    }

    struct Centers {
        double mass = 0;
        Vec3d position, displacement;  ///< sums of mass times these
    };
    std::vector<Centers> centers;    ///< per chunk of particles
    std::vector<Mat3d> covariances;  ///< likewise
    std::vector<double> residuals;   ///< likewise: sum of mass times pass_displacement squared
    std::vector<Momenta> momenta;    ///< likewise: what `displacement` gives to the whole
};

/// Rotations of the regions of a body that was turned as a whole, to start from; see Examples::rotation_sets().
std::vector<float> placed_rotations(const Regions& regions, const Mat3d& turn, std::size_t sets = 1);
/// Rotations to start from, of a body whose particles changed: those of the regions around the old particle that is
/// `nearest` to the particle of each new region.
void carry_rotations(const Regions& before, std::span<const float> from, const Regions& after,
                     std::span<const std::int32_t> nearest, std::span<float> to);

/// Rotations of all regions for the particles as placed: best rotation of the wanted shape, [Examples] 3.9. Warm
/// started from `rotations` and left there.
MatchCount match_regions(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory);

/// Weights of the examples for the particles as placed, left in memory.examples; the first half of match_regions.
int find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory);

/// Elastic mismatch of what match_regions left, E of [ProcDef] 4.2 in kg m^2.
double mismatch(const Regions& regions, MatchMemory& memory);

/// Displacements of all particles to their goals, which are means over their regions, [Examples] 3.9.
/// `then(first, last)` is called for each finished run of slots, on the worker that made it.
template <class Then>
void find_displacements(const Regions& regions, MatchMemory& memory, Vec3* displacement, const Then& then);

/// Turn the goals x + memory.displacement about their centre so that they carry no angular momentum from x: those of
/// several passes do, [ProcDef] 4.1. Masses and positions in the order of the body.
void align_goals(const Regions& regions, std::span<const double> masses, std::span<const Vec3> x, MatchMemory& memory);

template <class Then>
void find_displacements(const Regions& regions, MatchMemory& memory, Vec3* displacement, const Then& then)
{
    memory.work->begin_displacements(memory, displacement);
    for_each_chunk(memory.displacement.size(), kParticlesPerChunk,
                   [&](std::size_t, std::size_t first, std::size_t last) {
                       memory.work->find_displacements(regions, memory, first, last, displacement);
                       then(first, last);
                   });
}

}  // namespace yawara::matching
