// Which touches a step has: against nearest points by brute force, formulas, another numbering and another frame.
#include <doctest/doctest.h>

#include <map>
#include <numeric>

#include "contact_bodies.h"

using namespace yawara;
using namespace yawara::contact;
using namespace yawara::test;

namespace {

constexpr double kDt = 1.0 / 300;

/// All particles against all triangles, so that nothing but the search itself is tested.
std::vector<Candidate> all_candidates(const BodySurface& one, const BodySurface& two)
{
    std::vector<Candidate> out;
    for (const std::int32_t vertex : one.vertices)
        for (std::size_t t = 0; t < two.triangles.size(); ++t) out.push_back({vertex, std::int32_t(t)});
    std::sort(out.begin(), out.end());
    return out;
}
std::vector<Candidate> all_edges(const BodySurface& one, const BodySurface& two)
{
    std::vector<Candidate> out;
    for (std::size_t a = 0; a < one.edges.size(); ++a)
        for (std::size_t b = 0; b < two.edges.size(); ++b) out.push_back({std::int32_t(a), std::int32_t(b)});
    return out;
}

std::vector<Touch> touches_of(SteppedBody& one, SteppedBody& two)
{
    const ContactBody a = one.view(), b = two.view();
    std::vector<Touch> out;
    find_touches(a, b, all_candidates(one.surface, two.surface), law_of(a, b, false, kDt), out);
    return out;
}
std::vector<Touch> edge_touches_of(SteppedBody& one, SteppedBody& two)
{
    const ContactBody a = one.view(), b = two.view();
    std::vector<Touch> out;
    find_edge_touches(a, b, all_edges(one.surface, two.surface), law_of(a, b, false, kDt), out);
    return out;
}

/// Two flat, bumpy balls that fly into each other; shuffled: their particles and tets in a random order.
struct Collision {
    SteppedBody one, two;

    Collision(unsigned seed, const Placement& frame = {}, bool shuffled = false)
        : one(bumpy(seed, shuffled)), two(bumpy(seed + 100, shuffled))
    {
        place(one, frame, {});
        place(two, frame, {0.02, 0.127, 0.01});
        const auto fly = [&](SteppedBody& body, Vec3d way, double spin) {
            const Vec3 move = (frame.turn * way).as<float>(), middle = center(body);
            const Mat3 turn = rotation(frame.turn * Vec3d{0, 0, 1}, spin).as<float>();
            body.go(kDt, [&](Vec3 p, std::size_t) { return middle + turn * (p - middle) + move; });
        };
        fly(one, {0, 0.008, 0}, 0.01);
        fly(two, {0.003, -0.012, 0}, -0.02);
    }

    static Vec3 center(const SteppedBody& body)
    {
        Vec3d sum;
        for (const Vec3& p : body.positions) sum += p.as<double>();
        return (sum / double(body.positions.size())).as<float>();
    }
    static void place(SteppedBody& body, const Placement& frame, Vec3d move)
    {
        for (Vec3& p : body.positions) p = frame(p.as<double>() + move).as<float>();
    }
    static TetMesh bumpy(unsigned seed, bool shuffled)
    {
        TetMesh mesh = ball_of_tets(0.2, 10);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> bump(0.985, 1.015);
        for (Vec3d& p : mesh.vertices) p = Vec3d{p.x, 0.3 * p.y, p.z} * bump(random);
        for (const Int4& tet : mesh.tets)
            if (!(signed_volume(mesh, tet) > 0)) FAIL("a tet is inside out");
        if (shuffled) {
            std::vector<std::int32_t> number(mesh.vertices.size());
            std::iota(number.begin(), number.end(), 0);
            std::shuffle(number.begin(), number.end(), random);
            std::shuffle(mesh.tets.begin(), mesh.tets.end(), random);
            std::vector<Vec3d> vertices(mesh.vertices.size());
            for (std::size_t i = 0; i < vertices.size(); ++i) vertices[std::size_t(number[i])] = mesh.vertices[i];
            mesh.vertices = vertices;
            for (Int4& tet : mesh.tets)
                for (std::int32_t& i : tet) i = number[std::size_t(i)];
        }
        return mesh;
    }
};

/// Of the particle a touch is about, so that touches can be found again under other numbers.
std::array<float, 3> rest_of(const SteppedBody& body, std::int32_t particle)
{
    const Vec3 p = body.surface.rest[std::size_t(particle)];
    return {p.x, p.y, p.z};
}

Vec3d touched_point(const Touch& touch, std::span<const Vec3> x)
{
    Vec3d sum;
    for (std::size_t k = 1; k < 4; ++k)
        sum -= x[std::size_t(touch.particles[k])].as<double>() * double(touch.weights[k]);
    return sum;
}

}  // namespace

