// Groups of regions that fade into each other, [Examples] 12.11: how much every group counts in every region.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matching/regions.h"

namespace yawara::matching {

/// Shares of the groups in a region: they are positive and add up to one.
struct SoftGroups {
    struct Share {
        std::int32_t group;
        double share;
    };
    std::vector<std::size_t> offsets{0};  ///< per region, and the end
    std::vector<Share> shares;
    std::span<const Share> operator[](std::size_t region) const
    {
        return {shares.data() + offsets[region], offsets[region + 1] - offsets[region]};
    }
};

/// The labels smoothed over a distance, m: of all fields those with the least sum of squared differences from the labels
/// and, times the distance squared, of squared gradients. One sparse factorisation, a solution for every group. Across a
/// flat border a group has half of its share there, and from there on it falls to a third with every such distance.
SoftGroups soft_groups(const Lists& links, std::span<const Vec3d> rest, std::span<const double> masses,
                       std::span<const std::int32_t> labels, double distance);

}  // namespace yawara::matching
