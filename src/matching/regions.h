// Overlapping groups of particles, one around each particle: all that lie within a number of links. Two sums are their
// whole interface to a matching pass: moments of the regions, and the particles' displacements to their goals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "matching/box_match.h"
#include "matching/kernels.h"
#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara::matching {

/// Ragged lists: entries of list k are values[offsets[k]] ... values[offsets[k + 1] - 1].
struct Lists {
    std::vector<std::int32_t> offsets{0};
    std::vector<std::int32_t> values;

    std::size_t size() const { return offsets.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t k) const
    {
        return {values.data() + offsets[k], std::size_t(offsets[k + 1] - offsets[k])};
    }
};

/// Who is linked to whom: particles of a common tet, or of a common lattice cell; sorted, without the particle itself.
Lists links(const TetMesh& mesh);
Lists links(const Lattice& lattice);

/// {i} and all within `hops` links of i, sorted; one list a particle. One hop in a tet mesh is the 1-ring. Refused if the
/// lists would hold more than two thousand million entries.
Result<Lists> neighbourhoods(const Lists& links, int hops);

/// For every value, the lists it is in.
Lists inverted(const Lists& lists, std::size_t value_count);

/// What displacements d give to a whole: sum of m d, and of m x cross d about the world's origin.
struct Momenta {
    Vec3d linear, angular;
};

/// Regions with everything that does not move precomputed, in double, then rounded once.
///
/// The kernels see particles, and the regions around them, in an order of their own in which what is near in the body is
/// near in memory, whatever the order of the file. slot(i) is the place of particle i there.
class Regions {
public:
    Regions() = default;  ///< none
    /// One region around each particle. `masses` are the true masses; a region counts a particle with its share of it,
    /// mass / number of regions that hold it, so that matching keeps momentum ([CVG] 4.3).
    Regions(Lists regions, std::span<const Vec3d> rest_positions, std::span<const double> masses);
    /// Regions of a lattice, summed by boxes; they have no lists, and slots are particles.
    Regions(BoxClasses classes, std::span<const Vec3d> rest_positions, std::span<const double> masses);

    /// Null: lists.
    const std::shared_ptr<const BoxClasses>& shared_boxes() const { return boxes_; }
    /// Slots are particles, and nobody reads the spare float of a position.
    bool in_body_order() const { return boxes_ != nullptr; }
    bool has_lists() const { return lists_.size() > 0; }
    /// The dense grids of a lattice without lists.
    const BoxGrid& grid() const { return boxes_->grid(); }
    std::size_t region_count() const { return order_.size(); }
    std::size_t block_count() const { return boxes_ ? boxes_->grid().block_count() : rest_.size(); }
    /// Lanes behind these are spare.
    std::size_t used_lanes() const { return boxes_ ? block_count() * kLanes : region_count(); }
    /// The region in a lane, counted through all blocks; -1: none.
    std::int32_t region_in(std::size_t lane) const { return lanes_[lane]; }
    /// Members of each region, and the regions that hold each particle, in the order of the body. Not for boxes.
    const Lists& lists() const { return lists_; }
    const Lists& holders() const { return holders_.size() ? holders_ : lists_; }
    /// Particles and regions in body coordinates: rest position minus this.
    Vec3d origin() const { return origin_; }
    /// kg m^2 that count as one in the moments.
    double mass_unit() const { return mass_unit_; }

    std::size_t slot(std::size_t particle) const { return std::size_t(slot_of_[particle]); }
    /// The particle in each slot.
    std::span<const std::int32_t> order() const { return order_; }
    std::size_t particle_at(std::size_t slot) const { return std::size_t(order_[slot]); }

    // All below is by slots, and for lists.

    std::span<const RegionRest> rest() const { return rest_; }
    /// Moments of the regions in blocks [first, last).
    void moments(const float* positions, std::size_t first_block, std::size_t last_block, RegionMoments* out) const
    {
        kernels().moments(view(), rest_.data(), positions, first_block, last_block, region_count(), out);
    }
    /// Displacements of the particles [first, last) to their goals, by the regions' transforms, and what they give to
    /// the whole. If transforms are weighted: sums of the weights over the regions of each particle, else null.
    Momenta displacements(const float* transforms, const float* weight_sums, const float* positions, std::size_t first,
                          std::size_t last, Vec3* out) const
    {
        ListView lists = view();
        if (weight_sums) lists.holder_count = weight_sums;
        DisplacementSums sums;
        kernels().displacements(lists, transforms, positions, first, last, out, sums);
        const auto vec = [](const float* v) { return Vec3d{double(v[0]), double(v[1]), double(v[2])}; };
        const Vec3d linear = vec(sums.push) * mass_unit_;
        return {linear, vec(sums.turn) * mass_unit_ + cross(vec(positions + kPositionSize * first), linear)};
    }
    /// 1/2 sum m |goal in region - x|^2 over the regions [first, last), kg m^2.
    double mismatch(const float* transforms, const float* positions, std::size_t first, std::size_t last) const
    {
        return mass_unit_ * kernels().mismatch(view(), transforms, positions, first, last);
    }
    ListView view() const
    {
        const SlotLists& held = slot_holders_.values.empty() ? slot_members_ : slot_holders_;
        return {slot_members_.offsets.data(), slot_members_.values.data(), held.offsets.data(), held.values.data(),
                centers_.data(), factors_.data(), particles_.data(), holder_count_.data(),
                share_.data()};
    }

private:
    /// The lists as the kernels read them, see ListView.
    struct SlotLists {
        AlignedVector<std::int32_t> offsets{0}, values;
    };
    SlotLists slotted(const Lists& lists) const;
    void find_origin(std::span<const Vec3d> rest_positions, std::span<const double> masses);

    std::shared_ptr<const BoxClasses> boxes_;
    std::vector<std::int32_t> lanes_;    ///< region in each lane
    Lists lists_;                        ///< members of each region
    Lists holders_;                      ///< regions of each particle; empty if the same as lists_
    std::vector<std::int32_t> order_;    ///< particle in each slot
    std::vector<std::int32_t> slot_of_;  ///< slot of each particle
    SlotLists slot_members_, slot_holders_;  ///< the lists by slots; the second may be empty
    AlignedVector<std::int32_t> centers_;    ///< per region, times 16
    AlignedVector<float> factors_;       ///< kFactorSize per particle
    AlignedVector<float> particles_;     ///< 4 per particle: rest position about origin_, shared mass / mass_unit_
    std::vector<float> holder_count_, share_;
    AlignedVector<RegionRest> rest_;     ///< per block of eight regions
    Vec3d origin_;
    double mass_unit_ = 1;               ///< makes the moments about 1 for bodies of any size and weight
};

}  // namespace yawara::matching
