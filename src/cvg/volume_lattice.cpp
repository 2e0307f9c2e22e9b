#include "cvg/volume_lattice.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace yawara::cvg {
namespace {

constexpr double kMostCells = 2e7;

int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Parts that hang together by faces, edges or corners, in a box of flags ordered z, y, x; at most `limit` places.
int parts_of(const std::vector<char>& occupied, std::size_t nx, std::size_t ny)
{
    std::vector<std::int32_t> root(occupied.size(), -1);
    const auto find = [&](std::size_t i) {
        while (root[i] != std::int32_t(i)) i = std::size_t(root[i] = root[std::size_t(root[i])]);
        return i;
    };
    int parts = 0;
    const std::size_t layer = nx * ny;
    for (std::size_t i = 0; i < occupied.size(); ++i) {
        if (!occupied[i]) continue;
        root[i] = std::int32_t(i);
        ++parts;
        const std::size_t x = i % nx, y = i / nx % ny, z = i / layer;
        for (int dz = -1; dz <= 0; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    if (dz == 0 && (dy > 0 || (dy == 0 && dx >= 0))) continue;  // not seen yet
                    if ((dx < 0 && x == 0) || (dx > 0 && x + 1 == nx) || (dy < 0 && y == 0) ||
                        (dy > 0 && y + 1 == ny) || (dz < 0 && z == 0))
                        continue;
                    const std::size_t j =
                        std::size_t(std::ptrdiff_t(i) + dx + dy * std::ptrdiff_t(nx) + dz * std::ptrdiff_t(layer));
                    if (!occupied[j]) continue;
                    const std::size_t a = find(i), b = find(j);
                    if (a == b) continue;
                    root[std::max(a, b)] = std::int32_t(std::min(a, b));
                    --parts;
                }
    }
    return parts;
}

struct NodeSum {
    double hard = 0, harder = 0;  ///< sum k S^p, sum k S^(p + 1)
    double opacity = 0;
    Vec3d color;
};

}  // namespace

Result<VolumeLattice> down_convert(const FineVolume& fine, const LatticeOptions& options)
{
    const int k = fine.factor;
    const double cell = fine.voxel * k;
    Int3 low, high;  // cells
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = floor_div(fine.low[axis], k);
        high[axis] = floor_div(fine.high[axis], k);
    }
    std::vector<Int3> extra;
    for (const Vec3d& p : options.also) {
        const Vec3d q = (p - fine.corner) / cell;
        if (!is_finite(q) || std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)}) > 1e8)
            return Error{"surface", "a vertex is far from the volume"};
        const Int3 c{std::int32_t(std::floor(q.x)), std::int32_t(std::floor(q.y)), std::int32_t(std::floor(q.z))};
        extra.push_back(c);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], c[axis]);
            high[axis] = std::max(high[axis], c[axis]);
        }
    }
    const double count[3] = {double(high[0]) - low[0] + 1, double(high[1]) - low[1] + 1, double(high[2]) - low[2] + 1};
    if (count[0] * count[1] * count[2] > kMostCells)
        return Error{"cell",
                     std::to_string(cell) + " m is too fine: the box around the volume has more than 2e7 cells"};
    const auto nx = std::size_t(count[0]), ny = std::size_t(count[1]), nz = std::size_t(count[2]);

    // Layer by layer of cells; the sums at the corners of a layer come in two halves, added in a fixed order.
    const std::size_t sx = nx + 1, plane = sx * (ny + 1);
    std::vector<NodeSum> below(plane * nz), above(plane * nz);
    std::vector<char> occupied(nx * ny * nz, 0);
    const std::size_t fx = nx * std::size_t(k), fy = ny * std::size_t(k);
    const bool count_parts = double(fx) * double(fy) * double(nz) * k < 3e8;
    std::vector<char> fine_occupied(count_parts ? fx * fy * nz * std::size_t(k) : 0, 0);
    tbb::parallel_for(std::size_t{0}, nz, [&](std::size_t cz) {
        std::vector<FineVoxel> row(fx);
        std::vector<int> filled(nx * ny, 0);
        for (int vz = 0; vz < k; ++vz)
            for (std::size_t y = 0; y < fy; ++y) {
                const int z = (low[2] + int(cz)) * k + vz;
                fine.row(low[1] * k + int(y), z, low[0] * k, int(fx), row.data());
                const std::size_t cy = y / std::size_t(k);
                const double ty = (double(y % std::size_t(k)) + 0.5) / k, tz = (vz + 0.5) / k;
                for (std::size_t x = 0; x < fx; ++x) {
                    const FineVoxel& v = row[x];
                    if (!v.occupied) continue;
                    const std::size_t cx = x / std::size_t(k);
                    ++filled[cy * nx + cx];
                    if (count_parts) fine_occupied[((cz * std::size_t(k) + std::size_t(vz)) * fy + y) * fx + x] = 1;
                    const double tx = (double(x % std::size_t(k)) + 0.5) / k;
                    const double hard = std::pow(double(v.stiffness), options.hardness);
                    for (std::size_t c = 0; c < 8; ++c) {
                        const double weight = (c & 1 ? tx : 1 - tx) * (c & 2 ? ty : 1 - ty) * (c & 4 ? tz : 1 - tz);
                        NodeSum& sum = (c & 4 ? above : below)[cz * plane + (cy + (c >> 1 & 1)) * sx + cx + (c & 1)];
                        sum.hard += weight * hard;
                        sum.harder += weight * hard * double(v.stiffness);
                        sum.opacity += weight * double(v.opacity);
                        sum.color += v.color.as<double>() * (weight * double(v.opacity));
                    }
                }
            }
        for (std::size_t c = 0; c < filled.size(); ++c)
            occupied[cz * nx * ny + c] = filled[c] > options.fill * k * k * k;
    });
    for (const Int3& c : extra)
        occupied[(std::size_t(c[2] - low[2]) * ny + std::size_t(c[1] - low[1])) * nx + std::size_t(c[0] - low[0])] = 1;

    std::vector<Int3> cells;
    for (std::size_t i = 0; i < occupied.size(); ++i)
        if (occupied[i])
            cells.push_back({low[0] + std::int32_t(i % nx), low[1] + std::int32_t(i / nx % ny),
                             low[2] + std::int32_t(i / (nx * ny))});
    if (cells.empty()) return Error{"fill", "no cell is filled enough: the lattice would be empty"};
    VolumeLattice out;
    out.lattice = make_lattice(fine.corner, cell, cells);
    for (const Int3& node : out.lattice.nodes) {
        const std::size_t at = std::size_t(node[1] - low[1]) * sx + std::size_t(node[0] - low[0]);
        const auto z = std::size_t(node[2] - low[2]);
        NodeSum sum;
        const auto take = [&](const NodeSum& s) {
            sum.hard += s.hard;
            sum.harder += s.harder;
            sum.opacity += s.opacity;
            sum.color += s.color;
        };
        if (z < nz) take(below[z * plane + at]);
        if (z > 0) take(above[(z - 1) * plane + at]);
        out.stiffness.push_back(sum.hard > 0 ? float(std::min(1.0, sum.harder / sum.hard)) : 0.0f);
        out.colors.push_back(sum.opacity > 0 ? (sum.color / sum.opacity).as<float>() : Vec3{1, 1, 1});
    }
    out.lattice_parts = parts_of(occupied, nx, ny);
    out.volume_parts = count_parts ? parts_of(fine_occupied, fx, fy) : 0;
    return out;
}

}  // namespace yawara::cvg
