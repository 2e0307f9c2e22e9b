// Broad phase: a sweep along one axis over the boxes of bodies, then both trees of a pair walked together.
#include "contact/near_pairs.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "contact/neighbourhood.h"
#include "contact/triangle_offsets.h"
#include "core/parallel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace yawara::contact {
namespace {

bool takes_part(const ContactBody& body)
{
    return body.settings.bodies || body.settings.self;
}

struct Side {
    const ContactBody& body;
    const SurfaceBoxes& boxes;

    Vec3 reference(std::int32_t particle) const { return boxes.references()[std::size_t(particle)]; }
    float stride(std::int32_t particle) const { return boxes.stride(std::size_t(particle)); }
};

/// How far parts of two bodies may be apart to be listed, m.
struct Nearness {
    float closing_distance;  ///< the lists hold until the bodies come closer by more than this in one step
    float slack;             ///< by how much the distance of two particles may change until boxes are fitted again
    float in_front;          ///< listed in front of a triangle: up to this distance, plus the strides of both
    float behind;  ///< listed behind a triangle: up to this depth, if it projects onto it, give or take the slack

    Nearness(Side one, Side two)
    {
        const ContactBody &a = one.body, &b = two.body;
        slack = one.boxes.slack() + two.boxes.slack();
        closing_distance = std::min(with_room(approach(a, b), slack), one.boxes.drift() + two.boxes.drift());
        in_front = a.thickness() + b.thickness() + closing_distance + slack;
        behind = a.reach() + b.reach() + slack;
    }
};

/// Nodes with no more triangles than this are compared as wholes, without a look at their children.
constexpr std::int32_t kClump = 32;
bool is_clump(const BodySurface::Node& node)
{
    return node.child < 0 || node.triangles_end - node.triangles_begin <= kClump;
}

/// What one node has that may be near another one. Its box has room for slack, drift and strides.
FloatBox zone_of(Side side, const BodySurface::Node& node, float apart)
{
    const auto n = std::size_t(&node - side.body.surface->nodes.data());
    return side.boxes.box(n).widened(apart - side.boxes.slack() - side.boxes.drift());
}

/// Which lanes of a comparison are true, as bits.
unsigned bits_of(LaneMask mask)
{
#if defined(__SSE2__)
    return unsigned(_mm_movemask_ps((__m128)mask));
#else
    unsigned bits = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) bits |= unsigned(mask[lane] & 1) << lane;
    return bits;
#endif
}

/// The corners of a box, for tests of all axes at once; the fourth lanes mean nothing.
struct BoxLanes {
    Lanes low, high;

    explicit BoxLanes(const FloatBox& box)
    {
        static_assert(sizeof(FloatBox) == 6 * sizeof(float));
        Lanes last;  // z of the low corner, then the high one
        __builtin_memcpy(&low, &box.low.x, sizeof low);
        __builtin_memcpy(&last, &box.low.z, sizeof last);
        high = __builtin_shufflevector(last, last, 1, 2, 3, 3);
    }
    bool meets(const BoxLanes& other, float apart) const
    {
        return (bits_of((low <= other.high + apart) & (other.low <= high + apart)) & 7) == 7;
    }
    /// Whether a point is in it or no farther from it than this.
    bool holds(Vec3 p, float apart) const
    {
        const Lanes at = to_lanes(p);
        return (bits_of((at >= low - apart) & (at <= high + apart)) & 7) == 7;
    }
};

/// Some particles of a node, four at a time.
struct Clump {
    static constexpr std::size_t kMost = 3 * std::size_t(kClump) / kLanes;
    std::array<Vec3x4, kMost> points, rest;  ///< the latter only of folds of one body
    std::array<Lanes, kMost> limits;         ///< how far a triangle may be from each, m
    std::array<std::int32_t, kMost * kLanes> vertices;
    std::size_t count = 0;
    FloatBox box{};      ///< of all of them
    float farthest = 0;  ///< of the limits

