// Each body has a tree over its drawn triangles, built in the order of its rest shape and refitted where it is now.
#include "yawara/query.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/shapes.h"
#include "core/parallel.h"
#include "geometry/bvh.h"
#include "geometry/closest_point.h"
#include "geometry/segment_triangle.h"

namespace yawara {

namespace {

/// Towards no edge of a mesh that people make.
constexpr Vec3d kOblique{0.5377, 0.6213, 0.5699};
constexpr int kMostAdvances = 200;  // of a ball towards an obstacle
constexpr double kTouching = 1e-6;  // of its radius and path

bool is_finite(Vec3d p)
{
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

using Corners = std::array<Vec3d, 3>;

double distance_to(const Corners& c, Vec3d p)
{
    return length(p - closest_on_triangle(c[0], c[1], c[2], p).point);
}

/// The share of the path at which a ball first touches the triangle. Its distance is convex along a straight path:
/// from where it is least, back to where it equals the radius.
std::optional<double> first_touch(const Corners& corners, Vec3d from, Vec3d path, double radius, double reach)
{
    const auto distance = [&](double share) { return distance_to(corners, from + path * share); };
    const double at_start = distance(0);
    if (at_start <= radius) return 0.0;
    if (at_start - reach * length(path) > radius) return std::nullopt;
    double low = 0, high = reach;
    for (int k = 0; k < 60 && distance(high) > radius; ++k) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        const double at_a = distance(a), at_b = distance(b);
        if (at_a <= radius)
            high = a;
        else if (at_a < at_b)
            high = b;
        else
            low = a;
    }
    if (distance(high) > radius) return std::nullopt;
    low = 0;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (distance(middle) <= radius ? high : low) = middle;
    }
    return high;
}

/// A triangle and a box around the origin, by the thirteen directions that can part them.
bool meet(Corners corners, const Vec3d& half)
{
    const auto parted = [&](Vec3d axis) {
        const double reach = half.x * std::abs(axis.x) + half.y * std::abs(axis.y) + half.z * std::abs(axis.z);
        const double a = dot(axis, corners[0]), b = dot(axis, corners[1]), c = dot(axis, corners[2]);
        return std::min({a, b, c}) > reach || std::max({a, b, c}) < -reach;
    };
    const std::array<Vec3d, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const std::array edges{corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]};
    if (std::ranges::any_of(axes, parted) || parted(cross(edges[0], edges[1]))) return false;
    for (const Vec3d& axis : axes)
        for (const Vec3d& edge : edges)
            if (parted(cross(axis, edge))) return false;
    return true;
}

struct DrawnBody {
    BodyId id;
    BodyModel model;
    Bvh tree;
    std::vector<Vec3> positions{};  ///< of the drawn vertices
    std::vector<Vec3> particles{};
    std::vector<Box3> boxes{};  ///< per triangle
    Box3 box{};

    Corners corners(std::int32_t triangle) const
    {
        const Int3& t = model.surface().triangles[std::size_t(triangle)];
        return {positions[std::size_t(t[0])].as<double>(), positions[std::size_t(t[1])].as<double>(),
                positions[std::size_t(t[2])].as<double>()};
    }

    void look(Scene& scene)
    {
        const std::span<const Vec3> drawn = scene.surface(id);
        positions.assign(drawn.begin(), drawn.end());
        particles = scene.state(id).positions;
        const std::size_t count = model.surface().triangles.size();
        boxes.assign(count, {});
        box = {};
        for (std::size_t t = 0; t < count; ++t)
            for (const Vec3d& corner : corners(std::int32_t(t))) {
                boxes[t].add(corner);
                box.add(corner);
            }
        if (tree.empty())
            tree = Bvh(boxes);
        else
            tree.refit(boxes);
    }

    /// By the number of triangles between it and the outside.
    bool holds(Vec3d p) const
    {
        if (p.x < box.low.x || p.y < box.low.y || p.z < box.low.z || p.x > box.high.x || p.y > box.high.y ||
            p.z > box.high.z)
            return false;
        const Vec3d way = kOblique * (2 * box.diagonal());
        bool inside = false;
        tree.along(p, way, [&](std::int32_t t, double&) {
            const Corners c = corners(t);
            const auto crossing = line_through_triangle(p, way, c[0], c[1], c[2]);
            if (crossing && crossing->share > 0) inside = !inside;
        });
        return inside;
    }

