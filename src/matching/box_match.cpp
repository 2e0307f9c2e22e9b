#include "matching/box_match.h"

#include <algorithm>

#include "matching/box_slices.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kInRow = 8, kOutRow = 16;

/// Shared mass times position of the particles of a plane, dense.
void load_plane(const BoxClasses& classes, const BoxPart& part, int z, const float* positions, Vec3 origin,
                float* plane)
{
    const std::size_t channel = plane_channel(part);
    const float* const masses = classes.shared_masses().data();
    for (int y = 0; y < part.ny; ++y)
        kernels().boxes.load_row(positions, part.particle.data() + part.node(0, y, z), masses, origin, part.row,
                                 plane + std::size_t(y) * part.row, channel);
    for (std::size_t c = 0; c < 3; ++c)  // rows that only fill up the last strip
        std::fill(plane + c * channel + std::size_t(part.ny) * part.row,
                  plane + c * channel + filled_rows(part) * part.row, 0.0f);
}

/// Running sums along x of a plane and of x times it, for the exceptions.
void sum_in_rows(const BoxPart& part, int z, const float* plane, float* rows)
{
    const std::size_t channel = plane_channel(part);
    const float middle = 0.5f * float(part.nx);
    for (int y = 0; y < part.ny; ++y) {
        float* out = rows + (std::size_t(z) * std::size_t(part.ny) + std::size_t(y)) * (part.row + 1) * kInRow;
        float s[6] = {};
        for (std::size_t x = 0; x <= part.row; ++x, out += kInRow) {
            for (std::size_t c = 0; c < 3; ++c) out[c] = s[c], out[4 + c] = s[3 + c];
            if (x == part.row) break;
            for (std::size_t c = 0; c < 3; ++c) {
                const float v = plane[c * channel + std::size_t(y) * part.row + x];
                s[c] += v;
                s[3 + c] += v * (float(x) - middle);
            }
        }
    }
}

/// The same for what the regions of a slab send out: sums of p - x Fx, Fx, Fy, Fz.
void sum_out_rows(const BoxPart& part, int y, const float* slab_out, std::size_t channel, float* rows)
{
    const float middle = 0.5f * float(part.nx);
    for (int z = 0; z < part.nz; ++z) {
        float* out = rows + (std::size_t(z) * std::size_t(part.ny) + std::size_t(y)) * (part.row + 1) * kOutRow;
        float s[12] = {};
        for (std::size_t x = 0; x <= part.row; ++x, out += kOutRow) {
            for (std::size_t c = 0; c < 12; ++c) out[c] = s[c];
            if (x == part.row) break;
            const float* in = slab_out + std::size_t(z) * part.row + x;
            for (std::size_t c = 3; c < 12; ++c) s[c] += in[c * channel];
            for (std::size_t c = 0; c < 3; ++c) s[c] += in[c * channel] - (float(x) - middle) * in[(3 + c) * channel];
        }
    }
}

/// Takes what a box holds but the region does not off the sums of a column of blocks.
void take_off_sums(const BoxPart& part, const BoxFilter& filter, std::span<const std::uint32_t> bits, int y,
                   std::size_t x_block, const float* rows, float* column)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t channel = column_channel(part);
    const float middle = 0.5f * float(part.nx);
    for (int z = 0; z < part.nz; ++z)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t x = x_block * kLanes + lane, node = part.node(int(x), y, z);
            if (!(bits[node] & filter.out)) continue;
            float s[12] = {};
            for (std::uint32_t k = e.offsets[node]; k < e.offsets[node + 1]; ++k) {
                const Run& run = e.runs[k];
                const float* row = rows + (std::size_t(z + run.dz) * std::size_t(part.ny) + std::size_t(y + run.dy)) *
                                              (part.row + 1) * kInRow;
                const float *a = row + std::size_t(run.begin) * kInRow, *b = row + std::size_t(run.end) * kInRow;
                for (std::size_t c = 0; c < 3; ++c) {
                    const float sum = b[c] - a[c];
                    s[c] += sum;
                    s[3 + c] += (b[4 + c] - a[4 + c]) - (float(x) - middle) * sum;
                    s[6 + c] += float(run.dy) * sum;
                    s[9 + c] += float(run.dz) * sum;
                }
            }
            if (e.offsets[node] == e.offsets[node + 1]) continue;
            for (std::size_t c = 0; c < 12; ++c) column[c * channel + std::size_t(z) * kLanes + lane] -= s[c];
        }
}

