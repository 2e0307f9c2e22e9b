// Brings all touches of a step to their gaps and speeds; BodyContact calls this.
#pragma once

#include <span>
#include <vector>

#include "contact/links.h"
#include "contact/near_pairs.h"
#include "contact/post_touches.h"
#include "contact/rib_touches.h"
#include "contact/rigid_obstacles.h"
#include "contact/rigid_touches.h"
#include "contact/stack_guess.h"
#include "contact/touch_rows.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// The particles of all touches are gathered into one small array of displacements and one of speeds; sweeps over the
/// touches change these, and the bodies get them back. Pairs that share no body are worked on at the same time, in an
/// order that depends on the touches alone, so any number of threads gives the same bits.
class TouchSolver {
public:
    void add(const BodySurface& surface);

    /// Sweeps end when no touch moves by more than `enough` of the thickness.
    void solve(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links, float dt, float enough);

    /// Particles of a body that touches or ribs may have moved.
    std::span<const std::int32_t> moved(std::size_t body) const { return gathered_[body].yielding; }
    /// How many particles of a body are in touches. With thin bodies, whose touches are found before they happen: in
    /// those that pushed.
    int touched(std::size_t body) const { return gathered_[body].touched; }
    /// What a rigid body had to do with obstacles.
    const RigidObstacles& obstacles(std::size_t body) const { return gathered_[body].rigid_obstacles; }
    /// What obstacles gave to a body that is not rigid while touches pressed it against them, kg m/s.
    Vec3d obstacle_impulse(std::size_t body) const { return gathered_[body].obstacle_impulse; }
    /// Takes displacements from the bodies as they are now, for deepest().
    void read_displacements(std::span<const ContactBody> bodies);
    /// Deepest overlap that touches of a pair have left, m.
    float deepest(const NearPair& pair) const;

private:
    /// An obstacle as a gathered particle sees it, flat.
    struct ObstaclePlane {
        std::int32_t particle;
        Lanes normal;
        float height;  ///< of the particle at the start of the step, m
        float mass;    ///< kg, of the particle
    };
    /// What is gathered of a body.
    struct GatheredBody {
        std::vector<std::int32_t> gathered_index;  ///< per particle: index among the gathered ones of the body, or -1
        std::vector<std::int32_t> yielding;        ///< particles in touches that may be moved: gathered first
        std::vector<std::int32_t> held;            ///< particles in touches that may not: gathered behind them
        std::size_t begin = 0;  ///< index of the body's first among the gathered particles of all bodies
        int touched = 0;        ///< see touched()
        std::vector<ObstaclePlane> obstacle_planes;
        RibTouches ribs;
        PostTouches posts{};
        RigidObstacles rigid_obstacles{};  ///< of a rigid body
        Vec3d obstacle_impulse{};          ///< kg m, then kg m/s: of the planes on its particles
    };

    /// Pairs of a round that are swept together: up to four soft ones side by side, or a single one.
    struct Squad {
        std::array<std::int32_t, kLanes> pairs{};
        std::size_t count = 0;
        float largest_move = 0;  ///< of a touch in the last sweep, in thicknesses
    };

    void order(std::span<const NearPair> pairs);
    void form_squads(std::span<const ContactBody> bodies, std::span<NearPair> pairs);
    void list_particles(std::span<const NearPair> pairs, const Links& links);
    void prepare(const ContactBody& body, float dt, GatheredBody& gathered);
    void find_obstacle_planes(const ContactBody& body, float dt, GatheredBody& gathered) const;
    void find_supports();
    void list_posts(const ContactBody& body, GatheredBody& gathered);
    void number_posts(std::size_t next_carrier);
    void gather(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links, float dt);
    template <class Solve>
    void sweep(const Solve& solve);
    void sweep_displacements(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links,
                             float enough);
    float sweep_rigid_obstacles(std::span<const ContactBody> bodies);
    void keep_out(GatheredBody& gathered);
    void add_supports(double per);
    void end_rigid(std::span<const ContactBody> bodies);
    void sweep_velocities(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links, float dt);
    void scatter(std::span<const ContactBody> bodies);
    void count_pushed(std::span<const NearPair> pairs);
    template <class Then>
    void for_each_gathered(std::size_t body, const Then& then) const;

    std::vector<GatheredBody> gathered_;             ///< per body
    std::vector<Lanes> displacements_, velocities_;  ///< per gathered particle, m and m/s
    bool any_rigid_ = false;                         ///< or linked: what is pushed hands it on at once
    std::vector<RigidChange> rigid_displacements_, rigid_velocities_;  ///< per body
    StackGuess guess_;
    std::vector<Support> supports_;         ///< per gathered particle, if any body is rigid
    std::vector<std::uint64_t> busy_;       ///< per body: bit r is set if one of its pairs is in round r
    std::vector<std::int32_t> round_of_;    ///< per pair, -1: no touches
    std::vector<std::int32_t> rounds_;      ///< pairs with touches, round by round
    std::vector<std::size_t> round_begin_;  ///< of each round in rounds_
    std::vector<char> worth_sharing_;       ///< per round: with several threads
    std::vector<Squad> squads_;             ///< round by round
    std::vector<std::size_t> squad_begin_;  ///< of each round in squads_
    std::vector<TouchRows> rows_;           ///< per squad; those of single pairs are empty
    std::vector<std::int32_t> by_touches_;  ///< soft pairs of a round, those with most touches first
    std::vector<char> pushed_;              ///< per gathered particle
};

}  // namespace yawara::contact
