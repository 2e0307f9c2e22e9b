// Lanes of three channels, and the kernels of box_kernels.h along lines of them; included behind kernels.inl, whose
// vector helpers it uses.

/// As many lanes as a register has: sixteen, eight or four.
#if defined(__AVX512F__)
using fw = float __attribute__((vector_size(64)));
#elif defined(__AVX__)
using fw = f8;
#else
using fw = f4;
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
inline void slide(const Window& window, int w, float* scratch, Sums sums)
{
    constexpr std::size_t kKept = 6 * Sums::kLanes;
    const int n = window.n, begin = window.begin(), end = window.end(), length = 2 * w + 1;
    for (int b = 0; b - w < end; b += length) {
        const int first = b - w > begin ? b - w : begin, last = b + w < end - 1 ? b + w : end - 1;  // windows around
        if (first > last) continue;                                                                 // these
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

/// An entry and those up to W before and behind it, in registers.
template <int W, class V>
struct Ring {
    Three<V> at[2 * W + 1]{};

    void enter(const Three<V>& next)
    {
        for (int k = 0; k < 2 * W; ++k) at[k] = at[k + 1];
        at[2 * W] = next;
    }
    const Three<V>& here() const { return at[W]; }
    Three<V> sum(int k) const { return sum_of(at[W - k], at[W + k]); }
    Three<V> rise(int k) const { return difference(at[W + k], at[W - k]); }
};
/// enter(j, whether it is on the line) with the entries from W before the first window on, and give(i) as soon as all
/// up to W behind i have entered.
template <int W, class Enter, class Give>
inline void pass_ring(const Window& window, const Enter& enter, const Give& give)
{
    const auto inside = [&](int j) { return j >= 0 && j < window.n; };
    for (int j = window.begin() - W; j < window.begin() + W; ++j) enter(j, inside(j));
    for (int i = window.begin(); i < window.end(); ++i) {
        enter(i + W, inside(i + W));
        give(i);
    }
}

template <class Lines>
struct PlainSums {
    static constexpr int kNear = 3;  ///< windows up to this are summed from a ring
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
    template <int W>
    void near() const
    {
        Ring<W, V> ring;
        pass_ring<W>(
            window, [&](int j, bool inside) { ring.enter(inside ? read(j) : Three<V>{}); },
            [&](int i) {
                Three<V> all = ring.here();
                for (int k = 1; k <= W; ++k) add(all, ring.sum(k));
                Lines::write(out, window, i, all);
            });
    }
};

template <class Lines>
struct MomentSums {
    static constexpr int kNear = 3;
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
    template <int W>
    void near() const
    {
        Ring<W, V> ring;
        pass_ring<W>(
            window, [&](int j, bool inside) { ring.enter(inside ? read(j) : Three<V>{}); },
            [&](int i) {
                Three<V> all = ring.here(), moment{};
                for (int k = 1; k <= W; ++k) {
                    add(all, ring.sum(k));
                    add(moment, ring.rise(k), float(k));
                }
                Lines::write(out, window, i, all);
                Lines::write(out_m, window, i, moment);
            });
    }
};

template <class Lines>
struct SpreadSums {
    static constexpr int kNear = 1;  // two rings fill the registers
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
    template <int W>
    void near() const
    {
        Ring<W, V> p, f;
        pass_ring<W>(
            window,
            [&](int j, bool inside) {
                p.enter(inside ? Lines::read(p_in, window, j) : Three<V>{});
                f.enter(inside ? Lines::read(f_in, window, j) : Three<V>{});
            },
            [&](int i) {
                Three<V> all = p.here();
                for (int k = 1; k <= W; ++k) {
                    add(all, p.sum(k));
                    add(all, f.rise(k), float(-k));
                }
                Lines::write(out, window, i, all);
            });
    }
};

template <class Sums>
inline void run_window(const Window& window, const Sums& sums)
{
    // No window need reach farther than from one end to the other.
    const int begin = window.begin() < 0 ? window.begin() : 0, end = window.end() > window.n ? window.end() : window.n;
    const int w = window.width < end - begin - 1 ? window.width : end - begin - 1;
    if (w == 1) return sums.template near<1>();
    if constexpr (Sums::kNear == 3) {
        if (w == 2) return sums.template near<2>();
        if (w == 3) return sums.template near<3>();
    }
    slide(window, w, window.scratch, sums);
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
    if constexpr (kWide == 16) return with.template operator()<fw>();
    with.template operator()<f8>();
    if (window.in.bits) window.in.bits += kLanes;
    if (window.out.bits) window.out.bits += kLanes;
    (second_half(lines), ...);
    with.template operator()<f8>();
}

[[gnu::flatten]] void box_sum(const Line& in, const Window& window, const LineOut& out)
{
    const auto run = []<class L>(const Window& w, const Line& from, const LineOut& to) {
        run_window(w, PlainSums<L>{from, w, to});
    };
    for_lanes(window, run, in, out);
}

[[gnu::flatten]] void box_moment(const Line& in, const Window& window, const LineOut& s, const LineOut& m)
{
    const auto run = []<class L>(const Window& w, const Line& from, const LineOut& to_s, const LineOut& to_m) {
        run_window(w, MomentSums<L>{from, w, to_s, to_m});
    };
    for_lanes(window, run, in, s, m);
}

[[gnu::flatten]] void box_spread(const Line& p, const Line& f, const Window& window, const LineOut& s)
{
    const auto run = []<class L>(const Window& w, const Line& from_p, const Line& from_f, const LineOut& to) {
        run_window(w, SpreadSums<L>{from_p, from_f, w, to});
    };
    for_lanes(window, run, p, f, s);
}
