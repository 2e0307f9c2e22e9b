// Bodies against each other, against themselves and against the world, as a scene steps them.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <numeric>

#include "bodies.h"
#include "yawara/fem.h"

using namespace yawara;
using namespace yawara::test;

namespace {

BodyModel cube(double size = 0.3, int cells = 4)
{
    BodySpec spec;
    spec.name = "cube";
    std::get<Matching>(spec.solid).domain = make_bar({size, size, size}, {cells, cells, cells}, {-size / 2, 0, -size / 2});
    return build(std::move(spec)).value();
}

BodyModel ball(double radius = 0.1, double cell = 0.04)
{
    BodySpec spec;
    spec.name = "ball";
    std::get<Matching>(spec.solid).domain = make_lattice(Box3{{-radius, -radius, -radius}, {radius, radius, radius}}, cell,
                                     [=](Vec3d p) { return length(p) < radius; });
    return build(std::move(spec)).value();
}

Vec3d momentum(const Scene& scene)
{
    Vec3d sum;
    for (const BodyId b : scene.bodies())
        for (std::size_t i = 0; i < scene.model(b).particle_count(); ++i)
            sum += scene.state(b).velocities[i].as<double>() * scene.model(b).masses()[i];
    return sum;
}

double kinetic_energy(const Scene& scene, BodyId b)
{
    double sum = 0;
    for (std::size_t i = 0; i < scene.model(b).particle_count(); ++i) {
        const Vec3d v = scene.state(b).velocities[i].as<double>();
        sum += 0.5 * scene.model(b).masses()[i] * dot(v, v);
    }
    return sum;
}

bool all_finite(const Scene& scene)
{
    for (const BodyId b : scene.bodies()) {
        for (const Vec3& p : scene.state(b).positions)
            if (!is_finite(p)) return false;
        for (const Vec3& v : scene.state(b).velocities)
            if (!is_finite(v)) return false;
    }
    return true;
}

/// Particles of one body that are inside a tet of another, by brute force.
int particles_inside(const Scene& scene, BodyId of, BodyId in)
{
    const auto& mesh = std::get<TetMesh>(scene.model(in).domain());
    const auto& x = scene.state(in).positions;
    const auto volume = [](Vec3d a, Vec3d b, Vec3d c, Vec3d d) { return dot(cross(b - a, c - a), d - a); };
    int count = 0;
    for (const Vec3& point : scene.state(of).positions) {
        const Vec3d p = point.as<double>();
        for (const Int4& t : mesh.tets) {
            Vec3d v[4];
            for (std::size_t k = 0; k < 4; ++k) v[k] = x[std::size_t(t[k])].as<double>();
            const double whole = volume(v[0], v[1], v[2], v[3]), least = 1e-3 * whole;
            if (volume(p, v[1], v[2], v[3]) > least && volume(v[0], p, v[2], v[3]) > least &&
                volume(v[0], v[1], p, v[3]) > least && volume(v[0], v[1], v[2], p) > least) {
                ++count;
                break;
            }
        }
    }
    return count;
}

/// An open box of planes with a few bodies of different kinds above its floor.
Scene box_of_bodies(int threads, bool sleep = false)
{
    SceneSettings settings;
    settings.threads = threads;
    settings.sleep = sleep;
    Scene scene(settings);
    scene.add(Collider{});
    for (const Vec3d n : {Vec3d{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}}) scene.add(Collider{Plane{n * -0.32, n}});
    const BodyModel soft = ball(), hard = cube(0.15, 3), stick = bar({0.08, 0.3, 0.08}, {2, 7, 2});
    for (int k = 0; k < 6; ++k) {
        const Vec3d place{k % 2 ? 0.15 : -0.15, 0.25 + 0.4 * (k / 2), k % 2 ? 0.1 : -0.1};
        scene.add(k % 3 == 0 ? soft : k % 3 == 1 ? hard : stick, {}, {rotation(Vec3d{1, 0.3 * k, 1}, 0.4 * k), place});
    }
    return scene;
}

BodyModel fem_body(TetMesh mesh, int levels, double young)
{
    BodySpec spec;
    spec.name = "fem";
    Fem fem;
    fem.mesh = std::move(mesh);
    fem.levels = levels;
    fem.material = [=](const MaterialPlace&) { return FemMaterial{.elasticity = isotropic(young, 0.3).value()}; };
    spec.solid = fem;
    return build(std::move(spec)).value();
}

/// 30 cm of rubber by finite elements, with this many finer levels.
BodyModel fem_cube(int levels)
{
    return fem_body(make_bar({0.3, 0.3, 0.3}, {3, 3, 3}, {-0.15, 0, -0.15}), levels, 5e5);
}

/// Kinetic energy of two bodies.
double energy_of_both(const Scene& scene)
{
    return kinetic_energy(scene, scene.bodies()[0]) + kinetic_energy(scene, scene.bodies()[1]);
}

/// Lets two bodies collide: their momentum may change by no more than `allowed` in any step, nor may their kinetic energy
/// exceed this many times that of the start. The answer is the largest number of touches.
int collide(Scene& scene, int steps, double allowed, double most_energy)
{
    const Vec3d before = momentum(scene);
    const double energy = energy_of_both(scene);
    int touches = 0;
    for (int k = 0; k < steps; ++k) {
        touches = std::max(touches, scene.substep()[0].contact.touches);
        REQUIRE(length(momentum(scene) - before) < allowed);
        REQUIRE(energy_of_both(scene) < most_energy * energy);
    }
    return touches;
}

}  // namespace

