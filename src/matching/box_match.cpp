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

float middle_of_row(const BoxPart& part)
{
    return 0.5f * float(part.nx);
}

/// Nodes of rows of plane z that a filter goes out to, with their exceptions; `sums` are along rows.
PlaneRuns runs_of_rows(const BoxPart& part, const BoxFilter& filter, const std::uint32_t* bits, RowRange rows, int z,
                       const float* sums)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const std::size_t first = part.node(0, rows.first, z);
    const auto begin = std::lower_bound(e.nodes.begin(), e.nodes.end(), first);
    const auto end = std::lower_bound(begin, e.nodes.end(), part.node(0, rows.last, z));
    return {e.nodes.data() + (begin - e.nodes.begin()),
            std::size_t(end - begin),
            e.offsets.data(),
            e.runs.data(),
            sums,
            bits,
            filter.out,
            first,
            part.row,
            middle_of_row(part)};
}

/// Calls body(x, y, nodes, entry) for the segments of plane z.
template <class Body>
void for_each_segment(const BoxPart& part, const BoxFilter& filter, int z, const Body& body)
{
    const BoxPart::Exceptions& e = part.exceptions[filter.level];
    const auto before = [](const BoxPart::Exceptions::Segment& s, std::size_t node) { return s.node < node; };
    const std::size_t first = part.node(0, 0, z), end = part.node(0, 0, z + 1);
    for (auto s = std::lower_bound(e.segments.begin(), e.segments.end(), first, before);
         s != e.segments.end() && s->node < end; ++s)
        body((s->node - first) % part.row, (s->node - first) / part.row, std::size_t(s->length), std::size_t(s->entry));
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
void spread_rows(const BoxPart& part, RowRange rows, int width, const float* in, float* out)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), begin = std::size_t(rows.first) * part.row;
    const std::size_t n = std::size_t(rows.count()) * part.row;
    in += begin, out += begin;
    kernel.row_spread({in, channel}, width, part.row, {out, channel, n});
    kernel.row_sum({in + 6 * channel, channel}, width, part.row, {out + 3 * channel, channel, n});
}

/// The window along y of entries that are the rows `in`, about the rows `out`.
Window window_of(RowRange in, RowRange out, int width, float* scratch)
{
    Window window{in.count(), width, scratch};
    window.sixteen = true;
    window.skip_first = out.first - in.first, window.skip_last = in.last - out.last;
    return window;
}

/// Sums along y of a strip: s, and moments along x and z, become s and moments along x, y and z. The first entry of
/// the window is the row `first`.
void sum_strip(const BoxPart& part, const Strip& strip, int first, const Window& window, const float* in,
               float* columns)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), step = upright_channel(part);
    in += std::size_t(first) * part.row + strip.begin, columns += std::size_t(first) * kPair;
    const auto from = [&](std::size_t c) { return Line{in + c * channel, part.row, channel}; };
    const auto to = [&](std::size_t c) { return LineOut{columns + c * step, kPair, step}; };
    kernel.moment(from(0), window, to(0), to(6));
    kernel.sum(from(3), window, to(3));
    kernel.sum(from(6), window, to(9));
}

/// The way back.
void spread_strip(const BoxPart& part, const Strip& strip, int first, const Window& window, const float* columns,
                  float* out)
{
    const BoxKernels& kernel = kernels().boxes;
    const std::size_t channel = plane_channel(part), step = upright_channel(part);
    out += std::size_t(first) * part.row + strip.begin, columns += std::size_t(first) * kPair;
    const auto from = [&](std::size_t c) { return Line{columns + c * step, kPair, step}; };
    const auto to = [&](std::size_t c) { return LineOut{out + c * channel, part.row, channel}; };
    kernel.spread(from(0), from(6), window, to(0));
    kernel.sum(from(3), window, to(3));
    kernel.sum(from(9), window, to(6));
}

/// Moments of a block without regions, as the kernels give them to lanes without one.
RegionMoments of_nobody()
{
    RegionMoments moments{};
    for (std::size_t e = 0; e < 9; e += 4) std::fill_n(moments.A[e], kLanes, 1.0f);
    return moments;
}

