// Which triangle a particle touches, from which side, and how deep a point lies in a body.
#include "contact/touch.h"

#include <algorithm>
#include <cmath>

#include "contact/box_lanes.h"
#include "contact/triangle_offsets.h"
#include "geometry/bvh.h"
#include "geometry/closest_point.h"

namespace yawara::contact {
namespace {

/// An old overlap is reduced by so many spacings a second; folds of one body, which its own shape also pulls apart,
/// more slowly; and an overlap of more than kDeep sizes, so that bodies that start inside each other part gently.
constexpr double kPushSpeed = 30.0, kFoldPushSpeed = 6.0, kPartSpeed = 2.0;
constexpr float kDeep = 0.04f;
/// Folds of one body only count when less deep than this many spacings: deeper may be its other side.
constexpr float kFoldDepth = 0.25f;

/// Surfaces touch when they face each other: the normal of a particle inside may have no more than this along that of
/// the triangle it came through. So it leaves where it came in, also when the other side of a thin part is nearer.
constexpr float kFacingAway = 0.3f;

struct Triangle {
    Vec3 a, b, c;
    Vec3 area;  ///< normal, twice the area long
    Triangle(std::span<const Vec3> x, const Int3& t)
        : a(x[std::size_t(t[0])]), b(x[std::size_t(t[1])]), c(x[std::size_t(t[2])]), area(cross(b - a, c - a))
    {
    }
};

struct Found {
    std::int32_t triangle = -1;
    float distance = 0;  ///< m
    float side = 0;      ///< height above the plane of the triangle, m
    std::array<float, 3> weights{};
    Vec3 away;  ///< from the touched point to the particle
};

/// The closest point of a triangle. Of two triangles that share it, the one seen more from the front or back tells
/// on which side the particle is.
Found closest(const Triangle& t, Vec3 p, std::int32_t triangle, float side)
{
    const ClosestOnTriangle on =
        closest_on_triangle(t.a.as<double>(), t.b.as<double>(), t.c.as<double>(), p.as<double>());
    const Vec3 away = (p.as<double>() - on.point).as<float>();
    return {triangle, length(away), side, {float(on.weights[0]), float(on.weights[1]), float(on.weights[2])}, away};
}

/// True if `found` tells more than `best`: nearer, or as near and seen more directly.
bool is_better(const Found& found, const Found& best, float tolerance)
{
    if (best.triangle < 0 || found.distance < best.distance - tolerance) return true;
    return found.distance <= best.distance + tolerance && std::abs(found.side) > std::abs(best.side);
}

struct Crossing {
    float share = 2;  ///< of the step, when it happens
    std::int32_t triangle = -1;
    std::array<float, 3> weights{};
};

/// Whether the particle went through a triangle from the front during the step, both moving straight.
void look_for_crossing(Vec3 before, Vec3 p, const Triangle& was, const Triangle& is, std::int32_t triangle,
                       Crossing& first)
{
    const float area = length(was.area), area_now = length(is.area);
    if (!(area > 0 && area_now > 0)) return;
    const float side_before = dot(was.area, before - was.a) / area, side = dot(is.area, p - is.a) / area_now;
    if (!(side_before > 0 && side < 0)) return;
    const float share = side_before / (side_before - side);
    if (share >= first.share) return;
    const auto at = [share](Vec3 from, Vec3 to) { return from + (to - from) * share; };
    const Vec3 a = at(was.a, is.a), b = at(was.b, is.b), c = at(was.c, is.c), q = at(before, p);
    const Vec3 normal = cross(b - a, c - a);
    const float whole = dot(normal, normal);
    if (!(whole > 0)) return;
    const float wb = dot(cross(q - a, c - a), normal) / whole, wc = dot(cross(b - a, q - a), normal) / whole;
    constexpr float kBorder = -0.02f;  // neighbouring triangles leave no gap
    if (wb < kBorder || wc < kBorder || wb + wc > 1 - kBorder) return;
    first = {share, triangle, {1 - wb - wc, wb, wc}};
}

/// How much closer particles of one body and of another came in the step, at most, m.
float approach(const ContactBody& body, std::span<const std::int32_t> particles, const ContactBody& other,
               std::span<const std::int32_t> others)
{
    const bool thin = body.thin() || other.thin();
    float farthest2 = 0;
    for (const std::int32_t i : particles) {
        const Vec3 displacement = body.positions[std::size_t(i)] - body.positions_before[std::size_t(i)];
        for (const std::int32_t j : others) {
            const Vec3 others_displacement = other.positions[std::size_t(j)] - other.positions_before[std::size_t(j)];
            const Vec3 closer = displacement - others_displacement;
            farthest2 = std::max(farthest2, dot(closer, closer));
            if (thin)
                farthest2 = std::max(
                    {farthest2, dot(displacement, displacement), dot(others_displacement, others_displacement)});
        }
    }
    return std::sqrt(farthest2);
}

/// Normal of the surface at one of its particles, at the start of the step.
Vec3 normal_at(const ContactBody& body, std::int32_t vertex)
{
    const std::span<const Vec3> x = body.positions_before;
    Vec3 sum;
    for (const std::int32_t t : body.surface->triangles_around(vertex)) {
        const Triangle triangle(x, body.surface->triangles[std::size_t(t)]);
        sum += triangle.area;
    }
    return normalized(sum);
}

/// How much farther apart than contact begins things may be and still touch, m: a rigid body that lies at its gap rocks
/// by less, and all that carries it has to be known in every step.
float room(const ContactBody& body, const ContactBody& other, const TouchLaw& law)
{
    return body.rigid || other.rigid ? law.thickness : 0.0f;
}

/// A candidate, and how close it has to be at the start of the step to matter, m.
struct Close {
    std::int32_t candidate;
    float ahead;
};

/// The candidates that may be close enough, by their distance when listed and how far they have moved since.
std::size_t list_moved_close(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                             const TouchLaw& law, std::vector<Close>& close)
{
    if (close.size() < candidates.size()) close.resize(candidates.size());
    std::size_t count = 0;
    const bool thin = body.thin() || other.thin();
    for (std::size_t k = 0; k < candidates.size();) {
        const std::int32_t vertex = candidates[k].vertex;
        const Vec3 before = body.positions_before[std::size_t(vertex)];
        const Vec3 displacement = body.positions[std::size_t(vertex)] - before;
        const float moved = length(before - body.references[std::size_t(vertex)]) + other.moved;
        const float farthest =
            thin ? law.closing_distance
                 : std::min(length(displacement - other.motion.drift) + other.motion.deviation, law.closing_distance);
        const float ahead = law.thickness + farthest + room(body, other, law), front = ahead + moved;
        for (; k < candidates.size() && candidates[k].vertex == vertex; ++k) {
            const Candidate& candidate = candidates[k];
            close[count] = {std::int32_t(k), ahead};
            count += std::size_t(!((candidate.gap > front) & (candidate.inside_gap > moved)));
        }
    }
    return count;
}

/// Keeps those of the first `count` that were within reach at the start of the step, or come within the thickness in
/// it.
std::size_t keep_within_reach(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                              const TouchLaw& law, std::vector<Close>& close, std::size_t count)
{
    const float tolerance = 1e-3f * law.thickness, gap = law.thickness + room(body, other, law);
    const bool thin = body.thin() || other.thin();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; k += kLanes) {
        std::array<std::int32_t, kLanes> vertex, triangle;
        Lanes most;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Close& here = close[std::min(k + lane, count - 1)];
            const Candidate& near = candidates[std::size_t(here.candidate)];
            vertex[lane] = near.vertex;
            triangle[lane] = near.triangle;
            most[lane] = here.ahead;
        }
        const Corners4 t(other.surface->triangles, triangle);
        const Vec3x4 p = gather(body.positions_before, vertex), a = gather(other.positions_before, t.a),
                     b = gather(other.positions_before, t.b), c = gather(other.positions_before, t.c);
        const TriangleOffsets4 offset(p, a, b, c);
        const Lanes distance = offset.least_distance();
        const LaneMask back =
            (offset.height < 0.0f) & (distance <= law.reach + tolerance) & (offset.beyond <= tolerance);
        LaneMask front = (offset.height >= 0.0f) & (distance <= most + tolerance);
        if (bits_of(front) != 0) {  // what the triangle itself did tells more than what its body did at most
            const Vec3x4 displacement = gather(body.positions, vertex) - p;
            Lanes displacement2 = thin ? dot(displacement, displacement) : Lanes{};
            for (const Vec3x4& others_displacement :
                 {gather(other.positions, t.a) - a, gather(other.positions, t.b) - b,
                  gather(other.positions, t.c) - c}) {
                const Vec3x4 closer = displacement - others_displacement;
                displacement2 = larger(displacement2, dot(closer, closer));
                if (thin) displacement2 = larger(displacement2, dot(others_displacement, others_displacement));
            }
            front &= distance <= square_roots(displacement2) + gap + tolerance;
        }
        const unsigned keep = bits_of(front | back);
        for (std::size_t lane = 0; lane < kLanes && k + lane < count; ++lane) {
            close[kept] = close[k + lane];
            kept += keep >> lane & 1;
        }
    }
    return kept;
}

