// Mesh obstacles that change their shape, under and around bodies.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "sim/bodies.h"
#include "yawara/fem.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr double kPi = std::numbers::pi;

/// A figure of half a metre: a neck with a round head on it, closed. Its head nods and bobs.
TriMesh figure()
{
    constexpr int kRings = 16, kSides = 16;
    TriMesh mesh;
    mesh.vertices.push_back({0, 0, 0});
    for (int ring = 0; ring < kRings; ++ring) {
        const double share = (ring + 0.5) / kRings;
        // Up the neck, then around the head.
        const double y = share < 0.4 ? 0.5 * share : 0.35 - 0.15 * std::cos(kPi * (share - 0.4) / 0.6);
        const double radius =
            share < 0.4 ? 0.06 : std::max(0.06 * (1 - share), 0.15 * std::sin(kPi * (share - 0.4) / 0.6));
        for (int side = 0; side < kSides; ++side) {
            const double angle = 2 * kPi * side / kSides;
            mesh.vertices.push_back({radius * std::cos(angle), y, -radius * std::sin(angle)});
        }
    }
    mesh.vertices.push_back({0, 0.5, 0});
    const auto at = [&](int ring, int side) { return std::int32_t(1 + kSides * ring + side % kSides); };
    for (int side = 0; side < kSides; ++side) {
        mesh.triangles.push_back({0, at(0, side + 1), at(0, side)});
        for (int ring = 0; ring + 1 < kRings; ++ring) {
            mesh.triangles.push_back({at(ring, side), at(ring, side + 1), at(ring + 1, side)});
            mesh.triangles.push_back({at(ring, side + 1), at(ring + 1, side + 1), at(ring + 1, side)});
        }
        mesh.triangles.push_back(
            {at(kRings - 1, side), at(kRings - 1, side + 1), std::int32_t(mesh.vertices.size()) - 1});
    }
    return mesh;
}

/// The figure walks along x at 0.5 m/s, bobs by 3 cm twice a second and nods by 10 degrees.
Vec3d walk(Vec3d v, double time)
{
    const double nod = 0.17 * std::sin(2 * kPi * time) * std::min(time, 1.0), up = v.y / 0.5;
    const double bob = 0.03 * std::sin(4 * kPi * time) * std::min(time, 1.0);
    const double x = v.x + std::sin(nod) * v.y * up, y = v.y * (1 - 0.5 * nod * nod * up) + bob * up;
    const double ahead = time < 1 ? 0.25 * time * time : 0.5 * time - 0.25;
    return {x + ahead, y, v.z};
}

std::vector<Vec3d> walked(const TriMesh& mesh, double time)
{
    std::vector<Vec3d> vertices = mesh.vertices;
    for (Vec3d& v : vertices) v = walk(v, time);
    return vertices;
}

/// A soft cap: a bowl turned over, that fits the head with some room.
BodyModel cap(bool fem)
{
    const auto in_cap = [](Vec3d p) {
        const double r = length(p);
        return p.y > -0.02 && r < 0.205 && r > 0.155;
    };
    BodySpec spec;
    spec.name = "cap";
    spec.density = 200;
    const Lattice lattice = make_lattice(Box3{{-0.21, -0.03, -0.21}, {0.21, 0.21, 0.21}}, 0.03, in_cap);
    if (!fem) {
        spec.solid = Matching{lattice};
        return build(std::move(spec)).value();
    }
    // Tets of the same cells.
    Fem solid;
    solid.mesh = make_bar({0.42, 0.24, 0.42}, {14, 8, 14}, {-0.21, -0.03, -0.21});
    std::erase_if(solid.mesh.tets, [&](const Int4& tet) {
        Vec3d middle;
        for (const std::int32_t v : tet) middle += solid.mesh.vertices[std::size_t(v)] * 0.25;
        return !in_cap(middle);
    });
    std::vector<std::int32_t> number(solid.mesh.vertices.size(), -1);
    std::vector<Vec3d> used;
    for (Int4& tet : solid.mesh.tets)
        for (std::int32_t& v : tet) {
            if (number[std::size_t(v)] < 0) {
                number[std::size_t(v)] = std::int32_t(used.size());
                used.push_back(solid.mesh.vertices[std::size_t(v)]);
            }
            v = number[std::size_t(v)];
        }
    solid.mesh.vertices = used;
    solid.levels = 0;
    solid.material = [](const MaterialPlace&) {
        return FemMaterial{.elasticity = isotropic(1e5, 0.3).value(), .viscosity = isotropic(3e2, 0.3).value()};
    };
    spec.solid = solid;
    return build(std::move(spec)).value();
}

