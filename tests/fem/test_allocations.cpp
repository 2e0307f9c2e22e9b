// Steps and changes of the front in memory that was there before.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "fem_bodies.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment)
{
    ++allocations;
    if (void* p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)) return p;
    throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size)
{
    return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    ++allocations;
    return std::malloc(size);
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    return counted(size, std::size_t(alignment));
}
void operator delete(void* p) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    std::free(p);
}

using namespace yawara;
using namespace yawara::test;

TEST_CASE("the front splits and merges without allocating")
{
    Fem mixed = fem_of(unit_tet(), 3);
    mixed.material = [](const MaterialPlace& at) -> FemMaterial {
        const double factor = at.tet % 2 ? 1 : 4;
        return {isotropic_lame(factor * kLambda, factor * kMu), isotropic_lame(kPhi, kPsi), kRho};
    };
    for (const auto& [homogeneous, implicit] : {std::pair{true, false}, {false, false}, {true, true}}) {
        CAPTURE(homogeneous);
        CAPTURE(implicit);
        const BodyModel model = build_fem_model(homogeneous ? fem_of(unit_tet(), 3) : mixed);
        Scene scene({.dt = 0.004, .substeps = 1, .threads = 1});
        scene.add(Collider{.friction = 0.2f, .restitution = 0.5f});
        const Mat3d turn = rotation(Vec3d{0.9, 0.2, 0.4}, 1.3);
        double lowest = 1e9;
        for (const Vec3d& p : model.rest_positions()) lowest = std::min(lowest, (turn * p).y);
        BodySettings settings;
        settings.fem.quiet_checks = 1;
        settings.fem.integration = implicit ? Integration::implicit_step : Integration::explicit_steps;
        scene.add(model, settings, {.turn = turn, .move = {0, 0.01 - lowest, 0}}, {0, -2, 0});
        scene.step();
        int splits = 0, merges = 0;
        const long before = allocations;
        for (int frame = 0; frame < 100; ++frame) {
            const auto reports = scene.step();
            splits += reports[0].fem.splits;
            merges += reports[0].fem.merges;
        }
        CHECK(allocations - before == 0);
        CHECK(splits > 20);
        CHECK(merges > 5);
    }
}
