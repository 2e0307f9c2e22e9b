#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "bodies.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size)
{
    ++allocations;
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    ++allocations;
    return std::malloc(size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace yawara;
using namespace yawara::test;

namespace {

Scene busy_scene(int threads)
{
    SceneSettings settings;
    settings.threads = threads;
    Scene scene(settings);
    scene.add(Collider{Plane{}, 0.5f, 0.3f});
    scene.add(Collider{Sphere{{0.2, 0.3, 0.1}, 0.4}, 0.2f, 0.0f});
    BodySettings stiff;
    stiff.matching.passes = 3;
    stiff.matching.region_damping = 0.02f;
    scene.add(bar({0.5, 1.4, 0.5}, {6, 16, 6}), {}, {Mat3d{}, {0, 0.8, 0}}, {0, -2, 0}, {1, 2, 3});
    scene.add(bar({0.5, 0.5, 0.5}, {4, 4, 4}), stiff, {Mat3d{}, {0.6, 1.0, 0}});
    return scene;
}

}  // namespace

TEST_CASE("the same bits come out for any number of threads")
{
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
    Scene one = busy_scene(1);
    for (int k = 0; k < 60; ++k) one.step();
    for (const int threads : {2, 4, 8}) {
        Scene many = busy_scene(threads);
        for (int k = 0; k < 60; ++k) many.step();
        CHECK(many.hash() == one.hash());
    }
}

TEST_CASE("the same bits come out on threads of the host, in whatever order they make the calls")
{
    struct Backwards : Jobs {
        void run(std::size_t count, void (*call)(const void*, std::size_t), const void* context) override
        {
            calls += count;
            while (count > 0) call(context, --count);
        }
        std::size_t calls = 0;
    } host;
    Scene own = busy_scene(2), lent = busy_scene(1);
    lent.settings().jobs = &host;
    for (int k = 0; k < 30; ++k) {
        own.step();
        lent.step();
    }
    CHECK(host.calls > 0);
    CHECK(lent.hash() == own.hash());
}

TEST_CASE("a copied state continues with the same bits")
{
    Scene a = busy_scene(2);
    for (int k = 0; k < 20; ++k) a.step();
    Scene b = busy_scene(2);
    for (const BodyId body : a.bodies()) b.state(body) = a.state(body);
    b.set_clock(a.step_count(), a.time());
    for (int k = 0; k < 20; ++k) {
        a.step();
        b.step();
    }
    CHECK(a.hash() == b.hash());
}

TEST_CASE("a step allocates nothing after the first, once bodies have met")
{
    Scene scene = busy_scene(1);
    scene.grips(scene.bodies()[0]).push_back({{0, 1}, {{0, 1, 0}, {0, 1, 0.1f}}, {}, 500});
    for (int k = 0; k < 120; ++k) scene.step();
    scene.surface(scene.bodies()[0]);
    scene.drawing(scene.bodies()[1]);
    const long before = allocations;
    for (int k = 0; k < 20; ++k) {
        scene.step();
        scene.surface(scene.bodies()[0]);
        scene.drawing(scene.bodies()[1]);
    }
    CHECK(allocations - before == 0);
}

TEST_CASE("a body thrown against walls for 10,000 steps stays finite and comes to rest in its shape")
{
    SceneSettings settings;
    settings.substeps = 1;
    settings.dt = 1.0 / 300;
    Scene scene(settings);
    scene.add(Collider{Plane{{0, 0, 0}, {0, 1, 0}}, 0.4f, 0.5f});
    for (const Vec3d n : {Vec3d{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}})
        scene.add(Collider{Plane{n * -2.0 + Vec3d{0, n.y < 0 ? 1.0 : 0.0, 0}, n}, 0.4f, 0.5f});
    scene.add(bar({0.5, 0.8, 0.5}, {4, 6, 4}), {}, {Mat3d{}, {0, 1, 0}}, {20, 5, -14}, {5, -3, 8});
    for (int k = 0; k < 10000; ++k) {
        const StepReport report = scene.substep()[0];
        REQUIRE(report.repaired_particles == 0);
    }
    CHECK(fastest(scene) < 0.02);
    CHECK(shape_error(scene) < 0.02);  // sags a little under its own weight
    CHECK(inverted_tets(scene) == 0);
    for (const Vec3& p : scene.state(scene.bodies()[0]).positions) CHECK(p.y > -1e-5f);
}

TEST_CASE("reports name what happened")
{
    Scene scene = busy_scene(2);
    for (const BodyId body : scene.bodies()) scene.body_settings(body).measure = true;
    int contacts = 0;
    for (int k = 0; k < 60; ++k)
        for (const StepReport& report : scene.step()) {
            contacts += report.contact.contacts;
            CHECK(report.kinetic_energy >= 0);
            CHECK(report.seconds[std::size_t(Phase::match)] > 0);
        }
    CHECK(contacts > 0);
    for (Vec3& p : scene.state(scene.bodies()[0]).positions) p.x = -p.x;
    CHECK(scene.step()[0].inverted == int(scene.model(scene.bodies()[0]).region_count()));
}

TEST_CASE("bodies of one model, which share what they need for a step, move as if each had a model of its own")
{
    const auto crowd = [](bool shared, int threads) {
        SceneSettings settings;
        settings.threads = threads;
        settings.medium.drag = 3;
        Scene scene(settings);
        scene.add(Collider{Plane{}, 0.5f, 0.3f});
        const BodyModel model = bar({0.3, 0.5, 0.3}, {2, 4, 2});
        for (int k = 0; k < 7; ++k) {
            BodySettings body;
            body.matching.region_damping = 0.02f * float(k % 3);
            if (k % 2) body.matching.young = 2e4f * float(k);
            scene.add(shared ? model : bar({0.3, 0.5, 0.3}, {2, 4, 2}), body, {Mat3d{}, {0.5 * k, 0.4 + 0.2 * k, 0}},
                      {0.3 * k, -1, 0}, {1.0 * k, 2, 3});
        }
        for (int k = 0; k < 40; ++k) {
            if (k == 15) (void)scene.remove(scene.bodies()[0]);
            if (k == 20) scene.add(shared ? model : bar({0.3, 0.5, 0.3}, {2, 4, 2}), {}, {Mat3d{}, {-1, 1, 0}});
            scene.step();
        }
        return scene.hash();
    };
    const std::uint64_t apart = crowd(false, 1);
    CHECK(crowd(true, 1) == apart);
    CHECK(crowd(true, 2) == apart);
}
