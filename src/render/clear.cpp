// One way through a clear body: in, out where it ends, and on to whatever lies behind. Where a surface runs through
// itself, what is inside of it twice is left twice: parts of it that lie within the body are not seen. What would be
// reflected inside goes straight on instead, which keeps rims bright.
#include "render/clear.h"

#include <array>

#include "render/floors.h"

namespace yawara::drawing {
namespace {

constexpr float kClearDepth = 0.45f;  // of a body's size: light that went so far through has the body's colour

/// What a clear body is made of.
struct Clearness {
    float index;    ///< of refraction
    float tint;     ///< share of the body's colour in what it lets through
    float dims;     ///< how often the tint is taken on a clear depth
    float milky;    ///< what of a clear depth is scattered rather than let through
    float surface;  ///< what its surface scatters, so that thin rims are seen
};
constexpr Clearness kGlass{1.5f, 0.25f, 1, 0, 0}, kJelly{1.36f, 1, 0.6f, 0.65f, 0.22f},
    kGelatin{1.38f, 1, 0.5f, 2.2f, 0.30f};

const Clearness& clearness(Finish finish)
{
    return finish == Finish::glass ? kGlass : finish == Finish::gelatin ? kGelatin : kJelly;
}

constexpr float kFloorShadow = 0.62f;  // brightness of a shadowed floor seen through a body
constexpr int kMostCrossings = 12;     // of a body's own surface on the way; what is folded more is left there

/// A direction bent by a surface, or the same one where all of it would be mirrored. `normal` is against the direction.
Vec3 bent(Vec3 direction, Vec3 normal, float ratio)
{
    const float facing = -dot(direction, normal);
    const float rest = 1 - ratio * ratio * (1 - facing * facing);
    if (rest <= 0) return direction;
    return normalized(direction * ratio + normal * (ratio * facing - std::sqrt(rest)));
}

Vec3 power(Vec3 color, float exponent)
{
    const auto one = [&](float c) { return std::pow(std::clamp(c, 0.004f, 0.996f), exponent); };
    return {one(color.x), one(color.y), one(color.z)};
}

/// Whether a ray leaves what a triangle encloses.
bool leaves(const Surface& surface, std::int32_t triangle, Vec3 direction)
{
    const Int3& t = surface.triangles[std::size_t(triangle)];
    const Vec3 a = surface.positions[std::size_t(t[0])];
    const Vec3 facet = cross(surface.positions[std::size_t(t[1])] - a, surface.positions[std::size_t(t[2])] - a);
    return dot(facet, direction) > 0;
}

/// Lets rays that meet surfaces of the entered body inside of it go on to where they leave it for good, or meet
/// something else. `within`: metres in the body before the hits.
void cross_folds(const Set& set, std::span<const ClearEntry> entries, std::span<Ray> rays, std::span<Hit> hits,
                 std::span<float> within)
{
    const std::size_t count = entries.size();
    std::array<Ray, kBatch> further;
    std::array<Hit, kBatch> next;
    std::array<int, kBatch> layers;
    layers.fill(1);
    std::fill(within.begin(), within.end(), 0.0f);
    for (int round = 0; round < kMostCrossings; ++round) {
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
            further[i].far = -1;
            if (!entries[i].any || rays[i].far < 0 || hits[i].surface != entries[i].surface || layers[i] == 0) continue;
            const Surface& surface = set.stage.surfaces[std::size_t(entries[i].surface)];
            layers[i] += leaves(surface, hits[i].triangle, rays[i].direction) ? -1 : 1;
            if (layers[i] == 0) continue;
            const Vec3 place = rays[i].origin + rays[i].direction * hits[i].distance;
            further[i] = {place + rays[i].direction * lift(set.view, place), 0, rays[i].direction, kFar, rays[i].time};
            any = true;
        }
        if (!any) return;
        set.rays.nearest(std::span(further).first(count), std::span(next).first(count), true);
        for (std::size_t i = 0; i < count; ++i) {
            if (further[i].far < 0) continue;
            if (next[i].surface < 0) {  // the surface has a hole: it was left here
                layers[i] = 0;
                continue;
            }
            within[i] += hits[i].distance;
            rays[i] = further[i];
            hits[i] = next[i];
        }
    }
}

}  // namespace

