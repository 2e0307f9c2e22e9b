// The tracing loop, tile by tile: eye rays, then rays to the key light, to the sky, and from the floor back to the key.
#include "render/gather.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <optional>

#include "render/clear.h"
#include "render/floors.h"
#include "render/sampling.h"

namespace yawara::drawing {
namespace {

static_assert(kTile * kTile <= kBatch);
constexpr int kQuietSamples = 2;       // of each pixel, for a tile that shows nothing: more would show the same
constexpr float kBounce = 0.62f;       // light a body throws back, as a share of an open white surface
constexpr float kShadedFloor = 0.40f;  // brightness of a shadowed floor seen from a body
constexpr float kLineWidth = 1.1f;     // of the wireframe, pixels
constexpr float kClearShadow = 0.45f;  // of the key light that a clear body takes
constexpr float kSkinDepth = 0.02f;    // of a body's size: how far red light goes in skin before little of it is left
// Mean free paths in skin of green and blue light, against red (Jensen and others 2001, table 1, skin1).
constexpr Vec3 kSkinPaths{1, 0.37f, 0.19f};

/// Where an eye ray arrived.
struct Meeting {
    bool any = false, floor = false;
    Vec3 point;   ///< from where rays go on; lifted onto the smooth surface that the normals pretend
    Vec3 normal;  ///< smooth, towards the eye
    Vec3 facet;   ///< of the triangle itself, towards the eye
    float distance = 0;
    Shade shade;
    std::int32_t surface = -1;  ///< -1: none, or a floor
    Vec3 color;                 ///< of the surface
    float gloss = 0;
};

/// Moves a point of a coarse triangle to where the curved surface would be, so that its facets cast no shadow on
/// each other (Hanika 2021).
Vec3 lifted_to_curve(Vec3 point, const Vec3 (&corner)[3], const std::array<Vec3, 3>& normals, float flip,
                     const float (&weight)[3])
{
    Vec3 moved{};
    for (int k = 0; k < 3; ++k) {
        const Vec3 n = normals[k] * flip;
        moved += n * (weight[k] * std::min(0.0f, dot(point - corner[k], n)));
    }
    return point - moved;
}

float edge_distance(Vec2 p, Vec2 a, Vec2 b)
{
    const float dx = b.x - a.x, dy = b.y - a.y;
    const float span = std::sqrt(dx * dx + dy * dy);
    return span > 0 ? std::abs((p.x - a.x) * dy - (p.y - a.y) * dx) / span : 0;
}

/// How much of the wireframe's ink is at a place: full near edges, less where triangles are smaller than the lines. If
/// only some `lines` of the triangle are drawn it is part of a larger face, and has room.
float ink(const View& view, const Vec3 (&corner)[3], unsigned lines, Vec2 place)
{
    if (lines == 0) return 0;
    for (const Vec3& p : corner)
        if (dot(p - view.eye, view.forward) <= 0) return 0;
    const Vec2 a = view.pixel(corner[0]), b = view.pixel(corner[1]), c = view.pixel(corner[2]);
    float nearest = 1e30f;
    if (lines & 1) nearest = std::min(nearest, edge_distance(place, a, b));
    if (lines & 2) nearest = std::min(nearest, edge_distance(place, b, c));
    if (lines & 4) nearest = std::min(nearest, edge_distance(place, c, a));
    const float area = std::abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
    const float room = lines == 7 ? std::clamp(std::sqrt(area) / (12 * kLineWidth), 0.0f, 1.0f) : 1.0f;
    return 0.75f * room * (1 - smooth_step(0.5f * kLineWidth - 0.4f, 0.5f * kLineWidth + 0.4f, nearest));
}

/// What a floor at a distance from the eye keeps of its own look; the rest is the backdrop's.
float unfaded(const View& view, float distance)
{
    return 1 - smooth_step(kFadeStart * view.distance, kFadeEnd * view.distance, distance);
}

/// `before`: how far the light had gone before it set out from `origin`.
Meeting meet_floor(const Set& set, const Floor& floor, Vec3 origin, Vec3 direction, float distance, float before,
                   Vec3 behind)
{
    Meeting m;
    m.any = m.floor = true;
    m.distance = before + distance;
    m.point = origin + direction * distance;
    m.normal = m.facet = floor.normal;
    // A level floor in the open has the backdrop's colour; with distance, any floor turns into it.
    const float stay = unfaded(set.view, m.distance);
    const Vec3 key = set.studio.key * std::max(0.0f, dot(floor.normal, set.studio.to_key));
    const Vec3 open = key + set.studio.open_sky(floor.normal);
    m.shade.key = times(behind, key) * stay;
    m.shade.sky = behind * stay;
    m.shade.open = mix(behind, times(behind, open), stay);
    return m;
}

Meeting meet_surface(const Set& set, const Hit& hit, Vec3 direction, float before, Vec2 place, float time)
{
    const Surface& surface = set.stage.surfaces[hit.surface];
    const Int3& triangle = surface.triangles[hit.triangle];
    const Vec3 corner[3] = {surface.position(triangle[0], time), surface.position(triangle[1], time),
                            surface.position(triangle[2], time)};
    const float weight[3] = {1 - hit.u - hit.v, hit.u, hit.v};

    Meeting m;
    m.any = true;
    m.distance = before + hit.distance;
    m.facet = normalized(cross(corner[1] - corner[0], corner[2] - corner[0]));
    const float flip = dot(m.facet, direction) > 0 ? -1.0f : 1.0f;
    m.facet = m.facet * flip;
    m.normal = surface.bumped(hit.triangle, hit.u, hit.v, surface.normal(hit.triangle, hit.u, hit.v)) * flip;
    const Vec3 flat = corner[0] * weight[0] + corner[1] * weight[1] + corner[2] * weight[2];
    m.point = lifted_to_curve(flat, corner, surface.normals[hit.triangle], flip, weight);
    Vec3 color = surface.color(hit.triangle, hit.u, hit.v, set.stage.map.get());
    if (surface.wireframe) {
        const unsigned lines = surface.lines.empty() ? 7 : surface.lines[hit.triangle];
        color = color * (1 - ink(set.view, corner, lines, place));
    }
    m.gloss = surface.gloss_at(hit.triangle, hit.u, hit.v);
    const float metal = surface.metal_at(hit.triangle, hit.u, hit.v);
    m.shade = shade(set.studio, {color, m.gloss, surface.finish, 1, metal}, m.normal, -direction);
    m.surface = hit.surface;
    m.color = color;
    return m;
}

/// What stands above the water, or the sky, as its surface mirrors it.
Vec3 mirrored_above(const Set& set, const Ray& ray, const Hit& hit)
{
    if (hit.surface < 0) return mirrored(set.studio, ray.direction);
    const Surface& surface = set.stage.surfaces[hit.surface];
    const Vec3 normal = surface.normal(hit.triangle, hit.u, hit.v);
    const float flip = dot(normal, ray.direction) > 0 ? -1.0f : 1.0f;
    const Vec3 color = surface.color(hit.triangle, hit.u, hit.v, set.stage.map.get());
    const float gloss = surface.gloss_at(hit.triangle, hit.u, hit.v),
                metal = surface.metal_at(hit.triangle, hit.u, hit.v);
    return shade(set.studio, {color, gloss, surface.finish, 1, metal}, normal * flip, -ray.direction).open;
}

/// A meeting below the water as it is seen from above: dimmed, tinted, and under what the surface mirrors.
Meeting seen_through_water(const Set& set, Meeting m, const WaterEntry& entry, float before, float metres,
                           Vec3 reflection, Vec3 behind)
{
    const Vec3 kept = set.water->transmitted(metres) * (1 - entry.mirrored);
    const Vec3 water = times(Vec3{1, 1, 1} * (1 - entry.mirrored) - kept, kDeepWater) + reflection * entry.mirrored;
    const float stay = set.water->endless() ? unfaded(set.view, before) : 1;
    if (!m.any) {
        m.any = true;
        m.distance = before;
        m.point = entry.point;
        m.normal = m.facet = entry.normal;
        m.shade = {behind, {}, {}};
    }
    m.floor = false;
    m.shade.open = mix(behind, times(m.shade.open, kept) + water, stay);
    m.shade.key = times(m.shade.key, kept) * stay;
    m.shade.sky = times(m.shade.sky, kept) * stay;
    return m;
}

bool alike(const Layer& layer, const Meeting& m, float pixel_size)
{
    return layer.floor == m.floor && dot(layer.normal, m.normal) > 0.8f &&
           std::abs(dot(layer.normal, m.point - layer.point)) < 4 * pixel_size;
}

/// Both layers of a pixel, and its backdrop, as sums while samples come in.
struct Sums {
    Layer layers[2];
    Vec3 backdrop;