TEST_CASE("a finite-element body comes to rest on a matching one, and sleeps")
{
    for (const bool sleep : {false, true}) {
        CAPTURE(sleep);
        SceneSettings settings;
        settings.sleep = sleep;
        Scene scene(settings);
        scene.add(Collider{});
        scene.add(cube(), {});
        const BodyId upper = scene.add(fem_cube(0), {}, Placement{{}, {0, 0.35, 0}});
        for (int k = 0; k < 360; ++k) scene.step();
        const std::vector<Vec3> before = scene.state(upper).positions;
        for (int k = 0; k < 30; ++k) scene.step();
        float low = 1e9f, way = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            low = std::min(low, before[i].y);
            way = std::max(way, length(scene.state(upper).positions[i] - before[i]));
        }
        CHECK(low > 0.25f);
        CHECK(low < 0.33f);
        CHECK(way <= (sleep ? 0.0f : 2e-4f));
    }
}

TEST_CASE("two free bodies that collide keep their momentum, and lose energy at most")
{
    for (const float restitution : {0.0f, 0.7f}) {
        Scene scene(weightless());
        BodySettings settings;
        settings.contact.restitution = restitution;
        const BodyModel body = bar({0.5, 0.5, 1.4}, {4, 4, 10});
        scene.add(body, settings, {}, {0, 0.3, 2});
        scene.add(body, settings, {rotation(Vec3d{1, 2, 3}, 0.7), {0.1, 0.1, 2.2}}, {0, 0, -2});
        const double energy = energy_of_both(scene), scale = 350 * 2.0;
        CHECK(collide(scene, 300, 1e-4 * scale, 1.001) > 5);
        CHECK(energy_of_both(scene) < energy);
        CHECK(center_of_mass(scene, scene.bodies()[1]).z - center_of_mass(scene, scene.bodies()[0]).z > 1.5);  // they bounced off
    }
}

TEST_CASE("a finite-element body on any front and another one that collide keep their momentum and gain no energy")
{
    for (const auto& [levels, other] : {std::pair{0, cube()}, {2, cube()}, {1, fem_cube(1)}, {0, ball(0.15, 0.05)}}) {
        CAPTURE(levels);
        CAPTURE(other.name());
        Scene scene(weightless());
        scene.add(fem_cube(levels), {}, {}, {0, 0.3, 1});
        scene.add(other, {}, {rotation(Vec3d{1, 2, 3}, 0.7), {0.05, 0.05, 0.5}}, {0, 0, -1});
        const double energy = energy_of_both(scene), scale = 27 * 1.0;
        CHECK(collide(scene, 200, 3e-4 * scale, 1.001) > 2);
        CHECK(energy_of_both(scene) < 0.95 * energy);
        CHECK(center_of_mass(scene, scene.bodies()[1]).z - center_of_mass(scene, scene.bodies()[0]).z > 0.45);  // they bounced off
    }
}

