// The camera: pixels and rays agree, and framing keeps boxes in view.
#include <doctest/doctest.h>

#include "render/view.h"

using namespace yawara;

namespace {

Look sized(int width, int height)
{
    Look look;
    look.width = width;
    look.height = height;
    return look;
}

}  // namespace

TEST_CASE("a point on a pixel's ray is drawn at that pixel")
{
    const drawing::View view = drawing::make_view({{1, 2, 7}, {0.5f, 0, -1}, 50}, sized(80, 60)).value();
    for (const Vec2 place : {Vec2{0, 0}, {80, 60}, {33.25f, 7.5f}}) {
        const Vec2 again = view.pixel(view.eye + view.direction(place.x, place.y) * 3.7f);
        CHECK(again.x == doctest::Approx(place.x).epsilon(1e-4));
        CHECK(again.y == doctest::Approx(place.y).epsilon(1e-4));
    }
}

TEST_CASE("the vertical field of view spans the picture's height")
{
    const drawing::View view = drawing::make_view({{0, 0, 5}, {0, 0, 0}, 40}, sized(300, 100)).value();
    const float angle = std::acos(dot(view.direction(150, 0), view.direction(150, 100)));
    CHECK(angle * 180 / 3.14159265f == doctest::Approx(40).epsilon(1e-4));
}

TEST_CASE("a camera that looks straight down still has a picture")
{
    const drawing::View view = drawing::make_view({{0, 5, 0}, {0, 0, 0}, 40}, sized(10, 10)).value();
    CHECK(is_finite(view.direction(1, 2)));
    CHECK(length(cross(view.right, view.up)) == doctest::Approx(1));
}

TEST_CASE("framed boxes lie inside the picture, with a margin, and fill it")
{
    const std::vector<std::vector<Box3>> scenes = {
        {{{-1, 0, -1}, {1, 2, 1}}},
        {{{-4, 0, -0.2}, {4, 0.4, 0.2}}},
        {{{0, 0, 0}, {0.1, 6, 0.1}}},
        {{{100, 50, 30}, {100.5, 50.5, 30.5}}, {{98, 50, 30}, {98.2, 51, 31}}},
    };
    for (const auto& boxes : scenes)
        for (const Vec2 size : {Vec2{960, 540}, {400, 400}, {300, 700}})
            for (const float angle : {20.0f, 32.0f, 60.0f}) {
                const Camera camera = frame_action(boxes, size.x / size.y, angle);
                const Look look = sized(static_cast<int>(size.x), static_cast<int>(size.y));
                const drawing::View view = drawing::make_view(camera, look).value();
                float widest = 0;
                for (const Box3& box : boxes)
                    for (int corner = 0; corner < 8; ++corner) {
                        const Vec3 p = Vec3d{corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                                             corner & 4 ? box.high.z : box.low.z}
                                           .as<float>();
                        REQUIRE(dot(p - view.eye, view.forward) > 0);
                        const Vec2 place = view.pixel(p);
                        const float x = std::abs(2 * place.x / size.x - 1), y = std::abs(2 * place.y / size.y - 1);
                        CHECK(x < 0.86f);
                        CHECK(y < 0.86f);
                        widest = std::max({widest, x, y});
                    }
                CHECK(widest > 0.7f);
                CHECK(camera.eye.y > camera.target.y);
            }
}

TEST_CASE("framing nothing, a point, and nonsense gives a usable camera")
{
    const Box3 empty, point{{1, 2, 3}, {1, 2, 3}}, endless{{-INFINITY, 0, 0}, {1, 1, 1}};
    for (const std::vector<Box3>& boxes : {std::vector<Box3>{}, {empty}, {point}, {endless}})
        for (const float aspect : {0.0f, 1.5f, NAN}) CHECK(drawing::make_view(frame_action(boxes, aspect), Look{}));
}

TEST_CASE("a close-up keeps the direction of view, fills two thirds of the picture, and never goes back")
{
    std::vector<Vec3> ball;
    for (int k = 0; k < 400; ++k) {
        const float a = 0.5f * static_cast<float>(k), y = static_cast<float>(k) / 200 - 1;
        ball.push_back(Vec3{2, 1, 0} + Vec3{std::cos(a) * std::sqrt(1 - y * y), y, std::sin(a) * std::sqrt(1 - y * y)});
    }
    const auto extent = [&](const Camera& camera) {
        const drawing::View view = drawing::make_view(camera, sized(960, 540)).value();
        Vec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
        for (const Vec3& p : ball) {
            const Vec2 place = view.pixel(p);
            low = {std::min(low.x, place.x), std::min(low.y, place.y)};
            high = {std::max(high.x, place.x), std::max(high.y, place.y)};
        }
        return std::pair{low, high};
    };
    const Camera far{{0, 2, 9}, {0, 0, 0}, 40};
    const Camera near = close_up(far, ball, 960.0f / 540.0f);
    CHECK(dot(normalized(near.target - near.eye), normalized(far.target - far.eye)) == doctest::Approx(1));
    const auto [low, high] = extent(near);
    CHECK(high.y - low.y == doctest::Approx(0.68 * 540).epsilon(0.02));
    CHECK(0.5f * (low.y + high.y) == doctest::Approx(270).epsilon(0.02));
    CHECK(0.5f * (low.x + high.x) == doctest::Approx(480).epsilon(0.02));

    SUBCASE("a camera that is inside of what it shows stays")
    {
        const Camera inside{{2, 1, 0.5f}, {2, 1, 0}, 40};
        CHECK(close_up(inside, ball, 1.5f).eye == inside.eye);
    }
    SUBCASE("something tiny keeps its surroundings")
    {
        const Camera distant{{0, 20, 90}, {0, 0, 0}, 40};
        CHECK(length(close_up(distant, ball, 1.5f).eye - Vec3{2, 1, 0}) > 30);
    }
    SUBCASE("nothing to see changes nothing")
    {
        CHECK(close_up(far, {}, 1.5f).eye == far.eye);
        CHECK(close_up(far, ball, NAN).eye == far.eye);
    }
}
