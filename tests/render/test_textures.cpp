// Pictures on surfaces, and what lens and shutter do to a picture.
#include <doctest/doctest.h>

#include "render/color.h"
#include "render/view.h"
#include "shapes.h"

using namespace yawara;

namespace {

/// A square in the plane z = 0, from -1 to 1, seen straight on; its picture fills it once.
struct Poster {
    Shape shape{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
    std::vector<std::array<Vec2, 3>> uvs{{Vec2{0, 0}, Vec2{1, 0}, Vec2{1, 1}}, {Vec2{0, 0}, Vec2{1, 1}, Vec2{0, 1}}};
    Skin skin;
    Picture picture;

    Poster()
    {
        skin.material_of = {0, 0};
        skin.materials.resize(1);
        skin.materials[0].roughness = 1;
        picture.camera = {{0, 0, 6}, {}, 30.0f};
        picture.look.width = picture.look.height = 96;
        picture.look.samples = 8;
        picture.look.ground = false;
    }
    Image draw()
    {
        picture.meshes = {shape.drawn()};
        picture.meshes[0].skin = &skin;
        picture.meshes[0].material_of = skin.material_of;
        picture.meshes[0].corner_uvs = uvs;
        return render(picture).value();
    }
    Vec3 at(const Image& image, float u, float v) const
    {
        const Vec2 p = drawing::make_view(picture.camera, picture.look)->pixel({2 * u - 1, 2 * v - 1, 0});
        return pixel_at(image, int(p.x), int(p.y));
    }
};

Texture checker(int side, Vec3 even, Vec3 odd)
{
    Texture texture;
    texture.image = {side, side, {}};
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const Vec3 c = (x + y) % 2 == 0 ? even : odd;
            for (const float value : {c.x, c.y, c.z, 1.0f}) texture.image.rgba.push_back(std::uint8_t(255 * value));
        }
    return texture;
}

}  // namespace

TEST_CASE("a checked picture is seen where its corners put it, tinted by its material and the vertices")
{
    Poster poster;
    poster.skin.textures = {checker(4, {1, 0, 0}, {0, 0, 1})};
    poster.skin.materials[0].texture = 0;
    const Image image = poster.draw();
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column) {
            CAPTURE(row);
            CAPTURE(column);
            // The first row of a picture is its uppermost, where v is largest.
            const Vec3 seen = poster.at(image, (float(column) + 0.5f) / 4, 1 - (float(row) + 0.5f) / 4);
            const bool red = (row + column) % 2 == 0;
            CHECK((red ? seen.x : seen.z) > 4 * (red ? seen.z : seen.x));
        }

    // Halfway between two pixels both colours are there alike.
    const Vec3 between = poster.at(image, 0.5f, 0.625f);
    CHECK(std::abs(between.x - between.z) < 0.25f * between.x);

    poster.skin.materials[0].color = {1, 1, 0};  // lets no blue through
    const Vec3 tinted = poster.at(poster.draw(), 0.375f, 0.875f);
    CHECK(tinted.z < 0.3f * poster.at(image, 0.375f, 0.875f).z);
}

TEST_CASE("beyond its sides a picture repeats, is mirrored, or goes on with its rim")
{
    Poster poster;
    Texture texture;
    texture.image = {2, 1, {255, 0, 0, 255, 0, 0, 255, 255}};  // red, blue
    poster.skin.materials[0].texture = 0;
    for (auto& corners : poster.uvs)
        for (Vec2& uv : corners) uv.x *= 2;
    const auto is_red = [&](Wrap wrap, float u) {
        texture.wrap = {wrap, wrap};
        poster.skin.textures = {texture};
        const Vec3 seen = poster.at(poster.draw(), u / 2, 0.5f);
        return seen.x > seen.z;
    };
    for (const Wrap wrap : {Wrap::repeat, Wrap::mirror, Wrap::clamp}) {
        CHECK(is_red(wrap, 0.25f));
        CHECK_FALSE(is_red(wrap, 0.75f));
    }
    CHECK(is_red(Wrap::repeat, 1.25f));
    CHECK_FALSE(is_red(Wrap::mirror, 1.25f));
    CHECK(is_red(Wrap::mirror, 1.75f));
    CHECK_FALSE(is_red(Wrap::clamp, 1.25f));
    CHECK_FALSE(is_red(Wrap::clamp, 1.75f));
}

