// Which particles touch something, as bodies and obstacles stand: for colours, no part of a step.
#pragma once

#include <span>
#include <vector>

#include "contact/near_pairs.h"
#include "yawara/collider.h"

namespace yawara::contact {

class TouchGauge {
public:
    void add(const BodySurface& surface) { boxes_.emplace_back(surface); }
    std::size_t body_count() const { return boxes_.size(); }

    /// 1 for particles of `body` that touch an obstacle, another body or a fold of their own, 0 for the others. Bodies
    /// are taken as they stand: of each, `positions_before` and `positions` are the same. Their thickness is changed.
    void measure(std::span<ContactBody> bodies, std::size_t body, std::span<const Collider> colliders,
                 std::span<float> out);

private:
    NearPairs pairs_;
    std::vector<SurfaceBoxes> boxes_;  ///< per body
};

}  // namespace yawara::contact
