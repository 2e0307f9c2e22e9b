// The loops of kernels.h, included by one file per instruction set inside its own namespace. Written with the
// compiler's vector types; nothing here may call inline functions of other headers, which would then exist in two
// versions under one name.

using f4 = float __attribute__((vector_size(16)));

#ifdef __AVX512F__
using Lanes = float __attribute__((vector_size(64)));
using Mask = std::int32_t __attribute__((vector_size(64)));
#else
using Lanes = float __attribute__((vector_size(32)));
using Mask = std::int32_t __attribute__((vector_size(32)));
#endif
constexpr std::size_t kWidth = sizeof(Lanes) / sizeof(float);
static_assert(kLanes % kWidth == 0);

inline f4 load4(const float* p)
{
    f4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline void store4(float* p, f4 v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline Lanes load(const float* p)
{
    Lanes v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline void store(float* p, Lanes v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline Lanes splat(float s)
{
    return Lanes{} + s;
}

// Shuffles within every four lanes.
#ifdef __AVX512F__
#define SHUFFLE(a, b, i, j, k, l)                                                                                     \
    __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8, l + 8, i + 12, j + 12, \
                            k + 12, l + 12)
#else
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4)
#endif
constexpr int W = int(kWidth);
inline Lanes interleave_low(Lanes a, Lanes b)
{
    return SHUFFLE(a, b, 0, W, 1, W + 1);
}
inline Lanes interleave_high(Lanes a, Lanes b)
{
    return SHUFFLE(a, b, 2, W + 2, 3, W + 3);
}
inline Lanes join_low(Lanes a, Lanes b)
{
    return SHUFFLE(a, b, 0, 1, W, W + 1);
}
inline Lanes join_high(Lanes a, Lanes b)
{
    return SHUFFLE(a, b, 2, 3, W + 2, W + 3);
}
#undef SHUFFLE

/// Lanes k, k + 4, ... of one corner's vectors, for k = 0..3.
struct Rows {
    Lanes r[4];
};

inline Rows load_corner(const float* fours, const std::uint16_t* node)
{
    Rows rows;
    for (int k = 0; k < 4; ++k) {
        const auto at = [&](int lane) { return fours + 2 * std::size_t(node[lane]); };
#ifdef __AVX512F__
        __m512 row = _mm512_castps128_ps512(_mm_loadu_ps(at(k)));
        row = _mm512_insertf32x4(row, _mm_loadu_ps(at(k + 4)), 1);
        row = _mm512_insertf32x4(row, _mm_loadu_ps(at(k + 8)), 2);
        rows.r[k] = (Lanes)_mm512_insertf32x4(row, _mm_loadu_ps(at(k + 12)), 3);
#elif defined(__AVX__)
        rows.r[k] =
            (Lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at(k))), _mm_loadu_ps(at(k + 4)), 1);
#else
        rows.r[k] = __builtin_shufflevector(load4(at(k)), load4(at(k + 4)), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
    }
    return rows;
}

/// x, y, z of all lanes from rows.
inline void to_lanes(const Rows& rows, Lanes (&out)[3])
{
    const Lanes a = interleave_low(rows.r[0], rows.r[1]), b = interleave_low(rows.r[2], rows.r[3]);
    const Lanes c = interleave_high(rows.r[0], rows.r[1]), d = interleave_high(rows.r[2], rows.r[3]);
    out[0] = join_low(a, b);
    out[1] = join_high(a, b);
    out[2] = join_low(c, d);
}

inline Rows to_rows(const Lanes (&in)[3])
{
    const Lanes zero{};
    const Lanes a = interleave_low(in[0], in[1]), b = interleave_high(in[0], in[1]);
    const Lanes c = interleave_low(in[2], zero), d = interleave_high(in[2], zero);
    return {{join_low(a, c), join_high(a, c), join_low(b, d), join_high(b, d)}};
}

/// The edges from corner 0 to the others: [edge][axis].
inline void load_edges(const float* fours, const BlockNodes& nodes, std::size_t first, Lanes (&edges)[3][3])
{
    const Rows origin = load_corner(fours, nodes.node[0] + first);
    for (int a = 0; a < 3; ++a) {
        Rows edge = load_corner(fours, nodes.node[a + 1] + first);
        for (int k = 0; k < 4; ++k) edge.r[k] -= origin.r[k];
        to_lanes(edge, edges[a]);
    }
}

inline bool any(Mask mask)
{
    std::int32_t together = 0;
    for (int lane = 0; lane < W; ++lane) together |= mask[lane];
    return together != 0;
}

/// m = edges g, g an upper triangle by rows.
inline void gradient(const Lanes (&edges)[3][3], const Lanes (&g)[6], Lanes (&m)[3][3])
{
    for (int i = 0; i < 3; ++i) {
        m[i][0] = edges[0][i] * g[0];
        m[i][1] = edges[0][i] * g[1] + edges[1][i] * g[3];
        m[i][2] = edges[0][i] * g[2] + edges[1][i] * g[4] + edges[2][i] * g[5];
    }
}

/// stress = constants : strain, or added to it; order xx yy zz xy xz yz, shear of the strain doubled.
template <bool Isotropic, bool Add>
inline void get_stress(const float* constants, const Lanes (&e)[6], Lanes (&stress)[6])
{
    if constexpr (Isotropic) {
        const Lanes lambda = load(constants), mu = load(constants + kLanes);
        const Lanes trace = lambda * (e[0] + e[1] + e[2]), two_mu = mu + mu;
        for (int I = 0; I < 3; ++I) {
            const Lanes normal = trace + two_mu * e[I], shear = mu * e[3 + I];
            stress[I] = Add ? stress[I] + normal : normal;
            stress[3 + I] = Add ? stress[3 + I] + shear : shear;
        }
    } else {
        const float* c = constants;
        for (int I = 0; I < 6; ++I)
            for (int J = I; J < 6; ++J, c += kLanes) {
                const Lanes entry = load(c);
                stress[I] = Add || I + J > 0 ? stress[I] + entry * e[J] : entry * e[J];
                if (J != I) stress[J] = Add || I > 0 ? stress[J] + entry * e[I] : entry * e[I];
            }
    }
}

/// Forces on the corners of the tets of a block from lane `first` on. A call for every block would cost a tenth.
template <bool Isotropic, bool Viscous>
__attribute__((always_inline)) inline void corner_forces(const ChunkView& chunk, std::size_t block, std::size_t first,
                                                         float* out)
{
    constexpr std::size_t kConstants = Isotropic ? 2 : 21;
    constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
    const Lanes one = splat(1), limit = splat(kBarrierVolume);
    const float* const constants = chunk.constants + block * block_floats(Isotropic, Viscous) + first;
    const BlockNodes& nodes = chunk.nodes[block];
    Lanes g[6], edges[3][3], F[3][3];
    for (int k = 0; k < 6; ++k) g[k] = load(constants + kLanes * std::size_t(k));
    load_edges(chunk.positions, nodes, first, edges);
    gradient(edges, g, F);

    Lanes stress[6];
    {
        Lanes e[6];
        for (int I = 0; I < 6; ++I) {
            const int i = kFirst[I], j = kSecond[I];
            const Lanes product = F[0][i] * F[0][j] + F[1][i] * F[1][j] + F[2][i] * F[2][j];
            e[I] = I < 3 ? product - one : product + product;
        }
        get_stress<Isotropic, false>(constants + 6 * kLanes, e, stress);
    }
    if (chunk.prestress)
        for (int I = 0; I < 6; ++I) stress[I] -= load(chunk.prestress + (6 * block + std::size_t(I)) * kLanes + first);
    if constexpr (Viscous) {
        Lanes rate[3][3], e[6];
        load_edges(chunk.velocities, nodes, first, edges);
        gradient(edges, g, rate);
        for (int I = 0; I < 6; ++I) {
            const int i = kFirst[I], j = kSecond[I];
            Lanes sum{};
            for (int k = 0; k < 3; ++k) sum += F[k][i] * rate[k][j] + F[k][j] * rate[k][i];
            e[I] = I < 3 ? sum : sum + sum;
        }
        get_stress<Isotropic, true>(constants + (6 + kConstants) * kLanes, e, stress);
    }

    Lanes P[3][3];  // half the volume times F sigma
    for (int i = 0; i < 3; ++i) {
        P[i][0] = F[i][0] * stress[0] + F[i][1] * stress[3] + F[i][2] * stress[4];
        P[i][1] = F[i][0] * stress[3] + F[i][1] * stress[1] + F[i][2] * stress[5];
        P[i][2] = F[i][0] * stress[4] + F[i][1] * stress[5] + F[i][2] * stress[2];
    }
    if (chunk.barriers) {
        Lanes cofactor[3][3];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                cofactor[i][j] = F[i1][j1] * F[i2][j2] - F[i1][j2] * F[i2][j1];
            }
        const Lanes volume = F[0][0] * cofactor[0][0] + F[0][1] * cofactor[0][1] + F[0][2] * cofactor[0][2];
        const Mask squeezed = volume < limit;
        if (any(squeezed)) {
            const Lanes zero{};
            const Lanes push = squeezed ? load(chunk.barriers + block * kLanes + first) * (limit - volume) : zero;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) P[i][j] -= push * cofactor[i][j];
        }
    }

    // Row k of a corner has lanes k, k + 4, ...
    const auto put = [&](int corner, const Rows& rows) {
        for (int k = 0; k < 4; ++k) store(out + (4 * std::size_t(corner) + std::size_t(k)) * kLanes + first, rows.r[k]);
    };
    Rows sum{};
    for (int a = 0; a < 3; ++a) {
        Lanes f[3];
        for (int i = 0; i < 3; ++i)
            f[i] = a == 0   ? -(P[i][0] * g[0] + P[i][1] * g[1] + P[i][2] * g[2])
                   : a == 1 ? -(P[i][1] * g[3] + P[i][2] * g[4])
                            : -(P[i][2] * g[5]);
        const Rows rows = to_rows(f);
        for (int k = 0; k < 4; ++k) sum.r[k] -= rows.r[k];
        put(a + 1, rows);
    }
    put(0, sum);
}

