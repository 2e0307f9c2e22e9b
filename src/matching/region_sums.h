// Sums over all regions in double, whatever holds them, lists or boxes: for what is constant about examples.
#pragma once

#include <span>
#include <vector>

#include "matching/regions.h"

namespace yawara::matching {

class RegionSums {
public:
    /// Over the lists of `regions`, or over boxes if `classes` are given. Regions count particles with their share of
    /// the mass, kg.
    RegionSums(const Regions& regions, const BoxClasses* classes, std::span<const double> masses);

    /// kg m^2 that count as one in the moments that kernels find.
    double mass_unit() const { return classes_ ? classes_->mass_unit() : regions_->mass_unit(); }
    /// How much a region counts in the means of its members.
    double weight(std::size_t region) const { return classes_ ? double(classes_->betas()[region]) : 1.0; }

    /// sum m a b^T of every region, both about its centres of mass.
    std::vector<Mat3d> covariances(std::span<const Vec3d> a, std::span<const Vec3d> b) const;
    /// sum m |a|^2 of every region, about its centre of mass.
    std::vector<double> squares(std::span<const Vec3d> a) const;

private:
    /// sum m value(particle) over every region; boxes.
    template <class Value>
    std::vector<double> over(const Value& value) const;
    /// Calls then(region, shares of mass, a, b) with the members of every region about its centres of mass; lists.
    template <class Then>
    void for_each_list(std::span<const Vec3d> a, std::span<const Vec3d> b, const Then& then) const;

    const Regions* regions_;
    const BoxClasses* classes_;
    std::vector<double> shares_;  ///< mass of each particle in each of its regions
    std::vector<double> masses_;  ///< of the regions; boxes
};

}  // namespace yawara::matching
