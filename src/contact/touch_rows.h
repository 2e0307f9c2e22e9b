// The touches of four pairs that share no body, side by side: sweeps work on one of each at once.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "contact/touch.h"
#include "contact/triangle_offsets.h"

namespace yawara::contact {

/// One touch of each of four pairs, in lanes. Particles are numbers of gathered ones.
struct TouchRow {
    std::array<std::array<std::int32_t, kLanes>, 4> particles;
    std::array<Lanes, 4> weights, shares;
    Vec3x4 normal, friction_shift;
    Lanes friction_length, move, shortfall, rebound;
};

/// Up to four pairs. Sweeps come to the same bits as those of touch_sweeps.h over one pair after the other.
class TouchRows {
public:
    /// The touches of a pair, and what they follow.
    struct Pair {
        std::span<Touch> touches;
        float friction, thickness;
    };
    /// The pair with most touches comes first.
    void begin(std::span<const Pair> pairs);
    void solve_displacements(Lanes* displacements);
    void solve_velocities(float dt, Lanes* velocities) const;
    /// Largest displacement by a touch of any of the pairs in the last sweep, in thicknesses.
    float largest_move() const;
    /// Tells the touches how far they moved in all sweeps.
    void tell();

private:
    std::array<std::span<Touch>, kLanes> touches_;
    std::vector<TouchRow> rows_;  ///< the first count_ are in use
    std::size_t count_ = 0;
    Lanes friction_{}, thickness_{}, budget_{}, largest_{};
};

}  // namespace yawara::contact
