// Regions of a lattice whose width differs from particle to particle, and how stiffness chooses it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "yawara/field.h"

namespace yawara {

/// Who is a member of whose region, and how much regions count in the mean of a particle's goals.
enum class RegionRule {
    sharp,  ///< within the smaller of the two widths, and a region counts by one over its size: stiff parts end where
            ///< they end
    paper,  ///< within the width of the region, all counting alike, as published: stiff parts reach into soft ones
};

/// How a stiffness S in [0, 1] becomes a width and an alpha.
struct StiffnessLaw {
    enum class Kind {
        contrast,  ///< resistance grows exponentially with S from `softest` to `stiffest`, in units of a step
        young,  ///< Young's modulus grows exponentially with S from `softest` to `stiffest`, Pa, for any step and cell
        paper,  ///< width = round(lowest + (highest - lowest) S), alpha 1
    };
    Kind kind = Kind::contrast;
    double softest = 0.0126, stiffest = 52;  ///< see kind: S = 0.2 is then width 1 with alpha 0.1, S = 1 width 12
    int lowest = 1, highest = 5;             ///< of the paper's kind
    std::vector<int> widths{1, 3, 12};       ///< that regions may have; the others' difference is made by alpha
};

/// Widths of a lattice body. With `stiffness` the law decides, and may decide anew while the body runs; else `reach`
/// gives the widths themselves; else the body's hops hold everywhere.
struct Widths {
    RegionRule rule = RegionRule::sharp;
    std::optional<Field<Int3>> reach;        ///< links along x, y, z; at most kMostClasses different
    std::optional<Field<double>> alphas;     ///< in (0, 1]; none: 1
    std::optional<Field<double>> stiffness;  ///< S in [0, 1]
    StiffnessLaw law;
    float rigid = 0.9f;  ///< connected particles with at least this stiffness move as one rigid piece; above 1: none
};
constexpr std::size_t kMostClasses = 8;

}  // namespace yawara