/// Keeps those of the first `count` edges that cross, seen along their common normal, and are close enough there.
std::size_t keep_crossing(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                          std::vector<Close>& close, std::size_t count)
{
    constexpr float kEnd = 0.01f;  // nearer to an end, its particle touches
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; k += kLanes) {
        std::array<std::int32_t, kLanes> a0, a1, b0, b1;
        Lanes most;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Close& here = close[std::min(k + lane, count - 1)];
            const Candidate& near = candidates[std::size_t(here.candidate)];
            const BodySurface::Edge &a = body.surface->edges[std::size_t(near.vertex)],
                                    &b = other.surface->edges[std::size_t(near.triangle)];
            a0[lane] = a.ends[0], a1[lane] = a.ends[1], b0[lane] = b.ends[0], b1[lane] = b.ends[1];
            most[lane] = here.ahead;
        }
        const Vec3x4 p = gather(body.positions_before, a0), q = gather(other.positions_before, b0);
        const Vec3x4 u = gather(body.positions_before, a1) - p, v = gather(other.positions_before, b1) - q;
        const Vec3x4 across = cross(u, v), between = q - p;
        const Lanes area2 = dot(across, across), height = dot(across, between);
        const Lanes s = dot(cross(between, v), across) / area2, t = dot(cross(between, u), across) / area2;
        constexpr float kRounding = 1.001f;
        const LaneMask keep = (area2 > 1e-4f * dot(u, u) * dot(v, v)) &  // else nearly parallel: their particles touch
                              (s >= kEnd) & (s <= 1 - kEnd) & (t >= kEnd) & (t <= 1 - kEnd) &
                              (height * height <= kRounding * (most * most) * area2);
        const unsigned bits = bits_of(keep);
        for (std::size_t lane = 0; lane < kLanes && k + lane < count; ++lane) {
            close[kept] = close[k + lane];
            kept += bits >> lane & 1;
        }
    }
    return kept;
}

