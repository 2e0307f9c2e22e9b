// The contact rule: nobody stays inside, friction and restitution as in the equations, nothing passes through.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <random>

#include "contact/response.h"
#include "contact/shapes.h"
#include "yawara/tessellate.h"

using namespace yawara;
using contact::Friction;
using contact::resolve_contacts;
using contact::sample;

namespace {

struct Ball {
    Vec3 before, x, v;
};

/// One step of one particle: advance, then contact.
ContactReport advance(std::span<const Collider> colliders, Ball& ball, float dt,
                      Friction friction = Friction::per_particle)
{
    ball.before = ball.x;
    ball.x += ball.v * dt;
    const Vec3 v = ball.v;
    return resolve_contacts(colliders, {&ball.before, 1}, {&v, 1}, {&ball.x, 1}, {&ball.v, 1}, friction);
}

double rounding(Vec3 x)
{
    return 1e-6 * (std::abs(x.x) + std::abs(x.y) + std::abs(x.z));
}

Collider mesh_of(const Collider& shape, bool container = false)
{
    return {MeshDistance::build(tessellate(shape, 1), container).value()};
}

/// A scene of everything, overlapping here and there.
std::vector<Collider> crowd()
{
    const Collider box{Box{{0.6, 0.3, 0.4}, {rotation(Vec3d{1, 1, 0}, 0.6), {0.8, 0, 0}}}};
    return {{Plane{{0, -1, 0}, {0.1, 1, 0}}},
            {Plane{{-1.5, 0, 0}, {1, 0.2, 0.1}}},
            box,
            {Sphere{{-0.4, 0.3, 0.2}, 0.5}},
            {Capsule{{0, -0.9, -1}, {0.3, 0.8, -0.8}, 0.3}},
            mesh_of({Box{{0.3, 0.5, 0.2}, {{}, {-0.3, 0.3, 1.0}}}}),
            mesh_of({Sphere{{}, 3}}, true)};
}

}  // namespace

TEST_CASE("after contact no particle is inside any obstacle, wherever it started and however it moved")
{
    const std::vector<Collider> colliders = crowd();
    std::mt19937 random(1);
    std::uniform_real_distribution<float> u(-3.5f, 3.5f);
    const std::size_t count = 20000;
    std::vector<Vec3> before(count), x(count), v(count);
    for (std::size_t k = 0; k < count; ++k) {
        before[k] = {u(random), u(random), u(random)};
        x[k] =
            k % 2 ? before[k] + Vec3{u(random), u(random), u(random)} * 0.02f : Vec3{u(random), u(random), u(random)};
        v[k] = (x[k] - before[k]) * 60.0f;
    }
    const ContactReport report = resolve_contacts(colliders, before, v, x, v);
    CHECK(report.contacts > 1000);
    CHECK(report.deepest > 0.1f);
    int inside = 0;
    double deepest = 0;
    for (std::size_t k = 0; k < count; ++k) {
        REQUIRE(is_finite(x[k]));
        REQUIRE(is_finite(v[k]));
        double worst = 1;
        for (const Collider& collider : colliders)
            worst = std::min(worst, sample(collider, x[k]).distance + rounding(x[k]));
        inside += worst < 0;
        deepest = std::min(deepest, worst);
    }
    CAPTURE(deepest);
    CHECK(inside == report.wedged);
    CHECK(report.wedged < static_cast<int>(count / 100));
}

