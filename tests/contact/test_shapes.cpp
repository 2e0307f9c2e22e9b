// Distances of obstacles against brute force and each other, entries against small steps, tessellations.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "contact/shapes.h"
#include "yawara/tessellate.h"

using namespace yawara;
using contact::first_entry;
using contact::sample;

namespace {

Vec3 random_point(std::mt19937& random, float reach)
{
    std::uniform_real_distribution<float> u(-reach, reach);
    return {u(random), u(random), u(random)};
}

Placement slanted()
{
    return {rotation(Vec3d{1, 2, -0.5}, 0.7), {0.3, -0.2, 0.1}};
}

std::vector<Collider> convex_shapes()
{
    return {{Box{{0.8, 0.3, 0.5}, slanted()}},
            {Sphere{{0.2, 0.1, -0.3}, 0.9}},
            {Capsule{{-0.5, 0.2, 0}, {0.6, -0.3, 0.4}, 0.4}}};
}

/// Distance to a triangle by refinement around the best of many of its points: slow, independent of the library.
double triangle_distance(Vec3d a, Vec3d b, Vec3d c, Vec3d p)
{
    double best = 1e300, u0 = 0.5, v0 = 0.5, width = 0.5;
    for (int level = 0; level < 20; ++level) {
        double bu = u0, bv = v0;
        for (int i = -4; i <= 4; ++i) {
            for (int j = -4; j <= 4; ++j) {
                const double u = std::clamp(u0 + width * i / 4, 0.0, 1.0);
                const double v = std::clamp(v0 + width * j / 4, 0.0, 1.0 - u);
                const double d = length(a + (b - a) * u + (c - a) * v - p);
                if (d < best) best = d, bu = u, bv = v;
            }
        }
        u0 = bu, v0 = bv, width *= 0.6;
    }
    return best;
}

double mesh_distance(const TriMesh& mesh, Vec3d p)
{
    double best = 1e300;
    for (const Int3& t : mesh.triangles) {
        best = std::min(best, triangle_distance(mesh.vertices[static_cast<std::size_t>(t[0])],
                                                mesh.vertices[static_cast<std::size_t>(t[1])],
                                                mesh.vertices[static_cast<std::size_t>(t[2])], p));
    }
    return best;
}

/// A closed shape with reflex edges: a torus with a square cross-section.
TriMesh torus(int around = 10)
{
    TriMesh mesh;
    for (int k = 0; k < around; ++k) {
        const double angle = 2 * M_PI * k / around;
        for (const auto& [r, y] : {std::pair{1.0, -0.3}, {1.6, -0.3}, {1.6, 0.3}, {1.0, 0.3}}) {
            mesh.vertices.push_back({r * std::cos(angle), y, r * std::sin(angle)});
        }
    }
    for (int k = 0; k < around; ++k) {
        for (int s = 0; s < 4; ++s) {
            const int a = 4 * k + s, b = 4 * k + (s + 1) % 4, c = 4 * ((k + 1) % around) + s,
                      d = 4 * ((k + 1) % around) + (s + 1) % 4;
            mesh.triangles.push_back({a, b, d});
            mesh.triangles.push_back({a, d, c});
        }
    }
    return mesh;
}

bool in_torus(const Vec3d& p, int around = 10)
{
    // Inside the polygonal torus: the radius is measured towards the chords.
    const double step = 2 * M_PI / around, angle = std::atan2(p.z, p.x);
    const double middle = (std::floor(angle / step) + 0.5) * step;
    const double r = (p.x * std::cos(middle) + p.z * std::sin(middle)) / std::cos(step / 2);
    return std::abs(p.y) < 0.3 && r > 1.0 && r < 1.6;
}

TriMesh joined(TriMesh a, const TriMesh& b, Vec3d move)
{
    const auto base = static_cast<std::int32_t>(a.vertices.size());
    for (const Vec3d& v : b.vertices) a.vertices.push_back(v + move);
    for (const Int3& t : b.triangles) a.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    return a;
}

/// Equal where distances are exact; far away they may differ a little.
bool same_obstacle(const MeshDistance& a, const MeshDistance& b, Vec3 p)
{
    const float da = a.at(p).distance, db = b.at(p).distance;
    return std::abs(da - db) < (da < 0.05f ? 1e-4f : 0.1f * da);
}

TriMesh cube(double half)
{
    return tessellate({Box{{half, half, half}, {}}}, 1);
}

}  // namespace

