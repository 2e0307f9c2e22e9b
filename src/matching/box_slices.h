// What the sweeps over a lattice's planes and slabs share.
#pragma once

#include <algorithm>

#include "core/parallel.h"
#include "matching/box_classes.h"

namespace yawara::matching {

constexpr std::size_t kChannelPad = 16;  ///< floats added to channels, so that their starts do not share a cache set

inline float* room(AlignedVector<float>& v, std::size_t size)
{
    if (v.size() < size) {
        v.reserve(size);
        use_large_pages(v.data(), size * sizeof(float));
        v.resize(size);
    }
    return v.data();
}

/// Floats of a plane's nodes, and of the zeros before them and behind them.
inline std::size_t plane_channel(const BoxPart& part)
{
    return part.pad + std::size_t(part.ny) * part.row + kChannelPad;
}
/// Clears what lies around the rows of a plane; `plane` is its first row.
inline void clear_between_rows(const BoxPart& part, float* plane, std::size_t channels)
{
    for (std::size_t c = 0; c < channels; ++c, plane += plane_channel(part))
        for (std::size_t y = 0; y <= std::size_t(part.ny); ++y)
            std::fill_n(plane + y * part.row - part.pad, part.pad, 0.0f);
}

/// Rows that go through the kernels as one.
struct Stretch {
    int first_row, rows;
    std::size_t begin, length;  ///< in a plane
};
constexpr std::size_t kStretch = 256;  ///< about as long

inline std::size_t longest_stretch(const BoxPart& part)
{
    return kStretch + part.row;
}
template <class Body>
void for_each_stretch(const BoxPart& part, const Body& body)
{
    const int rows = int((kStretch + part.row - 1) / part.row);
    for (int y = 0; y < part.ny; y += rows) {
        const int count = std::min(rows, part.ny - y);
        body(Stretch{y, count, std::size_t(y) * part.row, std::size_t(count) * part.row - part.pad});
    }
}

inline std::size_t column_channel(const BoxPart& part)
{
    return std::size_t(part.nz) * kLanes + kChannelPad;
}
/// Columns along y of two blocks side by side.
constexpr std::size_t kPair = 2 * kLanes;
inline std::size_t upright_channel(const BoxPart& part)
{
    return std::size_t(part.ny) * kPair + kChannelPad;
}
/// Where the node x, y of a plane is in the first of twelve channels of its columns.
inline std::size_t upright_place(const BoxPart& part, std::size_t x, std::size_t y)
{
    return x / kPair * 12 * upright_channel(part) + y * kPair + x % kPair;
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