/// What one worker needs for the planes of a part.
struct PlaneRoom {
    PlaneRoom(const BoxPart& part, std::size_t filters, BoxScratch& scratch)
        : columns_size(part.blocks_per_row() / 2 * strip_size(part)),
          rows_size(9 * plane_channel(part)),
          rows(room(scratch.rows, filters * rows_size)),
          columns(room(scratch.columns, columns_size)),
          lines(room(scratch.lines, line_scratch(kLargestReach)))
    {
    }
    std::size_t columns_size, rows_size;
    float* rows;     ///< filter by filter: sums along z and x; on the way back, what was spread along y
    float* columns;  ///< strip by strip
    float* lines;

    float* columns_of(const BoxPart& part, const Strip& strip) const
    {
        return columns + strip.begin / kPair * strip_size(part);
    }
    float* rows_of(std::size_t filter) const { return rows + filter * rows_size; }
    static std::size_t strip_size(const BoxPart& part) { return 12 * upright_channel(part); }
};

/// Column of one block of a strip of plane z, in the rows with particles.
BoxColumn column_of(const BoxClasses& classes, const BoxPart& part, int z, const Strip& strip, std::size_t k,
                    const PlaneRoom& room)
{
    const RowRange rows = rows_of(part, z);
    return {room.columns_of(part, strip) + std::size_t(rows.first) * kPair + k * kLanes,
            kPair,
            upright_channel(part),
            &classes.blocks()[part.block(rows.first, z, strip.begin / kLanes + k)],
            std::size_t(rows.count()),
            float(classes.grid().cell())};
}

/// The rows in which a window that slides over planes [first, last) is ever looked at.
template <class Rows>
RowRange rows_of_run(std::pair<int, int> planes, const Rows& rows)
{
    RowRange all = rows(planes.first);
    for (int z = planes.first + 1; z < planes.second; ++z)
        all = {std::min(all.first, rows(z).first), std::max(all.last, rows(z).last)};
    return all;
}

/// Sums of all regions of plane z of a run of planes, left in the columns; planes follow each other from the first on.
void gather_plane(const BoxClasses& classes, std::size_t p, int z, std::pair<int, int> run, BoxMemory::Part& memory,
                  const SlidingSums& sums, const PlaneRoom& room)
{
    const BoxPart& part = classes.grid().parts()[p];
    const bool single = classes.one_class();
    const std::uint32_t* const bits = classes.class_bits(p).data();
    const PlaneRow zeros{memory.zeros.data(), 0, single ? nullptr : memory.no_bits.data()};
    const RowRange own = rows_of(part, z);
    if (!classes.gather().front().everywhere) std::fill_n(room.columns, room.columns_size, 0.0f);
    for (std::size_t f = 0; f < classes.gather().size(); ++f) {
        const BoxFilter& filter = classes.gather()[f];
        const Reach w = classes.grid().levels()[filter.level];
        const RowRange near = rows_near(part, z, filter.level);
        const RowRange kept =
            slides(w[2]) ? rows_of_run(run, [&](int k) { return rows_near(part, k, filter.level); }) : near;
        for_each_row_span(part, kept, [&](const RowSpan& s) {
            const SlidingRow sliding = sums.of(f, s, w[2]);
            const auto stretch_of = [&](int k) {
                return PlaneRow{memory.plane(part, k) + s.begin, plane_channel(part),
                                single ? nullptr : bits + part.node(0, s.first_row, k), filter.in};
            };
            move_window(part, z, z == run.first, w[2], sliding, zeros, stretch_of, kernels().boxes.planes);
            const RowRange wanted{std::max(s.first_row, near.first), std::min(s.first_row + s.rows, near.last)};
            if (wanted.count() <= 0) return;
            const std::size_t skipped = std::size_t(wanted.first - s.first_row) * part.row;
            sum_rows(part, {sliding.data + skipped, sliding.channel, std::size_t(wanted.count()) * part.row}, w[0],
                     room.rows_of(f) + s.begin + skipped);
        });
    }
    // Strip by strip for all filters: it stays in the first cache.
    for_each_strip(part, [&](const Strip& strip) {
        for (std::size_t f = 0; f < classes.gather().size(); ++f) {
            const BoxFilter& filter = classes.gather()[f];
            const Reach w = classes.grid().levels()[filter.level];
            const RowRange near = rows_near(part, z, filter.level);
            Window window = window_of(near, own, w[1], room.lines);
            if (f > 0 || !filter.everywhere)
                window.out = {bits + part.node(0, near.first, z) + strip.begin, part.row, filter.out};
            sum_strip(part, strip, near.first, window, room.rows_of(f), room.columns_of(part, strip));
        }
    });
    for (std::size_t f = 0; f < classes.gather().size(); ++f)
        if (const BoxFilter& filter = classes.gather()[f]; has_exceptions(part, filter))
            kernels().boxes.take_off_sums(runs_of_rows(part, filter, bits, {0, part.ny}, z, memory.in_rows[f].data()),
                                          room.columns, upright_channel(part), room.strip_size(part));
}

