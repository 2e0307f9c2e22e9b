// All touches of a step solved together: momentum, gaps by brute force, who may move, and the same bits on any number
// of threads.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <set>

#include "contact/touch_solver.h"
#include "contact_bodies.h"

using namespace yawara;
using namespace yawara::contact;
using namespace yawara::test;

namespace {

constexpr double kDt = 1.0 / 300;

struct World {
    std::vector<SteppedBody> bodies;
    std::vector<Collider> colliders;
    NearPairs near;
    std::vector<SurfaceBoxes> boxes;
    TouchSolver solver;

    void solve(float enough = 0.001f)
    {
        std::vector<ContactBody> views;
        for (SteppedBody& body : bodies) {
            views.push_back(body.view());
            boxes.emplace_back(body.surface);
            solver.add(body.surface);
        }
        near.update(views, boxes);
        for (std::size_t k = 0; k < views.size(); ++k) {
            views[k].references = boxes[k].references();
            views[k].moved = boxes[k].moved();
        }
        for (NearPair& pair : near.pairs()) {
            const ContactBody &a = views[std::size_t(pair.a)], &b = views[std::size_t(pair.b)];
            find_candidates(views, boxes, pair);
            pair.law = law_of(a, b, false, kDt);
            find_touches(b, a, pair.b_on_a, pair.law, pair.touches);
            pair.b_touches = pair.touches.size();
            find_touches(a, b, pair.a_on_b, pair.law, pair.touches);
            find_edge_touches(a, b, pair.edges, pair.law, pair.touches);
        }
        for (ContactBody& view : views) view.colliders = colliders;
        Links links;
        solver.solve(views, near.pairs(), links, float(kDt), enough);
    }

    std::size_t touches() const
    {
        std::size_t count = 0;
        for (const NearPair& pair : near.pairs()) count += pair.touches.size();
        return count;
    }

    /// Sums of m x and m v.
    std::pair<Vec3d, Vec3d> momenta() const
    {
        std::pair<Vec3d, Vec3d> sum;
        for (const SteppedBody& body : bodies)
            for (std::size_t i = 0; i < body.positions.size(); ++i) {
                const double mass = 1 / double(body.inverse_masses[i]);
                sum.first += body.positions[i].as<double>() * mass;
                sum.second += body.velocities[i].as<double>() * mass;
            }
        return sum;
    }
};

/// Three balls that fly into each other, with random masses.
World collision(float friction, float pace = 1, bool backwards = false)
{
    World world;
    std::vector<std::pair<Vec3d, Vec3>> flights{{{0, 0.02, 0}, {0.012f, 0.002f, 0}},
                                                {{0.41, 0.03, 0}, {-0.015f, 0, 0.001f}},
                                                {{0.19, 0.445, 0.02}, {0, -0.03f, 0}}};
    if (backwards) std::reverse(flights.begin(), flights.end());
    for (const auto& [home, way] : flights) {
        world.bodies.emplace_back(ball_of_tets(0.2, 10), Placement{.turn = {}, .move = home});
        SteppedBody& body = world.bodies.back();
        for (std::size_t i = 0; i < body.inverse_masses.size(); ++i)
            body.inverse_masses[i] = 1 / (1 + 0.5f * std::sin(50 * body.surface.rest[i].x));
        body.settings.friction = friction;
        body.go(kDt, [move = way * pace](Vec3 p, std::size_t) { return p + move; });
    }
    return world;
}

}  // namespace

TEST_CASE("bodies that meet keep their momentum and the centre of their masses")
{
    for (const float friction : {0.0f, 0.6f}) {
        World world = collision(friction);
        for (SteppedBody& body : world.bodies) body.settings.restitution = 0.4f;
        const auto [center, momentum] = world.momenta();
        world.solve();
        CHECK(world.touches() > 10);
        const auto [center_after, momentum_after] = world.momenta();
        CHECK(length(center_after - center) < 1e-3);
        CHECK(length(momentum_after - momentum) < 0.1);
    }
}

