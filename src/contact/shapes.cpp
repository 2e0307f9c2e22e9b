// Distances to planes, boxes, spheres, capsules and meshes, and the entry of a straight path into them.
#include "contact/shapes.h"

#include <algorithm>
#include <limits>

namespace yawara::contact {
namespace {

constexpr Vec3d kUp{0, 1, 0};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Unit vector along v, or `otherwise` if v has no direction.
Vec3d direction(Vec3d v, Vec3d otherwise)
{
    const double l = length(v);
    return l > 0 ? v / l : otherwise;
}

/// Any unit vector at right angles to v.
Vec3d across(Vec3d v)
{
    const Vec3d axis = std::abs(v.x) < std::abs(v.y) ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    return direction(cross(v, axis), kUp);
}

inline Sample sample_shape(const Plane& plane, Vec3d p)
{
    const bool is_unit = dot(plane.normal, plane.normal) == 1;  // as most are: no root, no division
    const Vec3d n = is_unit ? plane.normal : direction(plane.normal, kUp);
    return {dot(n, p - plane.point), n};
}

Sample sample_shape(const Box& box, Vec3d p)
{
    const Vec3d local = transpose(box.placement.turn) * (p - box.placement.move);
    Vec3d beyond, out;  // how far outside of each pair of faces; negative between them
    for (int axis = 0; axis < 3; ++axis) {
        beyond[axis] = std::abs(local[axis]) - box.half_size[axis];
        out[axis] = std::copysign(std::max(beyond[axis], 0.0), local[axis]);
    }
    const double distance = length(out);
    if (distance > 0) return {distance, box.placement.turn * (out / distance)};
    const int axis = beyond.x >= beyond.y && beyond.x >= beyond.z ? 0 : beyond.y >= beyond.z ? 1 : 2;
    Vec3d n;
    n[axis] = std::copysign(1.0, local[axis]);
    return {beyond[axis], box.placement.turn * n};
}

Sample sample_shape(const Sphere& sphere, Vec3d p)
{
    const Vec3d path = p - sphere.center;
    return {length(path) - sphere.radius, direction(path, kUp)};
}

Sample sample_shape(const Capsule& capsule, Vec3d p)
{
    const Vec3d axis = capsule.b - capsule.a;
    const double axis2 = dot(axis, axis);
    const double t = axis2 > 0 ? std::clamp(dot(p - capsule.a, axis) / axis2, 0.0, 1.0) : 0;
    const Vec3d path = p - (capsule.a + axis * t);
    const double distance = length(path);
    return {distance - capsule.radius, distance > 0 ? path / distance : across(axis)};
}

Sample sample_shape(const MeshDistance& mesh, Vec3d p)
{
    const MeshDistance::Sample found = mesh.at(p.as<float>());
    return {found.distance, found.normal.as<double>()};
}

/// Where a straight path is inside something convex, as shares of its length; nowhere if enter > leave.
struct Stay {
    double enter = -kInfinity, leave = kInfinity;
};

/// lo <= f + t w <= hi
Stay between(double f, double w, double lo, double hi)
{
    if (w == 0) return f < lo || f > hi ? Stay{kInfinity, -kInfinity} : Stay{};
    const double a = (lo - f) / w, b = (hi - f) / w;
    return {std::min(a, b), std::max(a, b)};
}

/// |f + t w| <= radius
Stay within(Vec3d f, Vec3d w, double radius)
{
    const double a = dot(w, w), b = dot(f, w), c = dot(f, f) - radius * radius;
    if (a == 0) return c > 0 ? Stay{kInfinity, -kInfinity} : Stay{};
    const double root2 = b * b - a * c;
    if (root2 < 0) return {kInfinity, -kInfinity};
    const double root = std::sqrt(root2);
    return {(-b - root) / a, (-b + root) / a};
}

Stay intersection(Stay a, Stay b)
{
    return {std::max(a.enter, b.enter), std::min(a.leave, b.leave)};
}

/// The entry at `stay`, if it lies on the path (a start inside by no more than the skin counts as entering at once).
std::optional<Entry> entry_at(Stay stay, double earliest, Vec3d normal)
{
    if (stay.enter > stay.leave || stay.enter > 1 || stay.enter < earliest) return {};
    return Entry{std::max(stay.enter, 0.0), normal};
}

std::optional<Entry> enter_shape(const Plane&, Vec3d, Vec3d, double)
{
    return {};
}

std::optional<Entry> enter_shape(const Box& box, Vec3d from, Vec3d path, double skin)
{
    const Mat3d to_local = transpose(box.placement.turn);
    const Vec3d f = to_local * (from - box.placement.move), w = to_local * path;
    Stay stay;
    Vec3d normal;
    for (int axis = 0; axis < 3; ++axis) {
        const Stay slab = between(f[axis], w[axis], -box.half_size[axis], box.half_size[axis]);
        if (slab.enter > stay.enter) {
            normal = {};
            normal[axis] = w[axis] > 0 ? -1 : 1;
        }
        stay = intersection(stay, slab);
    }
    return entry_at(stay, -skin / length(path), box.placement.turn * normal);
}

std::optional<Entry> enter_shape(const Sphere& sphere, Vec3d from, Vec3d path, double skin)
{
    const Stay stay = within(from - sphere.center, path, sphere.radius);
    return entry_at(stay, -skin / length(path), sample_shape(sphere, from + path * stay.enter).normal);
}

std::optional<Entry> enter_shape(const Capsule& capsule, Vec3d from, Vec3d path, double skin)
{
    Stay stay = within(from - capsule.a, path, capsule.radius);
    const auto unite = [&](Stay part) {  // the capsule is convex, so its parts leave no gap
        if (part.enter <= part.leave && part.enter < stay.enter) stay.enter = part.enter;
        if (part.enter <= part.leave && part.leave > stay.leave) stay.leave = part.leave;
    };
    unite(within(from - capsule.b, path, capsule.radius));
    const double height = length(capsule.b - capsule.a);
    if (height > 0) {
        const Vec3d axis = (capsule.b - capsule.a) / height, f = from - capsule.a;
        unite(intersection(between(dot(f, axis), dot(path, axis), 0, height),
                           within(f - axis * dot(f, axis), path - axis * dot(path, axis), capsule.radius)));
    }
    return entry_at(stay, -skin / length(path), sample_shape(capsule, from + path * stay.enter).normal);
}

std::optional<Entry> enter_shape(const MeshDistance& mesh, Vec3d from, Vec3d path, double skin)
{
    const double back = skin / length(path);  // start a little earlier
    std::optional<Entry> entry = mesh.first_entry(from - path * back, from + path);
    if (entry) entry->share = std::max(0.0, entry->share * (1 + back) - back);
    return entry;
}

bool clear_shape(const Plane& plane, Vec3d p, double)
{
    return dot(plane.normal, p - plane.point) >= 0 && plane.normal != Vec3d{};
}

bool clear_shape(const Box& box, Vec3d p, double path)
{
    const Vec3d local = transpose(box.placement.turn) * (p - box.placement.move);
    const Vec3d limit = box.half_size + Vec3d{path, path, path};
    return std::abs(local.x) > limit.x || std::abs(local.y) > limit.y || std::abs(local.z) > limit.z;
}

bool clear_shape(const Sphere& sphere, Vec3d p, double path)
{
    const Vec3d from_center = p - sphere.center;
    return dot(from_center, from_center) > (sphere.radius + path) * (sphere.radius + path);
}

bool clear_shape(const Capsule& capsule, Vec3d p, double path)
{
    return sample_shape(capsule, p).distance > path;
}
bool clear_shape(const MeshDistance& mesh, Vec3d p, double path)
{
    return mesh.clearance(p.as<float>(), path) > path;
}

Box3 bounds_of(const Box& box)
{
    const Mat3d& turn = box.placement.turn;
    const Vec3d& h = box.half_size;
    Vec3d reach;
    for (int axis = 0; axis < 3; ++axis) {
        reach[axis] = std::abs(turn.c0[axis]) * h.x + std::abs(turn.c1[axis]) * h.y + std::abs(turn.c2[axis]) * h.z;
    }
    return {box.placement.move - reach, box.placement.move + reach};
}

Box3 bounds_of(const Sphere& sphere)
{
    const Vec3d reach = Vec3d{1, 1, 1} * sphere.radius;
    return {sphere.center - reach, sphere.center + reach};
}

Box3 bounds_of(const Capsule& capsule)
{
    const Vec3d reach = Vec3d{1, 1, 1} * capsule.radius;
    return {min(capsule.a, capsule.b) - reach, max(capsule.a, capsule.b) + reach};
}

Box3 bounds_of(const MeshDistance& mesh)
{
    return mesh.bounds();
}

template <class Shape>
bool clear_shape(const Shape& shape, const Box3& box)
{
    const Box3 solid = bounds_of(shape);
    for (int axis = 0; axis < 3; ++axis) {
        if (solid.low[axis] > box.high[axis] || solid.high[axis] < box.low[axis]) return true;
    }
    return clear_shape(shape, box.center().as<float>().as<double>(), 0.501 * box.diagonal());
}

template <>
bool clear_shape(const Plane& plane, const Box3& box)
{
    const Vec3d& n = plane.normal;  // the corner of the box that lies deepest
    return clear_shape(
        plane, {n.x > 0 ? box.low.x : box.high.x, n.y > 0 ? box.low.y : box.high.y, n.z > 0 ? box.low.z : box.high.z},
        0);
}

void corners_of(const Plane&, const Box3&, std::vector<Corner>&) {}
void corners_of(const Box& box, const Box3&, std::vector<Corner>& out)
{
    const Vec3d& h = box.half_size;
    for (const double x : {-h.x, h.x})
        for (const double y : {-h.y, h.y})
            for (const double z : {-h.z, h.z}) out.push_back({box.placement({x, y, z})});
}
void corners_of(const Sphere& sphere, const Box3&, std::vector<Corner>& out)
{
    out.push_back({sphere.center, sphere.radius});
}
void corners_of(const Capsule& capsule, const Box3&, std::vector<Corner>& out)
{
    out.push_back({capsule.a, capsule.radius});
    out.push_back({capsule.b, capsule.radius});
}
void corners_of(const MeshDistance& mesh, const Box3& box, std::vector<Corner>& out)
{
    for (const Vec3d& p : mesh.mesh().vertices)
        if (p == min(max(p, box.low), box.high)) out.push_back({p});
}

/// The box around a box that is seen from the frame of an obstacle.
Box3 in_frame(const Placement& placement, const Box3& box)
{
    const Vec3d center = placement.undo(box.center()), half = box.size() * 0.5;
    const Mat3d& turn = placement.turn;  // its columns are the axes of the frame
    const auto reach = [&](Vec3d axis) {
        return std::abs(axis.x) * half.x + std::abs(axis.y) * half.y + std::abs(axis.z) * half.z;
    };
    const Vec3d wide{reach(turn.c0), reach(turn.c1), reach(turn.c2)};
    return {center - wide, center + wide};
}

}  // namespace

Sample sample(const Collider& collider, Vec3 point)
{
    const auto of = [&](Vec3d p) {
        return std::visit([&](const auto& shape) { return sample_shape(shape, p); }, collider.shape);
    };
    if (!collider.motion) return of(point.as<double>());
    const Placement& at = collider.motion->end;
    const Sample local = of(at.undo(point.as<double>()));
    return {local.distance, at.turn * local.normal};
}

Lying lying_on(const Collider& collider, std::span<const std::int32_t> vertices, std::span<const Vec3> positions,
               double near)
{
    Lying lying;
    const Placement* const at = collider.motion ? &collider.motion->end : nullptr;
    std::visit(
        [&](const auto& shape) {
            for (const std::int32_t v : vertices) {
                const Vec3d x = positions[std::size_t(v)].as<double>();
                const Sample here = sample_shape(shape, at ? at->undo(x) : x);
                if (here.distance > near) continue;
                lying.points += x;
                lying.normals += at ? at->turn * here.normal : here.normal;
                lying.count += 1;
            }
        },
        collider.shape);
    return lying;
}

std::optional<Entry> first_entry(const Collider& collider, Vec3 from, Vec3 to, double skin)
{
    if (from == to) return {};
    const auto of = [&](Vec3d start, Vec3d path) {
        return std::visit([&](const auto& shape) { return enter_shape(shape, start, path, skin); }, collider.shape);
    };
    const Vec3d start = from.as<double>(), path = to.as<double>() - start;
    if (!collider.motion) return of(start, path);
    const Placement& at = collider.motion->end;
    std::optional<Entry> entry = of(at.undo(start), transpose(at.turn) * path);
    if (entry) entry->normal = at.turn * entry->normal;
    return entry;
}

bool is_clear_of(const Collider& collider, Vec3 point, double path)
{
    const Vec3d p = collider.motion ? collider.motion->end.undo(point.as<double>()) : point.as<double>();
    return std::visit([&](const auto& shape) { return clear_shape(shape, p, path); }, collider.shape);
}

double travel(const Collider& collider, const Box3& box)
{
    if (!collider.motion || !collider.motion->moves()) return 0;
    double most = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3d p{(corner & 1 ? box.low : box.high).x, (corner & 2 ? box.low : box.high).y,
                      (corner & 4 ? box.low : box.high).z};
        most = std::max(most, length(collider.motion->carry(p) - p));
    }
    const auto* mesh = std::get_if<MeshDistance>(&collider.shape);
    return mesh ? most + mesh->travel() : most;
}

