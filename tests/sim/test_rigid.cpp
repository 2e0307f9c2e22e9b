// Rigid bodies: their own motion, what holds them, and how they meet obstacles, soft bodies and each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/rigid_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

Lattice ball_of_cells(double radius, double cell)
{
    return make_lattice(Box3{{-radius, -radius, -radius}, {radius, radius, radius}}, cell,
                        [=](Vec3d p) { return length(p) <= radius; });
}

/// Largest change of a distance between two particles, over that distance at rest.
double worst_strain(const Scene& scene, BodyId body)
{
    const auto rest = scene.model(body).rest_positions();
    const auto& now = scene.state(body).positions;
    double worst = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double before = length(rest[i] - rest[j]), after = length((now[i] - now[j]).as<double>());
            worst = std::max(worst, std::abs(after - before) / before);
        }
    return worst;
}

/// Angle between an axis of the body at rest and now, rad.
double tilt(const Scene& scene, BodyId body)
{
    const auto rest = scene.model(body).rest_positions();
    const auto& now = scene.state(body).positions;
    Vec3d up, moved;
    Vec3d middle, middle_now;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        middle += rest[i] / double(rest.size());
        middle_now += now[i].as<double>() / double(rest.size());
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const double height = rest[i].y - middle.y;
        up += (rest[i] - middle) * height;
        moved += (now[i].as<double>() - middle_now) * height;
    }
    return std::acos(std::min(1.0, dot(normalized(up), normalized(moved))));
}

}  // namespace

TEST_CASE("a rigid brick has the mass and the inertia of its solid")
{
    SceneSettings settings = weightless();
    Scene scene(settings);
    const Vec3d size{0.2, 0.4, 0.8}, spin{1, 2, 3};
    const BodyId body = scene.add(brick(size), {.measure = true}, {}, {}, spin);
    const StepReport report = scene.step()[0];
    const double m = 1000 * size.x * size.y * size.z;
    const Vec3d inertia{m / 12 * (size.y * size.y + size.z * size.z), m / 12 * (size.x * size.x + size.z * size.z),
                        m / 12 * (size.x * size.x + size.y * size.y)};
    CHECK(report.angular_momentum.x == doctest::Approx(inertia.x * spin.x).epsilon(1e-5));
    CHECK(report.angular_momentum.y == doctest::Approx(inertia.y * spin.y).epsilon(1e-5));
    CHECK(report.angular_momentum.z == doctest::Approx(inertia.z * spin.z).epsilon(1e-5));
    CHECK(scene.model(body).is_rigid());
}

TEST_CASE("a free brick keeps its momentum, its spin about the middle axis turns over, and its shape stays")
{
    Scene scene(weightless());
    const BodyId body = scene.add(brick(), {.measure = true}, {}, {0.3, 0, 0}, {0.01, 10, 0});
    StepReport first = scene.step()[0], last = first;
    double lowest = 1;
    for (int k = 0; k < 1200; ++k) {
        last = scene.step()[0];
        // The unstable axis: after a while it points the other way, and comes back.
        const auto& x = scene.state(body).positions;
        lowest = std::min(lowest, double(normalized(x[3] - x[0]).y));
    }
    CHECK(length(last.angular_momentum - first.angular_momentum) < 1e-4 * length(first.angular_momentum));
    CHECK(length(last.momentum - first.momentum) < 1e-5 * length(first.momentum));
    CHECK(last.kinetic_energy == doctest::Approx(first.kinetic_energy).epsilon(2e-3));
    CHECK(lowest < -0.5);
    CHECK(worst_strain(scene, body) < 1e-6);
}