TEST_CASE("the normal of every convex obstacle is the gradient of its distance, of unit length")
{
    std::mt19937 random(1);
    for (const Collider& collider : convex_shapes()) {
        int checked = 0;
        for (int k = 0; k < 2000; ++k) {
            const Vec3 p = random_point(random, 2);
            const auto here = sample(collider, p);
            REQUIRE(length(here.normal) == doctest::Approx(1));
            const float h = 1.0f / 1024;
            Vec3d gradient;
            for (int axis = 0; axis < 3; ++axis) {
                Vec3 low = p, high = p;
                low[axis] -= h, high[axis] += h;
                gradient[axis] = (sample(collider, high).distance - sample(collider, low).distance) / (2.0 * h);
            }
            if (length(gradient) < 0.99) continue;  // across a crease, where there is none
            ++checked;
            REQUIRE(length(gradient - here.normal) < 0.02);
        }
        CHECK(checked > 1500);
    }
}

TEST_CASE("distances outside obstacles are those to their fine tessellation")
{
    std::mt19937 random(2);
    for (const Collider& collider : convex_shapes()) {
        const TriMesh mesh = tessellate(collider, 1);
        const double coarse = mesh.triangles.size() > 12 ? 4e-3 : 1e-6;
        const int count = mesh.triangles.size() > 12 ? 3 : 100;
        for (int k = 0; k < count; ++k) {
            const Vec3 p = random_point(random, 2);
            CHECK(std::abs(sample(collider, p).distance) ==
                  doctest::Approx(mesh_distance(mesh, p.as<double>())).epsilon(coarse).scale(1));
        }
    }
}

TEST_CASE("the middle of a sphere, a capsule and a box has a depth and a unit normal")
{
    const auto sphere = sample({Sphere{{1, 2, 3}, 0.5}}, {1, 2, 3});
    CHECK(sphere.distance == doctest::Approx(-0.5));
    CHECK(length(sphere.normal) == doctest::Approx(1));
    for (const Vec3d b : {Vec3d{1, 5, 3}, Vec3d{4, 2, 3}, Vec3d{1, 2, 3}}) {
        const auto capsule = sample({Capsule{{1, 2, 3}, b, 0.25}}, (Vec3d{1, 2, 3} * 0.5 + b * 0.5).as<float>());
        CHECK(capsule.distance == doctest::Approx(-0.25));
        CHECK(length(capsule.normal) == doctest::Approx(1));
        CHECK(dot(capsule.normal, b - Vec3d{1, 2, 3}) == doctest::Approx(0));
    }
    const auto box = sample({Box{{3, 1, 2}, {}}}, {0, 0, 0});
    CHECK(box.distance == doctest::Approx(-1));
    CHECK(std::abs(box.normal.y) == doctest::Approx(1));
    const auto plane = sample({Plane{{0, 1, 0}, {0, 10, 0}}}, {5, 0.5f, 2});
    CHECK(plane.distance == doctest::Approx(-0.5));
    CHECK(plane.normal.y == doctest::Approx(1));
}