double deepest(const Scene& scene, BodyId body, const TriMesh& mesh, double time)
{
    TriMesh pose = mesh;
    pose.vertices = walked(mesh, time);
    const MeshDistance distance = MeshDistance::build(pose).value();
    double most = 0;
    for (const Vec3& x : scene.state(body).positions) most = std::max(most, -double(distance.at(x).distance));
    return most;
}

}  // namespace

TEST_CASE("a soft cap stays on a head that walks, bobs and nods, and the head does not come through")
{
    for (const bool fem : {false, true}) {
        CAPTURE(fem);
        const TriMesh mesh = figure();
        Scene scene({.dt = 1.0 / 60, .substeps = 5});
        const ColliderId head = scene.add(Collider{.shape = MeshDistance::build(mesh).value(), .friction = 0.8f});
        BodySettings settings;
        settings.matching.damping = 0.1f;
        settings.fem.integration = Integration::implicit_step;
        const BodyId body = scene.add(cap(fem), settings, {{}, {0, 0.36, 0}});
        double below = 0;
        for (int frame = 0; frame < 180; ++frame) {
            REQUIRE(scene.deform(head, walked(mesh, scene.time() + 1.0 / 60)));
            scene.step();
            if (frame % 20 == 19) below = std::max(below, deepest(scene, body, mesh, scene.time()));
        }
        const Vec3d top = walk({0, 0.5, 0}, scene.time()), at = center_of_mass(scene, body);
        CHECK(top.x > 1);
        CHECK(std::abs(at.x - top.x) < 0.06);
        CHECK(std::abs(at.z) < 0.05);
        CHECK(at.y > 0.35);
        CHECK(below < (fem ? 0.008 : 0.004));  // finite elements sink in by 5 mm at rest, too
    }
}

TEST_CASE("vertices that move as a rigid whole do what an obstacle does that is moved as a whole")
{
    const auto placement = [](double time) {
        const double sway = 0.15 * std::sin(2 * kPi * time), bob = 0.03 * std::sin(4 * kPi * time);
        return Placement{rotation_of({0, 0, -sway}), {0.2 * time, bob, 0}};
    };
    for (const bool fem : {false, true}) {
        CAPTURE(fem);
        const TriMesh mesh = figure();
        const BodyModel model = cap(fem);
        Vec3d at[2];
        for (const bool deform : {false, true}) {
            Scene scene({.dt = 1.0 / 60, .substeps = 5});
            const ColliderId head = scene.add(Collider{.shape = MeshDistance::build(mesh).value(), .friction = 0.8f});
            BodySettings settings;
            settings.matching.damping = 0.1f;
            settings.fem.integration = Integration::implicit_step;
            const BodyId body = scene.add(model, settings, {{}, {0, 0.36, 0}});
            for (int frame = 0; frame < 60; ++frame) {
                const Placement there = placement(scene.time() + 1.0 / 60);
                std::vector<Vec3d> vertices = mesh.vertices;
                for (Vec3d& v : vertices) v = there(v);
                REQUIRE((deform ? scene.deform(head, vertices) : scene.move(head, there)));
                scene.step();
            }
            at[deform] = center_of_mass(scene, body);
        }
        CHECK(at[0].x > 0.15);
        CHECK(length(at[1] - at[0]) < 0.003);
    }
}