    void add(const Meeting& m, float hidden, Vec3 occlusion, float pixel_size)
    {
        Layer& layer = layer_for(m, pixel_size);
        if (layer.weight == 0) {
            layer.floor = m.floor;
            layer.point = m.point;
            layer.normal = m.normal;
            layer.distance = m.distance;
        }
        const float light = luminance(occlusion);
        layer.weight += 1;
        layer.open += m.shade.open;
        layer.key += m.shade.key;
        layer.sky += m.shade.sky;
        layer.shadow += hidden;
        layer.occlusion += occlusion;
        layer.shadow_squared += hidden * hidden;
        layer.occlusion_squared += light * light;
    }

    /// Sums become means, and the larger layer comes first.
    void average(int samples)
    {
        if (layers[1].weight > layers[0].weight) std::swap(layers[0], layers[1]);
        const float share = 1 / static_cast<float>(samples);
        backdrop *= share;
        for (Layer& layer : layers) {
            if (layer.weight == 0) continue;
            const float scale = 1 / layer.weight;
            layer.shadow *= scale;
            layer.occlusion *= scale;
            layer.shadow_squared *= scale;
            layer.occlusion_squared *= scale;
            layer.weight *= share;
            layer.open *= share;
            layer.key *= share;
            layer.sky *= share;
        }
    }

private:
    Layer& layer_for(const Meeting& m, float pixel_size)
    {
        for (Layer& layer : layers)
            if (layer.weight == 0 || alike(layer, m, pixel_size)) return layer;
        // A third surface: floors stay with floors.
        return layers[layers[0].floor == m.floor && layers[1].floor != m.floor ? 0 : 1];
    }
};

/// One tile of the picture: all its pixels, one sample of each at a time.
class TileTracer {
public:
    TileTracer(const Set& set, int x0, int x1, int y0, int y1) : set_(set), x0_(x0), columns_(x1 - x0), y0_(y0)
    {
        points_.reserve(kBatch);
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) points_.emplace_back(x, y, set.samples);
        count_ = static_cast<int>(points_.size());
    }

