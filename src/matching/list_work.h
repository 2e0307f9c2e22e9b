// Regions by lists at work: transforms of all regions, then means of them at the particles. Called through RegionWork.
#pragma once

#include "core/aligned.h"
#include "matching/chunk_waits.h"
#include "matching/region_damping.h"
#include "matching/region_work.h"

namespace yawara::matching {

class ListWork final : public RegionWork {
public:
    ListWork(const Regions& regions, const Examples* examples);

    MatchCount match(const Regions& regions, const WantedShapes& wanted, float* rotations,
                     MatchMemory& memory) override;
    void sum_regions(const Regions& regions, const MatchMemory& memory, RegionMoments* moments) override;
    int find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations,
                     MatchMemory& memory) override;
    double mismatch(const Regions& regions, MatchMemory& memory) override;
    void find_displacements(const Regions& regions, MatchMemory& memory, std::size_t first, std::size_t last,
                            Vec3* displacement) override;
    std::optional<MatchCount> match_and_find(const Regions& regions, const WantedShapes& wanted, float* rotations,
                                             MatchMemory& memory, Vec3* displacement, const Then& then) override;
    bool sums_momenta() const override { return !offsets_; }
    void damp(float share, const Regions& regions, std::span<const Vec3> positions,
              std::span<Vec3> velocities) override;
    /// Stiffness becomes a share of the displacement, region by region; examples do not mind.
    bool adapt(const Regions& regions, const WidthPlan& plan, const WidthInput& now,
               std::span<const double> masses) override;

    /// Of the regions, by slots, as match() left them: kTransformSize each.
    std::span<const float> transforms() const { return transforms_; }

private:
    /// Where moments wait until the weights of examples are known: in the place of the transforms they become, unless
    /// they are needed more than once.
    RegionMoments* moments()
    {
        if (!moments_.empty()) return moments_.data();
        return reinterpret_cast<RegionMoments*>(transforms_.data());
    }
    float alpha(std::size_t slot) const { return alphas_.empty() ? 1.0f : alphas_[slot]; }

    int observe(const Regions& regions, const WantedShapes& wanted, std::size_t chunk, std::size_t first,
                std::size_t last, const float* rotations, RegionMoments* moments, MatchMemory& memory);
    RotateCount rotate_wanted(const Regions& regions, const WantedShapes& wanted, const RegionMoments* moments,
                              std::size_t first, std::size_t last, float* rotations, MatchMemory& memory);
    RotateCount rotate_with_offsets(const Regions& regions, const WantedShapes& wanted, const RegionMoments* moments,
                                    std::size_t first, std::size_t last, float* rotations, MatchMemory& memory);
    RotateCount match_alone(const Regions& regions, const WantedShapes& wanted, std::size_t chunk, std::size_t first,
                            std::size_t last, float* rotations, MatchMemory& memory);
    RotateCount match_plain(const Regions& regions, const WantedShapes& wanted, std::size_t first, std::size_t last,
                            float* rotations, MatchMemory& memory);
    void weigh_transforms();

    // The variational form, in variational.cpp.
    void improve_weights(const Regions& regions, const Examples& examples, float* rotations, MatchMemory& memory);
    RotateCount rotate_and_mix(const Regions& regions, const WantedShapes& wanted, std::size_t chunk, std::size_t first,
                               std::size_t last, float* rotations, MatchMemory& memory);

    AlignedVector<float> transforms_;       ///< of the regions, kTransformSize each
    AlignedVector<RegionMoments> moments_;  ///< per block, if they are needed more than once
    std::vector<double> chunk_sums_;        ///< per chunk of regions
    const Offsets* offsets_ = nullptr;      ///< of the examples, if goals have them
    std::vector<float> alphas_;             ///< share of the displacement that each region gives; empty: 1
    std::vector<float> alpha_sums_;         ///< of those that hold a particle
    AlignedVector<float> pulls_;            ///< transforms times alphas
    std::unique_ptr<ChunkWaits> waits_;     ///< made when first needed
    RegionDamping damping_;
};

}  // namespace yawara::matching
