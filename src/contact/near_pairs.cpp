// Broad phase: a sweep along one axis over the boxes of bodies, then both trees of a pair walked together.
#include "contact/near_pairs.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>

#include "geometry/closest_point.h"

namespace yawara::contact {
namespace {

bool takes_part(const ContactBody& body)
{
    return body.settings.bodies || body.settings.self;
}

struct Side {
    const ContactBody& body;
    const SurfaceBoxes& boxes;
};

/// How far parts of two bodies may be apart to be listed, m.
struct Nearness {
    float hurry;     ///< good until they come closer by more
    float slack;     ///< how much the way between two particles may have changed since the last fits
    float in_front;  ///< of a triangle what may be about to touch counts, their strides not yet added,
    float behind;    ///< behind it all that may be inside

    Nearness(Side one, Side two)
    {
        const ContactBody &a = one.body, &b = two.body;
        slack = one.boxes.slack() + two.boxes.slack();
        hurry = std::min(with_room(approach(a, b), slack), one.boxes.drift() + two.boxes.drift());
        in_front = a.thickness() + b.thickness() + hurry + slack;
        behind = a.reach() + b.reach() + slack;
    }
    /// For something at a height over the plane of a triangle; `strides` of both.
    float limit(float height, float strides) const
    {
        if (height < -slack) return behind;
        return height > slack ? in_front + strides : std::max(in_front + strides, behind);
    }
};

float stride_of(Side side, const Int3& corners)
{
    return std::max({side.boxes.stride(std::size_t(corners[0])), side.boxes.stride(std::size_t(corners[1])),
                     side.boxes.stride(std::size_t(corners[2]))});
}

/// Particles of one leaf against triangles of another, as they were when the boxes were fitted.
void meet_leaves(Side one, const BodySurface::Node& leaf, Side two, const BodySurface::Node& other,
                 const Nearness& near, bool self, std::vector<Candidate>& out)
{
    // Boxes have room for slack, drift and strides.
    const FloatBox& zone = two.boxes.box(std::size_t(&other - two.body.surface->nodes.data()));
    const float wider = std::max(near.in_front, near.behind) - two.boxes.slack() - two.boxes.drift();
    std::array<std::int32_t, BodySurface::kLeafVertices> vertices;
    std::size_t count = 0;
    for (std::int32_t v = leaf.vertices_begin; v < leaf.vertices_end; ++v) {
        const std::int32_t vertex = one.body.surface->vertices[std::size_t(v)];
        const auto i = std::size_t(vertex);
        if (zone.widened(wider + one.boxes.stride(i)).holds(one.boxes.reference(i))) vertices[count++] = vertex;
    }
    if (count == 0) return;
    for (std::int32_t t = other.triangles_begin; t < other.triangles_end; ++t) {
        const Int3& corners = two.body.surface->triangles[std::size_t(t)];
        const Vec3 a = two.boxes.reference(std::size_t(corners[0])), b = two.boxes.reference(std::size_t(corners[1])),
                   c = two.boxes.reference(std::size_t(corners[2]));
        const FloatBox box{min(a, min(b, c)), max(a, max(b, c))};
        const Vec3 normal = normalized(cross(b - a, c - a));
        const float stride = stride_of(two, corners);
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t vertex = vertices[k];
            const Vec3 p = one.boxes.reference(std::size_t(vertex));
            const float height = dot(normal, p - a),
                        limit = near.limit(height, stride + one.boxes.stride(std::size_t(vertex)));
            if (std::abs(height) > limit || !box.widened(limit).holds(p)) continue;
            const Vec3d nearest =
                closest_on_triangle(a.as<double>(), b.as<double>(), c.as<double>(), p.as<double>()).point;
            if (length(p.as<double>() - nearest) > double(limit)) continue;
            if (self && one.body.surface->are_neighbours(vertex, corners)) continue;
            out.push_back(candidate(vertex, t));
        }
    }
}

/// Sharp edges of two leaves.
void meet_edges(Side one, const BodySurface::Node& leaf, Side two, const BodySurface::Node& other, const Nearness& near,
                std::vector<Candidate>& out)
{
    const auto box_of = [](Side side, const BodySurface::Edge& edge) {
        const auto first = std::size_t(edge.ends[0]), second = std::size_t(edge.ends[1]);
        const Vec3 a = side.boxes.reference(first), b = side.boxes.reference(second);
        return FloatBox{min(a, b), max(a, b)}.widened(std::max(side.boxes.stride(first), side.boxes.stride(second)));
    };
    for (std::int32_t i = leaf.edges_begin; i < leaf.edges_end; ++i) {
        const FloatBox box = box_of(one, one.body.surface->edges[std::size_t(i)]).widened(near.in_front);
        for (std::int32_t j = other.edges_begin; j < other.edges_end; ++j)
            if (box.meets(box_of(two, two.body.surface->edges[std::size_t(j)]))) out.push_back(candidate(i, j));
    }
}

/// Walks two trees together and calls meet(leaf of a, leaf of b) where boxes are no more than `apart` from each other.
template <class Meet>
void walk(Side a, std::size_t node_a, Side b, std::size_t node_b, float apart, const Meet& meet)
{
    const FloatBox &box_a = a.boxes.box(node_a), &box_b = b.boxes.box(node_b);
    if (!box_a.meets(box_b, apart)) return;
    const BodySurface::Node &na = a.body.surface->nodes[node_a], &nb = b.body.surface->nodes[node_b];
    if (na.child < 0 && nb.child < 0) {
        meet(na, nb);
        return;
    }
    const Vec3 size_a = box_a.high - box_a.low, size_b = box_b.high - box_b.low;
    if (nb.child < 0 || (na.child >= 0 && dot(size_a, size_a) >= dot(size_b, size_b))) {
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
    if (n.child < 0) {
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
    pair.hurry = near.hurry;
    // Boxes have room for slack, strides and drifts.
    const float apart = std::max(near.in_front, near.behind) - near.slack - a.boxes.drift() - b.boxes.drift();
    if (pair.a == pair.b) {
        walk_self(a, 0, apart, [&](const BodySurface::Node& one, const BodySurface::Node& two) {
            meet_leaves(a, one, a, two, near, true, pair.a_on_b);
            if (&one != &two) meet_leaves(a, two, a, one, near, true, pair.a_on_b);
        });
    } else {
        walk(a, 0, b, 0, apart, [&](const BodySurface::Node& in_a, const BodySurface::Node& in_b) {
            meet_leaves(a, in_a, b, in_b, near, false, pair.a_on_b);
            meet_leaves(b, in_b, a, in_a, near, false, pair.b_on_a);
            meet_edges(a, in_a, b, in_b, near, pair.edges);
        });
    }
    std::sort(pair.a_on_b.begin(), pair.a_on_b.end());
    std::sort(pair.b_on_a.begin(), pair.b_on_a.end());
    std::sort(pair.edges.begin(), pair.edges.end());
}

void NearPairs::update(std::span<const ContactBody> bodies, std::span<SurfaceBoxes> boxes)
{
    moved_.resize(bodies.size());
    tbb::parallel_for(std::size_t{0}, bodies.size(), [&](std::size_t k) {
        const ContactBody& body = bodies[k];
        moved_[k] = 0;
        if (!takes_part(body) || boxes[k].keep(*body.surface, body.positions_before, body.positions, body.motion.drift))
            return;
        boxes[k].fit(*body.surface, body.positions_before, body.positions, body.motion.drift, body.slack());
        moved_[k] = 1;
    });
    if (std::find(moved_.begin(), moved_.end(), 1) != moved_.end()) renew(bodies, boxes);
    for (NearPair& pair : pairs())
        pair.fresh |= approach(bodies[std::size_t(pair.a)], bodies[std::size_t(pair.b)]) > pair.hurry;
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
            if (bodies[std::size_t(j)].settings.bodies && box(i).meets(box(j)))
                found_.emplace_back(std::min(i, j), std::max(i, j));
        }
    }
    std::sort(found_.begin(), found_.end());
}

}  // namespace yawara::contact
