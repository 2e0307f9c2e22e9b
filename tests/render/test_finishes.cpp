// What surfaces make of light: bodies that one sees through bend and dim what is behind them.
#include <doctest/doctest.h>

#include "render/color.h"
#include "render/light.h"
#include "render/view.h"
#include "shapes.h"

using namespace yawara;

namespace {

/// A slab across the z axis, turned about the y axis.
Shape make_slab(float thickness, float radians, float half = 3)
{
    Shape slab = make_cube({}, 1);
    const float c = std::cos(radians), s = std::sin(radians);
    for (Vec3& p : slab.positions) {
        const Vec3 flat{p.x * half, p.y * half, p.z * thickness / 2};
        p = {c * flat.x + s * flat.z, flat.y, c * flat.z - s * flat.x};
    }
    return slab;
}

Picture along_z()
{
    Picture picture;
    picture.camera = {{0, 0, 8}, {0, 0, 0}, 20.0f};
    picture.look.width = 160;
    picture.look.height = 120;
    picture.look.samples = 4;
    picture.look.ground = false;
    return picture;
}

Vec3 linear_at(const Image& image, int x, int y)
{
    const std::uint8_t* p = &image.rgba[4 * (std::size_t(y) * std::size_t(image.width) + std::size_t(x))];
    return drawing::to_linear(Vec3{float(p[0]), float(p[1]), float(p[2])} / 255.0f);
}

}  // namespace

TEST_CASE("a slab of glass shifts what is behind it as Snell's law says")
{
    const float tilt = 0.8f, thickness = 1;
    const Shape slab = make_slab(thickness, tilt), ball = make_sphere({0, 0, -4}, 0.12f);
    Picture picture = along_z();
    picture.meshes = {slab.drawn(), ball.drawn()};
    picture.meshes[0].finish = Finish::glass;
    picture.meshes[1].color = {0.05f, 0.05f, 0.05f};
    const Image image = render(picture).value();
    const float inside = std::asin(std::sin(tilt) / 1.5f);
    const float shift = thickness * std::sin(tilt - inside) / std::cos(inside);
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    const auto seen = [&](float x) {
        const Vec2 p = view.pixel({x, 0, -4});
        return linear_at(image, int(p.x), int(p.y)).y;
    };
    CHECK(shift > 0.3f);
    CHECK(std::min(seen(shift), seen(-shift)) < 0.3f);
    CHECK(std::max(seen(shift), seen(-shift)) > 0.5f);
    CHECK(seen(0) > 0.5f);
}

TEST_CASE("glass takes its tint as many times over as it is thick")
{
    const float half = 6;
    const auto through = [&](float thickness) {
        const Shape slab = make_slab(thickness, 0, half);
        Picture picture = along_z();
        picture.look.background = {0.8f, 0.8f, 0.8f};
        picture.meshes = {slab.drawn()};
        picture.meshes[0].finish = Finish::glass;
        picture.meshes[0].color = {0.0f, 0.9f, 0.0f};
        const Vec3 color = linear_at(render(picture).value(), 80, 60);
        return color.x / color.y;  // what is mirrored is the same for both colours and small
    };
    const auto depth = [&](float thickness) { return thickness / std::hypot(2 * half, 2 * half, thickness); };
    const float once = through(4), twice = through(8);
    CHECK(once < 0.95f);
    CHECK(twice == doctest::Approx(std::pow(once, depth(8) / depth(4))).epsilon(0.02));
}

