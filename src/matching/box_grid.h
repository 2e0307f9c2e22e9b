// A lattice as dense grids, one for each part that hangs together, and where regions by link distance differ from
// boxes. Boxes are summed with sliding windows; the few particles of a box that no path inside reaches are taken off
// again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matching/box_kernels.h"
#include "yawara/core.h"
#include "yawara/lattice.h"

namespace yawara::matching {

/// How far regions of one class reach along x, y and z, in links.
using Reach = Int3;

/// Rows [first, last) of a plane.
struct RowRange {
    int first = 0, last = 0;
    int count() const { return last - first; }
};

/// One connected part of a lattice. Nodes are numbered z, y, x, with rows filled up to a multiple of kRowStep.
struct BoxPart {
    Int3 low{};                          ///< lattice coordinates of its first node
    int nx = 0, ny = 0, nz = 0;          ///< nodes
    std::size_t row = 0;                 ///< from one row to the next
    std::vector<std::int32_t> particle;  ///< at each node; -1: none
    std::vector<std::uint8_t> cell;      ///< 1 where the cell with this low corner is occupied
    std::size_t first_block = 0;         ///< blocks of eight regions, numbered z, x, y: columns along y

    /// The rows of each plane from the first with particles to the last (there are some, as parts hang together), and
    /// then, level by level, the rows that windows about these look at: rows_of() and rows_near() in box_slices.h.
    std::vector<RowRange> rows;

    /// For each level: runs of node k are runs[offsets[k]] ...; empty offsets: every region is a box.
    struct Exceptions {
        std::vector<std::uint32_t> offsets;
        std::vector<Run> runs;
        std::vector<std::uint32_t> nodes;  ///< that have runs, in order
        /// Nodes side by side in a row that lie in runs, in order. Sums along them, at their ends and in between, are
        /// `length` + 1 entries.
        struct Segment {
            std::uint32_t node, length, entry;  ///< the first, how many, the entry before them
        };
        std::vector<Segment> segments;
        std::size_t entry_count = 0;
    };
    std::vector<Exceptions> exceptions;

    std::size_t blocks_per_row() const { return row / 8; }
    std::size_t block_count() const { return std::size_t(ny) * std::size_t(nz) * blocks_per_row(); }
    std::size_t node_count() const { return particle.size(); }
    std::size_t node(int x, int y, int z) const
    {
        return (std::size_t(z) * std::size_t(ny) + std::size_t(y)) * row + std::size_t(x);
    }
    std::size_t block(int y, int z, std::size_t x_block) const
    {
        return first_block + (std::size_t(z) * blocks_per_row() + x_block) * std::size_t(ny) + std::size_t(y);
    }
};

/// The lattice cut into parts, and the exceptions of every level (a reach that regions may have).
class BoxGrid {
public:
    /// A region of reach w holds what at most max(w) links reach inside the box of half-widths w; with equal widths
    /// that is link distance, [CVG] 4.2. Refuses reaches out of range and grids too large or too ragged for memory.
    static Result<BoxGrid> build(const Lattice& lattice, std::vector<Reach> levels);

    std::span<const BoxPart> parts() const { return parts_; }
    std::span<const Reach> levels() const { return levels_; }
    std::size_t particle_count() const { return particles_; }
    std::size_t block_count() const { return blocks_; }
    double cell() const { return cell_; }
    std::size_t run_count() const;  ///< of all levels: what irregular regions cost

private:
    std::vector<BoxPart> parts_;
    std::vector<Reach> levels_;
    std::size_t particles_ = 0, blocks_ = 0;
    double cell_ = 1;
};

}  // namespace yawara::matching
