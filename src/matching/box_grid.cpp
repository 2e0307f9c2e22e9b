// Parts by flooding, exceptions by a breadth-first search on bits: a row of a region's box is one machine word, and one
// hop is "every occupied cell that touches what is reached gives all its corners", for a whole row at once.
#include "matching/box_grid.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "core/parallel.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kMostNodes = 100'000'000;
constexpr std::size_t kMostRuns = 400'000'000;

/// Part of every particle, counted from 0.
std::vector<std::int32_t> parts_of(const Lattice& lattice, int& count)
{
    std::vector<std::int32_t> root(lattice.nodes.size());
    for (std::size_t i = 0; i < root.size(); ++i) root[i] = std::int32_t(i);
    const auto find = [&](std::int32_t i) {
        while (root[std::size_t(i)] != i) i = root[std::size_t(i)] = root[std::size_t(root[std::size_t(i)])];
        return i;
    };
    for (const Int8& cell : lattice.cells)
        for (const std::int32_t v : cell) {
            const std::int32_t a = find(cell[0]), b = find(v);
            root[std::size_t(std::max(a, b))] = std::min(a, b);
        }
    std::vector<std::int32_t> part(root.size(), -1);
    count = 0;
    for (std::size_t i = 0; i < root.size(); ++i) {
        const auto r = std::size_t(find(std::int32_t(i)));
        part[i] = r == i ? count++ : part[r];
    }
    return part;
}

/// Bits of a part's nodes and cells, row by row, in words of 64.
class BitRows {
public:
    BitRows(const BoxPart& part, bool cells)
        : words_(std::size_t(part.nx) / 64 + 2),
          ny_(part.ny),
          nz_(part.nz),
          bits_(words_ * std::size_t(part.ny) * std::size_t(part.nz))
    {
        for (int z = 0; z < part.nz; ++z)
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x) {
                    const std::size_t node = part.node(x, y, z);
                    if (cells ? part.cell[node] != 0 : part.particle[node] >= 0)
                        bits_[place(y, z) + std::size_t(x) / 64] |= std::uint64_t{1} << (x % 64);
                }
    }
    /// Bits [x, x + 64) of a row, zeros beyond its ends; x > -64.
    std::uint64_t window(int x, int y, int z) const
    {
        if (y < 0 || z < 0 || y >= ny_ || z >= nz_ || x >= int(64 * (words_ - 1))) return 0;
        const std::uint64_t* row = bits_.data() + place(y, z);
        if (x < 0) return row[0] << -x;
        const std::size_t word = std::size_t(x) / 64;
        const int shift = x % 64;
        return shift == 0 ? row[word] : row[word] >> shift | row[word + 1] << (64 - shift);
    }

private:
    std::size_t place(int y, int z) const { return (std::size_t(z) * std::size_t(ny_) + std::size_t(y)) * words_; }

    std::size_t words_;
    int ny_, nz_;
    std::vector<std::uint64_t> bits_;
};

/// Counts of occupied cells in boxes of a part.
class CellCounts {
public:
    explicit CellCounts(const BoxPart& part)
        : nx_(std::size_t(part.nx)), ny_(std::size_t(part.ny)), table_(nx_ * ny_ * std::size_t(part.nz))
    {
        for (int z = 1; z < part.nz; ++z)
            for (int y = 1; y < part.ny; ++y)
                for (int x = 1; x < part.nx; ++x)
                    at(x, y, z) = part.cell[part.node(x - 1, y - 1, z - 1)] + at(x - 1, y, z) + at(x, y - 1, z) +
                                  at(x, y, z - 1) - at(x - 1, y - 1, z) - at(x - 1, y, z - 1) - at(x, y - 1, z - 1) +
                                  at(x - 1, y - 1, z - 1);
    }
    /// All cells between two nodes are occupied.
    bool full(Int3 a, Int3 b)
    {
        const std::uint32_t count = at(b[0], b[1], b[2]) - at(a[0], b[1], b[2]) - at(b[0], a[1], b[2]) -
                                    at(b[0], b[1], a[2]) + at(a[0], a[1], b[2]) + at(a[0], b[1], a[2]) +
                                    at(b[0], a[1], a[2]) - at(a[0], a[1], a[2]);
        return count == std::uint32_t((b[0] - a[0]) * (b[1] - a[1]) * (b[2] - a[2]));
    }

private:
    std::uint32_t& at(int x, int y, int z)
    {
        return table_[(std::size_t(z) * ny_ + std::size_t(y)) * nx_ + std::size_t(x)];
    }
    std::size_t nx_, ny_;
    std::vector<std::uint32_t> table_;
};