/// Sums along z of a column of blocks, over all filters, in scratch.column.
void sum_column(const BoxClasses& classes, const BoxPart& part, std::size_t p, int y, std::size_t x_block,
                const BoxMemory::Part& memory, BoxScratch& scratch)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = column_channel(part);
    float* const column = room(scratch.column, 24 * channel);
    float* const lines = room(scratch.lines, line_scratch(kLargestReach));
    const std::span<const std::uint32_t> bits = classes.class_bits(p);
    const bool single = classes.one_class();
    float* const target = single ? column : column + 12 * channel;
    if (!single) std::fill(column, column + 12 * channel, 0.0f);
    for (std::size_t f = 0; f < classes.gather().size(); ++f) {
        const BoxFilter& filter = classes.gather()[f];
        const float* const in =
            memory.slabs.data() + std::size_t(y) * memory.slab + f * 9 * memory.channel + x_block * kLanes;
        const int w = classes.grid().levels()[filter.level][2];
        const auto from = [&](std::size_t c) { return Line{in + c * memory.channel, part.row, memory.channel}; };
        const auto to = [&](std::size_t c) { return LineOut{target + c * channel, kLanes, channel}; };
        kernel.moment(from(0), part.nz, w, to(0), to(9), lines);
        kernel.sum(from(3), part.nz, w, to(3), lines);
        kernel.sum(from(6), part.nz, w, to(6), lines);
        if (has_exceptions(part, filter))
            take_off_sums(part, filter, bits, y, x_block, memory.in_rows[f].data(), target);
        if (!single)
            kernel.add_masked(column_blocks(part, bits.data() + part.node(int(x_block * kLanes), y, 0), filter.out, 12),
                              target, column);
    }
}

/// Spreads what a column of blocks sends out along z, for all filters.
void spread_column(const BoxClasses& classes, const BoxPart& part, std::size_t p, int y, std::size_t x_block,
                   BoxMemory::Part& memory, BoxScratch& scratch)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = column_channel(part);
    const float* const out = scratch.out.data();
    const std::uint32_t* const bits = classes.class_bits(p).data();
    for (std::size_t f = 0; f < classes.spread().size(); ++f) {
        const BoxFilter& filter = classes.spread()[f];
        const float* source = out;
        if (!classes.one_class()) {
            float* const masked = scratch.column.data();
            kernel.mask(column_blocks(part, bits + part.node(int(x_block * kLanes), y, 0), filter.in, 12), out, masked);
            source = masked;
        }
        float* const slab =
            memory.slabs.data() + std::size_t(y) * memory.slab + f * 9 * memory.channel + x_block * kLanes;
        const int w = classes.grid().levels()[filter.level][2];
        const auto from = [&](std::size_t c) { return Line{source + c * channel, kLanes, channel}; };
        const auto to = [&](std::size_t c) { return LineOut{slab + c * memory.channel, part.row, memory.channel}; };
        kernel.spread(from(0), from(9), part.nz, w, to(0), scratch.lines.data());
        kernel.sum(from(3), part.nz, w, to(3), scratch.lines.data());
        kernel.sum(from(6), part.nz, w, to(6), scratch.lines.data());
    }
}

/// Takes what regions across a gap sent along a box off a particle's sum.
void take_off_ways(const BoxPart& part, const BoxFilter& filter, int x, int y, int z, const float* rows, float* sum,
                   std::size_t channel)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t node = part.node(x, y, z);
    const float from_middle = float(x) - 0.5f * float(part.nx);
    for (std::uint32_t k = e.offsets[node]; k < e.offsets[node + 1]; ++k) {
        const Run& run = e.runs[k];
        const float* row = rows + (std::size_t(z + run.dz) * std::size_t(part.ny) + std::size_t(y + run.dy)) *
                                      (part.row + 1) * kOutRow;
        const float *a = row + std::size_t(run.begin) * kOutRow, *b = row + std::size_t(run.end) * kOutRow;
        for (std::size_t c = 0; c < 3; ++c)
            sum[c * channel] -= (b[c] - a[c]) + from_middle * (b[3 + c] - a[3 + c]) -
                                float(run.dy) * (b[6 + c] - a[6 + c]) - float(run.dz) * (b[9 + c] - a[9 + c]);
    }
}

}  // namespace

BoxMemory::BoxMemory(const BoxClasses& classes) : parts(classes.grid().parts().size())
{
    std::size_t slabs = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        parts[p].first_slab = slabs;
        slabs += std::size_t(classes.grid().parts()[p].ny);
    }
    counts.resize(slabs);
    fit(classes);
}

