// The kernels of box_kernels.h; included behind kernels.inl, whose vector helpers and rotation it uses.

/// Eight lanes of three channels.
struct f8x3 {
    f8 x, y, z;
};
inline i8 chosen(const Chosen& choice, int k)
{
    i8 bits;
    __builtin_memcpy(&bits, choice.bits + std::size_t(k) * choice.step, sizeof bits);
    const auto set = std::int32_t(choice.set);
    return (bits & i8{set, set, set, set, set, set, set, set}) != 0;
}
inline f8x3 only(i8 mask, const f8x3& v)
{
    return {select(mask, v.x, f8{}), select(mask, v.y, f8{}), select(mask, v.z, f8{})};
}
inline f8x3 load_line(const Line& line, int k)
{
    const float* const p = line.data + std::size_t(k) * line.step;
    return {load8(p), load8(p + line.channel), load8(p + 2 * line.channel)};
}
inline void store_line(const LineOut& line, int k, const f8x3& v)
{
    float* const p = line.data + std::size_t(k) * line.step;
    store8(p, v.x);
    store8(p + line.channel, v.y);
    store8(p + 2 * line.channel, v.z);
}
inline void add_line(const LineOut& line, int k, const f8x3& v)
{
    float* const p = line.data + std::size_t(k) * line.step;
    store8(p, load8(p) + v.x);
    store8(p + line.channel, load8(p + line.channel) + v.y);
    store8(p + 2 * line.channel, load8(p + 2 * line.channel) + v.z);
}

/// Whether entries are chosen before they are summed, or sums before they are added.
enum class Choice { none, in, out };

