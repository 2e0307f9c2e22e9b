#include "matching/box_match.h"

#include <algorithm>

#include "matching/box_slices.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kInRow = 8, kOutRow = 16;
constexpr std::size_t kSent = 6;  ///< channels a plane sends along z: p, then F along z

/// Planes are swept in runs, in an even number of them for two workers. A window that slides begins anew with each, so
/// that rounding does not grow; wide windows, which are dear to begin, slide farther.
class Runs {
public:
    explicit Runs(const BoxClasses& classes)
    {
        for (const BoxFilter& f : classes.gather())
            planes_ = std::max(planes_, 2 * std::min(classes.grid().levels()[f.level][2], 8));
    }
    int operator()(const BoxPart& part) const
    {
        const int pairs = (part.nz + 2 * planes_ - 1) / (2 * planes_);
        return std::min(2 * pairs, part.nz);
    }
    std::pair<int, int> planes(const BoxPart& part, int run) const
    {
        const int runs = (*this)(part);
        return {run * part.nz / runs, (run + 1) * part.nz / runs};
    }

private:
    int planes_ = 8;
};

/// Running sums along x of a plane and of x times it, for the exceptions.
void sum_in_rows(const BoxPart& part, int z, const float* plane, const std::uint32_t* bits, std::uint32_t set,
                 float* rows)
{
    const std::size_t channel = plane_channel(part);
    const float middle = 0.5f * float(part.nx);
    for (int y = 0; y < part.ny; ++y) {
        float* out = rows + (std::size_t(z) * std::size_t(part.ny) + std::size_t(y)) * (part.row + 1) * kInRow;
        float s[6] = {};
        for (std::size_t x = 0; x <= std::size_t(part.nx); ++x, out += kInRow) {
            for (std::size_t c = 0; c < 3; ++c) out[c] = s[c], out[4 + c] = s[3 + c];
            if (x == std::size_t(part.nx)) break;
            if (!(bits[std::size_t(y) * part.row + x] & set)) continue;
            for (std::size_t c = 0; c < 3; ++c) {
                const float v = plane[c * channel + std::size_t(y) * part.row + x];
                s[c] += v;
                s[3 + c] += v * (float(x) - middle);
            }
        }
    }
}

/// The same for what the regions of a plane send out, by columns: sums of p - x Fx, Fx, Fy, Fz.
void sum_out_rows(const BoxPart& part, int z, const float* columns, const std::uint32_t* bits, std::uint32_t set,
                  float* rows)
{
    const std::size_t channel = upright_channel(part);
    const float middle = 0.5f * float(part.nx);
    for (int y = 0; y < part.ny; ++y) {
        float* out = rows + (std::size_t(z) * std::size_t(part.ny) + std::size_t(y)) * (part.row + 1) * kOutRow;
        float s[12] = {};
        for (std::size_t x = 0; x <= std::size_t(part.nx); ++x, out += kOutRow) {
            for (std::size_t c = 0; c < 12; ++c) out[c] = s[c];
            if (x == std::size_t(part.nx)) break;
            if (!(bits[std::size_t(y) * part.row + x] & set)) continue;
            const float* in = columns + upright_place(part, x, std::size_t(y));
            for (std::size_t c = 3; c < 12; ++c) s[c] += in[c * channel];
            for (std::size_t c = 0; c < 3; ++c) s[c] += in[c * channel] - (float(x) - middle) * in[(3 + c) * channel];
        }
    }
}