/// Whether a point lies below both triangles of a sharp edge of a body, where it was at the start of the step.
bool is_in_wedge(const ContactBody& body, const BodySurface::Edge& edge, Vec3 point)
{
    const auto at = [&](std::int32_t i) { return body.positions_before[std::size_t(i)]; };
    const Vec3 from = at(edge.ends[0]), along = at(edge.ends[1]) - from;
    const Vec3 first = cross(along, at(edge.sides[0]) - from), second = cross(along, at(edge.sides[1]) - from);
    const float out = dot(first, at(edge.sides[1]) - from) > 0 ? -1.0f : 1.0f;  // the other triangle is below
    return out * dot(first, point - from) < 0 && out * dot(second, point - from) > 0;
}

/// How much those of the two bodies that are rigid yield along the normal of a touch, 1/kg.
float rigid_yielding(const ContactBody& body, const ContactBody& other, const Touch& touch)
{
    const Vec3d n = to_vec3(touch.normal).as<double>();
    double sum = 0;
    if (body.rigid && !body.asleep) sum += body.rigid->yields(n, point_of(body.positions, touch, true));
    if (other.rigid && !other.asleep) sum += other.rigid->yields(n, point_of(other.positions, touch, false));
    return float(sum);
}

/// Whether a touch may push in this step: its gap closes, or would if the ribs of a thin body took back its
/// displacement.
bool may_push(const ContactBody& body, const ContactBody& other, const TouchLaw& law, const Touch& touch)
{
    const auto height = [&](std::span<const Vec3> x, std::span<const Vec3> y) {
        return dot(to_vec3(touch.normal), difference(touch, x, y));
    };
    return height(body.positions, other.positions) < law.thickness ||
           (body.thin() && height(body.positions_before, other.positions) < law.thickness) ||
           (other.thin() && height(body.positions, other.positions_before) < law.thickness) ||
           // A rigid body that is stopped at one place turns into others.
           ((body.rigid || other.rigid) && height(body.positions_before, other.positions_before) < 2 * law.thickness);
}

}  // namespace