    void run()
    {
        int taken = 0;
        while (taken < samples_needed()) {
            meet(taken);
            trace_key(taken);
            trace_sky(taken);
            for (int i = 0; i < count_; ++i) {
                const Meeting& m = met_[i];
                if (m.any) sums_[i].add(m, hidden_[i], occlusion_[i], set_.view.pixel_size(m.distance));
            }
            ++taken;
        }
        for (int i = 0; i < count_; ++i) sums_[i].average(taken);
    }

    void write(Band& band, std::vector<Layer>& seconds) const
    {
        seconds.reserve(std::count_if(sums_.begin(), sums_.begin() + count_,
                                      [](const Sums& sums) { return sums.layers[1].weight > 0; }));
        for (int i = 0; i < count_; ++i) {
            const std::size_t row = static_cast<std::size_t>(y0_ + i / columns_ - band.first_row);
            Pixel& pixel = band.pixels[row * band.width + x0_ + i % columns_];
            pixel.main = sums_[i].layers[0];
            pixel.backdrop = sums_[i].backdrop;
            if (sums_[i].layers[1].weight == 0) continue;
            seconds.push_back(sums_[i].layers[1]);
            pixel.second = &seconds.back();
        }
    }

private:
    /// Open floor and backdrop need few samples. A floor where only the sky is partly hidden changes slowly: half.
    int samples_needed() const
    {
        if (set_.lens > 0 || set_.moving) return set_.samples;  // what blurs may come in with the next one
        const int few = quiet_ ? kQuietSamples : bare_ ? std::max(kQuietSamples, set_.samples / 2) : set_.samples;
        return std::min(few, set_.samples);
    }

