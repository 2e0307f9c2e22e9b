// Where sweeps over touches of rigid bodies begin. From nothing, what carries a stack is found one crate per sweep, and
// then again; so first every pair is one touch, and bodies only shift: that is quick to solve, and nearly right.
#pragma once

#include <span>
#include <vector>

#include "contact/near_pairs.h"
#include "contact/rigid_obstacles.h"

namespace yawara::contact {

class StackGuess {
public:
    /// Gives impulses to the touches of pairs of rigid bodies and of these with obstacles, and to the displacements
    /// what follows from them. `obstacles_of(body)`: what a body has to do with obstacles.
    template <class ObstaclesOf>
    void solve(std::span<const ContactBody> bodies, std::span<NearPair> pairs, std::span<RigidChange> displacements,
               const ObstaclesOf& obstacles_of)
    {
        joins_.clear();
        for (std::size_t k = 0; k < pairs.size(); ++k) add(bodies, pairs[k], std::int32_t(k));
        if (joins_.size() < 2) return;  // no stack
        for (std::size_t k = 0; k < bodies.size(); ++k)
            if (bodies[k].rigid && !bodies[k].asleep) add(bodies[k], std::int32_t(k), obstacles_of(k));
        sweep(bodies.size());
        for (const Join& join : joins_) {
            if (!(join.impulse > 0)) continue;
            if (join.pair >= 0)
                share_out(join, pairs[std::size_t(join.pair)], displacements);
            else
                obstacles_of(std::size_t(join.body))
                    .begin_with(join.normal, join.impulse, *bodies[std::size_t(join.body)].rigid,
                                displacements[std::size_t(join.body)]);
        }
    }

private:
    /// All touches of a pair, or of a body with obstacles, as one.
    struct Join {
        std::int32_t pair;         ///< -1: obstacles
        std::int32_t body, other;  ///< the other is none of an obstacle: -1
        Vec3d normal;              ///< out of the other
        double inverse_mass, inverse_other;
        double missing;  ///< m, to its goal
        double impulse;  ///< kg m
    };
    void add(std::span<const ContactBody> bodies, const NearPair& pair, std::int32_t index);
    void add(const ContactBody& body, std::int32_t index, const RigidObstacles& obstacles);
    void sweep(std::size_t bodies);
    static void share_out(const Join& join, NearPair& pair, std::span<RigidChange> displacements);

    std::vector<Join> joins_;
    std::vector<Vec3d> shifts_;  ///< m, per body
};

}  // namespace yawara::contact
