#include "matching/box_match.h"

#include <algorithm>

#include "matching/box_slices.h"

namespace yawara::matching {
namespace {

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

/// Where the sums along row y of plane z begin, for the exceptions; Size: floats an entry.
template <std::size_t Size>
std::size_t row_sums_at(const BoxPart& part, int y, int z)
{
    return (std::size_t(z) * std::size_t(part.ny) + std::size_t(y)) * (part.row + 1) * Size;
}
float middle_of_row(const BoxPart& part)
{
    return 0.5f * float(part.nx);
}

/// Nodes [begin, end) of row y of plane z that a filter goes out to, with their exceptions; `rows` are the sums along
/// all rows.
template <std::size_t Size>
RowRuns runs_of_row(const BoxPart& part, const BoxFilter& filter, const std::uint32_t* bits, int y, int z,
                    const Strip& nodes, const float* rows)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t row = part.node(0, y, z);
    return {e.offsets.data() + row,
            e.runs.data(),
            bits + row,
            filter.out,
            nodes.begin,
            nodes.end,
            rows + row_sums_at<Size>(part, y, z),
            std::ptrdiff_t(row_sums_at<Size>(part, 1, 0)),
            std::ptrdiff_t(row_sums_at<Size>(part, 0, 1)),
            middle_of_row(part)};
}

/// Windows of three planes are summed anew; others slide.
bool slides(int width)
{
    return width != 1;
}

/// Sums along z: those of windows that slide are kept for the next plane, others only for their stretch.
class SlidingSums {
public:
    SlidingSums(const BoxPart& part, std::size_t filters, BoxScratch& scratch)
        : channel_(plane_channel(part)),
          short_channel_(longest_row_span(part) + kChannelPad),
          kept_(room(scratch.sliding, filters * 6 * channel_)),
          short_(room(scratch.strip, 6 * short_channel_))
    {
    }
    SlidingRow of(std::size_t filter, const RowSpan& s, int width) const
    {
        if (slides(width)) return {kept_ + filter * 6 * channel_ + s.begin, channel_, s.length};
        return {short_, short_channel_, s.length};
    }

private:
    std::size_t channel_, short_channel_;
    float *kept_, *short_;
};

/// Moves a window along z by a plane, in a stretch of rows. `stretch_of(k)` gives the stretch of plane k; beyond the
/// ends there are zeros.
template <class StretchOf>
void move_window(const BoxPart& part, int z, bool first, int width, const SlidingRow& sums, const PlaneRow& zeros,
                 const StretchOf& stretch_of, const PlaneKernels& kernel)
{
    const auto plane = [&](int k) { return k >= 0 && k < part.nz ? stretch_of(k) : zeros; };
    if (!slides(width)) {
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
void sum_rows(const BoxPart& part, const SlidingRow& in, int width, float* out)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part);
    kernel.row_moment({in.data, in.channel}, width, part.row, {out, channel, in.n});
    kernel.row_sum({in.data + 3 * in.channel, in.channel}, width, part.row, {out + 6 * channel, channel, in.n});
}

/// The way back: p, and F along x and z, become p and F along z.
void spread_rows(const BoxPart& part, int width, const float* in, float* out)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), n = std::size_t(part.ny) * part.row;
    kernel.row_spread({in, channel}, width, part.row, {out, channel, n});
    kernel.row_sum({in + 6 * channel, channel}, width, part.row, {out + 3 * channel, channel, n});
}

/// Sums along y of a strip: s, and moments along x and z, become s and moments along x, y and z.
void sum_strip(const BoxPart& part, const Strip& strip, const Window& window, const float* in, float* columns)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), step = upright_channel(part);
    const auto from = [&](std::size_t c) { return Line{in + c * channel + strip.begin, part.row, channel}; };
    const auto to = [&](std::size_t c) { return LineOut{columns + c * step, kPair, step}; };
    kernel.moment(from(0), window, to(0), to(6));
    kernel.sum(from(3), window, to(3));
    kernel.sum(from(6), window, to(9));
}

