// Touches: a surface particle of one body against a triangle of another, or of its own body on another fold.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "contact/body_surface.h"
#include "contact/lanes.h"
#include "yawara/body.h"

namespace yawara::contact {

/// A body as contact sees it: after its own step, before others have touched it.
struct ContactBody {
    const BodySurface* surface = nullptr;
    std::span<Vec3> positions, velocities;                      ///< per particle, at the end of the step
    std::span<const Vec3> positions_before, velocities_before;  ///< at its start
    std::span<const float> inverse_masses;                      ///< 1/kg; 0: held, does not yield
    ContactSettings settings;
    SurfaceMotion motion{};            ///< in the step
    std::span<const Vec3> references;  ///< per particle: where the surface was when candidates were last looked for,
    float moved = 0;                   ///< and how far from there it was at most at the start of the step, m
    bool asleep = false;               ///< does not move; others bump into it
    bool pressed = false;              ///< obstacles moved some of its particles

    /// How far from the triangles the surface of the body begins, m.
    float thickness() const { return settings.thickness > 0 ? settings.thickness : 0.04f * surface->spacing; }
    /// How deep something may be inside and still be brought out by the nearest way, m.
    float reach() const { return thickness() + 0.15f * surface->spacing; }
    /// Has thin parts, whose ribs may take back the way of particles that nothing touches.
    bool thin() const { return !surface->ribs.empty(); }
    /// How far particles may go until boxes and candidates are looked for again, m.
    float slack() const { return 0.1f * surface->spacing; }
};

/// A surface particle and a triangle, or two edges, that may touch soon.
struct Candidate {
    std::int32_t vertex, triangle;  ///< or the edge of the one body and of the other
    /// When the list was made, m: how far they were apart at least, and how far from where the particle counts as
    /// inside. Since then both have changed by no more than the way that the two went.
    float front = 0, back = 0;

    friend bool operator<(const Candidate& a, const Candidate& b)
    {
        return a.vertex != b.vertex ? a.vertex < b.vertex : a.triangle < b.triangle;
    }
};

/// How much closer two bodies come on the whole in a step, at most, m; if one has thin parts, also should one stop.
inline float approach(const ContactBody& a, const ContactBody& b)
{
    const float closer = length(a.motion.drift - b.motion.drift);
    return a.thin() || b.thin() ? std::max({closer, length(a.motion.drift), length(b.motion.drift)}) : closer;
}

struct Touch {
    std::array<std::int32_t, 4> particles;  ///< first those of the one body, then those of the other
    std::array<float, 4> weights;           ///< at the touched points; add up to 1 for the one, to -1 for the other
    std::array<float, 4> shares;            ///< how far each particle goes for the points to part by 1
    Lanes normal;                           ///< away from the other body
    Lanes held{};                           ///< move across the normal so far, against the slip, m
    float held_length = 0;                  ///< m
    float move = 0;                         ///< along the normal so far, m, never negative
    float goal;                             ///< gap to be reached in this step, m
    float lack;                             ///< by so much the gap at its start is less, m
    float rebound;                          ///< speed of separation to be reached, m/s
    std::int32_t own;  ///< how many particles are of the one body: 1, a particle on a triangle; 2, two edges
};

/// Of a pair of bodies.
struct TouchLaw {
    float thickness;  ///< of both together, m
    float reach;      ///< deepest way in that still counts, m
    float push;       ///< most that an old overlap is reduced in a step, m
    float hurry;      ///< farthest that two particles came closer in the step, m
    float friction;
    float restitution;
    bool self;  ///< the same body: only folds count, and only those that just met
};
TouchLaw law_of(const ContactBody& a, const ContactBody& b, bool self, double dt);

/// Adds the touches among sorted candidates: particles of `body` against triangles of `other`. At most one for each
/// particle: the triangle that was nearest at the start of the step, when nothing was inside yet, if the step closes
/// the gap; else one that the way of a fast particle crosses.
void find_touches(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                  const TouchLaw& law, std::vector<Touch>& touches);

/// Adds the touches of sharp edges that cross, of `body` and `other`.
void find_edge_touches(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                       const TouchLaw& law, std::vector<Touch>& touches);

/// Of the touched points, from those of the other body to those of the one, for values per particle.
Vec3 difference(const Touch& touch, std::span<const Vec3> one, std::span<const Vec3> other);

/// Fills in what follows from particles, weights and normal of a touch. False if nobody yields.
bool complete(const ContactBody& body, const ContactBody& other, const TouchLaw& law, Touch& touch);

/// How deep a point is below the surface of a body, and the nearest way out; nothing if it is outside, or less deep
/// than `least`.
struct Depth {
    float depth;  ///< m
    Vec3 out;     ///< unit
};
std::optional<Depth> depth_in(const ContactBody& body, const SurfaceBoxes& boxes, Vec3 point, float least);

}  // namespace yawara::contact