TEST_CASE("a dropped particle bounces to the square of the restitution of its height")
{
    for (const float e : {0.0f, 0.3f, 0.8f, 1.0f}) {
        for (const Collider& shape : {Collider{Plane{}}, Collider{Box{{5, 1, 5}, {{}, {0, -1, 0}}}},
                                      mesh_of({Box{{5, 1, 5}, {{}, {0, -1, 0}}}})}) {
            Collider floor = shape;
            floor.restitution = e;
            Ball ball{{}, {0.1f, 1, 0.2f}, {}};
            const float dt = 1.0f / 20000;
            float highest = 0;
            bool bounced = false;
            for (int step = 0; step < 20000 && !(bounced && ball.v.y < 0); ++step) {
                ball.v.y -= 9.8f * dt;
                bounced = advance({&floor, 1}, ball, dt).contacts > 0 || bounced;
                if (bounced) highest = std::max(highest, ball.x.y);
            }
            CHECK(bounced);
            CHECK(highest == doctest::Approx(e * e).epsilon(0.01).scale(1));
        }
    }
}

TEST_CASE(
    "a particle on a slope stays if the slope is below the friction angle and slides with the right speed above it")
{
    const float mu = 0.5f, g = 9.8f, dt = 1.0f / 1000;
    for (const double slope : {0.2, 0.4, 0.49, 0.51, 0.8, 1.5}) {  // tangent of the angle
        const double angle = std::atan(slope);
        const Vec3d normal{std::sin(angle), std::cos(angle), 0};
        const Placement placed{rotation(Vec3d{0, 0, 1}, -angle), normal * -1.0};
        for (const Collider& shape :
             {Collider{Plane{{}, normal}}, Collider{Box{{50, 1, 50}, placed}}, mesh_of({Box{{50, 1, 50}, placed}})}) {
            Collider ground = shape;
            ground.friction = mu;
            Ball ball;
            for (int step = 0; step < 1000; ++step) {
                ball.v.y -= g * dt;
                advance({&ground, 1}, ball, dt);
            }
            const double expected = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle)));  // m/s after 1 s
            CHECK(length(ball.v) == doctest::Approx(expected).epsilon(0.01).scale(1));
            if (expected == 0) CHECK(length(ball.x) < 1e-6);
        }
    }
}

TEST_CASE("friction takes no more than its share of the normal speed, and no more than there is")
{
    Collider ground{Plane{}, 0.25f, 0.5f};
    Ball ball{{}, {0, 0.01f, 0}, {3, -4, 0}};
    advance({&ground, 1}, ball, 0.01f);
    CHECK(ball.v.y == doctest::Approx(2));             // half of 4 given back
    CHECK(ball.v.x == doctest::Approx(3 - 0.25 * 6));  // the normal speed changed by 6
    Ball slow{{}, {0, 0.01f, 0}, {0.3f, -4, 0}};
    advance({&ground, 1}, slow, 0.01f);
    CHECK(slow.v.x == 0);
    Ball leaving{{}, {0, -0.1f, 0}, {1, 2, 0}};  // inside, but on its way out: only moved
    advance({&ground, 1}, leaving, 0.01f);
    CHECK(leaving.v == Vec3{1, 2, 0});
    CHECK(leaving.x.y == doctest::Approx(0));
}

TEST_CASE("friction on the way takes the same share of it as of the speed, from where the surface was met")
{
    const std::vector<Collider> ground{{Plane{}, 0.25f, 0.0f}};
    const float dt = 0.01f;
    Ball lying{{}, {0, 0, 0}, {2, -4, 0}}, landing{{}, {0, 0.01f, 0}, {2, -4, 0}};
    advance(ground, lying, dt);
    CHECK(lying.v.x == doctest::Approx(1));  // a quarter of 4 lost: half
    CHECK(lying.x.x == doctest::Approx(0.01));
    advance(ground, landing, dt);  // met the surface after a quarter of its way
    CHECK(landing.x.x == doctest::Approx(0.02 * (1 - 0.75 * 0.5)));
}