/// Takes what a box holds but the region does not off the sums of a plane's columns.
void take_off_sums(const BoxPart& part, const BoxFilter& filter, const std::uint32_t* bits, int z, const float* rows,
                   float* columns)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t channel = upright_channel(part);
    const float middle = 0.5f * float(part.nx);
    for (int y = 0; y < part.ny; ++y)
        for (std::size_t x = 0; x < std::size_t(part.nx); ++x) {
            const std::size_t node = part.node(int(x), y, z);
            if (!(bits[node] & filter.out) || e.offsets[node] == e.offsets[node + 1]) continue;
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
            float* const sums = columns + upright_place(part, x, std::size_t(y));
            for (std::size_t c = 0; c < 12; ++c) sums[c * channel] -= s[c];
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

/// Moves a window along z by a plane, in a stretch of rows. `stretch_of(k)` gives the stretch of plane k; beyond the
/// ends there are zeros.
template <class StretchOf>
void move_window(const BoxPart& part, int z, bool first, int width, const SlidingRow& sums, const PlaneRow& zeros,
                 const StretchOf& stretch_of, const PlaneKernels& kernel)
{
    const auto plane = [&](int k) { return k >= 0 && k < part.nz ? stretch_of(k) : zeros; };
    if (width == 1) {
        kernel.three(plane(z - 1), plane(z), plane(z + 1), sums);
    } else if (first) {
        for (std::size_t c = 0; c < 6; ++c) std::fill_n(sums.data + c * sums.channel, sums.n, 0.0f);
        for (int k = std::max(z - width, 0); k <= std::min(z + width, part.nz - 1); ++k)
            kernel.enter(stretch_of(k), float(k - z), sums);
    } else {
        kernel.slide(plane(z + width), plane(z - width - 1), width, sums);  // the middle moves even if both are zeros
    }
}

/// Sums along x: s, m along z become s, and moments along x and z.
void sum_rows(const SlidingRow& in, int width, float* out, float* scratch)
{
    const BoxKernels& kernel = kernels().boxes;
    kernel.row_moment(in.data, in.channel, in.n, width, out, scratch);
    kernel.row_sum(in.data + 3 * in.channel, in.channel, in.n, width, out + 6 * in.channel, scratch);
}

/// The way back: p, and F along x and z, become p and F along z.
void spread_rows(const BoxPart& part, int width, const float* in, float* out, float* scratch)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part);
    for_each_stretch(part, [&](const Stretch& s) {
        kernel.row_spread(in + s.begin, channel, s.length, width, out + s.begin, scratch);
        kernel.row_sum(in + 6 * channel + s.begin, channel, s.length, width, out + 3 * channel + s.begin, scratch);
    });
}

/// Calls body(first block, window) for pairs of blocks along x, of which the last may have but one.
template <class Body>
void for_each_pair(const BoxPart& part, Window window, const Body& body)
{
    const std::uint32_t *const in = window.in.bits, *const out = window.out.bits;
    for (std::size_t x = 0; x < part.blocks_per_row(); x += 2) {
        window.sixteen = x + 1 < part.blocks_per_row();
        if (in) window.in.bits = in + x * kLanes;
        if (out) window.out.bits = out + x * kLanes;
        body(x, window);
    }
}

/// Sums along y of all columns of a plane: s, and moments along x and z, become s and moments along x, y and z.
void sum_columns(const BoxPart& part, const Window& all, const float* in, float* columns)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), step = upright_channel(part);
    for_each_pair(part, all, [&](std::size_t x, const Window& window) {
        const auto from = [&](std::size_t c) { return Line{in + c * channel + x * kLanes, part.row, channel}; };
        const auto to = [&](std::size_t c) {
            return LineOut{columns + upright_place(part, x * kLanes, 0) + c * step, kPair, step};
        };
        kernel.moment(from(0), window, to(0), to(6));
        kernel.sum(from(3), window, to(3));
        kernel.sum(from(6), window, to(9));
    });
}

/// The way back.
void spread_columns(const BoxPart& part, const Window& all, const float* columns, float* out)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), step = upright_channel(part);
    for_each_pair(part, all, [&](std::size_t x, const Window& window) {
        const auto from = [&](std::size_t c) {
            return Line{columns + upright_place(part, x * kLanes, 0) + c * step, kPair, step};
        };
        const auto to = [&](std::size_t c) { return LineOut{out + c * channel + x * kLanes, part.row, channel}; };
        kernel.spread(from(0), from(6), window, to(0));
        kernel.sum(from(3), window, to(3));
        kernel.sum(from(9), window, to(6));
    });
}

/// What one worker needs for the planes of a part.
struct PlaneRoom {
    PlaneRoom(const BoxClasses& classes, const BoxPart& part, BoxScratch& scratch)
        : columns_size((part.blocks_per_row() + 1) / 2 * 12 * upright_channel(part)),
          sliding(room(scratch.sliding, classes.gather().size() * 6 * plane_channel(part)) + part.pad),
          rows(room(scratch.rows, 9 * plane_channel(part)) + part.pad),
          back(room(scratch.back, 9 * plane_channel(part)) + part.pad),
          columns(room(scratch.columns, columns_size)),
          stretch(room(scratch.strip, row_scratch(longest_stretch(part)))),
          lines(room(scratch.lines, line_scratch(kLargestReach)))
    {
        clear_between_rows(part, back, 9);
    }
    std::size_t columns_size;
    float *sliding, *rows, *back, *columns, *stretch, *lines;
};

/// Column x of plane z.
BoxColumn column_of(const BoxClasses& classes, const BoxPart& part, int z, std::size_t x, const PlaneRoom& room)
{
    return {room.columns + upright_place(part, x * kLanes, 0),
            kPair,
            upright_channel(part),
            &classes.blocks()[part.block(0, z, x)],
            std::size_t(part.ny),
            float(classes.grid().cell())};
}

