#include "matching/region_damping.h"

#include "core/parallel.h"
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kChunk = 512;

}  // namespace

void RegionDamping::apply(float share, const Regions& regions, std::span<const Vec3> positions,
                          std::span<Vec3> velocities)
{
    const std::size_t n = regions.region_count();
    places_.resize(kPlaceSize * (n + 1));
    momenta_.resize(kMomentaSize * (n + 1));
    motions_.resize(kMotionSize * (n + 1));
    const std::size_t middle = regions.particle_at(n / 2);
    const DampingFrame frame{positions[middle], velocities[middle]};
    const ListView lists = regions.view();
    const std::int32_t* const order = regions.order().data();
    const DampingKernels& kernels = damping_kernels();
    for_each_chunk(n, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        kernels.load(lists, order, positions.data(), velocities.data(), frame, first, last, places_.data(),
                     momenta_.data());
    });
    for_each_chunk(n, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        kernels.motions(lists, places_.data(), momenta_.data(), first, last, motions_.data());
    });
    for_each_chunk(n, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        kernels.spread(lists, motions_.data(), places_.data(), frame, share, first, last, order, velocities.data());
    });
}

}  // namespace yawara::matching
