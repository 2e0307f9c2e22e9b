// Colour maps against colours that are published, and against what they are made for.
#include <doctest/doctest.h>

#include <utility>

#include "render/color.h"

using namespace yawara;
using drawing::ColorMap;

namespace {

/// Parts of the published maps that are used.
constexpr std::pair<float, float> kViridis{3 / 16.0f, 1}, kCividis{2 / 16.0f, 1}, kCoolwarm{0, 1},
    kTurbo{1 / 16.0f, 15 / 16.0f};

/// `published`: share on the whole map.
void check_color(const ColorMap& map, std::pair<float, float> part, float published, int red, int green, int blue, float tolerance)
{
    CAPTURE(published);
    const Vec3 color = map.srgb((published - part.first) / (part.second - part.first)) * 255.0f;
    CHECK(std::abs(color.x - static_cast<float>(red)) <= tolerance);
    CHECK(std::abs(color.y - static_cast<float>(green)) <= tolerance);
    CHECK(std::abs(color.z - static_cast<float>(blue)) <= tolerance);
}

}  // namespace

TEST_CASE("the maps go through the published colours")
{
    // Tenths of the ten-colour palettes that R and matplotlib print.
    const ColorMap viridis = ColorMap::find("viridis").value();
    check_color(viridis, kViridis, 2 / 9.0f, 0x3e, 0x49, 0x89, 4);
    check_color(viridis, kViridis, 4 / 9.0f, 0x26, 0x82, 0x8e, 4);
    check_color(viridis, kViridis, 7 / 9.0f, 0x6e, 0xce, 0x58, 4);
    check_color(viridis, kViridis, 1, 0xfd, 0xe7, 0x25, 1);
    const ColorMap turbo = ColorMap::find("turbo").value();
    check_color(turbo, kTurbo, 2 / 9.0f, 0x36, 0xaa, 0xf9, 5);
    check_color(turbo, kTurbo, 6 / 9.0f, 0xfa, 0xba, 0x39, 5);
    const ColorMap cividis = ColorMap::find("cividis").value();
    check_color(cividis, kCividis, 0.5f, 0x7c, 0x7b, 0x78, 3);
    const ColorMap coolwarm = ColorMap::find("coolwarm").value();
    check_color(coolwarm, kCoolwarm, 0, 180, 4, 38, 1);
    check_color(coolwarm, kCoolwarm, 0.5f, 221, 221, 221, 1);
    check_color(coolwarm, kCoolwarm, 1, 59, 76, 192, 1);
}

TEST_CASE("no colour of a map is so dark that shading could not be seen on it")
{
    for (const char* name : {"viridis", "cividis", "coolwarm", "turbo"}) {
        const ColorMap map = ColorMap::find(name).value();
        for (int i = 0; i <= 100; ++i) CHECK(drawing::luminance(map.linear(static_cast<float>(i) / 100)) > 0.04f);
    }
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
