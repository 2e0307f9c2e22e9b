// Impacts too fast for the shapes of two bodies to answer in a step: the excess is taken as between rigid bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/near_pairs.h"
#include "contact/rigid_motion.h"

namespace yawara::contact {

/// Contact moves the touched particles; the others of a body learn of it through its shape, a few spacings in a step.
/// What comes in faster than ContactBody::strike_speed would meanwhile have its middle on the other side. So where
/// bodies are about to touch, their rigid motions are first slowed down to that speed by impulses with friction, which
/// keep the momentum; a restitution gives back its share of the excess. They turn no body faster than so that its ends
/// have that speed: what would spin faster, steps could not hold together, so the angular momentum beyond is lost.
class Strikes {
public:
    /// Changes velocities, and positions by what follows from these in dt. Before touches are solved.
    void solve(std::span<const ContactBody> bodies, std::span<const NearPair> pairs, float dt);
    /// Whether a body was struck since forget().
    bool struck(std::size_t body) const { return body < struck_.size() && struck_[body] != 0; }
    void forget() { struck_.clear(); }

private:
    struct Blow {
        std::int32_t one, other;  ///< bodies
        Vec3d point, normal;      ///< between the two touched points; away from the other
        double wanted;            ///< velocity of separation to be reached, m/s
        double friction;
        double impulse = 0;  ///< along the normal so far, kg m/s
        Vec3d grip{};        ///< impulse of friction so far, kg m/s
    };
    void list(std::span<const ContactBody> bodies, const NearPair& pair);
    void exchange(Blow& blow);
    bool limit_spins(std::span<const ContactBody> bodies);

    std::vector<RigidMotion> before_, now_;  ///< per body
    std::vector<char> known_, struck_;       ///< per body: its motions are filled in; see struck()
    std::vector<Blow> blows_;
};

}  // namespace yawara::contact