/// What can be reached from a node inside a box, hop by hop.
class Search {
public:
    Search(const BitRows& nodes, const BitRows& cells) : nodes_(nodes), cells_(cells) {}

    /// Runs of the particles in the box around (x, y, z) that are not in the region.
    void foreign(int x, int y, int z, Reach w, std::vector<Run>& out)
    {
        // Rows of the box with a margin of one: cells that stick out of the box link particles inside it too.
        const int ry = w[1], rz = w[2], rows = 2 * ry + 3, left = x - w[0] - 1;
        const std::uint64_t mask = ((std::uint64_t{1} << (2 * w[0] + 1)) - 1) << 1;
        reached_.assign(std::size_t(rows * (2 * rz + 3)), 0);
        const auto at = [&](std::vector<std::uint64_t>& bits, int dy, int dz) -> std::uint64_t& {
            return bits[std::size_t((dz + rz + 1) * rows + dy + ry + 1)];
        };
        at(reached_, 0, 0) = std::uint64_t{1} << (w[0] + 1);
        const int hops = std::max({w[0], w[1], w[2]});
        for (int hop = 1; hop <= hops; ++hop) {
            const int sy = std::min(hop, ry + 1), sz = std::min(hop, rz + 1);
            next_ = reached_;
            for (int dz = -sz; dz < sz; ++dz)
                for (int dy = -sy; dy < sy; ++dy) {
                    const std::uint64_t corners = at(reached_, dy, dz) | at(reached_, dy + 1, dz) |
                                                  at(reached_, dy, dz + 1) | at(reached_, dy + 1, dz + 1);
                    if (!corners) continue;
                    // Bit k is the cell between nodes k and k + 1.
                    const std::uint64_t touched = cells_.window(left, y + dy, z + dz) & (corners | corners >> 1);
                    const std::uint64_t given = (touched | touched << 1) & mask;
                    for (int k = 0; k < 4; ++k) {
                        const int cy = dy + (k & 1), cz = dz + (k >> 1);
                        if (std::abs(cy) <= ry && std::abs(cz) <= rz) at(next_, cy, cz) |= given;
                    }
                }
            if (next_ == reached_) break;
            std::swap(reached_, next_);
        }
        for (int dz = -rz; dz <= rz; ++dz)
            for (int dy = -ry; dy <= ry; ++dy) {
                std::uint64_t rest = nodes_.window(left, y + dy, z + dz) & mask & ~at(reached_, dy, dz);
                while (rest != 0) {
                    const int begin = std::countr_zero(rest), length = std::countr_one(rest >> begin);
                    out.push_back(
                        {0, std::uint8_t(length), std::int8_t(left + begin - x), std::int8_t(dy), std::int8_t(dz)});
                    rest &= ~(((std::uint64_t{1} << length) - 1) << begin);
                }
            }
    }

private:
    const BitRows &nodes_, &cells_;
    std::vector<std::uint64_t> reached_, next_;
};