/// First the forces of all tets, then their sums, node by node: nothing waits for a sum that is still being made.
template <bool Isotropic, bool Viscous>
void forces(const ChunkView& chunk)
{
    constexpr std::size_t kFloatsPerBlock = kLanes * kFloatsPerTet;
    alignas(64) float scratch[kTetsPerChunk * kFloatsPerTet];
    float* const corners = chunk.corner_forces ? chunk.corner_forces : scratch;
    for (std::size_t block = 0; block < chunk.blocks; ++block) {
        if constexpr (!Isotropic) {  // so many constants that the processor does not read ahead far enough by itself
            constexpr std::size_t kFloats = block_floats(Isotropic, Viscous);
            const float* const ahead = chunk.constants + (block + 4) * kFloats;
            for (std::size_t row = 0; row < kFloats; row += kLanes) __builtin_prefetch(ahead + row);
        }
        for (std::size_t first = 0; first < kLanes; first += kWidth)
            corner_forces<Isotropic, Viscous>(chunk, block, first, corners + block * kFloatsPerBlock);
    }

    const std::uint16_t* corner = chunk.sums.corners;
    const std::uint32_t* target = chunk.sums.targets;
    for (std::size_t run = 0; run < chunk.sums.run_count; ++run) {
        float* const out = run < chunk.sums.own_runs ? chunk.forces : chunk.shares;
        const std::size_t tets = chunk.sums.runs[run].tets;
        for (const std::uint32_t* const end = target + chunk.sums.runs[run].nodes; target != end; ++target) {
            f4 sum = load4(corners + 2 * std::size_t(corner[0]));
            for (std::size_t k = 1; k < tets; ++k) sum += load4(corners + 2 * std::size_t(corner[k]));
            store4(out + 2 * std::size_t(*target), sum);
            corner += tets;
        }
    }
}

