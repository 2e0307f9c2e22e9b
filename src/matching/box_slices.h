// What the sweeps over a lattice's planes and slabs share.
#pragma once

#include <algorithm>

#include "core/parallel.h"
#include "matching/box_classes.h"

namespace yawara::matching {

constexpr std::size_t kChannelPad = 16;  ///< floats added to channels, so that their starts do not share a cache set

inline float* room(AlignedVector<float>& v, std::size_t size)
{
    if (v.size() < size) v.resize(size);
    return v.data();
}

/// From one channel of a plane's nodes to the next.
inline std::size_t plane_channel(const BoxPart& part)
{
    return std::size_t(part.ny) * part.row + kChannelPad;
}

/// Rows that go through the kernels as one.
struct RowSpan {
    int first_row, rows;
    std::size_t begin, length;  ///< in a plane
};
constexpr std::size_t kRowSpan = 256;  ///< about as long

inline std::size_t longest_row_span(const BoxPart& part)
{
    return kRowSpan + part.row;
}
template <class Body>
void for_each_row_span(const BoxPart& part, RowRange range, const Body& body)
{
    const int rows = int((kRowSpan + part.row - 1) / part.row);
    for (int y = range.first; y < range.last; y += rows) {
        const int count = std::min(rows, range.last - y);
        body(RowSpan{y, count, std::size_t(y) * part.row, std::size_t(count) * part.row});
    }
}

inline RowRange rows_of(const BoxPart& part, int z)
{
    return part.rows[std::size_t(z)];
}
/// The rows that windows of a level about the particles of plane z look at.
inline RowRange rows_near(const BoxPart& part, int z, std::size_t level)
{
    return part.rows[(1 + level) * std::size_t(part.nz) + std::size_t(z)];
}

inline std::size_t column_channel(const BoxPart& part)
{
    return std::size_t(part.nz) * kLanes + kChannelPad;
}
/// Columns along y of two blocks side by side, as strips of a plane.
constexpr std::size_t kPair = 2 * kLanes;
inline std::size_t upright_channel(const BoxPart& part)
{
    return std::size_t(part.ny) * kPair + kChannelPad;
}
struct Strip {
    std::size_t begin, end;  ///< nodes along x
};
template <class Body>
void for_each_strip(const BoxPart& part, const Body& body)
{
    for (std::size_t x = 0; x < part.row; x += kPair) body(Strip{x, std::min(x + kPair, std::size_t(part.nx))});
}
inline bool has_exceptions(const BoxPart& part, const BoxFilter& filter)
{
    return !part.exceptions[filter.level].offsets.empty();
}

/// A particle near the middle of a part: positions about it are small.
inline std::size_t middle_particle(const BoxPart& part)
{
    return std::size_t(*std::find_if(part.particle.begin() + std::ptrdiff_t(part.node_count() / 2), part.particle.end(),
                                     [](std::int32_t i) { return i >= 0; }));
}

/// Calls body(part index, slice) for all slices of all parts.
template <class Size, class Body>
void for_each_slice(const BoxGrid& grid, const Size& size, const Body& body)
{
    const std::span<const BoxPart> parts = grid.parts();
    const auto slices = [&](std::size_t p) {
        for_each_chunk(std::size_t(size(parts[p])), 1,
                       [&](std::size_t k, std::size_t, std::size_t) { body(p, int(k)); });
    };
    if (parts.size() == 1)
        slices(0);
    else
        for_each_chunk(parts.size(), 1, [&](std::size_t p, std::size_t, std::size_t) { slices(p); });
}
inline int planes_of(const BoxPart& part)
{
    return part.nz;
}
inline int slabs_of(const BoxPart& part)
{
    return part.ny;
}

/// The rows of a plane, as blocks.
inline MaskedBlocks plane_blocks(const BoxPart& part, const std::uint32_t* bits, std::uint32_t set,
                                 std::size_t channels)
{
    return {bits, kLanes, set, std::size_t(part.ny) * part.row / kLanes, kLanes, channels, plane_channel(part)};
}
/// A column of blocks along z, whose first node has these bits.
inline MaskedBlocks column_blocks(const BoxPart& part, const std::uint32_t* bits, std::uint32_t set,
                                  std::size_t channels)
{
    return {bits, std::size_t(part.ny) * part.row, set, std::size_t(part.nz), kLanes, channels, column_channel(part)};
}

}  // namespace yawara::matching