inline f8x3 load_scratch(const float* p)
{
    return {load8(p), load8(p + 8), load8(p + 16)};
}
inline void store_scratch(float* p, const f8x3& v)
{
    store8(p, v.x);
    store8(p + 8, v.y);
    store8(p + 16, v.z);
}
inline void add(f8x3& sum, const f8x3& v)
{
    sum.x += v.x, sum.y += v.y, sum.z += v.z;
}
inline void add(f8x3& sum, const f8x3& v, float factor)
{
    const f8 f = splat(factor);
    sum.x += v.x * f, sum.y += v.y * f, sum.z += v.z * f;
}
inline f8x3 sum_of(const f8x3& a, const f8x3& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline f8x3 difference(const f8x3& a, const f8x3& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// Windows of 2 w + 1 entries by van Herk's scheme: every window that holds the entry b = 0, L, 2 L, ... (L = 2 w + 1)
/// is a run that ends before b and one that starts with b; both kinds are running sums without a subtraction. Sums has:
/// clear(), take(entry, entry - b), keep(scratch), and finish(scratch or null, i, i - b).
template <class Sums>
inline void slide(int n, int w, float* scratch, Sums sums)
{
    constexpr std::size_t kKept = 6 * kLanes;
    const int length = 2 * w + 1;
    for (int b = 0; b - w < n; b += length) {
        const int first = b - w > 0 ? b - w : 0, last = b + w < n - 1 ? b + w : n - 1;  // windows around these
        sums.clear();
        for (int j = b - 1; j >= b - 2 * w; --j) {  // the run before b of the window around j + w
            if (j < n && j >= 0) sums.take(j, j - b);
            const int i = j + w;
            if (i < first) break;
            if (i <= last) sums.keep(scratch + std::size_t(i - first) * kKept);
        }
        sums.clear();
        for (int j = b; j < first + w && j < n; ++j) sums.take(j, j - b);
        for (int i = first; i <= last; ++i) {
            if (i + w < n) sums.take(i + w, i + w - b);
            sums.finish(i < b + w ? scratch + std::size_t(i - first) * kKept : nullptr, i, i - b);
        }
    }
}

template <Choice C>
struct PlainSums {
    const Line& in;
    const Window& window;
    const LineOut& out;
    f8x3 s{};
    f8x3 load(int j) const
    {
        const f8x3 v = load_line(in, j);
        return C == Choice::in ? only(chosen(window.in, j), v) : v;
    }
    void store(int i, const f8x3& v) const
    {
        C == Choice::out ? add_line(out, i, only(chosen(window.out, i), v)) : store_line(out, i, v);
    }
    void clear() { s = f8x3{}; }
    void take(int j, int) { add(s, load(j)); }
    void keep(float* p) const { store_scratch(p, s); }
    void finish(const float* p, int i, int) const { store(i, p ? sum_of(s, load_scratch(p)) : s); }

    /// Three entries side by side, zeros beyond the ends.
    void triples() const
    {
        f8x3 before{}, here = load(0);
        for (int i = 0; i < window.n; ++i) {
            const f8x3 after = i + 1 < window.n ? load(i + 1) : f8x3{};
            store(i, sum_of(sum_of(before, after), here));
            before = here, here = after;
        }
    }
};

template <Choice C>
struct MomentSums {
    const Line& in;
    const Window& window;
    const LineOut &out, &out_m;
    f8x3 s{}, m{};
    f8x3 load(int j) const
    {
        const f8x3 v = load_line(in, j);
        return C == Choice::in ? only(chosen(window.in, j), v) : v;
    }
    void store(int i, const f8x3& sum, const f8x3& moment) const
    {
        if (C == Choice::out) {
            const i8 mask = chosen(window.out, i);
            add_line(out, i, only(mask, sum));
            add_line(out_m, i, only(mask, moment));
        } else {
            store_line(out, i, sum);
            store_line(out_m, i, moment);
        }
    }
    void clear() { s = m = f8x3{}; }
    void take(int j, int from_b)
    {
        const f8x3 a = load(j);
        add(s, a);
        add(m, a, float(from_b));
    }
    void keep(float* p) const
    {
        store_scratch(p, s);
        store_scratch(p + 24, m);
    }
    void finish(const float* p, int i, int from_b) const
    {
        f8x3 all = s, moment = m;
        if (p) {
            add(all, load_scratch(p));
            add(moment, load_scratch(p + 24));
        }
        add(moment, all, float(-from_b));  // from about b to about i
        store(i, all, moment);
    }
    void triples() const
    {
        f8x3 before{}, here = load(0);
        for (int i = 0; i < window.n; ++i) {
            const f8x3 after = i + 1 < window.n ? load(i + 1) : f8x3{};
            store(i, sum_of(sum_of(before, after), here), difference(after, before));
            before = here, here = after;
        }
    }
};

template <Choice C>
struct SpreadSums {
    const Line &p_in, &f_in;
    const Window& window;
    const LineOut& out;
    f8x3 u{}, v{};
    void load(int j, f8x3& p, f8x3& f) const
    {
        p = load_line(p_in, j), f = load_line(f_in, j);
        if (C == Choice::in) {
            const i8 mask = chosen(window.in, j);
            p = only(mask, p), f = only(mask, f);
        }
    }
    void store(int i, const f8x3& sum) const
    {
        C == Choice::out ? add_line(out, i, only(chosen(window.out, i), sum)) : store_line(out, i, sum);
    }
    void clear() { u = v = f8x3{}; }
    void take(int j, int from_b)
    {
        f8x3 p, f;
        load(j, p, f);
        add(u, p);
        add(u, f, float(-from_b));
        add(v, f);
    }
    void keep(float* p) const
    {
        store_scratch(p, u);
        store_scratch(p + 24, v);
    }
    void finish(const float* p, int i, int from_b) const
    {
        f8x3 all = u, f = v;
        if (p) {
            add(all, load_scratch(p));
            add(f, load_scratch(p + 24));
        }
        add(all, f, float(from_b));
        store(i, all);
    }
    void triples() const
    {
        f8x3 pb{}, fb{}, p0, f0;
        load(0, p0, f0);
        for (int i = 0; i < window.n; ++i) {
            f8x3 pa{}, fa{};
            if (i + 1 < window.n) load(i + 1, pa, fa);
            store(i, sum_of(sum_of(sum_of(pb, pa), p0), difference(fb, fa)));
            pb = p0, p0 = pa, fb = f0, f0 = fa;
        }
    }
};

template <class Sums>
inline void run_window(const Window& window, const Sums& sums)
{
    const int w = window.width < window.n - 1 ? window.width : window.n - 1;
    w == 1 ? sums.triples() : slide(window.n, w, window.scratch, sums);
}

void box_sum(const Line& in, const Window& window, const LineOut& s)
{
    if (window.in.bits)
        run_window(window, PlainSums<Choice::in>{in, window, s});
    else if (window.out.bits)
        run_window(window, PlainSums<Choice::out>{in, window, s});
    else
        run_window(window, PlainSums<Choice::none>{in, window, s});
}

void box_moment(const Line& in, const Window& window, const LineOut& s, const LineOut& m)
{
    if (window.in.bits)
        run_window(window, MomentSums<Choice::in>{in, window, s, m});
    else if (window.out.bits)
        run_window(window, MomentSums<Choice::out>{in, window, s, m});
    else
        run_window(window, MomentSums<Choice::none>{in, window, s, m});
}

void box_spread(const Line& p, const Line& f, const Window& window, const LineOut& s)
{
    if (window.in.bits)
        run_window(window, SpreadSums<Choice::in>{p, f, window, s});
    else if (window.out.bits)
        run_window(window, SpreadSums<Choice::out>{p, f, window, s});
    else
        run_window(window, SpreadSums<Choice::none>{p, f, window, s});
}

/// What lies K floats behind the first of two registers.
template <int K>
inline f8 behind(f8 a, f8 b)
{
    return __builtin_shufflevector(a, b, K, K + 1, K + 2, K + 3, K + 4, K + 5, K + 6, K + 7);
}

/// Sums of K entries from each entry of a register on, and of the t-th times sign t: v and u. Twice as many of them are
/// two such sums.
struct Pair {
    f8 v{}, u{};
};
template <int K>
inline Pair twice_as_many(const Pair& a, const Pair& b, float sign)
{
    const f8 v = behind<K>(a.v, b.v);
    return {a.v + v, a.u + behind<K>(a.u, b.u) + v * splat(sign * float(K))};
}
struct Single {
    f8 v{};
};
template <int K>
inline Single twice_as_many(const Single& a, const Single& b, float)
{
    return {a.v + behind<K>(a.v, b.v)};
}
inline void store_sums(float* at, std::size_t, const Single& sums)
{
    store8(at, sums.v);
}
inline void store_sums(float* at, std::size_t channel, const Pair& sums)
{
    store8(at, sums.v);
    store8(at + channel, sums.u);
}

/// Sums of eight entries of a row from every place on, and from places before it: `load(x)` gives eight entries of it.
/// Left in `eights`, u `channel` behind v, with zeros from kRowEnd before the row to kRowEnd behind it.
template <class Sums, class Load>
inline void eights_of_row(std::size_t n, float sign, const Load& load, float* eights, std::size_t channel)
{
    for (std::size_t k = 8; k <= kRowEnd; k += 8) store_sums(eights - k, channel, Sums{});
    Sums one, two, four;
    const auto take = [&](std::size_t x, const Sums& next) {  // what comes in at x is in the sums from x - 24 on
        const Sums next_two = twice_as_many<1>(one, next, sign), next_four = twice_as_many<2>(two, next_two, sign);
        store_sums(eights + x - 24, channel, twice_as_many<4>(four, next_four, sign));
        one = next, two = next_two, four = next_four;
    };
    for (std::size_t x = 0; x < n; x += 8) take(x, load(x));
    for (std::size_t x = n; x < n + 24; x += 8) take(x, Sums{});
    for (std::size_t k = 0; k < kRowEnd; k += 8) store_sums(eights + n + k, channel, Sums{});
}

/// A window of 2 w + 1 entries: 2 (w % 4) + 1 about the middle, or four behind it, and w / 4 times eight.
struct RowWindow {
    explicit RowWindow(int w) : core(w % 4), eights(w / 4), middle(eights % 2 * 4), left(-w), right(middle + core + 1)
    {
    }
    int core, eights, middle, left, right;  ///< left and right: where eights start
};
/// Calls each(offset) for all eights; Eights: how many, or -1.
template <int Eights, class Each>
inline void for_eights(const RowWindow& window, const Each& each)
{
    const int count = Eights < 0 ? window.eights : Eights;
    for (int k = 0; k < (count + 1) / 2; ++k) each(window.left + 8 * k);
    for (int k = 0; k < count / 2; ++k) each(window.right + 8 * k);
}

/// Calls run.operator()<core, eights>() with a window's numbers as constants.
template <class Run>
inline void with_window(const RowWindow& window, const Run& run)
{
    const auto with_core = [&]<int Core>() {
        window.eights == 0   ? run.template operator()<Core, 0>()
        : window.eights == 1 ? run.template operator()<Core, 1>()
        : window.eights == 2 ? run.template operator()<Core, 2>()
                             : run.template operator()<Core, -1>();
    };
    window.core == 0   ? with_core.template operator()<0>()
    : window.core == 1 ? with_core.template operator()<1>()
    : window.core == 2 ? with_core.template operator()<2>()
                       : with_core.template operator()<3>();
}

void box_row_moment(const float* in, std::size_t channel, std::size_t n, int width, float* out, float* scratch)
{
    const RowWindow window(width);
    const std::size_t step = row_scratch(n) / 6;
    scratch += kRowEnd;
    if (window.eights > 0)
        for (std::size_t c = 0; c < 3; ++c) {
            const float* const a = in + c * channel;
            eights_of_row<Pair>(
                n, 1,
                [&](std::size_t x) {
                    return Pair{load8(a + x), f8{}};
                },
                scratch + c * step, 3 * step);
        }
    with_window(window, [&]<int Core, int Eights>() {
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const a = in + c * channel + window.middle, *const v = scratch + c * step,
                               *const u = v + 3 * step;
            float *const s_out = out + c * channel, *const m_out = s_out + 3 * channel;
            for (std::size_t x = 0; x < n; x += kLanes) {
                f8 s = load8(a + x), m{};
                for (int k = 1; k <= Core; ++k) {
                    const f8 before = load8(a + x - k), after = load8(a + x + k);
                    s += before + after;
                    m += (after - before) * splat(float(k));
                }
                if (Eights != 0) m += s * splat(float(window.middle));
                for_eights<Eights>(window, [&](int o) {
                    const f8 eight = load8(v + std::ptrdiff_t(x) + o);
                    s += eight;
                    m += load8(u + std::ptrdiff_t(x) + o) + eight * splat(float(o));
                });
                store8(s_out + x, s);
                store8(m_out + x, m);
            }
        }
    });
}

void box_row_spread(const float* in, std::size_t channel, std::size_t n, int width, float* out, float* scratch)
{
    const RowWindow window(width);
    const std::size_t step = row_scratch(n) / 6;
    scratch += kRowEnd;
    if (window.eights > 0)
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const p = in + c * channel, *const f = p + 3 * channel;
            eights_of_row<Pair>(
                n, -1,
                [&](std::size_t x) {
                    return Pair{load8(f + x), load8(p + x)};
                },
                scratch + c * step, 3 * step);
        }
    with_window(window, [&]<int Core, int Eights>() {
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const p = in + c * channel + window.middle, *const f = p + 3 * channel;
            const float *const v = scratch + c * step, *const u = v + 3 * step;
            for (std::size_t x = 0; x < n; x += kLanes) {
                f8 s = load8(p + x), all{};
                if (Eights != 0) all = load8(f + x);
                for (int k = 1; k <= Core; ++k) {
                    const f8 before = load8(f + x - k), after = load8(f + x + k);
                    s += (load8(p + x - k) + load8(p + x + k)) + (before - after) * splat(float(k));
                    all += before + after;
                }
                if (Eights != 0) s -= all * splat(float(window.middle));
                for_eights<Eights>(window, [&](int o) {
                    s += load8(u + std::ptrdiff_t(x) + o) - load8(v + std::ptrdiff_t(x) + o) * splat(float(o));
                });
                store8(out + c * channel + x, s);
            }
        }
    });
}