float farthest_gap(const ContactBody& body, const ContactBody& other, const TouchLaw& law)
{
    return law.thickness + law.closing_distance + room(body, other, law) + (body.moved + other.moved);
}

TouchLaw law_of(const ContactBody& a, const ContactBody& b, bool self, double dt)
{
    const float spacing = std::min(a.surface->spacing, b.surface->spacing);
    const double push = self ? kFoldPushSpeed : a.follows || b.follows ? kPartSpeed : kPushSpeed;
    return {a.thickness() + b.thickness(),
            self ? a.thickness() + b.thickness() + kFoldDepth * spacing : a.reach() + b.reach(),
            float(push * dt) * spacing,
            float((self ? kFoldPushSpeed : kPartSpeed) * dt) * spacing,
            kDeep * std::min(a.surface->size, b.surface->size),
            approach(a, b) + a.motion.deviation + b.motion.deviation,
            std::sqrt(std::max(a.settings.friction, 0.0f) * std::max(b.settings.friction, 0.0f)),
            std::clamp(std::max(a.settings.restitution, b.settings.restitution), 0.0f, 1.0f),
            self};
}

Vec3 difference(const Touch& touch, std::span<const Vec3> one, std::span<const Vec3> other)
{
    Vec3 of_one, of_other;
    for (std::size_t k = 0; k < 4; ++k) {
        const bool own = k < std::size_t(touch.own_count);
        (own ? of_one : of_other) += (own ? one : other)[std::size_t(touch.particles[k])] * touch.weights[k];
    }
    return of_one + of_other;
}

Vec3d point_of(std::span<const Vec3> positions, const Touch& touch, bool own)
{
    const std::size_t first = own ? 0 : std::size_t(touch.own_count), last = own ? std::size_t(touch.own_count) : 4;
    Vec3d point;
    for (std::size_t k = first; k < last; ++k)
        point += positions[std::size_t(touch.particles[k])].as<double>() * double(std::abs(touch.weights[k]));
    return point;
}

bool complete(const ContactBody& body, const ContactBody& other, const TouchLaw& law, Touch& touch)
{
    float yielding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const ContactBody& of = k < std::size_t(touch.own_count) ? body : other;
        const bool stays = of.asleep || of.rigid;
        touch.shares[k] = stays ? 0.0f : of.inverse_masses[std::size_t(touch.particles[k])] * touch.weights[k];
        yielding += touch.shares[k] * touch.weights[k];
    }
    if (body.rigid || other.rigid) yielding += rigid_yielding(body, other, touch);
    if (!(yielding > 0)) return false;
    touch.yielding = yielding;
    for (float& share : touch.shares) share /= yielding;
    const Vec3 n = to_vec3(touch.normal);
    const float gap_before = dot(n, difference(touch, body.positions_before, other.positions_before));
    const float push = gap_before < -law.deep ? law.part : law.push;
    touch.goal = std::min(law.thickness, std::max(gap_before, -law.reach) + push);
    touch.shortfall = touch.goal - gap_before;
    const float parting = dot(n, difference(touch, body.velocities_before, other.velocities_before));
    touch.rebound = law.restitution * std::max(-parting, 0.0f);
    return true;
}

