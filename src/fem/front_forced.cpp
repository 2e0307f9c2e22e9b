// Fronts that a scene prescribes, so that level changes can be examined.
#include "fem/advance.h"

namespace yawara::fem {
namespace {

bool touches(const TetForest& forest, std::int32_t t, const Box3& box)
{
    Box3 own;
    for (const Vec3d& p : forest.corners(t)) own.add(p);
    for (int k = 0; k < 3; ++k)
        if (own.high[k] < box.low[k] || own.low[k] > box.high[k]) return false;
    return true;
}

}  // namespace

void forced_splits(const TetForest& forest, const ForcedFront& front, std::vector<std::int32_t>& splits)
{
    splits.assign(forest.inner_count(), 0);
    for (std::int32_t t : front.tets)
        while ((t = forest.parent(t)) >= 0) splits[std::size_t(t)] = 1;
    for (const ForcedFront::Region& region : front.boxes)
        for (int level = 0; level < region.level; ++level)
            for (std::int32_t t = forest.first_of(level); t < forest.first_of(level + 1); ++t) {
                const std::int32_t parent = forest.parent(t);
                if (parent >= 0 && !splits[std::size_t(parent)]) continue;
                if (touches(forest, t, region.box)) splits[std::size_t(t)] = 1;
            }
}

}  // namespace yawara::fem
