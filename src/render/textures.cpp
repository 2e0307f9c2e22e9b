// Bilinear lookup. Samples of a pixel are spread over it, which does the rest where pictures are seen small.
#include "render/textures.h"

#include <array>
#include <cmath>

namespace yawara::drawing {
namespace {

int wrapped(int at, int size, Wrap wrap)
{
    if (wrap == Wrap::clamp) return std::clamp(at, 0, size - 1);
    const int period = wrap == Wrap::mirror ? 2 * size : size;
    const int inside = (at % period + period) % period;
    return inside < size ? inside : period - 1 - inside;
}

/// Far out, or not a number: numbers of pixels have to fit.
float tame(float x)
{
    return std::abs(x) < 1e4f ? x : 0.0f;
}

template <class Value>
Vec3 between(const Texture& texture, Vec2 uv, Value&& value)
{
    const Image& image = texture.image;
    const float x = tame(uv.x) * float(image.width) - 0.5f, y = (1 - tame(uv.y)) * float(image.height) - 0.5f;
    const float left = std::floor(x), top = std::floor(y), along = x - left, down = y - top;
    const auto pixel = [&](int dx, int dy) {
        const auto column = std::size_t(wrapped(int(left) + dx, image.width, texture.wrap[0]));
        const auto row = std::size_t(wrapped(int(top) + dy, image.height, texture.wrap[1]));
        const std::uint8_t* p = &image.rgba[4 * (row * std::size_t(image.width) + column)];
        return Vec3{value(p[0]), value(p[1]), value(p[2])};
    };
    return mix(mix(pixel(0, 0), pixel(1, 0), along), mix(pixel(0, 1), pixel(1, 1), along), down);
}

}  // namespace

Vec3 texel(const Texture& texture, Vec2 uv)
{
    static const std::array<float, 256> linear = [] {
        std::array<float, 256> table;
        for (std::size_t k = 0; k < table.size(); ++k) table[k] = to_linear(Vec3{float(k) / 255, 0, 0}).x;
        return table;
    }();
    return between(texture, uv, [](std::uint8_t byte) { return linear[byte]; });
}

Vec3 plain_texel(const Texture& texture, Vec2 uv)
{
    return between(texture, uv, [](std::uint8_t byte) { return float(byte) / 255; });
}

}  // namespace yawara::drawing