void box_row_sum(const float* in, std::size_t channel, std::size_t n, int width, float* out, float* scratch)
{
    const RowWindow window(width);
    const std::size_t step = row_scratch(n) / 6;
    scratch += kRowEnd;
    if (window.eights > 0)
        for (std::size_t c = 0; c < 3; ++c) {
            const float* const a = in + c * channel;
            eights_of_row<Single>(
                n, 1, [&](std::size_t x) { return Single{load8(a + x)}; }, scratch + c * step, 0);
        }
    with_window(window, [&]<int Core, int Eights>() {
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const a = in + c * channel + window.middle, *const v = scratch + c * step;
            for (std::size_t x = 0; x < n; x += kLanes) {
                f8 s = load8(a + x);
                for (int k = 1; k <= Core; ++k) s += load8(a + x - k) + load8(a + x + k);
                for_eights<Eights>(window, [&](int o) { s += load8(v + std::ptrdiff_t(x) + o); });
                store8(out + c * channel + x, s);
            }
        }
    });
}

/// Calls each(x, mask of the first, mask of the second) for blocks of eight; all without bits.
template <class Each>
inline void choose_along(const PlaneRow& a, const PlaneRow& b, std::size_t n, const Each& each)
{
    const i8 all = i8{} == i8{};
    if (!a.bits && !b.bits)
        for (std::size_t x = 0; x < n; x += kLanes) each(x, all, all);
    else
        for (std::size_t x = 0; x < n; x += kLanes)
            each(x, a.bits ? chosen({a.bits + x, 0, a.set}, 0) : all, b.bits ? chosen({b.bits + x, 0, b.set}, 0) : all);
}