TEST_CASE("a picture of normals lets a flat surface look leant")
{
    Poster poster;
    const auto brightness_of = [&](float x, float y) {
        poster.skin.textures = {checker(1, {0.5f + 0.5f * x, 0.5f + 0.5f * y, 0.9f}, {})};
        poster.skin.materials[0].normal_map = 0;
        return brightness(poster.at(poster.draw(), 0.5f, 0.5f));
    };
    const float flat = brightness_of(0, 0), up = brightness_of(0, 0.6f), down = brightness_of(0, -0.6f);
    CHECK(up > 1.05f * flat);  // the key light is above, at the left
    CHECK(down < 0.95f * flat);
    CHECK(brightness_of(-0.6f, 0) > brightness_of(0.6f, 0));
}

TEST_CASE("metal mirrors in its own colour, and plastic in white")
{
    Poster poster;
    poster.shape = make_sphere({}, 1);
    poster.uvs.clear();
    poster.skin.material_of.assign(poster.shape.triangles.size(), 0);
    SkinMaterial& material = poster.skin.materials[0];
    material.color = {0.9f, 0.15f, 0.1f};
    material.roughness = 0.5f;
    // At its brightest pixel: how much green comes with the red.
    const auto whiteness = [&] {
        const Image image = poster.draw();
        Vec3 brightest{};
        for (int y = 20; y < 76; ++y)
            for (int x = 20; x < 76; ++x) {
                const Vec3 here = pixel_at(image, x, y);
                const float dx = float(x) - 47.5f, dy = float(y) - 47.5f;
                if (dx * dx + dy * dy < 24 * 24 && brightness(here) > brightness(brightest)) brightest = here;
            }
        return brightest.y / brightest.x;
    };
    const float plastic = whiteness();
    material.metallic = 1;
    const float metal = whiteness();
    CHECK(metal < 0.75f * plastic);
    poster.skin.textures = {checker(1, {1, 1, 0}, {})};  // blue is the share of metal: none
    material.roughness_map = 0;
    poster.uvs.assign(poster.shape.triangles.size(), {});
    CHECK(whiteness() == doctest::Approx(plastic).epsilon(0.03));
}

TEST_CASE("a surface may be coloured by its places")
{
    Poster poster;
    poster.picture.meshes = {poster.shape.drawn()};
    poster.picture.meshes[0].color_at = [](Vec3 p) { return p.x < 0 ? Vec3{1, 0, 0} : Vec3{0, p.y > 0 ? 1.0f : 0.5f, 0}; };
    const Image image = render(poster.picture).value();
    CHECK(poster.at(image, 0.25f, 0.5f).x > 3 * poster.at(image, 0.25f, 0.5f).y);
    CHECK(poster.at(image, 0.75f, 0.25f).y > 3 * poster.at(image, 0.75f, 0.25f).x);
    CHECK(poster.at(image, 0.75f, 0.75f).y > 1.3f * poster.at(image, 0.75f, 0.25f).y);
}

TEST_CASE("a skin that does not fit its mesh is refused with its place")
{
    Poster poster;
    poster.picture.meshes = {poster.shape.drawn()};
    poster.picture.meshes[0].skin = &poster.skin;
    CHECK(render(poster.picture).error().where == "meshes[0].material_of");
    const std::vector<std::int32_t> wrong{0, 3};
    poster.picture.meshes[0].material_of = wrong;
    CHECK(render(poster.picture).error().where == "meshes[0].material_of[1]");
}

TEST_CASE("a lens blurs what is far from the target, not the target")
{
    const auto edge = [](float z, float lens) {
        // How many pixels the edge of a dark square takes.
        Poster poster;
        for (Vec3& p : poster.shape.positions) p = {p.x + 1, p.y, z};
        poster.skin.materials[0].color = {};
        poster.picture.look.samples = 64;
        poster.picture.lens = lens;
        const Image image = poster.draw();
        int grey = 0;
        for (int x = 0; x < image.width; ++x) {
            const float b = brightness(pixel_at(image, x, image.height / 2));
            grey += b > 60 && b < 200;
        }
        return grey;
    };
    CHECK(edge(0, 0.3f) <= edge(0, 0) + 1);
    CHECK(edge(-3, 0.3f) >= edge(-3, 0) + 4);
}