void BoxMemory::fit(const BoxClasses& classes)
{
    const std::size_t filters = std::max(classes.gather().size(), classes.spread().size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const BoxPart& part = classes.grid().parts()[p];
        Part& memory = parts[p];
        memory.channel = std::size_t(part.nz) * part.row + kChannelPad;
        memory.slab = filters * 9 * memory.channel + kChannelPad;
        const std::size_t size = memory.slab * std::size_t(part.ny);
        room(memory.slabs, size);
        const std::size_t entries = std::size_t(part.ny) * std::size_t(part.nz) * (part.row + 1);
        const auto fit_rows = [&](std::span<const BoxFilter> of, std::size_t width, auto& rows) {
            if (rows.size() < of.size()) rows.resize(of.size());
            for (std::size_t f = 0; f < of.size(); ++f)
                if (has_exceptions(part, of[f])) room(rows[f], entries * width);
        };
        fit_rows(classes.gather(), kInRow, memory.in_rows);
        fit_rows(classes.spread(), kOutRow, memory.out_rows);
    }
}

void sum_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory)
{
    const BoxKernels& kernel = kernels().boxes;
    for (std::size_t p = 0; p < memory.parts.size(); ++p) {
        const BoxPart& part = classes.grid().parts()[p];
        const float* at = positions + kPositionSize * middle_particle(part);
        memory.parts[p].origin = {at[0], at[1], at[2]};
    }
    for_each_slice(classes.grid(), planes_of, [&](std::size_t p, int z) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        BoxScratch& scratch = memory.scratch.local();
        const std::size_t channel = plane_channel(part), strip = part.row * kLanes;
        float* const plane = room(scratch.plane, 3 * channel);
        float* const sums = room(scratch.sums, 6 * channel);
        float* const lanes = room(scratch.strip, 9 * strip);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        load_plane(classes, part, z, positions, mine.origin, plane);
        for (std::size_t f = 0; f < classes.gather().size(); ++f) {
            const BoxFilter& filter = classes.gather()[f];
            const Reach w = classes.grid().levels()[filter.level];
            const float* source = plane;
            if (!classes.one_class()) {
                float* const masked = room(scratch.masked, 3 * channel);
                const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, 0, z);
                kernel.mask(plane_blocks(part, bits, filter.in, 3), plane, masked);
                for (std::size_t c = 0; c < 3; ++c)  // rows that only fill up the last strip
                    std::fill(masked + c * channel + std::size_t(part.ny) * part.row, masked + (c + 1) * channel, 0.0f);
                source = masked;
            }
            if (has_exceptions(part, filter)) sum_in_rows(part, z, source, mine.in_rows[f].data());
            for (std::size_t y = 0; y < std::size_t(part.ny); y += kLanes) {
                for (std::size_t c = 0; c < 3; ++c)
                    kernel.rows_to_lanes(source + c * channel + y * part.row, part.row, part.row, lanes + c * strip);
                kernel.moment({lanes, kLanes, strip}, part.nx, w[0], {lanes + 3 * strip, kLanes, strip},
                              {lanes + 6 * strip, kLanes, strip}, lines);
                for (std::size_t c = 0; c < 6; ++c)
                    kernel.lanes_to_rows(lanes + (3 + c) * strip, part.row, sums + c * channel + y * part.row,
                                         part.row);
            }
            for (std::size_t x = 0; x < part.row; x += kLanes) {
                const auto to = [&](std::size_t c) {
                    return LineOut{mine.slabs.data() + (f * 9 + c) * mine.channel + std::size_t(z) * part.row + x,
                                   mine.slab, mine.channel};
                };
                kernel.moment({sums + x, part.row, channel}, part.ny, w[1], to(0), to(6), lines);
                kernel.sum({sums + 3 * channel + x, part.row, channel}, part.ny, w[1], to(3), lines);
            }
        }
    });
}

