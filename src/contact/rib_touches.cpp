#include "contact/rib_touches.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace yawara::contact {
namespace {

/// Ribs keep at least this share of their length at rest.
constexpr float kKept = 0.5f;

}  // namespace

void RibTouches::find(const ContactBody& body, float dt, std::vector<std::int32_t>& touched)
{
    law_ = law_of(body, body, true, dt);
    law_.friction = law_.restitution = 0;
    TouchLaw law = law_;
    // However far it is turned inside out, it comes back at the speed of a push: not at once, as what is thrown would.
    law.reach = std::numeric_limits<float>::infinity();
    const std::span<const Vec3> x = body.positions_before;
    for (const std::int32_t i : touched) moved_[std::size_t(i)] = 1;
    for (const Rib& rib : body.surface->ribs) {
        const Int3& corners = body.surface->triangles[std::size_t(rib.triangle)];
        const Vec3 a = x[std::size_t(corners[0])];
        Touch touch{};
        touch.particles = {rib.vertex, corners[0], corners[1], corners[2]};
        touch.weights = {1, -rib.weights[0], -rib.weights[1], -rib.weights[2]};
        touch.own_count = 1;
        const Vec3 n = normalized(cross(x[std::size_t(corners[2])] - a, x[std::size_t(corners[1])] - a));
        touch.normal = to_lanes(n);
        law.thickness = kKept * rib.length;
        const bool may_shorten = std::any_of(touch.particles.begin(), touch.particles.end(),
                                             [&](std::int32_t i) { return moved_[std::size_t(i)] != 0; });
        if ((may_shorten || dot(n, difference(touch, body.positions, body.positions)) < law.thickness) &&
            complete(body, body, law, touch))
            touches_.push_back(touch);
    }
    for (const Touch& touch : touches_)
        for (const std::int32_t i : touch.particles)
            if (body.inverse_masses[std::size_t(i)] > 0 && !std::exchange(moved_[std::size_t(i)], char(1)))
                touched.push_back(i);
    for (const std::int32_t i : touched) moved_[std::size_t(i)] = 0;
}

}  // namespace yawara::contact