    /// An edge of one crosses a triangle of the other.
    bool edges_cross(const DrawnBody& other) const
    {
        for (std::size_t t = 0; t < boxes.size(); ++t) {
            if (!other.tree.any(boxes[t], [](std::int32_t) { return true; })) continue;
            const Corners c = corners(std::int32_t(t));
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3d from = c[k], way = c[(k + 1) % 3] - from;
                bool crosses = false;
                other.tree.along(from, way, [&](std::int32_t s, double&) {
                    const Corners d = other.corners(s);
                    const auto crossing = line_through_triangle(from, way, d[0], d[1], d[2]);
                    crosses |= crossing && crossing->share >= 0 && crossing->share <= 1;
                });
                if (crosses) return true;
            }
        }
        return false;
    }

    SceneHit hit(std::int32_t triangle, const std::array<double, 3>& weights, double distance) const
    {
        SceneHit hit{.body = id, .triangle = triangle, .distance = distance};
        const Corners c = corners(triangle);
        const Int3& t = model.surface().triangles[std::size_t(triangle)];
        for (std::size_t k = 0; k < 3; ++k) {
            hit.weights[k] = float(weights[k]);
            hit.place += c[k] * weights[k];
            hit.rest_place += model.surface().vertices[std::size_t(t[k])] * weights[k];
        }
        hit.normal = normalized(cross(c[1] - c[0], c[2] - c[0]));
        double least = std::numeric_limits<double>::max();
        for (const std::int32_t corner : t)
            for (const std::int32_t i : model.embedding().particles_of(std::size_t(corner))) {
                const double away = length(particles[std::size_t(i)].as<double>() - hit.place);
                if (away < least) least = away, hit.particle = i;
            }
        return hit;
    }
};

/// Where a ball, or a point, first meets an obstacle on its way: share of it, and the normal there.
std::optional<contact::Entry> first_meeting(const Collider& collider, const Ray& path, double radius)
{
    const Vec3d way = path.to - path.from;
    const contact::Sample start = contact::sample(collider, path.from.as<float>());
    if (start.distance <= radius) return contact::Entry{0, start.normal};
    if (std::holds_alternative<Plane>(collider.shape)) {
        const double end = contact::sample(collider, path.to.as<float>()).distance;
        if (end > radius) return std::nullopt;
        return contact::Entry{(start.distance - radius) / (start.distance - end), start.normal};
    }
    if (radius == 0) return contact::first_entry(collider, path.from.as<float>(), path.to.as<float>(), 0);
    // The distance of a mesh may be told up to twice too large.
    const double caution = std::holds_alternative<MeshDistance>(collider.shape) ? 0.5 : 1;
    const double whole = length(way), close = kTouching * (radius + whole);
    double gone = 0;
    for (int k = 0; k < kMostAdvances && gone <= whole; ++k) {
        const contact::Sample here = contact::sample(collider, (path.from + way * (gone / whole)).as<float>());
        if (here.distance <= radius + close) return contact::Entry{gone / whole, here.normal};
        gone += caution * std::max(here.distance - radius, close);
    }
    return std::nullopt;
}

}  // namespace

struct SceneQuery::Data {
    Scene& scene;
    std::vector<DrawnBody> bodies{};
    std::int64_t steps = -1;

    bool is_current() const
    {
        return steps == scene.step_count() &&
               std::ranges::equal(bodies, scene.bodies(), [&](const DrawnBody& body, BodyId id) {
                   return body.id == id && body.model.revision() == scene.model(id).revision();
               });
    }

    void refresh()
    {
        std::vector<DrawnBody> now;
        for (const BodyId id : scene.bodies()) {
            const BodyModel& model = scene.model(id);
            const auto known = std::ranges::find_if(bodies, [&](const DrawnBody& body) {
                return body.id == id && body.model.revision() == model.revision();
            });
            now.push_back(known == bodies.end() ? DrawnBody{.id = id, .model = model, .tree = {}} : std::move(*known));
            now.back().look(scene);
        }
        bodies = std::move(now);
        steps = scene.step_count();
    }

