#include "sim/bending_masses.h"

#include <algorithm>
#include <array>

namespace yawara {
namespace {

/// Rows of particles along an axis, linked by edges of cells.
std::vector<std::vector<std::int32_t>> rows_along(const Lattice& lattice, std::size_t axis)
{
    std::vector<std::int32_t> next(lattice.nodes.size(), -1);
    std::vector<char> begins(lattice.nodes.size(), 1);
    const std::size_t bit = std::size_t(1) << axis;
    for (const Int8& cell : lattice.cells)
        for (std::size_t k = 0; k < 8; ++k)
            if (!(k & bit)) {
                next[std::size_t(cell[k])] = cell[k | bit];
                begins[std::size_t(cell[k | bit])] = 0;
            }
    std::vector<std::vector<std::int32_t>> rows;
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (!begins[i]) continue;
        std::vector<std::int32_t>& row = rows.emplace_back();
        for (auto k = std::int32_t(i); k >= 0; k = next[std::size_t(k)]) row.push_back(k);
    }
    return rows;
}

/// Lowers the second moment of a row about its centre by `less` cells squared times its mass; not so far that a
/// particle would lose three quarters of its mass.
void move_inwards(const std::vector<std::int32_t>& row, double less, std::vector<double>& masses)
{
    double sums[5] = {};  // mass times place to the power of k, about the middle and then about the centre
    const auto sum_about = [&](double origin) {
        std::fill(std::begin(sums), std::end(sums), 0.0);
        for (std::size_t k = 0; k < row.size(); ++k) {
            double term = masses[std::size_t(row[k])];
            for (double& sum : sums) sum += term, term *= double(k) - origin;
        }
    };
    sum_about(0);
    const double centre = sums[1] / sums[0];
    sum_about(centre);
    // 1 + b (s + r y - y^2), with sum m (s + r y - y^2) = sum m y (s + r y - y^2) = 0
    const double s = sums[2] / sums[0], r = sums[3] / sums[2];
    const double spread = sums[4] - s * sums[2] - r * sums[3];
    if (!(spread > 1e-9 * sums[4])) return;  // two particles
    double b = less * sums[0] / spread;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double y = double(k) - centre, change = s + r * y - y * y;
        if (change < 0) b = std::min(b, -0.75 / change);
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double y = double(k) - centre;
        masses[std::size_t(row[k])] *= 1 + b * (s + r * y - y * y);
    }
}

}  // namespace

void move_masses_inwards(const Lattice& lattice, std::vector<double>& masses)
{
    std::array<std::vector<std::vector<std::int32_t>>, 3> rows;
    std::vector<double> longest(lattice.nodes.size(), 0.0);  // row through a particle, cells
    for (std::size_t axis = 0; axis < 3; ++axis) {
        rows[axis] = rows_along(lattice, axis);
        for (const auto& row : rows[axis])
            for (const std::int32_t i : row) {
                double& most = longest[std::size_t(i)];
                most = std::max(most, double(row.size() - 1));
            }
    }
    for (const auto& along : rows)
        for (const auto& row : along) {
            double length = 0;
            for (const std::int32_t i : row) length = std::max(length, longest[std::size_t(i)]);
            const double share = double(row.size() - 1) / length;
            if (row.size() > 2 && share < 1) move_inwards(row, 0.25 * (1 - share * share), masses);
        }
}

}  // namespace yawara