    void meet(int sample)
    {
        std::array<Vec2, kBatch> place;
        for (int i = 0; i < count_; ++i) {
            const Vec2 point = points_[i](sample, Purpose::Lens);
            place[i] = {static_cast<float>(x0_ + i % columns_) + point.x,
                        static_cast<float>(y0_ + i / columns_) + point.y};
            times_[i] = set_.moving ? points_[i](sample, Purpose::Shutter).x : 0;
            rays_[i] = {set_.view.eye, 0, set_.view.direction(place[i].x, place[i].y), kFar, times_[i]};
            if (set_.lens > 0) rays_[i] = through_lens(rays_[i], points_[i](sample, Purpose::Aperture));
        }
        set_.rays.nearest(active_rays(), active_hits(), true);
        if (set_.water) enter_water();
        for (int i = 0; i < count_; ++i) {
            const bool solid = hits_[i].surface >= 0;
            if (solid) quiet_ = bare_ = false;
            float distance = solid ? hits_[i].distance : kFar;
            const Ray& ray = rays_[i];
            const Floor* floor = floor_below(set_.stage.floors, ray.origin, ray.direction, distance);
            const Vec3 behind = set_.backdrop.at(place[i].x / static_cast<float>(set_.view.width),
                                                 place[i].y / static_cast<float>(set_.view.height));
            const bool wet = set_.water && entries_[i];
            const float before = wet ? length(entries_[i]->point - set_.view.eye) : 0;
            if (floor && before + distance < kFadeEnd * set_.view.distance)
                met_[i] = meet_floor(set_, *floor, ray.origin, ray.direction, distance, before, behind);
            else if (solid && !floor)
                met_[i] = meet_surface(set_, hits_[i], ray.direction, before, place[i], times_[i]);
            else
                met_[i] = {};
            behind_[i] = behind;
            if (wet)
                met_[i] = seen_through_water(set_, met_[i], *entries_[i], before, std::min(distance, wet_metres_[i]),
                                             reflections_[i], behind);
            else if (!met_[i].any)
                sums_[i].backdrop += behind;
        }
        if (set_.opaque) look_through();
        shine_through(sample);
    }

    /// A ray from another place of the lens to the same point of the plane that is in focus.
    Ray through_lens(const Ray& ray, Vec2 sample) const
    {
        const View& view = set_.view;
        const Vec3 focus = view.eye + ray.direction * (view.distance / dot(ray.direction, view.forward));
        const Vec2 place = on_disk(sample);
        const Vec3 origin = view.eye + (view.right * place.x + view.up * place.y) * set_.lens;
        return {origin, 0, normalized(focus - origin), kFar, ray.time};
    }

    /// Adds the key light that arrives at the far side of skin: it dims with the way through the body, blue sooner than
    /// red.
    void shine_through(int sample)
    {
        std::array<Ray, kBatch> inside;
        std::array<Hit, kBatch> exits;
        std::array<std::uint8_t, kBatch> shaded;
        const auto active = [&](auto& all) { return std::span(all).first(static_cast<std::size_t>(count_)); };
        bool any = false;
        for (int i = 0; i < count_; ++i) {
            inside[i].far = -1;
            const Meeting& m = met_[i];
            if (m.surface < 0 || set_.stage.surfaces[std::size_t(m.surface)].finish != Finish::skin) continue;
            if (dot(m.facet, set_.studio.to_key) >= 0) continue;
            inside[i] = {m.point - m.facet * lift(set_.view, m.point), 0,
                         set_.studio.key_direction(points_[i](sample, Purpose::Light)), kFar, times_[i]};
            any = true;
        }
        if (!any) return;
        set_.rays.nearest(active(inside), active(exits), true);
        std::array<Vec3, kBatch> arrives;
        for (int i = 0; i < count_; ++i) {
            if (inside[i].far < 0) continue;
            const Meeting& m = met_[i];
            if (exits[i].surface != m.surface) {
                inside[i].far = -1;
                continue;
            }
            const Surface& surface = set_.stage.surfaces[std::size_t(m.surface)];
            const float depth = exits[i].distance / (kSkinDepth * surface.size);
            const Vec3 kept{std::exp(-depth / kSkinPaths.x), std::exp(-depth / kSkinPaths.y),
                            std::exp(-depth / kSkinPaths.z)};
            const float begins = smooth_step(0, -0.25f, dot(m.normal, set_.studio.to_key));
            arrives[i] = times(times(m.color, kept), set_.studio.key) * (0.5f * begins);
            const Vec3 out = inside[i].origin + inside[i].direction * exits[i].distance;
            inside[i].origin = out + inside[i].direction * lift(set_.view, out);
        }
        set_.rays.blocked(active(inside), active(shaded));
        for (int i = 0; i < count_; ++i)
            if (inside[i].far > 0 && !shaded[i]) met_[i].shade.open += arrives[i];
    }