void box_enter(const PlaneRow& plane, float from, const SlidingRow& sums)
{
    choose_along(plane, plane, sums.n, [&](std::size_t x, i8 mask, i8) {
        for (std::size_t c = 0; c < 3; ++c) {
            float *const s = sums.data + c * sums.channel + x, *const m = s + 3 * sums.channel;
            const f8 a = select(mask, load8(plane.data + c * plane.channel + x), f8{});
            store8(s, load8(s) + a);
            store8(m, load8(m) + a * splat(from));
        }
    });
}

void box_slide(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums)
{
    choose_along(fresh, old, sums.n, [&](std::size_t x, i8 fresh_mask, i8 old_mask) {
        for (std::size_t c = 0; c < 3; ++c) {
            float *const s = sums.data + c * sums.channel + x, *const m = s + 3 * sums.channel;
            const f8 a = select(fresh_mask, load8(fresh.data + c * fresh.channel + x), f8{});
            const f8 b = select(old_mask, load8(old.data + c * old.channel + x), f8{});
            const f8 sum = load8(s);
            store8(m, load8(m) - sum + (a * splat(float(width)) + b * splat(float(width + 1))));
            store8(s, sum + (a - b));
        }
    });
}

void box_enter_back(const PlaneRow& plane, float from, const SlidingRow& sums)
{
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kLanes) {
            float *const u = sums.data + c * sums.channel + x, *const v = u + 3 * sums.channel;
            const float* const p = plane.data + c * plane.channel + x;
            const f8 f = load8(p + 3 * plane.channel);
            store8(u, load8(u) + (load8(p) - f * splat(from)));
            store8(v, load8(v) + f);
        }
}

