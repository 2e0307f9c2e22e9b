// Level sets: distances and volumes of known shapes, from functions and from surfaces with every kind of damage.
#include <doctest/doctest.h>

#include "meshing/shapes.h"
#include "yawara/solid.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr double kBallVolume = 4 * std::numbers::pi / 3;

}  // namespace

TEST_CASE("the level set of a ball is its distance near the surface")
{
    const double voxel = 0.05;
    const LevelSet set = LevelSet::from_mesh(make_ball({}, 1, 96), voxel).value();
    for (const double r : {0.9, 0.95, 1.0, 1.05, 1.1}) {
        for (const Vec3d n : {Vec3d{1, 0, 0}, Vec3d{0.6, 0.8, 0}, Vec3d{-0.48, 0.6, -0.64}}) {
            CHECK(set(n * r) == doctest::Approx(r - 1).epsilon(0.1 * voxel));
        }
    }
    CHECK(set({}) < 0);
    CHECK(set({1e9, 0, 0}) > 0);
    CHECK(set({1e300, 0, 0}) > 0);
    CHECK(set.volume() == doctest::Approx(kBallVolume).epsilon(0.01));
    CHECK(set.bounds().high.x == doctest::Approx(1).epsilon(0.01));
    CHECK(set.voxel() == voxel);
    CHECK(signed_volume(set.surface()) == doctest::Approx(set.volume()));
}

TEST_CASE("a function need not be a distance to give one")
{
    const auto steep = [](Vec3d p) { return 1000 * (dot(p, p) - 1); };
    const LevelSet set = LevelSet::from_function(steep, {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}}, 0.05).value();
    CHECK(set.volume() == doctest::Approx(kBallVolume).epsilon(0.01));
    CHECK(set({0.95, 0, 0}) == doctest::Approx(-0.05).epsilon(0.05));
    CHECK(set({0, 0, 1.08}) == doctest::Approx(0.08).epsilon(0.05));
}

TEST_CASE("orientation does not matter: inside-out, half turned and doubled balls enclose the same")
{
    const TriMesh ball = make_ball({}, 1);
    TriMesh half_turned = ball, doubled = ball;
    for (std::size_t t = 0; t < half_turned.triangles.size(); t += 2) {
        std::swap(half_turned.triangles[t][0], half_turned.triangles[t][1]);
    }
    for (const Int3& t : ball.triangles) doubled.triangles.push_back({t[0], t[2], t[1]});
    for (const TriMesh& mesh : {inside_out(ball), half_turned, doubled}) {
        CHECK(LevelSet::from_mesh(mesh, 0.06).value().volume() == doctest::Approx(kBallVolume).epsilon(0.015));
    }
}

TEST_CASE("holes are closed")
{
    TriMesh holed = make_ball({}, 1);
    std::erase_if(holed.triangles, [&](const Int3& t) {
        const Vec3d v = holed.vertices[std::size_t(t[0])];
        return v.z > 0.93 || (v.x > 0.95 && t[1] % 5 == 0);
    });
    const LevelSet set = LevelSet::from_mesh(holed, 0.05).value();
    CHECK(set.volume() == doctest::Approx(kBallVolume).epsilon(0.03));
    CHECK(set({0, 0, 0.8}) < 0);
    CHECK(set({0, 0, 1.1}) > 0);
}

TEST_CASE("a hollow stays hollow, and nested balls that face the same way are filled")
{
    const TriMesh outer = make_ball({}, 1), inner = make_ball({}, 0.5);
    const LevelSet hollow = LevelSet::from_mesh(join(outer, inside_out(inner)), 0.05).value();
    CHECK(hollow({}) > 0);
    CHECK(hollow({0.75, 0, 0}) < 0);
    CHECK(hollow.volume() == doctest::Approx(0.875 * kBallVolume).epsilon(0.015));
    const LevelSet turned = LevelSet::from_mesh(inside_out(join(outer, inside_out(inner))), 0.05).value();
    CHECK(turned.volume() == doctest::Approx(hollow.volume()).epsilon(1e-6));
    CHECK(LevelSet::from_mesh(join(outer, inner), 0.05).value()({}) < 0);
}

TEST_CASE("overlapping balls are united")
{
    const LevelSet set = LevelSet::from_mesh(join(make_ball({-0.5, 0, 0}, 1), make_ball({0.5, 0, 0}, 1)), 0.05).value();
    // Two balls less their lens: V = pi (4 r + d) (2 r - d)^2 / 12 with r = 1, d = 1.
    CHECK(set.volume() == doctest::Approx(2 * kBallVolume - std::numbers::pi * 5 / 12).epsilon(0.015));
    CHECK(set({0, 0, 0.5}) < -0.1);
}

TEST_CASE("walls with mixed-up sides are filled where they seal off a space")
{
    // A block of 3 x 3 x 3 boxes, each with all its own walls, turned at random; inner walls are there twice or once.
    TriMesh mesh;
    for (int k = 0; k < 27; ++k) {
        const Vec3d low{double(k % 3), double(k / 3 % 3), double(k / 9)};
        TriMesh box = make_box(low, low + Vec3d{1, 1, 1});
        if (k % 2) box = inside_out(box);
        if (k % 3 == 1) box.triangles.resize(6);
        mesh = join(mesh, box);
    }
    CHECK(LevelSet::from_mesh(mesh, 0.1).value().volume() == doctest::Approx(27).epsilon(0.12));
}

TEST_CASE("level sets refuse what has no inside, with the reason")
{
    const TriMesh ball = make_ball({}, 1);
    const Box3 box{{-1, -1, -1}, {1, 1, 1}};
    CHECK(LevelSet::from_mesh({}, 0.1).error().where == "surface");
    CHECK(LevelSet::from_mesh(ball, 0.0).error().where == "voxel");
    CHECK(LevelSet::from_mesh(ball, 1e-7).error().where == "voxel");
    CHECK(LevelSet::from_function([](Vec3d) { return 1.0; }, box, 0.1).error().where == "inside");
    CHECK(LevelSet::from_function([](Vec3d) { return -1.0; }, box, 1e-6).error().where == "voxel");
    CHECK(LevelSet::from_function({}, box, 0.1).error().where == "inside");
    CHECK(LevelSet::from_mesh(ball, 0.1, [](std::string_view, double) { return false; }).error().what == "cancelled");
}
