// Broad phase: a sweep along one axis over the boxes of bodies, then both trees of a pair walked together.
#include "contact/near_pairs.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "contact/box_lanes.h"
#include "contact/neighbourhood.h"
#include "contact/triangle_offsets.h"
#include "core/parallel.h"

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

/// Some particles of a node, four at a time.
struct Clump {
    static constexpr std::size_t kMost = 3 * std::size_t(kClump) / kLanes;
    std::array<Vec3x4, kMost> points, rest;  ///< the latter only of folds of one body
    std::array<Lanes, kMost> limits;         ///< how far a triangle may be from each, m
    std::array<Lanes, kMost> strides;        ///< of each, m
    std::array<std::int32_t, kMost * kLanes> vertices;
    std::size_t count = 0;
    FloatBox box{};      ///< of all of them
    float farthest = 0;  ///< of the limits

    void clear()
    {
        count = 0;
        farthest = 0;
    }
    void add(std::int32_t vertex, Vec3 p, float stride, float limit)
    {
        box = count == 0 ? FloatBox{p, p} : FloatBox{min(box.low, p), max(box.high, p)};
        farthest = std::max(farthest, limit);
        const std::size_t four = count / kLanes, lane = count % kLanes;
        if (lane == 0) points[four] = {}, limits[four] = strides[four] = Lanes{};
        points[four].x[lane] = p.x;
        points[four].y[lane] = p.y;
        points[four].z[lane] = p.z;
        limits[four][lane] = limit;
        strides[four][lane] = stride;
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
    thread_local Clump clump;  // to make one anew costs more than to fill it
    clump.clear();
    for (std::int32_t v = node.vertices_begin; v < node.vertices_end; ++v) {
        const std::int32_t vertex = one.body.surface->vertices[std::size_t(v)];
        const float stride = one.stride(vertex), limit = std::max(near.in_front + stride, near.behind);
        const Vec3 p = one.reference(vertex);
        if (zone.holds(p, limit)) clump.add(vertex, p, stride, limit);
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
        const Vec3x4 a = four_times(two.reference(corners[0])), b = four_times(two.reference(corners[1])),
                     c = four_times(two.reference(corners[2]));
        const float stride = std::max({two.stride(corners[0]), two.stride(corners[1]), two.stride(corners[2])});
        for (std::size_t k = 0; k < clump.count; k += kLanes) {
            LaneMask near_ones = clump.near(k / kLanes, around);
            if (self && bits_of(near_ones) != 0) near_ones &= ~clump.are_beside(k / kLanes, rest, beside);
            if (bits_of(near_ones) == 0) continue;
            const TriangleOffsets4 offset(clump.points[k / kLanes], a, b, c);
            const Lanes front = offset.least_distance(), behind = -offset.height - (near.behind - near.slack);
            const Lanes back = larger(offset.beyond, larger(offset.height, behind));
            const LaneMask passed =
                (front > near.in_front + (clump.strides[k / kLanes] + stride)) | (offset.height < -near.slack);
            near_ones &= ~(passed & (back > near.slack));
            for (unsigned bits = bits_of(near_ones); bits != 0; bits &= bits - 1) {
                const auto lane = std::size_t(std::countr_zero(bits));
                if (k + lane >= clump.count) break;
                const std::int32_t vertex = clump.vertices[k + lane];
                if (self && surface.are_neighbours(vertex, corners)) continue;
                out.push_back({vertex, t, front[lane], back[lane]});
            }
        }
    }
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
    constexpr std::size_t kMost = 3 * std::size_t(kClump);
    std::array<std::int32_t, kMost> ours, theirs;
    const auto list = [&](Side of, const BodySurface::Node& from, const BoxLanes& zone, auto& listed) {
        std::size_t count = 0;
        for (std::int32_t e = from.edges_begin; e < from.edges_end; ++e) {
            listed[count] = e;
            count += zone.meets(BoxLanes(of.boxes.edge_box(std::size_t(e))), near.in_front) ? 1 : 0;
        }
        return count;
    };
    const std::size_t our_count = list(one, node, BoxLanes(zone_of(two, other, 0)), ours);
    if (our_count == 0) return;
    const std::size_t their_count = list(two, other, BoxLanes(zone_of(one, node, 0)), theirs);
    const auto stride_of = [](Side side, const BodySurface::Edge& edge) {
        return std::max(side.stride(edge.ends[0]), side.stride(edge.ends[1]));
    };
    for (std::size_t i = 0; i < our_count; ++i) {
        const BoxLanes box(one.boxes.edge_box(std::size_t(ours[i])));
        for (std::size_t j = 0; j < their_count; ++j) {
            if (!box.meets(BoxLanes(two.boxes.edge_box(std::size_t(theirs[j]))), near.in_front)) continue;
            const BodySurface::Edge &a = one.body.surface->edges[std::size_t(ours[i])],
                                    &b = two.body.surface->edges[std::size_t(theirs[j])];
            const Vec3 p = one.reference(a.ends[0]), q = two.reference(b.ends[0]);
            const float distance = segment_distance(p, one.reference(a.ends[1]) - p, q, two.reference(b.ends[1]) - q);
            if (distance <= near.in_front + stride_of(one, a) + stride_of(two, b))
                out.push_back({ours[i], theirs[j], distance, std::numeric_limits<float>::infinity()});
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

/// By particles, then by triangles. Those of a particle mostly come in order.
void sort(std::vector<Candidate>& candidates)
{
    const auto [first, last] =
        std::minmax_element(candidates.begin(), candidates.end(),
                            [](const Candidate& a, const Candidate& b) { return a.vertex < b.vertex; });
    const std::size_t range = candidates.empty() ? 0 : std::size_t(last->vertex - first->vertex) + 1;
    if (range <= 8 * candidates.size()) {
        thread_local std::vector<std::size_t> place;
        thread_local std::vector<Candidate> sorted;
        place.assign(range + 1, 0);
        sorted.resize(candidates.size());
        const std::int32_t begin = candidates.empty() ? 0 : first->vertex;
        for (const Candidate& candidate : candidates) ++place[std::size_t(candidate.vertex - begin) + 1];
        std::partial_sum(place.begin(), place.end(), place.begin());
        for (const Candidate& candidate : candidates)
            sorted[place[std::size_t(candidate.vertex - begin)]++] = candidate;
        std::copy(sorted.begin(), sorted.end(), candidates.begin());
    }
    if (!std::is_sorted(candidates.begin(), candidates.end())) std::sort(candidates.begin(), candidates.end());
}

}  // namespace

void find_candidates(std::span<const ContactBody> bodies, std::span<const SurfaceBoxes> boxes, NearPair& pair)
{
    pair.a_on_b.clear();
    pair.b_on_a.clear();
    pair.edges.clear();
    for (Shortlist* shortlist : {&pair.a_on_b_soon, &pair.b_on_a_soon, &pair.edges_soon}) shortlist->forget();
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
    for (std::vector<Candidate>* list : {&pair.a_on_b, &pair.b_on_a, &pair.edges}) sort(*list);
}

void NearPairs::update(std::span<const ContactBody> bodies, std::span<SurfaceBoxes> boxes)
{
    moved_.resize(bodies.size());
    turned_.resize(bodies.size());
    for_each_task(bodies.size(), [&](std::size_t k) {
        const ContactBody& body = bodies[k];
        moved_[k] = 0;
        if (!takes_part(body) || boxes[k].keep(*body.surface, body.positions_before, body.positions, body.motion.drift))
            return;
        boxes[k].fit(*body.surface, body.positions_before, body.positions, body.motion.drift, body.slack());
        turned_[k] = box_around(*body.surface, boxes[k].references(), boxes[k].strides());
        turned_[k].half += Vec3{1, 1, 1} * (boxes[k].slack() + boxes[k].drift());
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

    in_order_.clear();
    for (const std::int32_t k : order_) in_order_.push_back(box(k));

    found_.clear();
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::int32_t i = order_[k];
        const ContactBody& body = bodies[std::size_t(i)];
        if (body.settings.self) found_.emplace_back(i, i);
        if (!body.settings.bodies) continue;
        const BoxLanes here(in_order_[k]);
        const float end = in_order_[k].high[axis];
        for (std::size_t l = k + 1; l < order_.size() && in_order_[l].low[axis] <= end; ++l) {
            if (!here.meets(BoxLanes(in_order_[l]), 0)) continue;
            const std::int32_t j = order_[l];
            const float apart = body.reach() + bodies[std::size_t(j)].reach();
            if (turned_[std::size_t(i)].meets(turned_[std::size_t(j)], apart) && may_meet(bodies, i, j))
                found_.emplace_back(std::min(i, j), std::max(i, j));
        }
    }
    std::sort(found_.begin(), found_.end());
}

}  // namespace yawara::contact
