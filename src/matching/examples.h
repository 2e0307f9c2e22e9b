// Example shapes in a matching pass: stretch of every region now, its projection on the hull of the examples, and the
// stretch that follows, [Examples] 3. The step's part is in match.cpp, the precomputation in build_examples.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/aligned.h"
#include "matching/hull.h"
#include "matching/offsets.h"
#include "matching/region_sums.h"
#include "matching/regions.h"
#include "matching/soft_groups.h"
#include "yawara/core.h"
#include "yawara/examples.h"

namespace yawara::matching {

/// Scratch of one body.
struct ExampleMemory {
    AlignedVector<float> lanes;       ///< per example and lane: products with the rows, then weights; for one
                                      ///< group eight times the same weight
    AlignedVector<float> chunk_sums;  ///< of products, if there is one group: kSumLanes per chunk and example
    std::vector<double> sums;         ///< per group and example; not for each_region
    std::vector<double> weights;      ///< likewise
    std::vector<double> asked;        ///< by cues, per group (or lane, for each_region) and example: added to `sums`
    AlignedVector<float> kept;        ///< plastic: weights that the body keeps, per example and lane
    AlignedVector<float> targets;     ///< plastic: likewise, of the shape that is wanted
    std::vector<double> group_sums;   ///< with cues: per group or region
    OffsetMemory offsets;
    AlignedVector<float> rest_transforms;  ///< variational: as MatchMemory::transforms, of the rest shape
    AlignedVector<float> lanes_before;     ///< variational: weights as they were a round ago
    std::vector<double> apart;  ///< variational, per chunk: what the energies have beyond that of the mean goals
};

/// Rotations of the regions and the particles they were found for.
struct TurnedRegions {
    const float *rotations, *positions;
};

/// How a body moved and what it met, for its cues.
struct ContactChange {
    std::span<const float> masses;
    std::span<const Vec3> before, after;  ///< velocities, before and after it was resolved
    double impulse = 0;                   ///< kg m/s, that the whole was given at least
};

/// Everything about regions is by lanes, see Regions::region_in().
class Examples {
public:
    /// Refused: too many poses, other counts of positions, not finite, all of a pose mirrored.
    static Result<Examples> make(ExampleSet set, const Regions& regions, std::span<const Vec3d> rest,
                                 std::span<const double> masses, std::shared_ptr<const SoftGroups> soft = nullptr);
    /// The same on a lattice whose regions are now others.
    Examples fitted(const Regions& regions, std::shared_ptr<const BoxClasses> classes, std::span<const Vec3d> rest,
                    std::span<const double> masses) const
    {
        return measure(set_, soft_, regions, RegionSums(regions, std::move(classes), masses), rest, masses);
    }