/// The way back.
void spread_strip(const BoxPart& part, const Strip& strip, const Window& window, const float* columns, float* out)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), step = upright_channel(part);
    const auto from = [&](std::size_t c) { return Line{columns + c * step, kPair, step}; };
    const auto to = [&](std::size_t c) { return LineOut{out + c * channel + strip.begin, part.row, channel}; };
    kernel.spread(from(0), from(6), window, to(0));
    kernel.sum(from(3), window, to(3));
    kernel.sum(from(9), window, to(6));
}

/// What one worker needs for the planes of a part.
struct PlaneRoom {
    PlaneRoom(const BoxPart& part, BoxScratch& scratch)
        : columns_size(part.blocks_per_row() / 2 * 12 * upright_channel(part)),
          rows(room(scratch.rows, 9 * plane_channel(part))),
          columns(room(scratch.columns, columns_size)),
          lines(room(scratch.lines, line_scratch(kLargestReach)))
    {
    }
    std::size_t columns_size;
    float* rows;     ///< sums along z and x; on the way back, what was spread along y
    float* columns;  ///< strip by strip
    float* lines;

    float* columns_of(const BoxPart& part, const Strip& strip) const
    {
        return columns + strip.begin / kPair * 12 * upright_channel(part);
    }
};

/// Column of one block of a strip of plane z.
BoxColumn column_of(const BoxClasses& classes, const BoxPart& part, int z, const Strip& strip, std::size_t k,
                    const PlaneRoom& room)
{
    return {room.columns_of(part, strip) + k * kLanes,
            kPair,
            upright_channel(part),
            &classes.blocks()[part.block(0, z, strip.begin / kLanes + k)],
            std::size_t(part.ny),
            float(classes.grid().cell())};
}

/// Sums of all regions of plane z, left in the columns; planes of a run follow each other from the first on.
void gather_plane(const BoxClasses& classes, std::size_t p, int z, bool first, BoxMemory::Part& memory,
                  const SlidingSums& sums, const PlaneRoom& room)
{
    const BoxPart& part = classes.grid().parts()[p];
    const bool single = classes.one_class();
    const std::uint32_t* const bits = classes.class_bits(p).data();
    const PlaneRow zeros{memory.zeros.data(), 0, single ? nullptr : memory.no_bits.data()};
    if (!classes.gather().front().everywhere) std::fill_n(room.columns, room.columns_size, 0.0f);
    for (std::size_t f = 0; f < classes.gather().size(); ++f) {
        const BoxFilter& filter = classes.gather()[f];
        const Reach w = classes.grid().levels()[filter.level];
        for_each_row_span(part, [&](const RowSpan& s) {
            const SlidingRow sliding = sums.of(f, s, w[2]);
            const auto stretch_of = [&](int k) {
                return PlaneRow{memory.plane(part, k) + s.begin, plane_channel(part),
                                single ? nullptr : bits + part.node(0, s.first_row, k), filter.in};
            };
            move_window(part, z, first, w[2], sliding, zeros, stretch_of, kernels().boxes.planes);
            sum_rows(part, sliding, w[0], room.rows + s.begin);
        });
        for_each_strip(part, [&](const Strip& strip) {
            Window window{part.ny, w[1], room.lines};
            window.sixteen = true;
            if (f > 0 || !filter.everywhere)
                window.out = {bits + part.node(0, 0, z) + strip.begin, part.row, filter.out};
            sum_strip(part, strip, window, room.rows, room.columns_of(part, strip));
            if (has_exceptions(part, filter))
                for (int y = 0; y < part.ny; ++y)
                    kernels().boxes.take_off_sums(
                        runs_of_row<kInRow>(part, filter, bits, y, z, strip, memory.in_rows[f].data()),
                        room.columns_of(part, strip) + std::size_t(y) * kPair, upright_channel(part));
        });
    }
}

