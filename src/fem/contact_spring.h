// The spring between a node and an obstacle in an implicit step.
#pragma once

#include <algorithm>

namespace yawara::fem {

/// As stiff as the body is at the node up to a small depth, as that of explicit sub-steps is, and much stiffer beyond.
struct ContactSpring {
    double stiffness = 0;                 ///< N/m, of the soft part
    double soft = 0;                      ///< m, the depth up to which there is no more
    static constexpr double kWall = 300;  ///< times as stiff is what is added: so the node goes hardly deeper

    /// How much of it a node at a depth presses, m: 0 nothing, 1 the soft part, 2 all. `lift`: added to the depth as
    /// the soft part sees it, so that a node that bounces leaves.
    int reach(double depth, double lift = 0) const { return depth > soft ? 2 : depth + lift > 0 ? 1 : 0; }
    /// N, along the normal, of the parts up to `reach`; and by how much that grows with the depth, N/m.
    double force(double depth, int reach, double lift = 0) const
    {
        const double first = reach > 0 ? depth + lift : 0, second = reach > 1 ? kWall * (depth - soft) : 0;
        return stiffness * (first + second);
    }
    double slope(int reach) const { return reach > 1 ? stiffness * (1 + kWall) : reach > 0 ? stiffness : 0; }
    double energy(double depth, double lift = 0) const
    {
        const double first = std::max(0.0, depth + lift), second = std::max(0.0, depth - soft);
        return stiffness / 2 * (first * first + kWall * second * second);
    }
};

}  // namespace yawara::fem
