// Inside and outside of open and tangled surfaces: the winding number closes holes with the smoothest of caps; where
// front sides contradict each other, a flood from outside that does not pass small gaps finds what is sealed off.
#include "meshing/voxel_inside.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace yawara::meshing {
namespace {

constexpr int kBlock = 8;           ///< voxels along a block whose winding number may be taken from its corners
constexpr float kSealed = 1.5f;     ///< voxels: the flood keeps this distance, so gaps below twice that are closed
constexpr int kReturnSteps = 3;     ///< voxels the flood goes back to the surface afterwards
constexpr std::size_t kSpeck = 27;  ///< voxels: smaller lumps and bubbles are noise
constexpr double kMuchMore = 1.02;  ///< sealed volume over wound volume from which the flood is believed
constexpr std::array<std::array<int, 3>, 6> kFaces{
    {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};

/// Calls visit(index of neighbour) for the voxels that share a face.
template <class Visit>
void for_each_face(const VoxelGrid& grid, std::size_t i, Visit visit)
{
    const auto [x, y, z] = grid.coords(i);
    for (const auto& [dx, dy, dz] : kFaces) {
        const int a = x + dx, b = y + dy, c = z + dz;
        if (a < 0 || b < 0 || c < 0 || a >= grid.dims[0] || b >= grid.dims[1] || c >= grid.dims[2]) continue;
        visit(grid.index(a, b, c));
    }
}

/// Away from the surface the winding number is harmonic and has its extremes on the rim of a block, so a block without
/// surface whose corners agree needs no closer look.
Result<std::vector<float>> winding_numbers(const TriangleTree& tree, const VoxelGrid& grid,
                                           const std::vector<float>& distance, float band, const Progress& progress)
{
    std::vector<float> winding(grid.size());
    const auto blocks_along = [](int n) { return (n + kBlock - 1) / kBlock; };
    const int bx = blocks_along(grid.dims[0]), by = blocks_along(grid.dims[1]), bz = blocks_along(grid.dims[2]);
    const auto do_block = [&](int block_x, int block_y, int block_z) {
        const std::array<int, 3> low{block_x * kBlock, block_y * kBlock, block_z * kBlock};
        std::array<int, 3> high;
        for (std::size_t k = 0; k < 3; ++k) high[k] = std::min(low[k] + kBlock, grid.dims[k]);
        bool plain = true;
        for (int z = low[2]; z < high[2] && plain; ++z) {
            for (int y = low[1]; y < high[1] && plain; ++y) {
                for (int x = low[0]; x < high[0] && plain; ++x) plain = distance[grid.index(x, y, z)] >= band;
            }
        }
        float value = 0;
        if (plain) {
            bool above = true, below = true;
            for (int corner = 0; corner < 9; ++corner) {
                const int x = corner == 8 ? (low[0] + high[0]) / 2 : corner & 1 ? high[0] - 1 : low[0];
                const int y = corner == 8 ? (low[1] + high[1]) / 2 : corner & 2 ? high[1] - 1 : low[1];
                const int z = corner == 8 ? (low[2] + high[2]) / 2 : corner & 4 ? high[2] - 1 : low[2];
                value = static_cast<float>(tree.winding(grid.position(grid.index(x, y, z))));
                above = above && value > 0.6f;
                below = below && value < 0.4f;
            }
            plain = above || below;
        }
        for (int z = low[2]; z < high[2]; ++z) {
            for (int y = low[1]; y < high[1]; ++y) {
                for (int x = low[0]; x < high[0]; ++x) {
                    const std::size_t i = grid.index(x, y, z);
                    winding[i] = plain ? value : static_cast<float>(tree.winding(grid.position(i)));
                }
            }
        }
    };
    for (int block_z = 0; block_z < bz; ++block_z) {
        if (progress && !progress("inside and outside", double(block_z) / bz)) return Error{"", "cancelled"};
        tbb::parallel_for(0, bx * by, [&](int b) { do_block(b % bx, b / bx, block_z); });
    }
    return winding;
}

/// Voxels that cannot be reached from outside without passing the surface or a gap narrower than 2 kSealed voxels.
std::vector<char> sealed_voxels(const TriangleTree& tree, const VoxelGrid& grid, const std::vector<float>& distance)
{
    std::vector<char> sealed(grid.size(), 1);
    std::vector<std::size_t> front{0}, next;
    sealed[0] = 0;  // the grid has a rim of empty voxels
    while (!front.empty()) {
        next.clear();
        for (const std::size_t i : front) {
            for_each_face(grid, i, [&](std::size_t j) {
                if (!sealed[j] || distance[j] < kSealed) return;
                sealed[j] = 0;
                next.push_back(j);
            });
        }
        front.swap(next);
    }
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        if (!sealed[i] && distance[i] < kSealed + 2) front.push_back(i);
    }
    for (int step = 0; step < kReturnSteps; ++step) {
        next.clear();
        for (const std::size_t i : front) {
            for_each_face(grid, i, [&](std::size_t j) {
                if (!sealed[j] || tree.meets(grid.position(i), grid.position(j) - grid.position(i))) return;
                sealed[j] = 0;
                next.push_back(j);
            });
        }
        front.swap(next);
    }
    return sealed;
}

/// Lumps of equal voxels that are smaller than a speck change to what surrounds them.
void drop_specks(const VoxelGrid& grid, std::vector<char>& inside)
{
    std::vector<char> seen(inside.size(), 0);
    std::vector<std::size_t> lump;
    for (std::size_t seed = 0; seed < inside.size(); ++seed) {
        if (seen[seed]) continue;
        lump.assign(1, seed);
        seen[seed] = 1;
        for (std::size_t head = 0; head < lump.size(); ++head) {
            for_each_face(grid, lump[head], [&](std::size_t j) {
                if (seen[j] || inside[j] != inside[seed]) return;
                seen[j] = 1;
                lump.push_back(j);
            });
        }
        if (lump.size() >= kSpeck) continue;
        for (const std::size_t i : lump) inside[i] = !inside[i];
    }
}

}  // namespace