void box_slide_back(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums)
{
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kLanes) {
            float *const u = sums.data + c * sums.channel + x, *const v = u + 3 * sums.channel;
            const float *const a = fresh.data + c * fresh.channel + x, *const b = old.data + c * old.channel + x;
            const f8 fa = load8(a + 3 * fresh.channel), fb = load8(b + 3 * old.channel), sum = load8(v);
            store8(u,
                   load8(u) + sum + (load8(a) - fa * splat(float(width))) - (load8(b) + fb * splat(float(width + 1))));
            store8(v, sum + (fa - fb));
        }
}

/// Turns 8 x 8 floats: `in` has eight rows `in_step` apart, `out` the columns. Halves of rows are joined while they are
/// loaded, which leaves two thirds of the shuffles.
inline void turn_tile(const float* in, std::size_t in_step, float* out, std::size_t out_step)
{
    for (std::size_t half = 0; half < 8; half += 4) {
        f8 a[4];
        for (std::size_t k = 0; k < 4; ++k)
            a[k] = join(load4(in + k * in_step + half), load4(in + (k + 4) * in_step + half));
        const f8 u0 = __builtin_shufflevector(a[0], a[1], 0, 8, 1, 9, 4, 12, 5, 13);
        const f8 u1 = __builtin_shufflevector(a[2], a[3], 0, 8, 1, 9, 4, 12, 5, 13);
        const f8 u2 = __builtin_shufflevector(a[0], a[1], 2, 10, 3, 11, 6, 14, 7, 15);
        const f8 u3 = __builtin_shufflevector(a[2], a[3], 2, 10, 3, 11, 6, 14, 7, 15);
        float* const to = out + half * out_step;
        store8(to, __builtin_shufflevector(u0, u1, 0, 1, 8, 9, 4, 5, 12, 13));
        store8(to + out_step, __builtin_shufflevector(u0, u1, 2, 3, 10, 11, 6, 7, 14, 15));
        store8(to + 2 * out_step, __builtin_shufflevector(u2, u3, 0, 1, 8, 9, 4, 5, 12, 13));
        store8(to + 3 * out_step, __builtin_shufflevector(u2, u3, 2, 3, 10, 11, 6, 7, 14, 15));
    }
}