void list_corners(const Collider& collider, const Box3& box, std::vector<Corner>& out)
{
    const auto list = [&](const Box3& near) {
        std::visit([&](const auto& shape) { corners_of(shape, near, out); }, collider.shape);
    };
    if (!collider.motion) return list(box);
    const std::size_t first = out.size();
    list(in_frame(collider.motion->end, box));
    for (std::size_t k = first; k < out.size(); ++k) out[k].at = collider.motion->end(out[k].at);
}

Vec3d carry(const Collider& collider, Vec3d at_start)
{
    const ColliderMotion& motion = *collider.motion;
    const auto* mesh = std::get_if<MeshDistance>(&collider.shape);
    if (!mesh || !mesh->deforms()) return motion.carry(at_start);
    return motion.end(mesh->carry(motion.start.undo(at_start))) + motion.belt * motion.duration;
}

void cut_motion(Collider& collider, double from, double to)
{
    if (!collider.motion || !collider.motion->moves()) return;
    collider.motion = collider.motion->part(from, to);
    if (auto* mesh = std::get_if<MeshDistance>(&collider.shape); mesh && mesh->deforms()) *mesh = mesh->part(from, to);
}

bool is_clear_of(const Collider& collider, const Box3& box)
{
    const auto of = [&](const Box3& b) {
        return std::visit([&](const auto& shape) { return clear_shape(shape, b); }, collider.shape);
    };
    if (!collider.motion || box.empty()) return of(box);
    const double far = travel(collider, box);
    const Vec3d wide{far, far, far};
    return of(in_frame(collider.motion->end, {box.low - wide, box.high + wide}));
}

}  // namespace yawara::contact
