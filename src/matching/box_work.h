// Regions of a lattice at work, summed by boxes: sweeps over planes, box_match.h. Called through RegionWork.
#pragma once

#include "core/aligned.h"
#include "matching/box_damping.h"
#include "matching/region_work.h"

namespace yawara::matching {

class BoxWork final : public RegionWork {
public:
    BoxWork(const Regions& regions, const Examples* examples);

    MatchCount match(const Regions& regions, const WantedShapes& wanted, float* rotations,
                     MatchMemory& memory) override;
    void sum_regions(const Regions& regions, const MatchMemory& memory, RegionMoments* moments) override;
    int find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations,
                     MatchMemory& memory) override;
    double mismatch(const Regions& regions, MatchMemory& memory) override;
    void begin_displacements(const MatchMemory& memory, Vec3* displacement) override;
    void find_displacements(const Regions&, MatchMemory&, std::size_t, std::size_t, Vec3*) override {}
    bool sums_angular() const override { return false; }
    void damp(float share, const Regions& regions, std::span<const Vec3> positions,
              std::span<Vec3> velocities) override;
    bool adapt(const Regions& regions, const WidthPlan& plan, const WidthInput& now,
               std::span<const double> masses) override;
    std::unique_ptr<const Examples> fitted(const Examples& examples, const Regions& regions,
                                           std::span<const Vec3d> rest, std::span<const double> masses) const override;
    RegionSums sums(const Regions& regions, std::span<const double> masses) const override
    {
        return {regions, classes_, masses};
    }
    bool braced() const override { return classes_->braced(); }

private:
    std::shared_ptr<const BoxClasses> classes_;  ///< widths and weights as they are now
    BoxMemory sweeps_;
    AlignedVector<RegionMoments> moments_;         ///< per block, with examples
    AlignedVector<RegionStretch> shapes_;          ///< likewise: what is wanted
    const RegionStretch* last_stretch_ = nullptr;  ///< of the last match(), for mismatch()
    const float* last_turns_ = nullptr;
    std::unique_ptr<BoxDamping> damping_;  ///< made when first needed
};

}  // namespace yawara::matching