TEST_CASE("a brick pinned at one corner swings as a physical pendulum")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 10});
    // A thin rod, pinned at the middle of its upper end by the two particles there, so that it turns about x.
    BodySpec spec;
    const double length_of_rod = 1;
    spec.solid = Rigid{make_bar({0.02, length_of_rod, 0.02}, {1, 8, 1}, {-0.01, -length_of_rod, -0.01})};
    const BodyModel model = build(std::move(spec)).value();
    const double angle = 0.1;
    const BodyId body = scene.add(model, {}, {rotation(Vec3d{1, 0, 0}, angle), {}});
    Grip pin;
    for (std::size_t i = 0; i < model.particle_count(); ++i) {
        const Vec3d p = model.rest_positions()[i];
        if (std::abs(p.y) < 1e-9 && p.z < 0) {
            pin.particles.push_back(std::int32_t(i));
            pin.targets.push_back(scene.state(body).positions[i]);
        }
    }
    REQUIRE(pin.particles.size() == 2);
    scene.grips(body).push_back(pin);
    const Vec3 start = scene.state(body).positions[std::size_t(pin.particles[0])];
    // Period 2 pi sqrt(I / (m g d)), of a rod about its end: I = m L^2 / 3, d = L / 2; 0.06 % more for the amplitude.
    const double period = 2 * 3.14159265358979 * std::sqrt(2 * length_of_rod / (3 * 9.8)) * (1 + angle * angle / 16);
    double last = 0, found = 0, before = 1;
    for (int k = 0; k < 3000 && found == 0; ++k) {
        scene.substep();
        const double z = center_of_mass(scene, body).z, t = scene.time();
        if (before < 0 && z >= 0) {  // from one side to the other
            if (last > 0) found = t - last;
            last = t;
        }
        before = z;
    }
    CHECK(found == doctest::Approx(period).epsilon(0.01));
    CHECK(length(scene.state(body).positions[std::size_t(pin.particles[0])] - start) < 1e-5f);
    CHECK(worst_strain(scene, body) < 1e-5);
}

TEST_CASE("a rigid body bounces by its obstacle's restitution, and slides by its friction")
{
    SUBCASE("bounce")
    {
        Scene scene({.dt = 1.0 / 60, .substeps = 5});
        scene.add(Collider{.shape = Plane{}, .friction = 0.0f, .restitution = 0.5f});
        const BodyId body = scene.add(crate(), {}, {{}, {0, 1, 0}});
        double highest = 0;
        bool touched = false;
        for (int k = 0; k < 200; ++k) {
            const StepReport report = scene.step()[0];
            touched = touched || report.contact.contacts > 0;
            const double low = center_of_mass(scene, body).y - 0.25;
            CHECK(low > -1e-4);
            if (touched) highest = std::max(highest, low);
        }
        CHECK(highest == doctest::Approx(0.25).epsilon(0.05));
    }
    SUBCASE("slide")
    {
        Scene scene({.dt = 1.0 / 60, .substeps = 5});
        scene.add(Collider{.shape = Plane{}, .friction = 0.4f});
        const BodyId body = scene.add(crate(), {}, {{}, {0, 0, 0}}, {2, 0, 0});
        for (int k = 0; k < 120; ++k) scene.step();
        // v^2 / (2 mu g)
        CHECK(center_of_mass(scene, body).x == doctest::Approx(4 / (2 * 0.4 * 9.8)).epsilon(0.02));
        CHECK(tilt(scene, body) < 1e-3);
        CHECK(length(scene.state(body).velocities[0]) < 1e-4f);
    }
    SUBCASE("stick")
    {
        Scene scene({.dt = 1.0 / 60, .substeps = 5, .gravity = {4.0f, -9.8f, 0}});
        scene.add(Collider{.shape = Plane{}, .friction = 0.5f});
        const BodyId body = scene.add(crate());
        for (int k = 0; k < 300; ++k) scene.step();
        CHECK(std::abs(center_of_mass(scene, body).x) < 1e-3);
    }
}

TEST_CASE("a rigid ball rolls down a slope with 5/7 of the acceleration of what slides")
{
    const double slope = 0.2;
    Scene scene({.dt = 1.0 / 60, .substeps = 5});
    scene.add(Collider{.shape = Plane{{}, {std::sin(slope), std::cos(slope), 0}}, .friction = 0.8f});
    BodySpec spec;
    TetMesh mesh = make_bar({2, 2, 2}, {16, 16, 16}, {-1, -1, -1});
    for (Vec3d& p : mesh.vertices) {
        const double largest = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        if (largest > 0) p = p * (0.2 * largest / length(p));
    }
    REQUIRE(repair(mesh));
    spec.solid = Rigid{std::move(mesh)};
    const BodyId body =
        scene.add(build(std::move(spec)).value(), {}, {{}, Vec3d{std::sin(slope), std::cos(slope), 0} * 0.2});
    for (int k = 0; k < 60; ++k) scene.step();
    const Vec3d down{std::cos(slope), -std::sin(slope), 0};
    const double way = dot(center_of_mass(scene, body) - Vec3d{std::sin(slope), std::cos(slope), 0} * 0.2, down);
    CHECK(way == doctest::Approx(0.5 * 9.8 * std::sin(slope) * 5 / 7).epsilon(0.05));
}