void box_rows_to_lanes(const float* rows, std::size_t row_step, std::size_t n, float* out)
{
    for (std::size_t x = 0; x < n; x += 8) turn_tile(rows + x, row_step, out + x * 8, 8);
}

void box_lanes_to_rows(const float* lanes, std::size_t n, float* rows, std::size_t row_step)
{
    for (std::size_t x = 0; x < n; x += 8) turn_tile(lanes + x * 8, 8, rows + x, row_step);
}

inline i8 in_set(const std::uint32_t* bits, std::uint32_t set)
{
    i8 b;
    __builtin_memcpy(&b, bits, sizeof b);
    const auto s = std::int32_t(set);
    return (b & i8{s, s, s, s, s, s, s, s}) != 0;
}

void box_mask(const MaskedBlocks& blocks, const float* in, float* out)
{
    for (std::size_t k = 0; k < blocks.count; ++k) {
        const i8 kept = in_set(blocks.bits + k * blocks.bits_step, blocks.set);
        for (std::size_t c = 0; c < blocks.channels; ++c) {
            const std::size_t at = c * blocks.channel + k * blocks.step;
            store8(out + at, select(kept, load8(in + at), f8{}));
        }
    }
}

void box_add_masked(const MaskedBlocks& blocks, const float* in, float* out)
{
    for (std::size_t k = 0; k < blocks.count; ++k) {
        const i8 kept = in_set(blocks.bits + k * blocks.bits_step, blocks.set);
        for (std::size_t c = 0; c < blocks.channels; ++c) {
            const std::size_t at = c * blocks.channel + k * blocks.step;
            store8(out + at, load8(out + at) + select(kept, load8(in + at), f8{}));
        }
    }
}