    std::size_t count() const { return reports_.size(); }
    bool each_region() const { return each_region_; }
    std::size_t group_count() const { return each_region_ ? regions_ : grams_.size(); }
    std::span<const ExampleReport> reports() const { return reports_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    ExampleMemory memory() const;
    RotationSource turning() const { return turning_; }
    const std::optional<Offsets>& offsets() const { return offsets_; }
    /// What beta stands for: below 1 no more than what a body finds back from.
    float strength(float beta) const { return beta < 1 ? beta * limit_ : 1.0f; }
    /// `limit`: by strength_limit().
    void limit_strength(float limit) { limit_ = limit; }
    const RegionTensor* spread() const { return spread_.data(); }
    /// S - I of an example, and the same by the metric.
    const RegionStretch* shapes(std::size_t example) const { return shapes_.data() + example * blocks_; }
    const RegionStretch* rows(std::size_t example) const { return rows_.data() + example * blocks_; }
    bool variational() const { return !inertia_.empty(); }
    const RegionTensor* inertia() const { return inertia_.data(); }
    /// Sets of rotations that a state keeps: of the wanted shapes, and in the variational form of the rest shapes.
    std::size_t rotation_sets() const { return variational() ? 2 : 1; }
    std::size_t region_count() const { return regions_; }

    /// Weights of the regions in blocks [first, last) as far as they can be told: products with the rows, summed over
    /// the chunk from its first block on if there is one group, solved if every region is its own. Looks at how the
    /// moments are stretched; returns how many were hard.
    int observe(const RegionMoments* moments, const float* rotations, std::size_t chunk, std::size_t first,
                std::size_t last, ExampleMemory& memory) const;
    /// The same for stretches that are known: from Kernels::observe, or from observe_turned for `turned` regions.
    void project(const RegionStretch* stretch, std::size_t chunk, std::size_t first, std::size_t last,
                 ExampleMemory& memory, const TurnedRegions* turned = nullptr) const;
    /// The weights of groups, when all is projected.
    void decide(ExampleMemory& memory) const;
    /// There is one group, and all of its weight is on the rest shape.
    bool at_rest(float beta, const ExampleMemory& memory) const;
    /// I + sum of share (S - I) for blocks [first, last).
    WantedStretch wanted(float beta, std::size_t first, std::size_t last, ExampleMemory& memory) const;
    /// How much of an example is wanted of the region in a lane: beta w, and of what is kept the rest.
    float share(float beta, std::size_t example, std::size_t lane, const ExampleMemory& memory) const;
    /// The most that the stretch wanted of any region changed since memory.lanes_before.
    float change(const ExampleMemory& memory) const;
    /// Weight of an example in the region in a lane.
    float weight(std::size_t example, std::size_t lane, const ExampleMemory& memory) const;
    /// All weights of a group or, for each_region, of the region in a lane: that of the rest shape first.
    void weights(std::size_t group, const ExampleMemory& memory, float* out) const;
    /// Unbounded weights of one group for given stretches of the regions (in the order of the body): which loads awaken
    /// which example, [Examples] 12.9. For each_region: of all regions as one group.
    std::vector<double> raw_weights(std::span<const Mat3d> stretch, std::size_t group) const;
    /// How far an example stretches the region in a lane: |S - I|.
    float size(std::size_t example, std::size_t lane) const;
    std::int32_t group_of(std::size_t lane) const { return each_region_ ? std::int32_t(lane) : group_of_[lane]; }

    // ---- what a body hears and keeps, example_senses.cpp: arrays as in MatchingState

    const std::vector<std::string>& controls() const { return controls_; }
    bool listens() const { return !cues_.empty(); }
    bool listens_to(CueSource source) const;
    bool plastic() const { return set_->plasticity.has_value(); }
    std::size_t heard_count() const { return cues_.size() * group_count(); }
    std::size_t kept_count() const { return plastic() ? group_count() * count() : 0; }
    /// A step of dt begins.
    void hear(double dt, std::span<const float> masses, std::span<const Vec3> velocities,
              std::span<const float> controls, std::span<float> heard, ExampleMemory& memory) const;
    void hear_contact(const ContactChange& change, std::span<float> heard, ExampleMemory& memory) const;
    /// What the weights of a step look at besides the shape.
    void take(std::span<const float> heard, std::span<const float> kept, ExampleMemory& memory) const;
    /// A step of dt ends: what it keeps of the weights found.
    void creep(double dt, const ExampleMemory& memory, std::span<float> kept) const;
    /// Whether it will want something else soon, though nothing touches it.
    bool stirs(std::span<const float> controls, std::span<const float> heard, std::span<const float> kept) const;

private:
    friend class ExampleBuilder;  // build_examples.cpp
    static Examples measure(std::shared_ptr<const ExampleSet> set, std::shared_ptr<const SoftGroups> soft,
                            const Regions& regions, const RegionSums& sums, std::span<const Vec3d> rest,
                            std::span<const double> masses);
    /// All regions have the same weights, and want the same share of an example.
    bool one_group() const { return !each_region_ && grams_.size() == 1 && !plastic(); }
    void solve_soft(ExampleMemory& memory) const;
    /// From one example to the next among ExampleMemory::lanes.
    std::size_t lane_stride() const { return one_group() ? kLanes : blocks_ * kLanes; }
    std::size_t lane_at(std::size_t lane) const { return one_group() ? 0 : lane; }
    RowProducts products(const RegionStretch* rows, std::size_t chunk, std::size_t first, ExampleMemory& memory) const;
    void solve_lanes(std::size_t first, std::size_t last, ExampleMemory& memory) const;
    void solve(const GramMatrix& gram, const GramMatrix& inverse, std::span<const double> b, std::span<double> w) const;

    std::size_t group_of_region(std::size_t region) const
    {
        return each_region_ ? region : label_of_region_.empty() ? 0 : std::size_t(label_of_region_[region]);
    }
    /// Calls then(group, share) for the groups that a region belongs to.
    template <class Then>
    void for_each_share(std::size_t lane, std::size_t region, const Then& then) const
    {
        if (!soft_) return then(std::size_t(group_of_[lane]), 1.0);
        for (const SoftGroups::Share& s : (*soft_)[region]) then(std::size_t(s.group), s.share);
    }

    /// Calls then(lane, region) for the regions of blocks [first, last).
    template <class Then>
    void for_each_region(std::size_t first, std::size_t last, const Then& then) const
    {
        for (std::size_t lane = first * kLanes; lane < last * kLanes; ++lane)
            if (region_in_[lane] >= 0) then(lane, std::size_t(region_in_[lane]));
    }

    /// An ExampleCue, with numbers for names.
    struct Cue {
        std::size_t pose, control;
        std::vector<double> strengths;  ///< per group (or lane, for each_region), in the unit of its Gram matrix
    };

    std::shared_ptr<const ExampleSet> set_;
    std::shared_ptr<const SoftGroups> soft_;   ///< null: groups end at their borders
    std::vector<Cue> cues_;                    ///< as in the set
    std::vector<std::string> controls_;        ///< names
    std::vector<std::size_t> lane_of_region_;  ///< of each_region
    std::vector<std::int32_t> label_of_region_;  ///< if there are groups
    std::vector<double> group_masses_;         ///< kg, if it listens
    std::size_t regions_ = 0, blocks_ = 0;
    std::size_t used_lanes_ = 0;  ///< those behind are spare
    bool each_region_ = false, exact_ = true;
    RotationSource turning_ = RotationSource::fit_stretched;
    std::vector<std::int32_t> region_in_;       ///< region in each lane; -1: none
    std::vector<std::int32_t> group_of_;        ///< per lane; zeros if there is one group
    AlignedVector<RegionTensor> spread_;        ///< per block
    AlignedVector<RegionStretch> shapes_;       ///< S - I, per example and block
    AlignedVector<RegionStretch> rows_;         ///< the same by the metric: products with S - I give b
    std::vector<float> largest_sizes_;          ///< per example: of size() over all regions
    AlignedVector<RegionTensor> inertia_;       ///< A_qq, per block; empty: not variational
    AlignedVector<RegionStretch> turned_rows_;  ///< with inertia_: products with what observe_turned finds give b
    double mass_unit_ = 1;                      ///< of the regions
    AlignedVector<float> lane_faces_;           ///< each_region, up to three examples: see Kernels::hull
    std::vector<GramMatrix> grams_;             ///< per group; for each_region per lane if lane_faces_ cannot serve
    std::vector<GramMatrix> inverses_;          ///< likewise, for the finite rule; of soft groups up to their borders
    /// Of soft groups: those that reach into the same regions, and the products of the two.
    std::vector<std::vector<std::pair<std::size_t, GramMatrix>>> overlaps_;
    GramMatrix whole_inverse_;                  ///< of all regions as one group
    std::optional<Offsets> offsets_;
    float limit_ = 1;  ///< see strength()
    std::vector<ExampleReport> reports_;
    std::vector<std::string> warnings_;
};

/// Inverses of the covariances of the regions at rest, per block, for Kernels::observe; zero in spare lanes and for
/// regions that lie in a plane.
AlignedVector<RegionTensor> region_spread(const Regions& regions, const RegionSums& sums, std::span<const Vec3d> rest);

/// Stretch of every region in a pose, in the order of the body; that of the rest shape for one that lies in a plane.
std::vector<Mat3d> region_stretches(const Regions& regions, std::span<const Vec3d> rest, std::span<const double> masses,
                                    std::span<const Vec3d> positions);

}  // namespace yawara::matching