    void add(std::int32_t vertex, Vec3 p, float limit)
    {
        box = count == 0 ? FloatBox{p, p} : FloatBox{min(box.low, p), max(box.high, p)};
        farthest = std::max(farthest, limit);
        const std::size_t four = count / kLanes, lane = count % kLanes;
        if (lane == 0) points[four] = {}, limits[four] = Lanes{};
        points[four].x[lane] = p.x;
        points[four].y[lane] = p.y;
        points[four].z[lane] = p.z;
        limits[four][lane] = limit;
        vertices[count++] = vertex;
    }
    void find_rest(std::span<const Vec3> places)
    {
        for (std::size_t k = 0; k < count; k += kLanes)
            rest[k / kLanes] =
                gather(places, {vertices[k], vertices[std::min(k + 1, count - 1)], vertices[std::min(k + 2, count - 1)],
                                vertices[std::min(k + 3, count - 1)]});
    }
    /// Which of four are at rest surely nearer to a corner of a triangle than the root of this.
    LaneMask are_beside(std::size_t four, const std::array<Vec3, 3>& corners, float squared) const
    {
        LaneMask beside{};
        for (const Vec3& corner : corners) {
            const Vec3x4 away{rest[four].x - corner.x, rest[four].y - corner.y, rest[four].z - corner.z};
            beside |= dot(away, away) < squared;
        }
        return beside;
    }
    /// Which of four are in a box, or no farther from it than their limits.
    LaneMask near(std::size_t four, const FloatBox& around) const
    {
        const Vec3x4& p = points[four];
        const Lanes by = limits[four];
        return (p.x + by >= around.low.x) & (p.x - by <= around.high.x) & (p.y + by >= around.low.y) &
               (p.y - by <= around.high.y) & (p.z + by >= around.low.z) & (p.z - by <= around.high.z);
    }
};

/// Particles of one node against triangles of another, as they were when the boxes were fitted. Of one body: without
/// those that are neighbours.
void meet_triangles(Side one, const BodySurface::Node& node, Side two, const BodySurface::Node& other,
                    const Nearness& near, std::vector<Candidate>& out)
{
    const BoxLanes zone(zone_of(two, other, 0));
    Clump clump;
    for (std::int32_t v = node.vertices_begin; v < node.vertices_end; ++v) {
        const std::int32_t vertex = one.body.surface->vertices[std::size_t(v)];
        const float limit = std::max(near.in_front + one.stride(vertex), near.behind);
        const Vec3 p = one.reference(vertex);
        if (zone.holds(p, limit)) clump.add(vertex, p, limit);
    }
    if (clump.count == 0) return;
    const BodySurface& surface = *two.body.surface;
    const BoxLanes all(clump.box);
    const bool self = &one.body == &two.body;
    if (self) clump.find_rest(surface.rest);
    const float beside = 0.999f * float(kNeighbourhood * kNeighbourhood) * surface.spacing * surface.spacing;
    for (std::int32_t t = other.triangles_begin; t < other.triangles_end; ++t) {
        const FloatBox& around = two.boxes.triangle_box(std::size_t(t));
        if (!BoxLanes(around).meets(all, clump.farthest)) continue;
        const Int3& corners = surface.triangles[std::size_t(t)];
        std::array<Vec3, 3> rest{};
        for (std::size_t c = 0; self && c < 3; ++c) rest[c] = surface.rest[std::size_t(corners[c])];
        for (std::size_t k = 0; k < clump.count; k += kLanes) {
            LaneMask near_ones = clump.near(k / kLanes, around);
            if (self && bits_of(near_ones) != 0) near_ones &= ~clump.are_beside(k / kLanes, rest, beside);
            for (unsigned bits = bits_of(near_ones); bits != 0; bits &= bits - 1) {
                const std::size_t which = k + std::size_t(std::countr_zero(bits));
                if (which >= clump.count) break;
                if (self && surface.are_neighbours(clump.vertices[which], corners)) continue;
                out.push_back({clump.vertices[which], t});
            }
        }
    }
}

/// Keeps the candidates that are near enough and fills in their `front` and `back`.
void keep_near(Side one, Side two, const Nearness& near, std::vector<Candidate>& candidates)
{
    std::size_t count = 0;
    for (std::size_t k = 0; k < candidates.size(); k += kLanes) {
        std::array<std::int32_t, kLanes> vertex, triangle;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Candidate& candidate = candidates[std::min(k + lane, candidates.size() - 1)];
            vertex[lane] = candidate.vertex;
            triangle[lane] = candidate.triangle;
        }
        const std::span<const Vec3> x = two.boxes.references();
        const Corners4 t(two.body.surface->triangles, triangle);
        const TriangleOffsets4 offset(gather(one.boxes.references(), vertex), gather(x, t.a), gather(x, t.b),
                                      gather(x, t.c));
        const Lanes front = offset.least_distance(), behind = -offset.height - (near.behind - near.slack);
        const Lanes back = larger(offset.beyond, larger(offset.height, behind));
        for (std::size_t lane = 0; lane < kLanes && k + lane < candidates.size(); ++lane) {
            Candidate candidate = candidates[k + lane];
            const float strides = one.stride(vertex[lane]) +
                                  std::max({two.stride(t.a[lane]), two.stride(t.b[lane]), two.stride(t.c[lane])});
            const bool passed = front[lane] > near.in_front + strides || offset.height[lane] < -near.slack;
            candidate.gap = front[lane];
            candidate.inside_gap = back[lane];
            candidates[count] = candidate;
            count += passed && back[lane] > near.slack ? 0 : 1;
        }
    }
    candidates.resize(count);
}

