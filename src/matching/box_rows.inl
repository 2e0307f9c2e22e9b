// The kernels of box_kernels.h along rows, where the lanes of a register are neighbours.

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