TEST_CASE("a particle touches the nearest point of the other body, if and only if the step closes the gap to it")
{
    int touching = 0, free = 0;
    for (const unsigned seed : {1u, 2u, 3u}) {
        Collision c(seed);
        const double thickness = double(c.one.view().thickness() + c.two.view().thickness());
        std::map<std::int32_t, Touch> found;
        for (const Touch& touch : touches_of(c.one, c.two)) {
            CHECK(found.emplace(touch.particles[0], touch).second);
            CHECK(touch.weights[0] == 1);
            CHECK(touch.weights[1] + touch.weights[2] + touch.weights[3] == doctest::Approx(-1));
        }
        for (const std::int32_t vertex : c.one.surface.vertices) {
            const Vec3d before = c.one.before[std::size_t(vertex)].as<double>();
            const NearestPoint nearest = nearest_on(c.two.surface, c.two.before, before);
            REQUIRE_FALSE(nearest.inside);
            const Vec3d normal = (before - nearest.point) / nearest.distance;
            // The touched point moves along with its triangle.
            const Int3& corners = c.two.surface.triangles[std::size_t(nearest.triangle)];
            const auto at = [&](std::span<const Vec3> x, std::size_t k) {
                return x[std::size_t(corners[k])].as<double>();
            };
            const ClosestOnTriangle on =
                closest_on_triangle(at(c.two.before, 0), at(c.two.before, 1), at(c.two.before, 2), before);
            Vec3d point;
            for (std::size_t k = 0; k < 3; ++k) point += at(c.two.positions, k) * on.weights[k];
            const double gap = dot(normal, c.one.positions[std::size_t(vertex)].as<double>() - point);
            if (std::abs(gap - thickness) < 1e-5) continue;  // rounding decides
            CAPTURE(vertex);
            CHECK(found.contains(vertex) == (gap < thickness));
            if (!found.contains(vertex)) {
                ++free;
                continue;
            }
            ++touching;
            const Touch& touch = found[vertex];
            CHECK(length(touched_point(touch, c.two.before) - nearest.point) < 1e-5);
            CHECK(length(to_vec3(touch.normal).as<double>() - normal) < 1e-3);
            // Its gap has to be the thickness at the end, as it was no less at the start.
            CHECK(double(touch.goal) == doctest::Approx(std::min(nearest.distance, thickness)).epsilon(0.3));
            CHECK(double(touch.goal - touch.shortfall) == doctest::Approx(nearest.distance).epsilon(1e-4));
        }
    }
    CHECK(touching > 20);
    CHECK(free > 100);
}

TEST_CASE("other numbers of the particles and another order of the tets give the same touches")
{
    for (const unsigned seed : {4u, 5u}) {
        Collision plain(seed), shuffled(seed, {}, true);
        std::map<std::array<float, 3>, Touch> found;
        for (const Touch& touch : touches_of(plain.one, plain.two))
            found[rest_of(plain.one, touch.particles[0])] = touch;
        const std::vector<Touch> again = touches_of(shuffled.one, shuffled.two);
        CHECK(again.size() == found.size());
        CHECK(again.size() > 5);
        for (const Touch& touch : again) {
            const auto same = found.find(rest_of(shuffled.one, touch.particles[0]));
            REQUIRE(same != found.end());
            CHECK(length(touched_point(touch, shuffled.two.before) - touched_point(same->second, plain.two.before)) <
                  1e-6);
            CHECK(length(to_vec3(touch.normal) - to_vec3(same->second.normal)) < 1e-4f);
            CHECK(touch.goal == doctest::Approx(same->second.goal).epsilon(1e-3));
        }
    }
}