/// Distance of the segments p + s u and q + t v, with s and t from 0 to 1.
float segment_distance(Vec3 p, Vec3 u, Vec3 q, Vec3 v)
{
    const Vec3 between = p - q;
    const float uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), pu = dot(u, between), pv = dot(v, between);
    if (!(uu > 0 && vv > 0)) return 0;
    const float area2 = uu * vv - uv * uv;
    const auto share = [](float x) { return std::clamp(x, 0.0f, 1.0f); };
    float s = area2 > 0 ? share((uv * pv - pu * vv) / area2) : 0.0f;
    const float t = share((uv * s + pv) / vv);
    s = share((uv * t - pu) / uu);
    return length(between + u * s - v * t);
}

/// Sharp edges of two nodes.
void meet_edges(Side one, const BodySurface::Node& node, Side two, const BodySurface::Node& other, const Nearness& near,
                std::vector<Candidate>& out)
{
    if (node.edges_begin == node.edges_end || other.edges_begin == other.edges_end) return;
    const FloatBox zone = zone_of(two, other, near.in_front);
    const auto stride_of = [](Side side, const BodySurface::Edge& edge) {
        return std::max(side.stride(edge.ends[0]), side.stride(edge.ends[1]));
    };
    for (std::int32_t i = node.edges_begin; i < node.edges_end; ++i) {
        const FloatBox& box = one.boxes.edge_box(std::size_t(i));
        if (!zone.meets(box)) continue;
        for (std::int32_t j = other.edges_begin; j < other.edges_end; ++j) {
            if (!box.meets(two.boxes.edge_box(std::size_t(j)), near.in_front)) continue;
            const BodySurface::Edge &a = one.body.surface->edges[std::size_t(i)],
                                    &b = two.body.surface->edges[std::size_t(j)];
            const Vec3 p = one.reference(a.ends[0]), q = two.reference(b.ends[0]);
            const float distance = segment_distance(p, one.reference(a.ends[1]) - p, q, two.reference(b.ends[1]) - q);
            if (distance <= near.in_front + stride_of(one, a) + stride_of(two, b)) out.push_back({i, j, distance});
        }
    }
}

/// Walks two trees together and calls meet(node of a, node of b) where boxes are no more than `apart` from each other.
template <class Meet>
void walk(Side a, std::size_t node_a, Side b, std::size_t node_b, float apart, const Meet& meet)
{
    const FloatBox &box_a = a.boxes.box(node_a), &box_b = b.boxes.box(node_b);
    if (!box_a.meets(box_b, apart)) return;
    const BodySurface::Node &na = a.body.surface->nodes[node_a], &nb = b.body.surface->nodes[node_b];
    if (is_clump(na) && is_clump(nb)) {
        meet(na, nb);
        return;
    }
    const Vec3 size_a = box_a.high - box_a.low, size_b = box_b.high - box_b.low;
    if (is_clump(nb) || (!is_clump(na) && dot(size_a, size_a) >= dot(size_b, size_b))) {
        walk(a, std::size_t(na.child), b, node_b, apart, meet);
        walk(a, std::size_t(na.child) + 1, b, node_b, apart, meet);
    } else {
        walk(a, node_a, b, std::size_t(nb.child), apart, meet);
        walk(a, node_a, b, std::size_t(nb.child) + 1, apart, meet);
    }
}

template <class Meet>
void walk_self(Side side, std::size_t node, float apart, const Meet& meet)
{
    const BodySurface::Node& n = side.body.surface->nodes[node];
    if (is_clump(n)) {
        meet(n, n);
        return;
    }
    walk_self(side, std::size_t(n.child), apart, meet);
    walk_self(side, std::size_t(n.child) + 1, apart, meet);
    walk(side, std::size_t(n.child), side, std::size_t(n.child) + 1, apart, meet);
}

}  // namespace

