// Sample points are evenly spread: in a pixel, and over a block of pixels.
#include <doctest/doctest.h>

#include <set>

#include "render/sampling.h"

using namespace yawara;
using namespace yawara::drawing;

namespace {

/// Whether each box of a columns x rows grid over the unit square holds exactly one of the points.
bool one_each(const std::vector<Vec2>& points, int columns, int rows)
{
    std::set<int> seen;
    for (const Vec2 p : points)
        seen.insert(static_cast<int>(p.x * static_cast<float>(columns)) +
                    columns * static_cast<int>(p.y * static_cast<float>(rows)));
    return seen.size() == points.size() && points.size() == static_cast<std::size_t>(columns * rows);
}

}  // namespace

TEST_CASE("the sixteen points of a pixel fill every grid of sixteen boxes")
{
    for (const Purpose purpose : {Purpose::Lens, Purpose::Light, Purpose::Sky})
        for (const auto& [x, y] : {std::pair{0, 0}, {17, 203}, {1000, 5}}) {
            std::vector<Vec2> points;
            const PixelSamples pixel(x, y, 16);
            for (int s = 0; s < 16; ++s) points.push_back(pixel(s, purpose));
            CHECK(one_each(points, 4, 4));
            CHECK(one_each(points, 16, 1));
            CHECK(one_each(points, 2, 8));
        }
}

TEST_CASE("one point each from a block of pixels fills a grid too")
{
    for (const Purpose purpose : {Purpose::Light, Purpose::Sky}) {
        std::vector<Vec2> points;
        for (int y = 8; y < 16; ++y)
            for (int x = 24; x < 32; ++x) points.push_back(PixelSamples(x, y, 1)(0, purpose));
        CHECK(one_each(points, 8, 8));
        CHECK(one_each(points, 64, 1));
    }
}

TEST_CASE("light and sky do not share their points")
{
    const PixelSamples pixel(3, 4, 8);
    for (int s = 0; s < 8; ++s) CHECK(!(pixel(s, Purpose::Light) == pixel(s, Purpose::Sky)));
}
