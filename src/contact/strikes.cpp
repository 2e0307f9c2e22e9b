#include "contact/strikes.h"

#include <algorithm>

namespace yawara::contact {
namespace {

constexpr int kStrikeSweeps = 20;

}  // namespace

void Strikes::list(std::span<const ContactBody> bodies, const NearPair& pair)
{
    for (const std::int32_t k : {pair.a, pair.b}) {
        const auto body = std::size_t(k);
        if (!known_[body]) before_[body] = now_[body] = rigid_motion(bodies[body]);
        known_[body] = 1;
    }
    const float limit = std::min(bodies[std::size_t(pair.a)].strike_speed, bodies[std::size_t(pair.b)].strike_speed);
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const Touch& touch = pair.touches[t];
        const bool of_b = t < pair.b_touches;
        Blow blow{of_b ? pair.b : pair.a,   of_b ? pair.a : pair.b, {}, to_vec3(touch.normal).as<double>(), 0,
                  double(pair.law.friction)};
        for (std::size_t c = 0; c < 4; ++c) {
            const bool own = c < std::size_t(touch.own_count);
            const ContactBody& body = bodies[std::size_t(own ? blow.one : blow.other)];
            const Vec3d x = body.positions_before[std::size_t(touch.particles[c])].as<double>();
            blow.point += x * (0.5 * double(own ? touch.weights[c] : -touch.weights[c]));
        }
        const double closing = -dot(blow.normal, before_[std::size_t(blow.one)].velocity_at(blow.point) -
                                                     before_[std::size_t(blow.other)].velocity_at(blow.point));
        if (!(closing > double(limit))) continue;
        blow.wanted = double(pair.law.restitution) * (closing + double(limit)) - double(limit);
        blows_.push_back(blow);
    }
}

/// Brings one blow to its velocity of separation, and slows down what slides within Coulomb's limit.
void Strikes::exchange(Blow& blow)
{
    RigidMotion &one = now_[std::size_t(blow.one)], &other = now_[std::size_t(blow.other)];
    const auto push = [&](Vec3d impulse) {
        one.push(impulse, blow.point);
        other.push(-impulse, blow.point);
    };
    const auto velocity = [&] { return one.velocity_at(blow.point) - other.velocity_at(blow.point); };
    const auto yields = [&](Vec3d n) { return one.yields(n, blow.point) + other.yields(n, blow.point); };
    if (!(yields(blow.normal) > 0)) return;
    const double change = (blow.wanted - dot(blow.normal, velocity())) / yields(blow.normal);
    const double impulse = std::max(blow.impulse + change, 0.0);
    push(blow.normal * (impulse - blow.impulse));
    blow.impulse = impulse;
    const Vec3d slip = velocity() - blow.normal * dot(blow.normal, velocity());
    const double speed = length(slip);
    if (!(speed > 0)) return;
    Vec3d grip = blow.grip - slip / yields(slip / speed);
    const double size = length(grip), most = blow.friction * blow.impulse;
    if (size > most) grip = grip * (most / size);
    push(grip - blow.grip);
    blow.grip = grip;
}

/// True if some body would have turned too fast. It turns no further.
bool Strikes::limit_spins(std::span<const ContactBody> bodies)
{
    bool any = false;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (!known_[k]) continue;
        const double ends = double(bodies[k].strike_speed) / double(bodies[k].surface->size);
        const double most = std::max(ends, length(before_[k].spin)), spin = length(now_[k].spin);
        if (!(spin > most)) continue;
        now_[k].spin = now_[k].spin * (most / spin);
        now_[k].inverse_inertia = Mat3d::zero();
        any = true;
    }
    return any;
}

void Strikes::solve(std::span<const ContactBody> bodies, std::span<const NearPair> pairs, float dt)
{
    blows_.clear();
    known_.assign(bodies.size(), 0);
    before_.resize(bodies.size());
    now_.resize(bodies.size());
    struck_.resize(bodies.size(), 0);
    for (const NearPair& pair : pairs) {
        if (pair.touches.empty() || pair.a == pair.b) continue;
        const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        if (pair.law.closing_distance > std::min(a.strike_speed, b.strike_speed) * dt) list(bodies, pair);
    }
    if (blows_.empty()) return;
    for (int sweep = 0; sweep < kStrikeSweeps; ++sweep)
        for (Blow& blow : blows_) exchange(blow);
    if (limit_spins(bodies))
        for (int sweep = 0; sweep < kStrikeSweeps; ++sweep)
            for (Blow& blow : blows_) exchange(blow);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (!known_[k] || !(now_[k].inverse_mass > 0)) continue;
        struck_[k] = 1;
        const ContactBody& body = bodies[k];
        const Vec3d slower = now_[k].velocity - before_[k].velocity, turn = now_[k].spin - before_[k].spin;
        if (body.rigid) {
            carry_out({slower * double(dt), turn * double(dt)}, {slower, turn}, body);
            continue;
        }
        for (std::size_t i = 0; i < body.positions.size(); ++i) {
            const Vec3d r = body.positions_before[i].as<double>() - before_[k].center;
            const Vec3 change = (slower + cross(turn, r)).as<float>();
            body.velocities[i] += change;
            body.positions[i] += change * dt;
        }
    }
}

}  // namespace yawara::contact
