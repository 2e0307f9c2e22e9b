#include "matching/want_shapes.h"

#include <array>

#include "matching/combine.h"

namespace yawara::matching {
namespace {

/// with(a, b) for the regions of a block; lanes without one want the rest shape.
void for_lanes(RegionStretch& a, const RegionStretch& b, void (*with)(std::span<Sym3>, std::span<const Sym3>))
{
    std::array<Sym3, kLanes> one, other;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        one[lane] = get_stretch(a, lane);
        other[lane] = get_stretch(b, lane);
    }
    with(one, other);
    for (std::size_t lane = 0; lane < kLanes; ++lane) put_stretch(a, lane, one[lane]);
}

}  // namespace

int observe_examples(const Regions& regions, const WantedShapes& wanted, const RegionMoments* moments,
                     const float* rotations, std::size_t chunk, std::size_t first, std::size_t last,
                     ExampleMemory& memory)
{
    const Examples& examples = *wanted.examples;
    if (!wanted.explained) return examples.observe(moments, rotations, chunk, first, last, memory);
    RegionStretch now[kFewBlocks];
    const int robust = kernels().observe(moments, examples.spread(), first, last, regions.used_lanes(), rotations, now);
    for (std::size_t block = first; block < last; ++block)
        for_lanes(now[block - first], wanted.explained[block], without);
    examples.project(now, chunk, first, last, memory);
    return robust;
}

void want_shapes(const WantedShapes& wanted, std::size_t first, std::size_t last, ExampleMemory& memory,
                 RegionStretch* shapes)
{
    kernels().blend(wanted.examples->wanted(wanted.beta, first, last, memory), last - first, shapes);
    if (wanted.stretch)
        for (std::size_t block = first; block < last; ++block)
            for_lanes(shapes[block - first], wanted.stretch[block], combine);
}

}  // namespace yawara::matching
