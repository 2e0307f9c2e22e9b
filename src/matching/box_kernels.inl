// The kernels of box_kernels.h; included behind kernels.inl, whose vector helpers and rotation it uses.

/// As many lanes as a register has: sixteen or eight.
#ifdef __AVX512F__
using fw = float __attribute__((vector_size(64)));
#else
using fw = f8;
#endif
template <class V>
constexpr std::size_t kLanesOf = sizeof(V) / sizeof(float);
constexpr std::size_t kWide = kLanesOf<fw>;

template <class V>
inline V load(const float* p)
{
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
template <class V>
inline void store(float* p, V v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
/// Which lanes are in a set of classes.
template <class V>
inline auto in_set(const std::uint32_t* bits, std::uint32_t set)
{
    decltype(V{} < V{}) b;  // whole numbers, as many
    __builtin_memcpy(&b, bits, sizeof b);
    return (b & std::int32_t(set)) != 0;
}

/// Lanes of three channels.
template <class V>
struct Three {
    V x{}, y{}, z{};
};
using f8x3 = Three<f8>;

template <class Mask, class V>
inline Three<V> only(Mask mask, const Three<V>& v)
{
    return {mask ? v.x : V{}, mask ? v.y : V{}, mask ? v.z : V{}};
}
template <class V>
inline Three<V> load_line(const Line& line, int k)
{
    const float* const p = line.data + std::size_t(k) * line.step;
    return {load<V>(p), load<V>(p + line.channel), load<V>(p + 2 * line.channel)};
}
template <class V>
inline void store_line(const LineOut& line, int k, const Three<V>& v)
{
    float* const p = line.data + std::size_t(k) * line.step;
    store(p, v.x);
    store(p + line.channel, v.y);
    store(p + 2 * line.channel, v.z);
}

/// Whether entries are chosen before they are summed, or sums before they are added.
enum class Choice { none, in, out };

/// How lines are read and written.
template <class Lanes, Choice Chosen>
struct Lines {
    using V = Lanes;
    static Three<V> read(const Line& in, const Window& window, int j)
    {
        const Three<V> v = load_line<V>(in, j);
        if constexpr (Chosen == Choice::in)
            return only(in_set<V>(window.in.bits + std::size_t(j) * window.in.step, window.in.set), v);
        return v;
    }
    static void write(const LineOut& out, const Window& window, int i, Three<V> v)
    {
        if constexpr (Chosen == Choice::out) {
            v = only(in_set<V>(window.out.bits + std::size_t(i) * window.out.step, window.out.set), v);
            add(v, load_line<V>({out.data, out.step, out.channel}, i));
        }
        store_line(out, i, v);
    }
};

template <class V>
inline Three<V> load_scratch(const float* p)
{
    return {load<V>(p), load<V>(p + kLanesOf<V>), load<V>(p + 2 * kLanesOf<V>)};
}
template <class V>
inline void store_scratch(float* p, const Three<V>& v)
{
    store(p, v.x);
    store(p + kLanesOf<V>, v.y);
    store(p + 2 * kLanesOf<V>, v.z);
}
template <class V>
inline void add(Three<V>& sum, const Three<V>& v)
{
    sum.x += v.x, sum.y += v.y, sum.z += v.z;
}
template <class V>
inline void add(Three<V>& sum, const Three<V>& v, float factor)
{
    sum.x += v.x * factor, sum.y += v.y * factor, sum.z += v.z * factor;
}
template <class V>
inline Three<V> sum_of(const Three<V>& a, const Three<V>& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class V>
inline Three<V> difference(const Three<V>& a, const Three<V>& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// Windows of 2 w + 1 entries by van Herk's scheme: every window that holds the entry b = 0, L, 2 L, ... (L = 2 w + 1)
/// is a run that ends before b and one that starts with b; both kinds are running sums without a subtraction. Sums has:
/// clear(), take(entry, entry - b), keep(scratch), and finish(scratch or null, i, i - b).
template <class Sums>
inline void slide(int n, int w, float* scratch, Sums sums)
{
    constexpr std::size_t kKept = 6 * Sums::kLanes;
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

template <class Lines>
struct PlainSums {
    using V = typename Lines::V;
    static constexpr std::size_t kLanes = kLanesOf<V>;
    const Line& in;
    const Window& window;
    const LineOut& out;
    Three<V> s{};
    Three<V> read(int j) const { return Lines::read(in, window, j); }
    void clear() { s = {}; }
    void take(int j, int) { add(s, read(j)); }
    void keep(float* p) const { store_scratch(p, s); }
    void finish(const float* p, int i, int) const
    {
        Lines::write(out, window, i, p ? sum_of(s, load_scratch<V>(p)) : s);
    }
    /// Three entries side by side, zeros beyond the ends.
    void triples() const
    {
        Three<V> before{}, here = read(0);
        for (int i = 0; i < window.n; ++i) {
            const Three<V> after = i + 1 < window.n ? read(i + 1) : Three<V>{};
            Lines::write(out, window, i, sum_of(sum_of(before, after), here));
            before = here, here = after;
        }
    }
};

template <class Lines>
struct MomentSums {
    using V = typename Lines::V;
    static constexpr std::size_t kLanes = kLanesOf<V>;
    const Line& in;
    const Window& window;
    const LineOut &out, &out_m;
    Three<V> s{}, m{};
    Three<V> read(int j) const { return Lines::read(in, window, j); }
    void clear() { s = m = {}; }
    void take(int j, int from_b)
    {
        const Three<V> a = read(j);
        add(s, a);
        add(m, a, float(from_b));
    }
    void keep(float* p) const
    {
        store_scratch(p, s);
        store_scratch(p + 3 * kLanes, m);
    }
    void finish(const float* p, int i, int from_b) const
    {
        Three<V> all = s, moment = m;
        if (p) {
            add(all, load_scratch<V>(p));
            add(moment, load_scratch<V>(p + 3 * kLanes));
        }
        add(moment, all, float(-from_b));  // from about b to about i
        Lines::write(out, window, i, all);
        Lines::write(out_m, window, i, moment);
    }
    void triples() const
    {
        Three<V> before{}, here = read(0);
        for (int i = 0; i < window.n; ++i) {
            const Three<V> after = i + 1 < window.n ? read(i + 1) : Three<V>{};
            Lines::write(out, window, i, sum_of(sum_of(before, after), here));
            Lines::write(out_m, window, i, difference(after, before));
            before = here, here = after;
        }
    }
};

template <class Lines>
struct SpreadSums {
    using V = typename Lines::V;
    static constexpr std::size_t kLanes = kLanesOf<V>;
    const Line &p_in, &f_in;
    const Window& window;
    const LineOut& out;
    Three<V> u{}, v{};
    void clear() { u = v = {}; }
    void take(int j, int from_b)
    {
        const Three<V> p = Lines::read(p_in, window, j), f = Lines::read(f_in, window, j);
        add(u, p);
        add(u, f, float(-from_b));
        add(v, f);
    }
    void keep(float* p) const
    {
        store_scratch(p, u);
        store_scratch(p + 3 * kLanes, v);
    }
    void finish(const float* p, int i, int from_b) const
    {
        Three<V> all = u, f = v;
        if (p) {
            add(all, load_scratch<V>(p));
            add(f, load_scratch<V>(p + 3 * kLanes));
        }
        add(all, f, float(from_b));
        Lines::write(out, window, i, all);
    }
    void triples() const
    {
        Three<V> pb{}, fb{}, p0 = Lines::read(p_in, window, 0), f0 = Lines::read(f_in, window, 0);
        for (int i = 0; i < window.n; ++i) {
            Three<V> pa{}, fa{};
            if (i + 1 < window.n) pa = Lines::read(p_in, window, i + 1), fa = Lines::read(f_in, window, i + 1);
            Lines::write(out, window, i, sum_of(sum_of(sum_of(pb, pa), p0), difference(fb, fa)));
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

inline void second_half(Line& line)
{
    line.data += kLanes;
}
inline void second_half(LineOut& line)
{
    line.data += kLanes;
}
/// Calls run.operator()<Lines>(window, lines...), for each eight lanes of sixteen where registers have but eight.
template <class Run, class... L>
inline void for_lanes(Window window, const Run& run, L... lines)
{
    const auto with = [&]<class V>() {
        window.in.bits    ? run.template operator()<Lines<V, Choice::in>>(window, lines...)
        : window.out.bits ? run.template operator()<Lines<V, Choice::out>>(window, lines...)
                          : run.template operator()<Lines<V, Choice::none>>(window, lines...);
    };
    if (!window.sixteen) return with.template operator()<f8>();
    with.template operator()<fw>();
    if (kWide == 16) return;
    if (window.in.bits) window.in.bits += kLanes;
    if (window.out.bits) window.out.bits += kLanes;
    (second_half(lines), ...);
    with.template operator()<fw>();
}

void box_sum(const Line& in, const Window& window, const LineOut& out)
{
    const auto run = []<class L>(const Window& w, const Line& from, const LineOut& to) {
        run_window(w, PlainSums<L>{from, w, to});
    };
    for_lanes(window, run, in, out);
}

void box_moment(const Line& in, const Window& window, const LineOut& s, const LineOut& m)
{
    const auto run = []<class L>(const Window& w, const Line& from, const LineOut& to_s, const LineOut& to_m) {
        run_window(w, MomentSums<L>{from, w, to_s, to_m});
    };
    for_lanes(window, run, in, s, m);
}

void box_spread(const Line& p, const Line& f, const Window& window, const LineOut& s)
{
    const auto run = []<class L>(const Window& w, const Line& from_p, const Line& from_f, const LineOut& to) {
        run_window(w, SpreadSums<L>{from_p, from_f, w, to});
    };
    for_lanes(window, run, p, f, s);
}

/// What lies K floats behind the first of two registers.
template <int K>
inline fw behind(fw a, fw b)
{
#ifdef __AVX512F__
    return __builtin_shufflevector(a, b, K, K + 1, K + 2, K + 3, K + 4, K + 5, K + 6, K + 7, K + 8, K + 9, K + 10,
                                   K + 11, K + 12, K + 13, K + 14, K + 15);
#else
    return __builtin_shufflevector(a, b, K, K + 1, K + 2, K + 3, K + 4, K + 5, K + 6, K + 7);
#endif
}

/// Sums of K entries from each entry of a register on, and of the t-th times sign t: v and u. Twice as many of them are
/// two such sums.
struct Pair {
    fw v{}, u{};
};
template <int K>
inline Pair twice_as_many(const Pair& a, const Pair& b, float sign)
{
    const fw v = behind<K>(a.v, b.v);
    return {a.v + v, a.u + behind<K>(a.u, b.u) + v * (sign * float(K))};
}
struct Single {
    fw v{};
};
template <int K>
inline Single twice_as_many(const Single& a, const Single& b, float)
{
    return {a.v + behind<K>(a.v, b.v)};
}
inline void store_sums(float* at, std::size_t, const Single& sums)
{
    store(at, sums.v);
}
inline void store_sums(float* at, std::size_t channel, const Pair& sums)
{
    store(at, sums.v);
    store(at + channel, sums.u);
}

/// Sums of eight entries of a row from every place on, and from places before it: `load(x)` gives entries of it. Left
/// in `eights`, u `channel` behind v, with zeros from kRowEnd before the row to kRowEnd behind it.
template <class Sums, class Load>
inline void eights_of_row(std::size_t n, float sign, const Load& load, float* eights, std::size_t channel)
{
    constexpr std::size_t kLate = 3 * kWide;  // what comes in at x is in the sums from x - kLate on
    for (std::size_t k = kRowEnd; k > kLate; k -= kWide) store_sums(eights - k, channel, Sums{});
    Sums one, two, four;
    const auto take = [&](std::size_t x, const Sums& next) {
        const Sums next_two = twice_as_many<1>(one, next, sign), next_four = twice_as_many<2>(two, next_two, sign);
        store_sums(eights + x - kLate, channel, twice_as_many<4>(four, next_four, sign));
        one = next, two = next_two, four = next_four;
    };
    std::size_t x = 0;
    for (; x < n; x += kWide) take(x, load(x));
    const std::size_t end = x;
    for (; x < end + kLate; x += kWide) take(x, Sums{});
    for (std::size_t k = 0; k < kRowEnd; k += kWide) store_sums(eights + end + k, channel, Sums{});
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
                    return Pair{load<fw>(a + x), fw{}};
                },
                scratch + c * step, 3 * step);
        }
    with_window(window, [&]<int Core, int Eights>() {
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const a = in + c * channel + window.middle, *const v = scratch + c * step,
                               *const u = v + 3 * step;
            float *const s_out = out + c * channel, *const m_out = s_out + 3 * channel;
            for (std::size_t x = 0; x < n; x += kWide) {
                fw s = load<fw>(a + x), m{};
                for (int k = 1; k <= Core; ++k) {
                    const fw before = load<fw>(a + x - k), after = load<fw>(a + x + k);
                    s += before + after;
                    m += (after - before) * float(k);
                }
                if (Eights != 0) m += s * float(window.middle);
                for_eights<Eights>(window, [&](int o) {
                    const fw eight = load<fw>(v + std::ptrdiff_t(x) + o);
                    s += eight;
                    m += load<fw>(u + std::ptrdiff_t(x) + o) + eight * float(o);
                });
                store(s_out + x, s);
                store(m_out + x, m);
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
                    return Pair{load<fw>(f + x), load<fw>(p + x)};
                },
                scratch + c * step, 3 * step);
        }
    with_window(window, [&]<int Core, int Eights>() {
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const p = in + c * channel + window.middle, *const f = p + 3 * channel;
            const float *const v = scratch + c * step, *const u = v + 3 * step;
            for (std::size_t x = 0; x < n; x += kWide) {
                fw s = load<fw>(p + x), all{};
                if (Eights != 0) all = load<fw>(f + x);
                for (int k = 1; k <= Core; ++k) {
                    const fw before = load<fw>(f + x - k), after = load<fw>(f + x + k);
                    s += (load<fw>(p + x - k) + load<fw>(p + x + k)) + (before - after) * float(k);
                    all += before + after;
                }
                if (Eights != 0) s -= all * float(window.middle);
                for_eights<Eights>(window, [&](int o) {
                    s += load<fw>(u + std::ptrdiff_t(x) + o) - load<fw>(v + std::ptrdiff_t(x) + o) * float(o);
                });
                store(out + c * channel + x, s);
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
                n, 1, [&](std::size_t x) { return Single{load<fw>(a + x)}; }, scratch + c * step, 0);
        }
    with_window(window, [&]<int Core, int Eights>() {
        for (std::size_t c = 0; c < 3; ++c) {
            const float *const a = in + c * channel + window.middle, *const v = scratch + c * step;
            for (std::size_t x = 0; x < n; x += kWide) {
                fw s = load<fw>(a + x);
                for (int k = 1; k <= Core; ++k) s += load<fw>(a + x - k) + load<fw>(a + x + k);
                for_eights<Eights>(window, [&](int o) { s += load<fw>(v + std::ptrdiff_t(x) + o); });
                store(out + c * channel + x, s);
            }
        }
    });
}

/// Calls each(x, value of each row) along rows, of which all or none have bits.
template <class Each, class... Rows>
inline void for_each_chosen(std::size_t n, const Each& each, const Rows&... rows)
{
    const bool choose = ((rows.bits != nullptr) && ...);
    if (choose)
        for (std::size_t x = 0; x < n; x += kWide)
            each(x, [&, mask = in_set<fw>(rows.bits + x, rows.set)](std::size_t c) {
                return mask ? load<fw>(rows.data + c * rows.channel + x) : fw{};
            }...);
    else
        for (std::size_t x = 0; x < n; x += kWide)
            each(x, [&](std::size_t c) { return load<fw>(rows.data + c * rows.channel + x); }...);
}

void box_enter(const PlaneRow& plane, float from, const SlidingRow& sums)
{
    const auto add_plane = [&](std::size_t x, const auto& value) {
        for (std::size_t c = 0; c < 3; ++c) {
            float *const s = sums.data + c * sums.channel + x, *const m = s + 3 * sums.channel;
            const fw a = value(c);
            store(s, load<fw>(s) + a);
            store(m, load<fw>(m) + a * from);
        }
    };
    for_each_chosen(sums.n, add_plane, plane);
}

void box_slide(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums)
{
    const float w = float(width), w1 = float(width + 1);
    const auto step = [&](std::size_t x, const auto& value, const auto& old_value) {
        for (std::size_t c = 0; c < 3; ++c) {
            float *const s = sums.data + c * sums.channel + x, *const m = s + 3 * sums.channel;
            const fw a = value(c), b = old_value(c), sum = load<fw>(s);
            store(m, load<fw>(m) - sum + (a * w + b * w1));
            store(s, sum + (a - b));
        }
    };
    for_each_chosen(sums.n, step, fresh, old);
}

void box_three(const PlaneRow& before, const PlaneRow& here, const PlaneRow& after, const SlidingRow& sums)
{
    const auto sum = [&](std::size_t x, const auto& value_before, const auto& value, const auto& value_after) {
        for (std::size_t c = 0; c < 3; ++c) {
            const fw a = value_before(c), b = value_after(c);
            store(sums.data + c * sums.channel + x, value(c) + (a + b));
            store(sums.data + (3 + c) * sums.channel + x, b - a);
        }
    };
    for_each_chosen(sums.n, sum, before, here, after);
}

void box_three_back(const PlaneRow& before, const PlaneRow& here, const PlaneRow& after, const SlidingRow& sums)
{
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kWide) {
            const auto at = [&](const PlaneRow& plane, std::size_t k) {
                return load<fw>(plane.data + k * plane.channel + x);
            };
            store(sums.data + c * sums.channel + x,
                  at(here, c) + (at(before, c) + at(after, c)) + (at(before, 3 + c) - at(after, 3 + c)));
        }
}

void box_add_chosen(const PlaneRow& plane, const SlidingRow& sums)
{
    const auto add_plane = [&](std::size_t x, const auto& value) {
        for (std::size_t c = 0; c < 3; ++c) {
            float* const s = sums.data + c * sums.channel + x;
            store(s, load<fw>(s) + value(c));
        }
    };
    for_each_chosen(sums.n, add_plane, plane);
}

void box_enter_back(const PlaneRow& plane, float from, const SlidingRow& sums)
{
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kWide) {
            float *const u = sums.data + c * sums.channel + x, *const v = u + 3 * sums.channel;
            const float* const p = plane.data + c * plane.channel + x;
            const fw f = load<fw>(p + 3 * plane.channel);
            store(u, load<fw>(u) + (load<fw>(p) - f * from));
            store(v, load<fw>(v) + f);
        }
}

void box_slide_back(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums)
{
    const float w = float(width), w1 = float(width + 1);
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t x = 0; x < sums.n; x += kWide) {
            float *const u = sums.data + c * sums.channel + x, *const v = u + 3 * sums.channel;
            const float *const a = fresh.data + c * fresh.channel + x, *const b = old.data + c * old.channel + x;
            const fw fa = load<fw>(a + 3 * fresh.channel), fb = load<fw>(b + 3 * old.channel), sum = load<fw>(v);
            store(u, load<fw>(u) + sum + (load<fw>(a) - fa * w) - (load<fw>(b) + fb * w1));
            store(v, sum + (fa - fb));
        }
}

void box_mask(const MaskedBlocks& blocks, const float* in, float* out)
{
    for (std::size_t k = 0; k < blocks.count; ++k) {
        const auto kept = in_set<f8>(blocks.bits + k * blocks.bits_step, blocks.set);
        for (std::size_t c = 0; c < blocks.channels; ++c) {
            const std::size_t at = c * blocks.channel + k * blocks.step;
            store8(out + at, (kept ? load8(in + at) : f8{}));
        }
    }
}

void box_add_masked(const MaskedBlocks& blocks, const float* in, float* out)
{
    for (std::size_t k = 0; k < blocks.count; ++k) {
        const auto kept = in_set<f8>(blocks.bits + k * blocks.bits_step, blocks.set);
        for (std::size_t c = 0; c < blocks.channels; ++c) {
            const std::size_t at = c * blocks.channel + k * blocks.step;
            store8(out + at, load8(out + at) + (kept ? load8(in + at) : f8{}));
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
        box_block_moments(column.values + k * column.step, column.channel, column.blocks[k], column.cell, A, c);
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
                box_block_moments(column.values + (first + k) * column.step, column.channel, block, column.cell, M,
                                  c[k]);
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
                    store8(column.values + (first + k) * column.step + e * column.channel, f8{});
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
            float* const out = column.values + (first + k) * column.step;
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