TEST_CASE("jelly hides what is deep in it, and its shadow is lighter than that of rubber")
{
    const Shape body = make_cube({0, 0.5f, 0}, 0.5f);
    Picture picture;
    picture.meshes = {body.drawn()};
    picture.camera = {{2, 3, 6}, {0, 0.5f, 0}, 35.0f};
    picture.look.width = 96;
    picture.look.height = 64;
    picture.look.samples = 16;
    const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
    const Vec2 shadow = view.pixel({0.7f, 0, -0.4f});
    const auto dark = [&](Finish finish) {
        picture.meshes[0].finish = finish;
        return linear_at(render(picture).value(), int(shadow.x), int(shadow.y)).y;
    };
    CHECK(dark(Finish::jelly) > 1.2f * dark(Finish::rubber));
    CHECK(dark(Finish::flesh) == doctest::Approx(dark(Finish::rubber)).epsilon(0.02));

    const auto stone = [](float depth) {
        const Shape jelly = make_cube({}, 1.5f), inner = make_sphere({0, 0, 1.5f - 0.3f - depth}, 0.3f);
        Picture cut = along_z();
        cut.meshes = {jelly.drawn(), inner.drawn()};
        cut.meshes[0].finish = Finish::jelly;
        cut.meshes[1].color = {0.05f, 0.05f, 0.05f};
        const Image with = render(cut).value();
        cut.meshes.pop_back();
        return linear_at(with, 80, 60).y / linear_at(render(cut).value(), 80, 60).y;
    };
    CHECK(stone(0.1f) < 0.8f * stone(1.6f));
    CHECK(stone(1.6f) < 1);
}

TEST_CASE("a colour map is drawn without a finish")
{
    const Shape ball = make_sphere({}, 1);
    const std::vector<float> values(ball.positions.size(), 0.5f);
    Picture picture = along_z();
    picture.look.scale = ColorScale{};
    picture.meshes = {ball.drawn()};
    picture.meshes[0].values = values;
    const Image plain = render(picture).value();
    picture.meshes[0].finish = Finish::jelly;
    CHECK(render(picture).value().rgba == plain.rgba);
}

TEST_CASE("a grain belongs to the body at rest, and stretches with it")
{
    const Shape cube = make_cube({}, 1);
    Picture picture = along_z();
    picture.meshes = {cube.drawn()};
    DrawnMesh& mesh = picture.meshes[0];
    mesh.color = {1, 1, 1};
    mesh.finish = Finish::chalk;
    mesh.grain = {GrainKind::fibres, {1, 0, 0}, 0.3f, {0, 1, 0}, {}};
    // Seen from +z; halves of the picture are told apart by how red they are along a row.
    const auto row = [&](float stretch) {
        std::vector<Vec3> moved(cube.positions);
        for (Vec3& p : moved) p.x *= stretch;
        mesh.positions = moved;
        mesh.rests = cube.positions;
        const Image image = render(picture).value();
        const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
        std::vector<float> red;
        for (int k = -9; k <= 9; ++k) {
            const Vec2 at = view.pixel({0.05f * float(k) * stretch, 0.2f, 1});
            const Vec3 color = linear_at(image, int(at.x), int(at.y));
            red.push_back(1 - color.y / color.x);
        }
        return red;
    };
    const std::vector<float> wide = row(2.5f);
    int agree = 0;
    for (int k = -9; k <= 9; ++k) {
        const float share = grain_share(mesh.grain, {0.05f * float(k), 0.2f, 1});
        agree += std::abs(wide[std::size_t(k + 9)] - drawing::to_linear(Vec3{share, share, share}).x) < 0.25f ||
                 (share > 0.2f && share < 0.8f);
    }
    CHECK(agree >= 17);
    CHECK(*std::ranges::max_element(wide) > 0.8f);
    CHECK(*std::ranges::min_element(wide) < 0.2f);
}

TEST_CASE("cloth is bright at its rim, where its hairs catch the light")
{
    const auto rim_of = [](Finish finish) {
        const Shape ball = make_sphere({}, 1, 64);
        Picture picture = along_z();
        picture.meshes = {ball.drawn()};
        picture.meshes[0].finish = finish;
        picture.meshes[0].color = {0.5f, 0.2f, 0.2f};
        const Image image = render(picture).value();
        const drawing::View view = drawing::make_view(picture.camera, picture.look).value();
        const Vec2 rim = view.pixel({0.93f, 0, 0}), middle = view.pixel({0.3f, 0, 0});
        return linear_at(image, int(rim.x), int(rim.y)).x / linear_at(image, int(middle.x), int(middle.y)).x;
    };
    CHECK(rim_of(Finish::cloth) > 1.5f * rim_of(Finish::chalk));
}

