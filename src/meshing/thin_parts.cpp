// Thin parts by opening: what no ball of the wanted radius inside the solid comes near is thin, and the ridge of the
// distance within it is its middle.
#include "meshing/thin_parts.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace yawara::meshing {
namespace {

using Offset = std::array<int, 3>;

std::vector<Offset> offsets_within(double reach)
{
    std::vector<Offset> offsets;
    const int n = static_cast<int>(std::floor(reach));
    for (int z = -n; z <= n; ++z) {
        for (int y = -n; y <= n; ++y) {
            for (int x = -n; x <= n; ++x) {
                if (x * x + y * y + z * z <= reach * reach) offsets.push_back({x, y, z});
            }
        }
    }
    const auto squared = [](const Offset& o) { return o[0] * o[0] + o[1] * o[1] + o[2] * o[2]; };
    std::stable_sort(offsets.begin(), offsets.end(),
                     [&](const Offset& a, const Offset& b) { return squared(a) < squared(b); });
    return offsets;
}

/// Calls visit(index) for voxels at the offsets until it returns false.
template <class Visit>
void for_each_offset(const VoxelGrid& grid, std::size_t i, const std::vector<Offset>& offsets, Visit visit)
{
    const auto [x, y, z] = grid.coords(i);
    for (const auto& [dx, dy, dz] : offsets) {
        const int a = x + dx, b = y + dy, c = z + dz;
        if (a < 0 || b < 0 || c < 0 || a >= grid.dims[0] || b >= grid.dims[1] || c >= grid.dims[2]) continue;
        if (!visit(grid.index(a, b, c))) return;
    }
}

/// How far the ridge of the depth lies from the middle one of three voxels, for a depth that falls evenly to both
/// sides; `sharp` tells if there is a ridge at all.
double ridge_offset(double before, double here, double after, bool& sharp)
{
    const double bend = 2 * here - before - after;
    if (bend < 0.4) return 0;
    sharp = true;
    const double q = (after - before) / bend;
    return std::clamp(q / (1 + std::abs(q)), -0.5, 0.5);
}

}  // namespace

std::vector<Middle> middles_of_thin_parts(const VoxelGrid& grid, const std::vector<float>& field, double radius)
{
    const auto is_core = [&](std::size_t i) { return field[i] <= -radius; };
    const auto is_skin = [&](std::size_t i) { return field[i] < 0 && !is_core(i); };

    // The corner of a cube is sqrt(3) radii from its core, which voxels show up to sqrt(3)/2 farther away.
    const double reach = 1.75 * radius + 0.9;
    const std::vector<Offset> near_core = offsets_within(reach);
    std::vector<char> thin(grid.size(), 0);
    tbb::parallel_for(std::size_t(0), grid.size(), [&](std::size_t i) {
        if (!is_skin(i)) return;
        thin[i] = 1;
        for_each_offset(grid, i, near_core, [&](std::size_t j) { return !is_core(j) || (thin[i] = 0); });
    });
    // Back to the core, so that what is thickened also hangs on to it.
    std::vector<char> grown(grid.size(), 0);
    const std::vector<Offset> back = offsets_within(reach + 1);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        if (!thin[i]) continue;
        for_each_offset(grid, i, back, [&](std::size_t j) {
            if (is_skin(j)) grown[j] = 1;
            return true;
        });
    }

    std::vector<Middle> middles;
    for (std::size_t i = 0; i < grid.size(); ++i) {
        if (!grown[i]) continue;
        const auto [x, y, z] = grid.coords(i);
        bool sharp = false;
        const auto along = [&](int dx, int dy, int dz) {
            const double before = -field[grid.index(x - dx, y - dy, z - dz)];
            return ridge_offset(before, -field[i], -field[grid.index(x + dx, y + dy, z + dz)], sharp);
        };
        const Vec3d offset{along(1, 0, 0), along(0, 1, 0), along(0, 0, 1)};
        if (!sharp) continue;
        middles.push_back({grid.position(i) + offset * grid.voxel, length(offset) - field[i]});
    }
    return middles;
}

}  // namespace yawara::meshing