void find_candidates(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes, NearPair& pair)
{
    pair.a_on_b.clear();
    pair.b_on_a.clear();
    pair.edges.clear();
    const Side a{bodies[std::size_t(pair.a)], boxes[std::size_t(pair.a)]};
    const Side b{bodies[std::size_t(pair.b)], boxes[std::size_t(pair.b)]};
    const Nearness near(a, b);
    pair.closing_distance = near.closing_distance;
    // Boxes have room for slack, strides and drifts.
    const float apart = std::max(near.in_front, near.behind) - near.slack - a.boxes.drift() - b.boxes.drift();
    if (pair.a == pair.b) {
        walk_self(a, 0, apart, [&](const BodySurface::Node& one, const BodySurface::Node& two) {
            meet_triangles(a, one, a, two, near, pair.a_on_b);
            if (&one != &two) meet_triangles(a, two, a, one, near, pair.a_on_b);
        });
    } else {
        walk(a, 0, b, 0, apart, [&](const BodySurface::Node& in_a, const BodySurface::Node& in_b) {
            meet_triangles(a, in_a, b, in_b, near, pair.a_on_b);
            meet_triangles(b, in_b, a, in_a, near, pair.b_on_a);
            meet_edges(a, in_a, b, in_b, near, pair.edges);
        });
    }
    keep_near(a, b, near, pair.a_on_b);
    keep_near(b, a, near, pair.b_on_a);
    std::sort(pair.a_on_b.begin(), pair.a_on_b.end());
    std::sort(pair.b_on_a.begin(), pair.b_on_a.end());
    std::sort(pair.edges.begin(), pair.edges.end());
}

void NearPairs::update(std::span<const ContactBody> bodies, std::span<SurfaceBoxes> boxes)
{
    moved_.resize(bodies.size());
    for_each_task(bodies.size(), [&](std::size_t k) {
        const ContactBody& body = bodies[k];
        moved_[k] = 0;
        if (!takes_part(body) || boxes[k].keep(*body.surface, body.positions_before, body.positions, body.motion.drift))
            return;
        boxes[k].fit(*body.surface, body.positions_before, body.positions, body.motion.drift, body.slack());
        moved_[k] = 1;
    });
    if (std::find(moved_.begin(), moved_.end(), 1) != moved_.end()) renew(bodies, boxes);
    for (NearPair& pair : pairs())
        pair.fresh |= approach(bodies[std::size_t(pair.a)], bodies[std::size_t(pair.b)]) > pair.closing_distance;
}

void NearPairs::renew(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes)
{
    find_pairs(bodies, boxes);
    // Old pairs keep their lists unless one of the two moved. Both sequences are sorted; slots are never given back, so
    // that their memory stays.
    pairs_.swap(old_);
    const std::size_t old_count = count_;
    count_ = found_.size();
    if (pairs_.size() < count_) pairs_.resize(count_);
    std::size_t old = 0;
    for (std::size_t k = 0; k < count_; ++k) {
        const auto [a, b] = found_[k];
        while (old < old_count && std::pair(old_[old].a, old_[old].b) < found_[k]) ++old;
        const bool known = old < old_count && std::pair(old_[old].a, old_[old].b) == found_[k];
        if (known) std::swap(pairs_[k], old_[old++]);
        if (!known) pairs_[k].event = {};
        pairs_[k].a = a;
        pairs_[k].b = b;
        pairs_[k].fresh = !known || pairs_[k].fresh || moved_[std::size_t(a)] || moved_[std::size_t(b)];
    }
}

void NearPairs::find_pairs(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes)
{
    order_.resize(bodies.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::erase_if(order_, [&](std::int32_t k) { return !takes_part(bodies[std::size_t(k)]); });
    wide_.resize(bodies.size());
    for (const std::int32_t k : order_)
        wide_[std::size_t(k)] = boxes[std::size_t(k)].whole().widened(bodies[std::size_t(k)].reach());
    const auto box = [&](std::int32_t k) -> const FloatBox& { return wide_[std::size_t(k)]; };
    // Along the axis on which the bodies are spread most.
    Vec3d sum, sum2;
    for (const std::int32_t k : order_) {
        const Vec3d c = ((box(k).low + box(k).high) * 0.5f).as<double>();
        sum += c;
        sum2 += {c.x * c.x, c.y * c.y, c.z * c.z};
    }
    const auto n = double(order_.size());
    const Vec3d spread = sum2 - Vec3d{sum.x * sum.x, sum.y * sum.y, sum.z * sum.z} / n;
    const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
    std::sort(order_.begin(), order_.end(), [&](std::int32_t i, std::int32_t j) {
        const float a = box(i).low[axis], b = box(j).low[axis];
        return a != b ? a < b : i < j;
    });

    found_.clear();
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::int32_t i = order_[k];
        const ContactBody& body = bodies[std::size_t(i)];
        if (body.settings.self) found_.emplace_back(i, i);
        if (!body.settings.bodies) continue;
        for (std::size_t l = k + 1; l < order_.size() && box(order_[l]).low[axis] <= box(i).high[axis]; ++l) {
            const std::int32_t j = order_[l];
            if (box(i).meets(box(j)) && may_meet(bodies, i, j)) found_.emplace_back(std::min(i, j), std::max(i, j));
        }
    }
    std::sort(found_.begin(), found_.end());
}

}  // namespace yawara::contact