TEST_CASE("a handle leads a finite-element body as evenly beside another body as alone")
{
    double energies[2];
    for (const bool beside : {false, true}) {
        Scene scene(weightless());
        const BodyModel model = fem_cube(2);
        scene.add(model, {});
        // Near enough for slices, too far to touch.
        if (beside) scene.add(cube(), {}, Placement{{}, {0, 0.38, 0}}, {0.5, 0, 0});
        Grip grip;
        for (std::size_t i = 0; i < model.particle_count(); ++i)
            if (model.rest_positions()[i].y < 1e-6) grip.particles.push_back(std::int32_t(i));
        grip.target_velocities.assign(grip.particles.size(), {0.5f, 0, 0});
        for (int k = 1; k <= 60; ++k) {
            grip.targets.clear();
            for (const std::int32_t i : grip.particles)
                grip.targets.push_back((model.rest_positions()[std::size_t(i)] + Vec3d{0.5 * k / 300.0, 0, 0}).as<float>());
            scene.grips(scene.bodies()[0]) = {grip};
            scene.substep();
        }
        for (const std::int32_t i : grip.particles)
            CHECK(double(scene.state(scene.bodies()[0]).positions[std::size_t(i)].x) ==
                  doctest::Approx(model.rest_positions()[std::size_t(i)].x + 0.1).epsilon(1e-4));
        energies[beside] = kinetic_energy(scene, scene.bodies()[0]);
    }
    CHECK(energies[1] == doctest::Approx(energies[0]).epsilon(0.02));
}

TEST_CASE("friction holds a block on a slope below the critical angle without creep, and lets it slide above")
{
    for (const double slope : {0.2, 0.4, 0.6, 0.8}) {  // friction 0.5
        const double angle = std::atan(slope);
        const Vec3d normal{std::sin(angle), std::cos(angle), 0}, down{std::cos(angle), -std::sin(angle), 0};
        Scene scene;
        scene.add(Collider{Plane{{}, normal}, 0.5f, 0.0f});
        BodySpec spec;
        std::get<Matching>(spec.solid).domain = make_bar({0.4, 0.2, 0.4}, {6, 3, 6}, {-0.2, 0, -0.2});
        scene.add(build(spec).value(), {}, {rotation(Vec3d{0, 0, 1}, -angle), normal * 0.001});
        for (int k = 0; k < 240; ++k) scene.step();
        const Vec3d start = center_of_mass(scene);
        const double speed = dot(momentum(scene), down) / 32;
        for (int k = 0; k < 60; ++k) scene.step();
        const double way = dot(center_of_mass(scene) - start, down);
        const double fall = 9.8 * (std::sin(angle) - 0.5 * std::cos(angle));
        if (slope < 0.5)
            CHECK(std::abs(way) < 2e-4);  // per second; the size is 0.4
        else
            CHECK(way == doctest::Approx(speed + fall / 2).epsilon(0.05));
    }
}

TEST_CASE("a block rests on another body without creeping off or sinking in")
{
    Scene scene;
    scene.add(Collider{});
    scene.add(cube(0.6, 6));
    scene.add(cube(0.3, 4), {}, {rotation(Vec3d{0, 1, 0}, 0.3), {0.013, 0.61, 0.021}});
    for (int k = 0; k < 600; ++k) scene.step();
    const Vec3d start = center_of_mass(scene, scene.bodies()[1]);
    float overlap = 0;
    for (int k = 0; k < 300; ++k) overlap = std::max(overlap, scene.step()[1].contact.overlap);
    CHECK(length(center_of_mass(scene, scene.bodies()[1]) - start) < 1e-3);
    CHECK(overlap < 0.005f);
    CHECK(fastest(scene, scene.bodies()[1]) < 0.02);
    CHECK(particles_inside(scene, scene.bodies()[1], scene.bodies()[0]) == 0);
    CHECK(particles_inside(scene, scene.bodies()[0], scene.bodies()[1]) == 0);
}

