// The kernels of box_kernels.h for regions that are not boxes: running sums along rows where runs lie, and runs of them
// taken off. Triples are stored as fours.

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

void box_sum_out_row(const PlaneRow& in, std::size_t n, float middle, bool goes_on, float* out)
{
    f4 p{}, f[3]{};
    if (goes_on) {
        p = load4(out);
        for (std::size_t axis = 0; axis < 3; ++axis) f[axis] = load4(out + 4 + 4 * axis);
    }
    for (std::size_t x = 0;; ++x, out += kOutRow) {
        store4(out, p);
        for (std::size_t axis = 0; axis < 3; ++axis) store4(out + 4 + 4 * axis, f[axis]);
        if (x == n) break;
        if (!(in.bits[x] & in.set)) continue;
        const float* const values = in.data + x;
        const f4 along_x = four(values + 3 * in.channel, in.channel);
        p += four(values, in.channel) - along_x * (float(x) - middle);
        f[0] += along_x;
        f[1] += four(values + 6 * in.channel, in.channel);
        f[2] += four(values + 9 * in.channel, in.channel);
    }
}

/// Calls each(node, x, y) for the nodes that are chosen.
template <class Each>
inline void for_each_node(const PlaneRuns& runs, const Each& each)
{
    std::size_t y = 0, row_begin = runs.first_node;
    for (const std::uint32_t *node = runs.nodes, *const end = node + runs.count; node != end; ++node) {
        if (!(runs.bits[*node] & runs.set)) continue;
        while (*node >= row_begin + runs.row) ++y, row_begin += runs.row;
        each(std::size_t(*node), std::size_t(*node) - row_begin, y);
    }
}
/// Calls each(run, where it begins, where it ends) for the runs of a node; Size: floats an entry.
template <std::size_t Size, class Each>
inline void for_each_run(const PlaneRuns& runs, std::size_t node, const Each& each)
{
    constexpr int kAheadRuns = 12;  // whose sums are fetched ahead: they are from many planes
    const Run* const last = runs.runs + runs.offsets[runs.nodes[runs.count - 1] + 1];
    for (const Run *run = runs.runs + runs.offsets[node], *const end = runs.runs + runs.offsets[node + 1]; run != end;
         ++run) {
        const float* const from = runs.sums + Size * run->entry;
        if (last - run > kAheadRuns) {
            const float* const ahead = runs.sums + Size * run[kAheadRuns].entry;
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + 16);
        }
        each(*run, from, from + Size * run->length);
    }
}

void box_take_off_sums(const PlaneRuns& runs, float* columns, std::size_t channel, std::size_t strip)
{
    constexpr std::size_t kColumns = 2 * kLanes;
    for_each_node(runs, [&](std::size_t node, std::size_t x, std::size_t y) {
        f8 both{};  // sums, and moments along x
        f4 along_y{}, along_z{};
        for_each_run<kInRow>(runs, node, [&](const Run& run, const float* a, const float* b) {
            const f8 d = load8(b) - load8(a);
            both += d;
            along_y += low_half(d) * float(run.dy);
            along_z += low_half(d) * float(run.dz);
        });
        const f4 s = low_half(both), along_x = high_half(both) - s * (float(x) - runs.middle);
        float* to = columns + x / kColumns * strip + y * kColumns + x % kColumns;
        for (int c = 0; c < 3; ++c, to += channel) {
            to[0] -= s[c];
            to[3 * channel] -= along_x[c];
            to[6 * channel] -= along_y[c];
            to[9 * channel] -= along_z[c];
        }
    });
}

void box_take_off_displacements(const PlaneRuns& runs, float* sums, std::size_t channel)
{
    for_each_node(runs, [&](std::size_t node, std::size_t x, std::size_t y) {
        f8 both{};  // p about the row's middle, and F along x
        f4 across{};
        for_each_run<kOutRow>(runs, node, [&](const Run& run, const float* a, const float* b) {
            both += load8(b) - load8(a);
            const f8 d = load8(b + 8) - load8(a + 8);
            across += low_half(d) * float(run.dy) + high_half(d) * float(run.dz);
        });
        const f4 all = low_half(both) + high_half(both) * (float(x) - runs.middle) - across;
        float* const to = sums + y * runs.row + x;
        for (int c = 0; c < 3; ++c) to[std::size_t(c) * channel] -= all[c];
    });
}
