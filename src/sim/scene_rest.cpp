// Bodies that lie: who sleeps, who wakes, and rigid ones that stay exactly where they are.
#include <algorithm>
#include <cmath>

#include "sim/body_model.h"
#include "sim/scene_data.h"
#include "sim/sleep.h"

namespace yawara {
namespace {

/// What contact leaves of a step's fall, as a share of that: a rigid body that lies moves by no more.
constexpr double kTremble = 0.02;

double longest_way(std::span<const Vec3> before, std::span<const Vec3> positions)
{
    float most = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Vec3 way = positions[i] - before[i];
        most = std::max(most, dot(way, way));
    }
    return std::sqrt(double(most));
}

}  // namespace

/// Counts how long bodies have been still, puts them to sleep, and wakes those that a moving one touches.
void Scene::Data::rest_bodies(double dt)
{
    hold_lying(dt);
    for_each_side_by_side(bodies.size(), [&](std::size_t k) {
        Body& b = bodies[k];
        b.moving = false;
        if (b.asleep || !(settings.sleep || b.model.is_rigid())) return;
        const float speed = relative_speed(b.start, b.state.positions, dt, b.outside->size);
        b.moving = b.driven || speed > kWakingSpeed;
        b.state.still = b.driven || speed > kStillSpeed ? 0.0f : b.state.still + float(dt);
        if (!settings.sleep || b.state.still < kStillTime) return;
        std::fill(b.state.velocities.begin(), b.state.velocities.end(), Vec3{});
        b.momentum.reset();
    });
    if (!settings.sleep) return;
    for (const contact::NearPair& pair : contact.pairs()) {
        if (pair.touches.empty()) continue;
        Body &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        if (a.asleep && b.moving) a.state.still = 0;
        if (b.asleep && a.moving) b.state.still = 0;
    }
    for (std::size_t k = 0; k < joints.ids().ids().size(); ++k) {
        const Joint& joint = joints.joint(k);
        if (!joint.a.body || !joint.b.body) continue;
        Body &a = bodies[index(*joint.a.body)], &b = bodies[index(*joint.b.body)];
        if (a.asleep && b.moving) a.state.still = 0;
        if (b.asleep && a.moving) b.state.still = 0;
    }
}

/// Sweeps leave a little of every step's fall, always to the same side: a stack would creep until it falls. Rigid
/// bodies that have been still and go no farther than that are put back, unless what they touch moves.
void Scene::Data::hold_lying(double dt)
{
    const double tremble = kTremble * double(length(settings.gravity)) * dt * dt;
    const auto lies = [&](std::size_t k) {
        const Body& b = bodies[k];
        if (!b.model.is_rigid() || b.asleep || b.driven || b.state.still < kStillTime) return false;
        if (last[k].contact.contacts + last[k].contact.touches == 0) return false;
        if (joints.holds(body_ids.ids()[k]) || !(longest_way(b.start, b.state.positions) < tremble)) return false;
        const std::span<const contact::ObstacleTouch> touches = contact.rigid_obstacles(k).touches();
        return std::all_of(touches.begin(), touches.end(),
                           [](const contact::ObstacleTouch& touch) { return touch.velocity == Vec3d{}; });
    };
    bool any = false;
    for (std::size_t k = 0; k < bodies.size(); ++k) any |= bodies[k].lies = lies(k);
    const auto rests = [](const Body& b) { return b.lies || b.asleep; };
    for (bool changed = any; changed;) {
        changed = false;
        for (const contact::NearPair& pair : contact.pairs()) {
            Body &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
            if (pair.touches.empty() || rests(a) == rests(b)) continue;
            changed |= a.lies || b.lies;
            a.lies = b.lies = false;
        }
    }
    for (Body& b : bodies) {
        if (!b.lies) continue;
        b.state.positions = b.start;
        std::fill(b.state.velocities.begin(), b.state.velocities.end(), Vec3{});
    }
}

}  // namespace yawara
