#include "contact/post_touches.h"

#include <algorithm>
#include <array>
#include <limits>

namespace yawara::contact {
namespace {

/// As shares of the distance of particles: how deep a post may already be in the body to have come through the nearest
/// triangle, and by how much it is brought out in a step.
constexpr double kDeepest = 0.5, kOut = 0.1;
/// From how far inside an edge sees what it meets: from beyond what a step brings, a blade shows its edge, not its
/// side.
constexpr double kLift = 0.5;

/// A board is none, since particles lie on it; one as thin as this is a blade.
constexpr double kBlade = 0.25;

constexpr double kBroad = std::numeric_limits<double>::infinity();

double radius_of(const Plane&)
{
    return kBroad;
}
double radius_of(const Box& box)
{
    return std::min({box.half_size.x, box.half_size.y, box.half_size.z});
}
double radius_of(const Sphere& sphere)
{
    return sphere.radius;
}
double radius_of(const Capsule& capsule)
{
    return capsule.radius;
}
double radius_of(const MeshDistance&)
{
    return kBroad;  // nobody knows where it is thin
}

void shrink(Plane&, double) {}
void shrink(Box& box, double by)
{
    box.half_size = box.half_size - Vec3d{by, by, by};
}
void shrink(Sphere& sphere, double by)
{
    sphere.radius -= by;
}
void shrink(Capsule& capsule, double by)
{
    capsule.radius -= by;
}
void shrink(MeshDistance&, double) {}

double radius_of(const Collider& collider)
{
    return std::visit([](const auto& shape) { return radius_of(shape); }, collider.shape);
}

/// What is left of a post when its radius is taken off all around: a sheet, a line or a point. From there no side of it
/// is mistaken for its edge.
Collider core_of(Collider post)
{
    std::visit([by = radius_of(post)](auto& shape) { shrink(shape, by); }, post.shape);
    return post;
}

/// A touch of three particles with a carrier, whose index is given later. False if nobody yields.
bool fill(const ContactBody& body, const BetweenParticles::Found& found, const Collider& collider, Touch& touch,
          PostTouches::Carrier& carrier)
{
    const auto& [point, met] = found;
    double yielding = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        touch.particles[k] = std::int32_t(point.particles[k]);
        touch.weights[k] = float(point.shares[k]);
        touch.shares[k] = float(point.shares[k]) * body.inverse_masses[point.particles[k]];
        yielding += point.shares[k] * double(touch.shares[k]);
    }
    if (!(yielding > 0)) return false;
    for (std::size_t k = 0; k < 3; ++k) touch.shares[k] /= float(yielding);
    touch.particles[3] = -1;
    touch.weights[3] = -1;
    touch.shares[3] = 0;
    touch.own_count = 3;
    touch.yielding = float(yielding);
    const Vec3 before = point.in(body.positions_before), after = point.in(body.positions);
    touch.normal = to_lanes(met.normal.as<float>());
    const double at_start = met.distance - dot(met.normal, (after - met.relative.start).as<double>());
    touch.goal = float(std::min(at_start + kOut * double(body.surface->spacing), 0.0));
    touch.shortfall = touch.goal - float(at_start);
    const Vec3 velocity = point.in(body.velocities_before);
    const double approach = -dot(met.normal, velocity.as<double>() - met.relative.velocity);
    touch.rebound = approach > 0 ? float(double(collider.restitution) * approach) : 0.0f;
    carrier = {to_lanes(met.relative.start - before), to_lanes(met.relative.velocity.as<float>())};
    return true;
}

}  // namespace

bool is_post(const Collider& collider, float spacing)
{
    if (const auto* box = std::get_if<Box>(&collider.shape)) {
        std::array<double, 3> sides{box->half_size.x, box->half_size.y, box->half_size.z};
        std::sort(sides.begin(), sides.end());
        return sides[0] < kBlade * double(spacing) || sides[1] < double(spacing);
    }
    return radius_of(collider) < double(spacing);
}

PostTouches::Group& PostTouches::next_group(const Collider& collider)
{
    if (used_ == groups_.size()) groups_.emplace_back();
    Group& group = groups_[used_++];
    group.collider = &collider;
    group.touches.clear();
    group.carriers.clear();
    group.budget = 0;
    return group;
}

void PostTouches::find(const ContactBody& body)
{
    thickness_ = body.thickness();
    const double spacing = double(body.surface->spacing);
    Box3 box;
    double farthest = 0;
    for (const Collider& collider : body.colliders) {
        if (!is_post(collider, body.surface->spacing)) continue;
        if (box.empty()) {
            for (const std::int32_t particle : body.surface->vertices) {
                const auto i = std::size_t(particle);
                box.add(body.positions_before[i].as<double>());
                box.add(body.positions[i].as<double>());
                farthest = std::max(farthest, double(length(body.positions[i] - body.positions_before[i])));
            }
            const double near = farthest + double(body.thickness());
            const Vec3d wider{near, near, near};
            box = {box.low - wider, box.high + wider};
        }
        if (is_clear_of(collider, box)) continue;
        Group& group = next_group(collider);
        const double near = farthest + double(body.thickness()) + travel(collider, box);
        const double lift = std::holds_alternative<Box>(collider.shape) ? kLift * spacing : near;
        for (const BetweenParticles::Found& found :
             between_.find(body, core_of(collider), box, near, kDeepest * spacing, lift, radius_of(collider))) {
            Touch touch{};
            Carrier carrier;
            if (!fill(body, found, collider, touch, carrier)) continue;
            group.touches.push_back(touch);
            group.carriers.push_back(carrier);
        }
    }
}

}  // namespace yawara::contact