    /// Adds what is seen through clear bodies to what they show themselves. Under water they are not clear.
    void look_through()
    {
        std::array<ClearEntry, kBatch> entries;
        bool any = false;
        for (int i = 0; i < count_; ++i) {
            const Meeting& m = met_[i];
            if (m.surface < 0 || !set_.stage.surfaces[std::size_t(m.surface)].is_clear()) continue;
            if (set_.water && entries_[i]) continue;
            const Vec3 flat = rays_[i].origin + rays_[i].direction * hits_[i].distance;  // not lifted: rays go inwards
            entries[i] = {true, flat, m.normal, m.facet, rays_[i].direction, m.surface, m.color, behind_[i], times_[i]};
            any = true;
        }
        if (!any) return;
        std::array<Transmission, kBatch> through;
        const auto count = static_cast<std::size_t>(count_);
        transmit(set_, std::span(entries).first(count), std::span(through).first(count));
        for (int i = 0; i < count_; ++i) {
            if (!entries[i].any) continue;
            Meeting& m = met_[i];
            const Surface& surface = set_.stage.surfaces[std::size_t(m.surface)];
            m.shade =
                shade(set_.studio, {m.color, m.gloss, surface.finish, through[i].own}, m.normal, -rays_[i].direction);
            m.shade.open += through[i].light;
        }
    }

    /// Rays that meet the water before anything else are bent there, and meet something else behind it or nothing.
    void enter_water()
    {
        std::array<Hit, kBatch> wet;
        const auto wet_hits = std::span(wet).first(static_cast<std::size_t>(count_));
        set_.water->nearest(active_rays(), wet_hits);
        std::array<Ray, kBatch> bent, up;
        bool any = false;
        for (int i = 0; i < count_; ++i) {
            entries_[i].reset();
            bent[i].far = up[i].far = -1;
            float distance = hits_[i].surface >= 0 ? hits_[i].distance : kFar;
            const Ray& ray = rays_[i];
            floor_below(set_.stage.floors, ray.origin, ray.direction, distance);
            if (wet[i].surface < 0 || wet[i].distance >= distance) continue;
            entries_[i] = set_.water->entry(ray, wet[i]);
            if (!entries_[i]) continue;
            const WaterEntry& entry = *entries_[i];
            const float out = lift(set_.view, entry.point);
            const Vec3 mirror = normalized(ray.direction - entry.normal * (2 * dot(ray.direction, entry.normal)));
            bent[i] = {entry.point - entry.normal * out, 0, entry.onward, kFar, times_[i]};
            up[i] = {entry.point + entry.normal * out, 0, mirror, kFar, times_[i]};
            any = true;
        }
        if (!any) return;
        quiet_ = bare_ = false;
        const auto active = [&](auto& all) { return std::span(all).first(static_cast<std::size_t>(count_)); };
        set_.water->nearest(active(bent), wet_hits);
        for (int i = 0; i < count_; ++i) wet_metres_[i] = wet[i].surface >= 0 ? wet[i].distance : kFar;
        set_.rays.nearest(active(up), wet_hits, true);
        for (int i = 0; i < count_; ++i)
            if (entries_[i]) reflections_[i] = mirrored_above(set_, up[i], wet[i]);
        set_.rays.nearest(active(bent), wet_hits, true);
        for (int i = 0; i < count_; ++i) {
            if (!entries_[i]) continue;
            rays_[i] = bent[i];
            hits_[i] = wet[i];
        }
    }

    void trace_key(int sample)
    {
        for (int i = 0; i < count_; ++i) {
            rays_[i].far = -1;
            const Meeting& m = met_[i];
            if (!m.any || m.shade.key == Vec3{}) continue;
            // Where light creeps around a body the ray starts further out, or the body would shadow itself there.
            const float creep = m.floor ? 0 : smooth_step(0.25f, -kWrap, dot(m.normal, set_.studio.to_key));
            const float out = lift(set_.view, m.point) + 0.04f * creep * set_.view.distance * set_.view.slope;
            rays_[i] = {m.point + m.facet * out, 0, set_.studio.key_direction(points_[i](sample, Purpose::Light)), kFar,
                        times_[i]};
        }
        std::array<std::uint8_t, kBatch> blocked;
        const auto flags = std::span(blocked).first(static_cast<std::size_t>(count_));
        set_.rays.blocked(active_rays(), flags);
        for (int i = 0; i < count_; ++i) {
            hidden_[i] = blocked[i] ? 1.0f : 0.0f;
            if (blocked[i]) quiet_ = bare_ = false;
        }
        if (!set_.opaque) return;
        set_.opaque->blocked(active_rays(), flags);
        for (int i = 0; i < count_; ++i)
            if (hidden_[i] > 0 && !blocked[i]) hidden_[i] = kClearShadow;
    }