    template <class Visit>
    void each_body(const QueryFilter& filter, Visit&& visit) const
    {
        if (!filter.bodies) return;
        for (const DrawnBody& body : bodies)
            if (std::ranges::find(filter.ignored, body.id) == filter.ignored.end()) visit(body);
    }

    std::optional<SceneHit> meet_obstacles(const Ray& path, double radius, const QueryFilter& filter,
                                           double reach) const
    {
        std::optional<SceneHit> nearest;
        if (!filter.obstacles) return nearest;
        const double whole = length(path.to - path.from);
        for (std::size_t k = 0; k < scene.colliders().size(); ++k) {
            const auto meeting = first_meeting(scene.colliders()[k], path, radius);
            if (!meeting || meeting->share * whole >= reach) continue;
            reach = meeting->share * whole;
            nearest = SceneHit{.obstacle = scene.collider_ids()[k], .normal = meeting->normal, .distance = reach};
            nearest->place = path.from + (path.to - path.from) * meeting->share - meeting->normal * radius;
        }
        return nearest;
    }

    /// Obstacles are asked after bodies: what is behind a body is not seen.
    std::optional<SceneHit> or_obstacle(std::optional<SceneHit> hit, const Ray& path, double radius,
                                        const QueryFilter& filter) const
    {
        const auto obstacle =
            meet_obstacles(path, radius, filter, hit ? hit->distance : std::numeric_limits<double>::infinity());
        return obstacle ? obstacle : hit;
    }

    std::optional<SceneHit> cast(const Ray& ray, const QueryFilter& filter) const
    {
        if (!is_finite(ray.from) || !is_finite(ray.to)) return std::nullopt;
        const Vec3d way = ray.to - ray.from;
        const DrawnBody* met = nullptr;
        std::int32_t triangle = -1;
        LineCrossing first{1, {}};
        each_body(filter, [&](const DrawnBody& body) {
            body.tree.along(ray.from, way, [&](std::int32_t t, double& reach) {
                reach = std::min(reach, first.share);
                const Corners c = body.corners(t);
                const auto crossing = line_through_triangle(ray.from, way, c[0], c[1], c[2]);
                if (!crossing || crossing->share < 0 || crossing->share > first.share) return;
                if (crossing->share == first.share && met) return;
                met = &body, triangle = t, first = *crossing;
            });
        });
        std::optional<SceneHit> hit;
        if (met) hit = met->hit(triangle, first.weights, first.share * length(way));
        return or_obstacle(hit, ray, 0, filter);
    }

    template <class Meets>
    std::vector<SceneOverlap> overlaps(const QueryFilter& filter, Vec3d centre, const Box3& around, const Meets& meets,
                                       const auto& holds) const
    {
        std::vector<SceneOverlap> found;
        each_body(filter, [&](const DrawnBody& body) {
            const bool touched = body.tree.any(around, [&](std::int32_t t) { return meets(body.corners(t)); });
            SceneOverlap overlap{body.id, {}};
            for (std::size_t i = 0; i < body.particles.size(); ++i)
                if (holds(body.particles[i].as<double>())) overlap.particles.push_back(std::int32_t(i));
            if (touched || !overlap.particles.empty() || body.holds(centre)) found.push_back(std::move(overlap));
        });
        return found;
    }
};

SceneQuery::SceneQuery(Scene& scene) : data_(new Data{scene}) {}
SceneQuery::~SceneQuery() = default;
SceneQuery::SceneQuery(SceneQuery&&) noexcept = default;
SceneQuery& SceneQuery::operator=(SceneQuery&&) noexcept = default;

void SceneQuery::refresh()
{
    data_->refresh();
}

std::optional<SceneHit> SceneQuery::ray(const Ray& ray, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    return data_->cast(ray, filter);
}

std::vector<std::optional<SceneHit>> SceneQuery::rays(std::span<const Ray> rays, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    std::vector<std::optional<SceneHit>> hits(rays.size());
    for_each_chunk(rays.size(), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) hits[k] = data_->cast(rays[k], filter);
    });
    return hits;
}

