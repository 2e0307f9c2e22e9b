// The kernels of box_kernels.h for regions that are not boxes: running sums along rows, and runs of them taken off.
// Triples are stored as fours.

inline void store4(float* p, f4 v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline f4 four(const float* values, std::size_t channel)
{
    return f4{values[0], values[channel], values[2 * channel], 0};
}

void box_sum_in_row(const PlaneRow& in, std::size_t n, float middle, float* out)
{
    f4 s{}, m{};
    for (std::size_t x = 0;; ++x, out += kInRow) {
        store4(out, s);
        store4(out + 4, m);
        if (x == n) break;
        if (!(in.bits[x] & in.set)) continue;
        const f4 v = four(in.data + x, in.channel);
        s += v;
        m += v * (float(x) - middle);
    }
}

void box_sum_out_row(const PlaneRow& in, std::size_t begin, std::size_t end, float middle, float* out)
{
    out += begin * kOutRow;
    f4 p{}, f[3]{};
    if (begin > 0) {
        p = load4(out);
        for (std::size_t axis = 0; axis < 3; ++axis) f[axis] = load4(out + 4 + 4 * axis);
    }
    for (std::size_t x = begin;; ++x, out += kOutRow) {
        store4(out, p);
        for (std::size_t axis = 0; axis < 3; ++axis) store4(out + 4 + 4 * axis, f[axis]);
        if (x == end) break;
        if (!(in.bits[x - begin] & in.set)) continue;
        const float* const values = in.data + (x - begin);
        const f4 along_x = four(values + 3 * in.channel, in.channel);
        p += four(values, in.channel) - along_x * (float(x) - middle);
        f[0] += along_x;
        f[1] += four(values + 6 * in.channel, in.channel);
        f[2] += four(values + 9 * in.channel, in.channel);
    }
}

/// Calls each(run, where it begins, where it ends) for the runs of node x; Size: floats an entry.
template <std::size_t Size, class Each>
inline void for_each_run(const RowRuns& row, std::size_t x, const Each& each)
{
    for (std::uint32_t k = row.offsets[x]; k < row.offsets[x + 1]; ++k) {
        const Run& run = row.runs[k];
        const float* const sums = row.sums + run.dz * row.plane + run.dy * row.row;
        each(run, sums + std::size_t(run.begin) * Size, sums + std::size_t(run.end) * Size);
    }
}

void box_take_off_sums(const RowRuns& row, float* sums, std::size_t channel)
{
    for (std::size_t x = row.begin; x < row.end; ++x, ++sums) {
        if (!(row.bits[x] & row.set) || row.offsets[x] == row.offsets[x + 1]) continue;
        f8 both{};  // sums, and moments along x
        f4 along_y{}, along_z{};
        for_each_run<kInRow>(row, x, [&](const Run& run, const float* a, const float* b) {
            const f8 d = load8(b) - load8(a);
            both += d;
            along_y += low_half(d) * float(run.dy);
            along_z += low_half(d) * float(run.dz);
        });
        const f4 s = low_half(both), along_x = high_half(both) - s * (float(x) - row.middle);
        for (int c = 0; c < 3; ++c) {
            float* const to = sums + std::size_t(c) * channel;
            to[0] -= s[c];
            to[3 * channel] -= along_x[c];
            to[6 * channel] -= along_y[c];
            to[9 * channel] -= along_z[c];
        }
    }
}

void box_take_off_displacements(const RowRuns& row, float* sums, std::size_t channel)
{
    for (std::size_t x = row.begin; x < row.end; ++x, ++sums) {
        if (!(row.bits[x] & row.set) || row.offsets[x] == row.offsets[x + 1]) continue;
        f8 both{};  // p about the row's middle, and F along x
        f4 across{};
        for_each_run<kOutRow>(row, x, [&](const Run& run, const float* a, const float* b) {
            both += load8(b) - load8(a);
            const f8 d = load8(b + 8) - load8(a + 8);
            across += low_half(d) * float(run.dy) + high_half(d) * float(run.dz);
        });
        const f4 all = low_half(both) + high_half(both) * (float(x) - row.middle) - across;
        for (int c = 0; c < 3; ++c) sums[std::size_t(c) * channel] -= all[c];
    }
}
