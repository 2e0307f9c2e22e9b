// Whole pictures, kept tiny: geometry, light, colours, odd input, and the same bits for any number of threads.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <limits>

#include "render/color.h"
#include "render/view.h"
#include "shapes.h"

using namespace yawara;

namespace {

/// Looks along -z at the origin from five away.
Picture frontal(int width, int height, int samples = 4)
{
    Picture picture;
    picture.camera = {{0, 0, 5}, {0, 0, 0}, 40.0f};
    picture.look.width = width;
    picture.look.height = height;
    picture.look.samples = samples;
    picture.look.ground = false;
    return picture;
}

/// A ball over the ground, light from the upper left.
Picture ball_on_ground(const Shape& ball)
{
    Picture picture;
    picture.meshes = {ball.drawn()};
    picture.camera = {{2, 3, 6}, {0, 0.5f, 0}, 35.0f};
    picture.look.width = 96;
    picture.look.height = 64;
    picture.look.samples = 4;
    return picture;
}

}  // namespace

TEST_CASE("a sphere covers the disc that the camera's geometry predicts")
{
    const Shape ball = make_sphere({0.4f, -0.3f, 0}, 1, 48);
    Picture picture = frontal(120, 90);
    picture.meshes = {ball.drawn()};
    picture.look.transparent = true;
    const Image image = render(picture).value();
    // A direction meets the sphere if its angle to the centre's direction is below asin(radius / distance).
    const Vec3 to_center = Vec3{0.4f, -0.3f, 0} - picture.camera.eye;
    const float limit = std::asin(1 / length(to_center));
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    int wrong = 0, covered = 0;
    for (int y = 0; y < 90; ++y)
        for (int x = 0; x < 120; ++x) {
            const Vec3 d = view.direction(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
            const float angle = std::acos(dot(normalized(to_center), d));
            if (std::abs(angle - limit) < 0.01f) continue;  // the rim is shared
            covered += angle < limit;
            wrong += (alpha_at(image, x, y) == 255) != (angle < limit);
        }
    CHECK(wrong == 0);
    CHECK(covered > 500);
}

TEST_CASE("the ground is darker in the shadow than in the open, and as bright as the background there")
{
    const Shape ball = make_sphere({0, 0.7f, 0}, 0.7f);
    Picture picture = ball_on_ground(ball);
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    const Image image = render(picture).value();
    const auto ground = [&](Vec3 point) {
        const Vec2 place = view.pixel(point);
        return brightness(pixel_at(image, static_cast<int>(place.x), static_cast<int>(place.y)));
    };
    const float shadow = ground({0.75f, 0, -0.55f}), open = ground({-1.6f, 0, 0.5f});
    CHECK(shadow < 0.75f * open);
    CHECK(open > 215);
    picture.meshes.clear();
    const Image empty = render(picture).value();
    CHECK(std::abs(brightness(pixel_at(empty, 48, 40)) - 255 * 0.943f) < 8);
}

TEST_CASE("what is under water is seen where Snell's law has it, tinted, and what is above stays as it is")
{
    const Vec3 place{0, -1.2f, -1.5f};
    const Shape below = make_sphere(place, 0.15f), above = make_sphere({-1.2f, 0.6f, 0}, 0.3f);
    Picture picture;
    picture.meshes = {below.drawn(), above.drawn()};
    for (DrawnMesh& mesh : picture.meshes) mesh.color = {0.9f, 0.1f, 0.1f};
    picture.camera = {{0, 2, 4}, {0, 0, 0}, 45.0f};
    picture.look.width = 160;
    picture.look.height = 120;
    picture.look.samples = 4;
    picture.look.ground_height = -2;
    const Image dry = render(picture).value();
    picture.water = DrawnWater{};
    const Image wet = render(picture).value();
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    const auto at = [&](const Image& image, Vec3 point) {
        const Vec2 p = view.pixel(point);
        return pixel_at(image, static_cast<int>(p.x), static_cast<int>(p.y));
    };
    // Where on the surface a ray from the eye has to be bent to arrive: by bisection along z.
    const Vec3 eye = picture.camera.eye;
    float near = eye.z, far = place.z;
    for (int k = 0; k < 50; ++k) {
        const float z = (near + far) / 2;
        const float in = (eye.z - z) / std::hypot(eye.z - z, eye.y), out = in / 1.33f;
        const float arrives = z + place.y * out / std::sqrt(1 - out * out);
        (arrives > place.z ? near : far) = z;
    }
    const Vec3 bent{0, 0, (near + far) / 2};
    const std::vector<DrawnMesh> both = picture.meshes;
    picture.meshes.erase(picture.meshes.begin());
    const Image without = render(picture).value();
    picture.meshes = both;
    const auto changes = [&](const Image& image, Vec3 point) { return length(at(image, point) - at(without, point)); };
    CHECK(changes(wet, bent) > 20);
    CHECK(changes(wet, place) < 10);
    CHECK(at(dry, place).x > 1.5f * at(dry, place).y);
    CHECK(at(wet, {-1.2f, 0.6f, 0}) == at(dry, {-1.2f, 0.6f, 0}));
    const Vec3 bottom = at(wet, {1, 0, 0});
    CHECK(bottom.x < 0.8f * at(dry, {1, 0, 0}).x);
    CHECK(bottom.z > bottom.x);

    picture.water->box = Box3{{-3, -2, -3}, {0.5, 0, 3}};
    const Image boxed = render(picture).value();
    CHECK(changes(boxed, bent) > 20);
    CHECK(at(boxed, {2.5f, -2, 0.5f}) == at(dry, {2.5f, -2, 0.5f}));
    picture.water->level = std::numeric_limits<double>::quiet_NaN();
    CHECK(render(picture).error().where == "water.level");
}

TEST_CASE("without noise, the ground next to a body turns darker towards it")
{
    const Shape cube = make_cube({0, 0.5f, 0}, 0.5f);
    Picture picture = ball_on_ground(cube);
    picture.look.samples = 16;
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    const Image image = render(picture).value();
    const auto ground = [&](float x) {
        const Vec2 place = view.pixel({x, 0, 0.3f});
        return brightness(pixel_at(image, static_cast<int>(place.x), static_cast<int>(place.y)));
    };
    // On the side of the light only the sky is hidden.
    CHECK(ground(-0.65f) + 2 < ground(-1.0f));
    CHECK(ground(-1.0f) <= ground(-1.8f) + 1);
}

TEST_CASE("values take the colours of the map, in order and in hue")
{
    for (const char* name : {"viridis", "cividis", "coolwarm", "turbo"}) {
        CAPTURE(name);
        const drawing::ColorMap map = drawing::ColorMap::find(name).value();
        for (const float value : {-2.0f, 3.0f, 8.0f}) {
            CAPTURE(value);
            const Shape cube = make_cube({0, 0, 0}, 1);
            const std::vector<float> values(8, value);
            Picture picture = frontal(16, 16);
            picture.meshes = {cube.drawn()};
            picture.meshes[0].values = values;
            picture.meshes[0].gloss = 0;
            picture.look.scale = {name, -2, 8, ""};
            const Vec3 seen = drawing::to_linear(pixel_at(render(picture).value(), 8, 8) / 255.0f);
            const Vec3 meant = map.linear((value + 2) / 10);
            // Light changes how bright a colour is, hardly its direction.
            CHECK(dot(normalized(seen), normalized(meant)) > 0.97f);
        }
    }
}

TEST_CASE("values that are not numbers are drawn grey")
{
    const Shape cube = make_cube({0, 0, 0}, 1);
    const std::vector<float> values(8, std::numeric_limits<float>::quiet_NaN());
    Picture picture = frontal(16, 16);
    picture.meshes = {cube.drawn()};
    picture.meshes[0].values = values;
    const Vec3 seen = pixel_at(render(picture).value(), 8, 8);
    CHECK(std::abs(seen.x - seen.y) < 25);
    CHECK(std::abs(seen.y - seen.z) < 25);
    CHECK(brightness(seen) > 60);
}

TEST_CASE("vertex colours win over the mesh's colour")
{
    const Shape cube = make_cube({0, 0, 0}, 1);
    const std::vector<Vec3> green(8, Vec3{0.1f, 0.8f, 0.1f});
    Picture picture = frontal(16, 16);
    picture.meshes = {cube.drawn()};
    picture.meshes[0].colors = green;
    const Vec3 seen = pixel_at(render(picture).value(), 8, 8);
    CHECK(seen.y > 1.8f * seen.x);
}

TEST_CASE("the same bits come out for 1, 2 and 4 threads")
{
    const Shape ball = make_sphere({0, 0.7f, 0}, 0.7f), cube = make_cube({1.2f, 0.4f, 0}, 0.4f);
    const std::vector<Collider> colliders = {Collider{Plane{}}, Collider{Sphere{{-1.5, 0.3, 0.5}, 0.3}}};
    Picture picture = ball_on_ground(ball);
    picture.meshes.push_back(cube.drawn());
    picture.meshes[1].wireframe = true;
    picture.colliders = colliders;
    std::vector<std::uint8_t> first;
    for (const int threads : {1, 2, 4}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        const Image image = render(picture).value();
        if (first.empty()) first = image.rgba;
        CHECK(image.rgba == first);
    }
}

TEST_CASE("few samples look like many")
{
    const Shape ball = make_sphere({0, 0.7f, 0}, 0.7f);
    Picture picture = ball_on_ground(ball);
    picture.look.samples = 6;
    const Image few = render(picture).value();
    picture.look.samples = 400;
    const Image many = render(picture).value();
    double square = 0;
    for (std::size_t i = 0; i < few.rgba.size(); ++i) {
        const double difference = double(few.rgba[i]) - double(many.rgba[i]);
        square += difference * difference;
    }
    CHECK(std::sqrt(square / static_cast<double>(few.rgba.size())) < 3.5);  // of 255
}

TEST_CASE("transparent pictures keep the shadow as darkness in alpha")
{
    const Shape ball = make_sphere({0, 0.7f, 0}, 0.7f);
    Picture picture = ball_on_ground(ball);
    picture.look.transparent = true;
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    const Image image = render(picture).value();
    const auto alpha = [&](Vec3 point) {
        const Vec2 place = view.pixel(point);
        return alpha_at(image, static_cast<int>(place.x), static_cast<int>(place.y));
    };
    CHECK(alpha({0, 0.8f, 0}) == 255);
    CHECK(alpha({0.75f, 0, -0.55f}) > 60);
    CHECK(alpha({0.75f, 0, -0.55f}) < 250);
    CHECK(alpha({-2.2f, 0, 0.5f}) < 10);
    CHECK(alpha_at(image, 0, 0) == 0);
}

TEST_CASE("a wireframe darkens along edges only")
{
    const Shape cube = make_cube({0, 0, 0}, 1);
    Picture picture = frontal(101, 101, 8);
    picture.meshes = {cube.drawn()};
    const Image plain = render(picture).value();
    picture.meshes[0].wireframe = true;
    const Image wired = render(picture).value();
    // The front face's diagonal runs through the middle; a quarter aside there is none.
    CHECK(brightness(pixel_at(wired, 50, 50)) < 0.85f * brightness(pixel_at(plain, 50, 50)));
    CHECK(pixel_at(wired, 40, 50) == pixel_at(plain, 40, 50));
    // Without lines it is as without wireframe; with those of every triangle as with all edges.
    std::vector<std::uint8_t> lines(cube.triangles.size(), 0);
    picture.meshes[0].lines = lines;
    CHECK(pixel_at(render(picture).value(), 50, 50) == pixel_at(plain, 50, 50));
    std::ranges::fill(lines, std::uint8_t(7));
    CHECK(pixel_at(render(picture).value(), 50, 50) == pixel_at(wired, 50, 50));
    lines.pop_back();
    picture.meshes[0].lines = lines;
    CHECK_FALSE(render(picture));
}

TEST_CASE("an obstacle hides what is behind it, and a plane seen from behind hides nothing")
{
    const Shape ball = make_sphere({0, 0, 0}, 0.5f);
    Picture picture = frontal(32, 32);
    picture.meshes = {ball.drawn()};
    const Vec3 bare = pixel_at(render(picture).value(), 16, 16);
    std::vector<Collider> colliders = {Collider{Box{{1, 1, 0.1}, {{}, {0, 0, 2}}}}};
    picture.colliders = colliders;
    CHECK(length(pixel_at(render(picture).value(), 16, 16) - bare) > 30);
    colliders = {Collider{Plane{{0, 0, 2}, {0, 0, -1}}}};
    picture.colliders = colliders;
    CHECK(length(pixel_at(render(picture).value(), 16, 16) - bare) < 12);
}

TEST_CASE("an upright plane among the colliders takes the place of the look's ground")
{
    Picture picture;
    picture.camera = {{0, 3, 6}, {0, 0, 0}, 35.0f};
    picture.look.width = picture.look.height = 64;
    const Shape cube = make_cube({0, -0.5f, 0}, 0.4f);  // under the look's ground at 0, above the collider's at -1
    picture.meshes = {cube.drawn()};
    const Vec3 hidden = pixel_at(render(picture).value(), 32, 36);
    const std::vector<Collider> colliders = {Collider{Plane{{0, -1, 0}, {0, 1, 0}}}};
    picture.colliders = colliders;
    const Vec3 seen = pixel_at(render(picture).value(), 32, 36);
    CHECK(std::abs(hidden.x - hidden.z) < 20);
    CHECK(seen.x > seen.z + 60);
}

TEST_CASE("bad input is refused with the place and the reason")
{
    const Shape cube = make_cube({0, 0, 0}, 1);
    const auto refused = [](const Picture& picture, std::string_view where) {
        const auto image = render(picture);
        REQUIRE(!image);
        CHECK(image.error().where == where);
        CHECK(!image.error().what.empty());
    };
    Picture good = frontal(8, 8);
    good.meshes = {cube.drawn(), cube.drawn()};
    REQUIRE(render(good));

    std::vector<Vec3> torn = cube.positions;
    torn[5].y = std::numeric_limits<float>::quiet_NaN();
    Picture picture = good;
    picture.meshes[1].positions = torn;
    refused(picture, "meshes[1].positions[5]");

    const std::vector<Int3> wild = {{0, 1, 2}, {0, 8, 1}};
    picture = good;
    picture.meshes[0].triangles = wild;
    refused(picture, "meshes[0].triangles[1]");

    const std::vector<float> few(3, 1.0f);
    picture = good;
    picture.meshes[1].values = few;
    refused(picture, "meshes[1].values");

    picture = good;
    picture.look.width = 0;
    refused(picture, "look.width");
    picture = good;
    picture.look.height = 1 << 20;
    refused(picture, "look.height");
    picture = good;
    picture.look.samples = 0;
    refused(picture, "look.samples");
    picture = good;
    picture.look.scale = {"rainbow", 0, 1, ""};
    refused(picture, "look.scale.map");
    picture = good;
    picture.look.scale = {"viridis", 1, 1, ""};
    refused(picture, "look.scale");
    picture = good;
    picture.camera.target = picture.camera.eye;
    refused(picture, "camera.target");
    picture = good;
    picture.camera.field_of_view = 180;
    refused(picture, "camera.field_of_view");
    const std::vector<Collider> flat = {Collider{Plane{{0, 0, 0}, {0, 0, 0}}}};
    picture = good;
    picture.colliders = flat;
    refused(picture, "colliders[0]");
}

TEST_CASE("empty, flat and enormous meshes and an eye inside a body give a picture")
{
    Picture picture = frontal(24, 16);
    picture.look.ground = true;
    CHECK(render(picture));
    picture.meshes.emplace_back();
    CHECK(render(picture));

    Shape flat;
    flat.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 0}};
    flat.triangles = {{0, 1, 2}, {0, 0, 0}, {0, 3, 1}};
    picture.meshes = {flat.drawn()};
    CHECK(render(picture));

    const Shape huge = make_cube({0, 0, 0}, 1e30f), around = make_sphere({0, 0, 5}, 0.5f),
                tiny = make_cube({0, 0, 0}, 1e-30f);
    picture.meshes = {huge.drawn(), tiny.drawn()};
    CHECK(render(picture));
    picture.meshes = {around.drawn()};
    const Image inside = render(picture).value();
    CHECK(pixel_at(inside, 0, 0).x > pixel_at(inside, 0, 0).z);  // the body's colour up to the corners

    picture.look.width = picture.look.height = 1;
    picture.look.scale = {"viridis", 0, 1, "label"};
    CHECK(render(picture));
}
