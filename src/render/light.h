// The studio: one soft key light from the upper left, a bright sky all around, and what surfaces make of them.
#pragma once

#include "render/color.h"
#include "yawara/look.h"
#include "yawara/mesh.h"

namespace yawara::drawing {

/// Light on a white level floor in the open adds up to one, so a floor shows the colour of the background.
struct Studio {
    Vec3 to_key;                ///< towards the middle of the key light
    Vec3 key_side, key_up;      ///< complete to_key to three axes
    float key_radius = 0.11f;   ///< of the key light: tangent of the angle from its middle to its rim
    Vec3 key;                   ///< light of the key light on a surface that faces it
    Vec3 sky_middle, sky_rise;  ///< radiance towards d is sky_middle + sky_rise d.y

    Studio();
    Vec3 key_direction(Vec2 sample) const;  ///< to a point of the key light, from a pair in the unit square
    Vec3 sky(Vec3 direction) const { return sky_middle + sky_rise * direction.y; }
    /// Cosine-weighted mean of the sky over the half-space of a normal.
    Vec3 open_sky(Vec3 normal) const { return sky_middle + sky_rise * (normal.y * (2.0f / 3.0f)); }
};

/// The look of a point, linear in what is hidden: open - shadow * key + occlusion * sky,
/// where shadow in 0..1 is the hidden share of the key light and occlusion (below zero) the change of light from the
/// sky.
struct Shade {
    Vec3 open, key, sky;
};

/// What a surface is made of.
struct Substance {
    Vec3 color;
    float gloss = 0;
    Finish finish = Finish::plain;
    float own = 1;  ///< share of the light that it scatters itself; the rest goes through
    float metal = 0;  ///< share of it that mirrors in its own colour and scatters nothing
};

/// Diffuse light that creeps past the shadow line and takes up colour there, under a gloss and, if it is wet or clear,
/// under a mirroring coat.
Shade shade(const Studio& studio, const Substance& substance, Vec3 normal, Vec3 to_eye);

/// Share of the light that a smooth clear surface mirrors; `facing` is the cosine of the angle to its normal.
inline float mirrored_share(float facing)
{
    const float grazing = 1 - facing;
    return 0.04f + 0.8f * grazing * grazing * grazing * grazing * grazing;
}

/// What a glossy surface mirrors: the sky, with a large soft light overhead.
Vec3 mirrored(const Studio& studio, Vec3 direction);

/// How far light creeps past the shadow line: cosine of the angle at which a surface gets none.
constexpr float kWrap = 0.30f;

/// A place on the disk of radius one, from a pair in the unit square. Concentric: squares become rings, neighbours stay
/// neighbours.
Vec2 on_disk(Vec2 sample);

/// Direction around a normal with density proportional to the cosine.
Vec3 cosine_direction(Vec3 normal, Vec2 sample);

}  // namespace yawara::drawing
