#include "contact/rigid_touches.h"

#include <algorithm>
#include <cmath>

namespace yawara::contact {
namespace {

Vec3d as_double(Lanes lanes)
{
    return to_vec3(lanes).as<double>();
}

/// A touch with values that sweeps change.
class Swept {
public:
    Swept(const Touch& touch, const RigidTouch& rigid, const SweptValues& values)
        : touch_(touch), rigid_(rigid), values_(values)
    {
    }

    /// Value at the touched point of the one body minus that of the other.
    Vec3d difference() const { return of_wholes(of_particles()); }
    Vec3d of_particles() const
    {
        Lanes sum{};
        for (std::size_t k = 0; k < 4; ++k) sum += values_.particles[touch_.particles[k]] * touch_.weights[k];
        return as_double(sum);
    }
    Vec3d of_wholes(Vec3d all) const
    {
        for (std::size_t s = 0; s < 2; ++s)
            if (const RigidSide& side = rigid_.sides[s]; side.motion)
                all += values_.bodies[std::size_t(side.body)].at(side.arm) * (s == 0 ? 1.0 : -1.0);
        return all;
    }
    /// How the difference changes along a direction for each unit of impulse along it.
    double yields(Vec3d direction) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const double blocked = is_pressed(k) ? dot(support(k), direction) : 0;
            sum += inverse_mass(k) * double(touch_.weights[k]) * (1 - blocked * blocked);
        }
        for (const RigidSide& side : rigid_.sides)
            if (side.motion) sum += side.motion->yields(direction, side.motion->center + side.arm);
        return sum;
    }
    void push(Vec3d impulse) const
    {
        for (std::size_t k = 0; k < 4; ++k)
            if (touch_.shares[k] != 0) push_particle(k, impulse * inverse_mass(k));
        push_wholes(impulse);
    }
    void push_wholes(Vec3d impulse) const
    {
        for (std::size_t s = 0; s < 2; ++s)
            if (const RigidSide& side = rigid_.sides[s]; side.motion)
                values_.bodies[std::size_t(side.body)].push(*side.motion, s == 0 ? impulse : -impulse, side.arm);
    }

private:
    bool is_pressed(std::size_t k) const
    {
        return !values_.supports.empty() && values_.supports[std::size_t(touch_.particles[k])].pressed;
    }
    Vec3d support(std::size_t k) const { return as_double(values_.supports[std::size_t(touch_.particles[k])].normal); }

    void push_particle(std::size_t k, Vec3d move) const
    {
        const double mass = double(touch_.weights[k]) / inverse_mass(k);
        if (is_pressed(k)) {
            const double blocked = dot(support(k), move);
            move = move - support(k) * blocked;
            values_.supports[std::size_t(touch_.particles[k])].impulse -= blocked * mass;
        }
        Lanes& value = values_.particles[touch_.particles[k]];
        value += to_lanes(move.as<float>());
        if (values_.supports.empty()) return;
        Support& below = values_.supports[std::size_t(touch_.particles[k])];
        const float height = below.height + dot(below.normal, value);
        if (!(height < 0)) return;
        value -= below.normal * height;
        below.impulse -= double(height) * mass;
        below.pressed = true;
    }

    /// Inverse mass of a particle times its weight.
    double inverse_mass(std::size_t k) const { return double(touch_.shares[k] * touch_.yielding); }

    const Touch& touch_;
    const RigidTouch& rigid_;
    const SweptValues& values_;
};

/// Brings the difference of a touch along its normal to a goal, and slows it across by friction. The answer is how far
/// the normal impulse moved it.
double solve(const Touch& touch, RigidTouch& own, double goal, double friction, const SweptValues& values)
{
    const Swept swept(touch, own, values);
    const Vec3d n = as_double(touch.normal);
    const auto more_of = [&](double missing, double yields) {
        const double before = own.impulse;
        own.impulse = std::max(before + missing / yields, 0.0);
        return own.impulse - before;
    };
    if (own.of_wholes) {
        const Vec3d along_normal = own.response * n;
        const double yields = dot(n, along_normal);
        if (!(yields > 0)) return 0;
        const Vec3d now = swept.of_wholes(own.base);
        const double more = more_of(goal - dot(n, now), yields);
        const Vec3d slip = across(now + along_normal * more, n);
        swept.push_wholes(n * more + rub(own.friction, slip, own.response, friction * own.impulse));
        return std::abs(more) * yields;
    }
    const double yields = swept.yields(n);
    if (!(yields > 0)) return 0;
    const double more = more_of(goal - dot(n, swept.difference()), yields);
    swept.push(n * more);
    const Vec3d slip = across(swept.difference(), n);
    const double way = length(slip);
    if (way > 0) {
        const double give = swept.yields(slip / way);
        if (give > 0) swept.push(rub(own.friction, slip, Mat3d{} * give, friction * own.impulse));
    }
    return std::abs(more) * yields;
}

}  // namespace