TEST_CASE("an entry into an obstacle lies where small steps first find it inside")
{
    std::mt19937 random(3);
    std::vector<Collider> shapes = convex_shapes();
    shapes.push_back({MeshDistance::build(torus()).value()});
    for (const Collider& collider : shapes) {
        int entries = 0;
        for (int k = 0; k < 300; ++k) {
            const Vec3 from = random_point(random, 2.5f), to = random_point(random, 2.5f);
            if (sample(collider, from).distance < 0.01) continue;
            const auto entry = first_entry(collider, from, to, 0);
            double first = 2;
            for (int step = 0; step <= 2000 && first > 1; ++step) {
                const double t = step / 2000.0;
                if (sample(collider, from + (to - from) * float(t)).distance < 0) first = t;
            }
            if (!entry) {
                CHECK(first > 1);
                continue;
            }
            ++entries;
            const Vec3d hit = from.as<double>() + (to - from).as<double>() * entry->share;
            CHECK(std::abs(sample(collider, hit.as<float>()).distance) < 1e-5);
            CHECK(dot(entry->normal, (to - from).as<double>()) < 0);
            if (first <= 1) CHECK(entry->share == doctest::Approx(first).epsilon(0.01));
        }
        CHECK(entries > 20);
    }
}

TEST_CASE("whatever is called clear of an obstacle is free and has not touched it on its path")
{
    std::mt19937 random(14);
    std::uniform_real_distribution<double> u(0, 1);
    std::vector<Collider> shapes = convex_shapes();
    shapes.push_back({MeshDistance::build(torus()).value()});
    shapes.push_back({MeshDistance::build(cube(2.2), true).value()});
    shapes.push_back({Plane{{0.1, 0.2, 0.3}, {1, 3, -2}}});
    for (const Collider& collider : shapes) {
        int clear_points = 0, clear_boxes = 0;
        for (int k = 0; k < 1000; ++k) {
            const Vec3 p = random_point(random, 2.5f);
            const double path = 0.3 * u(random);
            if (contact::is_clear_of(collider, p, path)) {
                ++clear_points;
                const bool plane = std::holds_alternative<Plane>(collider.shape);  // a plane cannot be passed through
                for (int q = 0; q < 20; ++q) {
                    const Vec3 near = p + normalized(random_point(random, 1)) * static_cast<float>(plane ? 0 : path);
                    REQUIRE(sample(collider, near).distance >= 0);
                }
            }
            Box3 box;
            box.add(p.as<double>());
            box.add((p + random_point(random, 0.5f)).as<double>());
            if (!contact::is_clear_of(collider, box)) continue;
            ++clear_boxes;
            for (int q = 0; q < 20; ++q) {
                const Vec3d in =
                    box.low + Vec3d{box.size().x * u(random), box.size().y * u(random), box.size().z * u(random)};
                REQUIRE(sample(collider, in.as<float>()).distance >= 0);
            }
        }
        CHECK(clear_points > 50);
        CHECK(clear_boxes > 20);
    }
}

TEST_CASE("a mesh of a box has the distances and normals of the box, close to it and inside")
{
    const Collider box{Box{{0.8, 0.3, 0.5}, slanted()}};
    const Collider mesh{MeshDistance::build(tessellate(box, 1)).value()};
    std::mt19937 random(4);
    for (int k = 0; k < 5000; ++k) {
        const Vec3 p = random_point(random, 1.5f);
        const auto a = sample(box, p), b = sample(mesh, p);
        if (a.distance < 0.05) {
            REQUIRE(b.distance == doctest::Approx(a.distance).epsilon(1e-5).scale(1));
            if (a.distance > 0) REQUIRE(dot(a.normal, b.normal) > 0.999);
        } else {
            REQUIRE(b.distance > 0);
            REQUIRE(b.distance < 2 * a.distance);
        }
    }
}