/// Eight particles that follow each other, all there.
inline bool contiguous(const std::int32_t* ids)
{
    return ids[0] >= 0 && ids[7] == ids[0] + 7;
}
/// x, y and z of eight positions that follow each other.
inline f8x3 load_positions(const float* p)
{
    f8 a[4];
    for (int k = 0; k < 4; ++k) a[k] = join(load4(p + 4 * k), load4(p + 4 * k + 16));
    // 4 x 4 transposes in both halves
    const f8 u0 = __builtin_shufflevector(a[0], a[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 u1 = __builtin_shufflevector(a[2], a[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 u2 = __builtin_shufflevector(a[0], a[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 u3 = __builtin_shufflevector(a[2], a[3], 2, 10, 3, 11, 6, 14, 7, 15);
    return {__builtin_shufflevector(u0, u1, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(u0, u1, 2, 3, 10, 11, 6, 7, 14, 15),
            __builtin_shufflevector(u2, u3, 0, 1, 8, 9, 4, 5, 12, 13)};
}

void box_load_row(const float* positions, const std::int32_t* ids, const float* masses, Vec3 origin, std::size_t n,
                  float* out, std::size_t channel)
{
    for (std::size_t x = 0; x < n; x += 8) {
        if (contiguous(ids + x)) {
            const f8x3 p = load_positions(positions + kPositionSize * std::size_t(ids[x]));
            const f8 m = load8(masses + ids[x]);
            store8(out + x, m * (p.x - splat(origin.x)));
            store8(out + channel + x, m * (p.y - splat(origin.y)));
            store8(out + 2 * channel + x, m * (p.z - splat(origin.z)));
            continue;
        }
        for (std::size_t k = x; k < x + 8; ++k) {
            if (ids[k] < 0) {
                out[k] = out[channel + k] = out[2 * channel + k] = 0;
                continue;
            }
            const float* p = positions + kPositionSize * std::size_t(ids[k]);
            const float m = masses[ids[k]];
            out[k] = m * (p[0] - origin.x);
            out[channel + k] = m * (p[1] - origin.y);
            out[2 * channel + k] = m * (p[2] - origin.z);
        }
    }
}

void box_store_row(const float* sums, std::size_t channel, const std::int32_t* ids, const float* positions,
                   const float* weights, const float* shares, Vec3 origin, std::size_t n, Vec3* ways)
{
    for (std::size_t x = 0; x < n; x += 8) {
        if (contiguous(ids + x)) {
            const f8x3 p = load_positions(positions + kPositionSize * std::size_t(ids[x]));
            const f8 w = load8(weights + ids[x]), share = load8(shares + ids[x]);
            const f8 a = (load8(sums + x) - w * (p.x - splat(origin.x))) * share;
            const f8 b = (load8(sums + channel + x) - w * (p.y - splat(origin.y))) * share;
            const f8 c = (load8(sums + 2 * channel + x) - w * (p.z - splat(origin.z))) * share;
            float* out = &ways[ids[x]].x;
            for (int k = 0; k < 8; ++k) out[3 * k] = a[k], out[3 * k + 1] = b[k], out[3 * k + 2] = c[k];
            continue;
        }
        for (std::size_t k = x; k < x + 8; ++k) {
            if (ids[k] < 0) continue;
            const float* p = positions + kPositionSize * std::size_t(ids[k]);
            const float w = weights[ids[k]], share = shares[ids[k]];
            ways[ids[k]].x = (sums[k] - w * (p[0] - origin.x)) * share;
            ways[ids[k]].y = (sums[channel + k] - w * (p[1] - origin.y)) * share;
            ways[ids[k]].z = (sums[2 * channel + k] - w * (p[2] - origin.z)) * share;
        }
    }
}

/// A_pq = sum m x (x0 - c0)^T by columns and the centre of mass now, from the sums of a block; lanes without a region
/// get the identity.
inline void box_block_moments(const float* sums, std::size_t channel, const BoxBlock& block, float cell, f8 (&A)[9],
                              f8 (&c)[3])
{
    const f8 inverse_mass = load8(block.inverse_mass), d = splat(cell);
    const i8 present = inverse_mass > splat(0);
    f8 s[3];
    for (std::size_t row = 0; row < 3; ++row) {
        s[row] = load8(sums + row * channel);
        c[row] = s[row] * inverse_mass;
    }
    for (std::size_t column = 0; column < 3; ++column) {
        const f8 offset = load8(block.offset[column]);
        for (std::size_t row = 0; row < 3; ++row) {
            const f8 moment = load8(sums + (3 + 3 * column + row) * channel);
            A[3 * column + row] = select(present, moment * d - s[row] * offset, splat(column == row ? 1.0f : 0.0f));
        }
    }
}

void box_moments(const BoxColumn& column, RegionMoments* out)
{
    for (std::size_t k = 0; k < column.count; ++k) {
        f8 A[9], c[3];
        box_block_moments(column.values + k * kLanes, column.channel, column.blocks[k], column.cell, A, c);
        for (int e = 0; e < 9; ++e) store8(out[k].A[e], A[e]);
        for (int e = 0; e < 3; ++e) store8(out[k].c[e], c[e]);
    }
}

RotateCount box_rotate(const BoxColumn& column, const BoxShapes& shapes, float* turns)
{
    RotateCount count;
    for (std::size_t first = 0; first < column.count; first += 2) {
        const std::size_t blocks = column.count - first < 2 ? 1 : 2;
        f8 A[2][9], c[2][3], T[6];
        bool empty = true;
        for (std::size_t k = 0; k < blocks; ++k) {
            f8(&M)[9] = A[k];
            const BoxBlock& block = column.blocks[first + k];
            if (shapes.moments) {
                for (int e = 0; e < 9; ++e) M[e] = load8(shapes.moments[first + k].A[e]);
                for (int e = 0; e < 3; ++e) c[k][e] = load8(shapes.moments[first + k].c[e]);
            } else {
                box_block_moments(column.values + (first + k) * kLanes, column.channel, block, column.cell, M, c[k]);
            }
            empty = empty && !any(load8(block.inverse_mass) > splat(0));
            const f8 det = M[0] * (M[4] * M[8] - M[5] * M[7]) - M[3] * (M[1] * M[8] - M[2] * M[7]) +
                           M[6] * (M[1] * M[5] - M[2] * M[4]);
            const i8 inverted = det < 0;
            if (any(inverted))
                for (std::size_t lane = 0; lane < kLanes; ++lane) count.inverted += inverted[lane] != 0;
            if (shapes.spread) {
                linear_fit(shapes.moments[first + k], shapes.spread[first + k], M);
            } else if (shapes.stretch) {
                load_stretch(shapes.stretch[first + k].T, T);
                times_stretch(M, T);
            }
        }
        if (empty) {
            for (std::size_t k = 0; k < blocks; ++k)
                for (std::size_t e = 0; e < 12; ++e)
                    store8(column.values + (first + k) * kLanes + e * column.channel, f8{});
            continue;
        }
        Two both[9], R[9];
        for (int e = 0; e < 9; ++e) both[e] = {A[0][e], A[blocks - 1][e]};
        count.robust += find_turns(both, blocks, blocks * kLanes, turns + first * kTurnSize, R);
        for (std::size_t k = 0; k < blocks; ++k) {
            f8 F[9];
            for (int e = 0; e < 9; ++e) F[e] = k ? R[e].b : R[e].a;
            if (shapes.stretch) {
                load_stretch(shapes.stretch[first + k].T, T);
                times_stretch(F, T);
            }
            const BoxBlock& block = column.blocks[first + k];
            float* const out = column.values + (first + k) * kLanes;
            const f8 weight = load8(block.weight), scaled = weight * splat(column.cell);
            const f8 o0 = load8(block.offset[0]), o1 = load8(block.offset[1]), o2 = load8(block.offset[2]);
            for (std::size_t row = 0; row < 3; ++row) {
                store8(out + row * column.channel,
                       weight * (c[k][row] - (F[row] * o0 + F[3 + row] * o1 + F[6 + row] * o2)));
                store8(out + (3 + row) * column.channel, scaled * F[row]);
                store8(out + (6 + row) * column.channel, scaled * F[3 + row]);
                store8(out + (9 + row) * column.channel, scaled * F[6 + row]);
            }
        }
    }
    return count;
}