void list_rigid_touches(std::span<const ContactBody> bodies, std::int32_t a, std::int32_t b, std::size_t b_touches,
                        std::span<const Touch> touches, std::vector<RigidTouch>& out)
{
    out.clear();
    for (std::size_t t = 0; t < touches.size(); ++t) {
        const std::int32_t one = t < b_touches ? b : a, other = t < b_touches ? a : b;
        RigidTouch touch;
        std::array<Vec3d, 2> points;
        double soft = 0;
        for (const bool own : {true, false}) {
            const std::int32_t k = own ? one : other;
            const ContactBody& body = bodies[std::size_t(k)];
            points[own ? 0 : 1] = point_of(body.positions_before, touches[t], own);
            if (body.rigid && !body.asleep) touch.sides[own ? 0 : 1] = {body.rigid, k};
            if (body.rigid) continue;
            touch.point += points[own ? 0 : 1];
            ++soft;
        }
        if (soft == 0) touch.point = (points[0] + points[1]) * 0.5;
        for (RigidSide& side : touch.sides)
            if (side.motion) side.arm = touch.point - side.motion->center_before;
        out.push_back(touch);
    }
}

void prepare_rigid_touches(std::span<const Touch> touches, std::span<RigidTouch> rigid, const SweptValues& values)
{
    for (std::size_t t = 0; t < rigid.size(); ++t) {
        RigidTouch& touch = rigid[t];
        const std::array<float, 4>& shares = touches[t].shares;
        touch.of_wholes = std::all_of(shares.begin(), shares.end(), [](float share) { return share == 0; });
        if (!touch.of_wholes) continue;
        touch.base = Swept(touches[t], touch, values).of_particles();
        touch.response = Mat3d::zero();
        for (const RigidSide& side : touch.sides)
            if (side.motion) touch.response = touch.response + side.motion->response(side.arm);
    }
}

double solve_rigid_displacements(std::span<Touch> touches, std::span<RigidTouch> rigid, double friction,
                                 const SweptValues& displacements)
{
    double largest = 0;
    for (std::size_t t = 0; t < touches.size(); ++t) {
        Touch& touch = touches[t];
        largest = std::max(largest, solve(touch, rigid[t], double(touch.shortfall), friction, displacements));
        touch.move = float(rigid[t].impulse);
    }
    return largest;
}

void begin_rigid_velocities(double dt, std::span<const Touch> touches, std::span<RigidTouch> rigid,
                            const SweptValues& displacements)
{
    for (std::size_t t = 0; t < rigid.size(); ++t) {
        RigidTouch& touch = rigid[t];
        touch.impulse /= dt;
        touch.friction = touch.friction / dt;
        // With what carries it: the particles of the one that is not rigid, or both bodies.
        std::array<Vec3d, 2> moved;
        for (std::size_t k = 0; k < 4; ++k) {
            const bool own = k < std::size_t(touches[t].own_count);
            moved[own ? 0 : 1] +=
                as_double(displacements.particles[touches[t].particles[k]]) * double(std::abs(touches[t].weights[k]));
        }
        const bool both = touch.sides[0].motion && touch.sides[1].motion;
        for (std::size_t s = 0; s < 2; ++s)
            if (const RigidSide& side = touch.sides[s]; side.motion)
                moved[s] += displacements.bodies[std::size_t(side.body)].at(side.arm);
        touch.point += both ? (moved[0] + moved[1]) * 0.5 : touch.sides[0].motion ? moved[1] : moved[0];
        for (RigidSide& side : touch.sides)
            if (side.motion)
                side.arm = touch.point - side.motion->center - displacements.bodies[std::size_t(side.body)].shift;
    }
}

double solve_rigid_velocities(std::span<const Touch> touches, std::span<RigidTouch> rigid, double friction,
                              const SweptValues& velocities)
{
    double largest = 0;
    for (std::size_t t = 0; t < touches.size(); ++t)
        if (touches[t].move > 0)
            largest = std::max(largest, solve(touches[t], rigid[t], double(touches[t].rebound), friction, velocities));
    return largest;
}

}  // namespace yawara::contact
