// Rays, swept balls, closest points and overlaps against plain loops over all triangles.
#include <doctest/doctest.h>

#include <random>

#include "sim/bodies.h"
#include "yawara/query.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// Two bars that have fallen on a floor and are bent.
struct Fallen {
    Scene scene{SceneSettings{}};
    BodyId one, other;
    ColliderId floor;

    Fallen()
    {
        one = scene.add(bar(), {}, {rotation(Vec3d{1, 0.3, 0.2}, 1.1), {0, 1, 0}});
        other = scene.add(bar({0.3, 0.3, 1.2}, {2, 2, 7}), {}, {Mat3d{}, {1.1, 0.4, -0.2}}, {0, -1, 0}, {0, 3, 1});
        floor = scene.add(Collider{});
        for (int k = 0; k < 40; ++k) scene.step();
    }
};

struct Nearest {
    BodyId body;
    double distance = 1e300;
};

template <class Distance>
Nearest over_all_triangles(Scene& scene, Distance&& distance)
{
    Nearest nearest;
    for (const BodyId id : scene.bodies()) {
        const auto positions = scene.surface(id);
        for (const Int3& t : scene.model(id).surface().triangles) {
            const auto corner = [&](std::size_t k) { return positions[std::size_t(t[k])].as<double>(); };
            const double found = distance(corner(0), corner(1), corner(2));
            if (found < nearest.distance) nearest = {id, found};
        }
    }
    return nearest;
}

/// Moeller and Trumbore 1997; 1e300: none.
double ray_by_the_book(Vec3d from, Vec3d way, Vec3d a, Vec3d b, Vec3d c)
{
    const Vec3d e = b - a, f = c - a, p = cross(way, f);
    const double det = dot(e, p);
    if (std::abs(det) < 1e-14) return 1e300;
    const Vec3d s = from - a, q = cross(s, e);
    const double u = dot(s, p) / det, v = dot(way, q) / det, t = dot(f, q) / det;
    return u < 0 || v < 0 || u + v > 1 || t < 0 || t > 1 ? 1e300 : t * length(way);
}

/// Distance to a triangle by the least of many points of it.
double rough_distance(Vec3d p, Vec3d a, Vec3d b, Vec3d c)
{
    constexpr int kParts = 40;
    double least = 1e300;
    for (int i = 0; i <= kParts; ++i)
        for (int j = 0; j <= kParts - i; ++j) {
            const double u = double(i) / kParts, v = double(j) / kParts;
            least = std::min(least, length(p - (a + (b - a) * u + (c - a) * v)));
        }
    return least;
}

class Places {
public:
    Vec3d operator()() { return {x_(random_), y_(random_), x_(random_)}; }

private:
    std::mt19937 random_{7};
    std::uniform_real_distribution<double> x_{-1.5, 2.5}, y_{0.05, 2.0};
};

}  // namespace

TEST_CASE("a ray meets the triangle that a loop over all finds, and says where that is in the rest shape")
{
    Fallen world;
    SceneQuery query(world.scene);
    Places place;
    const QueryFilter bodies_only{.obstacles = false};
    int met = 0;
    for (int k = 0; k < 400; ++k) {
        const Ray ray{place(), place()};
        const Nearest right = over_all_triangles(world.scene, [&](Vec3d a, Vec3d b, Vec3d c) {
            return ray_by_the_book(ray.from, ray.to - ray.from, a, b, c);
        });
        const auto hit = query.ray(ray, bodies_only);
        REQUIRE(hit.has_value() == (right.distance < 1e300));
        if (!hit) continue;
        ++met;
        CHECK(hit->body == right.body);
        CHECK(hit->distance == doctest::Approx(right.distance).epsilon(1e-9));
        CHECK(length(hit->place - (ray.from + normalized(ray.to - ray.from) * hit->distance)) < 1e-9);
        const BodyModel& model = world.scene.model(hit->body);
        const Int3& t = model.surface().triangles[std::size_t(hit->triangle)];
        Vec3d rest;
        for (std::size_t c = 0; c < 3; ++c) rest += model.surface().vertices[std::size_t(t[c])] * hit->weights[c];
        CHECK(length(rest - hit->rest_place) < 1e-6);
        const double away = length(model.rest_positions()[std::size_t(hit->particle)] - hit->rest_place);
        CHECK(away < 1.5 * model.spacing());
    }
    CHECK(met > 30);
}

