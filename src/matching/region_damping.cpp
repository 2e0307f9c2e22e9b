#include "matching/region_damping.h"

#include "core/parallel.h"
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kChunk = 512;

}  // namespace

void RegionDamping::apply(float share, const Regions& regions, std::span<const float> masses,
                          std::span<const Vec3> positions, std::span<Vec3> velocities)
{
    const std::size_t n = regions.region_count();
    particles_.resize(kDampedSize * (n + 1));
    products_.resize(kProductSize * (n + 1));
    motions_.resize(kMotionSize * (n + 1));
    const Vec3 reference = positions[0];
    const ListView lists = regions.view();
    const DampingKernels& kernels = damping_kernels();
    for_each_chunk(n, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = regions.particle_at(slot);
            const Vec3 p = positions[i] - reference, v = velocities[i];
            const float particle[kDampedSize] = {p.x, p.y, p.z, masses[i] * lists.share[slot], v.x, v.y, v.z, 0};
            std::copy(particle, particle + kDampedSize, &particles_[kDampedSize * slot]);
        }
        kernels.products(particles_.data(), first, last, products_.data());
    });
    for_each_chunk(n, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        kernels.motions(lists, products_.data(), first, last, motions_.data());
    });
    for_each_chunk(n, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        kernels.spread(lists, motions_.data(), share, first, last, particles_.data());
        for (std::size_t slot = first; slot < last; ++slot) {
            const float* const v = &particles_[kDampedSize * slot + 4];
            velocities[regions.particle_at(slot)] = {v[0], v[1], v[2]};
        }
    });
}

}  // namespace yawara::matching
