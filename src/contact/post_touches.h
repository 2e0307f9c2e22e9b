// Posts: obstacles so thin that they would slip in between the particles of a soft body. Its surface touches them.
#pragma once

#include <span>
#include <vector>

#include "contact/between_particles.h"
#include "contact/touch.h"

namespace yawara::contact {

/// Whether an obstacle is a post for a body whose surface particles are `spacing` apart.
bool is_post(const Collider& collider, float spacing);

/// The touches of one soft body with posts. The obstacle's side of a touch is its last particle, which is none of the
/// body: a carrier, which goes its way whatever touches it.
class PostTouches {
public:
    struct Carrier {
        Lanes displacement, velocity;  ///< m in the step, m/s
    };
    /// Those of one obstacle.
    struct Group {
        const Collider* collider;
        std::vector<Touch> touches;
        std::vector<Carrier> carriers;  ///< one for each touch
        float budget = 0;               ///< of friction, see solve_displacements
    };
    void clear() { used_ = 0; }
    void find(const ContactBody& body);
    std::span<Group> groups() { return std::span(groups_).first(used_); }
    float thickness() const { return thickness_; }  ///< of the body, m

private:
    Group& next_group(const Collider& collider);

    std::vector<Group> groups_;  ///< the first of them are in use
    std::size_t used_ = 0;
    float thickness_ = 0;
    BetweenParticles between_;
};

}  // namespace yawara::contact
