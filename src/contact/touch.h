// Touches: a surface particle of one body against a triangle of another, or of its own body on another fold.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "contact/body_surface.h"
#include "contact/lanes.h"
#include "contact/rigid_motion.h"
#include "yawara/body.h"
#include "yawara/collider.h"

namespace yawara::contact {

/// A body as contact sees it: after its own step, before others have touched it.
struct ContactBody {
    const BodySurface* surface = nullptr;
    std::span<Vec3> positions, velocities;                      ///< per particle, at the end of the step
    std::span<const Vec3> positions_before, velocities_before;  ///< at its start
    std::span<const float> inverse_masses;                      ///< 1/kg; 0: held, does not yield
    ContactSettings settings;
    std::span<const Collider> colliders{};    ///< obstacles that it meets
    std::span<const std::int32_t> ignored{};  ///< bodies that it passes through, sorted
    SurfaceMotion motion{};                   ///< in the step
    std::span<const Vec3> references;         ///< per particle: its position when candidates were last listed, m
    float moved = 0;       ///< m: largest distance of a particle from its reference, at the start of the step
    bool asleep = false;   ///< does not move; others bump into it
    bool pressed = false;  ///< obstacles moved some of its particles
    bool swift = false;    ///< obstacles have not answered its displacement yet
    /// Made of finite elements: it has many turns in a step, so that what pushes its surface soon moves all of it.
    bool follows = false;
    /// m/s: impacts faster than this are taken as of a rigid body, see Strikes.
    float strike_speed = std::numeric_limits<float>::infinity();
    RigidMotion* rigid = nullptr;  ///< of a rigid body: how it moves and yields as a whole, at the end of the step

    /// How far from the triangles the surface of the body begins, m.
    float thickness() const { return settings.thickness > 0 ? settings.thickness : surface->thickness; }
    /// How deep a particle may be inside and still be brought out through the nearest triangle, m.
    float reach() const { return thickness() + 0.15f * surface->spacing; }
    /// Has thin parts, whose ribs may undo the displacement of particles that nothing touches.
    bool thin() const { return !surface->ribs.empty(); }
    /// How far particles may move until boxes are fitted and candidates listed again, m.
    float slack() const { return 0.1f * surface->spacing; }
};

/// Whether two different bodies can touch.
inline bool may_meet(std::span<const ContactBody> bodies, std::int32_t a, std::int32_t b)
{
    const ContactBody &one = bodies[std::size_t(a)], &other = bodies[std::size_t(b)];
    return one.settings.bodies && other.settings.bodies && one.settings.filter.meets(other.settings.filter) &&
           !std::binary_search(one.ignored.begin(), one.ignored.end(), b);
}

/// A surface particle and a triangle, or two edges, that may touch soon.
struct Candidate {
    std::int32_t vertex, triangle;  ///< or, in a list of edges: edge of the first body, edge of the second
    /// Lower bounds from when the list was made, m. `gap`: distance between particle and triangle; `inside_gap`: how
    /// far the particle was from counting as inside. Both change by no more than the two move.
    float gap = 0, inside_gap = 0;

    friend bool operator<(const Candidate& a, const Candidate& b)
    {
        return a.vertex != b.vertex ? a.vertex < b.vertex : a.triangle < b.triangle;
    }
};

/// How much closer the mean motions of two bodies bring them in a step, at most, m. If one has thin parts: also in case
/// the other stops.
inline float approach(const ContactBody& a, const ContactBody& b)
{
    const float closer = length(a.motion.drift - b.motion.drift);
    return a.thin() || b.thin() ? std::max({closer, length(a.motion.drift), length(b.motion.drift)}) : closer;
}

struct Touch {
    std::array<std::int32_t, 4> particles;  ///< first those of the one body, then those of the other
    std::array<float, 4> weights;  ///< of the particles in (point of the one) - (point of the other): sums 1 and -1
    std::array<float, 4> shares;  ///< displacement of each particle for every metre that the two points are moved apart
    Lanes normal;                 ///< away from the other body
    Lanes friction_shift{};     ///< friction: displacement along the surface, against the slip, in all sweeps so far, m
    float friction_length = 0;  ///< length of it, m
    float move = 0;             ///< displacement along the normal in all sweeps so far, m, never negative
    float goal;                 ///< gap to be reached in this step, m
    float shortfall;            ///< goal minus the gap at the start of the step, m
    float rebound;              ///< speed of separation to be reached, m/s
    float yielding;             ///< 1/kg: metres that the two points move apart for each unit of impulse, kg m
    std::int32_t
        own_count;  ///< how many of the particles are of the one body: 1, particle on triangle; 2, edge on edge
};

/// Of a pair of bodies.
struct TouchLaw {
    float thickness;         ///< of both together, m
    float reach;             ///< particles deeper inside than this do not touch, m: see Overlap
    float push;              ///< most that an overlap from before the step is reduced in it, m
    float part;              ///< the same of an overlap of more than `deep`, m
    float deep;              ///< bodies that overlap by more are not pressed together, but were put there, m
    float closing_distance;  ///< bound of how much closer any particle and triangle of the two came in the step, m
    float friction;
    float restitution;
    bool self;  ///< the same body: only folds count, and only those that just met
};
TouchLaw law_of(const ContactBody& a, const ContactBody& b, bool self, double dt);

/// Candidates whose `gap` was larger, and whose `inside_gap` is more than both have moved since, do not touch, m.
float farthest_gap(const ContactBody& body, const ContactBody& other, const TouchLaw& law);

/// Adds the touches among sorted candidates: particles of `body` against triangles of `other`. At most one for each
/// particle: the triangle that was nearest at the start of the step, when nothing was inside yet, if the step closes
/// the gap; else one that the path of a fast particle crosses.
void find_touches(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                  const TouchLaw& law, std::vector<Touch>& touches);

/// Adds the touches of sharp edges that cross, of `body` and `other`.
void find_edge_touches(const ContactBody& body, const ContactBody& other, std::span<const Candidate> candidates,
                       const TouchLaw& law, std::vector<Touch>& touches);

/// Value at the touched point of the one body minus that of the other, from values per particle.
Vec3 difference(const Touch& touch, std::span<const Vec3> one, std::span<const Vec3> other);

/// The touched point of one of the two bodies, from positions of its particles; `own`: of the one that comes first.
Vec3d point_of(std::span<const Vec3> positions, const Touch& touch, bool own);

/// Fills in what follows from particles, weights and normal of a touch. False if nobody yields.
bool complete(const ContactBody& body, const ContactBody& other, const TouchLaw& law, Touch& touch);

/// How deep a point is below the surface of a body, and the direction of the shortest path out; nothing if it is
/// outside, or less deep than `least`.
struct Depth {
    float depth;  ///< m
    Vec3 out;     ///< unit
};
std::optional<Depth> depth_in(const ContactBody& body, const SurfaceBoxes& boxes, Vec3 point, float least);

}  // namespace yawara::contact
