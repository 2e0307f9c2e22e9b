// What is around soft bodies: rays against the surface of one, and a stack of rigid crates; both beside Bullet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bullet_world.h"
#include "section.h"
#include "stopwatch.h"
#include "table.h"
#include "yawara/query.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr int kCrates = 10, kOnFloor = 4, kSubsteps = 5;
constexpr int kRays = 20'000;

struct RayWorld {
    Scene scene;
    BodyId body;
    TriMesh surface;
    std::vector<Ray> rays;
};

/// A sphere of rings and segments.
TriMesh sphere(double radius, int rings, int segments)
{
    TriMesh mesh;
    const double pi = 3.14159265358979;
    mesh.vertices.push_back({0, radius, 0});
    for (int r = 1; r < rings; ++r)
        for (int s = 0; s < segments; ++s) {
            const double a = pi * r / rings, b = 2 * pi * s / segments;
            mesh.vertices.push_back(Vec3d{std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b)} * radius);
        }
    mesh.vertices.push_back({0, -radius, 0});
    const auto at = [&](int r, int s) { return std::int32_t(1 + (r - 1) * segments + s % segments); };
    const auto last = std::int32_t(mesh.vertices.size() - 1);
    for (int s = 0; s < segments; ++s) {
        mesh.triangles.push_back({0, at(1, s + 1), at(1, s)});
        mesh.triangles.push_back({last, at(rings - 1, s), at(rings - 1, s + 1)});
        for (int r = 1; r + 1 < rings; ++r) {
            mesh.triangles.push_back({at(r, s), at(r, s + 1), at(r + 1, s)});
            mesh.triangles.push_back({at(r + 1, s), at(r, s + 1), at(r + 1, s + 1)});
        }
    }
    return mesh;
}

RayWorld make_ray_world()
{
    RayWorld world{Scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {}}), {}, sphere(0.5, 101, 100), {}};
    BodySpec spec;
    spec.solid = Matching{make_bar({1.02, 1.02, 1.02}, {8, 8, 8}, {-0.51, -0.51, -0.51})};
    spec.surface = world.surface;
    world.body = world.scene.add(build(std::move(spec)).value());
    // From all around, by a fixed sequence; most hit.
    std::uint64_t seed = 1;
    const auto number = [&] {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        return double(seed >> 40) / double(1 << 24) * 2 - 1;
    };
    for (int k = 0; k < kRays; ++k) {
        const Vec3d from = normalized(Vec3d{number(), number(), number()}) * 3.0;
        world.rays.push_back({from, Vec3d{number(), number(), number()} * 0.5 - from * 0.9});
    }
    return world;
}

/// How far away each triangle is, one after another.
double brute_force(const TriMesh& mesh, const Ray& ray)
{
    const Vec3d way = ray.to - ray.from;
    double nearest = 2;
    for (const Int3& t : mesh.triangles) {
        const Vec3d a = mesh.vertices[std::size_t(t[0])], e = mesh.vertices[std::size_t(t[1])] - a,
                    f = mesh.vertices[std::size_t(t[2])] - a, p = cross(way, f);
        const double det = dot(e, p);
        if (det == 0) continue;
        const Vec3d s = ray.from - a, q = cross(s, e);
        const double u = dot(s, p) / det, v = dot(way, q) / det, at = dot(f, q) / det;
        if (u >= 0 && v >= 0 && u + v <= 1 && at >= 0) nearest = std::min(nearest, at);
    }
    return nearest <= 1 ? nearest * length(way) : -1;
}

Scene stack_scene()
{
    Scene scene({.dt = 1.0 / 60, .substeps = kSubsteps, .threads = 1});
    scene.add(Collider{.shape = Plane{}, .friction = 0.6f});
    BodySpec spec;
    spec.solid = Rigid{make_bar({kCrate, kCrate, kCrate}, {1, 1, 1}, Vec3d{-1, 0, -1} * (kCrate / 2))};
    spec.density = 500;
    const BodyModel model = build(std::move(spec)).value();
    for (int k = 0; k < kCrates; ++k)
        scene.add(model, {.contact = {.friction = 0.6f}}, {{}, {0, (kCrate + kGapOfCrates) * k, 0}});
    return scene;
}

double top_of(const Scene& scene)
{
    const std::vector<Vec3>& x = scene.state(scene.bodies().back()).positions;
    double sum = 0;
    for (const Vec3& p : x) sum += double(p.y);
    return sum / double(x.size());
}

/// Soft bodies that lie on a floor, in a scene that collects touches and events or not.
Scene floor_scene(bool events)
{
    Scene scene({.dt = 1.0 / 60, .substeps = kSubsteps, .threads = 1, .events = events});
    scene.add({.shape = Plane{}, .friction = 0.6f});
    BodySpec spec;
    spec.solid = Matching{make_bar({0.5, 0.5, 0.5}, {12, 12, 12}, {-0.25, 0.001, -0.25})};
    const BodyModel model = build(std::move(spec)).value();
    for (int k = 0; k < kOnFloor; ++k)
        scene.add(model, {.matching = {.alpha = 0.3f, .damping = 0.1f}}, {{}, {3.0 * k, 0, 0}});
    for (int k = 0; k < 60; ++k) scene.step();
    return scene;
}

bool same_places(const Scene& a, const Scene& b)
{
    for (std::size_t k = 0; k < a.bodies().size(); ++k)
        if (a.state(a.bodies()[k]).positions != b.state(b.bodies()[k]).positions) return false;
    return true;
}

