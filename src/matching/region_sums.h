// Sums over all regions in double, whatever holds them, lists or boxes: for what is constant about a body.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "matching/regions.h"
#include "matching/widths.h"

namespace yawara::matching {

class RegionSums {
public:
    /// Over regions as they were built, or over a lattice's as they are now. Regions count particles with their share
    /// of the mass, kg.
    RegionSums(const Regions& regions, std::span<const double> masses)
        : RegionSums(regions, regions.shared_boxes(), masses)
    {
    }
    RegionSums(const Regions& regions, std::shared_ptr<const BoxClasses> classes, std::span<const double> masses);
    /// ... or over regions as a stiffness and a step make them.
    RegionSums(const Regions& regions, const WidthPlan& plan, std::span<const float> stiffness, double dt,
               std::span<const double> masses);

    /// kg m^2 that count as one in the moments that kernels find.
    double mass_unit() const { return classes_ ? classes_->mass_unit() : regions_->mass_unit(); }
    /// How much a region counts in the means of its members.
    double weight(std::size_t region) const { return classes_ ? double(classes_->betas()[region]) : 1.0; }

    /// sum m a b^T of every region, both about its centres of mass.
    std::vector<Mat3d> covariances(std::span<const Vec3d> a, std::span<const Vec3d> b) const;
    /// sum m |a|^2 of every region, about its centre of mass.
    std::vector<double> squares(std::span<const Vec3d> a) const;
    /// Who is in a region, and how many are in each.
    std::vector<std::int32_t> members(std::size_t region) const;
    std::vector<float> sizes() const;
    /// Young's modulus that one pass a step gives, times the step squared, in the direction where it is largest, along
    /// which a slender body bends, [ProcDef] 4.5; Pa s^2. Where a body is thick all directions are alike.
    double pass_modulus(std::span<const Vec3d> rest, std::span<const double> masses, double volume) const;

private:
    /// sum m value(particle) over every region; boxes.
    template <class Value>
    std::vector<double> over(const Value& value) const;
    /// Calls then(region, shares of mass, a, b) with the members of every region about its centres of mass; lists.
    template <class Then>
    void for_each_list(std::span<const Vec3d> a, std::span<const Vec3d> b, const Then& then) const;

    const Regions* regions_;
    std::shared_ptr<const BoxClasses> classes_;  ///< null: lists
    std::vector<double> shares_;                 ///< mass of each particle in each of its regions
    std::vector<double> masses_;                 ///< of the regions; boxes
};

}  // namespace yawara::matching
