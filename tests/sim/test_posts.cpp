// Obstacles thinner than the distance of particles: the surface of a soft body yields to them, and none gets inside.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/bodies.h"
#include "yawara/query.h"
#include "yawara/tessellate.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr double kSize = 0.4;  // of the block, whose particles are 0.08 m apart

enum class Kind { matching, stiff, fem };

BodyModel block(Kind kind)
{
    const TetMesh mesh = make_bar({kSize, kSize, kSize}, {5, 5, 5}, Vec3d{-1, 0, -1} * (kSize / 2));
    BodySpec spec;
    if (kind == Kind::fem) {
        Fem fem;
        fem.mesh = mesh;
        fem.material = [](const MaterialPlace&) { return FemMaterial{.elasticity = isotropic(1e5, 0.4).value()}; };
        spec.solid = fem;
    } else {
        spec.solid = Matching{mesh};
    }
    return build(std::move(spec)).value();
}

BodySettings settings_of(Kind kind)
{
    BodySettings settings;
    settings.matching.young = kind == Kind::stiff ? 1e6f : 5e4f;
    settings.matching.damping = 0.05f;
    return settings;
}

/// How often the surface of a body goes around a point: 1 inside, 0 outside.
double winding(const TriMesh& topology, std::span<const Vec3> surface, Vec3d point)
{
    double angle = 0;
    for (const Int3& t : topology.triangles) {
        Vec3d v[3];
        for (int k = 0; k < 3; ++k) v[k] = surface[std::size_t(t[k])].as<double>() - point;
        const double a = length(v[0]), b = length(v[1]), c = length(v[2]);
        angle += 2 * std::atan2(dot(v[0], cross(v[1], v[2])),
                                a * b * c + dot(v[0], v[1]) * c + dot(v[1], v[2]) * a + dot(v[2], v[0]) * b);
    }
    return angle / (4 * std::numbers::pi);
}

/// Points all over an obstacle, and in it.
std::vector<Vec3d> points_of(const Collider& obstacle)
{
    std::vector<Vec3d> points = tessellate(obstacle, 0).vertices;
    constexpr int kSteps = 40;
    for (int k = 0; k <= kSteps; ++k) {
        const double share = double(k) / kSteps;
        if (const auto* capsule = std::get_if<Capsule>(&obstacle.shape))
            points.push_back(capsule->a + (capsule->b - capsule->a) * share);
        if (const auto* box = std::get_if<Box>(&obstacle.shape))
            for (const double height : {-1.0, 0.0, 1.0})
                points.push_back(box->placement.move +
                                 Vec3d{0, height * box->half_size.y, (2 * share - 1) * box->half_size.z});
    }
    return points;
}

/// How deep an obstacle is in a body at most, m.
double deepest(Scene& scene, BodyId body, const Collider& obstacle)
{
    SceneQuery query(scene);
    double most = 0;
    for (const Vec3d& p : points_of(obstacle)) {
        if (winding(scene.model(body).surface(), scene.surface(body), p) < 0.5) continue;
        if (const auto hit = query.closest(p, kSize, {.obstacles = false})) most = std::max(most, hit->distance);
    }
    return most;
}

}  // namespace

TEST_CASE("a soft block that falls on a post, a rod, a blade or a pea is dented, not pierced")
{
    const Collider obstacles[]{{.shape = Capsule{{0.03, 0, 0.02}, {0.03, 0.5, 0.02}, 0.02}, .friction = 0.5f},
                               {.shape = Capsule{{-1, 0.5, 0.03}, {1, 0.5, 0.05}, 0.01}, .friction = 0.5f},
                               {.shape = Box{{0.005, 0.25, 0.3}, {{}, {0.03, 0.25, 0}}}, .friction = 0.5f},
                               {.shape = Sphere{{0.03, 0.03, 0.02}, 0.03}, .friction = 0.5f},
                               {.shape = Box{{0.5, 0.005, 0.5}, {{}, {0.4, 0.4, 0}}}, .friction = 0.5f},
                               {.shape = Box{{0.5, 0.005, 0.5}, {{}, {0.02, 0.4, 0}}}, .friction = 0.5f}};
    for (const Kind kind : {Kind::matching, Kind::stiff, Kind::fem})
        for (const Collider& obstacle : obstacles) {
            CAPTURE(int(kind));
            CAPTURE(&obstacle - obstacles);
            Scene scene({.dt = 1.0 / 60, .substeps = 5});
            scene.add(Collider{.shape = Plane{}, .friction = 0.5f});
            scene.add(obstacle);
            const BodyId body = scene.add(block(kind), settings_of(kind), {{}, {0, 0.7, 0}});
            double most = 0;
            for (int frame = 0; frame < 90; ++frame) {
                const StepReport report = scene.step()[0];
                CHECK(report.repaired_particles == 0);
                CHECK_FALSE(report.shape.has_grown());
                if (frame % 3 == 0) most = std::max(most, deepest(scene, body, obstacle));
            }
            MESSAGE("kind ", int(kind), ", obstacle ", &obstacle - obstacles, ": ", most / kSize);
            // The edge of a blade enters while the surface folds over it.
            CHECK(most < (std::holds_alternative<Box>(obstacle.shape) ? 0.05 : 0.01) * kSize);
        }
}

TEST_CASE("a thin post that comes up at 10 m/s lifts a soft block and does not come through")
{
    for (const Kind kind : {Kind::matching, Kind::stiff, Kind::fem}) {
        CAPTURE(int(kind));
        Scene scene({.dt = 1.0 / 60, .substeps = 5, .gravity = {}});
        const Capsule shape{{0.01, -1, 0.02}, {0.01, -0.02, 0.02}, 0.01};
        const ColliderId post = scene.add(Collider{.shape = shape});
        const BodyId body = scene.add(block(kind), settings_of(kind), {{}, {0, 0.1, 0}});
        double now = 0, most = 0;
        for (int frame = 1; frame <= 12; ++frame) {
            const Vec3d up{0, frame / 6.0, 0};
            REQUIRE(scene.move(post, {{}, up}));
            scene.step();
            now = deepest(scene, body, {.shape = Capsule{shape.a + up, shape.b + up, shape.radius}});
            most = std::max(most, now);
        }
        MESSAGE("kind ", int(kind), ": ", most / kSize, ", in the end ", now / kSize, ", at ",
                center_of_mass(scene, body).y);
        CHECK(most < 0.04 * kSize);
        CHECK(now < 0.01 * kSize);
        CHECK(center_of_mass(scene, body).y > 1);
    }
}