/// Rays find what brute force and Bullet find, and both stacks stand after two seconds.
bool check()
{
    RayWorld world = make_ray_world();
    SceneQuery query(world.scene);
    const BulletRays bullet(world.surface);
    int differ = 0;
    for (int k = 0; k < 300; ++k) {
        const Ray& ray = world.rays[std::size_t(k)];
        const auto hit = query.ray(ray);
        const double ours = hit ? hit->distance : -1, plain = brute_force(world.surface, ray);
        if (std::abs(ours - plain) > 1e-4 || std::abs(bullet.distance(ray.from, ray.to) - plain) > 1e-3) ++differ;
    }
    Scene ours = stack_scene();
    BulletStack theirs(kCrates);
    for (int k = 0; k < 120; ++k) {
        ours.step();
        theirs.step(kSubsteps);
    }
    const double height = kCrate * (kCrates - 0.5);
    const bool stand = std::abs(top_of(ours) - height) < 0.1 && std::abs(theirs.top() - height) < 0.1;
    const Scene told = floor_scene(true), untold = floor_scene(false);
    const bool same = same_places(told, untold) && told.touches().size() == kOnFloor && untold.touches().empty();
    fmt::print("world: {} of 300 rays differ, stacks {}: tops at {:.3f} and {:.3f} m; events change {}\n", differ,
               stand ? "stand" : "fell", top_of(ours), theirs.top(), same ? "nothing" : "the motion");
    return differ <= 1 && stand && same;  // a ray may pass right between two triangles
}

nlohmann::json measure(const BenchOptions& options)
{
    RayWorld world = make_ray_world();
    SceneQuery query(world.scene);
    const BulletRays bullet(world.surface);
    double sum = 0;
    const auto each = [&](std::size_t count, auto distance) {
        return [&, count, distance] {
            for (std::size_t k = 0; k < count; ++k) sum += distance(world.rays[k]);
        };
    };
    constexpr std::size_t kFew = 100;  // of brute force
    std::vector<Rival> rays{{"ours", each(kRays,
                                          [&](const Ray& ray) {
                                              const auto hit = query.ray(ray);
                                              return hit ? hit->distance : 0;
                                          })},
                            {"bullet", each(kRays, [&](const Ray& ray) { return bullet.distance(ray.from, ray.to); })},
                            {"plain", each(kFew, [&](const Ray& ray) { return brute_force(world.surface, ray); })}};
    race(rays, options.seconds, true);

    Scene ours = stack_scene();
    BulletStack theirs(kCrates);
    for (int k = 0; k < 60; ++k) {
        ours.step();
        theirs.step(kSubsteps);
    }
    std::vector<Rival> stacks{{"ours", [&] { ours.step(); }}, {"bullet", [&] { theirs.step(kSubsteps); }}};
    race(stacks, options.seconds, true);
    Scene told = floor_scene(true), untold = floor_scene(false);
    std::vector<Rival> events{{"with", [&] { told.step(); }}, {"without", [&] { untold.step(); }}};
    race(events, options.seconds, true);
    return {{"triangles", world.surface.triangles.size()},
            {"rays_per_second", kRays / rays[0].seconds},
            {"bullet_rays_per_second", kRays / rays[1].seconds},
            {"plain_rays_per_second", double(kFew) / rays[2].seconds},
            {"crates", kCrates},
            {"stack_ms", 1e3 * stacks[0].seconds},
            {"bullet_stack_ms", 1e3 * stacks[1].seconds},
            {"told_ms", 1e3 * events[0].seconds},
            {"untold_ms", 1e3 * events[1].seconds},
            {"checksum", sum}};
}

void print(const nlohmann::json& r)
{
    const auto number = [&](const char* key) { return r[key].get<double>(); };
    fmt::print("World: rays against {} triangles of a soft body, one thread; thousands per second\n\n",
               r["triangles"].get<int>());
    print_table({{"ours"}, {"Bullet"}, {"brute force"}, {"ours/Bullet", true}},
                {{cell(1e-3 * number("rays_per_second"), 0), cell(1e-3 * number("bullet_rays_per_second"), 0),
                  cell(1e-3 * number("plain_rays_per_second"), 1),
                  cell(number("rays_per_second") / number("bullet_rays_per_second"), 2, "x")}});
    fmt::print("\nA stack of {} rigid crates that never sleeps; ms per frame of {} steps, one thread\n\n",
               r["crates"].get<int>(), kSubsteps);
    print_table({{"ours"}, {"Bullet"}, {"Bullet/ours", true}},
                {{cell(number("stack_ms"), 3), cell(number("bullet_stack_ms"), 3),
                  cell(number("bullet_stack_ms") / number("stack_ms"), 2, "x")}});
    fmt::print(
        "\n{} soft bodies on a floor, with touches and events and without; ms per frame of {} steps, one thread\n\n",
        kOnFloor, kSubsteps);
    print_table({{"with events"}, {"without"}, {"price, %", true}},
                {{cell(number("told_ms"), 3), cell(number("untold_ms"), 3),
                  cell(100 * (number("told_ms") / number("untold_ms") - 1), 1)}});
}

}  // namespace

extern const Section kWorldSection;
const Section kWorldSection{"world", check, measure, print};

}  // namespace yawara::bench