/// The sums along rows of what the regions of plane z send out, for the exceptions.
void sum_sent_rows(const BoxPart& part, const BoxFilter& filter, int z, const std::uint32_t* bits,
                   const PlaneRoom& room, float* sums)
{
    for_each_segment(part, filter, z, [&](std::size_t begin, std::size_t y, std::size_t nodes, std::size_t entry) {
        for (std::size_t x = begin; x < begin + nodes;) {  // strip by strip
            const std::size_t lane = x % kPair, n = std::min(kPair - lane, begin + nodes - x);
            const float* const from = room.columns_of(part, {x - lane, 0}) + y * kPair + lane;
            kernels().boxes.sum_out_row({from, upright_channel(part), bits + y * part.row + x, filter.in}, n,
                                        middle_of_row(part) - float(x), x > begin,
                                        sums + (entry + x - begin) * kOutRow);
            x += n;
        }
    });
}

/// Rotations of plane z from the sums in the columns, and what its regions send out, spread along y and x.
RotateCount rotate_plane(const BoxClasses& classes, std::size_t p, int z, const BoxShapes& shapes, float* rotations,
                         BoxMemory::Part& memory, const PlaneRoom& room)
{
    const BoxPart& part = classes.grid().parts()[p];
    const std::uint32_t* const bits = classes.class_bits(p).data() + part.node(0, 0, z);
    const RowRange own = rows_of(part, z);
    RotateCount count;
    for_each_strip(part, [&](const Strip& strip) {
        for (std::size_t k = 0; k < 2; ++k) {
            const std::size_t block = part.block(own.first, z, strip.begin / kLanes + k);
            const RotateCount found = kernels().boxes.rotate(column_of(classes, part, z, strip, k, room),
                                                             shapes.from(block), rotations + block * kRotationSize);
            count.inverted += found.inverted;
            count.robust += found.robust;
        }
        for (std::size_t f = 0; f < classes.spread().size(); ++f) {
            const BoxFilter& filter = classes.spread()[f];
            const Reach w = classes.grid().levels()[filter.level];
            Window window = window_of(own, rows_near(part, z, filter.level), w[1], room.lines);
            if (!classes.one_class())
                window.in = {bits + std::size_t(own.first) * part.row + strip.begin, part.row, filter.in};
            spread_strip(part, strip, own.first, window, room.columns_of(part, strip), room.rows_of(f));
        }
    });
    for (std::size_t f = 0; f < classes.spread().size(); ++f) {
        const BoxFilter& filter = classes.spread()[f];
        const Reach w = classes.grid().levels()[filter.level];
        if (has_exceptions(part, filter)) sum_sent_rows(part, filter, z, bits, room, memory.out_rows[f].data());
        spread_rows(part, rows_near(part, z, filter.level), w[0], room.rows_of(f), memory.sent_from(part, z, f));
    }
    return count;
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
        std::fill(memory.sent.begin(), memory.sent.end(), 0.0f);  // rows that nothing is ever sent to
        memory.zeros.assign(longest_row_span(part), 0.0f);
        memory.no_bits.assign(memory.zeros.size(), 0u);
        const auto fit_rows = [&](std::span<const BoxFilter> of, std::size_t width, auto& rows) {
            if (rows.size() < of.size()) rows.resize(of.size());
            for (std::size_t f = 0; f < of.size(); ++f) room(rows[f], part.exceptions[of[f].level].entry_count * width);
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
        for (int y = rows_of(part, z).first; y < rows_of(part, z).last; ++y)
            kernels().boxes.load_row(positions, part.particle.data() + part.node(0, y, z), masses, mine.origin,
                                     part.row, plane + std::size_t(y) * part.row, plane_channel(part));
        for (std::size_t f = 0; f < classes.gather().size(); ++f)
            if (const BoxFilter& filter = classes.gather()[f]; has_exceptions(part, filter))
                for_each_segment(
                    part, filter, z, [&](std::size_t x, std::size_t y, std::size_t nodes, std::size_t entry) {
                        const std::size_t at = y * part.row + x;
                        kernels().boxes.sum_in_row({plane + at, plane_channel(part),
                                                    classes.class_bits(p).data() + part.node(0, 0, z) + at, filter.in},
                                                   nodes, middle_of_row(part) - float(x),
                                                   mine.in_rows[f].data() + entry * kInRow);
                    });
    });
}