TEST_CASE("nothing passes through thin obstacles at a thousand metres a second")
{
    const Placement turned{rotation(Vec3d{0, 0, 1}, 0.3), {0, 0, 0}};
    const std::vector<Collider> walls{{Box{{5, 0.005, 5}, turned}},
                                      mesh_of({Box{{5, 0.005, 5}, turned}}),
                                      {Box{{5, 0, 5}, {}}},
                                      {Sphere{{}, 0.2}},
                                      {Capsule{{-3, 0, 0}, {3, 0, 0}, 0.05}}};
    std::mt19937 random(4);
    std::uniform_real_distribution<float> u(-1, 1);
    for (const Collider& wall : walls) {
        const bool wide = wall.shape.index() == 1 || wall.shape.index() == 4;
        for (int k = 0; k < 500; ++k) {
            // Aimed at the middle of the obstacle from 3 m above.
            const Vec3 target = wide ? Vec3{u(random), 0, u(random)} : Vec3{0.02f * u(random), 0, 0.02f * u(random)};
            const Vec3 start{target.x + u(random), 3, target.z + u(random)};
            const Vec3 direction = normalized(target - start);
            Ball ball{{}, start, direction * 1000.0f};
            for (int step = 0; step < 30; ++step) advance({&wall, 1}, ball, (0.5f + 0.5f * std::abs(u(random))) / 100);
            // Without rebound the particle is stopped on the upper side, or slides off along it.
            if (wide) {
                const double angle = wall.shape.index() == 1 && std::get<Box>(wall.shape).half_size.y == 0 ? 0 : 0.3;
                REQUIRE(ball.x.y * std::cos(angle) - ball.x.x * std::sin(angle) > -1e-3);
            } else {
                REQUIRE(sample(wall, ball.x).distance > -1e-5);
                REQUIRE(dot(ball.v, direction) < 500);
            }
        }
    }
}

TEST_CASE("a particle that passes one thin plate and ends inside or behind a second one is stopped at the first")
{
    const Collider upper{Box{{5, 0.005, 5}, {{}, {0, 0, 0}}}}, lower{Box{{5, 0.005, 5}, {{}, {0, -0.3, 0}}}};
    for (const auto& plates :
         {std::vector{upper, lower}, std::vector{lower, upper}, std::vector{mesh_of(upper), mesh_of(lower)},
          std::vector{mesh_of(lower), mesh_of(upper)}})
        for (const float end : {-0.1f, -0.296f, -0.3f, -0.304f, -0.5f}) {
            Ball ball{{}, {0.1f, 0.2f, 0.3f}, {1, (end - 0.2f) / 0.01f, 2}};
            CHECK(advance(plates, ball, 0.01f).wedged == 0);
            CHECK(ball.x.y == doctest::Approx(0.005).epsilon(1e-5).scale(1));
            CHECK(ball.v.y == doctest::Approx(0).scale(1));
        }
}

TEST_CASE("a particle at rest on a slope does not creep, not even within steps")
{
    const Vec3d normal = normalized(Vec3d{0.3, 1, 0.1});
    const std::vector<Collider> ground{{Plane{{}, normal}, 0.5f, 0.0f}};
    Ball ball;
    const float dt = 1.0f / 300;
    for (int step = 0; step < 3000; ++step) {
        ball.v.y -= 9.8f * dt;
        advance(ground, ball, dt);
    }
    CHECK(length(ball.x) < 1e-6f);
}

TEST_CASE("particles of a resting body share their friction, and no more than all of it")
{
    // Two particles pressed by 1 m/s each: one pulled by 0.7 m/s along the ground, one by `other`; friction 0.5.
    const std::vector<Collider> ground{{Plane{}, 0.5f, 0.0f}};
    for (const float other : {0.0f, 0.25f, 0.35f, 0.5f}) {
        const std::vector<Vec3> before{{0, 0, 0}, {1, 0, 0}};
        const float dt = 0.01f;
        std::vector<Vec3> v{{0.7f, -1, 0}, {other, -1, 0}}, x{before[0] + v[0] * dt, before[1] + v[1] * dt};
        const std::vector<Vec3> still{{}, {}};
        const std::vector<float> masses{2, 2};
        resolve_contacts(ground, before, still, x, v, Friction::shared, masses);
        const bool holds = 0.7f + other <= 1.0f;
        CHECK((v[0].x == 0) == holds);
        CHECK((x[0].x == 0) == holds);
        if (!holds) CHECK(v[0].x == doctest::Approx(0.2));
    }
}