    void trace_sky(int sample)
    {
        for (int i = 0; i < count_; ++i) {
            rays_[i].far = -1;
            const Meeting& m = met_[i];
            if (!m.any) continue;
            const Vec3 direction = cosine_direction(m.normal, points_[i](sample, Purpose::Sky));
            rays_[i] = {m.point + m.facet * lift(set_.view, m.point), 0, direction, kFar, times_[i]};
            if (dot(direction, m.facet) <= 0) rays_[i].far = -1;
        }
        set_.rays.nearest(active_rays(), active_hits(), false);

        std::array<Ray, kBatch> from_floor;
        bool any_floor = false;
        for (int i = 0; i < count_; ++i) {
            occlusion_[i] = {};
            from_floor[i].far = -1;
            if (rays_[i].far < 0) continue;
            const Ray& ray = rays_[i];
            const Hit& hit = hits_[i];
            if (hit.surface >= 0) {
                quiet_ = false;
                const Vec3 color =
                    set_.stage.surfaces[hit.surface].color(hit.triangle, hit.u, hit.v, set_.stage.map.get());
                const Vec3 open = set_.studio.open_sky(-ray.direction);
                occlusion_[i] = times(color, open) * kBounce - set_.studio.sky(ray.direction);
                continue;
            }
            float distance = kFadeEnd * set_.view.distance;
            if (const Floor* floor = floor_below(set_.stage.floors, ray.origin, ray.direction, distance)) {
                const Vec3 point = ray.origin + ray.direction * distance;
                from_floor[i] = {point + floor->normal * lift(set_.view, point), 0, set_.studio.to_key, kFar,
                                 times_[i]};
                any_floor = true;
            }
        }
        if (!any_floor) return;
        std::array<std::uint8_t, kBatch> shaded;
        set_.rays.blocked({from_floor.data(), static_cast<std::size_t>(count_)},
                          {shaded.data(), static_cast<std::size_t>(count_)});
        for (int i = 0; i < count_; ++i)
            if (from_floor[i].far > 0 && shaded[i])
                occlusion_[i] = set_.studio.sky(rays_[i].direction) * (kShadedFloor - 1);
    }

    std::span<const Ray> active_rays() const { return {rays_.data(), static_cast<std::size_t>(count_)}; }
    std::span<Hit> active_hits() { return {hits_.data(), static_cast<std::size_t>(count_)}; }

    const Set& set_;
    int count_ = 0;
    bool bare_ = true;   ///< no body and no shadow so far
    bool quiet_ = true;  ///< and nothing of the sky hidden
    int x0_, columns_, y0_;
    std::array<Sums, kBatch> sums_;
    std::vector<PixelSamples> points_;
    std::array<Ray, kBatch> rays_;
    std::array<Hit, kBatch> hits_;
    std::array<float, kBatch> times_;
    std::array<Meeting, kBatch> met_;
    std::array<std::optional<WaterEntry>, kBatch> entries_;  ///< with water: where the rays went into it
    std::array<float, kBatch> wet_metres_;                   ///< of those: to where they leave it again
    std::array<Vec3, kBatch> reflections_;                   ///< of those: light from what the surface mirrors
    std::array<float, kBatch> hidden_;                       ///< share of the key light that does not arrive
    std::array<Vec3, kBatch> behind_;                        ///< the backdrop
    std::array<Vec3, kBatch> occlusion_;
};

}  // namespace

Vec3 Backdrop::at(float x, float y) const
{
    const float side = x - 0.5f, above = 0.60f - y;
    const float brightness = 1 - 0.22f * side * side - 0.26f * above * above;
    return color * brightness;
}

void gather(const Set& set, Band& band)
{
    const int down = (band.rows + kTile - 1) / kTile, across = (band.width + kTile - 1) / kTile;
    band.seconds.resize(static_cast<std::size_t>(down) * across);
    tbb::parallel_for(std::size_t{0}, band.seconds.size(), [&](std::size_t tile) {
        const int y0 = band.first_row + static_cast<int>(tile) / across * kTile;
        const int x0 = static_cast<int>(tile) % across * kTile;
        const int y1 = std::min(y0 + kTile, band.first_row + band.rows), x1 = std::min(x0 + kTile, band.width);
        TileTracer tracer(set, x0, x1, y0, y1);
        tracer.run();
        tracer.write(band, band.seconds[tile]);
    });
}

}  // namespace yawara::drawing
