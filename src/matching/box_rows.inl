// The kernels of box_kernels.h along rows, where the lanes of a register are neighbours: windows are shifted copies of
// what is in registers, read from right to left, with zeros beyond the ends of a row.

/// What lies K floats behind the first of two registers.
template <int K>
inline fw behind(fw a, fw b)
{
    if constexpr (K == int(kWide)) return b;
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, K, K + 1, K + 2, K + 3, K + 4, K + 5, K + 6, K + 7, K + 8, K + 9, K + 10,
                                   K + 11, K + 12, K + 13, K + 14, K + 15);
#elif defined(__AVX__)
    return __builtin_shufflevector(a, b, K, K + 1, K + 2, K + 3, K + 4, K + 5, K + 6, K + 7);
#else
    return __builtin_shufflevector(a, b, K, K + 1, K + 2, K + 3);
#endif
}

/// A window of 2 w + 1 entries: 2 (w % 4) + 1 about the middle, or four behind it, and w / 4 times eight.
struct RowWindow {
    int width;
    constexpr int core() const { return width % 4; }
    constexpr int eights() const { return width / 4; }
    constexpr int middle() const { return eights() % 2 * 4; }
    /// Where the k-th eight starts.
    constexpr int eight(int k) const
    {
        const int left = (eights() + 1) / 2;
        return k < left ? 8 * k - width : middle() + core() + 1 + 8 * (k - left);
    }
    /// How many registers a window reaches back and ahead.
    constexpr int back() const { return (width + int(kWide) - 1) / int(kWide); }
    constexpr int ahead() const
    {
        const int last = eights() > 1 ? eight(eights() - 1) : middle() + core();
        return (last + int(kWide) - 1) / int(kWide);
    }
};

/// Registers of a row, the one that windows are about and its neighbours.
template <int Back, int Ahead>
struct Neighbours {
    fw at[Back + 1 + Ahead]{};

    void take(fw next)  ///< which lies before the others
    {
        for (int k = Back + Ahead; k > 0; --k) at[k] = at[k - 1];
        at[0] = next;
    }
    /// What lies K floats behind the entries of the middle one, from -Back registers to Ahead.
    template <int K>
    fw shifted() const
    {
        constexpr int lanes = int(kWide), first = (K + Back * lanes) / lanes, shift = (K + Back * lanes) % lanes;
        if constexpr (shift == 0)
            return at[first];
        else
            return behind<shift>(at[first], at[first + 1]);
    }
};

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
/// Sums of eight entries, register by register from right to left.
template <class Sums>
struct Eights {
    Sums one, two, four;
    Sums take(const Sums& next, float sign)
    {
        const Sums next_two = twice_as_many<1>(next, one, sign), next_four = twice_as_many<2>(next_two, two, sign);
        const Sums eight = twice_as_many<4>(next_four, four, sign);
        one = next, two = next_two, four = next_four;
        return eight;
    }
};

/// Calls each.operator()<k>() for k in [0, n).
template <int N, class Each>
inline void repeat(const Each& each)
{
    [&]<int... K>(std::integer_sequence<int, K...>)
    {
        (each.template operator()<K>(), ...);
    }
    (std::make_integer_sequence<int, N>());
}

/// Zeros for registers before a row.
inline fw load_or_zero(const float* at)
{
    return at ? load<fw>(at) : fw{};
}

/// s_i = sum of a[j], m_i = sum of (j - i) a[j]
template <int W>
struct RowMoment {
    static constexpr RowWindow kWindow{W};
    Neighbours<kWindow.back(), kWindow.ahead()> a, v, u;
    Eights<Pair> eights;

    void take(const float* at, std::size_t)
    {
        a.take(load_or_zero(at));
        if constexpr (kWindow.eights() > 0) {
            const Pair eight = eights.take({a.at[0], fw{}}, 1);
            v.take(eight.v), u.take(eight.u);
        }
    }
    void give(float* at, std::size_t channel) const
    {
        constexpr int kMiddle = kWindow.middle();
        fw s = a.template shifted<kMiddle>(), m{};
        repeat<kWindow.core()>([&]<int K>() {
            const fw before = a.template shifted<kMiddle - 1 - K>(), after = a.template shifted<kMiddle + 1 + K>();
            s += before + after;
            m += (after - before) * float(K + 1);
        });
        if (kMiddle > 0) m += s * float(kMiddle);
        repeat<kWindow.eights()>([&]<int K>() {
            constexpr int kAt = kWindow.eight(K);
            const fw eight = v.template shifted<kAt>();
            s += eight;
            m += u.template shifted<kAt>() + eight * float(kAt);
        });
        store(at, s);
        store(at + 3 * channel, m);
    }
};

