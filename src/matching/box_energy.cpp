// Energy and modulus of a lattice body in double. The elastic mismatch is
// E_r = sum m |p|^2 - 2 tr F^T A_pq + tr F A_qq F^T, all by box sums.
#include <numeric>

#include "core/parallel.h"
#include "matching/box_match.h"
#include "yawara/rotation.h"

namespace yawara::matching {
namespace {

/// Block and lane of every particle's region.
std::vector<std::pair<std::size_t, std::size_t>> places_of(const BoxGrid& grid)
{
    std::vector<std::pair<std::size_t, std::size_t>> places(grid.particle_count());
    for (const BoxPart& part : grid.parts())
        for (int z = 0; z < part.nz; ++z)
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x)
                    if (const std::int32_t i = part.particle[part.node(x, y, z)]; i >= 0)
                        places[std::size_t(i)] = {part.block(y, z, std::size_t(x) / kLanes), std::size_t(x) % kLanes};
    return places;
}

/// Rest positions about the low corners of their parts.
std::vector<Vec3d> rest_of(const BoxGrid& grid)
{
    std::vector<Vec3d> rest(grid.particle_count());
    for (const BoxPart& part : grid.parts())
        for (int z = 0; z < part.nz; ++z)
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x)
                    if (const std::int32_t i = part.particle[part.node(x, y, z)]; i >= 0)
                        rest[std::size_t(i)] = Vec3d{double(x), double(y), double(z)} * grid.cell();
    return rest;
}

/// Regions that end with the body along an axis, and those that share particles with them.
std::vector<bool> cut_short(const BoxGrid& grid, std::size_t axis)
{
    int reach = 0;
    for (const Reach w : grid.levels()) reach = std::max(reach, w[axis]);
    std::vector<bool> cut(grid.particle_count(), false);
    for (const BoxPart& part : grid.parts())
        for (int z = 0; z < part.nz; ++z)
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x) {
                    const std::int32_t i = part.particle[part.node(x, y, z)];
                    const int at = Int3{x, y, z}[axis], end = Int3{part.nx, part.ny, part.nz}[axis];
                    if (i >= 0) cut[std::size_t(i)] = at < 2 * reach || at + 2 * reach >= end;
                }
    return cut;
}

}  // namespace

double box_modulus(const BoxClasses& classes, std::span<const double> masses, double volume)
{
    const std::vector<Vec3d> rest = rest_of(classes.grid());
    const std::size_t n = rest.size();
    std::vector<double> m(n), values(n);
    for (std::size_t i = 0; i < n; ++i) m[i] = double(classes.shared_masses()[i]);
    const std::vector<double> mass = classes.over_regions(m);
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    double largest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto along = [&](std::size_t i) { return rest[i][int(axis)]; };
        for (std::size_t i = 0; i < n; ++i) values[i] = m[i] * along(i);
        const std::vector<double> first = classes.over_regions(values);
        for (std::size_t i = 0; i < n; ++i) values[i] *= along(i);
        const std::vector<double> second = classes.over_regions(values);
        const std::vector<bool> cut = cut_short(classes.grid(), axis);
        double sum = 0, share = 0, all = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const double resists = classes.weight(r) * (second[r] - first[r] * first[r] / mass[r]);
            all += resists;
            if (cut[r]) continue;
            sum += resists;
            share += masses[r] / total;
        }
        largest = std::max(largest, share > 0 ? sum / share : all);
    }
    return classes.mass_unit() * largest / volume;
}

double box_mismatch(const BoxClasses& classes, const float* positions, const RegionStretch* stretch,
                    const float* rotations)
{
    const BoxGrid& grid = classes.grid();
    const std::size_t n = grid.particle_count();
    const auto places = places_of(grid);
    const std::vector<Vec3d> rest = rest_of(grid);
    std::vector<Vec3d> x(n);
    std::vector<double> m(n), values(n);
    for (std::size_t i = 0; i < n; ++i) {
        const float *p = positions + kPositionSize * i, *first = positions;
        x[i] = {double(p[0]) - first[0], double(p[1]) - first[1], double(p[2]) - first[2]};
        m[i] = double(classes.shared_masses()[i]);
    }
    const auto over = [&](const auto& value) {
        for (std::size_t i = 0; i < n; ++i) values[i] = m[i] * value(i);
        return classes.over_regions(values);
    };
    const std::vector<double> mass = over([](std::size_t) { return 1.0; });
    const std::vector<double> squares = over([&](std::size_t i) { return dot(x[i], x[i]); });
    std::vector<double> s[3], q[3], xq[3][3], qq[3][3];
    for (int a = 0; a < 3; ++a) {
        s[a] = over([&](std::size_t i) { return x[i][a]; });
        q[a] = over([&](std::size_t i) { return rest[i][a]; });
        for (int b = 0; b < 3; ++b) xq[a][b] = over([&](std::size_t i) { return x[i][a] * rest[i][b]; });
        for (int b = a; b < 3; ++b) qq[a][b] = qq[b][a] = over([&](std::size_t i) { return rest[i][a] * rest[i][b]; });
    }
    double sum = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const auto [block, lane] = places[r];
        const float* turn = rotations + block * kRotationSize;
        const Mat3d R = to_matrix({turn[lane], turn[kLanes + lane], turn[2 * kLanes + lane], turn[3 * kLanes + lane]});
        double F[3][3];
        for (int a = 0; a < 3; ++a) {
            const Vec3d row{R.c0[a], R.c1[a], R.c2[a]};
            F[a][0] = row.x, F[a][1] = row.y, F[a][2] = row.z;
            if (!stretch) continue;
            double T[6];
            for (int k = 0; k < 6; ++k) T[k] = double(stretch[block].T[k][lane]);
            F[a][0] = row.x * T[0] + row.y * T[5] + row.z * T[4];
            F[a][1] = row.x * T[5] + row.y * T[1] + row.z * T[3];
            F[a][2] = row.x * T[4] + row.y * T[3] + row.z * T[2];
        }
        double e = squares[r];
        for (int a = 0; a < 3; ++a) {
            e -= s[a][r] * s[a][r] / mass[r];
            for (int b = 0; b < 3; ++b) {
                e -= 2 * F[a][b] * (xq[a][b][r] - s[a][r] * q[b][r] / mass[r]);
                for (int c = 0; c < 3; ++c) e += F[a][b] * (qq[b][c][r] - q[b][r] * q[c][r] / mass[r]) * F[a][c];
            }
        }
        sum += classes.weight(r) * e;
    }
    return 0.5 * classes.mass_unit() * sum;
}

}  // namespace yawara::matching