TEST_CASE("what moves while the shutter is open is smeared along its way, by its share of the time")
{
    Poster poster;
    for (Vec3& p : poster.shape.positions) p = {p.x * 0.25f - 0.5f, p.y, 0};
    poster.skin.materials[0].color = {};
    poster.picture.look.samples = 64;
    poster.picture.meshes = {poster.shape.drawn()};
    poster.picture.meshes[0].color = {};
    std::vector<Vec3> later = poster.shape.positions;
    for (Vec3& p : later) p.x += 1;
    const auto seen = [&](float x) {
        const drawing::View view = drawing::make_view(poster.picture.camera, poster.picture.look).value();
        const Image image = render(poster.picture).value();
        const Vec2 p = view.pixel({x, 0, 0});
        return drawing::to_linear(pixel_at(image, int(p.x), int(p.y)) / 255.0f).y;
    };
    const float open = seen(0.9f), still = seen(-0.5f);
    CHECK(still < 0.3f * open);
    poster.picture.meshes[0].later = later;
    // Half a metre wide, one metre of way: in the middle it is there half of the time.
    CHECK(seen(0) == doctest::Approx(0.5f * (open + still)).epsilon(0.15));
    CHECK(seen(0.9f) == doctest::Approx(open).epsilon(0.05));
}

TEST_CASE("obstacles that move are smeared like bodies")
{
    Poster poster;
    TriMesh wall, moved;
    for (const Vec3& p : poster.shape.positions) wall.vertices.push_back({p.x * 0.25 - 0.5, p.y, 0});
    wall.triangles = poster.shape.triangles;
    moved = wall;
    for (Vec3d& p : moved.vertices) p.x += 1;
    poster.picture.look.samples = 64;
    poster.picture.look.background = {};
    poster.picture.obstacles = {&wall, 1};
    const auto seen = [&](float x) {
        const Vec2 p = drawing::make_view(poster.picture.camera, poster.picture.look)->pixel({x, 0, 0});
        return drawing::to_linear(pixel_at(render(poster.picture).value(), int(p.x), int(p.y)) / 255.0f).y;
    };
    const float still = seen(-0.5f);
    CHECK(seen(0) < 0.05f * still);
    poster.picture.obstacles_later = {&moved, 1};
    CHECK(seen(0) == doctest::Approx(0.5f * still).epsilon(0.15));
    CHECK(seen(-0.5f) < 0.6f * still);
}

TEST_CASE("inside jelly its own folds are not seen")
{
    // Two balls that overlap look the same as one surface with or without what lies within the other.
    const auto middle = [](bool folded) {
        Shape body = make_cube({}, 1);
        if (folded) {
            const Shape inner = make_sphere({0, 0, 0.2f}, 0.5f);
            const auto first = std::int32_t(body.positions.size());
            body.positions.insert(body.positions.end(), inner.positions.begin(), inner.positions.end());
            for (const Int3& t : inner.triangles) body.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        }
        Picture picture;
        picture.camera = {{0, 0, 8}, {}, 20.0f};
        picture.look.width = picture.look.height = 64;
        picture.look.samples = 16;
        picture.look.ground = false;
        picture.meshes = {body.drawn()};
        picture.meshes[0].finish = Finish::jelly;
        return pixel_at(render(picture).value(), 32, 32);
    };
    const Vec3 plain = middle(false), folded = middle(true);
    for (int k = 0; k < 3; ++k) CHECK(folded[k] == doctest::Approx(plain[k]).epsilon(0.02));
}

TEST_CASE("a caption is written into the lower left corner and nowhere else")
{
    Image image{320, 180, std::vector<std::uint8_t>(320 * 180 * 4, 255)};
    draw_caption(image, "A caption");
    int inside = 0, outside = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            if (brightness(pixel_at(image, x, y)) > 128) continue;
            ++(x < 160 && y > 150 ? inside : outside);
        }
    CHECK(inside > 30);
    CHECK(outside == 0);
}