/// What the regions of plane z send out, spread along y and x.
void send_plane(const BoxClasses& classes, std::size_t p, int z, BoxMemory::Part& memory, const PlaneRoom& room)
{
    const BoxPart& part = classes.grid().parts()[p];
    const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, 0, z);
    for (std::size_t f = 0; f < classes.spread().size(); ++f) {
        const BoxFilter& filter = classes.spread()[f];
        const Reach w = classes.grid().levels()[filter.level];
        for_each_strip(part, [&](const Strip& strip) {
            const float* const columns = room.columns_of(part, strip);
            if (has_exceptions(part, filter))
                for (int y = 0; y < part.ny; ++y)
                    kernels().boxes.sum_out_row({columns + std::size_t(y) * kPair, upright_channel(part),
                                                 bits + std::size_t(y) * part.row + strip.begin, filter.in},
                                                strip.begin, strip.end, middle_of_row(part),
                                                memory.out_rows[f].data() + row_sums_at<kOutRow>(part, y, z));
            Window window{part.ny, w[1], room.lines};
            window.sixteen = true;
            if (!classes.one_class()) window.in = {bits + strip.begin, part.row, filter.in};
            spread_strip(part, strip, window, columns, room.rows);
        });
        spread_rows(part, w[0], room.rows, memory.sent_from(part, z, f));
    }
}

}  // namespace

float* BoxMemory::Part::plane(const BoxPart& part, int z)
{
    return field.data() + std::size_t(z) * 3 * plane_channel(part);
}

float* BoxMemory::Part::sent_from(const BoxPart& part, int z, std::size_t filter)
{
    return sent.data() + std::size_t(z) * sent_plane + filter * kSent * plane_channel(part);
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
        memory.zeros.assign(longest_row_span(part), 0.0f);
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
        // Between the first particle and the last, the middle of a box: what rounding does to one half the other takes
        // back.
        const auto present = [](std::int32_t i) { return i >= 0; };
        const auto first = std::find_if(part.particle.begin(), part.particle.end(), present);
        const auto last = std::find_if(part.particle.rbegin(), part.particle.rend(), present);
        const float *a = positions + kPositionSize * std::size_t(*first),
                    *b = positions + kPositionSize * std::size_t(*last);
        memory.parts[p].origin = Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} * 0.5f;
    }
    const float* const masses = classes.shared_masses().data();
    for_each_slice(classes.grid(), planes_of, [&](std::size_t p, int z) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        float* const plane = mine.plane(part, z);
        for (int y = 0; y < part.ny; ++y)
            kernels().boxes.load_row(positions, part.particle.data() + part.node(0, y, z), masses, mine.origin,
                                     part.row, plane + std::size_t(y) * part.row, plane_channel(part));
        for (std::size_t f = 0; f < classes.gather().size(); ++f)
            if (const BoxFilter& filter = classes.gather()[f]; has_exceptions(part, filter))
                for (int y = 0; y < part.ny; ++y)
                    kernels().boxes.sum_in_row({plane + std::size_t(y) * part.row, plane_channel(part),
                                                classes.class_bits(p).data() + part.node(0, y, z), filter.in},
                                               std::size_t(part.nx), middle_of_row(part),
                                               mine.in_rows[f].data() + row_sums_at<kInRow>(part, y, z));
    });
}

void find_moments(const BoxClasses& classes, BoxMemory& memory, RegionMoments* moments)
{
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxScratch& scratch = memory.scratch.local();
        const PlaneRoom room(part, scratch);
        const SlidingSums sums(part, classes.gather().size(), scratch);
        const auto [first, last] = runs.planes(part, run);
        for (int z = first; z < last; ++z) {
            gather_plane(classes, p, z, z == first, memory.parts[p], sums, room);
            for_each_strip(part, [&, z](const Strip& strip) {
                for (std::size_t k = 0; k < 2; ++k)
                    kernels().boxes.moments(column_of(classes, part, z, strip, k, room),
                                            moments + part.block(0, z, strip.begin / kLanes + k));
            });
        }
    });
}