std::optional<SceneHit> SceneQuery::sweep(const Ray& path, double radius, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    if (!is_finite(path.from) || !is_finite(path.to) || !(radius >= 0) || !std::isfinite(radius)) return std::nullopt;
    if (radius == 0) return data_->cast(path, filter);
    const Vec3d way = path.to - path.from;
    const DrawnBody* met = nullptr;
    std::int32_t triangle = -1;
    double first = 1;
    data_->each_body(filter, [&](const DrawnBody& body) {
        const auto visit = [&](std::int32_t t, double& reach) {
            reach = std::min(reach, first);
            const auto share = first_touch(body.corners(t), path.from, way, radius, reach);
            if (!share || (met && *share >= first)) return;
            met = &body, triangle = t, first = *share;
        };
        body.tree.along(path.from, way, visit, radius);
    });
    std::optional<SceneHit> hit;
    if (met) {
        const Corners c = met->corners(triangle);
        const auto closest = closest_on_triangle(c[0], c[1], c[2], path.from + way * first);
        hit = met->hit(triangle, closest.weights, first * length(way));
    }
    return data_->or_obstacle(hit, path, radius, filter);
}

std::optional<SceneHit> SceneQuery::closest(Vec3d point, double within, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    if (!is_finite(point) || !(within >= 0)) return std::nullopt;
    const DrawnBody* nearest = nullptr;
    std::int32_t triangle = -1;
    double limit2 = std::nextafter(within * within, std::numeric_limits<double>::infinity());
    data_->each_body(filter, [&](const DrawnBody& body) {
        const auto [t, distance2] = body.tree.nearest(point, limit2, [&](std::int32_t k) {
            const double distance = distance_to(body.corners(k), point);
            return distance * distance;
        });
        if (t < 0) return;
        nearest = &body, triangle = t, limit2 = distance2;
    });
    if (!nearest) return std::nullopt;
    const Corners c = nearest->corners(triangle);
    return nearest->hit(triangle, closest_on_triangle(c[0], c[1], c[2], point).weights, std::sqrt(limit2));
}

std::vector<SceneOverlap> SceneQuery::overlaps(const Sphere& ball, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    if (!is_finite(ball.center) || !(ball.radius >= 0)) return {};
    const Vec3d reach{ball.radius, ball.radius, ball.radius};
    return data_->overlaps(
        filter, ball.center, Box3{ball.center - reach, ball.center + reach},
        [&](const Corners& corners) { return distance_to(corners, ball.center) <= ball.radius; },
        [&](Vec3d p) { return length(p - ball.center) <= ball.radius; });
}

std::vector<SceneOverlap> SceneQuery::overlaps(const Box& box, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    const Mat3d back = transpose(box.placement.turn);
    const auto in_box = [&](Vec3d p) { return back * (p - box.placement.move); };
    Box3 around;
    for (int k = 0; k < 8; ++k) {
        const Vec3d corner{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0};
        around.add(box.placement({corner.x * box.half_size.x, corner.y * box.half_size.y, corner.z * box.half_size.z}));
    }
    if (!is_finite(around.low) || !is_finite(around.high)) return {};
    return data_->overlaps(
        filter, box.placement.move, around,
        [&](const Corners& c) {
            return meet({in_box(c[0]), in_box(c[1]), in_box(c[2])}, box.half_size);
        },
        [&](Vec3d p) {
            const Vec3d at = in_box(p);
            return std::abs(at.x) <= box.half_size.x && std::abs(at.y) <= box.half_size.y &&
                   std::abs(at.z) <= box.half_size.z;
        });
}

std::vector<SceneOverlap> SceneQuery::overlaps(BodyId body, const QueryFilter& filter)
{
    if (!data_->is_current()) refresh();
    std::vector<SceneOverlap> found;
    const auto one = std::ranges::find(data_->bodies, body, &DrawnBody::id);
    if (one == data_->bodies.end()) return found;
    data_->each_body(filter, [&](const DrawnBody& other) {
        if (other.id == body) return;
        SceneOverlap overlap{other.id, {}};
        for (std::size_t i = 0; i < other.particles.size(); ++i)
            if (one->holds(other.particles[i].as<double>())) overlap.particles.push_back(std::int32_t(i));
        const bool meets = !overlap.particles.empty() || one->edges_cross(other) || other.edges_cross(*one) ||
                           (!one->positions.empty() && other.holds(one->positions[0].as<double>()));
        if (meets) found.push_back(std::move(overlap));
    });
    return found;
}

}  // namespace yawara