TEST_CASE("ten crates stand on each other and come to rest")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 5, .sleep = true});
    scene.add(Collider{.shape = Plane{}, .friction = 0.6f});
    std::vector<BodyId> stack;
    const BodyModel model = crate();
    for (int k = 0; k < 10; ++k)
        stack.push_back(
            scene.add(model, {.contact = {.friction = 0.6f}}, {{}, {0.01 * (k % 3 - 1), 0.51 * k + 0.01, 0}}));
    for (int k = 0; k < 360; ++k) scene.step();
    double worst_tilt = 0, worst_drift = 0, worst_height = 0, fastest = 0;
    for (int k = 0; k < 10; ++k) {
        const Vec3d c = center_of_mass(scene, stack[std::size_t(k)]);
        worst_tilt = std::max(worst_tilt, tilt(scene, stack[std::size_t(k)]));
        worst_drift = std::max(worst_drift, std::hypot(c.x - 0.01 * (k % 3 - 1), c.z));
        worst_height = std::max(worst_height, std::abs(c.y - (0.25 + k * 0.504)));
        for (const Vec3& v : scene.state(stack[std::size_t(k)]).velocities)
            fastest = std::max(fastest, double(length(v)));
    }
    MESSAGE("tilt ", worst_tilt, " rad, drift ", worst_drift, " m, height ", worst_height, " m, fastest ", fastest);
    CHECK(worst_tilt < 0.01);
    CHECK(worst_drift < 0.01);
    CHECK(worst_height < 0.02);
    CHECK(fastest == 0);  // asleep
}

TEST_CASE("ten crates that never sleep stand for a minute, and go along with a floor that moves slowly")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 5});
    const ColliderId floor =
        scene.add(Collider{.shape = Box{.half_size = {5, 0.5, 5}, .placement = {{}, {0, -0.5, 0}}}, .friction = 0.6f});
    std::vector<BodyId> stack;
    const BodyModel model = crate();
    for (int k = 0; k < 10; ++k)
        stack.push_back(scene.add(model, {.contact = {.friction = 0.6f}}, {{}, {0, 0.51 * k + 0.01, 0}}));
    for (int k = 0; k < 120; ++k) scene.step();
    const Vec3d top = center_of_mass(scene, stack.back());
    for (int k = 0; k < 3600; ++k) scene.step();
    CHECK(length(center_of_mass(scene, stack.back()) - top) == 0);
    // 0.1 mm/s: less in a step than what contact leaves of the weight.
    const double from = center_of_mass(scene, stack.front()).x;
    for (int k = 1; k <= 600; ++k) {
        REQUIRE(scene.move(floor, {{}, {0.001 * k / 600, 0, 0}}));
        scene.step();
    }
    CHECK(center_of_mass(scene, stack.front()).x - from == doctest::Approx(0.001).epsilon(0.1));
    // And what is pushed goes.
    scene.pushes(stack.back()) = {{{}, {}, {6.5f, 0, 0}}};
    for (int k = 0; k < 30; ++k) scene.step();
    CHECK(center_of_mass(scene, stack.back()).x > 0.05);
}

TEST_CASE("a crate rests on what is nowhere near its particles")
{
    const auto post = [](double x, double z) { return Collider{.shape = Capsule{{x, 0, z}, {x, 0.28, z}, 0.02}}; };
    const auto rail = [](double z) { return Collider{.shape = Capsule{{-2, 0.29, z}, {2, 0.29, z}, 0.01}}; };
    const auto ridge = [](double z) {  // an edge up
        return Collider{.shape =
                            Box{{2, 0.1, 0.1},
                                {rotation(Vec3d{1, 0, 0}, std::numbers::pi / 4), {0, 0.3 - 0.1 * std::sqrt(2.0), z}}}};
    };
    const auto spike = [](double x, double z) {
        TriMesh mesh;
        mesh.vertices = {{x, 0.3, z}, {x - 0.1, 0, z - 0.1}, {x + 0.1, 0, z - 0.1}, {x, 0, z + 0.1}};
        mesh.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
        return Collider{.shape = MeshDistance::build(mesh).value()};
    };
    const std::vector<std::vector<Collider>> supports{
        {post(-0.1, -0.1), post(0.12, -0.1), post(0, 0.13)},              // within faces
        {rail(-0.1), rail(0.12)},                                         // across edges
        {ridge(-0.1), ridge(0.12)},                                       // edges over edges
        {spike(-0.1, -0.1), spike(0.12, -0.1), spike(0, 0.13)},           // corners of meshes
        {Collider{.shape = Box{{0.08, 0.15, 0.1}, {{}, {0, 0.15, 0}}}}},  // a face within a face
        {Collider{.shape = Box{{0.4, 0.15, 0.1}, {{}, {0.3, 0.15, 0}}}}}  // partly below it: edges cross a face
    };
    for (std::size_t k = 0; k < supports.size(); ++k)
        for (const int cells : {1, 3}) {
            CAPTURE(k);
            CAPTURE(cells);
            Scene scene({.dt = 1.0 / 60, .substeps = 5});
            for (const Collider& support : supports[k]) scene.add(support);
            const BodyId body = scene.add(crate(0.5, cells), {}, {{}, {0, 0.4, 0}});
            for (int frame = 0; frame < 180; ++frame) scene.step();
            CHECK(center_of_mass(scene, body).y == doctest::Approx(0.55).epsilon(0.004));
            CHECK(tilt(scene, body) < 0.01);
            double fastest = 0;
            for (const Vec3& v : scene.state(body).velocities) fastest = std::max(fastest, double(length(v)));
            CHECK(fastest < 0.01);
        }
}

