// Ribs across thin parts: where they are, how long, and that thick bodies have none.
#include <doctest/doctest.h>

#include <algorithm>

#include "contact/body_surface.h"
#include "contact/rib_touches.h"
#include "contact_bodies.h"

using namespace yawara;

TEST_CASE("a sheet has ribs as long as it is thick, straight to the other side")
{
    const TetMesh sheet = make_bar({0.5, 0.02, 0.4}, {10, 1, 8});
    const contact::BodySurface surface = contact::make_body_surface(sheet, sheet.vertices);
    int inner = 0;
    for (const contact::Rib& rib : surface.ribs) {
        const Vec3d from = sheet.vertices[std::size_t(rib.vertex)];
        Vec3d spot;
        for (std::size_t k = 0; k < 3; ++k)
            spot += sheet.vertices[std::size_t(surface.triangles[std::size_t(rib.triangle)][k])] * double(rib.weights[k]);
        const bool at_rim = from.x < 0.001 || from.x > 0.499 || from.z < 0.001 || from.z > 0.399;
        CHECK(std::abs(from.y - spot.y) == doctest::Approx(0.02));
        CHECK(double(rib.length) == doctest::Approx(0.02));
        if (at_rim) continue;
        ++inner;
        CHECK(length(Vec3d{from.x - spot.x, 0, from.z - spot.z}) < 1e-6);
    }
    CHECK(inner == 2 * 9 * 7);
}

TEST_CASE("a thick block has no ribs, nor has a ball")
{
    const TetMesh block = make_bar({0.3, 0.3, 0.3}, {3, 3, 3});
    CHECK(contact::make_body_surface(block, block.vertices).ribs.empty());
    const Lattice ball = make_lattice(Box3{{-1, -1, -1}, {1, 1, 1}}, 0.2, [](Vec3d p) { return length(p) < 1; });
    std::vector<Vec3d> rest;
    for (std::size_t i = 0; i < ball.nodes.size(); ++i) rest.push_back(ball.position(int(i)));
    CHECK(contact::make_body_surface(ball, rest).ribs.empty());
}

TEST_CASE("what is far on the wrong side of a sheet comes back at the speed of a push, not at once")
{
    constexpr float dt = 1.0f / 60;
    for (const float far : {0.03f, 0.2f, 5.0f}) {
        CAPTURE(far);
        test::SteppedBody sheet{make_bar({0.5, 0.02, 0.4}, {10, 1, 8})};
        const auto upper = std::find_if(sheet.before.begin(), sheet.before.end(), [](Vec3 p) {
            return length(p - Vec3{0.25f, 0.02f, 0.2f}) < 1e-4f;
        });
        REQUIRE(upper != sheet.before.end());
        const auto lost = std::int32_t(upper - sheet.before.begin());
        sheet.before[std::size_t(lost)].y -= far;
        sheet.positions = sheet.before;
        contact::RibTouches ribs(sheet.surface);
        std::vector<std::int32_t> touched;
        ribs.find(sheet.view(), dt, touched);
        int own = 0;
        for (const contact::Touch& touch : ribs.touches()) {
            if (touch.particles[0] != lost) continue;
            ++own;
            CHECK(touch.shortfall > 0);
            CHECK(touch.shortfall < 0.02f);  // the thickness of the sheet, in a step
        }
        CHECK(own == 1);
    }
}