void find_touches(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                  const TouchLaw& law, std::vector<Touch>& touches)
{
    const std::span<const Vec3> now = other.positions, past = other.positions_before;
    const float tolerance = 1e-3f * law.thickness;
    thread_local std::vector<Close> close;
    const std::size_t moved_close = list_moved_close(body, other, candidates, law, close);
    const std::size_t count = keep_within_reach(body, other, candidates, law, close, moved_close);
    for (std::size_t k = 0; k < count;) {
        const std::int32_t vertex = candidates[std::size_t(close[k].candidate)].vertex;
        const Vec3 p = body.positions[std::size_t(vertex)], before = body.positions_before[std::size_t(vertex)];
        Found best;
        Crossing crossing;
        for (; k < count && candidates[std::size_t(close[k].candidate)].vertex == vertex; ++k) {
            const std::int32_t triangle = candidates[std::size_t(close[k].candidate)].triangle;
            const Int3& corners = other.surface->triangles[std::size_t(triangle)];
            const Triangle t(past, corners);
            const float side = dot(t.area, before - t.a) / length(t.area);
            const float approached = law.thickness + approach(body, {&vertex, 1}, other, corners),
                        ahead = approached + room(body, other, law);
            const Found found = closest(t, before, triangle, side);
            if (side >= 0 && approached > 2 * law.thickness)
                look_for_crossing(before, p, t, Triangle(now, corners), triangle, crossing);
            if (found.distance > (side < 0 ? law.reach : ahead)) continue;
            // Behind a triangle and beyond its border is outside, or inside and nearer to another one.
            if (side < 0 && std::min({found.weights[0], found.weights[1], found.weights[2]}) <= 0) continue;
            // What is soft and in a rigid body is in it, however its own surface is turned.
            if (side < 0 && !(other.rigid && !body.rigid) &&
                !(dot(normal_at(body, vertex), normalized(t.area)) < kFacingAway))
                continue;
            if (is_better(found, best, tolerance)) best = found;
        }
        const auto touch_at = [&](std::int32_t triangle, const std::array<float, 3>& weights, Vec3 normal) {
            const Int3& corners = other.surface->triangles[std::size_t(triangle)];
            Touch touch{};
            touch.particles = {vertex, corners[0], corners[1], corners[2]};
            touch.weights = {1, -weights[0], -weights[1], -weights[2]};
            touch.own_count = 1;
            touch.normal = to_lanes(normal);
            if (!may_push(body, other, law, touch) || !complete(body, other, law, touch)) return false;
            touches.push_back(touch);
            return true;
        };
        const auto normal_of = [&](std::int32_t triangle) {
            return normalized(Triangle(past, other.surface->triangles[std::size_t(triangle)]).area);
        };
        bool touched = false;
        if (best.triangle >= 0) {
            constexpr float kNearlyFlat = 0.95f;
            const Vec3 away = best.away * ((best.side < 0 ? -1.0f : 1.0f) / best.distance),
                       flat = normal_of(best.triangle);
            const bool direct = best.distance > 0.2f * law.thickness;
            // A corner of a crate a little beside the border of the one below lies on its face, not on its edge.
            const bool both_rigid = body.rigid && other.rigid;
            touched = touch_at(best.triangle, best.weights,
                               direct && !(both_rigid && dot(away, flat) > kNearlyFlat) ? away : flat);
        }
        if (!touched && crossing.triangle >= 0)
            touch_at(crossing.triangle, crossing.weights, normal_of(crossing.triangle));
    }
}

