// The loops of layer_kernels.h, included by one file per instruction set inside its own namespace.

using f4 = float __attribute__((vector_size(16)));
using f8 = float __attribute__((vector_size(32)));
using i8 = std::int32_t __attribute__((vector_size(32)));

inline f4 load4(const float* p)
{
    f4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline f8 load8(const float* p)
{
    f8 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// e^x for |x| < 80 to 2e-7 of itself.
inline f8 exponential(f8 x)
{
    const f8 y = x * 1.44269504f;
    const i8 whole = __builtin_convertvector(y + 128.5f, i8) - 128;
    const f8 f = y - __builtin_convertvector(whole, f8);  // in [-1/2, 1/2]
    const f8 p = 1 + f * (0.693147182f + f * (0.240226507f + f * (0.0555041087f +
                 f * (0.00961812911f + f * (0.00133335581f + f * 0.000154035304f)))));
    return p * (f8)((whole + 127) << 23);
}

void add_charts(const CurveView& curve, const float* times, const float* exponents, float weight, std::size_t count,
                float* logs)
{
    for (std::size_t k = 0; k < count; ++k) {
        const float time = times[k];
        std::uint32_t at = curve.first[std::int32_t(time * curve.bins_per_second)];
        while (time >= curve.pieces[at].c[1][3]) ++at;
        const float* const c = curve.pieces[at].c[0];
        const f4 c0 = load4(c), c1 = load4(c + 4), c2 = load4(c + 8), c3 = load4(c + 12);
        const float s = time - c0[3];
        const f4 sum = load4(logs + kLogSize * k) + (c0 + s * (c1 + s * (c2 + s * c3))) * (weight * exponents[k]);
        __builtin_memcpy(logs + kLogSize * k, &sum, sizeof sum);
    }
}

/// Rows become columns, of six rows.
inline void store_stretches(const f8 (&s)[6], std::size_t count, Sym3* out)
{
    const f8 none{};
    const f8 a0 = __builtin_shufflevector(s[0], s[1], 0, 8, 1, 9, 4, 12, 5, 13),
             a1 = __builtin_shufflevector(s[0], s[1], 2, 10, 3, 11, 6, 14, 7, 15),
             a2 = __builtin_shufflevector(s[2], s[3], 0, 8, 1, 9, 4, 12, 5, 13),
             a3 = __builtin_shufflevector(s[2], s[3], 2, 10, 3, 11, 6, 14, 7, 15),
             a4 = __builtin_shufflevector(s[4], s[5], 0, 8, 1, 9, 4, 12, 5, 13),
             a5 = __builtin_shufflevector(s[4], s[5], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 b[4] = {__builtin_shufflevector(a0, a2, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(a0, a2, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(a1, a3, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(a1, a3, 2, 3, 10, 11, 6, 7, 14, 15)};
    const f8 c[4] = {__builtin_shufflevector(a4, none, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(a4, none, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(a5, none, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(a5, none, 2, 3, 10, 11, 6, 7, 14, 15)};
    f8 rows[kEight];
    for (std::size_t k = 0; k < 4; ++k) {
        rows[k] = __builtin_shufflevector(b[k], c[k], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[4 + k] = __builtin_shufflevector(b[k], c[k], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (std::size_t k = 0; k + 1 < count; ++k)
        __builtin_memcpy(reinterpret_cast<char*>(out + k), &rows[k], sizeof rows[k]);  // the end is the next one's
    __builtin_memcpy(reinterpret_cast<char*>(out + count - 1), &rows[count - 1], sizeof(Sym3));
}

void stretches(const FrameView& frames, const float* logs, std::size_t first, std::size_t count, Sym3* out)
{
    for (std::size_t k = 0; k < count; k += kEight, logs += kEight * kLogSize) {
        const std::size_t r = first + k;
        f8 rows[4];
        for (std::size_t n = 0; n < 4; ++n) rows[n] = join(load4(logs + 4 * n), load4(logs + 16 + 4 * n));
        const f8 a = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13),
                 b = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15),
                 c = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13),
                 d = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
        const f8 l1 = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                 l2 = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                 l3 = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
        const f8 both = load8(frames.both + r), stroke = load8(frames.stroke + r), gradient = load8(frames.gradient + r);
        const f8 neither = (1 - both - stroke - gradient) * ((l1 + l2 + l3) * (1.0f / 3));
        const f8 across = stroke * 0.5f * (l2 + l3), within = gradient * 0.5f * (l1 + l3);
        const f8 e1 = exponential((both + stroke) * l1 + within + neither),
                 e2 = exponential((both + gradient) * l2 + across + neither),
                 e3 = exponential(both * l3 + across + within + neither);
        // e3 I + (e1 - e3) d1 d1^T + (e2 - e3) d2 d2^T
        const f8 d1[3] = {load8(frames.d1[0] + r), load8(frames.d1[1] + r), load8(frames.d1[2] + r)};
        const f8 d2[3] = {load8(frames.d2[0] + r), load8(frames.d2[1] + r), load8(frames.d2[2] + r)};
        const f8 u = e1 - e3, v = e2 - e3;
        const f8 ux = u * d1[0], uy = u * d1[1], vx = v * d2[0], vy = v * d2[1];
        const f8 T[6] = {e3 + ux * d1[0] + vx * d2[0], e3 + uy * d1[1] + vy * d2[1],
                         e3 + u * d1[2] * d1[2] + v * d2[2] * d2[2], uy * d1[2] + vy * d2[2],
                         ux * d1[2] + vx * d2[2], ux * d1[1] + vx * d2[1]};
        store_stretches(T, count - k < kEight ? count - k : kEight, out + k);
    }
}

constexpr LayerKernels table()
{
    return {add_charts, stretches};
}