TEST_CASE("bodies thrown at each other do not pass through")
{
    for (const double speed : {1.0, 3.0, 6.0}) {  // up to 40 sizes a second, closing
        Scene scene(weightless());
        scene.add(cube(), {}, {Mat3d{}, {-0.6, 0, 0}}, {speed, 0, 0});
        scene.add(cube(), {}, {rotation(Vec3d{1, 1, 0}, 0.5), {0.6, 0.05, 0.03}}, {-speed, 0, 0});
        for (int k = 0; k < 600; ++k) {
            scene.substep();
            REQUIRE(center_of_mass(scene, scene.bodies()[0]).x < center_of_mass(scene, scene.bodies()[1]).x);
        }
        CHECK(particles_inside(scene, scene.bodies()[0], scene.bodies()[1]) + particles_inside(scene, scene.bodies()[1], scene.bodies()[0]) == 0);
        CHECK(all_finite(scene));
    }
}

TEST_CASE("a body thrown at a thin wall with 20 of its lengths per second stays on its side")
{
    Scene scene(weightless());
    scene.add(Collider{Box{{2, 2, 0.005}, {}}, 0.3f, 0.2f});
    scene.add(cube(), {}, {rotation(Vec3d{1, 2, 0}, 0.4), {0, 0, -0.8}}, {0, 0, 6});
    for (int k = 0; k < 300; ++k) {
        scene.substep();
        for (const Vec3& p : scene.state(scene.bodies()[0]).positions) REQUIRE(p.z < 0);
    }
    CHECK(momentum(scene).z < 0);
}

TEST_CASE("thin sheets that fall on a ball and on each other are not turned inside out and do not tangle")
{
    SceneSettings scene_settings;
    scene_settings.substeps = 6;
    Scene scene(scene_settings);
    scene.add(Collider{});
    scene.add(Collider{Sphere{{0, 0.15, 0}, 0.15}});
    BodySettings settings;
    settings.matching.passes = 3;
    const BodyModel sheet = bar({0.5, 0.015, 0.5}, {20, 1, 20});  // rubber of 15 mm; a step brings it on by up to 11 mm
    scene.add(sheet, settings, {{}, {-0.2, 0.36, -0.25}});
    scene.add(sheet, settings, {rotation(Vec3d{0.2, 1, 0.1}, 0.6), {-0.35, 0.55, -0.05}});
    scene.add(sheet, settings, {rotation(Vec3d{1, 0, 0.3}, 0.44), {-0.25, 0.9, -0.25}}, {0, -2, 0});
    int touches = 0;
    for (int frame = 0; frame < 60; ++frame)
        for (const StepReport& report : scene.step()) touches = std::max(touches, report.contact.touches);
    CHECK(touches > 100);
    for (const BodyId of : scene.bodies()) {
        CAPTURE(of.slot);
        CHECK(inverted_tets(scene, of) < 3);
        for (const BodyId in : scene.bodies())
            if (of != in) CHECK(particles_inside(scene, of, in) < 10);
    }
}

TEST_CASE("a sheet keeps what is held of it in its place, also in the floor")
{
    Scene scene;
    scene.add(Collider{});
    const BodyModel sheet = bar({0.4, 0.015, 0.4}, {16, 1, 16});
    const BodyId lower = scene.add(sheet, {}, {{}, {0, -0.004, 0}});
    scene.add(cube(0.2, 3), {}, {{}, {0.1, 0.06, 0.2}}, {0, -4, 0});
    Grip grip;
    for (std::size_t i = 0; i < sheet.particle_count(); ++i)
        if (sheet.rest_positions()[i].x < 0.02) {
            grip.particles.push_back(std::int32_t(i));
            grip.targets.push_back(scene.state(lower).positions[i]);
        }
    scene.grips(lower).push_back(grip);
    int touches = 0;
    for (int frame = 0; frame < 30; ++frame) {
        for (const StepReport& report : scene.step()) touches = std::max(touches, report.contact.touches);
        for (std::size_t k = 0; k < grip.particles.size(); ++k)
            REQUIRE(scene.state(lower).positions[std::size_t(grip.particles[k])] == grip.targets[k]);
    }
    CHECK(touches > 5);
}