TEST_CASE("turning and moving the world turns the touches")
{
    const Placement frame{rotation(Vec3d{1, 2, 3}, 1.1), {0.5, -0.7, 0.3}};
    Collision plain(6), turned(6, frame);
    const std::vector<Touch> here = touches_of(plain.one, plain.two), there = touches_of(turned.one, turned.two);
    REQUIRE(here.size() == there.size());
    CHECK(here.size() > 5);
    for (std::size_t k = 0; k < here.size(); ++k) {
        CHECK(here[k].particles == there[k].particles);
        CHECK(length(frame(touched_point(here[k], plain.two.before)) - touched_point(there[k], turned.two.before)) <
              1e-5);
        CHECK(length(frame.turn * to_vec3(here[k].normal).as<double>() - to_vec3(there[k].normal).as<double>()) < 1e-3);
    }
}

TEST_CASE("a particle so fast that it passes through a body in a step touches the side it came in by")
{
    SteppedBody wall(make_bar({1, 0.1, 1}, {4, 1, 4}, {-0.5, -0.1, -0.5}));
    SteppedBody bullet(make_bar({0.05, 0.05, 0.05}, {1, 1, 1}, {0.07, 0.1, 0.11}));
    bullet.go(kDt, [](Vec3 p, std::size_t) { return p + Vec3{0.03f, -0.5f, 0.02f}; });
    const std::vector<Touch> touches = touches_of(bullet, wall);
    CHECK(touches.size() == 8);
    for (const Touch& touch : touches) {
        CHECK(to_vec3(touch.normal).y == doctest::Approx(1));
        CHECK(touched_point(touch, wall.before).y == doctest::Approx(0).epsilon(1e-6));
    }
}

TEST_CASE("what is completed parts by one when its particles go by their shares, which keep the momentum")
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> mass(0.1f, 5.0f), any(0, 1);
    SteppedBody one(ball_of_tets(0.2, 2)), two(ball_of_tets(0.2, 2));
    for (SteppedBody* body : {&one, &two})
        for (float& inverse : body->inverse_masses) inverse = 1 / mass(random);
    for (int k = 0; k < 50; ++k) {
        Touch touch{};
        const auto& corners = two.surface.triangles[random() % two.surface.triangles.size()];
        const float a = any(random), b = any(random) * (1 - a);
        touch.particles = {one.surface.vertices[random() % one.surface.vertices.size()], corners[0], corners[1],
                           corners[2]};
        touch.weights = {1, -a, -b, a + b - 1};
        touch.own_count = 1;
        touch.normal = to_lanes({0, 1, 0});
        const ContactBody first = one.view(), second = two.view();
        REQUIRE(complete(first, second, law_of(first, second, false, kDt), touch));
        double parting = 0, momentum = 0;
        for (std::size_t c = 0; c < 4; ++c) {
            const float inverse = (c == 0 ? one : two).inverse_masses[std::size_t(touch.particles[c])];
            parting += double(touch.shares[c] * touch.weights[c]);
            momentum += double(touch.shares[c] / inverse);
        }
        CHECK(parting == doctest::Approx(1));
        CHECK(std::abs(momentum) < 1e-5);
    }
}

TEST_CASE("held particles and sleeping bodies do not yield, and where nobody does there is no touch")
{
    Collision c(8);
    const std::size_t touches = touches_of(c.one, c.two).size();
    REQUIRE(touches > 5);
    c.two.asleep = true;
    c.two.go(kDt, [](Vec3 p, std::size_t) { return p; });
    c.two.before = c.two.positions = Collision(8).two.before;
    for (const Touch& touch : touches_of(c.one, c.two)) {
        CHECK(touch.shares[0] == doctest::Approx(1));
        for (std::size_t k = 1; k < 4; ++k) CHECK(touch.shares[k] == 0);
    }
    std::fill(c.one.inverse_masses.begin(), c.one.inverse_masses.end(), 0.0f);
    CHECK(touches_of(c.one, c.two).empty());
}

