// Contact between bodies and of bodies with themselves, after their own steps; Scene (sim/scene.cpp) calls this.
#pragma once

#include <span>
#include <vector>

#include "contact/near_pairs.h"
#include "contact/rib_touches.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// The phases: boxes follow the bodies and near pairs are listed (near_pairs.cpp); touches are found among them
/// (touch.cpp); some sweeps bring every touch to its gap and speed with friction; the obstacles have the last word.
/// Pairs that share no body are worked on at the same time, in an order that depends on the pairs alone, so any number
/// of threads gives the same bits. Memory grows to the largest number of touches so far and is kept.
class BodyContact {
public:
    /// An obstacle as a touched particle sees it: flat, n . x >= offset is free.
    struct Wall {
        std::int32_t particle;
        Vec3 normal;
        float offset;
    };

    void add(const BodySurface& surface);

    /// `step` counts steps: which particles are probed for deep overlap. `slice`: dt is one of many slices of a step.
    /// Fills what bodies did to each other into the reports, one per body.
    void resolve(std::span<ContactBody> bodies, std::span<const Collider> colliders, double dt, std::int64_t step,
                 bool slice, std::span<ContactReport> reports);

    /// Pairs of the last resolve; those with touches touch.
    std::span<const NearPair> pairs() const { return pairs_.pairs(); }

private:
    void order_pairs(std::size_t bodies);
    void list_touched(std::span<const ContactBody> bodies, bool pushed);

    NearPairs pairs_;
    std::vector<SurfaceBoxes> boxes_;                 ///< per body
    std::vector<std::uint64_t> colors_;               ///< per body: rounds taken by pairs with touches
    std::vector<std::int32_t> rounds_;                ///< pairs with touches, round by round
    std::vector<std::int32_t> round_of_;              ///< per pair
    std::vector<std::size_t> round_begin_;            ///< of each round in rounds_
    std::vector<std::vector<std::int32_t>> touched_;  ///< per body: particles that touches may move
    std::vector<RibTouches> ribs_;                    ///< per body: across thin parts, with those
    std::vector<std::size_t> ribbed_;                 ///< bodies that have some now
    std::vector<float> unrest_;                       ///< per body: largest move of its ribs, in thicknesses
    std::vector<std::vector<Wall>> walls_;            ///< per body: obstacles near those
};

}  // namespace yawara::contact