TEST_CASE("thin sheets thrown at each other keep their momentum and do not pass through")
{
    Scene scene(weightless());
    const BodyModel sheet = bar({0.4, 0.01, 0.4}, {16, 1, 16});
    const Mat3d turn = rotation(Vec3d{0, 1, 0.1}, 0.3);
    const Vec3d middle{0.2, 0, 0.2};
    scene.add(sheet, {}, {}, {0, 4, 0});  // 27 mm in a step of both together
    scene.add(sheet, {}, {turn, middle - turn * middle + Vec3d{0.03, 0.1, 0.02}}, {0, -4, 0});
    const double energy = energy_of_both(scene);
    const double scale = std::accumulate(sheet.masses().begin(), sheet.masses().end(), 0.0) * 4;
    CHECK(collide(scene, 100, 1e-4 * scale, 1.001) > 100);
    CHECK(center_of_mass(scene, scene.bodies()[1]).y > center_of_mass(scene, scene.bodies()[0]).y);
    CHECK(energy_of_both(scene) < energy);
    CHECK(particles_inside(scene, scene.bodies()[0], scene.bodies()[1]) + particles_inside(scene, scene.bodies()[1], scene.bodies()[0]) < 5);
    CHECK(inverted_tets(scene, scene.bodies()[0]) + inverted_tets(scene, scene.bodies()[1]) == 0);
}

TEST_CASE("stiff thin sheets of finite elements that hit each other keep their momentum and gain no energy")
{
    Scene scene(weightless());
    const BodyModel sheet = fem_body(make_bar({0.3, 0.015, 0.3}, {10, 1, 10}), 0, 2e6);
    scene.add(sheet, {}, {}, {0, 1, 0});
    scene.add(sheet, {}, {rotation(Vec3d{0.1, 1, 0.2}, 0.5), {-0.1, 0.06, 0.08}}, {0, -1, 0});
    CHECK(collide(scene, 60, 3e-4 * 1.35, 1.001) > 2);
    CHECK(inverted_tets(scene, scene.bodies()[0]) + inverted_tets(scene, scene.bodies()[1]) == 0);
    CHECK(particles_inside(scene, scene.bodies()[0], scene.bodies()[1]) + particles_inside(scene, scene.bodies()[1], scene.bodies()[0]) == 0);
}

TEST_CASE("bodies that start inside each other, or in the very same place, part without harm")
{
    for (const double offset : {0.0, 0.02, 0.15}) {
        Scene scene(weightless());
        scene.add(cube());
        scene.add(cube(), {}, {Mat3d{}, {offset, 0, 0.3 * offset}});
        for (int k = 0; k < 1500; ++k) {
            scene.substep();
            REQUIRE(all_finite(scene));
            REQUIRE(fastest(scene, scene.bodies()[0]) < 30);
        }
        CHECK(particles_inside(scene, scene.bodies()[0], scene.bodies()[1]) + particles_inside(scene, scene.bodies()[1], scene.bodies()[0]) == 0);
        CHECK(inverted_tets(scene, scene.bodies()[0]) == 0);
        CHECK(shape_error(scene, scene.bodies()[0]) < 0.01);
    }
}

TEST_CASE("free bodies that start inside each other part by less than two sizes a second, and keep their momentum")
{
    for (const double size : {0.05, 1.0})
        for (const double overlap : {0.2, 0.5, 0.8}) {
            Scene scene({.dt = 1.0 / 60, .substeps = 5, .gravity = {}});
            BodySettings settings;
            settings.matching.young = 1e5f;
            const BodyModel model = bar({size, size, size}, {5, 5, 5});
            const Vec3d offset = Vec3d{1 - overlap, 0.3 * (1 - overlap), 0.06} * size;
            const BodyId one = scene.add(model, settings), other = scene.add(model, settings, {Mat3d{}, offset});
            const auto sum = [&] { return center_of_mass(scene, one) + center_of_mass(scene, other); };
            const auto distance = [&] { return length(center_of_mass(scene, one) - center_of_mass(scene, other)); };
            const Vec3d middle = sum();
            for (int frame = 0; frame < 120; ++frame) scene.step();
            const double before = distance();
            for (int frame = 0; frame < 60; ++frame) scene.step();
            CAPTURE(size);
            CAPTURE(overlap);
            CHECK(distance() > size);
            CHECK(distance() - before < 2 * size);
            CHECK(length(sum() - middle) < 1e-3 * size);
        }
}

