#include "cvg/blocks.h"

#include <cmath>

namespace yawara::cvg {

int round_down(double v, int step)
{
    return int(std::floor(v / step)) * step;
}

void evaluate_block(const Program& program, Int3 origin, int size, double voxel, std::vector<Piece>& out)
{
    const Vec3d low{origin[0] * voxel, origin[1] * voxel, origin[2] * voxel};
    const Box3 box{low, low + Vec3d{1, 1, 1} * (size * voxel)};
    const Program local = program.within(box);
    if (local.empty()) return;
    if (local.constant()) {
        const Sample value = local.at(box.center());
        if (value.opacity > 0) out.push_back({origin, size, value, {}});
        return;
    }
    if (size > kBlock) {
        const int half = size / 2;
        for (int k = 0; k < 8; ++k)
            evaluate_block(local, {origin[0] + (k & 1 ? half : 0), origin[1] + (k & 2 ? half : 0), origin[2] + (k & 4 ? half : 0)},
                           half, voxel, out);
        return;
    }
    Piece piece{origin, size, {}, std::vector<Sample>(kBlock * kBlock * kBlock)};
    bool any = false;
    for (int x = 0, n = 0; x < kBlock; ++x)
        for (int y = 0; y < kBlock; ++y)
            for (int z = 0; z < kBlock; ++z, ++n) {
                const Vec3d p = box.low + Vec3d{x + 0.5, y + 0.5, z + 0.5} * voxel;
                Sample s = local.at(p);
                if (s.opacity == 0) s = {};
                any = any || s.opacity > 0;
                piece.voxels[std::size_t(n)] = s;
            }
    if (any) out.push_back(std::move(piece));
}

}  // namespace yawara::cvg
