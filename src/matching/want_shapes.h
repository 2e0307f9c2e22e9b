// What the two kinds of RegionWork have in common: blocks of regions, lane by lane, and the shapes that examples want.
#pragma once

#include <algorithm>

#include "matching/region_work.h"
#include "yawara/stretch.h"

namespace yawara::matching {

inline Sym3 get_stretch(const RegionStretch& block, std::size_t lane)
{
    return {block.T[0][lane], block.T[1][lane], block.T[2][lane], block.T[3][lane], block.T[4][lane], block.T[5][lane]};
}
inline void put_stretch(RegionStretch& block, std::size_t lane, const Sym3& s)
{
    block.T[0][lane] = s.xx, block.T[1][lane] = s.yy, block.T[2][lane] = s.zz;
    block.T[3][lane] = s.yz, block.T[4][lane] = s.xz, block.T[5][lane] = s.xy;
}

/// Calls then(place, lane) for the regions of blocks [first, last): lanes counted through all blocks, and in a block.
/// Of lists the first are slots.
template <class Then>
void for_each_region(const Regions& regions, std::size_t first, std::size_t last, const Then& then)
{
    for (std::size_t place = first * kLanes; place < last * kLanes; ++place)
        if (regions.region_in(place) >= 0) then(place, place % kLanes);
}

/// Calls then(first, last) for the blocks [first, last), a few at a time: while these wait for quotients and roots, the
/// processor gathers the next.
constexpr std::size_t kFewBlocks = 4;
template <class Then>
void for_few_blocks(std::size_t first, std::size_t last, const Then& then)
{
    for (std::size_t block = first; block < last; block += kFewBlocks) then(block, std::min(block + kFewBlocks, last));
}

inline void add(RotateCount& sum, const RotateCount& more)
{
    sum.inverted += more.inverted;
    sum.robust += more.robust;
}

/// Weights of blocks [first, last), of which there are few, as far as their stretches tell: of what the layers do not
/// explain. `moments` begin with the first block. Returns how many were hard.
int observe_examples(const Regions& regions, const WantedShapes& wanted, const RegionMoments* moments,
                     const float* rotations, std::size_t chunk, std::size_t first, std::size_t last,
                     ExampleMemory& memory);

/// What examples want of blocks [first, last) with the weights found, added to what the layers want.
void want_shapes(const WantedShapes& wanted, std::size_t first, std::size_t last, ExampleMemory& memory,
                 RegionStretch* shapes);

}  // namespace yawara::matching