TEST_CASE("after a step that would have made bodies overlap nothing is inside, by brute force")
{
    World world = collision(0.3f);
    const auto deepest = [&] {
        double depth = -1e9;
        for (const SteppedBody& one : world.bodies)
            for (const SteppedBody& two : world.bodies) {
                if (&one == &two) continue;
                for (const std::int32_t i : one.surface.vertices) {
                    const NearestPoint nearest =
                        nearest_on(two.surface, two.positions, one.positions[std::size_t(i)].as<double>());
                    depth = std::max(depth, nearest.inside ? nearest.distance : -nearest.distance);
                }
            }
        return depth;
    };
    const double thickness = 2 * double(world.bodies[0].view().thickness());
    CHECK(deepest() > thickness);
    world.solve();
    CHECK(deepest() < -0.5 * thickness);
    for (const NearPair& pair : world.near.pairs()) CHECK(world.solver.deepest(pair) == 0);
}

TEST_CASE("particles in no touch keep every bit, and the solver counts those that are in one")
{
    World world = collision(0.3f), before = collision(0.3f);
    world.solve();
    std::vector<std::set<std::int32_t>> touched(3);
    // After the solve touches have the numbers of gathered particles: they are found once more.
    for (const NearPair& pair : world.near.pairs()) {
        const ContactBody a = before.bodies[std::size_t(pair.a)].view(), b = before.bodies[std::size_t(pair.b)].view();
        const auto collect = [&](const ContactBody& one, std::int32_t of_one, const ContactBody& two,
                                 std::int32_t of_two, const auto& find) {
            std::vector<Touch> found;
            find(one, two, found);
            for (const Touch& touch : found)
                for (std::size_t c = 0; c < 4; ++c)
                    touched[std::size_t(c < std::size_t(touch.own_count) ? of_one : of_two)].insert(touch.particles[c]);
        };
        collect(b, pair.b, a, pair.a,
                [&](auto& one, auto& two, auto& out) { find_touches(one, two, pair.b_on_a, pair.law, out); });
        collect(a, pair.a, b, pair.b, [&](auto& one, auto& two, auto& out) {
            find_touches(one, two, pair.a_on_b, pair.law, out);
            find_edge_touches(one, two, pair.edges, pair.law, out);
        });
    }
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(world.solver.touched(k) == int(touched[k].size()));
        const auto moved = world.solver.moved(k);
        CHECK(std::set<std::int32_t>(moved.begin(), moved.end()) == touched[k]);
        for (std::size_t i = 0; i < world.bodies[k].positions.size(); ++i) {
            if (touched[k].contains(std::int32_t(i))) continue;
            CHECK(world.bodies[k].positions[i] == before.bodies[k].positions[i]);
            CHECK(world.bodies[k].velocities[i] == before.bodies[k].velocities[i]);
        }
    }
}

TEST_CASE("what is held or asleep does not move, and the others get out of its way")
{
    World world = collision(0.3f);
    SteppedBody &sleeper = world.bodies[0], &held = world.bodies[1];
    sleeper.positions = sleeper.before;
    std::fill(sleeper.velocities.begin(), sleeper.velocities.end(), Vec3{});
    sleeper.asleep = true;
    std::fill(held.inverse_masses.begin(), held.inverse_masses.end(), 0.0f);
    const std::vector<Vec3> asleep = sleeper.positions, path = held.positions;
    world.solve();
    CHECK(sleeper.positions == asleep);
    CHECK(held.positions == path);
    const SteppedBody& free = world.bodies[2];
    for (const std::int32_t i : free.surface.vertices)
        for (const SteppedBody* other : {&sleeper, &held})
            CHECK_FALSE(
                nearest_on(other->surface, other->positions, free.positions[std::size_t(i)].as<double>()).inside);
}