TEST_CASE("the clearance from a mesh is never more than its distance, and no less where that is not enough")
{
    const Box box{{0.3, 0.5, 0.2}, {rotation(Vec3d{1, 2, 3}, 0.7), {0.1, 0, 0}}};
    const Collider exact{box};
    std::mt19937 random(3);
    std::uniform_real_distribution<float> u(-1.2f, 1.2f);
    for (const bool container : {false, true}) {
        const MeshDistance mesh = MeshDistance::build(tessellate(exact, 1), container).value();
        for (int k = 0; k < 20000; ++k) {
            const Vec3 p{u(random), u(random), u(random)};
            const double distance = (container ? -1 : 1) * sample(exact, p).distance, enough = 0.02 * (k % 5);
            const double clearance = mesh.clearance(p, enough);
            CHECK(clearance <= distance + 1e-6);
            if (distance <= enough) CHECK(clearance == doctest::Approx(distance).epsilon(1e-5));
            if (distance > 0.2) CHECK(clearance > 0.03);  // two cells: it is of use
        }
    }
}

TEST_CASE("distances to a mesh with reflex edges are those of brute force, signs those of a formula")
{
    const TriMesh mesh = torus();
    const MeshDistance distance = MeshDistance::build(mesh).value();
    std::mt19937 random(5);
    for (int k = 0; k < 400; ++k) {
        const Vec3 p = random_point(random, 1.8f);
        const double expected = mesh_distance(mesh, p.as<double>());
        const MeshDistance::Sample found = distance.at(p);
        REQUIRE((found.distance < 0) == in_torus(p.as<double>()));
        if (found.distance < 0.05f)
            REQUIRE(std::abs(found.distance) == doctest::Approx(expected).epsilon(1e-4).scale(1));
        if (found.distance >= 0.05f) REQUIRE(found.distance < 2 * expected);
        REQUIRE(length(found.normal) == doctest::Approx(1).epsilon(1e-5));
    }
}

TEST_CASE("a mesh turned inside out, turned at random, or without shared vertices is the same obstacle")
{
    const TriMesh mesh = torus();
    TriMesh reversed = mesh, mixed = mesh, soup;
    for (Int3& t : reversed.triangles) std::swap(t[0], t[1]);
    for (std::size_t k = 0; k < mixed.triangles.size(); k += 3) std::swap(mixed.triangles[k][0], mixed.triangles[k][1]);
    for (const Int3& t : mesh.triangles) {
        for (const std::int32_t v : t) soup.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
        const auto n = static_cast<std::int32_t>(soup.vertices.size());
        soup.triangles.push_back({n - 3, n - 2, n - 1});
    }
    const MeshDistance expected = MeshDistance::build(mesh).value();
    std::mt19937 random(6);
    for (const TriMesh& variant : {reversed, mixed, soup}) {
        const MeshDistance found = MeshDistance::build(variant).value();
        for (int k = 0; k < 1000; ++k) {
            const Vec3 p = random_point(random, 1.8f);
            REQUIRE(same_obstacle(found, expected, p));
        }
    }
}

TEST_CASE("parts of a mesh that overlap are solid together, and a buried part adds nothing")
{
    const MeshDistance two = MeshDistance::build(joined(cube(1), cube(1), {0.9, 0.8, 0.7})).value();
    const MeshDistance buried = MeshDistance::build(joined(cube(1), cube(0.3), {0.1, 0.2, 0.1})).value();
    const MeshDistance plain = MeshDistance::build(cube(1)).value();
    const Collider a{Box{{1, 1, 1}, {}}}, b{Box{{1, 1, 1}, {{}, {0.9, 0.8, 0.7}}}};
    std::mt19937 random(7);
    for (int k = 0; k < 3000; ++k) {
        const Vec3 p = random_point(random, 2.2f);
        const double da = sample(a, p).distance, db = sample(b, p).distance;
        if (std::abs(std::min(da, db)) > 1e-4) REQUIRE((two.at(p).distance < 0) == (std::min(da, db) < 0));
        if (std::min(da, db) > 0 && std::min(da, db) < 0.05) {
            REQUIRE(two.at(p).distance == doctest::Approx(std::min(da, db)).epsilon(1e-4).scale(1));
        }
        REQUIRE(same_obstacle(buried, plain, p));
    }
}

