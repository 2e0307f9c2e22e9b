// Obstacles that move, by paths and by the program, under, against and around bodies of every kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>

#include "bodies.h"
#include "sim/resting.h"
#include "yawara/fem.h"

using namespace yawara;
using namespace yawara::test;

namespace {

enum class Kind { tets, young, lattice, fem, implicit_fem };
constexpr Kind kKinds[] = {Kind::tets, Kind::young, Kind::lattice, Kind::fem, Kind::implicit_fem};

/// A block of cells of 5 cm whose bottom is at y = 0, about x = z = 0.
BodyModel block(Kind kind, Vec3d size = {0.2, 0.2, 0.2})
{
    const Vec3d low{-size.x / 2, 0, -size.z / 2};
    const auto cells = [](double length) { return std::max(int(std::lround(length / 0.05)), 1); };
    const TetMesh tets = make_bar(size, {cells(size.x), cells(size.y), cells(size.z)}, low);
    BodySpec spec;
    spec.name = "block";
    if (kind == Kind::fem || kind == Kind::implicit_fem) {
        Fem fem;
        fem.mesh = tets;
        fem.levels = 0;
        fem.material = [](const MaterialPlace&) {
            return FemMaterial{.elasticity = isotropic(3e5, 0.3).value(), .viscosity = isotropic(3e2, 0.3).value()};
        };
        spec.solid = fem;
    } else if (kind == Kind::lattice) {
        spec.solid = Matching{make_lattice(Box3{low, low + size}, 0.04, [](Vec3d) { return true; })};
    } else {
        spec.solid = Matching{tets};
    }
    return build(std::move(spec)).value();
}

BodySettings settings_of(Kind kind)
{
    BodySettings settings;
    settings.matching.damping = 0.1f;
    if (kind == Kind::young) settings.matching.young = 3e5f;
    settings.fem.integration = kind == Kind::implicit_fem ? Integration::implicit_step : Integration::explicit_steps;
    return settings;
}

/// From the origin at `start` with a constant velocity for so long.
Path straight(Vec3d velocity, double start, double duration)
{
    const PathKey keys[] = {{.time = start}, {.time = start + duration, .move = velocity * duration}};
    return Path(keys, false, {});
}

double lowest(const Scene& scene, Vec3d axis)
{
    double low = 1e300;
    for (const Vec3& x : scene.state(first_body(scene)).positions) low = std::min(low, dot(axis, x.as<double>()));
    return low;
}

bool all_finite(const Scene& scene)
{
    for (const Vec3& x : scene.state(first_body(scene)).positions)
        if (!is_finite(x)) return false;
    return true;
}

void run(Scene& scene, double seconds)
{
    for (const double end = scene.time() + seconds - 1e-9; scene.time() < end;) scene.step();
}

}  // namespace

TEST_CASE("a platform that goes 2 m sideways takes its passenger along within a hundredth")
{
    for (const Kind kind : kKinds) {
        CAPTURE(int(kind));
        Scene scene;
        const PathKey keys[] = {{.time = 1}, {.time = 3, .move = {2, 0, 0}}};
        scene.add(
            Collider{.shape = Box{{0.5, 0.1, 0.5}, {{}, {0, -0.1, 0}}}, .friction = 1, .path = Path(keys, true, {})});
        scene.add(block(kind), settings_of(kind));
        run(scene, 1);
        const double before = center_of_mass(scene).x;
        run(scene, 2.5);
        CHECK(center_of_mass(scene).x - before == doctest::Approx(2).epsilon(0.01));
    }
}

TEST_CASE("a thin wall swept at 30 m/s with five sub-steps a frame pushes a body and lets no particle through")
{
    for (const Kind kind : kKinds) {
        CAPTURE(int(kind));
        SceneSettings settings;
        settings.gravity = {};
        Scene scene(settings);
        const ColliderId wall = scene.add(
            Collider{.shape = Box{{0.01, 0.5, 0.5}, {}}, .motion = ColliderMotion{.end = {{}, {-0.5, 0.1, 0}}}});
        scene.add(block(kind), settings_of(kind));
        for (int frame = 1; frame <= 4; ++frame) {
            REQUIRE(scene.move(wall, {{}, {-0.5 + 0.5 * frame, 0.1, 0}}));
            scene.step();
            const double front = scene.collider(wall).motion->end.move.x + 0.01;
            CHECK(lowest(scene, {1, 0, 0}) > front - 0.01);
        }
        CHECK(all_finite(scene));
        CHECK(center_of_mass(scene).x > 1.5);
    }
}