TEST_CASE("values by place are drawn as values by vertex are")
{
    const Shape cube = make_cube({}, 1);
    std::vector<float> values;
    for (const Vec3& p : cube.positions) values.push_back(p.x);
    Picture picture = along_z();
    picture.look.scale = ColorScale{"viridis", -1, 1, "", false};
    picture.meshes = {cube.drawn()};
    picture.meshes[0].values = values;
    const Image by_vertex = render(picture).value();
    picture.meshes[0].values = {};
    picture.meshes[0].value_at = [](Vec3 place) { return place.x; };
    const Image by_place = render(picture).value();
    int most = 0;
    for (std::size_t k = 0; k < by_place.rgba.size(); ++k)
        most = std::max(most, std::abs(int(by_place.rgba[k]) - int(by_vertex.rgba[k])));
    CHECK(most <= 1);
    picture.meshes[0].value_at = nullptr;
    CHECK(render(picture).value().rgba != by_vertex.rgba);
}

TEST_CASE("skin lets red light through where it is thin, and none where it is thick or something shades it")
{
    // A sheet that faces the eye, lit from behind by the key light; how much redder it is than flesh of the same
    // colour.
    const auto glow = [](float thickness, bool shaded) {
        const drawing::Studio studio;
        Shape sheet = make_slab(thickness, 0, 1);
        Picture picture = along_z();
        picture.camera = {studio.to_key * -8.0f, {0, 0, 0}, 20.0f};
        for (Vec3& p : sheet.positions) p = studio.key_side * p.x + studio.key_up * p.y + studio.to_key * p.z;
        const Shape cover = make_sphere(studio.to_key * 6.0f, 2);
        picture.meshes = {sheet.drawn()};
        if (shaded) picture.meshes.push_back(cover.drawn());
        picture.meshes[0].color = {0.8f, 0.8f, 0.8f};
        std::array<Vec3, 2> seen;
        for (const Finish finish : {Finish::skin, Finish::rubber}) {
            picture.meshes[0].finish = finish;
            seen[finish == Finish::skin ? 0 : 1] = linear_at(render(picture).value(), 80, 60);
        }
        return seen[0] - seen[1];
    };
    const Vec3 thin = glow(0.02f, false), thick = glow(0.8f, false), shaded = glow(0.02f, true);
    CHECK(thin.x > 0.1f);
    CHECK(thin.x > thin.y + 0.02f);
    CHECK(thin.y > thin.z + 0.02f);
    CHECK(std::abs(thick.x) < 0.02f);
    CHECK(std::abs(shaded.x) < 0.02f);
}

TEST_CASE("gelatin is cloudier than jelly")
{
    const auto contrast = [](Finish finish) {
        const Shape block = make_slab(1.5f, 0), ball = make_sphere({0, 0, -3}, 0.5f);
        Picture picture = along_z();
        picture.meshes = {block.drawn(), ball.drawn()};
        picture.meshes[0].finish = finish;
        picture.meshes[0].color = {0.9f, 0.8f, 0.5f};
        picture.meshes[1].color = {0.02f, 0.02f, 0.02f};
        const Image image = render(picture).value();
        return 1 - linear_at(image, 80, 60).y / linear_at(image, 20, 60).y;
    };
    CHECK(contrast(Finish::gelatin) > 0.02f);
    CHECK(contrast(Finish::gelatin) < 0.8f * contrast(Finish::jelly));
    CHECK(contrast(Finish::jelly) < contrast(Finish::glass));
}