TEST_CASE("a particle lying on a thin plate is not shot through it from rest")
{
    for (const Collider& plate :
         {Collider{Box{{5, 0.0005, 5}, {{}, {0, 0.7, 0}}}}, mesh_of({Box{{5, 0.0005, 5}, {{}, {0, 0.7, 0}}}})}) {
        Ball ball{{}, {0.3f, 0.71f, 0.2f}, {}};
        for (int step = 0; step < 300; ++step) {
            ball.v.y -= 9.8f / 300;
            if (step > 200) ball.v = {float(step % 7) * 30 - 90, -1000, 50};
            if (step > 200) ball.x = {0.3f, ball.x.y, 0.2f};
            advance({&plate, 1}, ball, 1.0f / 300);
            REQUIRE(ball.x.y > 0.7004f);
        }
    }
}

TEST_CASE("corners and sharp grooves of planes and boxes leave a particle on both")
{
    std::mt19937 random(6);
    std::uniform_real_distribution<float> u(-1, 1);
    for (const double half_angle : {0.8, 0.3, 0.05, 0.01}) {  // half of the opening of the groove
        const std::vector<Collider> groove{{Plane{{}, {std::cos(half_angle), std::sin(half_angle), 0}}},
                                           {Plane{{}, {-std::cos(half_angle), std::sin(half_angle), 0}}},
                                           {Plane{{0, 0, -0.5}, {0, 0.1, 1}}}};
        for (int k = 0; k < 200; ++k) {
            Ball ball{{}, {0, 2, 0}, Vec3{u(random), -2 + u(random), u(random)} * 100.0f};
            const ContactReport report = advance(groove, ball, 0.01f + 0.01f * std::abs(u(random)));
            REQUIRE(report.wedged == 0);
            for (const Collider& plane : groove) REQUIRE(sample(plane, ball.x).distance > -rounding(ball.x) - 1e-7);
        }
    }
    // The corner of a floor and a standing box.
    const std::vector<Collider> corner{{Plane{}}, {Box{{1, 1, 1}, {{}, {1, 1, 0}}}}};
    Ball ball{{}, {-0.05f, 0.05f, 0}, {10, -10, 0}};
    advance(corner, ball, 0.02f);
    CHECK(ball.x.x == doctest::Approx(0).epsilon(1e-6).scale(1));
    CHECK(ball.x.y >= 0);
    CHECK(ball.x.y < 0.05f);
    CHECK(length(ball.v) < 1e-5f);
}

TEST_CASE("a particle at the centre of an obstacle comes out the nearest way")
{
    const std::vector<std::pair<Collider, double>> shapes{{{Sphere{{1, 1, 1}, 0.5}}, 0.5},
                                                          {{Capsule{{0, 1, 1}, {2, 1, 1}, 0.25}}, 0.25},
                                                          {{Box{{1, 0.3, 2}, {{}, {1, 1, 1}}}}, 0.3},
                                                          {mesh_of({Box{{1, 0.3, 2}, {{}, {1, 1, 1}}}}), 0.3}};
    for (const auto& [shape, depth] : shapes) {
        Ball ball{{}, {1, 1, 1}, {}};
        const ContactReport report = advance({&shape, 1}, ball, 0.01f);
        CHECK(report.contacts == 1);
        CHECK(report.deepest == doctest::Approx(depth));
        CHECK(length(ball.x - Vec3{1, 1, 1}) == doctest::Approx(depth));
        CHECK(sample(shape, ball.x).distance == doctest::Approx(0).epsilon(1e-5).scale(1));
    }
}

