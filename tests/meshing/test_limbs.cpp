// Legs, arms, teeth and walls thinner than the cell of the lattice: nothing of a surface may be left out of its solid,
// however few the particles.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "meshing/shapes.h"
#include "yawara/embedding.h"
#include "yawara/solid.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A trunk of 2 x 0.8 x 0.8 on four legs, 0.1 thick and 1 long.
TriMesh make_horse()
{
    TriMesh mesh = make_box({-1, 0, -0.4}, {1, 0.8, 0.4});
    for (const double x : {-0.9, 0.8}) {
        for (const double z : {-0.35, 0.25}) mesh = join(mesh, make_box({x, -1, z}, {x + 0.1, 0.1, z + 0.1}));
    }
    return mesh;
}

/// A ball with eight arms around it that run out into points.
TriMesh make_octopus()
{
    TriMesh mesh = make_ball({}, 0.5);
    for (int arm = 0; arm < 8; ++arm) {
        const double angle = arm * std::numbers::pi / 4 + 0.2;
        const Vec3d along{std::cos(angle), 0, std::sin(angle)}, aside{-along.z, 0, along.x}, up{0, 1, 0};
        TriMesh cone;
        cone.vertices = {along * 0.3, along * 1.5};
        constexpr int kSides = 12;
        for (int k = 0; k < kSides; ++k) {
            const double turn = 2 * std::numbers::pi * k / kSides;
            cone.vertices.push_back(along * 0.3 + (aside * std::cos(turn) + up * std::sin(turn)) * 0.12);
            const std::int32_t here = 2 + k, next = 2 + (k + 1) % kSides;
            cone.triangles.push_back({0, here, next});
            cone.triangles.push_back({1, next, here});
        }
        mesh = join(mesh, cone);
    }
    return mesh;
}

/// A back with ten teeth, each as wide as the gap to the next.
TriMesh make_comb()
{
    TriMesh mesh = make_box({0, 0, 0}, {1.9, 0.3, 0.1});
    for (int k = 0; k < 10; ++k) mesh = join(mesh, make_box({0.2 * k, 0.2, 0}, {0.2 * k + 0.1, 1, 0.1}));
    return mesh;
}

/// A cube with four holes through it along each axis, and walls of 0.12 between and around them.
TriMesh make_cheese(const std::vector<double>& holes, double radius)
{
    const auto inside = [&](Vec3d p) {
        const Vec3d outside = max(-p, p - Vec3d{1, 1, 1});
        double d = std::max({outside.x, outside.y, outside.z});
        for (const double u : holes) {
            for (const double v : holes) {
                d = std::max({d, radius - std::hypot(p.x - u, p.y - v), radius - std::hypot(p.y - u, p.z - v),
                              radius - std::hypot(p.z - u, p.x - v)});
            }
        }
        return d;
    };
    return LevelSet::from_function(inside, {{-0.1, -0.1, -0.1}, {1.1, 1.1, 1.1}}, 0.025).value().surface();
}

/// A bowl with a wall that is thinner than the cells.
TriMesh make_bowl()
{
    const auto inside = [](Vec3d p) { return std::max(std::abs(length(p) - 0.5) - 0.02, p.y); };
    return LevelSet::from_function(inside, {{-0.6, -0.6, -0.6}, {0.6, 0.1, 0.6}}, 0.012).value().surface();
}

/// Largest distance of a surface from the tets, where it is outside of them, by the code that draws surfaces.
double left_out(const TriMesh& surface, const TetMesh& mesh)
{
    std::vector<Vec3d> points = surface.vertices;
    for (const Int3& t : surface.triangles) {
        points.push_back((surface.vertices[std::size_t(t[0])] + surface.vertices[std::size_t(t[1])] +
                          surface.vertices[std::size_t(t[2])]) /
                         3.0);
    }
    return Embedding(mesh, points).outside_distance();
}

}  // namespace

TEST_CASE("no limb is lost at any count, and the volume stays")
{
    struct Case {
        const char* name;
        TriMesh surface;
        double volume;
    };
    const double ball = std::numbers::pi / 6, arm = std::numbers::pi * 0.1 * 0.1 / 3;  // beyond the ball
    const TriMesh cheese = make_cheese({0.28, 0.72}, 0.16);
    const std::array<Case, 4> cases{{{"horse", make_horse(), 2 * 0.8 * 0.8 + 4 * 0.01},
                                     {"octopus", make_octopus(), ball + 8 * arm},
                                     {"comb", make_comb(), 1.9 * 0.03 + 10 * 0.007},
                                     {"cheese", cheese, signed_volume(cheese)}}};
    for (const Case& c : cases) {
        for (const int particles : {500, 1500}) {
            CAPTURE(std::string(c.name));
            CAPTURE(particles);
            const Solid solid = make_solid(c.surface, {.particles = particles}).value();
            const double out = left_out(c.surface, solid.mesh);
            CHECK(out < solid.report.cell);
            CHECK(out == doctest::Approx(solid.report.left_out).epsilon(0.05));
            CHECK(solid.report.output_parts == 1);
            CHECK(std::abs(volume(solid.mesh) / c.volume - 1) < 0.1);
            CHECK(solid.report.smallest_dihedral > 8.9);
            CHECK(smallest_volume(solid.mesh) > 0);
            CHECK(is_conforming(solid.mesh));
        }
    }
}

TEST_CASE("walls thinner than a cell, and those between holes that cross, keep their volume")
{
    for (const TriMesh& surface : {make_bowl(), make_cheese({0.2, 0.5, 0.8}, 0.1)}) {
        const Solid solid = make_solid(surface, {.particles = 500}).value();
        CAPTURE(solid.report.cell);
        CHECK(std::abs(volume(solid.mesh) / signed_volume(surface) - 1) < 0.05);
        CHECK(left_out(surface, solid.mesh) < solid.report.cell);
        CHECK(solid.report.output_parts == 1);
        CHECK(solid.report.smallest_dihedral > 8.9);
        CHECK(is_conforming(solid.mesh));
    }
}

TEST_CASE("corners that are cut by more than half a cell are told, and no others")
{
    int told = 0, kept = 0;
    for (const int particles : {60, 100, 200}) {
        const Solid solid = make_solid(make_box({0, 0, 0}, {1, 1, 1}), {.particles = particles}).value();
        const auto tells = [](const std::string& warning) { return warning.find("are cut off") != std::string::npos; };
        const bool warned = std::any_of(solid.report.warnings.begin(), solid.report.warnings.end(), tells);
        CHECK(warned == (solid.report.left_out > 0.5 * solid.report.cell));
        ++(warned ? told : kept);
    }
    CHECK(told > 0);
    CHECK(kept > 0);
}