TEST_CASE("a container is solid outside and free inside")
{
    const MeshDistance room = MeshDistance::build(cube(2), true).value();
    CHECK(room.at({0, 0, 0}).distance > 1);
    CHECK(room.at({1.95f, 0, 0}).distance == doctest::Approx(0.05));
    CHECK(room.at({1.95f, 0, 0}).normal.x == doctest::Approx(-1));
    CHECK(room.at({2.5f, 0, 0}).distance == doctest::Approx(-0.5));
    CHECK(room.at({2.5f, 0, 0}).normal.x == doctest::Approx(-1));
    CHECK(room.at({50, 0, 0}).distance == doctest::Approx(-48));
    const auto entry = room.first_entry({0, 0, 0}, {0, 8, 0});
    REQUIRE(entry);
    CHECK(entry->share == doctest::Approx(0.25));
    CHECK(entry->normal.y == doctest::Approx(-1));
}

TEST_CASE("open, empty and broken meshes are refused as obstacles with the reason")
{
    const auto refused = [](const TriMesh& mesh) {
        const auto result = MeshDistance::build(mesh);
        return result ? std::string() : result.error().message();
    };
    TriMesh open = cube(1);
    open.triangles.pop_back();
    CHECK(refused(open).find("the surface is open: 3 edges have a triangle on one side only") != std::string::npos);
    CHECK(refused(TriMesh{}).find("empty") != std::string::npos);
    TriMesh flat = cube(1);
    for (Vec3d& v : flat.vertices) v = {v.x, 0, 0};
    CHECK(refused(flat).find("no area") != std::string::npos);
    TriMesh wrong = cube(1);
    wrong.triangles[4][2] = 99;
    CHECK(refused(wrong).find("triangles[4]: names vertex 99") == 0);
    wrong = cube(1);
    wrong.vertices[3].z = INFINITY;
    CHECK(refused(wrong).find("vertices[3]") == 0);
    CHECK(refused(cube(1)).empty());
}

TEST_CASE("a point that is no number is clear of a mesh and does not hang the query")
{
    const MeshDistance mesh = MeshDistance::build(cube(1)).value();
    CHECK(mesh.at({NAN, 0, 0}).distance > 0);
    CHECK(mesh.at({INFINITY, 0, 0}).distance > 0);
    CHECK(mesh.at({3e38f, 3e38f, 0}).distance > 0);
}

TEST_CASE("tessellated obstacles are closed, face outwards and have the volume of the shape")
{
    const double sphere = 4.0 / 3 * M_PI * 0.729,
                 capsule = M_PI * 0.16 * std::sqrt(1.21 + 0.25 + 0.16) + 4.0 / 3 * M_PI * 0.064;
    const std::vector<double> volumes{8 * 0.8 * 0.3 * 0.5, sphere, capsule};
    std::size_t k = 0;
    for (const Collider& collider : convex_shapes()) {
        const TriMesh mesh = tessellate(collider, 1);
        CHECK(signed_volume(mesh) == doctest::Approx(volumes[k++]).epsilon(0.01));
        std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
        for (const Int3& t : mesh.triangles) {
            for (std::size_t c = 0; c < 3; ++c) ++edges[{t[c], t[(c + 1) % 3]}];
        }
        for (const auto& [edge, count] : edges) {
            REQUIRE(count == 1);
            REQUIRE(edges.count({edge.second, edge.first}) == 1);
        }
    }
    const TriMesh plane = tessellate({Plane{{0, 3, 0}, {0, 2, 0}}}, 5);
    CHECK(plane.triangles.size() == 2);
    CHECK(bounds(plane.vertices).size().x == doctest::Approx(10));
    for (const Int3& t : plane.triangles) {
        const auto at = [&](std::size_t c) { return plane.vertices[static_cast<std::size_t>(t[c])]; };
        CHECK(cross(at(1) - at(0), at(2) - at(0)).y > 0);
        CHECK(at(0).y == doctest::Approx(3));
    }
}