TEST_CASE("a slab whose vertices go sideways takes its passenger along within a hundredth")
{
    const TriMesh slab = boundary_surface(make_bar({2, 0.2, 2}, {4, 1, 4}, {-1, -0.2, -1}));
    auto animation = std::make_shared<MeshAnimation>();
    animation->rate = 1;
    animation->start = 0.5;
    for (const float x : {0.0f, 2.0f}) {
        auto& frame = animation->frames.emplace_back();
        for (const Vec3d& v : slab.vertices) frame.push_back(v.as<float>() + Vec3{x, 0, 0});
    }
    Scene scene({.dt = 1.0 / 60, .substeps = 5});
    scene.add(Collider{.shape = MeshDistance::build(slab).value(), .friction = 1, .animation = animation});
    BodySettings settings;
    settings.matching.damping = 0.1f;
    const BodyId body = scene.add(bar({0.2, 0.1, 0.2}, {4, 2, 4}), settings, {{}, {-0.1, 0.001, -0.1}});
    while (scene.time() < 0.5) scene.step();
    const Vec3d before = center_of_mass(scene, body);
    double most = 0;
    while (scene.time() < 2.5) {
        scene.step();
        const double ahead = std::clamp(scene.time() - 0.5, 0.0, 1.0) * 2;
        most = std::max(most, std::abs(center_of_mass(scene, body).x - before.x - ahead));
    }
    // 2 m/s at once, and at once at rest again: it slips v^2 / (2 mu g) = 0.2 m at both ends, forth and back.
    CHECK(most < 0.25);
    CHECK(std::abs(center_of_mass(scene, body).x - before.x - 2) < 0.02);
    CHECK(std::abs(center_of_mass(scene, body).y - before.y) < 0.005);
}

TEST_CASE("a wall whose vertices come at 30 m/s with five sub-steps pushes a body and lets no particle through")
{
    const TriMesh wall = boundary_surface(make_bar({0.05, 2, 2}, {1, 8, 8}, {-1, -1, -1}));
    Scene scene({.dt = 1.0 / 60, .substeps = 5, .gravity = {}});
    const ColliderId id = scene.add(Collider{.shape = MeshDistance::build(wall).value()});
    const BodyId body = scene.add(bar({0.2, 0.2, 0.2}, {4, 4, 4}), {}, {{}, {-0.1, -0.1, -0.1}});
    for (int frame = 1; frame <= 8; ++frame) {
        std::vector<Vec3d> vertices = wall.vertices;
        for (Vec3d& v : vertices) v.x += 0.5 * frame;
        REQUIRE(scene.deform(id, vertices));
        scene.step();
        const double face = -0.95 + 0.5 * frame;
        for (const Vec3& x : scene.state(body).positions) CHECK(double(x.x) > face - 1e-3);
    }
    CHECK(center_of_mass(scene, body).x > 3);
}

TEST_CASE("the same bits come out for any number of threads, and after going back to a moment")
{
    const auto run = [](int threads, bool back) {
        const TriMesh mesh = figure();
        Scene scene({.dt = 1.0 / 60, .substeps = 5, .threads = threads});
        const ColliderId head = scene.add(Collider{.shape = MeshDistance::build(mesh).value(), .friction = 0.8f});
        scene.add(cap(false), {}, {{}, {0, 0.36, 0}});
        const auto frames = [&](int count) {
            for (int k = 0; k < count; ++k) {
                REQUIRE(scene.deform(head, walked(mesh, scene.time() + 1.0 / 60)));
                scene.step();
            }
        };
        frames(20);
        const SceneMoment moment = scene.moment();
        frames(20);
        if (back) {
            REQUIRE(scene.go_to(moment));
            frames(20);
        }
        return scene.hash();
    };
    const std::uint64_t one = run(1, false);
    CHECK(run(2, false) == one);
    CHECK(run(2, true) == one);
}

TEST_CASE("vertices that cannot be set are an error")
{
    Scene scene;
    const TriMesh slab = boundary_surface(make_bar({1, 1, 1}, {1, 1, 1}));
    const ColliderId mesh = scene.add(Collider{.shape = MeshDistance::build(slab).value()});
    const ColliderId plane = scene.add(Collider{});
    CHECK(scene.deform(plane, slab.vertices).error().what.find("not a mesh") != std::string::npos);
    CHECK(scene.deform(mesh, std::span(slab.vertices).first(3)).error().what ==
          "the mesh of the obstacle has 8 vertices, but 3 positions were given");
    std::vector<Vec3d> wrong = slab.vertices;
    wrong[2].y = std::nan("");
    CHECK(!scene.deform(mesh, wrong));
    REQUIRE(scene.deform(mesh, slab.vertices));
    REQUIRE(scene.remove(mesh));
    CHECK(!scene.deform(mesh, slab.vertices));
}
