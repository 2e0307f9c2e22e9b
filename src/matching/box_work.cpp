#include "matching/box_work.h"

#include <algorithm>

#include "matching/match.h"
#include "matching/want_shapes.h"

namespace yawara::matching {
namespace {

/// Every region reaches as far in one as in the other.
bool same_regions(const BoxClasses& a, const BoxClasses& b)
{
    for (std::size_t part = 0; part < a.grid().parts().size(); ++part)
        if (!std::ranges::equal(a.class_bits(part), b.class_bits(part))) return false;
    return true;
}

}  // namespace

BoxWork::BoxWork(const Regions& regions, const Examples* examples)
    : classes_(regions.shared_boxes()),
      sweeps_(*classes_),
      moments_(examples ? regions.block_count() : 0),
      shapes_(moments_.size())
{
}

void BoxWork::sum_regions(const Regions&, const MatchMemory& memory, RegionMoments* moments)
{
    load_planes(*classes_, memory.positions.data(), sweeps_);
    find_moments(*classes_, sweeps_, moments);
}

int BoxWork::find_weights(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    sum_regions(regions, memory, moments_.data());
    for_each_chunk(regions.block_count(), kBlocksPerChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        RotateCount count;
        for_few_blocks(first, last, [&](std::size_t begin, std::size_t end) {
            count.robust += observe_examples(regions, wanted, moments_.data() + begin, rotations, chunk, begin, end,
                                             memory.examples);
        });
        memory.counts[chunk] = count;
    });
    wanted.examples->decide(memory.examples);
    int robust = 0;
    for (const RotateCount& c : memory.counts) robust += c.robust;
    return robust;
}

MatchCount BoxWork::match(const Regions& regions, const WantedShapes& wanted, float* rotations, MatchMemory& memory)
{
    const Examples* const examples = wanted.examples;
    BoxShapes shapes{wanted.stretch};
    int robust = 0;
    if (examples) {
        robust = find_weights(regions, wanted, rotations, memory);
        shapes.moments = moments_.data();
        if (examples->turning() == RotationSource::fit_linear) shapes.spread = examples->spread();
        if (wanted.stretch || !examples->at_rest(wanted.beta, memory.examples)) {
            for_each_chunk(regions.block_count(), kBlocksPerChunk,
                           [&](std::size_t, std::size_t first, std::size_t last) {
                               want_shapes(wanted, first, last, memory.examples, shapes_.data() + first);
                           });
            shapes.stretch = shapes_.data();
        }
    } else {
        load_planes(*classes_, memory.positions.data(), sweeps_);
    }
    last_stretch_ = shapes.stretch;
    last_turns_ = rotations;
    const RotateCount count = rotate_planes(*classes_, shapes, rotations, sweeps_);
    return {count.inverted, count.robust + robust};
}

double BoxWork::mismatch(const Regions&, MatchMemory& memory)
{
    return box_mismatch(*classes_, memory.positions.data(), last_stretch_, last_turns_);
}

void BoxWork::begin_displacements(const MatchMemory& memory, Vec3* displacement)
{
    spread_planes(*classes_, memory.positions.data(), sweeps_, displacement);
}

void BoxWork::damp(float share, const Regions&, std::span<const Vec3> positions, std::span<Vec3> velocities)
{
    if (!damping_) damping_ = std::make_unique<BoxDamping>(*classes_);
    damping_->apply(share, *classes_, positions, velocities);
}

bool BoxWork::adapt(const Regions&, const WidthPlan& plan, const WidthInput& now, std::span<const double> masses)
{
    auto changed = std::make_shared<const BoxClasses>(classes_->shared_grid(), plan.classes(), plan.rule(),
                                                      plan.choose(now.stiffness, now.dt), masses, now.held);
    const bool others = !same_regions(*changed, *classes_);
    classes_ = std::move(changed);
    sweeps_.fit(*classes_);
    return others;
}

std::unique_ptr<const Examples> BoxWork::fitted(const Examples& examples, const Regions& regions,
                                                std::span<const Vec3d> rest, std::span<const double> masses) const
{
    if (same_regions(*classes_, *regions.shared_boxes())) return nullptr;
    return std::make_unique<const Examples>(examples.fitted(regions, classes_, rest, masses));
}

}  // namespace yawara::matching
