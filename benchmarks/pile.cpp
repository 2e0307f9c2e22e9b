#include "pile.h"

#include <algorithm>
#include <cmath>

namespace yawara::bench {

Pile make_pile(int bodies, int cells)
{
    constexpr double kSize = 0.15, kGap = 0.28;
    Pile pile;
    pile.mesh = make_bar({kSize, kSize, kSize}, {cells, cells, cells}, {-kSize / 2, 0, -kSize / 2});
    const int side = std::max(1, int(std::ceil(std::sqrt(bodies / 3.0))));
    pile.half_width = 0.5 * kGap * side;
    for (int k = 0; k < bodies; ++k) {
        const int layer = k / (side * side), x = k % side, z = k / side % side;
        pile.places.push_back(
            {rotation(Vec3d{1, 0.37 * (k % 5), 0.7}, 0.3 * (k % 11)),
             {kGap * (x + 0.5) - pile.half_width, 0.2 + 0.3 * layer, kGap * (z + 0.5) - pile.half_width}});
    }
    return pile;
}

}  // namespace yawara::bench