void find_edge_touches(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                       const TouchLaw& law, std::vector<Touch>& touches)
{
    constexpr float kTilt = 0.35f;  // tolerance, so that touches do not come and go with every small turn
    const float farthest = farthest_gap(body, other, law);
    thread_local std::vector<Close> close;
    if (close.size() < candidates.size()) close.resize(candidates.size());
    std::size_t moved_close = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        close[moved_close] = {std::int32_t(k), law.thickness + law.closing_distance + room(body, other, law)};
        moved_close += candidates[k].gap > farthest ? 0 : 1;
    }
    const std::size_t count = keep_crossing(body, other, candidates, close, moved_close);
    for (std::size_t k = 0; k < count; ++k) {
        const Candidate& pair = candidates[std::size_t(close[k].candidate)];
        const BodySurface::Edge& a = body.surface->edges[std::size_t(pair.vertex)];
        const BodySurface::Edge& b = other.surface->edges[std::size_t(pair.triangle)];
        const auto of_a = [&](std::int32_t i) { return body.positions_before[std::size_t(i)]; };
        const auto of_b = [&](std::int32_t i) { return other.positions_before[std::size_t(i)]; };
        const Vec3 a0 = of_a(a.ends[0]), b0 = of_b(b.ends[0]);
        const Vec3 u = of_a(a.ends[1]) - a0, v = of_b(b.ends[1]) - b0, across = cross(u, v), between = b0 - a0;
        const float area2 = dot(across, across);
        const float s = dot(cross(between, v), across) / area2, t = dot(cross(between, u), across) / area2;
        const float height = dot(across, between);
        const float ahead = law.thickness + approach(body, a.ends, other, b.ends) + room(body, other, law);
        if (height * height > ahead * ahead * area2) continue;
        // Away from the other body, whose two triangles have to lie below, as those of this one above.
        Vec3 n = across / std::sqrt(area2);
        if (dot(n, of_b(b.sides[0]) + of_b(b.sides[1]) - b0 * 2.0f) > 0) n = -n;
        const auto rises = [n](Vec3 displacement) { return dot(n, displacement) > kTilt * length(displacement); };
        if (rises(of_b(b.sides[0]) - b0) || rises(of_b(b.sides[1]) - b0)) continue;
        if (rises(a0 - of_a(a.sides[0])) || rises(a0 - of_a(a.sides[1]))) continue;
        if (const float depth = dot(n, between); depth > 0) {
            // Deeper than this, another exit is nearer, and the touches of particles find it.
            if (depth > 0.25f * law.reach) continue;
            if (!is_in_wedge(other, b, a0 + u * s) || !is_in_wedge(body, a, b0 + v * t)) continue;
        }
        Touch touch{};
        touch.particles = {a.ends[0], a.ends[1], b.ends[0], b.ends[1]};
        touch.weights = {1 - s, s, t - 1, -t};
        touch.own_count = 2;
        touch.normal = to_lanes(n);
        if (may_push(body, other, law, touch) && complete(body, other, law, touch)) touches.push_back(touch);
    }
}

std::optional<Depth> depth_in(const ContactBody& body, const SurfaceBoxes& boxes, Vec3 point, float least)
{
    const BodySurface& surface = *body.surface;
    const float tolerance = 1e-4f * surface.spacing;
    Found best;
    float limit2 = std::numeric_limits<float>::infinity();
    std::array<std::int32_t, Bvh::kDepth> stack;
    std::size_t depth = 0;
    const auto distance2 = [&](std::int32_t node) {
        return BoxLanes(boxes.box(std::size_t(node))).squared_distance(point);
    };
    const Vec3x4 at = four_times(point);
    stack[depth++] = 0;
    while (depth > 0) {
        const std::int32_t n = stack[--depth];
        if (distance2(n) > limit2) continue;
        const BodySurface::Node& node = surface.nodes[std::size_t(n)];
        if (node.child >= 0) {
            const bool swap = distance2(node.child) < distance2(node.child + 1);
            stack[depth++] = node.child + (swap ? 1 : 0);
            stack[depth++] = node.child + (swap ? 0 : 1);
            continue;
        }
        for (std::int32_t first = node.triangles_begin; first < node.triangles_end; first += std::int32_t(kLanes)) {
            const std::int32_t last = std::min(first + std::int32_t(kLanes), node.triangles_end) - 1;
            const Corners4 corners(surface.triangles,
                                   {first, std::min(first + 1, last), std::min(first + 2, last), last});
            const Lanes least_distance =
                TriangleOffsets4(at, gather(body.positions, corners.a), gather(body.positions, corners.b),
                                 gather(body.positions, corners.c))
                    .least_distance();
            for (std::int32_t i = first; i <= last; ++i) {
                if (best.triangle >= 0 && least_distance[std::size_t(i - first)] > best.distance + 2 * tolerance)
                    continue;
                const Triangle t(body.positions, surface.triangles[std::size_t(i)]);
                const float area = length(t.area);
                if (!(area > 0)) continue;
                const Found found = closest(t, point, i, dot(t.area, point - t.a) / area);
                if (is_better(found, best, tolerance)) best = found;
                if (best.distance < least) return {};
                limit2 = std::min(limit2, (best.distance + tolerance) * (best.distance + tolerance));
            }
        }
    }
    if (best.triangle < 0 || best.side >= 0) return {};
    return Depth{best.distance, best.away * (-1 / best.distance)};
}

}  // namespace yawara::contact