RotateCount rotate_slabs(const BoxClasses& classes, const RegionStretch* stretch, float* turns, BoxMemory& memory)
{
    for_each_slice(classes.grid(), slabs_of, [&](std::size_t p, int y) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        BoxScratch& scratch = memory.scratch.local();
        const std::size_t channel = column_channel(part);
        float* const out = room(scratch.out, 12 * channel);
        const bool any_exceptions = std::any_of(classes.spread().begin(), classes.spread().end(),
                                                [&](const BoxFilter& f) { return has_exceptions(part, f); });
        const std::size_t plane = std::size_t(part.nz) * part.row;
        float* const all_out = any_exceptions ? room(scratch.plane, 12 * plane) : nullptr;
        RotateCount count;
        for (std::size_t x = 0; x < part.blocks_per_row(); ++x) {
            sum_column(classes, part, p, y, x, mine, scratch);
            const std::size_t block = part.block(y, 0, x);
            const RotateCount found = kernels().boxes.rotate(
                {scratch.column.data(), out, channel, &classes.blocks()[block], stretch ? stretch + block : nullptr,
                 turns + block * kTurnSize, std::size_t(part.nz), float(classes.grid().cell())});
            count.inverted += found.inverted;
            count.robust += found.robust;
            if (all_out)
                for (std::size_t c = 0; c < 12; ++c)
                    for (std::size_t z = 0; z < std::size_t(part.nz); ++z)
                        std::copy_n(out + c * channel + z * kLanes, kLanes,
                                    all_out + c * plane + z * part.row + x * kLanes);
            spread_column(classes, part, p, y, x, mine, scratch);
        }
        if (all_out)
            for (std::size_t f = 0; f < classes.spread().size(); ++f) {
                const BoxFilter& filter = classes.spread()[f];
                if (!has_exceptions(part, filter)) continue;
                const float* source = all_out;
                if (!classes.one_class()) {
                    float* const masked = room(scratch.masked, 12 * plane);
                    for (int z = 0; z < part.nz; ++z)
                        kernels().boxes.mask({classes.class_bits(p).data() + part.node(0, y, z), kLanes, filter.in,
                                              part.blocks_per_row(), kLanes, 12, plane},
                                             all_out + std::size_t(z) * part.row, masked + std::size_t(z) * part.row);
                    source = masked;
                }
                sum_out_rows(part, y, source, plane, mine.out_rows[f].data());
            }
        memory.counts[mine.first_slab + std::size_t(y)] = count;
    });
    RotateCount sum;
    for (const RotateCount& c : memory.counts) {
        sum.inverted += c.inverted;
        sum.robust += c.robust;
    }
    return sum;
}

void spread_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory, Vec3* ways)
{
    const BoxKernels& kernel = kernels().boxes;
    for_each_slice(classes.grid(), planes_of, [&](std::size_t p, int z) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        BoxScratch& scratch = memory.scratch.local();
        const std::size_t channel = plane_channel(part), strip = part.row * kLanes;
        float* const plane = room(scratch.plane, 3 * channel);
        float* const sums = room(scratch.sums, 6 * channel);
        float* const lanes = room(scratch.strip, 9 * strip);
        float* const lines = room(scratch.lines, line_scratch(kLargestReach));
        const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, 0, z);
        const bool single = classes.one_class();
        float* const target = single ? plane : room(scratch.masked, 3 * channel);
        if (!single) std::fill(plane, plane + 3 * channel, 0.0f);
        for (std::size_t f = 0; f < classes.spread().size(); ++f) {
            const BoxFilter& filter = classes.spread()[f];
            const Reach w = classes.grid().levels()[filter.level];
            for (std::size_t x = 0; x < part.row; x += kLanes) {
                const auto from = [&](std::size_t c) {
                    return Line{mine.slabs.data() + (f * 9 + c) * mine.channel + std::size_t(z) * part.row + x,
                                mine.slab, mine.channel};
                };
                kernel.spread(from(0), from(6), part.ny, w[1], {sums + x, part.row, channel}, lines);
                kernel.sum(from(3), part.ny, w[1], {sums + 3 * channel + x, part.row, channel}, lines);
            }
            for (std::size_t y = 0; y < std::size_t(part.ny); y += kLanes) {
                for (std::size_t c = 0; c < 6; ++c)
                    kernel.rows_to_lanes(sums + c * channel + y * part.row, part.row, part.row, lanes + c * strip);
                kernel.spread({lanes, kLanes, strip}, {lanes + 3 * strip, kLanes, strip}, part.nx, w[0],
                              {lanes + 6 * strip, kLanes, strip}, lines);
                for (std::size_t c = 0; c < 3; ++c)
                    kernel.lanes_to_rows(lanes + (6 + c) * strip, part.row, target + c * channel + y * part.row,
                                         part.row);
            }
            if (!single) kernel.add_masked(plane_blocks(part, bits, filter.out, 3), target, plane);
        }
        for (std::size_t f = 0; f < classes.spread().size(); ++f) {
            const BoxFilter& filter = classes.spread()[f];
            if (!has_exceptions(part, filter)) continue;
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x)
                    if (const std::size_t node = part.node(x, y, 0); bits[node] & filter.out)
                        take_off_ways(part, filter, x, y, z, mine.out_rows[f].data(), plane + node, channel);
        }
        for (int y = 0; y < part.ny; ++y)
            kernel.store_row(plane + std::size_t(y) * part.row, channel, part.particle.data() + part.node(0, y, z),
                             positions, classes.weight_sums().data(), classes.shares().data(), mine.origin, part.row,
                             ways);
    });
}

}  // namespace yawara::matching
