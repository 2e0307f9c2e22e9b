// Which particles share a region on a lattice where widths differ, and all constants of the sums that follow from it.
// Cheap to make anew: stiffness may change while a body runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "matching/box_grid.h"
#include "matching/box_kernels.h"
#include "yawara/widths.h"

namespace yawara::matching {

/// Sliding windows of one level over the particles of some classes, wanted at the regions of some classes (or the other
/// way round). Sets of classes are bits.
struct BoxFilter {
    std::size_t level;
    std::uint32_t in, out;
    bool everywhere;  ///< all classes want it
};

/// Every reach that two regions of these classes can have in common, the classes themselves first.
std::vector<Reach> levels_of(std::span<const Reach> classes);

/// What every region reaches, how much it counts and how strongly it pulls.
struct BoxChoice {
    std::vector<std::uint8_t> classes;  ///< per particle
    std::vector<float> alphas;          ///< per particle
};

/// Constants of the sums, in double and then rounded once.
class BoxClasses {
public:
    /// `held` particles count more, if there are any: like as many layers of held ones as regions reach, without which
    /// a thin grip is soft.
    BoxClasses(std::shared_ptr<const BoxGrid> grid, std::span<const Reach> classes, RegionRule rule,
               const BoxChoice& choice, std::span<const double> masses, std::span<const std::int32_t> held = {});

    const BoxGrid& grid() const { return *grid_; }
    const std::shared_ptr<const BoxGrid>& shared_grid() const { return grid_; }
    std::span<const BoxFilter> gather() const { return gather_; }  ///< from particles to regions
    std::span<const BoxFilter> spread() const { return spread_; }  ///< from regions to particles
    std::span<const BoxBlock> blocks() const { return blocks_; }   ///< in the order of the grid's blocks
    /// Class of the particle at each node of a part as a bit; 0: none.
    std::span<const std::uint32_t> class_bits(std::size_t part) const { return bits_[part]; }
    bool one_class() const { return one_class_; }
    bool braced() const { return braced_; }  ///< some are held and count more: inner forces need not sum to zero

    std::span<const float> shared_masses() const { return shared_; }  ///< m / B, in units of mass_unit()
    std::span<const float> weight_sums() const
    {
        return weights_;
    }                                                          ///< sum of beta alpha over the regions of a particle
    std::span<const float> shares() const { return shares_; }  ///< 1 / B
    std::span<const float> betas() const { return betas_; }    ///< weights of the regions, without alpha
    double mass_unit() const { return mass_unit_; }
    /// Weight of a particle's own region, beta alpha.
    double weight(std::size_t particle) const { return weight_of_[particle]; }

    /// Sums in double of any value per particle over each region, or over the regions of each particle; for constants
    /// and energies.
    std::vector<double> over_regions(std::span<const double> per_particle) const
    {
        return total(per_particle, gather_);
    }
    std::vector<double> over_holders(std::span<const double> per_region) const { return total(per_region, spread_); }

private:
    std::vector<double> total(std::span<const double> values, std::span<const BoxFilter> filters) const;
    std::vector<double> braced_masses(std::span<const Reach> classes, const BoxChoice& choice,
                                      std::span<const double> masses, std::span<const std::int32_t> held) const;

    std::shared_ptr<const BoxGrid> grid_;
    std::vector<BoxFilter> gather_, spread_;
    AlignedVector<BoxBlock> blocks_;
    std::vector<std::vector<std::uint32_t>> bits_;
    std::vector<float> shared_, weights_, shares_, weight_of_, betas_;
    double mass_unit_ = 1;
    bool one_class_ = true, braced_ = false;
};

}  // namespace yawara::matching
