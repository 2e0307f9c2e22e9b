// An obstacle is nearest to a surface of triangles at a particle, within an edge, or within a triangle. Within a
// triangle it is nearest with one of its own corners; along an edge distances fall and rise again, and bisection finds
// where.
#include "contact/between_particles.h"

#include <algorithm>

namespace yawara::contact {
namespace {

/// Nearer to an end of an edge or to a side of a triangle, as a share of it, what is there touches.
constexpr double kEnd = 0.01;
/// Along an edge the distance counts as even while it changes by less than this for each metre: where an edge lies on
/// a face, both ends of what they share touch.
constexpr double kEven = 2e-3;
constexpr int kHalvings = 11;

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

/// Below a corner a triangle is as good as a plane, and tells the direction better than the corner could.
Meeting meet_corner(const ContactBody& body, const Collider& collider, const SurfacePoint& point, const Corner& corner)
{
    std::array<Vec3d, 3> x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = body.positions[point.particles[k]].as<double>();
    const Vec3 after = point.in(body.positions);
    Meeting met{};
    met.relative = relative_start(collider, point.in(body.positions_before));
    met.normal = normalized(cross(x[2] - x[0], x[1] - x[0]));
    met.distance = dot(met.normal, after.as<double>() - corner.at) - corner.radius;
    return met;
}

}  // namespace

void BetweenParticles::add(const SurfacePoint& point, const Meeting& met, double near)
{
    if (met.distance < near) found_.push_back({point, met});
}

/// Where nothing is beyond reach at the start of the step, when nothing was inside.
std::span<const BetweenParticles::Found> BetweenParticles::find(const ContactBody& body, const Collider& collider,
                                                                const Box3& box, double near, double deepest,
                                                                double lift, double radius)
{
    found_.clear();
    const BodySurface& surface = *body.surface;
    const auto start_of = [&](Vec3 before) { return relative_start(collider, before).start; };
    distances_.resize(body.positions.size());
    for (const std::int32_t i : surface.vertices)
        distances_[std::size_t(i)] =
            sample(collider, start_of(body.positions_before[std::size_t(i)])).distance - radius;
    corners_.clear();
    list_corners(collider, box, corners_);
    for (Corner& corner : corners_) corner.radius += radius;
    // An edge is met by what is seen from a little way into the body: at the edge itself, or in the obstacle, nothing
    // tells one side of a ridge from the other.
    lift = std::min(lift, 0.5 * double(surface.girth));
    const auto touch_edge = [&](const SurfacePoint& point, Vec3d inwards, Vec3d along) {
        const Vec3 after = point.in(body.positions);
        const Sample seen = sample(collider, (after.as<double>() + inwards * lift).as<float>());
        Meeting met{};
        met.relative = relative_start(collider, point.in(body.positions_before));
        met.normal = normalized(across(seen.normal, normalized(along)));
        met.distance = seen.distance - radius - lift * dot(inwards, seen.normal);
        if (dot(inwards, met.normal) > kEven) add(point, met, near);
    };
    // No point is nearer than half of what distances at the ends say: that of a mesh may be told twice as large.
    const auto may_touch = [&](double one, double other, double apart) {
        return ((one + other) / 2 - apart) / 2 < near;
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
            if (!(dot(n, x[0] - c.at) - c.radius > -deepest)) continue;
            add({corner, shares}, meet_corner(body, collider, {corner, shares}, c), near);
        }
    }
    return found_;
}

}  // namespace yawara::contact