void transmit(const Set& set, std::span<const ClearEntry> entries, std::span<Transmission> transmissions)
{
    const std::size_t count = entries.size();
    std::array<Ray, kBatch> rays, shadow_rays;
    std::array<Hit, kBatch> hits;
    std::array<std::uint8_t, kBatch> shaded;
    std::array<Vec3, kBatch> kept;
    std::array<float, kBatch> within;
    const auto active = [&](auto& all) { return std::span(all).first(count); };

    // In, and to the other side.
    for (std::size_t i = 0; i < count; ++i) {
        const ClearEntry& e = entries[i];
        rays[i].far = -1;
        if (!e.any) continue;
        const Clearness& stuff = clearness(set.stage.surfaces[std::size_t(e.surface)].finish);
        const Vec3 inward = bent(e.direction, e.normal, 1 / stuff.index);
        rays[i] = {e.point - e.facet * lift(set.view, e.point), 0, inward, kFar, e.time};
    }
    set.rays.nearest(active(rays), active(hits), true);
    cross_folds(set, entries, active(rays), active(hits), active(within));

    // Out, and on to what is behind.
    for (std::size_t i = 0; i < count; ++i) {
        const ClearEntry& e = entries[i];
        if (!e.any) continue;
        const Surface& surface = set.stage.surfaces[std::size_t(e.surface)];
        const Clearness& stuff = clearness(surface.finish);
        const bool out = hits[i].surface == e.surface;
        const float depth = hits[i].surface >= 0 ? (within[i] + hits[i].distance) / (kClearDepth * surface.size) : 0;
        kept[i] = power(mix({1, 1, 1}, e.color, stuff.tint), stuff.dims * depth);
        transmissions[i].own = 1 - (1 - stuff.surface) * std::exp(-stuff.milky * depth);
        if (hits[i].surface >= 0 && !out) continue;  // something is inside: it is seen below
        if (out) {
            const Vec3 normal = surface.normal(hits[i].triangle, hits[i].u, hits[i].v);
            const Vec3 against = dot(normal, rays[i].direction) > 0 ? -normal : normal;
            const Vec3 place = rays[i].origin + rays[i].direction * hits[i].distance;
            const Vec3 outward = bent(rays[i].direction, against, stuff.index);
            rays[i] = {place - against * lift(set.view, place), 0, outward, kFar, e.time};
        }
    }
    set.rays.nearest(active(rays), active(hits), true);

    for (std::size_t i = 0; i < count; ++i) {
        const ClearEntry& e = entries[i];
        shadow_rays[i].far = -1;
        if (!e.any) continue;
        Vec3 light = e.behind;
        const Ray& ray = rays[i];
        float distance = hits[i].surface >= 0 ? hits[i].distance : kFadeEnd * set.view.distance;
        if (const Floor* floor = floor_below(set.stage.floors, ray.origin, ray.direction, distance)) {
            const Vec3 point = ray.origin + ray.direction * distance;
            shadow_rays[i] = {point + floor->normal * lift(set.view, point), 0, set.studio.to_key, kFar, e.time};
        } else if (hits[i].surface >= 0) {
            const Surface& other = set.stage.surfaces[std::size_t(hits[i].surface)];
            const Vec3 normal = other.normal(hits[i].triangle, hits[i].u, hits[i].v);
            const float flip = dot(normal, ray.direction) > 0 ? -1.0f : 1.0f;
            const Vec3 color = other.color(hits[i].triangle, hits[i].u, hits[i].v, set.stage.map.get());
            const float gloss = other.gloss_at(hits[i].triangle, hits[i].u, hits[i].v);
            const float metal = other.metal_at(hits[i].triangle, hits[i].u, hits[i].v);
            light = shade(set.studio, {color, gloss, other.finish, 1, metal}, normal * flip, -ray.direction).open;
        }
        transmissions[i].light = light;
    }
    set.rays.blocked(active(shadow_rays), active(shaded));
    for (std::size_t i = 0; i < count; ++i) {
        if (!entries[i].any) continue;
        Transmission& t = transmissions[i];
        if (shadow_rays[i].far > 0 && shaded[i]) t.light *= kFloorShadow;
        const float facing = std::clamp(-dot(entries[i].direction, entries[i].normal), 0.0f, 1.0f);
        t.light = times(t.light, kept[i]) * ((1 - t.own) * (1 - mirrored_share(facing)));
    }
}

}  // namespace yawara::drawing