TEST_CASE("small bodies of finite elements that start inside each other part by less than five sizes a second")
{
    constexpr double kSize = 0.05;
    for (const double overlap : {0.2, 0.5, 0.8})
        for (const double aside : {0.0, 0.3}) {
            Scene scene({.dt = 1.0 / 60, .substeps = 5, .gravity = {}});
            Fem fem;
            fem.mesh = make_bar({kSize, kSize, kSize}, {4, 4, 4});
            fem.levels = 0;
            fem.material = [](const MaterialPlace&) { return FemMaterial{.elasticity = isotropic(3e5, 0.4).value()}; };
            BodySpec spec;
            spec.solid = fem;
            const BodyModel model = build(std::move(spec)).value();
            const Vec3d offset = Vec3d{1 - overlap, aside * (1 - overlap), 0.2 * aside} * kSize;
            const BodyId one = scene.add(model), other = scene.add(model, {}, {Mat3d{}, offset});
            const auto distance = [&] { return length(center_of_mass(scene, one) - center_of_mass(scene, other)); };
            for (int frame = 0; frame < 90; ++frame) scene.step();
            const double before = distance();
            for (int frame = 0; frame < 30; ++frame) scene.step();
            CAPTURE(overlap);
            CAPTURE(aside);
            CHECK(distance() > kSize);
            CHECK(distance() - before < 2.5 * kSize);
        }
}

TEST_CASE("cubes that start inside each other on a floor come to stand beside each other")
{
    for (const double size : {0.05, 0.2, 1.0})
        for (const double overlap : {0.2, 0.5, 0.95}) {
            Scene scene;
            scene.add(Collider{});
            BodySettings settings;
            settings.matching.young = 1e5f;
            const BodyModel model = bar({size, size, size}, {4, 4, 4});
            const BodyId one = scene.add(model, settings, {Mat3d{}, {0, 1e-3 * size, 0}});
            const BodyId other = scene.add(model, settings, {Mat3d{}, Vec3d{1 - overlap, 1e-3, 0.1} * size});
            for (int frame = 0; frame < 240; ++frame) scene.step();
            float left = 0;
            for (int frame = 0; frame < 10; ++frame)
                for (const StepReport& report : scene.step()) left = std::max(left, report.contact.overlap);
            CAPTURE(size);
            CAPTURE(overlap);
            CHECK(left < 0.01f);
            CHECK(std::abs(center_of_mass(scene, one).y - center_of_mass(scene, other).y) < 0.1 * size);
        }
}

TEST_CASE("in a box shaken for 5,000 steps bodies overlap by less than a few percent of their size")
{
    Scene scene = box_of_bodies(0);
    int deep = 0, touches = 0;
    float deepest = 0;
    for (int k = 0; k < 5000; ++k) {
        const float t = float(k) / 300;
        scene.settings().gravity = {5 * std::sin(5 * t), -9.8f, 5 * std::cos(7 * t)};
        for (const StepReport& report : scene.substep()) {
            REQUIRE(report.repaired_particles == 0);
            deepest = std::max(deepest, report.contact.overlap);
            deep += report.contact.overlap > 0.02f;
            touches += report.contact.touches > 0;
        }
    }
    CHECK(touches > 5000);
    CHECK(deepest < 0.06f);
    CHECK(deep < touches / 1000);
    CHECK(all_finite(scene));
}

