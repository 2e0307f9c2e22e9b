// Motions by plan: keys, and what lies between them. Handles of scripts and obstacles follow them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "yawara/math.h"

namespace yawara {

/// Where something is at a time; turns are axis times angle, so that several turns add up.
struct PathKey {
    double time = 0;               ///< s
    Vec3d move{};                  ///< m
    Vec3d turn{};                  ///< rad
    std::optional<Vec3d> about{};  ///< fixed point of the turn; none: the centre of what is moved
};

/// A motion through keys in the order of their times, at rest before the first and after the last. Moves, turns and
/// their fixed points are interpolated number by number: straight, or by cubics that keep to the range between two keys
/// (Fritsch and Carlson 1980) and start and end at rest.
class Path {
public:
    Path() = default;
    /// `centre` is the fixed point of turns whose key names none.
    Path(std::span<const PathKey> keys, bool smooth, Vec3d centre);

    bool empty() const { return times_.empty(); }
    bool smooth() const { return !slopes_.empty(); }
    std::vector<PathKey> keys() const;  ///< each with its fixed point
    /// Carries what is moved from its place without the path to that at a time.
    Placement at(double time) const;

private:
    using Channels = std::array<double, 9>;  ///< move, turn, about
    static Placement placement(const Channels& channels);

    std::vector<double> times_;
    std::vector<Channels> values_;  ///< one per key
    std::vector<Channels> slopes_;  ///< one per key; empty: straight
};

}  // namespace yawara