TEST_CASE("a particle stays in a closed room however hard it is thrown about")
{
    const std::vector<Collider> rooms{mesh_of({Box{{1, 0.5, 0.7}, {rotation(Vec3d{1, 2, 3}, 1.0), {5, 0, 0}}}}, true),
                                      mesh_of({Sphere{{5, 0, 0}, 0.8}}, true)};
    std::mt19937 random(9);
    std::uniform_real_distribution<float> u(-1, 1);
    for (Collider room : rooms) {
        room.restitution = 0.9f;
        Ball ball{{}, {5, 0, 0}, {}};
        for (int step = 0; step < 3000; ++step) {
            if (step % 10 == 0) ball.v = Vec3{u(random), u(random), u(random)} * 500.0f;
            advance({&room, 1}, ball, 1.0f / 100);
            REQUIRE(sample(room, ball.x).distance > -1e-5);
        }
    }
}

TEST_CASE("a mesh of overlapping parts keeps particles out of all of it")
{
    TriMesh parts;
    for (const Vec3d move : {Vec3d{0, 0, 0}, Vec3d{0.9, 0.8, 0.7}, Vec3d{-0.5, 0.4, 0.9}}) {
        const TriMesh cube = tessellate({Box{{1, 1, 1}, {{}, move}}}, 1);
        const auto base = static_cast<std::int32_t>(parts.vertices.size());
        parts.vertices.insert(parts.vertices.end(), cube.vertices.begin(), cube.vertices.end());
        for (const Int3& t : cube.triangles) parts.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    }
    const Collider mesh{MeshDistance::build(parts).value()};
    std::mt19937 random(15);
    std::uniform_real_distribution<float> u(-2.5f, 2.5f);
    int stopped = 0;
    for (int k = 0; k < 3000; ++k) {
        Ball ball{{}, {u(random), u(random), u(random)}, {}};
        if (sample(mesh, ball.x).distance < 0) continue;
        ball.v = (Vec3{u(random), u(random), u(random)} - ball.x) * 10.0f;
        stopped += advance({&mesh, 1}, ball, 0.1f).contacts;
        for (const Vec3d move : {Vec3d{0, 0, 0}, Vec3d{0.9, 0.8, 0.7}, Vec3d{-0.5, 0.4, 0.9}}) {
            REQUIRE(sample({Box{{1, 1, 1}, {{}, move}}}, ball.x).distance > -1e-5);
        }
    }
    CHECK(stopped > 500);
}

TEST_CASE("colliders that leave no room push a particle out of the deepest and say so")
{
    // Floor and ceiling that overlap by 1 m: no free place.
    const std::vector<Collider> press{{Plane{{0, 0, 0}, {0, 1, 0}}}, {Plane{{0, -1, 0}, {0, -1, 0}}}};
    Ball ball{{}, {0, -0.2f, 0}, {}};  // 0.2 m in the floor, 0.8 m in the ceiling
    const ContactReport report = advance(press, ball, 0.01f);
    CHECK(report.wedged == 1);
    CHECK(sample(press[1], ball.x).distance == doctest::Approx(0).epsilon(1e-6).scale(1));
    CHECK(ball.v == Vec3{});
}

TEST_CASE("far obstacles change no bit, and many obstacles work like few")
{
    std::vector<Collider> colliders{{Plane{}}, {Sphere{{0, 0.2, 0}, 0.4}}};
    std::mt19937 random(12);
    std::uniform_real_distribution<float> u(-1, 1);
    const std::size_t count = 3000;
    std::vector<Vec3> before(count), after(count), speed(count);
    for (std::size_t k = 0; k < count; ++k) {
        before[k] = {u(random), 1.01f + u(random), u(random)};
        after[k] = before[k] + Vec3{u(random), u(random), u(random)} * 0.3f;
        speed[k] = (after[k] - before[k]) * 30.0f;
    }
    auto x = after, v = speed;
    const ContactReport few = resolve_contacts(colliders, before, v, x, v);
    CHECK(few.contacts > 100);
    for (int k = 0; k < 200; ++k) colliders.push_back({Sphere{{20.0 + k, 0, 0}, 0.4}});
    auto x2 = after, v2 = speed;
    resolve_contacts(colliders, before, v2, x2, v2);
    CHECK(x2 == x);
    CHECK(v2 == v);
    for (int k = 0; k < 200; ++k) colliders.push_back({Sphere{{0, -3, 0}, 2.9}});  // near, hidden below the floor
    resolve_contacts(colliders, before, speed, after, speed);
    CHECK(after == x);
    CHECK(speed == v);
}

