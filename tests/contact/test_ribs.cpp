// Ribs across thin parts: where they are, how long, and that thick bodies have none.
#include <doctest/doctest.h>

#include "contact/body_surface.h"

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
