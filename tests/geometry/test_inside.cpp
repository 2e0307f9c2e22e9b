// Layers, grain and depths inside of bodies.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "yawara/inside.h"
#include "yawara/look.h"

using namespace yawara;

namespace {

/// A box from the origin, two triangles a side.
TriMesh box_mesh(Vec3d size)
{
    TriMesh mesh;
    for (int k = 0; k < 8; ++k)
        mesh.vertices.push_back({(k & 1) * size.x, (k >> 1 & 1) * size.y, (k >> 2) * size.z});
    for (const auto& [a, b, c, d] : {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
    }
    return mesh;
}

Inside ham()
{
    Inside inside;
    inside.layers = {{0.02f, {0.9f, 0.7f, 0.6f}}, {0.05f, {1, 1, 0.9f}}};
    inside.color = Vec3{0.7f, 0.1f, 0.1f};
    return inside;
}

}  // namespace

TEST_CASE("each layer shows its colour at its depth, and what is below them its own")
{
    const Inside inside = ham();
    const Vec3 core = *inside.color;
    CHECK(length(inside_color(inside, core, {}, 0.0f) - inside.layers[0].color) < 1e-6f);
    CHECK(length(inside_color(inside, core, {}, 0.01f) - inside.layers[0].color) < 1e-6f);
    CHECK(length(inside_color(inside, core, {}, 0.04f) - inside.layers[1].color) < 1e-6f);
    CHECK(length(inside_color(inside, core, {}, 0.10f) - core) < 1e-6f);
    const Vec3 edge = inside_color(inside, core, {}, 0.02f);  // half way between the two, at the border
    CHECK(edge.x == doctest::Approx(0.95));
}

TEST_CASE("the map knows how deep a place lies below the nearest face")
{
    const TriMesh mesh = box_mesh({1, 0.5, 0.4});
    const InsideMap map = make_inside_map(mesh, ham(), nullptr);
    for (const Vec3 p : {Vec3{0.5f, 0.25f, 0.2f}, {0.5f, 0.03f, 0.2f}, {0.96f, 0.25f, 0.2f}, {0.3f, 0.25f, 0.35f}, {0.01f, 0.01f, 0.01f}}) {
        const float depth = std::min({p.x, 1 - p.x, p.y, 0.5f - p.y, p.z, 0.4f - p.z});
        CAPTURE(p.x);
        CAPTURE(p.y);
        // Nothing is told apart below the deepest; else to a share of a cell, as corners are rounded between nodes.
        CHECK(std::abs(map.at(p).depth - std::min(depth, map.deepest)) < 0.6f * map.cell);
    }
    CHECK(map.deepest > ham().depth());
}

TEST_CASE("a map keeps the colours of a volume and interpolates between them")
{
    InsideMap colors = InsideMap::over({{0, 0, 0}, {1, 1, 1}});
    for (int z = 0, k = 0; z < colors.nodes[2]; ++z)
        for (int y = 0; y < colors.nodes[1]; ++y)
            for (int x = 0; x < colors.nodes[0]; ++x, ++k)
                colors.rgba[std::size_t(k)] = 0xff000000u | std::uint32_t(255 * x / (colors.nodes[0] - 1));
    const InsideMap map = make_inside_map(box_mesh({1, 1, 1}), ham(), &colors);
    for (const float x : {0.0f, 0.123f, 0.5f, 0.99f}) CHECK(std::abs(map.at({x, 0.3f, 0.6f}).color.x - x) < 0.01f);
    CHECK(map.at({0.5f, 0.5f, 0.01f}).depth < 0.03f);
    CHECK(map.at({-5, 0.5f, 0.5f}).color.x == 0);  // outside: the nearest node
}

TEST_CASE("rings go around their axis and fibres run along it")
{
    Grain grain;
    grain.kind = GrainKind::fibres;
    grain.width = 0.02f;
    grain.axis = {1, 0, 0};
    double along = 0, across = 0;
    for (int k = 0; k < 2000; ++k) {
        const Vec3 p{0.013f * float(k % 37), 0.011f * float(k % 41), 0.009f * float(k % 53)};
        along += std::abs(grain_share(grain, p + Vec3{0.01f, 0, 0}) - grain_share(grain, p));
        across += std::abs(grain_share(grain, p + Vec3{0, 0.01f, 0}) - grain_share(grain, p));
    }
    CHECK(along < 0.35 * across);

    grain.kind = GrainKind::rings;
    int rings = 0;  // that a line away from the axis crosses
    bool dark = false;
    for (int k = 0; k < 4000; ++k) {
        const bool now = grain_share(grain, {0, 0.4f * float(k) / 4000, 0}) > (dark ? 0.15f : 0.35f);
        if (now && !dark) ++rings;
        dark = now;
    }
    CHECK(rings >= 18);
    CHECK(rings <= 22);
}

TEST_CASE("wood has year rings along its longest side and cloth fine threads, unless the scene names a grain")
{
    BodyLook look;
    look.color = {0.8f, 0.6f, 0.4f};
    const Box3 plank{{-0.1, 1, -0.2}, {0.1, 1.1, 2}};
    const Grain rings = outer_grain(look, Finish::wood, plank), threads = outer_grain(look, Finish::cloth, plank);
    CHECK(rings.kind == GrainKind::rings);
    CHECK(rings.axis == Vec3{0, 0, 1});
    CHECK(rings.color.x < look.color.x);
    CHECK(threads.kind == GrainKind::threads);
    CHECK(threads.width < rings.width);
    for (const Finish other : {Finish::plain, Finish::chalk, Finish::flesh, Finish::glass})
        CHECK(outer_grain(look, other, plank).kind == GrainKind::none);

    // A cut of wood shows wood, in the colour of its outside.
    CHECK(!look.has_inside());
    look.finish = Finish::wood;
    CHECK(look.has_inside());
    CHECK(look.core_color() == look.color);
    CHECK(inside_of(look, plank).grain.axis == rings.axis);

    look.inside = ham();
    look.inside->grain = {GrainKind::veins, {1, 0, 0}, 0.3f, {0, 1, 0}, {}};
    CHECK(outer_grain(look, Finish::wood, plank).kind == GrainKind::veins);
    CHECK(inside_of(look, plank).layers.size() == look.inside->layers.size());
}

TEST_CASE("threads repeat in every direction")
{
    Grain grain;
    grain.kind = GrainKind::threads;
    grain.width = 0.1f;
    float least = 1, most = 0;
    for (int k = 0; k < 500; ++k) {
        const Vec3 p{0.013f * float(k % 37), 0.011f * float(k % 41), 0.009f * float(k % 53)};
        const float here = grain_share(grain, p);
        for (const Vec3 step : {Vec3{0.2f, 0, 0}, Vec3{0, 0.2f, 0}, Vec3{0, 0, 0.2f}})
            CHECK(grain_share(grain, p + step) == doctest::Approx(here).epsilon(0.001));
        least = std::min(least, here);
        most = std::max(most, here);
    }
    CHECK(least < 0.05f);
    CHECK(most > 0.95f);
}

/// Each line of the table: kind, width, axis, through, rest, depth, then the colour. The page's test reads the same table.
TEST_CASE("colours inside are those that the page draws")
{
    std::ifstream table(YAWARA_SOURCE_DIR "/tests/geometry/inside_colors.txt");
    int lines = 0;
    for (std::string line; std::getline(table, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream in(line);
        Inside inside = ham();
        std::string kind;
        Vec3 rest, want;
        float depth = 0;
        const auto read = [&](Vec3& v) { in >> v.x >> v.y >> v.z; };
        in >> kind >> inside.grain.width;
        read(inside.grain.axis);
        read(inside.grain.through);
        read(rest);
        in >> depth;
        read(want);
        REQUIRE(!in.fail());
        const auto found = std::find(kGrainNames.begin(), kGrainNames.end(), kind);
        REQUIRE(found != kGrainNames.end());
        inside.grain.kind = GrainKind(found - kGrainNames.begin());
        inside.grain.color = {0.2f, 0.3f, 0.9f};
        const Vec3 color = inside_color(inside, *inside.color, rest, depth);
        CAPTURE(line);
        CAPTURE(color.x);
        CAPTURE(color.y);
        CAPTURE(color.z);
        CHECK(length(color - want) < 0.002f);
        ++lines;
    }
    CHECK(lines >= 30);
}