void find_moments(const BoxClasses& classes, BoxMemory& memory, RegionMoments* moments)
{
    const Runs runs(classes);
    for_each_slice(classes.grid(), runs, [&](std::size_t p, int run) {
        const BoxPart& part = classes.grid().parts()[p];
        BoxScratch& scratch = memory.scratch.local();
        const PlaneRoom room(part, std::max(classes.gather().size(), classes.spread().size()), scratch);
        const SlidingSums sums(part, classes.gather().size(), scratch);
        const std::pair<int, int> planes = runs.planes(part, run);
        for (int z = planes.first; z < planes.second; ++z) {
            gather_plane(classes, p, z, planes, memory.parts[p], sums, room);
            const RowRange rows = rows_of(part, z);
            for_each_strip(part, [&](const Strip& strip) {
                for (std::size_t k = 0; k < 2; ++k) {
                    RegionMoments* const column = moments + part.block(0, z, strip.begin / kLanes + k);
                    std::fill(column, column + rows.first, of_nobody());
                    kernels().boxes.moments(column_of(classes, part, z, strip, k, room), column + rows.first);
                    std::fill(column + rows.last, column + part.ny, of_nobody());
                }
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
        const PlaneRoom room(part, std::max(classes.gather().size(), classes.spread().size()), scratch);
        const SlidingSums sums(part, classes.gather().size(), scratch);
        const std::pair<int, int> planes = runs.planes(part, run);
        for (int z = planes.first; z < planes.second; ++z) {
            if (!shapes.moments) gather_plane(classes, p, z, planes, mine, sums, room);
            memory.counts[mine.first_plane + std::size_t(z)] =
                rotate_plane(classes, p, z, shapes, rotations, mine, room);
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
        const std::pair<int, int> planes = runs.planes(part, run);
        const RowRange kept = rows_of_run(planes, [&](int k) { return rows_of(part, k); });
        const bool any_slides = std::any_of(classes.spread().begin(), classes.spread().end(), [&](const BoxFilter& f) {
            return slides(classes.grid().levels()[f.level][2]);
        });
        for (int z = planes.first; z < planes.second; ++z)
            for_each_row_span(part, any_slides ? kept : rows_of(part, z), [&](const RowSpan& s) {
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
                    move_window(part, z, z == planes.first, width, sums, zeros, stretch_of, kernel.planes_back);
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
                    if (has_exceptions(part, filter))
                        kernel.take_off_displacements(
                            runs_of_rows(part, filter, classes.class_bits(p).data(),
                                         {s.first_row, s.first_row + s.rows}, z, mine.out_rows[f].data()),
                            all, channel);
                }
                const RowRange own = rows_of(part, z);
                for (int y = std::max(s.first_row, own.first); y < std::min(s.first_row + s.rows, own.last); ++y)
                    kernel.store_row(result.data + std::size_t(y - s.first_row) * part.row, result.channel,
                                     part.particle.data() + part.node(0, y, z), positions, classes.weight_sums().data(),
                                     classes.shares().data(), mine.origin, part.row, displacements);
            });
    });
}

}  // namespace yawara::matching
