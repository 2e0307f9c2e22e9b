#include "contact/rigid_obstacles.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "contact/push_shares.h"
namespace yawara::contact {
namespace {

constexpr int kPlaceSweeps = 40, kSpeedSweeps = 20;
/// A corner of an obstacle that is deeper in the body than this share of its thickness at the start of a step did not
/// come through the triangle: it is that of another side.
constexpr double kOtherSide = 0.2;

}  // namespace

void RigidObstacles::add(const ContactBody& body, const Collider& collider, Vec3 before, Vec3 after,
                         Vec3 velocity_before)
{
    add(body, collider, meet(collider, before, after), after, velocity_before);
}

void RigidObstacles::add(const ContactBody& body, const Collider& collider, const Meeting& met, Vec3 after,
                         Vec3 velocity_before)
{
    if (!(met.distance < near_)) return;
    const double approach = -dot(met.normal, velocity_before.as<double>() - met.relative.velocity);
    ObstacleTouch touch{&collider,
                        after.as<double>(),
                        met.normal,
                        (after - met.relative.start).as<double>(),
                        met.relative.velocity,
                        met.distance,
                        approach > 0 ? double(collider.restitution) * approach : 0.0};
    touch.arm = touch.point - body.rigid->center;
    touch.response = body.rigid->response(touch.arm);
    touch.yields = dot(touch.normal, touch.response * touch.normal);
    touches_.push_back(touch);
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
        near_ = near;
        for (const std::int32_t particle : body.surface->vertices) {
            const auto i = std::size_t(particle);
            add(body, collider, body.positions_before[i], body.positions[i], body.velocities_before[i]);
        }
        if (std::holds_alternative<Plane>(collider.shape)) continue;  // nearest to particles
        near_ = near + travel(collider, box);
        for (const BetweenParticles::Found& found :
             between_.find(body, collider, box, near_, kOtherSide * double(body.thickness()), near_))
            add(body, collider, found.met, found.point.in(body.positions), found.point.in(body.velocities_before));
    }
}

void RigidObstacles::begin_with(Vec3d normal, double impulse, const RigidMotion& motion, RigidChange& displacement)
{
    const auto takes = [&](const ObstacleTouch& touch) {
        return !(touch.distance > 0) && touch.yields > 0 && dot(touch.normal, normal) > 0;
    };
    // Those that take part come first, in their order.
    const auto end = std::stable_partition(touches_.begin(), touches_.end(), takes);
    const PushShares shares(std::size_t(end - touches_.begin()), normal,
                            [&](std::size_t k) { return touches_[k].arm; });
    for (auto touch = touches_.begin(); touch != end; ++touch) {
        touch->impulse = impulse * shares.of(touch->arm);
        displacement.push(motion, touch->normal * touch->impulse, touch->arm);
    }
}

double RigidObstacles::solve_displacements(const RigidMotion& motion, RigidChange& displacement)
{
    double largest = 0;
    for (ObstacleTouch& touch : touches_) {
        if (!(touch.yields > 0)) continue;
        const Vec3d n = touch.normal;
        const double missing = -touch.distance - dot(n, displacement.at(touch.arm));
        const double impulse = std::max(touch.impulse + missing / touch.yields, 0.0), more = impulse - touch.impulse;
        touch.impulse = impulse;
        if (more != 0) displacement.push(motion, n * more, touch.arm);
        largest = std::max(largest, std::abs(more) * touch.yields);
        const Vec3d slip = across(touch.slip + displacement.at(touch.arm), n);
        displacement.push(motion, rub(touch.friction, slip, touch.response, double(touch.collider->friction) * impulse),
                          touch.arm);
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

double RigidObstacles::solve_velocities(const RigidMotion& motion, RigidChange& velocity)
{
    double largest = 0;
    for (ObstacleTouch& touch : touches_) {
        if (!touch.pushed || !(touch.yields > 0)) continue;
        const Vec3d n = touch.normal;
        const auto relative = [&] { return motion.velocity_at(touch.point) + velocity.at(touch.arm) - touch.velocity; };
        const double missing = touch.rebound - dot(n, relative());
        const double impulse = std::max(touch.impulse + missing / touch.yields, 0.0), more = impulse - touch.impulse;
        velocity.push(motion, n * more, touch.arm);
        touch.impulse = impulse;
        largest = std::max(largest, std::abs(more) * touch.yields);
        velocity.push(
            motion,
            rub(touch.friction, across(relative(), n), touch.response, double(touch.collider->friction) * impulse),
            touch.arm);
    }
    return largest;
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
    for (int k = 0; k < kPlaceSweeps; ++k)
        if (memory.solve_displacements(*body.rigid, displacement) < enough) break;
    velocity = {displacement.shift / dt, displacement.turn / dt};
    memory.begin_velocities(dt);
    for (int k = 0; k < kSpeedSweeps; ++k)
        if (memory.solve_velocities(*body.rigid, velocity) < enough / dt) break;
    carry_out(displacement, velocity, body);
    return memory.report();
}

}  // namespace yawara::contact
