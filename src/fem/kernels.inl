// The loops of kernels.h, included by one file per instruction set inside its own namespace. Written with the
// compiler's vector types; nothing here may call inline functions of other headers, which would then exist in two
// versions under one name.

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
inline void store8(float* p, f8 v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline f8 splat(float s)
{
    return f8{s, s, s, s, s, s, s, s};
}
inline bool any(i8 mask)
{
    using Pairs = long long __attribute__((vector_size(32)));
    const Pairs m = (Pairs)mask;
    return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
}

/// Lanes k and k + 4 of one corner's vectors, for k = 0..3.
struct Rows {
    f8 r[4];
};

inline Rows load_corner(const float* fours, const std::uint16_t (&node)[kLanes])
{
    Rows rows;
    for (int k = 0; k < 4; ++k) {
        const f4 low = load4(fours + 4 * std::size_t(node[k])), high = load4(fours + 4 * std::size_t(node[k + 4]));
        rows.r[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    return rows;
}

/// x, y, z of all lanes from rows.
inline void to_lanes(const Rows& rows, f8 (&out)[3])
{
    const f8 a = __builtin_shufflevector(rows.r[0], rows.r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 b = __builtin_shufflevector(rows.r[2], rows.r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 c = __builtin_shufflevector(rows.r[0], rows.r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 d = __builtin_shufflevector(rows.r[2], rows.r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
}

inline Rows to_rows(const f8 (&in)[3])
{
    const f8 zero{};
    const f8 a = __builtin_shufflevector(in[0], in[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 b = __builtin_shufflevector(in[0], in[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 c = __builtin_shufflevector(in[2], zero, 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 d = __builtin_shufflevector(in[2], zero, 2, 10, 3, 11, 6, 14, 7, 15);
    Rows rows;
    rows.r[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    rows.r[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    rows.r[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    rows.r[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
    return rows;
}

inline void add_corner(float* fours, const std::uint16_t (&node)[kLanes], const Rows& rows)
{
    for (int k = 0; k < 4; ++k) {
        float* const low = fours + 4 * std::size_t(node[k]);
        const f4 sum = load4(low) + __builtin_shufflevector(rows.r[k], rows.r[k], 0, 1, 2, 3);
        __builtin_memcpy(low, &sum, sizeof sum);
    }
    for (int k = 0; k < 4; ++k) {
        float* const high = fours + 4 * std::size_t(node[k + 4]);
        const f4 sum = load4(high) + __builtin_shufflevector(rows.r[k], rows.r[k], 4, 5, 6, 7);
        __builtin_memcpy(high, &sum, sizeof sum);
    }
}

inline void edge_vectors(const float* fours, const BlockNodes& nodes, f8 (&edges)[3][3])
{
    const Rows origin = load_corner(fours, nodes.node[0]);
    for (int a = 0; a < 3; ++a) {
        Rows edge = load_corner(fours, nodes.node[a + 1]);
        for (int k = 0; k < 4; ++k) edge.r[k] -= origin.r[k];
        to_lanes(edge, edges[a]);
    }
}

/// m[i][j] = sum over a of edges[a][i] g[a][j]
inline void gradient(const f8 (&edges)[3][3], const f8 (&g)[3][3], f8 (&m)[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m[i][j] = edges[0][i] * g[0][j] + edges[1][i] * g[1][j] + edges[2][i] * g[2][j];
}

/// stress += constants : strain; order xx yy zz xy xz yz, shear of the strain doubled. Both with half the volume.
template <bool Isotropic>
inline void add_stress(const float* constants, const f8 (&e)[6], f8 (&stress)[6])
{
    if constexpr (Isotropic) {
        const f8 lambda = load8(constants), mu = load8(constants + kLanes);
        const f8 trace = lambda * (e[0] + e[1] + e[2]), two_mu = mu + mu;
        for (int I = 0; I < 3; ++I) {
            stress[I] += trace + two_mu * e[I];
            stress[3 + I] += mu * e[3 + I];
        }
    } else {
        const float* c = constants;
        for (int I = 0; I < 6; ++I)
            for (int J = I; J < 6; ++J, c += kLanes) {
                const f8 entry = load8(c);
                stress[I] += entry * e[J];
                if (J != I) stress[J] += entry * e[I];
            }
    }
}

template <bool Isotropic, bool Viscous>
void forces(const ChunkView& chunk)
{
    constexpr std::size_t kConstants = Isotropic ? 2 : 21;
    constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
    const f8 one = splat(1), limit = splat(kBarrierVolume);
    const float* constants = chunk.constants;
    for (std::size_t block = 0; block < chunk.blocks; ++block, constants += block_floats(Isotropic, Viscous)) {
        const BlockNodes& nodes = chunk.nodes[block];
        f8 g[3][3], edges[3][3], F[3][3];
        for (int a = 0; a < 3; ++a)
            for (int j = 0; j < 3; ++j) g[a][j] = load8(constants + kLanes * std::size_t(3 * a + j));
        edge_vectors(chunk.positions, nodes, edges);
        gradient(edges, g, F);

        f8 stress[6]{};
        {
            f8 e[6];
            for (int I = 0; I < 6; ++I) {
                const int i = kFirst[I], j = kSecond[I];
                const f8 product = F[0][i] * F[0][j] + F[1][i] * F[1][j] + F[2][i] * F[2][j];
                e[I] = I < 3 ? product - one : product + product;
            }
            add_stress<Isotropic>(constants + 10 * kLanes, e, stress);
        }
        if constexpr (Viscous) {
            f8 rate[3][3], e[6];
            edge_vectors(chunk.velocities, nodes, edges);
            gradient(edges, g, rate);
            for (int I = 0; I < 6; ++I) {
                const int i = kFirst[I], j = kSecond[I];
                f8 sum{};
                for (int k = 0; k < 3; ++k) sum += F[k][i] * rate[k][j] + F[k][j] * rate[k][i];
                e[I] = I < 3 ? sum : sum + sum;
            }
            add_stress<Isotropic>(constants + (10 + kConstants) * kLanes, e, stress);
        }

        f8 P[3][3];  // half the volume times F sigma
        for (int i = 0; i < 3; ++i) {
            P[i][0] = F[i][0] * stress[0] + F[i][1] * stress[3] + F[i][2] * stress[4];
            P[i][1] = F[i][0] * stress[3] + F[i][1] * stress[1] + F[i][2] * stress[5];
            P[i][2] = F[i][0] * stress[4] + F[i][1] * stress[5] + F[i][2] * stress[2];
        }
        if (chunk.barrier) {
            f8 cofactor[3][3];
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                    cofactor[i][j] = F[i1][j1] * F[i2][j2] - F[i1][j2] * F[i2][j1];
                }
            const f8 volume = F[0][0] * cofactor[0][0] + F[0][1] * cofactor[0][1] + F[0][2] * cofactor[0][2];
            const i8 squeezed = volume < limit;
            if (any(squeezed)) {
                const f8 zero{};
                const f8 push = squeezed ? load8(constants + 9 * kLanes) * (limit - volume) : zero;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) P[i][j] -= push * cofactor[i][j];
            }
        }

        Rows sum{};
        for (int a = 0; a < 3; ++a) {
            f8 f[3];
            for (int i = 0; i < 3; ++i) f[i] = -(P[i][0] * g[a][0] + P[i][1] * g[a][1] + P[i][2] * g[a][2]);
            if (chunk.corner_forces)
                for (int i = 0; i < 3; ++i)
                    store8(chunk.corner_forces + (block * 9 + std::size_t(3 * a + i)) * kLanes, f[i]);
            const Rows rows = to_rows(f);
            for (int k = 0; k < 4; ++k) sum.r[k] -= rows.r[k];
            add_corner(chunk.forces, nodes.node[a + 1], rows);
        }
        add_corner(chunk.forces, nodes.node[0], sum);
    }
}

inline f4 splat4(float s)
{
    return f4{s, s, s, s};
}

inline void substitute(const FactorView& factor)
{
    float* const y = factor.vectors;
    for (std::size_t k = 0; k < factor.size; ++k) {
        const f4 known = load4(y + 4 * k);
        for (std::int32_t e = factor.offsets[k]; e < factor.offsets[k + 1]; ++e) {
            float* const below = y + 4 * std::size_t(factor.rows[e]);
            const f4 sum = load4(below) - known * splat4(factor.values[e]);
            __builtin_memcpy(below, &sum, sizeof sum);
        }
    }
    for (std::size_t k = factor.size; k-- > 0;) {
        f4 sum = load4(y + 4 * k) * splat4(factor.inverse_diagonal[k]);
        for (std::int32_t e = factor.offsets[k]; e < factor.offsets[k + 1]; ++e)
            sum -= load4(y + 4 * std::size_t(factor.rows[e])) * splat4(factor.values[e]);
        __builtin_memcpy(y + 4 * k, &sum, sizeof sum);
    }
}
