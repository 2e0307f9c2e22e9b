// Light and material. All colours are linear; there is no unit but "one is white in the open".
#include "render/light.h"

#include <array>
#include <numbers>

namespace yawara::drawing {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

/// Two axes that complete a unit vector (Duff and others 2017).
std::pair<Vec3, Vec3> completed(Vec3 n)
{
    const float sign = std::copysign(1.0f, n.z);
    const float a = -1 / (sign + n.z), b = n.x * n.y * a;
    return {{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}

}  // namespace

Vec2 on_disk(Vec2 sample)
{
    const float x = 2 * sample.x - 1, y = 2 * sample.y - 1;
    const bool wide = x * x > y * y;
    const float radius = wide ? x : y, across = wide ? y : x;
    if (radius == 0) return {};
    // Sine and cosine up to 45 degrees, by their series.
    const float a = kPi / 4 * across / radius, a2 = a * a;
    const float sine = radius * a * (1 - a2 * (1 / 6.0f - a2 * (1 / 120.0f)));
    const float cosine = radius * (1 - a2 * (0.5f - a2 * (1 / 24.0f - a2 * (1 / 720.0f))));
    return {wide ? cosine : sine, wide ? sine : cosine};
}

namespace {

/// Saturated version of a colour: light that went through the body.
Vec3 steeped(Vec3 color)
{
    const float brightest = std::max({color.x, color.y, color.z, 1e-6f});
    const Vec3 relative = color / brightest;
    return times(color, mix({1, 1, 1}, relative, 0.7f));
}

/// How a finish differs from plain, soft plastic.
struct FinishTraits {
    float gloss = 1;      ///< factor of the gloss
    float coat = 0;       ///< of a clear film over all
    float sheen = 1;      ///< of the mirrored sky
    float deep = 0.40f;   ///< cosine to the light from which on light came through the body
    Vec3 blood{1, 1, 1};  ///< colour of light that came through, beyond the body's own
    float fuzz = 0;       ///< light that hairs at the rim scatter towards the eye
};
constexpr std::array<FinishTraits, kFinishNames.size()> kTraits{{
    {},                                             // plain
    {0, 0, 0.3f, 0.40f, {1, 1, 1}},                 // chalk
    {0.3f, 0, 0.6f, 0.40f, {1, 1, 1}},              // rubber
    {0.7f, 0.12f, 1, 0.75f, {1, 0.62f, 0.58f}},     // flesh
    {1, 0.85f, 1, 0.60f, {1, 0.75f, 0.72f}},        // wet
    {1, 0.90f, 1, 0.90f, {1, 1, 1}},                // jelly
    {1, 1, 1, 0.40f, {1, 1, 1}},                    // glass
    {0.8f, 0.12f, 0.8f, 0.30f, {1, 0.9f, 0.8f}},    // wood
    {0, 0, 0, 0.55f, {1, 1, 1}, 0.9f},              // cloth
    {0.5f, 0.05f, 0.9f, 0.45f, {1, 0.55f, 0.45f}},  // skin
    {0.8f, 0.25f, 1, 0.90f, {1, 1, 1}},             // gelatin
}};

}  // namespace

Studio::Studio()
{
    to_key = normalized(Vec3{-0.42f, 0.95f, 0.58f});
    std::tie(key_side, key_up) = completed(to_key);
    sky_middle = {0.245f, 0.265f, 0.300f};
    sky_rise = {0.095f, 0.105f, 0.120f};
    key = (Vec3{1, 1, 1} - open_sky({0, 1, 0})) / to_key.y;
}

Vec3 Studio::key_direction(Vec2 sample) const
{
    const Vec2 place = on_disk(sample);
    return normalized(to_key + (key_side * place.x + key_up * place.y) * key_radius);
}

Vec3 cosine_direction(Vec3 normal, Vec2 sample)
{
    const Vec2 place = on_disk(sample);
    const auto [side, up] = completed(normal);
    return side * place.x + up * place.y +
           normal * std::sqrt(std::max(0.0f, 1 - place.x * place.x - place.y * place.y));
}

Vec3 mirrored(const Studio& studio, Vec3 direction)
{
    const Vec3 overhead = Vec3{1.0f, 0.99f, 0.97f} * (1.1f * smooth_step(0.35f, 0.80f, direction.y));
    return studio.sky(direction) * 2.2f + overhead;
}

Shade shade(const Studio& studio, const Substance& substance, Vec3 normal, Vec3 to_eye)
{
    const FinishTraits& traits = kTraits[std::size_t(substance.finish)];
    const Vec3 color = substance.color;
    const float gloss = substance.gloss * traits.gloss;
    const float to_light = dot(normal, studio.to_key);
    const float facing = std::max(dot(normal, to_eye), 1e-3f);

    // Diffuse, wrapped.
    const float wrapped = std::max(0.0f, (to_light + kWrap) / (1 + kWrap));
    const float past = smooth_step(traits.deep, -0.05f, to_light);  // how much of the light here came through the body
    const Vec3 inner = times(steeped(color), traits.blood);
    const float scatters = substance.own * (1 - substance.metal);
    // Hairs of cloth stand off the surface: those at the rim catch light from all around.
    const float rim = std::pow(1 - facing, 2.5f) * traits.fuzz * scatters;
    const Vec3 hairs = mix(color, {1, 1, 1}, 0.35f) * rim;
    const Vec3 diffuse = times(mix(color, inner, past), studio.key) * (wrapped * scatters) +
                         times(hairs, studio.key) * std::max(0.0f, 0.6f + 0.4f * to_light) * 0.5f;

    // Gloss: a GGX lobe widened by the size of the key light, and a mirrored sky.
    const float rough = 0.52f - 0.40f * gloss;
    const Vec3 half = normalized(studio.to_key + to_eye);
    const auto lobe = [&](float roughness) {
        const float alpha2 = std::pow(roughness * roughness + 0.5f * studio.key_radius, 2.0f);
        const float spread = std::pow(std::max(dot(normal, half), 0.0f), 2.0f) * (alpha2 - 1) + 1;
        return alpha2 / (kPi * spread * spread) * std::max(to_light, 0.0f) / (facing + std::max(to_light, 0.05f));
    };
    const float grazing = 1 - facing, edge = grazing * grazing * grazing * grazing * grazing;
    const float fresnel = 0.04f + (0.10f + 0.50f * gloss) * edge;
    const Vec3 mirror = mirrored(studio, normal * (2 * facing) - to_eye);
    const float highlight = gloss * 0.30f * lobe(rough) + traits.coat * 0.10f * lobe(0.05f);
    const Vec3 reflection = mirror * (fresnel * (0.25f + 0.75f * gloss) * traits.sheen +
                                      traits.coat * mirrored_share(std::min(facing, 1.0f)));

    const Vec3 sky = studio.open_sky(normal);
    // A rough metal mirrors all of the sky in front of it, a polished one the place that it faces.
    const Vec3 tint = mix(color, {1, 1, 1}, edge);
    const Vec3 metal = times(tint, mix(mirror, sky * 1.9f, rough / 0.52f)) * substance.metal;
    const Vec3 seen = reflection * (1 - substance.metal) + metal;
    Shade result;
    result.key = diffuse + studio.key * (highlight * (1 - substance.metal)) +
                 times(tint, studio.key) * (0.25f * lobe(rough) * substance.metal);
    result.sky =
        mix(color, inner, 0.2f) * scatters + hairs * 0.8f + Vec3{seen.x / sky.x, seen.y / sky.y, seen.z / sky.z};
    result.open = result.key + times(result.sky, sky);
    return result;
}

}  // namespace yawara::drawing
