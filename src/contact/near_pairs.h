// Which bodies are near each other, and which of their particles and triangles: lists that serve several steps.
#pragma once

#include <span>
#include <vector>

#include "contact/rigid_touches.h"
#include "contact/shortlist.h"
#include "contact/touch.h"
#include "contact/turned_box.h"

namespace yawara::contact {

/// Particles of two bodies so deep inside the other that no touch leads out.
struct Overlap {
    Vec3 escape;        ///< m, where the first body has to go: sum over the particles of direction out times depth
    float depths = 0;   ///< m, sum of the depths: the length of `escape` if all directions agree
    float deepest = 0;  ///< m, largest depth
    std::int32_t particle = -1;  ///< the particle that has it; -1: none
    bool of_a = false;           ///< it is a particle of the first body, not of the second
};

/// What happened between two bodies in a step, for those that ask.
struct PairEvent {
    bool sensor = false;  ///< one of them only reports
    bool touched = false;
    Vec3d point, normal;  ///< sums over the touches that pushed, times `weight`; the normal is out of the second
    double weight = 0, impulse = 0;  ///< the latter kg m/s
};

/// Two bodies (or one with itself) whose boxes meet.
struct NearPair {
    std::int32_t a = 0, b = 0;      ///< a < b, or a == b
    std::vector<Candidate> a_on_b;  ///< particles of a near triangles of b, sorted
    std::vector<Candidate> b_on_a;  ///< particles of b near triangles of a, sorted; empty for a == b
    std::vector<Candidate> edges;   ///< sharp edges of a near those of b, sorted
    Shortlist a_on_b_soon, b_on_a_soon, edges_soon;
    std::vector<Touch> touches;             ///< of b on a, then of a on b
    std::size_t b_touches = 0;              ///< how many of them are of b on a
    std::vector<RigidTouch> rigid_touches;  ///< of a pair with a rigid body: one for each touch
    TouchLaw law{};                         ///< that all touches of the pair follow
    float closing_distance = 0;  ///< m: the lists hold until the bodies come closer by more than this in one step
    float budget = 0;            ///< m: friction that no touch of the pair has used yet, see solve_displacements
    bool fresh = true;           ///< the lists have to be made anew
    float left = 0;              ///< deepest overlap after the response, m
    std::vector<Vec3> points;    ///< m, where its touches are
    PairEvent event{};
    Overlap overlap;  ///< of particles deeper than touches reach; if there are any, the bodies are moved apart
};

/// The lists hold every particle and triangle that a step can bring within the reach of both bodies while steps start
/// no farther than the slack from where it was then, so what is found in them does not depend on when they were made.
/// Pairs come in order of (a, b).
class NearPairs {
public:
    /// Brings boxes and pairs up to date for bodies that moved, as their motions tell. `boxes`: one per body.
    void update(std::span<const ContactBody> bodies, std::span<SurfaceBoxes> boxes);
    std::span<NearPair> pairs() { return {pairs_.data(), count_}; }
    std::span<const NearPair> pairs() const { return {pairs_.data(), count_}; }

private:
    void renew(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes);
    void find_pairs(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes);

    std::vector<NearPair> pairs_, old_;  ///< the first count_ are in use
    std::size_t count_ = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> found_;
    std::vector<std::int32_t> order_;  ///< bodies by the low end of their boxes
    std::vector<FloatBox> wide_;       ///< per body: all that it may reach
    std::vector<FloatBox> in_order_;   ///< the same, as `order_` says
    std::vector<TurnedBox> turned_;    ///< per body: all that it may reach before it counts as near
    std::vector<char> moved_;          ///< per body: boxes were fitted in this step
};

/// The candidates of a pair from the boxes of both.
void find_candidates(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes, NearPair& pair);

}  // namespace yawara::contact