RowRange hull(RowRange a, RowRange b)
{
    return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// See BoxPart::rows.
std::vector<RowRange> find_rows(const BoxPart& part, std::span<const Reach> levels)
{
    std::vector<RowRange> rows(std::size_t(part.nz), RowRange{part.ny, 0});
    for (int z = 0; z < part.nz; ++z)
        for (int y = 0; y < part.ny; ++y) {
            const auto begin = part.particle.begin() + std::ptrdiff_t(part.node(0, y, z));
            if (std::any_of(begin, begin + part.nx, [](std::int32_t i) { return i >= 0; }))
                rows[std::size_t(z)] = hull(rows[std::size_t(z)], {y, y + 1});
        }
    for (const Reach w : levels)
        for (int z = 0; z < part.nz; ++z) {
            const RowRange own = rows[std::size_t(z)];
            RowRange all = own;  // of the planes within reach
            for (int k = std::max(z - w[2], 0); k <= std::min(z + w[2], part.nz - 1); ++k)
                all = hull(all, rows[std::size_t(k)]);
            rows.push_back({std::max(all.first, own.first - w[1]), std::min(all.last, own.last + w[1])});
        }
    return rows;
}

/// Calls body(node, run, first node of the run) for all runs of a part.
template <class Runs, class Body>
void for_each_run(const BoxPart& part, const std::vector<std::uint32_t>& offsets, Runs& runs, const Body& body)
{
    const auto plane = std::ptrdiff_t(part.ny) * std::ptrdiff_t(part.row);
    for (std::size_t node = 0; node < part.node_count(); ++node)
        for (std::uint32_t k = offsets[node]; k < offsets[node + 1]; ++k)
            body(node, runs[k],
                 std::size_t(std::ptrdiff_t(node) + runs[k].dz * plane + runs[k].dy * std::ptrdiff_t(part.row) +
                             runs[k].dx));
}

/// Which nodes have runs, and which lie in them.
void find_segments(const BoxPart& part, BoxPart::Exceptions& found)
{
    std::vector<bool> in_run(part.node_count(), false);
    for_each_run(part, found.offsets, found.runs, [&](std::size_t node, const Run& run, std::size_t first) {
        if (found.nodes.empty() || found.nodes.back() != node) found.nodes.push_back(std::uint32_t(node));
        std::fill_n(in_run.begin() + std::ptrdiff_t(first), run.length, true);
    });
    std::vector<std::uint32_t> entry_before(part.node_count(), 0);
    std::uint32_t entries = 0;
    for (std::size_t node = 0; node < part.node_count(); ++node) {
        if (!in_run[node]) continue;
        if (node % part.row == 0 || !in_run[node - 1]) {
            if (!found.segments.empty()) ++entries;  // the end of the one before
            found.segments.push_back({std::uint32_t(node), 0, entries});
        }
        ++found.segments.back().length;
        entry_before[node] = entries++;
    }
    found.entry_count = entries + 1;
    for_each_run(part, found.offsets, found.runs,
                 [&](std::size_t, Run& run, std::size_t first) { run.entry = entry_before[first]; });
}

/// A layer of the part at a time: the runs of its nodes.
Status find_exceptions(BoxPart& part, std::span<const Reach> levels)
{
    const BitRows nodes(part, false), cells(part, true);
    CellCounts counts(part);
    const std::size_t layer = std::size_t(part.ny) * part.row;
    for (const Reach w : levels) {
        std::vector<std::vector<Run>> runs(std::size_t(part.nz));
        std::vector<std::uint32_t> lengths(part.node_count(), 0);
        for_each_chunk(std::size_t(part.nz), 1, [&](std::size_t plane, std::size_t, std::size_t) {
            const int z = int(plane);
            Search search(nodes, cells);
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x) {
                    const std::size_t node = part.node(x, y, z);
                    if (part.particle[node] < 0) continue;
                    const Int3 a{std::max(x - w[0], 0), std::max(y - w[1], 0), std::max(z - w[2], 0)};
                    const Int3 b{std::min(x + w[0], part.nx - 1), std::min(y + w[1], part.ny - 1),
                                 std::min(z + w[2], part.nz - 1)};
                    if (counts.full(a, b) && a[0] < b[0] && a[1] < b[1] && a[2] < b[2]) continue;  // a solid box
                    const std::size_t before = runs[plane].size();
                    if (before > kMostRuns) return;
                    search.foreign(x, y, z, w, runs[plane]);
                    lengths[node] = std::uint32_t(runs[plane].size() - before);
                }
        });
        std::size_t total = 0;
        for (const auto& r : runs) total += r.size();
        if (total > kMostRuns)
            return Error{"hops", "the lattice is too ragged for regions of " + std::to_string(w[0]) + " x " +
                                     std::to_string(w[1]) + " x " + std::to_string(w[2]) +
                                     " links: use a smaller width or larger cells"};
        BoxPart::Exceptions& found = part.exceptions.emplace_back();
        if (total == 0) continue;
        found.offsets.assign(part.node_count() + 1, 0);
        for (std::size_t k = 0; k < lengths.size(); ++k) found.offsets[k + 1] = found.offsets[k] + lengths[k];
        found.runs.resize(total);
        for (std::size_t z = 0; z < runs.size(); ++z)
            std::copy(runs[z].begin(), runs[z].end(), found.runs.begin() + found.offsets[z * layer]);
        find_segments(part, found);
    }
    return Done{};
}

}  // namespace