TEST_CASE("many rays at once are the rays one by one, and see the floor behind the bodies")
{
    Fallen world;
    SceneQuery query(world.scene);
    Places place;
    std::vector<Ray> rays;
    for (int k = 0; k < 300; ++k) rays.push_back({place(), place() - Vec3d{0, 2, 0}});
    const auto hits = query.rays(rays);
    int on_floor = 0, on_bodies = 0;
    for (std::size_t k = 0; k < rays.size(); ++k) {
        const auto hit = query.ray(rays[k]);
        REQUIRE(hit.has_value() == hits[k].has_value());
        if (!hit) continue;
        CHECK(hit->distance == hits[k]->distance);
        (hit->is_body() ? on_bodies : on_floor) += 1;
        if (hit->is_body()) continue;
        CHECK(hit->obstacle == world.floor);
        CHECK(std::abs(hit->place.y) < 1e-6);
        CHECK(hit->normal.y == 1);
    }
    CHECK(on_floor > 50);
    CHECK(on_bodies > 10);
    CHECK_FALSE(query.ray({{0, 5, 0}, {0, NAN, 0}}));
}

TEST_CASE("the closest point is the closest of all triangles, or none if it is too far")
{
    Fallen world;
    SceneQuery query(world.scene);
    Places place;
    for (int k = 0; k < 60; ++k) {
        const Vec3d p = place();
        const Nearest right =
            over_all_triangles(world.scene, [&](Vec3d a, Vec3d b, Vec3d c) { return rough_distance(p, a, b, c); });
        const auto hit = query.closest(p, 100);
        REQUIRE(hit);
        CHECK(hit->distance <= right.distance + 1e-9);
        CHECK(hit->distance > right.distance - 0.02);
        CHECK(length(hit->place - p) == doctest::Approx(hit->distance).epsilon(1e-6));
        CHECK_FALSE(query.closest(p, 0.99 * hit->distance));
        CHECK(query.closest(p, 1.01 * hit->distance));
    }
}

TEST_CASE("a ball on its way touches where it first is as near as its radius, bodies and obstacles alike")
{
    Fallen world;
    Collider post;
    post.shape = Capsule{{-1, 0, 1}, {-1, 2, 1}, 0.1};
    const ColliderId post_id = world.scene.add(post);
    SceneQuery query(world.scene);
    Places place;
    int met = 0;
    for (int k = 0; k < 60; ++k) {
        const Ray path{place() + Vec3d{0, 1, 0}, center_of_mass(world.scene, k % 2 ? world.one : world.other) +
                                                     (place() - Vec3d{0.5, 1, 0.5}) * 0.2};
        const double radius = 0.05 + 0.002 * k;
        const auto hit = query.sweep(path, radius, {.obstacles = false});
        const Vec3d way = path.to - path.from;
        const double free = hit ? hit->distance / length(way) : 1;
        // Free before, touching there.
        for (double share = 0; share < free - 1e-6; share += 0.02)
            CHECK(query.closest(path.from + way * share, 100)->distance > radius - 1e-6);
        if (!hit) continue;
        ++met;
        if (hit->distance > 0)
            CHECK(length(hit->place - (path.from + way * free)) == doctest::Approx(radius).epsilon(1e-6));
    }
    CHECK(met > 10);
    const auto at_post = query.sweep({{-3, 1, 1}, {3, 1, 1}}, 0.25);
    REQUIRE(at_post);
    CHECK(at_post->obstacle == post_id);
    CHECK(at_post->distance == doctest::Approx(2 - 0.1 - 0.25).epsilon(1e-4));
    CHECK(at_post->place.x == doctest::Approx(-1.1).epsilon(1e-4));
}

