// The loops over panels of implicit_kernels.h: solving with a factor, and making it. Part of implicit_kernels.inl.

constexpr std::size_t kParts = kPanel / kWidth;  // of a column

/// Without the fourth number: the row after it waits for no more than it needs.
inline void store_triple(float* p, f4 v)
{
    __builtin_memcpy(p, &v, 2 * sizeof(float));
    p[2] = v[2];
}

/// Columns times weights: one more column.
template <std::size_t Count>
inline void add_columns(const float* columns, const Lanes (&weights)[Count], Lanes (&sum)[kParts])
{
    constexpr std::size_t kChains = 3;  // that do not wait for one another
    for (std::size_t part = 0; part < kParts; ++part) {
        Lanes chain[kChains] = {};
#pragma GCC unroll 16
        for (std::size_t j = 0; j < Count; ++j)
            chain[j % kChains] += load(columns + kPanel * j + kWidth * part) * weights[j];
        sum[part] = (chain[0] + chain[1]) + chain[2];
    }
}

template <std::size_t Rows>
inline void substitute_panel(const float* numbers, const std::int32_t* rows, std::size_t count, float* own, float* v,
                             float* scratch)
{
    constexpr std::size_t kColumns = 3 * Rows;
    Lanes weights[kColumns], sum[kParts];
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kColumns; ++j) weights[j] = splat(own[j]);
    add_columns(numbers, weights, sum);
    float solved[kPanel];
    for (std::size_t part = 0; part < kParts; ++part) store(solved + kWidth * part, sum[part]);
    for (std::size_t j = 0; j < kColumns; ++j) own[j] = solved[j];
    for (std::size_t k = 0; k < 3 * count; k += kPanel) {
        numbers += kPanel * kColumns;
        add_columns(numbers, weights, sum);
        for (std::size_t part = 0; part < kParts; ++part) store(scratch + k + kWidth * part, sum[part]);
    }
    for (std::size_t k = 0; k < count; ++k) {
        float* const to = v + 3 * std::size_t(rows[k]);
        store_triple(to, load4(to) - load4(scratch + 3 * k));
    }
}

/// The sums of all lanes of four columns.
inline f4 sum_columns(const Lanes (&a)[kParts], const Lanes (&b)[kParts], const Lanes (&c)[kParts],
                      const Lanes (&d)[kParts])
{
    const auto fold = [](const Lanes(&column)[kParts]) -> f4 {
        using f8 = float __attribute__((vector_size(32)));
#ifdef __AVX512F__
        const f8 half = __builtin_shufflevector(column[0], column[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                        __builtin_shufflevector(column[0], column[0], 8, 9, 10, 11, 12, 13, 14, 15);
#else
        const f8 half = column[0] + column[1];
#endif
        return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
    };
    const f4 p = fold(a), q = fold(b), r = fold(c), s = fold(d);
    const f4 pq = __builtin_shufflevector(p, q, 0, 4, 1, 5) + __builtin_shufflevector(p, q, 2, 6, 3, 7);
    const f4 rs = __builtin_shufflevector(r, s, 0, 4, 1, 5) + __builtin_shufflevector(r, s, 2, 6, 3, 7);
    return __builtin_shufflevector(pq, rs, 0, 1, 4, 5) + __builtin_shufflevector(pq, rs, 2, 3, 6, 7);
}

template <std::size_t Rows>
inline void substitute_panel_back(const float* numbers, const std::int32_t* rows, std::size_t count, float* own,
                                  const float* v, float* scratch)
{
    constexpr std::size_t kColumns = 3 * Rows, kFours = (kColumns + 3) / 4;
    for (std::size_t k = 0; k < count; ++k) store4(scratch + 3 * k, load4(v + 3 * std::size_t(rows[k])));
    const Lanes zero{};
    for (std::size_t part = 0; part < 2; ++part) store(scratch + 3 * count + kWidth * part, zero);
    Lanes sum[4 * kFours][kParts] = {};
    for (std::size_t k = 0; k < 3 * count; k += kPanel) {
        numbers += kPanel * kColumns;
        for (std::size_t part = 0; part < kParts; ++part) {
            const Lanes at = load(scratch + k + kWidth * part);
#pragma GCC unroll 16
            for (std::size_t j = 0; j < kColumns; ++j) sum[j][part] += load(numbers + kPanel * j + kWidth * part) * at;
        }
    }
    float sums[4 * kFours];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4 * kFours; j += 4)
        store4(sums + j, sum_columns(sum[j], sum[j + 1], sum[j + 2], sum[j + 3]));
    for (std::size_t j = 0; j < kColumns; ++j) own[j] -= sums[j];
}

inline void substitute(const PanelColumns& panels, std::size_t first, std::size_t last, float* v, float* scratch)
{
    for (std::size_t p = first; p < last; ++p) {
        const float* const numbers = panels.numbers + panels.values[p];
        const std::int32_t* const rows = panels.rows + panels.offsets[p];
        const auto count = std::size_t(panels.offsets[p + 1] - panels.offsets[p]);
        float* const own = v + 3 * std::size_t(panels.first[p]);
        switch (panels.first[p + 1] - panels.first[p]) {
            case 1:
                substitute_panel<1>(numbers, rows, count, own, v, scratch);
                break;
            case 2:
                substitute_panel<2>(numbers, rows, count, own, v, scratch);
                break;
            case 3:
                substitute_panel<3>(numbers, rows, count, own, v, scratch);
                break;
            case 4:
                substitute_panel<4>(numbers, rows, count, own, v, scratch);
                break;
            default:
                substitute_panel<5>(numbers, rows, count, own, v, scratch);
        }
    }
}

inline void substitute_back(const PanelColumns& panels, std::size_t first, std::size_t last, float* v, float* scratch)
{
    for (std::size_t p = last; p-- > first;) {
        const float* const numbers = panels.numbers + panels.values[p];
        const std::int32_t* const rows = panels.rows + panels.offsets[p];
        const auto count = std::size_t(panels.offsets[p + 1] - panels.offsets[p]);
        float* const own = v + 3 * std::size_t(panels.first[p]);
        switch (panels.first[p + 1] - panels.first[p]) {
            case 1:
                substitute_panel_back<1>(numbers, rows, count, own, v, scratch);
                break;
            case 2:
                substitute_panel_back<2>(numbers, rows, count, own, v, scratch);
                break;
            case 3:
                substitute_panel_back<3>(numbers, rows, count, own, v, scratch);
                break;
            case 4:
                substitute_panel_back<4>(numbers, rows, count, own, v, scratch);
                break;
            default:
                substitute_panel_back<5>(numbers, rows, count, own, v, scratch);
        }
    }
}

inline void multiply_columns(const Columns& a, const double* weights, std::size_t weight_stride, double* out,
                             std::size_t stride)
{
    for (std::size_t row = 0; row < a.rows; row += kTetWidth) {
        Doubles sum[3] = {};
        for (std::size_t j = 0; j < a.columns; ++j) {
            const Doubles column = load_doubles(a.at + a.stride * j + row);
            for (std::size_t c = 0; c < 3; ++c) sum[c] += column * (Doubles{} + weights[weight_stride * j + c]);
        }
        for (std::size_t c = 0; c < 3; ++c) __builtin_memcpy(out + stride * c + row, &sum[c], sizeof sum[c]);
    }
}