inline f4 splat4(float s)
{
    return f4{s, s, s, s};
}

inline void substitute(const FactorView& factor)
{
    float* const y = factor.vectors;
    const std::int32_t *const offsets = factor.offsets, *const rows = factor.rows;
    const float *const values = factor.values, *const inverse_diagonal = factor.inverse_diagonal;
    const std::size_t size = factor.size;
    for (std::size_t k = 0; k < size; ++k) {
        const f4 known = load4(y + 4 * k);
        for (std::int32_t e = offsets[k], end = offsets[k + 1]; e < end; ++e) {
            float* const below = y + 4 * std::size_t(rows[e]);
            store4(below, load4(below) - known * splat4(values[e]));
        }
    }
    const auto term = [&](std::int32_t e) { return load4(y + 4 * std::size_t(rows[e])) * splat4(values[e]); };
    for (std::size_t k = size; k-- > 0;) {
        f4 sum = load4(y + 4 * k) * splat4(inverse_diagonal[k]), other{};  // neither waits for the other
        std::int32_t e = offsets[k];
        const std::int32_t end = offsets[k + 1];
        for (; e + 1 < end; e += 2) sum -= term(e), other -= term(e + 1);
        if (e < end) sum -= term(e);
        store4(y + 4 * k, sum + other);
    }
}

constexpr Kernels table(const char* name)
{
    return {name, {{forces<false, false>, forces<false, true>}, {forces<true, false>, forces<true, true>}}, substitute};
}