TEST_CASE("bars that cross touch where their edges are nearest, along the normal of both")
{
    for (const double tilt : {0.0, 0.3, -0.4}) {
        // Each stands on an edge; neither has a particle near the other.
        const Mat3d on_edge = rotation(Vec3d{1, 0, 0}, 0.785398), across = rotation(Vec3d{0, 1, 0}, 1.5708 + tilt);
        const TetMesh beam = make_bar({1, 0.1, 0.1}, {1, 1, 1}, {-0.5, -0.05, -0.05});
        SteppedBody below(beam, {on_edge, {0.013, 0, 0.021}}), above(beam, {across * on_edge, {0, 0.16, 0}});
        above.go(kDt, [](Vec3 p, std::size_t) { return p - Vec3{0, 0.03f, 0}; });
        const std::vector<Touch> touches = edge_touches_of(above, below);
        REQUIRE(touches.size() == 1);
        const Touch& touch = touches[0];
        CHECK(touch.own_count == 2);
        CHECK(touch.weights[0] + touch.weights[1] == doctest::Approx(1));
        CHECK(touch.weights[2] + touch.weights[3] == doctest::Approx(-1));
        CHECK(to_vec3(touch.normal).y == doctest::Approx(1));
        // The lines of the edges, seen from above, meet on both axes of the bars.
        const Vec3d point = (above.before[std::size_t(touch.particles[0])] * touch.weights[0] +
                             above.before[std::size_t(touch.particles[1])] * touch.weights[1])
                                .as<double>();
        const Vec3d axis = across * Vec3d{1, 0, 0};
        CHECK(std::abs(point.z - 0.021) < 1e-5);
        CHECK(std::abs(cross(axis, Vec3d{point.x, 0, point.z}).y) < 1e-5);
        CHECK(touches_of(above, below).empty());
        // Seen from the other body it is the same touch the other way round.
        const std::vector<Touch> mirrored = edge_touches_of(below, above);
        REQUIRE(mirrored.size() == 1);
        CHECK(length(to_vec3(mirrored[0].normal) + to_vec3(touch.normal)) < 1e-5f);
    }
}

TEST_CASE("edges that part, or are too far to meet in the step, do not touch")
{
    const Mat3d on_edge = rotation(Vec3d{1, 0, 0}, 0.785398), across = rotation(Vec3d{0, 1, 0}, 1.5708);
    const TetMesh beam = make_bar({1, 0.1, 0.1}, {1, 1, 1}, {-0.5, -0.05, -0.05});
    for (const auto& [height, fall] : {std::pair{0.3, 0.03}, {0.26, -0.03}}) {
        SteppedBody below(beam, {on_edge, {}}), above(beam, {across * on_edge, {0, height, 0}});
        above.go(kDt, [way = float(fall)](Vec3 p, std::size_t) { return p - Vec3{0, way, 0}; });
        CHECK(edge_touches_of(above, below).empty());
    }
}

TEST_CASE("the depth of a point in a crumpled body is the distance to its surface by brute force, and none outside")
{
    std::mt19937 random(9);
    std::uniform_real_distribution<double> any(-1, 1);
    TetMesh mesh = make_bar({0.4, 0.4, 0.4}, {4, 4, 4}, {-0.2, -0.2, -0.2});
    for (Vec3d& p : mesh.vertices) p += Vec3d{any(random), any(random), any(random)} * 0.022;
    for (const Int4& tet : mesh.tets) REQUIRE(signed_volume(mesh, tet) > 0);
    SteppedBody body(mesh);
    SurfaceBoxes boxes(body.surface);
    const ContactBody view = body.view();
    boxes.fit(body.surface, body.before, body.positions, view.motion.drift, view.slack());
    int inside = 0;
    for (int k = 0; k < 3000; ++k) {
        const Vec3 p = (Vec3d{any(random), any(random), any(random)} * 0.25).as<float>();
        const NearestPoint nearest = nearest_on(body.surface, body.positions, p.as<double>());
        if (nearest.distance < 1e-4) continue;
        const std::optional<Depth> depth = depth_in(view, boxes, p, 0);
        CHECK(depth.has_value() == nearest.inside);
        if (!depth || !nearest.inside) continue;
        ++inside;
        CHECK(double(depth->depth) == doctest::Approx(nearest.distance).epsilon(1e-3));
        // The way out leads to the surface.
        const Vec3d out = (p + depth->out * depth->depth).as<double>();
        CHECK(nearest_on(body.surface, body.positions, out).distance < 1e-4);
        CHECK_FALSE(depth_in(view, boxes, p, float(nearest.distance) * 1.01f).has_value());
        CHECK(depth_in(view, boxes, p, float(nearest.distance) * 0.99f).has_value());
    }
    CHECK(inside > 500);
}
