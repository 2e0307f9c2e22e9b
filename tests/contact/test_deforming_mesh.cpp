// Mesh obstacles whose vertices move, against meshes that were built anew.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "contact/deforming_mesh.h"
#include "contact/meeting.h"

using namespace yawara;
using namespace yawara::contact;

namespace {

TriMesh ball(int cells = 8)
{
    TriMesh mesh = boundary_surface(make_bar({2, 2, 2}, {cells, cells, cells}, {-1, -1, -1}));
    for (Vec3d& v : mesh.vertices) v = normalized(v);
    return mesh;
}

/// Twisted, bent and blown up.
TriMesh changed(TriMesh mesh, double how)
{
    for (Vec3d& v : mesh.vertices) {
        const double angle = how * v.y;
        v = {std::cos(angle) * v.x - std::sin(angle) * v.z, v.y * (1 + 0.2 * how) + 0.2 * how * v.x * v.x,
             std::sin(angle) * v.x + std::cos(angle) * v.z};
    }
    return mesh;
}

}  // namespace

TEST_CASE("distances and entries of a mesh that was deformed are those of a mesh built in that pose")
{
    for (const bool container : {false, true}) {
        const TriMesh rest = ball(), pose = changed(rest, 0.8);
        DeformingMesh mesh(MeshDistance::build(rest, container).value());
        mesh.advance(changed(rest, 0.5).vertices);
        mesh.advance(pose.vertices);
        const MeshDistance moved = mesh.shape(), fresh = MeshDistance::build(pose, container).value();
        std::mt19937 random(7);
        std::uniform_real_distribution<double> place(-1.4, 1.4);
        int near = 0;
        for (int k = 0; k < 2000; ++k) {
            const Vec3d p{place(random), place(random), place(random)}, q{place(random), place(random), place(random)};
            const auto a = moved.at(p.as<float>()), b = fresh.at(p.as<float>());
            if (std::abs(b.distance) < 0.05f) {
                ++near;
                CHECK(a.distance == doctest::Approx(double(b.distance)).epsilon(1e-5));
                CHECK(length(a.normal - b.normal) < 1e-4f);
            }
            CHECK((a.distance < 0) == (b.distance < 0));
            const auto in = moved.first_entry(p, q), expected = fresh.first_entry(p, q);
            REQUIRE(in.has_value() == expected.has_value());
            if (in) CHECK(in->share == doctest::Approx(expected->share));
        }
        CHECK(near > 50);
    }
}

TEST_CASE("points of the surface are carried with it, forwards and backwards, and in parts of the step")
{
    const TriMesh rest = ball(), start = changed(rest, 0.1), end = changed(rest, 0.14);
    DeformingMesh mesh(MeshDistance::build(rest).value());
    mesh.place(start.vertices);
    CHECK(!mesh.shape().deforms());
    mesh.advance(end.vertices);
    const MeshDistance shape = mesh.shape();
    REQUIRE(shape.deforms());
    double travel = 0;
    for (std::size_t t = 0; t < rest.triangles.size(); ++t) {
        const auto middle = [&](const TriMesh& of) {
            Vec3d sum;
            for (const std::int32_t v : rest.triangles[t]) sum += of.vertices[std::size_t(v)] / 3.0;
            return sum;
        };
        const Vec3d a = middle(start), b = middle(end), half = (a + b) * 0.5;
        travel = std::max(travel, length(b - a));
        CHECK(length(shape.carry(a) - b) < 1e-9);
        CHECK(length(shape.carry_back(b) - a) < 1e-9);
        const MeshDistance first = shape.part(0, 0.5), second = shape.part(0.5, 1);
        // The surface in the middle of the step is where it is by straight lines, to second order in the way.
        CHECK(std::abs(first.at(half.as<float>()).distance) < 0.05 * length(b - a) + 1e-6);
        CHECK(length(first.carry(a) - half) < 1e-9);
        CHECK(length(second.carry(half) - b) < 0.1 * length(b - a) + 1e-9);
    }
    CHECK(shape.travel() >= travel);
    // Far away nothing is carried.
    CHECK(shape.carry({5, 5, 5}) == Vec3d{5, 5, 5});
}

TEST_CASE("a surface that comes towards a point at rest meets it with its own velocity")
{
    const TriMesh rest = ball();
    TriMesh blown = rest;
    for (Vec3d& v : blown.vertices) v = v * 1.1;
    DeformingMesh mesh(MeshDistance::build(rest).value());
    mesh.advance(blown.vertices);
    Collider collider{.shape = mesh.shape()};
    collider.motion = ColliderMotion{{}, {}, {}, 0.01};
    const Vec3 point{0, 1.02f, 0};
    const Meeting met = meet(collider, point, point);
    CHECK(met.distance == doctest::Approx(-0.08).epsilon(0.02));
    CHECK(met.relative.velocity.y == doctest::Approx(10).epsilon(0.02));
    CHECK(velocity_at(collider, {0, 1.1, 0}).y == doctest::Approx(10).epsilon(0.02));
    CHECK(!is_clear_of(collider, Box3{{-0.1, 1.05, -0.1}, {0.1, 1.06, 0.1}}));
}

TEST_CASE("an animation goes straight from frame to frame, and around if it repeats")
{
    MeshAnimation animation{{{{0, 0, 0}}, {{1, 0, 0}}, {{1, 2, 0}}}, 1, 2, false};
    const auto at = [&](double time) {
        std::vector<Vec3d> vertices(1);
        animation.at(time, vertices);
        return vertices[0];
    };
    CHECK(at(0) == Vec3d{0, 0, 0});
    CHECK(at(1.25) == Vec3d{0.5, 0, 0});
    CHECK(at(1.75) == Vec3d{1, 1, 0});
    CHECK(at(9) == Vec3d{1, 2, 0});
    animation.repeat = true;
    CHECK(at(2) == Vec3d{1, 2, 0});
    CHECK(at(2.25) == Vec3d{0.5, 1, 0});  // on the way back to the first frame
    CHECK(at(2.5) == Vec3d{0, 0, 0});
    CHECK(at(1.25 - 1.5) == Vec3d{0.5, 0, 0});
}