TEST_CASE("balls and boxes find the bodies they meet and the particles in them")
{
    Fallen world;
    SceneQuery query(world.scene);
    Places place;
    for (int k = 0; k < 60; ++k) {
        const Sphere ball{place(), 0.15 + 0.01 * k};
        const auto found = query.overlaps(ball);
        for (const BodyId id : world.scene.bodies()) {
            const auto one = std::ranges::find(found, id, &SceneOverlap::body);
            std::size_t inside = 0;
            for (const Vec3& p : world.scene.state(id).positions)
                inside += length(p.as<double>() - ball.center) <= ball.radius;
            CHECK((one == found.end() ? 0 : one->particles.size()) == inside);
            const std::vector<BodyId> others{id == world.one ? world.other : world.one};
            const auto nearest = query.closest(ball.center, ball.radius, {.ignored = others});
            if (nearest) CHECK(one != found.end());
        }
        // A box around the ball meets all that the ball does, one inside of it no more.
        const Mat3d turn = rotation(Vec3d{0.2, 1, 0.5}, 0.7 * k);
        const auto box = [&](double half) { return Box{{half, half, half}, {turn, ball.center}}; };
        const auto names = [](const std::vector<SceneOverlap>& overlaps) {
            std::vector<BodyId> ids;
            for (const SceneOverlap& overlap : overlaps) ids.push_back(overlap.body);
            return ids;
        };
        const auto wide = names(query.overlaps(box(ball.radius))), own = names(found),
                   narrow = names(query.overlaps(box(ball.radius / std::sqrt(3.0))));
        CHECK(std::ranges::includes(wide, own));
        CHECK(std::ranges::includes(own, narrow));
    }
}

TEST_CASE("bodies inside each other overlap, bodies beside each other do not")
{
    Scene scene(weightless());
    const BodyModel cube = bar({1, 1, 1}, {2, 2, 2});
    const BodyId a = scene.add(cube), near = scene.add(cube, {}, {Mat3d{}, {0.9, 0.2, 0.1}}),
                 beside = scene.add(cube, {}, {Mat3d{}, {0, 1.01, 0}}),
                 within = scene.add(bar({0.1, 0.1, 0.1}, {1, 1, 1}), {}, {Mat3d{}, {0.3, 0.3, 0.3}}),
                 crossing = scene.add(bar({0.1, 3, 0.1}, {1, 1, 1}), {}, {Mat3d{}, {0.2, -1.5, 0.6}});
    SceneQuery query(scene);
    std::vector<BodyId> met;
    for (const SceneOverlap& overlap : query.overlaps(a)) met.push_back(overlap.body);
    CHECK(met == std::vector<BodyId>{near, within, crossing});
    met.clear();
    for (const SceneOverlap& overlap : query.overlaps(within)) met.push_back(overlap.body);
    CHECK(met == std::vector<BodyId>{a});
    CHECK(query.overlaps(Sphere{{0.5, 0.5, 0.5}, 0.001}).size() == 1);  // deep inside, far from every triangle
    CHECK(query.overlaps(beside, {.ignored = std::span(&crossing, 1)}).size() == 1);  // near reaches up to it
}

TEST_CASE("queries follow steps and removed bodies by themselves, and positions set by hand when told")
{
    Fallen world;
    SceneQuery query(world.scene);
    const QueryFilter bodies_only{.obstacles = false};
    const Vec3d above = center_of_mass(world.scene, world.one);
    const Ray ray{above + Vec3d{0, 3, 0}, above - Vec3d{0, 3, 0}};
    const auto before = query.ray(ray, bodies_only);
    REQUIRE(before);
    for (Vec3& p : world.scene.state(world.one).positions) p += Vec3{0, 0.5f, 0};
    query.refresh();
    const auto lifted = query.ray(ray, bodies_only);
    REQUIRE(lifted);
    CHECK(lifted->place.y == doctest::Approx(before->place.y + 0.5).epsilon(1e-4));
    for (int k = 0; k < 10; ++k) world.scene.step();
    CHECK(query.ray(ray, bodies_only)->place.y != lifted->place.y);
    REQUIRE(world.scene.remove(world.one));
    const auto gone = query.ray(ray, bodies_only);
    CHECK((!gone || gone->body == world.other));
    CHECK(query.overlaps(world.one).empty());
}
