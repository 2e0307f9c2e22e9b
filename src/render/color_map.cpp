// The colour maps: seventeen sRGB colours each, joined by Catmull-Rom curves. Within 9/255 of the 256-step originals:
// viridis and cividis (CC0), turbo (Mikhailov 2019), cool-warm (Moreland 2009). Their darkest ends are left out: shading
// needs room below the colours, or a body at one end of its range is a black shape.
#include <fmt/format.h>

#include "render/color.h"

namespace yawara::drawing {
namespace {

using Knots = std::array<std::uint32_t, 17>;

struct NamedKnots {
    std::string_view name;
    float from, to;  ///< part of the published map that is used
    Knots knots;
};

constexpr NamedKnots kMaps[] = {
    {"viridis", 3 / 16.0f, 1,
     {0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26818e, 0x21908c, 0x1f9f88, 0x28ae80,
      0x3ebc74, 0x5dc963, 0x82d34c, 0xabdc32, 0xd5e21a, 0xfde725}},
    {"cividis", 2 / 16.0f, 1,
     {0x00224e, 0x002e6a, 0x1a386f, 0x32436d, 0x434e6c, 0x52596d, 0x61656f, 0x6f7073, 0x7c7b78, 0x8b8778, 0x9b9376,
      0xaba072, 0xbbad6c, 0xccba64, 0xddc958, 0xefd748, 0xfee838}},
    // From warm to cool: low values are contraction, drawn red; high ones are elongation, drawn blue.
    {"coolwarm", 0, 1,
     {0xb40426, 0xcb3e38, 0xde614c, 0xec7f63, 0xf49a7b, 0xf7b194, 0xf5c4ad, 0xecd3c6, 0xdddddd, 0xccd9ee, 0xb8d0f9,
      0xa3c2ff, 0x8db0fe, 0x779af7, 0x6282ea, 0x4e68d7, 0x3b4cc0}},
    {"turbo", 1 / 16.0f, 15 / 16.0f,
     {0x30123b, 0x4040a1, 0x466be3, 0x4293ff, 0x29bbec, 0x18dcc3, 0x31f299, 0x6bfd64, 0xa3fd3c, 0xcced34, 0xedd03a,
      0xfdae35, 0xfb8022, 0xec520f, 0xd23105, 0xac1701, 0x7a0403}},
};

Vec3 unpacked(std::uint32_t color)
{
    return Vec3{static_cast<float>(color >> 16), static_cast<float>((color >> 8) & 255),
                static_cast<float>(color & 255)} /
           255.0f;
}

Vec3 curve(const Knots& knots, float share)
{
    constexpr int kLast = static_cast<int>(std::tuple_size_v<Knots>) - 1;
    const float place = share * kLast;
    const int i = std::min(static_cast<int>(place), kLast - 1);
    const float u = place - static_cast<float>(i);
    const Vec3 b = unpacked(knots[i]), c = unpacked(knots[i + 1]);
    const Vec3 a = i > 0 ? unpacked(knots[i - 1]) : b * 2.0f - c;
    const Vec3 d = i + 2 <= kLast ? unpacked(knots[i + 2]) : c * 2.0f - b;
    const Vec3 bent = (c - a) + (a * 2.0f - b * 5.0f + c * 4.0f - d + ((b - c) * 3.0f + d - a) * u) * u;
    return min(max(b + bent * (0.5f * u), Vec3{}), Vec3{1, 1, 1});
}

}  // namespace

Result<ColorMap> ColorMap::find(std::string_view name)
{
    for (const NamedKnots& known : kMaps) {
        if (known.name != name) continue;
        ColorMap map;
        for (int i = 0; i <= kSteps; ++i) {
            const float share = static_cast<float>(i) / kSteps;
            map.srgb_[i] = curve(known.knots, known.from + (known.to - known.from) * share);
            map.linear_[i] = to_linear(map.srgb_[i]);
        }
        return map;
    }
    return Error{"look.scale.map",
                 fmt::format("\"{}\" is not a colour map; expected viridis, cividis, coolwarm or turbo", name)};
}

}  // namespace yawara::drawing