/// Sums of all regions of plane z, left in the columns; planes of a run follow each other from the first on.
void gather_plane(const BoxClasses& classes, std::size_t p, int z, bool first, BoxMemory::Part& memory,
                  const PlaneRoom& room)
{
    const BoxPart& part = classes.grid().parts()[p];
    const std::size_t channel = plane_channel(part);
    const bool single = classes.one_class();
    const std::uint32_t *const all_bits = classes.class_bits(p).data(), *const bits = all_bits + part.node(0, 0, z);
    const PlaneRow zeros{memory.zeros.data(), 0, single ? nullptr : memory.no_bits.data()};
    if (!classes.gather().front().everywhere) std::fill_n(room.columns, room.columns_size, 0.0f);
    for (std::size_t f = 0; f < classes.gather().size(); ++f) {
        const BoxFilter& filter = classes.gather()[f];
        const Reach w = classes.grid().levels()[filter.level];
        float* const sums = room.sliding + f * 6 * channel;
        if (first) clear_between_rows(part, sums, 6);
        for_each_stretch(part, [&](const Stretch& s) {
            const SlidingRow sliding{sums + s.begin, channel, s.length};
            const auto stretch_of = [&](int k) {
                return PlaneRow{memory.plane(part, k) + s.begin, channel,
                                single ? nullptr : all_bits + part.node(0, s.first_row, k), filter.in};
            };
            move_window(part, z, first, w[2], sliding, zeros, stretch_of, kernels().boxes.planes);
            sum_rows(sliding, w[0], room.rows + s.begin, room.stretch);
        });
        Window window{part.ny, w[1], room.lines};
        if (f > 0 || !filter.everywhere) window.out = {bits, part.row, filter.out};
        sum_columns(part, window, room.rows, room.columns);
        if (has_exceptions(part, filter))
            take_off_sums(part, filter, all_bits, z, memory.in_rows[f].data(), room.columns);
    }
}

}  // namespace

float* BoxMemory::Part::plane(const BoxPart& part, int z)
{
    return field.data() + std::size_t(z) * 3 * plane_channel(part) + part.pad;
}

float* BoxMemory::Part::sent_from(const BoxPart& part, int z, std::size_t filter)
{
    return sent.data() + std::size_t(z) * sent_plane + filter * kSent * plane_channel(part) + part.pad;
}

BoxMemory::BoxMemory(const BoxClasses& classes) : parts(classes.grid().parts().size())
{
    std::size_t planes = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        parts[p].first_plane = planes;
        planes += std::size_t(classes.grid().parts()[p].nz);
    }
    counts.resize(planes);
    fit(classes);
}

void BoxMemory::fit(const BoxClasses& classes)
{
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const BoxPart& part = classes.grid().parts()[p];
        Part& memory = parts[p];
        const auto nz = std::size_t(part.nz);
        room(memory.field, nz * 3 * plane_channel(part));
        memory.sent_plane = classes.spread().size() * kSent * plane_channel(part);
        room(memory.sent, nz * memory.sent_plane);
        memory.zeros.assign(longest_stretch(part) + part.pad, 0.0f);
        memory.no_bits.assign(memory.zeros.size(), 0u);
        const std::size_t entries = std::size_t(part.ny) * nz * (part.row + 1);
        const auto fit_rows = [&](std::span<const BoxFilter> of, std::size_t width, auto& rows) {
            if (rows.size() < of.size()) rows.resize(of.size());
            for (std::size_t f = 0; f < of.size(); ++f)
                if (has_exceptions(part, of[f])) room(rows[f], entries * width);
        };
        fit_rows(classes.gather(), kInRow, memory.in_rows);
        fit_rows(classes.spread(), kOutRow, memory.out_rows);
    }
}

void load_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory)
{
    for (std::size_t p = 0; p < memory.parts.size(); ++p) {
        const BoxPart& part = classes.grid().parts()[p];
        const float* at = positions + kPositionSize * middle_particle(part);
        memory.parts[p].origin = {at[0], at[1], at[2]};
    }
    const float* const masses = classes.shared_masses().data();
    for_each_slice(classes.grid(), planes_of, [&](std::size_t p, int z) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        float* const plane = mine.plane(part, z);
        for (int y = 0; y < part.ny; ++y)
            kernels().boxes.load_row(positions, part.particle.data() + part.node(0, y, z), masses, mine.origin,
                                     part.row - part.pad, plane + std::size_t(y) * part.row, plane_channel(part));
        for (std::size_t f = 0; f < classes.gather().size(); ++f)
            if (const BoxFilter& filter = classes.gather()[f]; has_exceptions(part, filter))
                sum_in_rows(part, z, plane, classes.class_bits(p).data() + part.node(0, 0, z), filter.in,
                            mine.in_rows[f].data());
    });
}

