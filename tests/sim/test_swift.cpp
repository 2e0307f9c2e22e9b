// Bodies so fast that a step carries them past what is in their way.
#include <doctest/doctest.h>

#include "bodies.h"
#include "yawara/fem.h"

using namespace yawara;
using namespace yawara::test;

namespace {

enum class Kind { tets, young, lattice, fem };

/// A block in which x and z are 0 in the middle and y is 0 at the bottom, of cells of about 25 mm.
BodyModel block(Kind kind, Vec3d size)
{
    const Vec3d low{-size.x / 2, 0, -size.z / 2};
    const auto cells = [](double length) { return std::max(int(std::lround(length / 0.025)), 1); };
    const TetMesh tets = make_bar(size, {cells(size.x), cells(size.y), cells(size.z)}, low);
    BodySpec spec;
    spec.name = "block";
    if (kind == Kind::fem) {
        Fem fem;
        fem.mesh = tets;
        fem.levels = 0;
        fem.material = [](const MaterialPlace&) { return FemMaterial{.elasticity = isotropic(3e5, 0.3).value()}; };
        spec.solid = fem;
    } else if (kind == Kind::lattice) {
        spec.solid = Matching{make_lattice(Box3{low, low + size}, 0.02, [](Vec3d) { return true; })};
    } else {
        spec.solid = Matching{tets};
    }
    return build(std::move(spec)).value();
}

BodySettings settings_of(Kind kind)
{
    BodySettings settings;
    if (kind == Kind::young) settings.matching.young = 3e5f;
    return settings;
}

/// How often a ray upwards from a point goes through the surface of a body.
int crossings_above(const Scene& scene, BodyId body, Vec3d point)
{
    std::vector<std::int32_t> particle_of;
    const TriMesh surface = std::visit([&](const auto& d) { return boundary_surface(d, &particle_of); },
                                       scene.model(body).domain());
    const auto at = [&](std::int32_t vertex) {
        return scene.state(body).positions[std::size_t(particle_of[std::size_t(vertex)])].as<double>() - point;
    };
    int count = 0;
    for (const Int3& t : surface.triangles) {
        const Vec3d a = at(t[0]), b = at(t[1]), c = at(t[2]);
        const auto side = [](Vec3d u, Vec3d v) { return u.x * v.z - u.z * v.x; };
        const double wa = side(b, c), wb = side(c, a), wc = side(a, b), sum = wa + wb + wc;
        const bool above = (wa > 0 && wb > 0 && wc > 0) || (wa < 0 && wb < 0 && wc < 0);
        count += above && (wa * a.y + wb * b.y + wc * c.y) / sum > 0;
    }
    return count;
}

Vec3d momentum(const Scene& scene)
{
    Vec3d sum;
    for (const BodyId b : scene.bodies())
        for (std::size_t i = 0; i < scene.model(b).particle_count(); ++i)
            sum += scene.state(b).velocities[i].as<double>() * scene.model(b).masses()[i];
    return sum;
}

double kinetic_energy(const Scene& scene)
{
    double sum = 0;
    for (const BodyId b : scene.bodies())
        for (std::size_t i = 0; i < scene.model(b).particle_count(); ++i) {
            const Vec3d v = scene.state(b).velocities[i].as<double>();
            sum += 0.5 * scene.model(b).masses()[i] * dot(v, v);
        }
    return sum;
}

/// Largest distance of two particles.
double extent(const Scene& scene, BodyId body)
{
    double most = 0;
    for (const Vec3& p : scene.state(body).positions)
        for (const Vec3& q : scene.state(body).positions) most = std::max(most, double(length(p - q)));
    return most;
}

}  // namespace

TEST_CASE("a cube thrown at a sheet of 2 cm that is held by its rim stays above it, however fast")
{
    for (const Kind kind : {Kind::tets, Kind::young, Kind::lattice, Kind::fem})
        for (const double speed : {20.0, 60.0, 200.0}) {
            CAPTURE(int(kind));
            CAPTURE(speed);
            Scene scene;
            const BodyModel model = block(kind, {0.6, 0.02, 0.6});
            const BodyId sheet = scene.add(model, settings_of(kind));
            const BodyId cube = scene.add(block(kind, {0.1, 0.1, 0.1}), settings_of(kind),
                                          {rotation(Vec3d{1, 0.3, 0.5}, 0.4), {0.013, 0.4, 0.017}}, {0, -speed, 0});
            Grip rim;
            for (std::size_t i = 0; i < model.particle_count(); ++i)
                if (const Vec3d p = model.rest_positions()[i]; std::max(std::abs(p.x), std::abs(p.z)) > 0.29) {
                    rim.particles.push_back(std::int32_t(i));
                    rim.targets.push_back(scene.state(sheet).positions[i]);
                }
            scene.grips(sheet) = {rim};
            for (int frame = 0; frame < 40; ++frame) {
                scene.step();
                REQUIRE(crossings_above(scene, sheet, center_of_mass(scene, cube)) == 0);
                REQUIRE(extent(scene, cube) < 1.5 * 0.1 * std::sqrt(3.0));
            }
        }
}

