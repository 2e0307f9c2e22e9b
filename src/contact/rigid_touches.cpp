#include "contact/rigid_touches.h"

#include <algorithm>
#include <cmath>

#include "contact/meeting.h"

namespace yawara::contact {
namespace {

constexpr int kSweeps = 40, kSpeedSweeps = 20;

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
    Vec3d difference() const
    {
        Lanes sum{};
        for (std::size_t k = 0; k < 4; ++k) sum += values_.particles[touch_.particles[k]] * touch_.weights[k];
        Vec3d all = as_double(sum);
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
        if (is_pressed(k)) move = move - support(k) * dot(support(k), move);
        Lanes& value = values_.particles[touch_.particles[k]];
        value += to_lanes(move.as<float>());
        if (values_.supports.empty()) return;
        Support& below = values_.supports[std::size_t(touch_.particles[k])];
        const float height = below.height + dot(below.normal, value);
        if (!(height < 0)) return;
        value -= below.normal * height;
        below.pressed = true;
    }

    /// Inverse mass of a particle times its weight.
    double inverse_mass(std::size_t k) const { return double(touch_.shares[k] * touch_.yielding); }

    const Touch& touch_;
    const RigidTouch& rigid_;
    const SweptValues& values_;
};

/// Adds what is wanted of a slip to the friction so far, within Coulomb's limit; returns the change.
Vec3d rub(Vec3d& friction, Vec3d wanted, double most)
{
    const Vec3d before = friction;
    friction += wanted;
    const double size = length(friction);
    if (size > most) friction = friction * (most / size);
    return friction - before;
}

Vec3d across(Vec3d value, Vec3d normal)
{
    return value - normal * dot(normal, value);
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

double solve_rigid_displacements(std::span<Touch> touches, std::span<RigidTouch> rigid, double friction,
                                 const SweptValues& displacements)
{
    double largest = 0;
    for (std::size_t t = 0; t < touches.size(); ++t) {
        Touch& touch = touches[t];
        RigidTouch& own = rigid[t];
        const Swept swept(touch, own, displacements);
        const Vec3d n = as_double(touch.normal);
        const double yields = swept.yields(n);
        if (!(yields > 0)) continue;
        const double missing = double(touch.shortfall) - dot(n, swept.difference());
        const double impulse = std::max(own.impulse + missing / yields, 0.0), more = impulse - own.impulse;
        own.impulse = impulse;
        swept.push(n * more);
        largest = std::max(largest, std::abs(more) * yields);
        const Vec3d slip = across(swept.difference(), n);
        const double way = length(slip);
        if (way > 0) {
            const Vec3d along = slip / -way;
            const double give = swept.yields(along);
            if (give > 0) swept.push(rub(own.friction, along * (way / give), friction * impulse));
        }
        touch.move = float(impulse);
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

void solve_rigid_velocities(std::span<const Touch> touches, std::span<RigidTouch> rigid, double friction,
                            const SweptValues& velocities)
{
    for (std::size_t t = 0; t < touches.size(); ++t) {
        const Touch& touch = touches[t];
        RigidTouch& own = rigid[t];
        if (!(touch.move > 0)) continue;
        const Swept swept(touch, own, velocities);
        const Vec3d n = as_double(touch.normal);
        const double yields = swept.yields(n);
        if (!(yields > 0)) continue;
        const double missing = double(touch.rebound) - dot(n, swept.difference());
        const double impulse = std::max(own.impulse + missing / yields, 0.0);
        swept.push(n * (impulse - own.impulse));
        own.impulse = impulse;
        const Vec3d slip = across(swept.difference(), n);
        const double speed = length(slip);
        if (!(speed > 0)) continue;
        const Vec3d along = slip / -speed;
        const double give = swept.yields(along);
        if (give > 0) swept.push(rub(own.friction, along * (speed / give), friction * impulse));
    }
}

void RigidObstacles::find(const ContactBody& body)
{
    touches_.clear();
    if (body.asleep || body.colliders.empty()) return;
    Box3 box;
    double farthest = 0;
    for (std::size_t i = 0; i < body.positions.size(); ++i) {
        box.add(body.positions_before[i].as<double>());
        box.add(body.positions[i].as<double>());
        farthest = std::max(farthest, double(length(body.positions[i] - body.positions_before[i])));
    }
    // What is stopped at one place turns into the obstacle at others.
    const double near = farthest + double(body.thickness());
    const Vec3d wider{near, near, near};
    box = {box.low - wider, box.high + wider};
    for (const Collider& collider : body.colliders) {
        if (is_clear_of(collider, box)) continue;
        for (const std::int32_t particle : body.surface->vertices) {
            const auto i = std::size_t(particle);
            const Vec3 before = body.positions_before[i], after = body.positions[i];
            const Meeting met = meet(collider, before, after);
            if (!(met.distance < near)) continue;
            const double approach = -dot(met.normal, body.velocities_before[i].as<double>() - met.relative.velocity);
            touches_.push_back({&collider, particle, after.as<double>() - body.rigid->center, met.normal,
                                (after - met.relative.start).as<double>(), met.relative.velocity, met.distance,
                                approach > 0 ? double(collider.restitution) * approach : 0.0});
        }
    }
}

double RigidObstacles::solve_displacements(const RigidMotion& motion, RigidChange& displacement)
{
    double largest = 0;
    for (ObstacleTouch& touch : touches_) {
        const Vec3d n = touch.normal, point = motion.center + touch.arm;
        const double yields = motion.yields(n, point);
        if (!(yields > 0)) continue;
        const double missing = -touch.distance - dot(n, displacement.at(touch.arm));
        const double impulse = std::max(touch.impulse + missing / yields, 0.0), more = impulse - touch.impulse;
        touch.impulse = impulse;
        displacement.push(motion, n * more, touch.arm);
        largest = std::max(largest, std::abs(more) * yields);
        const Vec3d slip = across(touch.slip + displacement.at(touch.arm), n);
        const double way = length(slip);
        if (!(way > 0)) continue;
        const Vec3d along = slip / -way;
        const double give = motion.yields(along, point), friction = double(touch.collider->friction);
        if (give > 0)
            displacement.push(motion, rub(touch.friction, along * (way / give), friction * impulse), touch.arm);
    }
    return largest;
}

void RigidObstacles::begin_velocities(double dt)
{
    for (ObstacleTouch& touch : touches_) {
        touch.pushed = touch.impulse > 0;
        touch.impulse /= dt;
        touch.friction = touch.friction / dt;
    }
}

void RigidObstacles::solve_velocities(const RigidMotion& motion, RigidChange& velocity)
{
    for (ObstacleTouch& touch : touches_) {
        if (!touch.pushed) continue;
        const Vec3d n = touch.normal, point = motion.center + touch.arm;
        const double yields = motion.yields(n, point);
        if (!(yields > 0)) continue;
        const auto relative = [&] { return motion.velocity_at(point) + velocity.at(touch.arm) - touch.velocity; };
        const double missing = touch.rebound - dot(n, relative());
        const double impulse = std::max(touch.impulse + missing / yields, 0.0);
        velocity.push(motion, n * (impulse - touch.impulse), touch.arm);
        touch.impulse = impulse;
        const Vec3d slip = across(relative(), n);
        const double speed = length(slip);
        if (!(speed > 0)) continue;
        const Vec3d along = slip / -speed;
        const double give = motion.yields(along, point), friction = double(touch.collider->friction);
        if (give > 0) velocity.push(motion, rub(touch.friction, along * (speed / give), friction * impulse), touch.arm);
    }
}

ContactReport RigidObstacles::report() const
{
    ContactReport report;
    for (const ObstacleTouch& touch : touches_) {
        if (!touch.pushed) continue;
        ++report.contacts;
        report.deepest = std::max(report.deepest, float(-touch.distance));
    }
    return report;
}

ContactReport resolve_rigid(const ContactBody& body, double dt, RigidObstacles& memory)
{
    memory.find(body);
    if (memory.empty()) return {};
    const double enough = 1e-4 * double(body.thickness());
    RigidChange displacement, velocity;
    for (int k = 0; k < kSweeps; ++k)
        if (memory.solve_displacements(*body.rigid, displacement) < enough) break;
    velocity = {displacement.shift / dt, displacement.turn / dt};
    memory.begin_velocities(dt);
    for (int k = 0; k < kSpeedSweeps; ++k) memory.solve_velocities(*body.rigid, velocity);
    carry_out(displacement, velocity, body);
    return memory.report();
}

}  // namespace yawara::contact
