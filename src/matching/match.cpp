#include "matching/match.h"

#include "matching/box_work.h"
#include "matching/list_work.h"
#include "yawara/rotation.h"

namespace yawara::matching {
namespace {

/// The one place where the two ways to sum regions are told apart in a step.
std::unique_ptr<RegionWork> make_work(const Regions& regions, const Examples* examples)
{
    if (regions.shared_boxes()) return std::make_unique<BoxWork>(regions, examples);
    return std::make_unique<ListWork>(regions, examples);
}

}  // namespace

MatchMemory::MatchMemory(const Regions& regions, std::size_t layers, const Examples* with, bool look)
    : work(make_work(regions, with)),
      positions(kPositionSize * (regions.region_count() + 1)),
      displacement(regions.region_count()),
      pass_displacement(regions.region_count()),
      displacement_before(regions.region_count()),
      stretch(layers > 0 ? regions.block_count() : 0),
      wanted(layers > 0 ? regions.region_count() : 0),
      combined(layers > 1 || look ? regions.region_count() : 0),
      explained(layers > 1 && with ? regions.block_count() : 0),
      counts(chunk_count(regions.block_count(), kBlocksPerChunk)),
      examples(with ? with->memory() : ExampleMemory{}),
      centers(chunk_count(regions.region_count(), kParticlesPerChunk)),
      covariances(centers.size()),
      residuals(centers.size()),
      momenta(centers.size())
{
    if (!look) return;
    looks.moments.resize(regions.block_count());
    looks.blocks.resize(regions.block_count());
    looks.now.resize(regions.region_count());
}

std::vector<float> placed_rotations(const Regions& regions, const Mat3d& turn, std::size_t sets)
{
    const Quat q = to_quat(turn);
    const float entries[4] = {float(q.x), float(q.y), float(q.z), float(q.w)};
    std::vector<float> rotations(regions.block_count() * kRotationSize * sets);
    for (std::size_t k = 0; k < rotations.size(); ++k) rotations[k] = entries[k / kLanes % 4];
    return rotations;
}

void carry_rotations(const Regions& before, std::span<const float> from, const Regions& after,
                     std::span<const std::int32_t> nearest, std::span<float> to)
{
    if (from.size() < before.block_count() * kRotationSize) return;
    const auto at = [](std::size_t lane) { return lane / kLanes * kRotationSize + lane % kLanes; };
    std::vector<std::size_t> lane_of(before.region_count());
    for (std::size_t lane = 0; lane < before.block_count() * kLanes; ++lane)
        if (const std::int32_t region = before.region_in(lane); region >= 0) lane_of[std::size_t(region)] = lane;
    const std::size_t set = after.block_count() * kRotationSize;
    for (std::size_t lane = 0; lane < after.block_count() * kLanes; ++lane) {
        const std::int32_t region = after.region_in(lane);
        if (region < 0) continue;
        const std::size_t source = at(lane_of[std::size_t(nearest[std::size_t(region)])]);
        for (std::size_t first = 0; first + set <= to.size(); first += set)
            for (std::size_t e = 0; e < 4; ++e) to[first + at(lane) + e * kLanes] = from[source + e * kLanes];
    }
}

MatchCount match_regions(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    return memory.work->match(regions, wanted, rotations, memory);
}

int find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    return memory.work->find_weights(regions, wanted, rotations, memory);
}

double mismatch(const Regions& regions, MatchMemory& memory)
{
    return memory.work->mismatch(regions, memory);
}

void align_goals(const Regions& regions, std::span<const double> masses, std::span<const Vec3> x, MatchMemory& memory)
{
    for_each_chunk(x.size(), kParticlesPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        MatchMemory::Centers sum;
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = regions.particle_at(slot);
            sum.mass += masses[i];
            sum.position += x[i].as<double>() * masses[i];
            sum.displacement += memory.displacement[slot].as<double>() * masses[i];
        }
        memory.centers[chunk] = sum;
    });
    MatchMemory::Centers all;
    for (const MatchMemory::Centers& c : memory.centers) {
        all.mass += c.mass;
        all.position += c.position;
        all.displacement += c.displacement;
    }
    const Vec3d center = all.position / all.mass, shift = all.displacement / all.mass;
    const auto relative_goal = [&](std::size_t slot, Vec3d p) {
        return p + memory.displacement[slot].as<double>() - shift;
    };

    for_each_chunk(x.size(), kParticlesPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        Mat3d sum = Mat3d::zero();
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = regions.particle_at(slot);
            const Vec3d p = x[i].as<double>() - center;
            sum = sum + outer(p * masses[i], relative_goal(slot, p));
        }
        memory.covariances[chunk] = sum;
    });
    Mat3d A = Mat3d::zero();
    for (const Mat3d& c : memory.covariances) A = A + c;
    const Mat3d R = to_matrix(closest_rotation(A, {}));
    for_each_chunk(x.size(), kParticlesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t slot = first; slot < last; ++slot) {
            const Vec3d p = x[regions.particle_at(slot)].as<double>() - center;
            memory.displacement[slot] = (R * relative_goal(slot, p) + shift - p).as<float>();
        }
    });
}

}  // namespace yawara::matching
