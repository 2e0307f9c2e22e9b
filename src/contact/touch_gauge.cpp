#include "contact/touch_gauge.h"

#include <algorithm>

#include "contact/shapes.h"
#include "geometry/closest_point.h"

namespace yawara::contact {
namespace {

/// What a step has brought to a surface lies on it, give or take this share of the spacing.
constexpr float kOnSurface = 0.02f;
/// Bodies touch where contact between them begins, and this share of the spacing before.
constexpr float kNear = 0.05f;
/// A corner of a touched triangle counts as touched from this weight on.
constexpr double kTouchedCorner = 0.2;

/// Particles of `one` on triangles of `two`: marks the particles, the corners of the triangles, or both.
void mark(const ContactBody& one, const ContactBody& two, std::span<const Candidate> candidates, bool particles,
          bool corners, std::span<float> out)
{
    const float within = one.thickness() + two.thickness();
    for (const Candidate& near : candidates) {
        const auto vertex = std::size_t(near.vertex);
        const Int3& t = two.surface->triangles[std::size_t(near.triangle)];
        const auto corner = [&](std::size_t k) { return two.positions[std::size_t(t[k])].as<double>(); };
        const Vec3d p = one.positions[vertex].as<double>();
        const ClosestOnTriangle on = closest_on_triangle(corner(0), corner(1), corner(2), p);
        if (length(p - on.point) > double(within)) continue;
        if (particles) out[vertex] = 1;
        for (std::size_t k = 0; corners && k < 3; ++k)
            if (on.weights[k] >= kTouchedCorner) out[std::size_t(t[k])] = 1;
    }
}

}  // namespace

void TouchGauge::measure(std::span<ContactBody> bodies, std::size_t body, std::span<const Collider> colliders,
                         std::span<float> out)
{
    for (ContactBody& each : bodies) each.settings.thickness = each.thickness() + kNear * each.surface->spacing;
    std::ranges::fill(out, 0.0f);
    const ContactBody& it = bodies[body];
    const double close = double(kOnSurface * it.surface->spacing);
    Box3 box;
    for (const std::int32_t i : it.surface->vertices) box.add(it.positions[std::size_t(i)].as<double>());
    box.low -= Vec3d{close, close, close};
    box.high += Vec3d{close, close, close};
    for (const Collider& collider : colliders) {
        if (is_clear_of(collider, box)) continue;
        for (const std::int32_t i : it.surface->vertices)
            if (sample(collider, it.positions[std::size_t(i)]).distance <= close) out[std::size_t(i)] = 1;
    }
    pairs_.update(bodies, boxes_);
    for (NearPair& pair : pairs_.pairs()) {
        const auto a = std::size_t(pair.a), b = std::size_t(pair.b);
        if (a != body && b != body) continue;
        if (pair.fresh) find_candidates(bodies, boxes_, pair);
        pair.fresh = false;
        mark(bodies[a], bodies[b], pair.a_on_b, a == body, b == body, out);
        if (a != b) mark(bodies[b], bodies[a], pair.b_on_a, b == body, a == body, out);
    }
}

}  // namespace yawara::contact