TEST_CASE("a body that hits a free sheet at 200 m/s takes it along: momentum stays, energy does not grow")
{
    for (const Kind kind : {Kind::tets, Kind::lattice, Kind::fem}) {
        CAPTURE(int(kind));
        Scene scene(weightless());
        const BodyId sheet = scene.add(block(kind, {0.6, 0.02, 0.6}), settings_of(kind));
        const BodyId cube = scene.add(block(kind, {0.1, 0.1, 0.1}), settings_of(kind),
                                      {rotation(Vec3d{1, 0.3, 0.5}, 0.4), {0.013, 0.4, 0.017}}, {0, -200, 0});
        const Vec3d before = momentum(scene);
        double energy = kinetic_energy(scene);
        for (int step = 0; step < 60; ++step) {
            scene.substep();
            REQUIRE(length(momentum(scene) - before) < 1e-3 * length(before));
            REQUIRE(kinetic_energy(scene) < 1.001 * energy);
            if (step == 10) energy = 0.3 * energy;  // one mass of 1 kg and one of 7 keep an eighth, and turn
        }
        CHECK(center_of_mass(scene, cube).y > center_of_mass(scene, sheet).y);
        CHECK(extent(scene, cube) < 1.5 * 0.1 * std::sqrt(3.0));
    }
}

TEST_CASE("a fast body that flies past another one is not stopped")
{
    Scene scene(weightless());
    const BodyId sheet = scene.add(block(Kind::tets, {0.6, 0.02, 0.6}));
    const BodyId cube = scene.add(block(Kind::tets, {0.1, 0.1, 0.1}), {}, {{}, {0.4, 0.3, 0.01}}, {0, -60, 0});
    for (int step = 0; step < 10; ++step) scene.substep();
    CHECK(center_of_mass(scene, cube).y == doctest::Approx(0.35 - 2).epsilon(1e-3));
    CHECK(fastest(scene, sheet) < 1e-3);
}

TEST_CASE("cubes that start inside each other by 80 % part with less than 4 of their sizes a second")
{
    const BodyModel cube = [] {
        BodySpec spec;
        spec.solid = Matching{make_bar({0.3, 0.3, 0.3}, {4, 4, 4})};
        return build(std::move(spec)).value();
    }();
    SceneSettings settings;
    settings.gravity = {};
    Scene scene(settings);
    const BodyId one = scene.add(cube), other = scene.add(cube, {}, {{}, {0.06, 0.012, 0.018}});
    const auto apart = [&] { return length(center_of_mass(scene, one) - center_of_mass(scene, other)) / 0.3; };
    for (int frame = 0; frame < 60; ++frame) scene.step();
    const double then = apart();
    CHECK(then > 1);
    for (int frame = 0; frame < 60; ++frame) scene.step();
    CHECK(apart() - then < 4);
}

TEST_CASE("a sleeping body that is hit at 100 m/s wakes and is pushed along")
{
    SceneSettings settings;
    settings.sleep = true;
    settings.gravity = {};
    Scene scene(settings);
    const BodyId still = scene.add(block(Kind::tets, {0.2, 0.2, 0.2}));
    for (int frame = 0; frame < 60; ++frame) scene.step();
    const BodyId bullet = scene.add(block(Kind::tets, {0.1, 0.1, 0.1}), {}, {{}, {-0.8, 0.05, 0}}, {100, 0, 0});
    const Vec3d before = momentum(scene);
    for (int frame = 0; frame < 5; ++frame) scene.step();
    CHECK(length(momentum(scene) - before) < 1e-3 * length(before));
    CHECK(center_of_mass(scene, still).x > 0.2);
    CHECK(center_of_mass(scene, bullet).x < center_of_mass(scene, still).x);
}

TEST_CASE("fast impacts in front of obstacles give the same bits on any number of threads")
{
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 3}) {
        SceneSettings settings;
        settings.threads = threads;
        Scene scene(settings);
        scene.add(Collider{});
        scene.add(block(Kind::tets, {0.6, 0.02, 0.6}), {}, {{}, {0, 0.001, 0}});
        scene.add(block(Kind::fem, {0.1, 0.1, 0.1}), {}, {{}, {0.15, 0.4, 0}}, {0, -80, 0});
        scene.add(block(Kind::lattice, {0.1, 0.1, 0.1}), {}, {{}, {-0.1, 0.5, 0}}, {0, -120, 0});
        for (int frame = 0; frame < 10; ++frame) {
            scene.step();
            for (const BodyId body : scene.bodies())
                for (const Vec3& p : scene.state(body).positions) REQUIRE(p.y > -0.01f);
        }
        hashes.push_back(scene.hash());
    }
    CHECK(hashes[0] == hashes[1]);
}