TEST_CASE("a thin post that comes up at 10 m/s lifts a crate and does not come through")
{
    Scene scene({.dt = 1.0 / 60, .substeps = 5, .gravity = {}});
    const ColliderId post = scene.add(Collider{.shape = Capsule{{0, -1, 0}, {0, -0.02, 0}, 0.01}});
    const BodyId body = scene.add(crate(), {}, {{}, {0, 0.1, 0}});
    for (int frame = 1; frame <= 12; ++frame) {
        REQUIRE(scene.move(post, {{}, {0, frame / 6.0, 0}}));
        scene.step();
        double lowest = 1e9;
        for (const Vec3& p : scene.state(body).positions) lowest = std::min(lowest, double(p.y));
        CHECK(lowest > frame / 6.0 - 0.012);
    }
}

TEST_CASE("a rigid and a soft body that collide keep their momentum and spin together")
{
    Scene scene(weightless(1.0 / 300));
    BodySpec soft;
    soft.solid = Matching{make_bar({0.4, 0.4, 0.4}, {4, 4, 4}, {-0.2, -0.2, -0.2})};
    const BodyId jelly =
        scene.add(build(std::move(soft)).value(), {.matching = {.alpha = 0.3f, .damping = 0}, .measure = true},
                  {{}, {-0.5, 0.05, 0}}, {2, 0, 0});
    const BodyId hard = scene.add(brick({0.2, 0.4, 0.3}, 3000), {.measure = true},
                                  {rotation(Vec3d{1, 2, 3}, 0.4), {0.3, 0, 0.1}}, {-1, 0, 0}, {0, 0, 1});
    Vec3d momentum, angular;
    double scale = 0;
    bool met = false;
    for (int k = 0; k < 250; ++k) {
        const auto reports = scene.step();
        Vec3d p, l;
        for (const StepReport& r : reports) {
            p += r.momentum;
            l += r.angular_momentum + cross(r.center, r.momentum);
        }
        // The report is of the body's own step: contact comes after it.
        if (k == 0) momentum = p, angular = l, scale = length(reports[0].momentum);
        met = met || reports[0].contact.touches > 0;
        if (k == 0) continue;
        CHECK(length(p - momentum) < 1e-5 * scale);
        CHECK(length(l - angular) < 2e-5 * scale);
    }
    CHECK(met);
    CHECK(worst_strain(scene, hard) < 1e-5);
    CHECK(scene.state(jelly).velocities[0].x < 2);
}

