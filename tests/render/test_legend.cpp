// Letters and legends.
#include <doctest/doctest.h>

#include "render/legend.h"
#include "render/stroke_font.h"
#include "shapes.h"

using namespace yawara;
using namespace yawara::drawing;

namespace {

Image white(int width, int height)
{
    return {width, height, std::vector<std::uint8_t>(std::size_t{4} * width * height, 255)};
}

}  // namespace

TEST_CASE("every printable character leaves its own mark inside its own space")
{
    std::vector<std::vector<std::uint8_t>> seen;
    for (char c = '!'; c <= '~'; ++c) {
        CAPTURE(c);
        Image image = white(80, 80);
        const std::string text(1, c);
        draw_text(image, 20, 50, 30, text, {0, 0, 0});
        const float right = 20 + text_width(text, 30);
        int dark = 0, outside = 0;
        for (int y = 0; y < 80; ++y)
            for (int x = 0; x < 80; ++x)
                if (brightness(pixel_at(image, x, y)) < 128) {
                    ++dark;
                    outside += static_cast<float>(x) < 15 || static_cast<float>(x) > right + 5 || y < 12 || y > 63;
                }
        CHECK(dark > 5);
        CHECK(outside == 0);
        CHECK(std::find(seen.begin(), seen.end(), image.rgba) == seen.end());
        seen.push_back(image.rgba);
    }
}

TEST_CASE("text outside the picture and broken UTF-8 are harmless")
{
    Image image = white(8, 8);
    draw_text(image, -500, 4, 10, "far away", {0, 0, 0});
    draw_text(image, 3, 500, 10, "far away", {0, 0, 0});
    CHECK(image.rgba == white(8, 8).rgba);
    draw_text(image, 0, 8, 6, "\xff\xc3\xe2\x88", {0, 0, 0});
    CHECK(text_width("\xc2\xb0", 10) == text_width("°", 10));
    CHECK(text_width("ab", 10) > text_width("a", 10));
}

TEST_CASE("ticks are round numbers inside the range")
{
    const auto texts = [](double low, double high, bool whole = false) {
        std::vector<std::string> result;
        for (const Tick& tick : make_ticks(low, high, whole)) {
            CHECK(tick.value >= std::min(low, high) - 1e-6 * std::abs(high - low));
            CHECK(tick.value <= std::max(low, high) + 1e-6 * std::abs(high - low));
            result.push_back(tick.text);
        }
        return result;
    };
    CHECK(texts(0, 1) == std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
    CHECK(texts(-10, 10) == std::vector<std::string>{"−10", "−5", "0", "5", "10"});
    CHECK(texts(1.3, 0.7) == std::vector<std::string>{"0.7", "0.8", "0.9", "1.0", "1.1", "1.2", "1.3"});
    CHECK(texts(0, 2e6).back() == "2e+06");
    CHECK(texts(0, 3, true) == std::vector<std::string>{"0", "1", "2", "3"});
    CHECK(texts(0, 50, true) == texts(0, 50));
    for (const auto& [low, high] : {std::pair{0.0, 3e-30}, {-3e38, 3e38}, {16777216.0, 16777218.0}}) {
        CHECK(texts(low, high).size() >= 2);
        CHECK(texts(low, high).size() <= 12);
    }
}

TEST_CASE("the legend's bar runs from the low colour at the bottom to the high one at the top")
{
    const ColorMap map = ColorMap::find("viridis").value();
    Image image = white(320, 200);
    draw_legend(image, {"viridis", 0, 1, "strain"}, map);
    // The bar is the only place with the saturated end colours.
    const auto rows_like = [&](Vec3 color) {
        std::vector<int> rows;
        for (int y = 0; y < 200; ++y)
            for (int x = 0; x < 320; ++x)
                if (length(pixel_at(image, x, y) - color * 255.0f) < 12) {
                    rows.push_back(y);
                    break;
                }
        return rows;
    };
    const auto low = rows_like(map.srgb(0)), high = rows_like(map.srgb(1)), middle = rows_like(map.srgb(0.5f));
    REQUIRE(!low.empty());
    REQUIRE(!high.empty());
    REQUIRE(!middle.empty());
    CHECK(high.back() < middle.front());
    CHECK(middle.back() < low.front());

    Image untouched = white(320, 200);
    draw_legend(untouched, {"viridis", 0, 1, ""}, map);
    CHECK(untouched.rgba == white(320, 200).rgba);
}