Result<VoxelInside> find_inside(const TriangleTree& tree, const VoxelGrid& grid, const std::vector<float>& distance,
                                float band, Sides sides, const Progress& progress)
{
    VoxelInside result;
    std::vector<char> sealed;
    if (sides != Sides::known) sealed = sealed_voxels(tree, grid, distance);
    const auto shut = static_cast<double>(std::count(sealed.begin(), sealed.end(), 1));

    std::vector<char> inside(grid.size());
    std::vector<float> windings;
    if (sides == Sides::unknown && shut > 0) {  // what is sealed off is all: the winding number is wanted at caps only
        result.flooded = true;
        inside = sealed;
    } else {
        Result<std::vector<float>> found = winding_numbers(tree, grid, distance, band, progress);
        if (!found) return found.error();
        windings = *std::move(found);
        for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = windings[i] > 0.5f;
        const auto wound = static_cast<double>(std::count(inside.begin(), inside.end(), 1));
        result.flooded = sides == Sides::doubtful && shut > kMuchMore * wound;
        for (std::size_t i = 0; i < inside.size() && result.flooded; ++i) inside[i] = sealed[i] || inside[i];
    }
    const auto w = [&](std::size_t i) {
        return windings.empty() ? static_cast<float>(tree.winding(grid.position(i))) : windings[i];
    };
    drop_specks(grid, inside);

    // Caps over holes are where the winding number passes one half far from any triangle; its slope turns the
    // difference into a distance. The rim of a flooded gap is put half-way between voxels.
    result.field.resize(grid.size());
    tbb::parallel_for(std::size_t(0), grid.size(), [&](std::size_t i) {
        float value = std::clamp(distance[i], 1e-3f, band);
        bool at_cap = false;
        if (distance[i] > 0.9f) {
            for_each_face(grid, i, [&](std::size_t j) { at_cap = at_cap || inside[i] != inside[j]; });
        }
        if (at_cap) {
            const auto [x, y, z] = grid.coords(i);
            const auto slope = [&](int dx, int dy, int dz) {
                return 0.5f * (w(grid.index(x + dx, y + dy, z + dz)) - w(grid.index(x - dx, y - dy, z - dz)));
            };
            const float steepness = std::hypot(slope(1, 0, 0), slope(0, 1, 0), slope(0, 0, 1));
            const float here = w(i);
            const bool by_winding = (here > 0.5f) == static_cast<bool>(inside[i]);
            const float to_cap = by_winding && steepness > 0 ? std::abs(here - 0.5f) / steepness : 0.5f;
            value = std::clamp(to_cap, 1e-3f, value);
        }
        result.field[i] = inside[i] ? -value : value;
    });
    return result;
}

}  // namespace yawara::meshing