/// s_i = sum of p[j] - (j - i) f[j]
template <int W>
struct RowSpread {
    static constexpr RowWindow kWindow{W};
    Neighbours<kWindow.back(), kWindow.ahead()> p, f, v, u;
    Eights<Pair> eights;

    void take(const float* at, std::size_t channel)
    {
        p.take(load_or_zero(at));
        f.take(load_or_zero(at ? at + 3 * channel : nullptr));
        if constexpr (kWindow.eights() > 0) {
            const Pair eight = eights.take({f.at[0], p.at[0]}, -1);
            v.take(eight.v), u.take(eight.u);
        }
    }
    void give(float* at, std::size_t) const
    {
        constexpr int kMiddle = kWindow.middle();
        fw s = p.template shifted<kMiddle>(), all = f.template shifted<kMiddle>();
        repeat<kWindow.core()>([&]<int K>() {
            constexpr int kBefore = kMiddle - 1 - K, kAfter = kMiddle + 1 + K;
            const fw before = f.template shifted<kBefore>(), after = f.template shifted<kAfter>();
            s += (p.template shifted<kBefore>() + p.template shifted<kAfter>()) + (before - after) * float(K + 1);
            all += before + after;
        });
        if (kMiddle > 0) s -= all * float(kMiddle);
        repeat<kWindow.eights()>([&]<int K>() {
            constexpr int kAt = kWindow.eight(K);
            s += u.template shifted<kAt>() - v.template shifted<kAt>() * float(kAt);
        });
        store(at, s);
    }
};

/// s_i = sum of a[j]
template <int W>
struct RowSum {
    static constexpr RowWindow kWindow{W};
    Neighbours<kWindow.back(), kWindow.ahead()> a, v;
    Eights<Single> eights;

    void take(const float* at, std::size_t)
    {
        a.take(load_or_zero(at));
        if constexpr (kWindow.eights() > 0) v.take(eights.take({a.at[0]}, 1).v);
    }
    void give(float* at, std::size_t) const
    {
        constexpr int kMiddle = kWindow.middle();
        fw s = a.template shifted<kMiddle>();
        repeat<kWindow.core()>(
            [&]<int K>() { s += a.template shifted<kMiddle - 1 - K>() + a.template shifted<kMiddle + 1 + K>(); });
        repeat<kWindow.eights()>([&]<int K>() { s += v.template shifted<kWindow.eight(K)>(); });
        store(at, s);
    }
};

/// Windows about all entries of rows that follow each other, three channels. A window is given as soon as what it
/// reaches back to was taken.
template <class Sums>
[[gnu::flatten]] void sum_rows(const PlaneRow& in, std::size_t row, const SlidingRow& out)
{
    constexpr std::size_t kBack = std::size_t(Sums::kWindow.back());
    const std::size_t registers = row / kWide, taken_first = kBack < registers ? kBack : registers;
    for (std::size_t begin = 0; begin < out.n; begin += row)
        for (std::size_t c = 0; c < 3; ++c) {
            const float* from = in.data + c * in.channel + begin + row;
            float* to = out.data + c * out.channel + begin + row;
            Sums sums;
            for (std::size_t k = 0; k < taken_first; ++k) sums.take(from -= kWide, in.channel);
            for (std::size_t k = taken_first; k < kBack; ++k) sums.take(nullptr, 0);
            for (std::size_t k = taken_first; k < registers; ++k) {
                sums.take(from -= kWide, in.channel);
                sums.give(to -= kWide, out.channel);
            }
            for (std::size_t k = 0; k < taken_first; ++k) {
                sums.take(nullptr, 0);
                sums.give(to -= kWide, out.channel);
            }
        }
}
/// One function for every width.
template <template <int> class Sums, int... W>
inline void sum_rows(int width, const PlaneRow& in, std::size_t row, const SlidingRow& out,
                     std::integer_sequence<int, W...>)
{
    static constexpr void (*kForWidth[])(const PlaneRow&, std::size_t, const SlidingRow&) = {&sum_rows<Sums<W>>...};
    kForWidth[width](in, row, out);
}
using Widths = std::make_integer_sequence<int, kLargestReach + 1>;

void box_row_moment(const PlaneRow& in, int width, std::size_t row, const SlidingRow& out)
{
    sum_rows<RowMoment>(width, in, row, out, Widths());
}

void box_row_spread(const PlaneRow& in, int width, std::size_t row, const SlidingRow& out)
{
    sum_rows<RowSpread>(width, in, row, out, Widths());
}

void box_row_sum(const PlaneRow& in, int width, std::size_t row, const SlidingRow& out)
{
    sum_rows<RowSum>(width, in, row, out, Widths());
}
