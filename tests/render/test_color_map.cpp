// Colour maps against colours that are published, and against what they are made for.
#include <doctest/doctest.h>

#include "render/color.h"

using namespace yawara;
using drawing::ColorMap;

namespace {

void check_color(const ColorMap& map, float share, int red, int green, int blue, float tolerance)
{
    CAPTURE(share);
    const Vec3 color = map.srgb(share) * 255.0f;
    CHECK(std::abs(color.x - static_cast<float>(red)) <= tolerance);
    CHECK(std::abs(color.y - static_cast<float>(green)) <= tolerance);
    CHECK(std::abs(color.z - static_cast<float>(blue)) <= tolerance);
}

}  // namespace

TEST_CASE("the maps go through the published colours")
{
    // Tenths of the ten-colour palettes that R and matplotlib print.
    const ColorMap viridis = ColorMap::find("viridis").value();
    check_color(viridis, 0, 0x44, 0x01, 0x54, 1);
    check_color(viridis, 1 / 9.0f, 0x48, 0x28, 0x78, 4);
    check_color(viridis, 4 / 9.0f, 0x26, 0x82, 0x8e, 4);
    check_color(viridis, 7 / 9.0f, 0x6e, 0xce, 0x58, 4);
    check_color(viridis, 1, 0xfd, 0xe7, 0x25, 1);
    const ColorMap turbo = ColorMap::find("turbo").value();
    check_color(turbo, 2 / 9.0f, 0x36, 0xaa, 0xf9, 5);
    check_color(turbo, 6 / 9.0f, 0xfa, 0xba, 0x39, 5);
    const ColorMap cividis = ColorMap::find("cividis").value();
    check_color(cividis, 0.5f, 0x7c, 0x7b, 0x78, 3);
    const ColorMap coolwarm = ColorMap::find("coolwarm").value();
    check_color(coolwarm, 0, 180, 4, 38, 1);
    check_color(coolwarm, 0.5f, 221, 221, 221, 1);
    check_color(coolwarm, 1, 59, 76, 192, 1);
}

TEST_CASE("viridis and cividis grow brighter all the way")
{
    for (const char* name : {"viridis", "cividis"}) {
        const ColorMap map = ColorMap::find(name).value();
        float last = -1;
        for (int i = 0; i <= 100; ++i) {
            const float now = drawing::luminance(map.linear(static_cast<float>(i) / 100));
            CHECK(now > last);
            last = now;
        }
    }
}

TEST_CASE("shares outside 0..1 take the end colours and unknown maps are refused")
{
    const ColorMap map = ColorMap::find("viridis").value();
    CHECK(map.srgb(-5) == map.srgb(0));
    CHECK(map.srgb(7) == map.srgb(1));
    CHECK(!ColorMap::find("Viridis"));
}

TEST_CASE("sRGB to linear and back is the identity")
{
    for (int i = 0; i < 256; ++i) {
        const float value = static_cast<float>(i) / 255;
        CHECK(drawing::to_srgb(drawing::to_linear(value)) == doctest::Approx(value).epsilon(1e-4));
    }
}
