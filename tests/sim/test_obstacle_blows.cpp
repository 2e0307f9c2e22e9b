// What comes at an obstacle faster than its shape can answer in a step.
#include <doctest/doctest.h>

#include "bodies.h"
#include "torture.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A board of 6 x 6 cells on four legs, with a post on it, about as long as `size`: what has limbs gets entangled
/// first.
BodyModel table(double size)
{
    std::vector<Int3> cells;
    for (int x = 0; x < 6; ++x)
        for (int z = 0; z < 6; ++z) {
            cells.push_back({x, 4, z});
            const bool leg = (x == 0 || x == 5) && (z == 0 || z == 5), post = x == 2 && z == 2;
            for (int y = 0; y < 4; ++y)
                if (leg) cells.push_back({x, y, z});
            for (int y = 5; y < 8; ++y)
                if (post) cells.push_back({x, y, z});
        }
    BodySpec spec;
    spec.solid = Matching{make_lattice({}, size / 8, cells)};
    return build(std::move(spec)).value();
}

}  // namespace

TEST_CASE(
    "limbs of a small body that falls many times its length in a step are not stretched, and mostly not turned inside out")
{
    int inverted = 0, falls = 0;
    for (const double size : {0.001, 0.01})
        for (const int substeps : {1, 2, 5})
            for (const float young : {1e4f, 1e6f}) {
                const Fall fall = drop(table(size), size, young, 10, 90, substeps);
                CAPTURE(size);
                CAPTURE(substeps);
                CAPTURE(young);
                CHECK(fall.longest < 1.5);
                CHECK(fall.most_energy < 1.05);
                CHECK(fall.volume > 0.6);
                inverted += fall.last.inverted;
                ++falls;
            }
    // Of 64 in legs and post. A single fall of 1 mm in steps of 1/60 s leaves about 16 or about 50, as rounding will
    // have it.
    CHECK(inverted < 20 * falls);
}

TEST_CASE("what is thrown at a wall too fast for its shape leaves it at the wall's restitution, and tells the impulse")
{
    const BodyModel model = cube(0.05);
    for (const float restitution : {0.0f, 0.6f, 1.0f}) {
        CAPTURE(restitution);
        Scene scene(weightless());
        scene.add(Collider{.shape = Box{.half_size = {0.01, 1, 1}}, .restitution = restitution});
        BodySettings settings;
        settings.matching.young = 1e5f;
        const BodyId body = scene.add(model, settings, {{}, {0.5, 0, 0}}, {-60, 0, 0});
        double mass = 0, impulse = 0;
        for (const double m : model.masses()) mass += m;
        for (int k = 0; k < 10; ++k) {
            scene.step();
            for (const TouchEvent& touch : scene.touches()) impulse += double(touch.impulse);
        }
        double momentum = 0;
        for (std::size_t i = 0; i < model.masses().size(); ++i)
            momentum += model.masses()[i] * double(scene.state(body).velocities[i].x);
        CHECK(center_of_mass(scene, body).x > 0.02);
        CHECK(longest_extent(scene.state(body).positions) < 1.2 * longest_extent(model.rest_positions()));
        CHECK(momentum / mass == doctest::Approx(60 * double(restitution)).epsilon(0.05).scale(60));
        // A body that is gone again before the end of its step tells of no touch.
        if (restitution == 0) CHECK(impulse == doctest::Approx(mass * 60 + momentum).epsilon(0.03));
    }
}

TEST_CASE("a bat that hits a body at rest takes it along, or throws it, in one piece")
{
    for (const double size : {0.01, 0.05})
        for (const float restitution : {0.0f, 0.6f}) {
            CAPTURE(size);
            CAPTURE(restitution);
            const BodyModel model = cube(size);
            Scene scene(weightless(1.0 / 60));
            const PathKey keys[] = {{.time = 0, .move = {-0.5, 0, 0}}, {.time = 1, .move = {29.5, 0, 0}}};
            scene.add(Collider{
                .shape = Box{.half_size = {0.1, 1, 1}}, .restitution = restitution, .path = Path(keys, false, {})});
            BodySettings settings;
            settings.matching.young = 1e5f;
            const BodyId body = scene.add(model, settings);
            double longest = 0;
            for (int k = 0; k < 30; ++k) {
                scene.step();
                longest = std::max(longest, longest_extent(scene.state(body).positions));
            }
            double mass = 0, momentum = 0;
            for (std::size_t i = 0; i < model.masses().size(); ++i) {
                mass += model.masses()[i];
                momentum += model.masses()[i] * double(scene.state(body).velocities[i].x);
            }
            CHECK(longest < 1.5 * longest_extent(model.rest_positions()));
            CHECK(momentum / mass == doctest::Approx(30 * (1 + double(restitution))).epsilon(0.05));
        }
}

TEST_CASE("two parts of one body that fall too fast land each on its own")
{
    std::vector<Int3> cells;
    for (int k = 0; k < 27; ++k)
        for (const int apart : {0, 9}) cells.push_back({k % 3 + apart, k / 3 % 3 + apart, k / 9});
    BodySpec spec;
    spec.solid = Matching{make_lattice({}, 0.001 / 3, cells)};
    const BodyModel model = build(std::move(spec)).value();
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    scene.add(Collider{.shape = Plane{}});
    BodySettings settings;
    settings.matching.young = 1e5f;
    const BodyId body = scene.add(model, settings, {{}, {0, 0.02, 0}});
    for (int k = 0; k < 60; ++k) scene.step();
    double low = 1, high = 0;
    for (const Vec3& x : scene.state(body).positions) {
        low = std::min(low, double(x.y));
        high = std::max(high, double(x.y));
    }
    CHECK(low > -1e-6);
    CHECK(high < 0.0012);
    CHECK(high > 0.0008);
}