TEST_CASE("a body thrown at a wall of 1 cm with 20 m/s does not get through")
{
    for (const Kind kind : kKinds) {
        CAPTURE(int(kind));
        SceneSettings settings;
        settings.gravity = {};
        Scene scene(settings);
        scene.add(Collider{.shape = Box{{0.005, 0.5, 0.5}, {{}, {0.2, 0.1, 0}}}});
        scene.add(block(kind), settings_of(kind), {}, {20, 0, 0});
        for (int frame = 0; frame < 6; ++frame) {
            scene.step();
            CHECK(-lowest(scene, {-1, 0, 0}) < 0.2);
        }
        CHECK(center_of_mass(scene).x < 0.2);
    }
}

TEST_CASE("what is pressed between two closing obstacles stays finite and is reported as wedged")
{
    for (const Kind kind : {Kind::tets, Kind::young, Kind::lattice}) {
        CAPTURE(int(kind));
        Scene scene;
        scene.add(Collider{.shape = Plane{}});
        scene.add(Collider{.shape = Plane{{0, 0.3, 0}, {0, -1, 0}}, .path = straight({0, -1, 0}, 0, 0.35)});
        scene.add(block(kind), settings_of(kind));
        int wedged = 0;
        for (int frame = 0; frame < 40; ++frame) wedged = std::max(wedged, scene.step()[0].contact.wedged);
        CHECK(wedged > 0);
        CHECK(all_finite(scene));
        CHECK(length(center_of_mass(scene)) < 1);
    }
    for (const Kind kind : {Kind::fem, Kind::implicit_fem}) {  // springs give way: nothing is wedged
        Scene scene;
        scene.add(Collider{.shape = Plane{}});
        scene.add(Collider{.shape = Plane{{0, 0.3, 0}, {0, -1, 0}}, .path = straight({0, -1, 0}, 0, 0.28)});
        scene.add(block(kind), settings_of(kind));
        run(scene, 0.4);
        CHECK(all_finite(scene));
    }
}

TEST_CASE("a turning paddle throws a body and is not entered")
{
    for (const Kind kind : kKinds) {
        CAPTURE(int(kind));
        SceneSettings settings;
        settings.gravity = {};
        Scene scene(settings);
        // A blade of 4 cm along x that turns from below about the z axis, 1 m beside the body.
        const PathKey keys[] = {{.time = 0, .turn = {0, 0, -0.6}}, {.time = 0.2, .turn = {0, 0, 1.4}}};
        const ColliderId blade =
            scene.add(Collider{.shape = Box{{1.2, 0.02, 0.4}, {{}, {0, 0, 0}}}, .path = Path(keys, false, {})});
        scene.add(block(kind), settings_of(kind), {{}, {0.8, 0.05, 0}});
        for (int frame = 0; frame < 12; ++frame) {
            scene.step();
            const Placement at = scene.collider(blade).motion->end;
            for (const Vec3& x : scene.state(first_body(scene)).positions) {
                const Vec3d local = at.undo(x.as<double>());
                CHECK((local.y > 0.0 || std::abs(local.x) > 1.2));
            }
        }
        CHECK(center_of_mass(scene).y > 0.6);
        // Thrown at right angles to the arm, about as fast as the blade, 10 rad/s at 0.8 m.
        const auto velocities = scene.state(first_body(scene)).velocities;
        Vec3d mean;
        for (const Vec3& v : velocities) mean += v.as<double>() / double(velocities.size());
        CHECK(length(mean) > 6);
        CHECK(length(mean) < 14);
    }
}

TEST_CASE("a shaken container keeps what is in it")
{
    for (const Kind kind : {Kind::tets, Kind::lattice, Kind::fem}) {
        CAPTURE(int(kind));
        const TriMesh walls = boundary_surface(make_bar({0.6, 0.6, 0.6}, {2, 2, 2}, {-0.3, -0.2, -0.3}));
        std::vector<PathKey> keys;
        for (int k = 0; k <= 10; ++k)
            keys.push_back({.time = 0.1 * k,
                            .move = {k % 2 == 1 ? 0.4 : -0.2, k % 3 == 1 ? 0.3 : 0.0, 0},
                            .turn = {0, 0, k % 2 == 1 ? 0.5 : -0.4}});
        Scene scene;
        const ColliderId bowl = scene.add(
            Collider{.shape = MeshDistance::build(walls, true).value(), .path = Path(keys, true, {0, 0.1, 0})});
        scene.add(block(kind), settings_of(kind));
        for (int frame = 0; frame < 60; ++frame) {
            scene.step();
            const Placement at = scene.collider(bowl).motion->end;
            for (const Vec3& x : scene.state(first_body(scene)).positions) {
                const Vec3d local = at.undo(x.as<double>()) - Vec3d{0, 0.1, 0};
                // Springs of finite elements give way at 36 times the weight.
                const double most = kind == Kind::fem ? 0.36 : 0.301;
                CHECK(std::max({std::abs(local.x), std::abs(local.y), std::abs(local.z)}) < most);
            }
        }
    }
}