TEST_CASE("any number of threads gives the same contacts to the bit")
{
    const std::vector<Collider> colliders = crowd();
    std::mt19937 random(13);
    std::uniform_real_distribution<float> u(-1.5f, 1.5f);
    const std::size_t count = 10000;
    std::vector<Vec3> before(count), after(count), speed(count);
    for (std::size_t k = 0; k < count; ++k) {
        before[k] = {u(random), u(random), u(random)};
        after[k] = before[k] + Vec3{u(random), u(random), u(random)} * 0.1f;
        speed[k] = {u(random), u(random), u(random)};
    }
    std::vector<Vec3> first_x, first_v;
    ContactReport first;
    for (const std::size_t threads : {1, 2, 3, 8}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        auto x = after, v = speed;
        const ContactReport report = resolve_contacts(colliders, before, v, x, v);
        if (first_x.empty()) first_x = x, first_v = v, first = report;
        CHECK(x == first_x);
        CHECK(v == first_v);
        CHECK(report.contacts == first.contacts);
        CHECK(report.deepest == first.deepest);
    }
}

TEST_CASE("what is remembered of mesh obstacles changes no bit, though these turn, jump and are exchanged")
{
    std::mt19937 random(5);
    std::uniform_real_distribution<float> u(-1, 1);
    std::vector<Collider> colliders{mesh_of({Box{{0.3, 0.5, 0.2}, {}}}), {Sphere{{0.5, -0.5, 0}, 0.3}},
                                    mesh_of({Sphere{{}, 1.5}}, true)};
    const Collider other = mesh_of({Capsule{{-0.5, 0, 0}, {0.5, 0, 0}, 0.3}});
    const std::size_t count = 600;
    std::vector<Vec3> x(count), v(count);
    for (std::size_t k = 0; k < count; ++k) {
        x[k] = Vec3{u(random), u(random), u(random)};
        v[k] = Vec3{u(random), u(random), u(random)} * 2.0f;
    }
    std::vector<Vec3> plain_x = x, plain_v = v;
    contact::Clearances clearances;
    constexpr float kStep = 0.01f;
    int contacts = 0;
    Placement at;
    for (int step = 0; step < 200; ++step) {
        const Placement next{rotation(Vec3d{0.2, 1, 0.1}, 0.02 * (step + 1)), {step < 100 ? 0.0 : 0.2, 0, 0}};
        colliders[0].motion = ColliderMotion{at, next, {}, kStep};
        at = next;
        if (step == 150) colliders[0].shape = other.shape;
        const auto advance_all = [&](std::vector<Vec3>& positions, std::vector<Vec3>& velocities,
                                     contact::Clearances* memory) {
            const std::vector<Vec3> before = positions, velocities_before = velocities;
            for (std::size_t k = 0; k < count; ++k) positions[k] += velocities[k] * kStep;
            contacts += resolve_contacts(colliders, before, velocities_before, positions, velocities,
                                         Friction::per_particle, {}, {}, memory)
                            .contacts;
        };
        advance_all(x, v, &clearances);
        advance_all(plain_x, plain_v, nullptr);
        REQUIRE(x == plain_x);
        REQUIRE(v == plain_v);
    }
    CHECK(contacts > 1000);
}
