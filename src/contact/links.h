// What joints ask of a step: points of two bodies that stay together or near, and turns of one against the other.
// TouchSolver sweeps these together with touches; sim/joints.cpp makes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "contact/rigid_touches.h"
#include "contact/touch.h"

namespace yawara::contact {

/// Particles of a body with a number for each; or a rigid body; or the world.
struct LinkSide {
    std::int32_t body = -1;                 ///< -1: the world
    std::vector<std::int32_t> particles{};  ///< of a body that is not rigid
    std::vector<float> weights{};           ///< one for each
    Vec3d point{};   ///< m, of a rigid body: at the end of the step, before contact; of the world: where it stays
    Vec3d before{};  ///< m, of a rigid body: at the start of the step
};

/// Two points that stay together, or no farther apart than a length.
struct Link {
    std::array<LinkSide, 2> sides;  ///< weights add up to 1
    std::optional<double> length{};
};

/// The turn of one side against the other about an axis.
struct Turn {
    std::array<LinkSide, 2> sides;  ///< of particles: how far they turn, along `across`, for each metre that they move
    std::array<Vec3d, 2> across;    ///< unit, of particles only
    Vec3d axis;                     ///< unit
    double angle = 0;               ///< rad, of the first against the second, at the end of the step, before contact
    std::optional<std::pair<double, double>> limit{};  ///< rad
    double speed = 0, torque = 0;                      ///< of the motor, rad/s and N m; no torque: none
};

class Links {
public:
    std::vector<Link> links;
    std::vector<Turn> turns;

    bool empty() const { return links.empty() && turns.empty(); }
    /// For every particle that is held: then(body, particle).
    template <class Then>
    void for_each_particle(const Then& then) const
    {
        for (const Link& link : links)
            for (const LinkSide& side : link.sides)
                for (const std::int32_t i : side.particles) then(side.body, i);
        for (const Turn& turn : turns)
            for (const LinkSide& side : turn.sides)
                for (const std::int32_t i : side.particles) then(side.body, i);
    }

    /// Before the sweeps. number(body, particle) is its index among the gathered ones.
    template <class Number>
    void begin(std::span<const ContactBody> bodies, double dt, const Number& number);
    /// One sweep; the answer is the largest move, in sizes of the larger body, or turn, rad.
    double solve_displacements(const SweptValues& displacements);
    void begin_velocities(const SweptValues& displacements);
    /// Likewise, of what the changes move in the step.
    double solve_velocities(const SweptValues& velocities);

private:
    /// A side with what sweeps need. Its places and those of its particles are of the start of the step for
    /// displacements and of its end for velocities, as RigidSide::arm is.
    struct Swept {
        std::vector<std::int32_t> gathered;
        std::vector<double> weights, inverse_masses;
        std::vector<Vec3d> places;     ///< m, of the particles
        std::vector<double> yielding;  ///< of a link: how far particles move for each unit of impulse
        std::vector<Vec3d> turning;    ///< of a turn: likewise, for each unit of angular impulse
        RigidSide rigid;
        Vec3d acting;            ///< m, from the centre of a rigid one to where impulses act
        Vec3d place;             ///< m, of the held point
        Vec3d start;             ///< m, of the point without the displacements that sweeps change
        Vec3d axis, across;      ///< of a turn
        double spin = 0;         ///< rad/s, of a rigid one about the axis, before contact
        double own_turn = 0;     ///< rad, likewise in the step
        Vec3d velocity, center;  ///< m/s, of a rigid one there, and m, of its motion; before contact
        double size = 0;         ///< m, of the body
    };
    struct SweptLink {
        std::array<Swept, 2> sides;
        Vec3d line;     ///< unit, along which a rope pulls its first side; zero: its ends are together
        Vec3d impulse;  ///< kg m, then kg m/s
        Mat3d give;     ///< how far the ends part for each unit of impulse
    };
    static double size_of(const SweptLink& link) { return std::max(link.sides[0].size, link.sides[1].size); }
    struct SweptTurn {
        std::array<Swept, 2> sides;
        double motor = 0, limit = 0;       ///< impulses so far
        std::optional<double> own_turn{};  ///< rad, in the step, before contact
        bool limited = false;
    };
    static void view(const LinkSide& side, std::span<const ContactBody> bodies, Swept& swept);
    static void act_together(bool rope, SweptLink& link);
    static void act_at(Vec3d point, Swept& side);
    static void act_about(Vec3d axis, Swept& side);
    static Vec3d value(const Swept& side, const SweptValues& values, bool velocities);
    static double turned(const Swept& side, const SweptValues& values, bool velocities);
    static void push(const Swept& side, Vec3d impulse, const SweptValues& values);
    static void twist(const Swept& side, double impulse, const SweptValues& values);
    static Mat3d yields(const Swept& side);
    static double turn_yields(const Swept& side);
    double solve_link(std::size_t k, const SweptValues& values, bool velocities);
    double solve_turn(std::size_t k, const SweptValues& values, bool velocities);

    std::vector<SweptLink> swept_links_;
    std::vector<SweptTurn> swept_turns_;
    double dt_ = 0;
};

template <class Number>
void Links::begin(std::span<const ContactBody> bodies, double dt, const Number& number)
{
    dt_ = dt;
    swept_links_.resize(links.size());
    swept_turns_.resize(turns.size());
    const auto view_both = [&](const std::array<LinkSide, 2>& sides, std::array<Swept, 2>& swept) {
        for (std::size_t s = 0; s < 2; ++s) {
            view(sides[s], bodies, swept[s]);
            for (const std::int32_t i : sides[s].particles) swept[s].gathered.push_back(number(sides[s].body, i));
        }
    };
    for (std::size_t k = 0; k < links.size(); ++k) {
        view_both(links[k].sides, swept_links_[k].sides);
        swept_links_[k].impulse = {};
        act_together(links[k].length.has_value(), swept_links_[k]);
    }
    for (std::size_t k = 0; k < turns.size(); ++k) {
        view_both(turns[k].sides, swept_turns_[k].sides);
        swept_turns_[k].motor = swept_turns_[k].limit = 0;
        swept_turns_[k].limited = false;
        swept_turns_[k].own_turn.reset();
        for (std::size_t s = 0; s < 2; ++s) {
            Swept& side = swept_turns_[k].sides[s];
            side.axis = turns[k].axis;
            side.across = turns[k].across[s];
            act_about(side.axis, side);
            side.spin = side.rigid.motion ? dot(side.axis, bodies[std::size_t(side.rigid.body)].rigid->spin) : 0;
            side.own_turn = side.spin * dt;
        }
    }
}

}  // namespace yawara::contact