TEST_CASE("in a frame that moves evenly everything happens as in one at rest")
{
    const Vec3d drift{3, 0.5, -2};
    for (const Kind kind : kKinds) {
        CAPTURE(int(kind));
        const auto make = [&](bool moves) {
            Scene scene;
            const Path path = moves ? straight(drift, 0, 10) : Path();
            scene.add(Collider{.shape = Plane{{0, -0.1, 0}, {0.3, 1, 0}}, .path = path});
            scene.add(Collider{.shape = Sphere{{0.25, -0.1, 0.05}, 0.15}, .friction = 0.3f, .path = path});
            scene.add(block(kind), settings_of(kind), {}, (moves ? drift : Vec3d{}) + Vec3d{1, 0, 0});
            return scene;
        };
        Scene still = make(false), moving = make(true);
        for (int frame = 0; frame < 20; ++frame) {
            still.step();
            moving.step();
        }
        double off = 0, path = 0;
        for (std::size_t i = 0; i < still.state(first_body(still)).positions.size(); ++i) {
            const Vec3d a = still.state(first_body(still)).positions[i].as<double>();
            const Vec3d b = moving.state(first_body(moving)).positions[i].as<double>() - drift * still.time();
            off = std::max(off, length(a - b));
            path = std::max(path, length(a));
        }
        CHECK(path > 0.1);
        CHECK(off < (kind == Kind::implicit_fem ? 1e-2 : 1e-3));  // implicit steps are solved to a tolerance
    }
}

TEST_CASE("a body on a platform in even motion comes to rest on it")
{
    Scene scene;
    scene.add(Collider{.shape = Box{{0.5, 0.1, 0.5}, {{}, {0, -0.1, 0}}}, .path = straight({1, 0, 0}, 0, 10)});
    const BodyId body = scene.add(block(Kind::tets), settings_of(Kind::tets), {}, {1, 0, 0});
    run(scene, 3);
    CHECK(rests(scene.state(body).matching.resting));
    const double at = center_of_mass(scene).x - scene.time();
    run(scene, 2);
    CHECK(std::abs(center_of_mass(scene).x - scene.time() - at) < 1e-3);
}

TEST_CASE("a belt carries a body without moving itself")
{
    for (const Kind kind : kKinds) {
        CAPTURE(int(kind));
        Scene scene;
        const ColliderId belt =
            scene.add(Collider{.shape = Box{{3, 0.1, 0.5}, {{}, {0, -0.1, 0}}}, .friction = 1, .belt = {0.5, 0, 0}});
        scene.add(block(kind), settings_of(kind));
        run(scene, 1);
        const double before = center_of_mass(scene).x;
        run(scene, 2);
        CHECK(center_of_mass(scene).x - before == doctest::Approx(1).epsilon(0.01));
        CHECK(scene.collider(belt).motion->end == Placement{});
    }
}

TEST_CASE("a sleeping body wakes when an obstacle beside it moves, not when one far away does")
{
    SceneSettings settings;
    settings.sleep = true;
    Scene scene(settings);
    const ColliderId platform = scene.add(Collider{.shape = Box{{0.5, 0.1, 0.5}, {{}, {0, -0.1, 0}}}, .friction = 1});
    const ColliderId far = scene.add(Collider{.shape = Sphere{{50, 0, 0}, 1}});
    const BodyId body = scene.add(block(Kind::tets), settings_of(Kind::tets));
    run(scene, 4);
    REQUIRE(scene.state(body).still >= 0.5f);
    REQUIRE(scene.move(far, {{}, {0, 1, 0}}));
    scene.step();
    CHECK(scene.state(body).still >= 0.5f);
    for (int frame = 1; frame <= 60; ++frame) {
        REQUIRE(scene.move(platform, {{}, {0.01 * frame, 0, 0}}));
        scene.step();
    }
    run(scene, 1);
    CHECK(center_of_mass(scene).x == doctest::Approx(0.6).epsilon(0.05));
}

