// Bodies with a Young's modulus hold together at any size, whatever hits them; and say so when they do not.
#include <doctest/doctest.h>

#include "bodies.h"
#include "torture.h"

using namespace yawara;
using namespace yawara::test;

TEST_CASE("a body with a modulus keeps its length and gains no energy when it falls, from a millimetre to a kilometre")
{
    for (const double size : {0.001, 0.01, 0.1, 1.0, 1000.0})
        for (const float young : {1e2f, 1e5f, 1e9f}) {
            const Fall fall = drop(cube(size), size, young, 10);
            CAPTURE(size);
            CAPTURE(young);
            CHECK(fall.longest < 1.5);
            CHECK(fall.most_energy < 1.05);
        }
}

TEST_CASE("a body too stiff for its step is not thrown by a floor, however short its steps")
{
    const Fall fall = drop(cube(0.1), 0.1, 1e9f, 10, 0, 20);
    CHECK(fall.longest < 1.5);
    CHECK(fall.most_energy < 1.05);
}

TEST_SUITE("long")
{
    TEST_CASE("bodies of every shape, size, modulus and step keep their length and gain no energy when they fall" *
              doctest::skip())
    {
        int falls = 0, grown = 0, livelier = 0;
        for (const Shape& shape : shapes())
            for (const double size : {0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0})
                for (const float young : {1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e9f})
                    for (const int substeps : {1, 5, 20}) {
                        const Fall fall = drop(shape.make(size), size, young, 10, 0, substeps);
                        CAPTURE(std::string(shape.name));
                        CAPTURE(size);
                        CAPTURE(young);
                        CAPTURE(substeps);
                        CHECK(fall.longest < 1.5);
                        CHECK(fall.most_energy < 1.5);
                        ++falls;
                        grown += !(fall.longest < 1.5);
                        livelier += !(fall.most_energy < 1.05);
                    }
        MESSAGE(falls << " falls, " << grown << " longer than 1.5 times, " << livelier << " with 5 % more energy");
    }
}

TEST_CASE("a stiff toy on a floor sinks as little as its modulus says")
{
    // Under its own weight a column gets shorter by rho g L / (2 E): 0.16 % of 1 cm at 30 kPa.
    for (const float young : {3e4f, 3e5f}) {
        const Fall fall = drop(cube(0.01), 0.01, young, 0, 60);
        CAPTURE(young);
        CHECK(fall.volume > 0.99);
        CHECK(fall.longest < 1.01);
        CHECK(fall.last.matching.implicit == 1);
    }
}

TEST_CASE("a body in free flight is not stepped implicitly")
{
    Scene scene(weightless(1.0 / 300));
    BodySettings settings;
    settings.matching.young = 1e5f;
    scene.add(cube(0.05), settings, {}, {0.1, 0, 0}, {1, 2, 3});
    for (int k = 0; k < 30; ++k) {
        const MatchingReport report = scene.substep()[0].matching;
        CHECK(report.passes > 1);
        CHECK(report.implicit == 0);
    }
}

TEST_CASE("obstacles carry a stiff body without turning or moving it along them")
{
    Scene scene({.dt = 1.0 / 300, .substeps = 1});
    scene.add(Collider{.shape = Plane{}, .friction = 0.0f});
    BodySettings settings;
    settings.matching.young = 1e6f;
    settings.matching.damping = 0;
    const BodyId body = scene.add(cube(0.05), settings, {}, {0.3, 0, 0});
    for (int k = 0; k < 300; ++k) scene.substep();
    const Vec3d center = center_of_mass(scene, body);
    CHECK(center.x == doctest::Approx(0.025 + 0.3).epsilon(0.01));
    CHECK(center.y == doctest::Approx(0.025).epsilon(0.02));
    CHECK(center.z == doctest::Approx(0.025).epsilon(0.01));
}

TEST_CASE("friction stops a stiff body that slides after v^2 / (2 mu g)")
{
    Scene scene({.dt = 1.0 / 300, .substeps = 1});
    scene.add(Collider{.shape = Plane{}, .friction = 0.4f});
    BodySettings settings;
    settings.matching.young = 1e6f;
    const BodyId body = scene.add(cube(0.05), settings, {}, {0.5, 0, 0});
    for (int k = 0; k < 300; ++k) scene.substep();
    CHECK(center_of_mass(scene, body).x - 0.025 == doctest::Approx(0.25 / (2 * 0.4 * 9.8)).epsilon(0.15));
    CHECK(fastest(scene, body) < 0.005);
}

TEST_CASE("a report says that a body has grown or collapsed, and that it has not")
{
    Scene scene({.dt = 0.1, .substeps = 1, .gravity = {}});
    const BodyId body = scene.add(cube(1));
    CHECK(scene.step()[0].shape.size == doctest::Approx(1).epsilon(1e-3));
    CHECK(scene.step()[0].shape.volume == doctest::Approx(1).epsilon(1e-3));
    CHECK_FALSE(scene.step()[0].shape.has_grown());

    BodySettings& settings = scene.body_settings(body);
    settings.matching.alpha = 1e-9f;
    for (Vec3& p : scene.state(body).positions) p *= 4;
    ShapeReport shape = scene.step()[0].shape;
    CHECK(shape.has_grown());
    CHECK(shape.volume == doctest::Approx(64).epsilon(1e-3));

    for (Vec3& p : scene.state(body).positions) p.y = 0;
    for (int frame = 0; frame < 9; ++frame) CHECK_FALSE(scene.step()[0].shape.has_collapsed());
    for (int frame = 0; frame < 3; ++frame) shape = scene.step()[0].shape;
    CHECK(shape.has_collapsed());
}

TEST_CASE("a coil that unrolls, and parts that fly apart, have not grown")
{
    // Two bars, 12 m long: the first rolled up to a helix of turns 1 m wide and 0.6 m apart, the other 100 m away.
    TetMesh now = make_bar({12, 0.2, 0.2}, {60, 1, 1});
    const std::size_t half = now.vertices.size(), tets = now.tets.size();
    for (std::size_t i = 0; i < half; ++i) now.vertices.push_back(now.vertices[i] + Vec3d{0, 0, 100});
    for (std::size_t k = 0; k < tets; ++k) {
        Int4 tet = now.tets[k];
        for (const int corner : {0, 1, 2, 3}) tet[corner] += int(half);
        now.tets.push_back(tet);
    }
    TetMesh rest = now;
    for (std::size_t i = 0; i < half; ++i) {
        constexpr double kRadius = 0.5, kPitch = 0.6 / 6.283185;
        const Vec3d p = now.vertices[i];
        const double angle = p.x / std::hypot(kRadius, kPitch), radius = kRadius + p.y - 0.1;
        rest.vertices[i] = {radius * std::cos(angle), -radius * std::sin(angle), p.z + kPitch * angle};
        rest.vertices[half + i].z -= 96;
    }

    BodySpec spec;
    spec.solid = Matching{rest};
    Scene scene({.dt = 0.1, .substeps = 1, .gravity = {}});
    const BodyId body = scene.add(build(std::move(spec)).value());
    scene.body_settings(body).matching.alpha = 1e-9f;
    CHECK(scene.step()[0].shape.size == doctest::Approx(1).epsilon(1e-3));
    REQUIRE(scene.state(body).positions.size() == now.vertices.size());
    for (std::size_t i = 0; i < now.vertices.size(); ++i)
        scene.state(body).positions[i] = now.vertices[i].as<float>();
    CHECK(scene.step()[0].shape.size == doctest::Approx(1).epsilon(0.05));
}
