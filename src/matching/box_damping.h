// Damping of neighbours against each other on a lattice: the mean rigid motion of a particle's regions, by box sums.
#pragma once

#include <span>

#include "matching/box_match.h"

namespace yawara::matching {

class BoxDamping {
public:
    explicit BoxDamping(const BoxClasses& classes);
    /// v += share (mean over its regions of their rigid motion - v), [CVG] 5.4; keeps both momenta.
    void apply(float share, const BoxClasses& classes, std::span<const Vec3> positions, std::span<Vec3> velocities);

private:
    struct Part {
        AlignedVector<float> planes;        ///< for every filter the channels of a plane, sums along x and y
        AlignedVector<float> values, sent;  ///< of particles, of regions: node by node, for exceptions only
        std::size_t plane = 0;              ///< floats from one to the next
        Vec3 origin;
    };
    void fit(const BoxClasses& classes);
    void sum_planes(const BoxClasses& classes, std::span<const Vec3> positions, std::span<const Vec3> velocities);
    void solve_slabs(const BoxClasses& classes);
    void spread_planes(float share, const BoxClasses& classes, std::span<const Vec3> positions,
                       std::span<Vec3> velocities);

    std::vector<Part> parts_;
    tbb::enumerable_thread_specific<BoxScratch> scratch_;
};

}  // namespace yawara::matching
