// Colours: sRGB to light and back, and the colour maps for values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara::drawing {

inline float to_linear(float srgb)
{
    return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f);
}
inline float to_srgb(float linear)
{
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}
inline Vec3 to_linear(Vec3 srgb)
{
    const Vec3 c = min(max(srgb, Vec3{}), Vec3{1, 1, 1});
    return {to_linear(c.x), to_linear(c.y), to_linear(c.z)};
}
inline float luminance(Vec3 linear)
{
    return dot(linear, Vec3{0.2126f, 0.7152f, 0.0722f});
}
inline Vec3 times(Vec3 a, Vec3 b)
{
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline Vec3 mix(Vec3 a, Vec3 b, float t)
{
    return a + (b - a) * t;
}
inline float smooth_step(float low, float high, float x)
{
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// A colour for every share 0..1, kept as a table.
class ColorMap {
public:
    /// By name: viridis, cividis, coolwarm, turbo.
    static Result<ColorMap> find(std::string_view name);

    Vec3 srgb(float share) const { return at(srgb_, share); }
    Vec3 linear(float share) const { return at(linear_, share); }

private:
    static constexpr int kSteps = 256;
    using Table = std::array<Vec3, kSteps + 1>;

    static Vec3 at(const Table& table, float share)
    {
        const float place = std::clamp(share, 0.0f, 1.0f) * kSteps;
        const int step = std::min(static_cast<int>(place), kSteps - 1);
        return mix(table[step], table[step + 1], place - static_cast<float>(step));
    }

    Table srgb_, linear_;
};

}  // namespace yawara::drawing
