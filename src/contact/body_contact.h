// Contact between bodies and of bodies with themselves, after their own steps; Scene (sim/scene.cpp) calls this.
#pragma once

#include <span>
#include <vector>

#include "contact/near_pairs.h"
#include "contact/strikes.h"
#include "contact/touch_solver.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// The phases: boxes follow the bodies and near pairs are listed (near_pairs.cpp); touches are found among them
/// (touch.cpp); some sweeps bring every touch to its gap and speed with friction (touch_solver.cpp); the obstacles have
/// the last word. Any number of threads gives the same bits. Memory grows to the largest number of touches so far and
/// is kept.
class BodyContact {
public:
    void add(const BodySurface& surface);

    /// `step` counts steps: which particles are probed for deep overlap. `slices`: dt is one of this many slices of a
    /// step. Fills what bodies did to each other into the reports, one per body.
    /// `links`: what joints ask.
    void resolve(std::span<ContactBody> bodies, Links& links, double dt, std::int64_t step, int slices,
                 std::span<ContactReport> reports);

    /// Pairs of the last resolve; those with touches touch.
    std::span<const NearPair> pairs() const { return pairs_.pairs(); }

    /// False only if the last resolve left a body that is not rigid as it was.
    bool may_have_moved(std::size_t body) const { return !pairs_.pairs().empty() || !solver_.moved(body).empty(); }

    /// What a rigid body had to do with obstacles in the last resolve.
    const RigidObstacles& rigid_obstacles(std::size_t body) const { return solver_.obstacles(body); }

    /// What obstacles gave to a body that is not rigid in the last resolve, kg m/s.
    Vec3d obstacle_impulse(std::size_t body) const
    {
        return solver_.obstacle_impulse(body) + last_words_[body];
    }

private:
    void find_near(std::span<ContactBody> bodies);
    void keep_out(std::span<const ContactBody> bodies);
    void find_touches_of(std::span<const ContactBody> bodies, double dt, std::size_t step, NearPair& pair);
    Overlap probe_both(const ContactBody& a, const ContactBody& b, std::size_t step, const NearPair& pair,
                       Vec3 out_of_b) const;
    void sense(std::span<const ContactBody> bodies, NearPair& pair) const;
    void tell(NearPair& pair, double dt) const;
    float overlap_left(std::span<const ContactBody> bodies, const NearPair& pair) const;

    NearPairs pairs_;
    std::vector<SurfaceBoxes> boxes_;  ///< per body
    Strikes strikes_;
    std::int64_t last_step_ = -1;  ///< of which strikes_ knows
    TouchSolver solver_;
    std::vector<Vec3d> last_words_;  ///< kg m/s, per body: what obstacles gave it in the end
};

}  // namespace yawara::contact
