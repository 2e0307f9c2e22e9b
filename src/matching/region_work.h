// The regions of one body at work, whichever way they are summed: over lists (list_work.h) or by boxes on a lattice
// (box_work.h). MatchMemory picks one of them; nobody else asks which.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "matching/examples.h"
#include "matching/regions.h"
#include "matching/widths.h"

namespace yawara::matching {

struct MatchMemory;

struct MatchCount {
    int inverted = 0, robust = 0;
};

/// What the regions want to become: what the layers say, or null, and examples with their strength, or null. Examples
/// see the stretch that the layers before them do not explain, and add theirs to that of all.
struct WantedShapes {
    const RegionStretch* stretch = nullptr;
    const Examples* examples = nullptr;
    float beta = 0;
    const RegionStretch* explained = nullptr;  ///< by the layers before the examples; null: nothing
};

/// What the reach and the strength of regions depend on while a body runs.
struct WidthInput {
    std::span<const float> stiffness;    ///< per particle, in the order of the body
    double dt;                           ///< s
    double available;                    ///< modulus of a step in which all take the whole way, times the step squared,
                                         ///< Pa s^2; for even regions
    std::span<const std::int32_t> held;  ///< particles whose grip has to be firm
};

/// Calls are for all regions, or for a chunk of particles; never for one.
class RegionWork {
public:
    virtual ~RegionWork() = default;

    /// The sums over regions: moments of all blocks.
    virtual void sum_regions(const Regions& regions, const MatchMemory& memory, RegionMoments* moments) = 0;
    /// ... and what follows from them: `rotations` of the wanted shape, warm started from what they were.
    virtual MatchCount match(const Regions& regions, const WantedShapes& wanted, float* rotations,
                             MatchMemory& memory) = 0;
    /// The first half of match() with examples: their weights, left in memory.examples.
    virtual int find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations,
                             MatchMemory& memory) = 0;
    /// Elastic mismatch of what match() left, kg m^2.
    virtual double mismatch(const Regions& regions, MatchMemory& memory) = 0;

    /// The sums over particles: displacements to the goals. First what is done for all at once, ...
    virtual void begin_displacements(const MatchMemory&, Vec3*) {}
    /// ... then those of the slots [first, last).
    virtual void find_displacements(const Regions& regions, MatchMemory& memory, std::size_t first, std::size_t last,
                                    Vec3* displacement) = 0;
    /// match() and find_displacements() of all slots in one go, then(first, last) after each run of them; null: cannot.
    using Then = std::function<void(std::size_t first, std::size_t last)>;
    virtual std::optional<MatchCount> match_and_find(const Regions&, const WantedShapes&, float* /*rotations*/,
                                                     MatchMemory&, Vec3* /*displacement*/, const Then&)
    {
        return {};
    }
    /// Whether find_displacements() leaves memory.momenta too.
    virtual bool sums_momenta() const { return false; }
    /// Whether anybody needs their angular part.
    virtual bool sums_angular() const { return true; }

    /// v += share (mean over its regions of their rigid motion - v).
    virtual void damp(float share, const Regions& regions, std::span<const Vec3> positions,
                      std::span<Vec3> velocities) = 0;

    /// Other reaches or strengths from now on. True if examples have to be measured anew: see fitted().
    virtual bool adapt(const Regions& regions, const WidthPlan& plan, const WidthInput& now,
                       std::span<const double> masses) = 0;
    /// Examples of the regions as they are now; null: as they were built.
    virtual std::unique_ptr<const Examples> fitted(const Examples&, const Regions&, std::span<const Vec3d>,
                                                   std::span<const double>) const
    {
        return nullptr;
    }
    /// Sums in double over regions as they are now.
    virtual RegionSums sums(const Regions& regions, std::span<const double> masses) const { return {regions, masses}; }
    /// HeldSlot particles count more: inner forces need not sum to zero.
    virtual bool braced() const { return false; }
};

}  // namespace yawara::matching
