// An obstacle is nearest to a surface of triangles at a particle, within an edge, or within a triangle. Within a
// triangle it is nearest with one of its own corners; along an edge distances fall and rise again, and bisection finds
// where.
#include "contact/rigid_obstacles.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "contact/push_shares.h"
namespace yawara::contact {
namespace {

constexpr int kPlaceSweeps = 40, kSpeedSweeps = 20;
/// Nearer to an end of an edge or to a side of a triangle, as a share of it, what is there touches.
constexpr double kEnd = 0.01;
/// Along an edge the distance counts as even while it changes by less than this for each metre: where an edge lies on
/// a face, both ends of what they share touch.
constexpr double kEven = 2e-3;
constexpr int kHalvings = 11;
/// A corner of an obstacle that is deeper in the body than this share of its thickness at the start of a step did not
/// come through the triangle: it is that of another side.
constexpr double kOtherSide = 0.2;

/// Between which shares along an edge the slope of a distance, which grows all the way, passes a value.
struct Bracket {
    double low = 0, high = 1;

    template <class Slope>
    Bracket(const Slope& slope, double value)
    {
        for (int k = 0; k < kHalvings; ++k) {
            const double middle = (low + high) / 2;
            (slope(middle) < value ? low : high) = middle;
        }
    }
};

/// The shares of the corners of a triangle in the point below p.
std::array<double, 3> shares_below(Vec3d a, Vec3d b, Vec3d c, Vec3d p)
{
    const Vec3d area = cross(b - a, c - a);
    const double area2 = dot(area, area);
    if (!(area2 > 0)) return {1, 0, 0};
    const double of_b = dot(cross(p - a, c - a), area) / area2, of_c = dot(cross(b - a, p - a), area) / area2;
    return {1 - of_b - of_c, of_b, of_c};
}

/// Into the body from the edge of a triangle that begins at one of its corners, between its two triangles; at the end
/// of the step.
Vec3d inwards_of(const ContactBody& body, const Int3& triangle, std::size_t edge)
{
    const auto area = [&](const Int3& t) {
        const auto x = [&](std::size_t k) { return body.positions[std::size_t(t[k])].as<double>(); };
        return normalized(cross(x(2) - x(0), x(1) - x(0)));
    };
    const auto has = [](const Int3& t, std::int32_t v) { return t[0] == v || t[1] == v || t[2] == v; };
    const std::int32_t from = triangle[edge], to = triangle[(edge + 1) % 3], third = triangle[(edge + 2) % 3];
    const Vec3d own = area(triangle);
    Vec3d both = own;
    for (const std::int32_t t : body.surface->triangles_around(from)) {
        const Int3& other = body.surface->triangles[std::size_t(t)];
        if (has(other, to) && !has(other, third)) both += area(other);
    }
    return dot(both, both) > 1e-6 ? normalized(both) : own;
}

}  // namespace

/// A point of the surface of a body.
struct RigidObstacles::SurfacePoint {
    std::array<std::size_t, 3> particles;
    std::array<double, 3> shares;

