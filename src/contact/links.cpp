#include "contact/links.h"

#include <algorithm>
#include <cmath>

namespace yawara::contact {
namespace {

/// Solves m x = b; zero if nothing yields.
Vec3d solved(const Mat3d& m, Vec3d b)
{
    const Mat3d cofactors{cross(m.c1, m.c2), cross(m.c2, m.c0), cross(m.c0, m.c1)};
    const double det = dot(m.c0, cofactors.c0), trace = m.c0.x + m.c1.y + m.c2.z;
    if (!(det > 1e-12 * trace * trace * trace)) return {};
    return transpose(cofactors) * b / det;
}

}  // namespace

void Links::view(const LinkSide& side, std::span<const ContactBody> bodies, Swept& swept)
{
    swept.gathered.clear();
    swept.weights.clear();
    swept.inverse_masses.clear();
    swept.places.clear();
    swept.rigid = {};
    swept.velocity = {};
    swept.size = 0;
    swept.start = swept.place = side.point;
    if (side.body < 0) return;
    const ContactBody& body = bodies[std::size_t(side.body)];
    swept.size = double(body.surface->size);
    if (body.rigid) {
        swept.velocity = body.rigid->velocity_at(side.point);
        swept.center = body.rigid->center;
        static const RigidMotion kHeld;
        swept.rigid = {body.asleep ? &kHeld : body.rigid, side.body, side.before - body.rigid->center_before};
        swept.place = side.before;
        swept.acting = swept.rigid.arm;
        return;
    }
    swept.start = {};
    for (std::size_t k = 0; k < side.particles.size(); ++k) {
        const auto i = std::size_t(side.particles[k]);
        swept.weights.push_back(double(side.weights[k]));
        swept.inverse_masses.push_back(body.asleep ? 0 : double(body.inverse_masses[i]));
        swept.places.push_back(body.positions_before[i].as<double>());
        swept.start += swept.places.back() * swept.weights.back();
    }
    swept.place = swept.start;
}

/// Impulses on particles act at a point: spread by their weights, changed as little as gives that point.
void Links::act_at(Vec3d point, Swept& side)
{
    const auto count = double(side.places.size());
    Vec3d middle;
    for (const Vec3d& x : side.places) middle += x / count;
    Mat3d moments = Mat3d::zero();
    for (const Vec3d& x : side.places) moments = moments + outer(x - middle, x - middle);
    const Vec3d slope = inverse_of_moments(moments) * (point - side.place);
    side.yielding.clear();
    for (std::size_t k = 0; k < side.places.size(); ++k) {
        const double share = side.weights[k] + dot(slope, side.places[k] - middle);
        side.yielding.push_back(share * side.inverse_masses[k]);
    }
}

/// What one side is pushed, the other is pushed back at the same point, or along the line between both: so spin is kept
/// also where the two have come apart.
void Links::act_together(bool rope, SweptLink& link)
{
    Swept &one = link.sides[0], &other = link.sides[1];
    const Vec3d apart = one.place - other.place;
    link.line = normalized(apart) * -1.0;
    // Particles of a weld are alone, and rigid bodies can be pushed anywhere.
    const auto moves_over = [](const Swept& side) { return side.rigid.motion ? 2 : side.gathered.size() > 3 ? 1 : 0; };
    const int first = moves_over(one), second = moves_over(other);
    Vec3d point = first > second ? other.place : first < second ? one.place : (one.place + other.place) * 0.5;
    // Torn farther apart than they are large, each is pushed where it is held: no point is right for both.
    const bool torn = !(length(apart) < std::max(one.size, other.size));
    for (Swept* side : {&one, &other}) {
        if (rope || torn) point = side->place;
        if (side->rigid.motion) side->acting = side->rigid.arm + (point - side->place);
        if (!side->gathered.empty()) act_at(point, *side);
    }
    link.give = yields(one) + yields(other);
}

/// Angular impulses on particles turn them as one about their centre of mass: the couple is about the axis and no
/// other.
void Links::act_about(Vec3d axis, Swept& side)
{
    side.turning.assign(side.gathered.size(), {});
    const auto is_counted = [&](std::size_t k) {  // a particle may be listed for both ends of a lever
        const auto here = side.gathered.begin() + std::ptrdiff_t(k);
        return side.inverse_masses[k] > 0 && std::find(side.gathered.begin(), here, *here) == here;
    };
    double mass = 0;
    Vec3d center;
    for (std::size_t k = 0; k < side.gathered.size(); ++k) {
        if (!is_counted(k)) continue;
        mass += 1 / side.inverse_masses[k];
        center += side.places[k] / side.inverse_masses[k];
    }
    if (!(mass > 0)) return;
    center = center / mass;
    Mat3d inertia = Mat3d::zero();
    for (std::size_t k = 0; k < side.gathered.size(); ++k) {
        if (!is_counted(k)) continue;
        const Vec3d r = side.places[k] - center;
        inertia = inertia + (Mat3d{} * dot(r, r) - outer(r, r)) * (1 / side.inverse_masses[k]);
    }
    const Vec3d turn = inverse_of_moments(inertia) * axis;
    for (std::size_t k = 0; k < side.gathered.size(); ++k)
        if (side.inverse_masses[k] > 0) side.turning[k] = cross(turn, side.places[k] - center);
}

/// Of a rigid side in the sweeps of velocities: with the velocity that it had before.
Vec3d Links::value(const Swept& side, const SweptValues& values, bool velocities)
{
    Vec3d sum = velocities ? side.velocity : Vec3d{};
    for (std::size_t k = 0; k < side.gathered.size(); ++k)
        sum += to_vec3(values.particles[side.gathered[k]]).as<double>() * side.weights[k];
    if (side.rigid.motion) sum += values.bodies[std::size_t(side.rigid.body)].at(side.rigid.arm);
    return sum;
}

double Links::turned(const Swept& side, const SweptValues& values, bool velocities)
{
    if (side.rigid.motion)
        return (velocities ? side.spin : side.own_turn) +
               dot(side.axis, values.bodies[std::size_t(side.rigid.body)].turn);
    double sum = 0;
    for (std::size_t k = 0; k < side.gathered.size(); ++k)
        sum += dot(side.across, to_vec3(values.particles[side.gathered[k]]).as<double>()) * side.weights[k];
    return sum;
}

void Links::push(const Swept& side, Vec3d impulse, const SweptValues& values)
{
    for (std::size_t k = 0; k < side.gathered.size(); ++k)
        values.particles[side.gathered[k]] += to_lanes((impulse * side.yielding[k]).as<float>());
    if (side.rigid.motion) values.bodies[std::size_t(side.rigid.body)].push(*side.rigid.motion, impulse, side.acting);
}

void Links::twist(const Swept& side, double impulse, const SweptValues& values)
{
    for (std::size_t k = 0; k < side.gathered.size(); ++k) {
        const auto here = side.gathered.begin() + std::ptrdiff_t(k);
        if (std::find(side.gathered.begin(), here, *here) == here)  // once
            values.particles[*here] += to_lanes((side.turning[k] * impulse).as<float>());
    }
    if (side.rigid.motion)
        values.bodies[std::size_t(side.rigid.body)].turn += side.rigid.motion->inverse_inertia * (side.axis * impulse);
}

/// How the point moves for each unit of impulse there.
Mat3d Links::yields(const Swept& side)
{
    double even = 0;
    for (std::size_t k = 0; k < side.weights.size(); ++k) even += side.weights[k] * side.yielding[k];
    Mat3d all = Mat3d{} * even;
    if (!side.rigid.motion) return all;
    const RigidMotion& motion = *side.rigid.motion;
    const auto along = [&](Vec3d e) {
        return e * motion.inverse_mass + cross(motion.inverse_inertia * cross(side.acting, e), side.rigid.arm);
    };
    return all + Mat3d{along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
}

double Links::turn_yields(const Swept& side)
{
    double sum = 0;
    for (std::size_t k = 0; k < side.weights.size(); ++k) sum += side.weights[k] * dot(side.across, side.turning[k]);
    if (side.rigid.motion) sum += dot(side.axis, side.rigid.motion->inverse_inertia * side.axis);
    return sum;
}

double Links::solve_link(std::size_t k, const SweptValues& values, bool velocities)
{
    SweptLink& link = swept_links_[k];
    const Swept &one = link.sides[0], &other = link.sides[1];
    const Mat3d& give = link.give;
    Vec3d apart = value(one, values, velocities) - value(other, values, velocities);
    if (!velocities) apart += one.start - other.start;
    // A state from elsewhere may have torn them so far apart that pulling them together would throw everything about.
    constexpr double kTorn = 1000;  // sizes of the bodies, or lengths of the rope
    const double far = kTorn * std::max({one.size, other.size, links[k].length.value_or(0)});
    if (!velocities && !(length(apart) < far)) return 0;
    Vec3d impulse;
    if (const auto length_of = links[k].length) {
        // Only pulls, along the line between its ends where it acts.
        const Vec3d now_along = velocities ? link.line : normalized(apart) * -1.0;
        const Vec3d line = link.line == Vec3d{} ? now_along : link.line;
        const double yielding = dot(now_along, give * line);
        if (!(yielding > 0)) return 0;
        const double missing = velocities ? -dot(line, apart) : length(apart) - *length_of;
        const double before = dot(link.impulse, line), now = std::max(before + missing / yielding, 0.0);
        impulse = line * (now - before);
        if (!velocities && !(before > 0) && !(now > 0)) impulse = {};
    } else {
        impulse = solved(give, -apart);
    }
    link.impulse += impulse;
    push(one, impulse, values);
    push(other, -impulse, values);
    return length(give * impulse);
}

double Links::solve_turn(std::size_t k, const SweptValues& values, bool velocities)
{
    const Turn& turn = turns[k];
    SweptTurn& swept = swept_turns_[k];
    const Swept &one = swept.sides[0], &other = swept.sides[1];
    const double yielding = turn_yields(one) + turn_yields(other);
    if (!(yielding > 0)) return 0;
    double moved = 0;
    const auto twist_by = [&](double impulse) {
        twist(one, impulse, values);
        twist(other, -impulse, values);
        moved = std::max(moved, std::abs(impulse) * yielding);
    };
    const auto relative = [&] { return turned(one, values, velocities) - turned(other, values, velocities); };
    if (!swept.own_turn) swept.own_turn = relative();
    if (turn.torque > 0) {
        const double most = turn.torque * dt_ * (velocities ? 1 : dt_), wanted = turn.speed * (velocities ? 1 : dt_);
        const double now = std::clamp(swept.motor + (wanted - relative()) / yielding, -most, most);
        twist_by(now - swept.motor);
        swept.motor = now;
    }
    if (!turn.limit || (velocities && !swept.limited)) return moved;
    double missing = 0;
    if (velocities) {
        missing = -relative();
    } else {
        const double angle =
            turn.angle + (relative() - *swept.own_turn) - swept.limit * yielding;  // without what the limit did
        missing = std::clamp(angle, turn.limit->first, turn.limit->second) - angle - swept.limit * yielding;
    }
    double now = swept.limit + missing / yielding;
    if (velocities) now = swept.limit > 0 ? std::max(now, 0.0) : std::min(now, 0.0);
    twist_by(now - swept.limit);
    swept.limit = now;
    swept.limited = velocities ? swept.limited : now != 0;
    return moved;
}

double Links::solve_displacements(const SweptValues& displacements)
{
    double largest = 0;
    for (std::size_t k = 0; k < swept_links_.size(); ++k)
        largest = std::max(largest, solve_link(k, displacements, false) / size_of(swept_links_[k]));
    for (std::size_t k = 0; k < swept_turns_.size(); ++k)
        largest = std::max(largest, solve_turn(k, displacements, false));
    return largest;
}

void Links::begin_velocities(const SweptValues& displacements)
{
    const auto move_particles = [&](Swept& side) {
        for (std::size_t k = 0; k < side.gathered.size(); ++k) {
            const Vec3d moved = to_vec3(displacements.particles[side.gathered[k]]).as<double>();
            side.places[k] += moved;
            side.place += moved * side.weights[k];
        }
    };
    for (std::size_t k = 0; k < swept_links_.size(); ++k) {
        SweptLink& link = swept_links_[k];
        for (Swept& side : link.sides) {
            move_particles(side);
            if (!side.rigid.motion) continue;
            const RigidChange& change = displacements.bodies[std::size_t(side.rigid.body)];
            side.place = side.start + change.at(side.rigid.arm);
            side.rigid.arm = side.place - (side.center + change.shift);
        }
        const bool rope = links[k].length.has_value();
        act_together(rope, link);
        link.impulse = rope ? link.line * (length(link.impulse) / dt_) : link.impulse / dt_;
    }
    for (SweptTurn& turn : swept_turns_) {
        turn.motor /= dt_;
        turn.limit /= dt_;
        for (Swept& side : turn.sides) {
            move_particles(side);
            act_about(side.axis, side);
        }
    }
}

double Links::solve_velocities(const SweptValues& velocities)
{
    double largest = 0;
    for (std::size_t k = 0; k < swept_links_.size(); ++k)
        if (!links[k].length || length(swept_links_[k].impulse) > 0)
            largest = std::max(largest, solve_link(k, velocities, true) / size_of(swept_links_[k]));
    for (std::size_t k = 0; k < swept_turns_.size(); ++k)
        largest = std::max(largest, solve_turn(k, velocities, true));
    return largest * dt_;
}

}  // namespace yawara::contact