TEST_CASE("going back to a moment repeats the motion of obstacles and bodies bit by bit, with any number of threads")
{
    const auto make = [](int threads) {
        SceneSettings settings;
        settings.threads = threads;
        Scene scene(settings);
        const PathKey keys[] = {{.time = 0}, {.time = 1, .move = {0.5, 0, 0}, .turn = {0, 1, 0}}};
        scene.add(Collider{.shape = Box{{1, 0.1, 1}, {{}, {0, -0.1, 0}}}, .path = Path(keys, true, {})});
        scene.add(Collider{.shape = Sphere{{0, 0, 0}, 0.1}, .motion = ColliderMotion{.end = {{}, {-0.6, 0.1, 0}}}});
        scene.add(block(Kind::tets), settings_of(Kind::tets));
        scene.add(block(Kind::fem), settings_of(Kind::fem), {{}, {0, 0.25, 0}});
        return scene;
    };
    const auto play = [](Scene& scene, int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            const double x = -0.6 + 2 * scene.time();
            REQUIRE(scene.move(scene.collider_ids()[1], {rotation(Vec3d{0, 0, 1}, 0.3), {x, 0.1, 0}}));
            scene.step();
        }
    };
    Scene one = make(1), four = make(4);
    play(one, 10);
    play(four, 10);
    CHECK(one.hash() == four.hash());
    REQUIRE(one.move(one.collider_ids()[1], {{}, {0.5, 0.3, 0}}));
    const SceneMoment moment = one.moment();  // on its way
    one.step();
    one.step();
    const std::uint64_t hash = one.hash();
    const Placement end = one.collider(one.collider_ids()[1]).motion->end;
    play(one, 5);
    REQUIRE(one.go_to(moment));
    one.step();
    one.step();
    CHECK(one.hash() == hash);
    CHECK(one.collider(one.collider_ids()[1]).motion->end == end);
}

TEST_CASE("an obstacle of a stale id, on a path, or moved to where no number is, is an error")
{
    Scene scene;
    const ColliderId ball = scene.add(Collider{.shape = Sphere{}});
    const ColliderId led = scene.add(Collider{.shape = Sphere{}, .path = straight({1, 0, 0}, 0, 1)});
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    CHECK(scene.move(ball, {{}, {0, 1, 0}}));
    CHECK_FALSE(scene.move(led, {}));
    CHECK_FALSE(scene.move(ball, {{}, {0, kNaN, 0}}));
    CHECK_FALSE(scene.move(ball, {Mat3d{} * kNaN, {}}));
    CHECK_FALSE(scene.move(ball, {Mat3d{} * 2.0, {}}));
    CHECK_FALSE(scene.move(ball, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}}));
    CHECK_FALSE(scene.replace(ball, Collider{.shape = Sphere{{0, kNaN, 0}}}));
    CHECK_FALSE(scene.replace(ball, Collider{.shape = Box{{1, 1, 1}, {Mat3d{} * kNaN, {}}}}));
    CHECK(std::get<Sphere>(scene.collider(ball).shape).radius == 1);
    const std::size_t count = scene.colliders().size();
    CHECK_THROWS_AS(scene.add(Collider{.shape = Plane{{0, kNaN, 0}}}), Exception);
    CHECK_THROWS_AS(scene.add(Collider{.shape = Capsule{{}, {kNaN, 0, 0}}}), Exception);
    CHECK_THROWS_AS(scene.add(Collider{.shape = Sphere{{}, kNaN}}), Exception);
    CHECK_THROWS_AS(scene.add(Collider{.shape = Plane{}, .belt = {kNaN, 0, 0}}), Exception);
    CHECK(scene.colliders().size() == count);
    REQUIRE(scene.remove(ball));
    CHECK_FALSE(scene.move(ball, {}));
}

TEST_CASE("a body that is put where no number is comes back among the finite, and that is told")
{
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    for (const Placement& nowhere : {Placement{{}, {0, kNaN, 0}}, Placement{Mat3d{} * kNaN, {}}}) {
        Scene scene;
        scene.add(Collider{.shape = Plane{}});
        scene.add(bar(), {}, nowhere);
        scene.step();
        CHECK(std::ranges::any_of(scene.events(),
                                  [](const SceneEvent& event) { return event.what == SceneEvent::What::repaired; }));
        for (const Vec3& x : scene.state(scene.bodies()[0]).positions) CHECK(is_finite(x));
    }
}

TEST_CASE("part of a motion about a far axis stays on the arc")
{
    const Mat3d quarter = rotation(Vec3d{0, 0, 1}, std::numbers::pi / 2);
    const Vec3d axis{3, 1, 0};
    const ColliderMotion motion{{}, {quarter, axis - quarter * axis}, {}, 1};
    const ColliderMotion half = motion.part(0, 0.5);
    CHECK(length(half.end(axis) - axis) < 1e-12);
    CHECK(length(half.carry({4, 1, 0}) - (axis + Vec3d{1, 1, 0} * std::sqrt(0.5))) < 1e-12);
    CHECK(length(motion.part(0.5, 1).carry(half.carry({4, 2, 1})) - motion.carry({4, 2, 1})) < 1e-12);
}