    Vec3 in(std::span<const Vec3> values) const
    {
        Vec3d sum;
        for (std::size_t k = 0; k < 3; ++k) sum += values[particles[k]].as<double>() * shares[k];
        return sum.as<float>();
    }
};

void RigidObstacles::add(const ContactBody& body, const Collider& collider, Vec3 before, Vec3 after,
                         Vec3 velocity_before)
{
    add(body, collider, meet(collider, before, after), after, velocity_before);
}

/// Below a corner a triangle is as good as a plane, and tells the direction better than the corner could.
void RigidObstacles::touch_corner(const ContactBody& body, const Collider& collider, const SurfacePoint& point,
                                  const Corner& corner)
{
    std::array<Vec3d, 3> x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = body.positions[point.particles[k]].as<double>();
    const Vec3 after = point.in(body.positions);
    Meeting met{};
    met.relative = relative_start(collider, point.in(body.positions_before));
    met.normal = normalized(cross(x[2] - x[0], x[1] - x[0]));
    met.distance = dot(met.normal, after.as<double>() - corner.at) - corner.radius;
    add(body, collider, met, after, point.in(body.velocities_before));
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

/// Within edges and triangles, where nothing is beyond reach at the start of the step, when nothing was inside.
void RigidObstacles::find_between(const ContactBody& body, const Collider& collider, const Box3& box)
{
    const BodySurface& surface = *body.surface;
    const auto start_of = [&](Vec3 before) { return relative_start(collider, before).start; };
    distances_.resize(body.positions.size());
    for (const std::int32_t i : surface.vertices)
        distances_[std::size_t(i)] = sample(collider, start_of(body.positions_before[std::size_t(i)])).distance;
    corners_.clear();
    list_corners(collider, box, corners_);
    // An edge is met by what is seen from a little way into the body: at the edge itself, or in the obstacle, nothing
    // tells one side of a ridge from the other.
    const double lift = std::min(near_, 0.5 * double(surface.girth));
    const auto touch_edge = [&](const SurfacePoint& point, Vec3d inwards, Vec3d along) {
        const Vec3 after = point.in(body.positions);
        const Sample seen = sample(collider, (after.as<double>() + inwards * lift).as<float>());
        Meeting met{};
        met.relative = relative_start(collider, point.in(body.positions_before));
        met.normal = normalized(across(seen.normal, normalized(along)));
        met.distance = seen.distance - lift * dot(inwards, seen.normal);
        if (dot(inwards, met.normal) > kEven) add(body, collider, met, after, point.in(body.velocities_before));
    };
    // No point is nearer than half of what distances at the ends say: that of a mesh may be told twice as large.
    const auto may_touch = [&](double one, double other, double apart) {
        return ((one + other) / 2 - apart) / 2 < near_;
    };
    for (const Int3& triangle : surface.triangles) {
        std::array<std::size_t, 3> corner;
        std::array<Vec3d, 3> x;
        for (std::size_t k = 0; k < 3; ++k) {
            corner[k] = std::size_t(triangle[k]);
            x[k] = start_of(body.positions_before[corner[k]]).as<double>();
        }
        double longest = 0, least = distances_[corner[0]];
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t next = (k + 1) % 3;
            const Vec3d along = x[next] - x[k];
            const double size = length(along);
            longest = std::max(longest, size);
            least = std::min(least, distances_[corner[k]]);
            if (corner[k] > corner[next] || !(size > 0)) continue;  // once for both triangles
            if (!may_touch(distances_[corner[k]], distances_[corner[next]], size)) continue;
            const auto slope = [&](double share) {
                return dot(sample(collider, (x[k] + along * share).as<float>()).normal, along) / size;
            };
            const double first = Bracket(slope, -kEven).high, last = Bracket(slope, kEven).low;
            const Vec3d inwards = inwards_of(body, triangle, k);
            const auto touch_at = [&](double share) {
                if (share > kEnd && share < 1 - kEnd)
                    touch_edge({{corner[k], corner[next], corner[k]}, {1 - share, share, 0}}, inwards, along);
            };
            touch_at(std::min(first, (first + last) / 2));
            if (last > first + kEnd) touch_at(last);
        }
        if (corners_.empty() || !may_touch(least, least, 2 * longest)) continue;
        const Vec3d n = normalized(cross(x[2] - x[0], x[1] - x[0]));  // into the body
        for (const Corner& c : corners_) {
            const std::array<double, 3> shares = shares_below(x[0], x[1], x[2], c.at);
            if (!(std::min({shares[0], shares[1], shares[2]}) > kEnd)) continue;
            if (!(dot(n, x[0] - c.at) - c.radius > -kOtherSide * double(body.thickness()))) continue;
            touch_corner(body, collider, {corner, shares}, c);
        }
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
        near_ = near;
        for (const std::int32_t particle : body.surface->vertices) {
            const auto i = std::size_t(particle);
            add(body, collider, body.positions_before[i], body.positions[i], body.velocities_before[i]);
        }
        if (std::holds_alternative<Plane>(collider.shape)) continue;  // nearest to particles
        near_ = near + travel(collider, box);
        find_between(body, collider, box);
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