TEST_CASE("a rigid ball of a thousand times the density sinks into a jelly and comes to rest, inside nothing")
{
    // One that can carry it: it presses with 1.3 MPa. And some that cannot, so that the ball goes down to the floor,
    // and what is left of the jelly between them is all that keeps them apart. By moduli, Pa; 0: as soft as can be.
    for (const float young : {6e6f, 3e5f, 1.5e5f, 0.0f}) {
        CAPTURE(young);
        const bool firm = young > 5e6f;
        Scene scene({.dt = 1.0 / 60, .substeps = firm ? 40 : young > 0 ? 20 : 5});
        scene.add(Collider{.shape = Plane{}, .friction = 0.6f});
        const TetMesh block = make_bar({0.6, 0.3, 0.6}, {10, 5, 10}, {-0.3, 0, -0.3});
        BodySpec soft;
        soft.solid = Matching{block};
        BodySettings settings{.matching = {.damping = 0.1f}};
        if (young > 0)
            settings.matching.accelerate = true, settings.matching.young = young;
        else
            settings.matching.alpha = 0.3f;
        const BodyId jelly = scene.add(build(std::move(soft)).value(), settings);
        BodySpec heavy;
        const double radius = 0.1;
        heavy.solid = Rigid{ball_of_cells(radius, 0.02)};
        heavy.density = 1e6;
        const BodyId ball = scene.add(build(std::move(heavy)).value(), {.drag = 8}, {{}, {0.01, 0.45, 0}});
        std::vector<std::int32_t> particle_of;
        const TriMesh outside = boundary_surface(block, &particle_of);
        // How far the surface of the jelly is in the ball, from points spread over its triangles.
        const auto overlap = [&] {
            const Vec3d center = center_of_mass(scene, ball);
            const std::vector<Vec3>& x = scene.state(jelly).positions;
            double nearest = 1;
            for (const Int3& t : outside.triangles) {
                const auto corner = [&](std::size_t c) {
                    return x[std::size_t(particle_of[std::size_t(t[c])])].as<double>();
                };
                for (int i = 0; i <= 8; ++i)
                    for (int j = 0; i + j <= 8; ++j) {
                        const Vec3d p = (corner(0) * i + corner(1) * j + corner(2) * (8 - i - j)) / 8.0;
                        nearest = std::min(nearest, length(p - center));
                    }
            }
            return std::max(radius - nearest, 0.0);
        };
        double lowest = 1, deepest = 0;
        for (int k = 0; k < 100; ++k) {
            scene.step();
            lowest = std::min(lowest, center_of_mass(scene, ball).y);
            deepest = std::max(deepest, overlap());
        }
        double fastest = 0;
        for (const Vec3& v : scene.state(ball).velocities) fastest = std::max(fastest, double(length(v)));
        const double height = center_of_mass(scene, ball).y;
        MESSAGE("young ", young, " height ", height, " m, overlap ", deepest, " m, speed ", fastest, " m/s");
        CHECK(lowest > 0.099);
        CHECK(height < 0.38);
        CHECK(fastest < 0.01);
        CHECK(deepest < 0.05 * radius);
        if (firm) CHECK(height > 0.3);
    }
}

TEST_CASE("rigid bodies move alike on any number of threads")
{
    const auto run = [](int threads) {
        Scene scene({.dt = 1.0 / 60, .substeps = 5, .threads = threads});
        scene.add(Collider{.shape = Plane{}});
        for (int k = 0; k < 12; ++k)
            scene.add(crate(), {},
                      {rotation(Vec3d{1, 2, 3}, 0.3 * k), {0.3 * (k % 3), 0.3 + 0.6 * (k / 3), 0.3 * (k % 2)}});
        BodySpec soft;
        soft.solid = Matching{make_bar({0.4, 0.4, 0.4}, {4, 4, 4}, {-0.2, -0.2, -0.2})};
        scene.add(build(std::move(soft)).value(), {.matching = {.alpha = 0.3f}}, {{}, {0.3, 3, 0}});
        for (int k = 0; k < 60; ++k) scene.step();
        return scene.hash();
    };
    CHECK(run(1) == run(2));
}

TEST_CASE("a rigid body that no solid can be is refused, and one whose numbers are none is repaired")
{
    const auto refused = [](Rigid rigid) {
        BodySpec spec;
        rigid.domain = make_bar({1, 1, 1}, {1, 1, 1});
        spec.solid = rigid;
        const auto built = build(std::move(spec));
        return built ? std::string() : built.error().message();
    };
    CHECK(refused({{}, -1}).find("mass") != std::string::npos);
    CHECK(refused({{}, NAN}).find("mass") != std::string::npos);
    CHECK(refused({{}, 0, Vec3d{1, 0, 1}}).find("inertia") != std::string::npos);
    CHECK(refused({{}, 0, Vec3d{1, 5, 1}}).find("inertia") != std::string::npos);
    BodySpec flat;
    TetMesh mesh = make_bar({1, 1, 1}, {1, 1, 1});
    std::swap(mesh.tets[0][0], mesh.tets[0][1]);
    flat.solid = Rigid{mesh};
    CHECK(build(std::move(flat)).error().message().find("inverted") != std::string::npos);

    Scene scene;
    scene.add(Collider{.shape = Plane{}});
    const BodyId body = scene.add(crate(), {}, {{}, {0, 1, 0}});
    scene.state(body).positions[3].x = NAN;
    CHECK(scene.step()[0].repaired_particles > 0);
    for (const Vec3& x : scene.state(body).positions) CHECK(is_finite(x));
    for (Vec3& v : scene.state(body).velocities) v = {NAN, NAN, NAN};
    scene.step();
    for (const Vec3& v : scene.state(body).velocities) CHECK(is_finite(v));
    CHECK(worst_strain(scene, body) < 1e-5);
}
