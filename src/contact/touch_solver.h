// Brings all touches of a step to their gaps and speeds; BodyContact calls this.
#pragma once

#include <span>
#include <vector>

#include "contact/near_pairs.h"
#include "contact/rib_touches.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// The particles of all touches are gathered into one small array of displacements and one of speeds; sweeps over the
/// touches change these, and the bodies get them back. Pairs that share no body are worked on at the same time, in an
/// order that depends on the touches alone, so any number of threads gives the same bits.
class TouchSolver {
public:
    void add(const BodySurface& surface);

    /// Sweeps end when no touch moves by more than `enough` of the thickness.
    void solve(std::span<const ContactBody> bodies, std::span<NearPair> pairs, std::span<const Collider> colliders,
               float dt, float enough);

    /// Particles of a body that touches or ribs may have moved.
    std::span<const std::int32_t> moved(std::size_t body) const { return gathered_[body].yielding; }
    /// How many particles of a body are in touches. With thin bodies, whose touches are found before they happen: in
    /// those that pushed.
    int touched(std::size_t body) const { return gathered_[body].touched; }
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
    };

    void order(std::span<const NearPair> pairs);
    void list_particles(std::span<const NearPair> pairs);
    void prepare(const ContactBody& body, std::span<const Collider> colliders, float dt, GatheredBody& gathered);
    void find_obstacle_planes(const ContactBody& body, std::span<const Collider> colliders, float dt,
                              GatheredBody& gathered) const;
    void gather(std::span<const ContactBody> bodies, std::span<NearPair> pairs);
    template <class Solve>
    void sweep(std::span<NearPair> pairs, const Solve& solve);
    void sweep_displacements(std::span<NearPair> pairs, float enough);
    void keep_out(const GatheredBody& gathered);
    void sweep_velocities(std::span<const ContactBody> bodies, std::span<NearPair> pairs, float dt);
    void scatter(std::span<const ContactBody> bodies);
    void count_pushed(std::span<const NearPair> pairs);
    template <class Then>
    void for_each_gathered(std::size_t body, const Then& then) const;

    std::vector<GatheredBody> gathered_;             ///< per body
    std::vector<Lanes> displacements_, velocities_;  ///< per gathered particle, m and m/s
    std::vector<std::uint64_t> busy_;                ///< per body: bit r is set if one of its pairs is in round r
    std::vector<std::int32_t> round_of_;    ///< per pair, -1: no touches
    std::vector<std::int32_t> rounds_;      ///< pairs with touches, round by round
    std::vector<std::size_t> round_begin_;  ///< of each round in rounds_
    std::vector<char> worth_sharing_;       ///< per round: with several threads
    std::vector<char> pushed_;              ///< per gathered particle
};

}  // namespace yawara::contact