TEST_CASE("a body between another one and the floor is not pushed through the floor")
{
    World world;
    const TetMesh slab = make_bar({0.4, 0.2, 0.4}, {4, 2, 4}, {-0.2, 0, -0.2});
    world.bodies.emplace_back(slab);
    world.bodies.emplace_back(slab, Placement{.turn = {}, .move = {0.03, 0.21, 0.02}});
    world.colliders.push_back({.shape = Plane{{0, 0.199, 0}}});  // just below the particles that are touched
    world.bodies[0].go(kDt, [](Vec3 p, std::size_t) { return p; });
    world.bodies[1].go(kDt, [](Vec3 p, std::size_t) { return p - Vec3{0, 0.02f, 0}; });
    world.solve();
    CHECK(world.solver.moved(0).size() > 9);
    for (const std::int32_t i : world.solver.moved(0)) CHECK(world.bodies[0].positions[std::size_t(i)].y > 0.1989f);
}

TEST_CASE("a corner leaves a face with the share of its speed that restitution gives back")
{
    for (const float restitution : {0.0f, 0.5f, 1.0f}) {
        World world;
        const TetMesh block = make_bar({0.3, 0.3, 0.3}, {3, 3, 3});
        const Mat3d on_corner = rotation(Vec3d{-1, 0, 1}, std::acos(1 / std::sqrt(3.0)));
        world.bodies.emplace_back(block, Placement{.turn = {}, .move = {0, -0.3, 0}});
        world.bodies.emplace_back(block, Placement{.turn = on_corner, .move = {0.14, 0.02, 0.13}});
        SteppedBody& corner = world.bodies[1];
        const Vec3 fall{0, -0.025f, 0};
        corner.velocities = std::vector<Vec3>(corner.positions.size(), fall / float(kDt));
        corner.go(kDt, [fall](Vec3 p, std::size_t) { return p + fall; });
        for (SteppedBody& body : world.bodies) {
            body.settings.friction = 0;
            body.settings.restitution = restitution;
        }
        world.bodies[0].asleep = true;
        world.solve();
        REQUIRE(world.touches() == 1);
        const auto tip = std::size_t(world.solver.moved(1)[0]);
        CHECK(double(corner.velocities[tip].y) == doctest::Approx(0.025 / kDt * double(restitution)).epsilon(1e-3));
        CHECK(double(corner.positions[tip].y) ==
              doctest::Approx(double(world.near.pairs()[0].law.thickness)).epsilon(1e-3));
    }
}

TEST_CASE("without friction the order of the bodies does not matter")
{
    World forwards = collision(0, 0.5f), backwards = collision(0, 0.5f, true);
    forwards.solve();
    backwards.solve();
    CHECK(forwards.touches() == backwards.touches());
    float largest = 0;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < forwards.bodies[k].positions.size(); ++i)
            largest = std::max(largest, length(forwards.bodies[k].positions[i] - backwards.bodies[2 - k].positions[i]));
    CHECK(largest < 0.2f * forwards.bodies[0].view().thickness());  // sweeps end before all has come to an end
}

TEST_CASE("any number of threads gives the same bits")
{
    std::vector<World> worlds;
    for (const std::size_t threads : {1, 2, 4, 8}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        World& world = worlds.emplace_back();
        const TetMesh slab = make_bar({0.5, 0.2, 0.5}, {10, 4, 10}, {-0.25, 0, -0.25});
        for (int k = 0; k < 8; ++k) {
            world.bodies.emplace_back(slab, Placement{.turn = {}, .move = {0.6 * k, 0, 0}});
            world.bodies.emplace_back(slab,
                                      Placement{.turn = rotation(Vec3d{0, 1, 0}, 0.1 * k), .move = {0.6 * k, 0.21, 0}});
            world.bodies.back().go(kDt, [](Vec3 p, std::size_t) { return p - Vec3{0, 0.02f, 0}; });
        }
        world.solve();
        CHECK(world.touches() > 800);
    }
    for (std::size_t w = 1; w < worlds.size(); ++w)
        for (std::size_t k = 0; k < worlds[0].bodies.size(); ++k) {
            CHECK(worlds[w].bodies[k].positions == worlds[0].bodies[k].positions);
            CHECK(worlds[w].bodies[k].velocities == worlds[0].bodies[k].velocities);
        }
}
