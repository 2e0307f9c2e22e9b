// Where examples have the members of a region, beyond what a stretch can tell, [Examples] 12.5: with them an example is
// a place of rest on any mesh.
#pragma once

#include <span>
#include <vector>

#include "matching/regions.h"

namespace yawara::matching {

struct OffsetMemory {
    std::vector<Vec3> details;  ///< per membership: what the blend of examples adds to the stretched rest shape, turned
};

/// Details e = R^T p - S q of every member in every example.
class Offsets {
public:
    /// `details`: per example, for each region in the order of the body and each of its members.
    Offsets(const Regions& regions, const std::vector<std::vector<Vec3d>>& details);

    OffsetMemory memory() const { return {std::vector<Vec3>(members_.size())}; }

    /// The blend of a region's details by `weights`, kept in the memory.
    void blend(std::size_t slot, std::span<const float> weights, OffsetMemory& memory) const;
    /// A_pq of region `slot` made ready for the wanted shape: A_pq T + sum m p d^T with the blend d, in a lane of
    /// `fitted`.
    void prepare(std::size_t slot, const float* positions, const RegionStretch& stretch, const OffsetMemory& memory,
                 const RegionMoments& moments, RegionMoments& fitted) const;
    /// Turns the details of a region by its rotation, and takes the share alpha of them.
    void turn(std::size_t slot, const float* rotations, float alpha, OffsetMemory& memory) const;
    /// sum m p (R e) of a region and one example, in units of the regions' masses.
    double along(std::size_t slot, std::size_t example, const float* rotations, const float* positions) const;
    /// Makes the details of a region smaller; returns 1/2 sum m d^2 as they were, in units of the regions' masses.
    double scale(std::size_t slot, float factor, OffsetMemory& memory) const;
    /// Adds the mean of a particle's details to its displacement.
    void add(std::size_t slot, const OffsetMemory& memory, Vec3& displacement) const;
    /// 1/2 sum m |goal in region - x|^2 of a region, in units of the regions' masses.
    double mismatch(std::size_t slot, const float* transforms, const float* positions, float alpha,
                    const OffsetMemory& memory) const;

private:
    std::size_t examples_ = 0;
    std::vector<std::int32_t> first_;       ///< of each region by slot; regions + 1
    std::vector<std::int32_t> members_;     ///< slots of the particles
    std::vector<Vec3> details_;             ///< per membership and example
    std::vector<std::int32_t> held_first_;  ///< of each particle by slot
    std::vector<std::int32_t> held_;        ///< memberships
    std::vector<float> share_, mass_;       ///< per particle, as the kernels have them
    std::vector<Vec3> rest_;                ///< likewise
    std::vector<std::int32_t> center_;      ///< slot of the particle at the middle of each region
};

}  // namespace yawara::matching