TEST_CASE("contact has the same bits for any number of threads, and after a saved state")
{
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
    Scene one = box_of_bodies(1);
    for (int k = 0; k < 90; ++k) one.step();
    for (const int threads : {2, 8}) {
        Scene many = box_of_bodies(threads);
        for (int k = 0; k < 90; ++k) many.step();
        CHECK(many.hash() == one.hash());
    }
    Scene late = box_of_bodies(2);
    for (const BodyId b : one.bodies()) late.state(b) = std::as_const(one).state(b);
    late.set_clock(one.step_count(), one.time());
    for (int k = 0; k < 30; ++k) {
        one.step();
        late.step();
    }
    CHECK(late.hash() == one.hash());
}

TEST_CASE("a pile falls asleep, does not move at all then, and wakes when something falls on it")
{
    Scene scene = box_of_bodies(1, true);
    const auto asleep = [&] {
        int count = 0;
        for (const BodyId b : scene.bodies()) count += std::as_const(scene).state(b).still >= 0.5f;
        return count;
    };
    for (int k = 0; k < 900 && asleep() < 6; ++k) scene.step();
    REQUIRE(asleep() == 6);
    std::uint64_t hash = scene.hash();
    for (int k = 0; k < 30; ++k) scene.step();
    CHECK(scene.hash() == hash);
    scene.add(ball(), {}, {Mat3d{}, {0.1, 1.5, 0.05}});
    int fewest = 6;
    for (int k = 0; k < 120; ++k) {
        scene.step();
        fewest = std::min(fewest, asleep());
    }
    CHECK(fewest < 6);
}

TEST_CASE("a handle pulls a body through others without an explosion")
{
    Scene scene(weightless());
    scene.add(cube());
    scene.add(cube(), {}, {Mat3d{}, {0.5, 0.02, 0}});
    scene.add(cube(), {}, {Mat3d{}, {0.9, -0.03, 0.02}});
    Grip grip{{0, 1, 2, 3}, {}, {}, 0};
    const auto start = std::as_const(scene).state(std::as_const(scene).bodies()[0]).positions;
    for (int k = 0; k < 900; ++k) {
        grip.targets.clear();
        for (const std::int32_t i : grip.particles)
            grip.targets.push_back(start[std::size_t(i)] + Vec3{float(std::min(k, 600)) / 400, 0, 0});
        scene.grips(scene.bodies()[0]) = {grip};
        scene.substep();
        for (const BodyId b : scene.bodies()) REQUIRE(fastest(scene, b) < 20);
    }
    CHECK(center_of_mass(scene, scene.bodies()[1]).x > 1.0);  // pushed along
    CHECK(all_finite(scene));
}

TEST_CASE("the ends of a strip bent onto itself meet instead of passing through")
{
    for (const bool self : {false, true}) {
        Scene scene(weightless());
        BodySettings settings;
        settings.contact.self = self;
        settings.matching.damping = 0.1f;
        BodySpec spec;
        std::get<Matching>(spec.solid).domain = make_bar({1.2, 0.06, 0.2}, {24, 2, 4}, {-0.6, 0, -0.1});
        scene.add(build(spec).value(), settings);
        const auto rest = scene.model(scene.bodies()[0]).rest_positions();
        Grip left{{}, {}, {}, 0}, right = left;
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (std::abs(std::abs(rest[i].x) - 0.6) < 1e-6) (rest[i].x < 0 ? left : right).particles.push_back(int(i));
        for (int k = 0; k < 900; ++k) {  // both ends swing up by 95 degrees about the middle, and would cross
            const double angle = 1.66 * std::min(k, 600) / 600;
            for (Grip* grip : {&left, &right}) {
                const Mat3d turn = rotation(Vec3d{0, 0, 1}, grip == &left ? -angle : angle);
                grip->targets.clear();
                for (const std::int32_t i : grip->particles)
                    grip->targets.push_back((turn * rest[std::size_t(i)]).as<float>());
            }
            scene.grips(scene.bodies()[0]) = {left, right};
            scene.substep();
        }
        scene.grips(scene.bodies()[0]).clear();
        for (int k = 0; k < 5; ++k) scene.substep();
        CHECK(all_finite(scene));
        int touches = 0;
        for (int k = 0; k < 3; ++k) touches += scene.substep()[0].contact.touches;
        CHECK((touches > 0) == self);
    }
}