void find_moments(const BoxClasses& classes, BoxMemory& memory, RegionMoments* moments)
{
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        const PlaneRoom room(classes, part, memory.scratch.local());
        const auto [first, last] = runs.planes(part, run);
        for (int z = first; z < last; ++z) {
            gather_plane(classes, p, z, z == first, memory.parts[p], room);
            for (std::size_t x = 0; x < part.blocks_per_row(); ++x)
                kernels().boxes.moments(column_of(classes, part, z, x, room), moments + part.block(0, z, x));
        }
    });
}

RotateCount rotate_planes(const BoxClasses& classes, const BoxShapes& shapes, float* turns, BoxMemory& memory)
{
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        const PlaneRoom room(classes, part, memory.scratch.local());
        const bool single = classes.one_class();
        const auto [first, last] = runs.planes(part, run);
        for (int z = first; z < last; ++z) {
            const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, 0, z);
            if (!shapes.moments) gather_plane(classes, p, z, z == first, mine, room);
            RotateCount& count = memory.counts[mine.first_plane + std::size_t(z)];
            count = {};
            for (std::size_t x = 0; x < part.blocks_per_row(); ++x) {
                const std::size_t block = part.block(0, z, x);
                const RotateCount found = kernels().boxes.rotate(column_of(classes, part, z, x, room),
                                                                 shapes.from(block), turns + block * kTurnSize);
                count.inverted += found.inverted;
                count.robust += found.robust;
            }
            for (std::size_t f = 0; f < classes.spread().size(); ++f) {
                const BoxFilter& filter = classes.spread()[f];
                const Reach w = classes.grid().levels()[filter.level];
                if (has_exceptions(part, filter))
                    sum_out_rows(part, z, room.columns, bits, filter.in, mine.out_rows[f].data());
                Window window{part.ny, w[1], room.lines};
                if (!single) window.in = {bits, part.row, filter.in};
                spread_columns(part, window, room.columns, room.back);
                spread_rows(part, w[0], room.back, mine.sent_from(part, z, f), room.stretch);
            }
        }
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
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        BoxScratch& scratch = memory.scratch.local();
        const BoxKernels& kernel = kernels().boxes;
        const std::size_t channel = plane_channel(part);
        float* const sliding = room(scratch.sliding, classes.spread().size() * 6 * channel) + part.pad;
        float* const all = room(scratch.rows, 3 * channel);
        const PlaneRow zeros{mine.zeros.data(), 0};
        const auto [first, last] = runs.planes(part, run);
        for (int z = first; z < last; ++z)
            for_each_stretch(part, [&, first = first](const Stretch& s) {
                const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, s.first_row, z);
                const SlidingRow sum{all, channel, s.length};
                const float* result = sum.data;
                for (std::size_t f = 0; f < classes.spread().size(); ++f) {
                    const BoxFilter& filter = classes.spread()[f];
                    const SlidingRow sums{sliding + f * 6 * channel + s.begin, channel, s.length};
                    const auto stretch_of = [&](int k) {
                        return PlaneRow{mine.sent_from(part, k, f) + s.begin, channel};
                    };
                    move_window(part, z, z == first, classes.grid().levels()[filter.level][2], sums, zeros, stretch_of,
                                kernel.planes_back);
                    // A window that slides keeps its sums: what is added or taken off goes to a copy.
                    const bool alone = classes.one_class() && !has_exceptions(part, filter);
                    if (alone) {
                        result = sums.data;
                        continue;
                    }
                    if (f == 0)
                        for (std::size_t c = 0; c < 3; ++c)
                            filter.everywhere ? (void)std::copy_n(sums.data + c * channel, s.length, all + c * channel)
                                              : (void)std::fill_n(all + c * channel, s.length, 0.0f);
                    if (f > 0 || !filter.everywhere) kernel.add_chosen({sums.data, channel, bits, filter.out}, sum);
                    if (!has_exceptions(part, filter)) continue;
                    for (int y = 0; y < s.rows; ++y)
                        for (int x = 0; x < part.nx; ++x)
                            if (const std::size_t at = part.node(x, y, 0); bits[at] & filter.out)
                                take_off_ways(part, filter, x, s.first_row + y, z, mine.out_rows[f].data(), all + at,
                                              channel);
                }
                for (int y = 0; y < s.rows; ++y)
                    kernel.store_row(result + std::size_t(y) * part.row, channel,
                                     part.particle.data() + part.node(0, s.first_row + y, z), positions,
                                     classes.weight_sums().data(), classes.shares().data(), mine.origin,
                                     part.row - part.pad, ways);
            });
    });
}

}  // namespace yawara::matching