RotateCount rotate_planes(const BoxClasses& classes, const BoxShapes& shapes, float* rotations, BoxMemory& memory)
{
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        BoxScratch& scratch = memory.scratch.local();
        const PlaneRoom room(part, scratch);
        const SlidingSums sums(part, classes.gather().size(), scratch);
        const auto [first, last] = runs.planes(part, run);
        for (int z = first; z < last; ++z) {
            if (!shapes.moments) gather_plane(classes, p, z, z == first, mine, sums, room);
            RotateCount& count = memory.counts[mine.first_plane + std::size_t(z)];
            count = {};
            for_each_strip(part, [&, z](const Strip& strip) {
                for (std::size_t k = 0; k < 2; ++k) {
                    const std::size_t block = part.block(0, z, strip.begin / kLanes + k);
                    const RotateCount found =
                        kernels().boxes.rotate(column_of(classes, part, z, strip, k, room), shapes.from(block),
                                               rotations + block * kRotationSize);
                    count.inverted += found.inverted;
                    count.robust += found.robust;
                }
            });
            send_plane(classes, p, z, mine, room);
        }
    });
    RotateCount sum;
    for (const RotateCount& c : memory.counts) {
        sum.inverted += c.inverted;
        sum.robust += c.robust;
    }
    return sum;
}

void spread_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory, Vec3* displacements)
{
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxMemory::Part& mine = memory.parts[p];
        BoxScratch& scratch = memory.scratch.local();
        const BoxKernels& kernel = kernels().boxes;
        const std::size_t channel = plane_channel(part);
        SlidingSums sliding(part, classes.spread().size(), scratch);
        float* const all = room(scratch.rows, 3 * channel);
        const PlaneRow zeros{mine.zeros.data(), 0};
        const auto [first, last] = runs.planes(part, run);
        for (int z = first; z < last; ++z)
            for_each_row_span(part, [&](const RowSpan& s) {
                const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, s.first_row, z);
                const SlidingRow sum{all, channel, s.length};
                SlidingRow result = sum;
                for (std::size_t f = 0; f < classes.spread().size(); ++f) {
                    const BoxFilter& filter = classes.spread()[f];
                    const int width = classes.grid().levels()[filter.level][2];
                    const SlidingRow sums = sliding.of(f, s, width);
                    const auto stretch_of = [&](int k) {
                        return PlaneRow{mine.sent_from(part, k, f) + s.begin, channel};
                    };
                    move_window(part, z, z == first, width, sums, zeros, stretch_of, kernel.planes_back);
                    // A window that slides keeps its sums: what is added or taken off goes to a copy.
                    const bool alone = classes.one_class() && !has_exceptions(part, filter);
                    if (alone) {
                        result = sums;
                        continue;
                    }
                    if (f == 0)
                        for (std::size_t c = 0; c < 3; ++c)
                            filter.everywhere
                                ? (void)std::copy_n(sums.data + c * sums.channel, s.length, all + c * channel)
                                : (void)std::fill_n(all + c * channel, s.length, 0.0f);
                    if (f > 0 || !filter.everywhere)
                        kernel.add_chosen({sums.data, sums.channel, bits, filter.out}, sum);
                    if (!has_exceptions(part, filter)) continue;
                    for (int y = 0; y < s.rows; ++y)
                        kernel.take_off_displacements(
                            runs_of_row<kOutRow>(part, filter, classes.class_bits(p).data(), s.first_row + y, z,
                                                 {0, std::size_t(part.nx)}, mine.out_rows[f].data()),
                            all + std::size_t(y) * part.row, channel);
                }
                for (int y = 0; y < s.rows; ++y)
                    kernel.store_row(result.data + std::size_t(y) * part.row, result.channel,
                                     part.particle.data() + part.node(0, s.first_row + y, z), positions,
                                     classes.weight_sums().data(), classes.shares().data(), mine.origin, part.row,
                                     displacements);
            });
    });
}

}  // namespace yawara::matching
