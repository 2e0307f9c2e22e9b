// The path of a handle: keys in time, and where the handle is between them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "yawara/math.h"

namespace yawara::scene_file {

struct PathKey;

/// Moves, turns (axis times angle) and their fixed points are interpolated number by number: straight, or by cubics
/// that keep to the range between two keys (Fritsch and Carlson 1980) and start and end at rest.
class HandlePath {
public:
    /// `centre` is the fixed point of turns whose key names none.
    HandlePath(std::span<const PathKey> keys, bool smooth, Vec3d centre);

    /// Carries the particles from their places at the start to those at a time.
    Placement at(double time) const;

private:
    using Channels = std::array<double, 9>;  ///< move, turn, about
    static Placement placement(const Channels& channels);

    std::vector<double> times_;
    std::vector<Channels> values_;  ///< one per key
    std::vector<Channels> slopes_;  ///< one per key; empty: straight
};

}  // namespace yawara::scene_file