Result<BoxGrid> BoxGrid::build(const Lattice& lattice, std::vector<Reach> levels)
{
    for (const Reach w : levels)
        for (const int k : w)
            if (k < 0 || k > kLargestReach)
                return Error{"hops", std::to_string(k) + " links are out of the range 0 to " +
                                         std::to_string(kLargestReach) + " of a lattice's regions"};
    BoxGrid grid;
    grid.levels_ = std::move(levels);
    grid.particles_ = lattice.nodes.size();
    grid.cell_ = lattice.cell;

    int count = 0;
    const std::vector<std::int32_t> part_of = parts_of(lattice, count);
    std::vector<Int3> high(std::size_t(count), Int3{INT32_MIN, INT32_MIN, INT32_MIN});
    grid.parts_.resize(std::size_t(count));
    for (BoxPart& part : grid.parts_) part.low = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (std::size_t i = 0; i < part_of.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto p = std::size_t(part_of[i]);
            grid.parts_[p].low[axis] = std::min(grid.parts_[p].low[axis], lattice.nodes[i][axis]);
            high[p][axis] = std::max(high[p][axis], lattice.nodes[i][axis]);
        }
    std::size_t nodes = 0;
    for (std::size_t p = 0; p < grid.parts_.size(); ++p) {
        BoxPart& part = grid.parts_[p];
        const double size[3] = {double(high[p][0]) - part.low[0] + 1, double(high[p][1]) - part.low[1] + 1,
                                double(high[p][2]) - part.low[2] + 1};
        if (double(nodes) + size[0] * size[1] * size[2] > double(kMostNodes) || size[0] > 30000)
            return Error{"solid", "the box around the lattice has more than " + std::to_string(kMostNodes) +
                                      " places: use larger cells"};
        part.nx = int(size[0]), part.ny = int(size[1]), part.nz = int(size[2]);
        part.row = (std::size_t(part.nx) + kRowStep - 1) / kRowStep * kRowStep;
        part.particle.assign(part.row * std::size_t(part.ny) * std::size_t(part.nz), -1);
        part.cell.assign(part.particle.size(), 0);
        part.first_block = grid.blocks_;
        grid.blocks_ += part.block_count();
        nodes += part.node_count();
    }
    const auto node_of = [&](std::int32_t particle) -> std::pair<BoxPart&, std::size_t> {
        BoxPart& part = grid.parts_[std::size_t(part_of[std::size_t(particle)])];
        const Int3& n = lattice.nodes[std::size_t(particle)];
        return {part, part.node(n[0] - part.low[0], n[1] - part.low[1], n[2] - part.low[2])};
    };
    for (std::size_t i = 0; i < part_of.size(); ++i) {
        const auto [part, node] = node_of(std::int32_t(i));
        part.particle[node] = std::int32_t(i);
    }
    for (const Int8& cell : lattice.cells) {
        const auto [part, node] = node_of(cell[0]);
        part.cell[node] = 1;
    }
    for (BoxPart& part : grid.parts_) {
        part.rows = find_rows(part, grid.levels_);
        if (const Status found = find_exceptions(part, grid.levels_); !found) return found.error();
    }
    return grid;
}

std::size_t BoxGrid::run_count() const
{
    std::size_t count = 0;
    for (const BoxPart& part : parts_)
        for (const BoxPart::Exceptions& e : part.exceptions) count += e.runs.size();
    return count;
}

}  // namespace yawara::matching
