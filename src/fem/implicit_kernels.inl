// The loops of implicit_kernels.h, included by one file per instruction set after kernels.inl.

using d4 = double __attribute__((vector_size(32)));
#ifdef __AVX512F__
using Doubles = double __attribute__((vector_size(64)));
using DoubleMask = std::int64_t __attribute__((vector_size(64)));
#else
using Doubles = d4;
using DoubleMask = std::int64_t __attribute__((vector_size(32)));
#endif
constexpr std::size_t kTetWidth = sizeof(Doubles) / sizeof(double);
static_assert(kTetLanes % kTetWidth == 0);
constexpr int kStrainFirst[6] = {0, 1, 2, 0, 0, 1}, kStrainSecond[6] = {0, 1, 2, 1, 2, 2};

inline Doubles load_doubles(const double* p)
{
    Doubles v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline d4 load_four(const double* p)
{
    d4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline void store_four(double* p, d4 v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline d4 four(double s)
{
    return d4{s, s, s, s};
}
inline void store_three(double* p, d4 v)
{
    using d2 = double __attribute__((vector_size(16)));
    const d2 low = __builtin_shufflevector(v, v, 0, 1);
    __builtin_memcpy(p, &low, sizeof low);
    p[2] = v[2];
}
inline d4 load_three(const double* p)
{
#ifdef __AVX512F__
    return (d4)_mm256_maskz_loadu_pd(7, p);
#else
    return d4{p[0], p[1], p[2], 0};
#endif
}

inline Doubles square_root(Doubles v)
{
#ifdef __AVX512F__
    return (Doubles)_mm512_sqrt_pd((__m512d)v);
#elif defined(__AVX__)
    return (Doubles)_mm256_sqrt_pd((__m256d)v);
#else
    for (std::size_t k = 0; k < kTetWidth; ++k) v[k] = __builtin_sqrt(v[k]);
    return v;
#endif
}
inline bool any_of(DoubleMask mask)
{
    std::int64_t together = 0;
    for (std::size_t k = 0; k < kTetWidth; ++k) together |= mask[k];
    return together != 0;
}
inline double sum_of(Doubles v)
{
    double sum = 0;
    for (std::size_t k = 0; k < kTetWidth; ++k) sum += v[k];
    return sum;
}

// ---- tets

/// Deformation gradient, [row][column], and strain of the tets of a block from lane `first` on.
struct StrainedLanes {
    Doubles g[3][3], F[3][3], strain[6];
};
__attribute__((always_inline)) inline void strain_lanes(const LaneTets& tets, const double* constants,
                                                        std::size_t block, std::size_t first, StrainedLanes& s)
{
    const auto& nodes = tets.corners[block].node;
    const auto gather = [&](int corner, Doubles(&at)[3]) {
        const std::int32_t* const node = nodes[corner] + first;
        const auto p = [&](int lane) { return tets.positions + 3 * std::size_t(node[lane]); };
#ifdef __AVX512F__
        const auto two = [&](int one, int other) -> Doubles {  // nothing behind the third number is read
            return __builtin_shufflevector(_mm256_maskz_loadu_pd(7, p(one)), _mm256_maskz_loadu_pd(7, p(other)), 0, 1,
                                           2, 3, 4, 5, 6, 7);
        };
        const Doubles a = two(0, 4), b = two(1, 5), c = two(2, 6), d = two(3, 7);
        const Doubles ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        const Doubles cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
        at[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
        at[1] = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),
                                        __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15), 0, 1, 8, 9, 4, 5, 12,
                                        13);
        at[2] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
#else
        for (int i = 0; i < 3; ++i) at[i] = Doubles{p(0)[i], p(1)[i], p(2)[i], p(3)[i]};
#endif
    };
    Doubles origin[3];
    gather(0, origin);
    for (int a = 0; a < 3; ++a) {
        Doubles at[3];
        gather(a + 1, at);
        for (int j = 0; j < 3; ++j) s.g[a][j] = load_doubles(constants + std::size_t(3 * a + j) * kTetLanes);
        for (int i = 0; i < 3; ++i) {
            const Doubles edge = at[i] - origin[i];
            for (int j = 0; j < 3; ++j) s.F[i][j] = a == 0 ? edge * s.g[a][j] : s.F[i][j] + edge * s.g[a][j];
        }
    }
    for (int I = 0; I < 6; ++I) {
        const int i = kStrainFirst[I], j = kStrainSecond[I];
        const Doubles product = s.F[0][i] * s.F[0][j] + s.F[1][i] * s.F[1][j] + s.F[2][i] * s.F[2][j];
        s.strain[I] = I < 3 ? (product - 1.0) * 0.5 : product;
    }
}

/// factor times constants : strain, added to the stress.
template <bool Isotropic>
inline void add_stress(const double* constants, const Doubles (&e)[6], double factor, Doubles (&stress)[6])
{
    if constexpr (Isotropic) {
        const Doubles lambda = load_doubles(constants) * factor, mu = load_doubles(constants + kTetLanes) * factor;
        const Doubles trace = lambda * (e[0] + e[1] + e[2]);
        for (int I = 0; I < 3; ++I) stress[I] += trace + (mu + mu) * e[I], stress[3 + I] += mu * e[3 + I];
    } else {
        for (int I = 0; I < 6; ++I)
            for (int J = I; J < 6; ++J, constants += kTetLanes) {
                const Doubles entry = load_doubles(constants) * factor;
                stress[I] += entry * e[J];
                if (J != I) stress[J] += entry * e[I];
            }
    }
}

/// Cofactors of F, [row][column]; returns its determinant.
inline Doubles cofactors(const Doubles (&F)[3][3], Doubles (&cofactor)[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[i][j] = F[i1][j1] * F[i2][j2] - F[i1][j2] * F[i2][j1];
        }
    return F[0][0] * cofactor[0][0] + F[0][1] * cofactor[0][1] + F[0][2] * cofactor[0][2];
}

/// What strain is elastic, and what has come since the start of the step.
inline void subtract(const double* from, std::size_t block, std::size_t first, const Doubles (&strain)[6],
                     Doubles (&out)[6])
{
    for (std::size_t I = 0; I < 6; ++I)
        out[I] = from ? strain[I] - load_doubles(from + (6 * block + I) * kTetLanes + first) : strain[I];
}

template <bool Isotropic, bool Viscous>
ElementEnergy lane_energy(const LaneTets& tets, std::size_t first_block, std::size_t last_block, Volumes& volumes)
{
    constexpr std::size_t kElasticity = 11 * kTetLanes, kViscosity = kElasticity + (Isotropic ? 2 : 21) * kTetLanes;
    Doubles elastic{}, viscous{}, smallest = Doubles{} + 1.0;
    DoubleMask inverted{};  // minus their number
    for (std::size_t block = first_block; block < last_block; ++block)
        for (std::size_t first = 0; first < kTetLanes; first += kTetWidth) {
            const double* const constants =
                tets.constants + block * lane_constants(Isotropic, Viscous) * kTetLanes + first;
            StrainedLanes s;
            strain_lanes(tets, constants, block, first, s);
            const auto twice_density = [&](const double* from, const double* tensor, double factor) {
                Doubles e[6], stress[6] = {}, sum{};
                subtract(from, block, first, s.strain, e);
                add_stress<Isotropic>(tensor, e, factor, stress);
                for (int I = 0; I < 6; ++I) sum += stress[I] * e[I];
                return sum;
            };
            const Doubles half_volume = load_doubles(constants + 9 * kTetLanes) * 0.5;
            elastic += half_volume * twice_density(tets.plastic, constants + kElasticity, 1);
            if constexpr (Viscous)
                viscous += half_volume * twice_density(tets.start, constants + kViscosity, tets.per_h);
            Doubles cofactor[3][3];
            const Doubles zero{}, determinant = cofactors(s.F, cofactor);
            smallest = determinant < smallest ? determinant : smallest;
            inverted += (determinant <= zero) & (half_volume > zero);
            if (tets.barrier) {
                const Doubles short_of = double(kBarrierVolume) - determinant;
                elastic +=
                    short_of > zero ? load_doubles(constants + 10 * kTetLanes) * 0.5 * short_of * short_of : zero;
            }
        }
    for (std::size_t k = 0; k < kTetWidth; ++k) {
        volumes.smallest = smallest[k] < volumes.smallest ? smallest[k] : volumes.smallest;
        volumes.inverted -= int(inverted[k]);
    }
    return {sum_of(elastic), sum_of(viscous)};
}

inline void lane_strains(const LaneTets& tets, std::size_t constants, std::size_t first_block, std::size_t last_block,
                         double* strains)
{
    for (std::size_t block = first_block; block < last_block; ++block)
        for (std::size_t first = 0; first < kTetLanes; first += kTetWidth) {
            StrainedLanes s;
            strain_lanes(tets, tets.constants + block * constants * kTetLanes + first, block, first, s);
            for (std::size_t I = 0; I < 6; ++I)
                __builtin_memcpy(strains + (6 * block + I) * kTetLanes + first, &s.strain[I], sizeof(Doubles));
        }
}

/// The part of symmetric matrices (xx yy zz xy xz yz) that pulls: their negative eigenvalues set to zero. By two sweeps
/// of Jacobi's method: what they leave undone does not make the result negative.
inline void tensile(const Doubles (&S)[6], Doubles (&pull)[6])
{
    const Doubles zero{};
    const Doubles minor = S[0] * S[1] - S[3] * S[3];
    const Doubles determinant = S[2] * minor - S[5] * (S[0] * S[5] - S[3] * S[4]) + S[4] * (S[3] * S[5] - S[1] * S[4]);
    const DoubleMask pulls = (S[0] >= zero) & (S[1] >= zero) & (S[2] >= zero) & (minor >= zero) & (determinant >= zero);
    for (int I = 0; I < 6; ++I) pull[I] = S[I];
    if (!any_of(~pulls)) return;
    Doubles A[3][3] = {{S[0], S[3], S[4]}, {S[3], S[1], S[5]}, {S[4], S[5], S[2]}};
    const Doubles one = zero + 1.0;
    Doubles V[3][3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    const auto rotate = [&](int p, int q, int r) {
        const Doubles apq = A[p][q], half = (A[q][q] - A[p][p]) * 0.5;
        const Doubles root = square_root(half * half + apq * apq + 1e-300);
        const Doubles t = apq / (half + (half >= zero ? root : -root)), c = 1.0 / square_root(t * t + 1.0), s = t * c;
        A[p][p] -= t * apq, A[q][q] += t * apq;
        A[p][q] = A[q][p] = zero;
        const Doubles arp = A[r][p], arq = A[r][q];
        A[r][p] = A[p][r] = c * arp - s * arq;
        A[r][q] = A[q][r] = s * arp + c * arq;
        for (int i = 0; i < 3; ++i) {
            const Doubles vp = V[i][p], vq = V[i][q];
            V[i][p] = c * vp - s * vq, V[i][q] = s * vp + c * vq;
        }
    };
    for (int sweep = 0; sweep < 2; ++sweep) rotate(0, 1, 2), rotate(0, 2, 1), rotate(1, 2, 0);
    for (int I = 0; I < 6; ++I) {
        const int i = kStrainFirst[I], j = kStrainSecond[I];
        Doubles sum{};
        for (int k = 0; k < 3; ++k) sum += (A[k][k] > zero ? A[k][k] : zero) * V[i][k] * V[j][k];
        pull[I] = pulls ? S[I] : sum;
    }
}

/// Rows of lanes to numbers of one tet after another, `count` of them, at least four, `stride` apart.
inline void store_by_tets(const Doubles* rows, std::size_t count, std::size_t stride, double* out)
{
    for (std::size_t row = 0; row < count; row += 4) {
        if (row + 4 > count) row = count - 4;
        const Doubles *const r = rows + row, a = r[0], b = r[1], c = r[2], d = r[3];
        double* const to = out + row;
#ifdef __AVX512F__
        const Doubles ab0 = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        const Doubles ab1 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
        const Doubles cd0 = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
        const Doubles cd1 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
        store_four(to, __builtin_shufflevector(ab0, cd0, 0, 1, 8, 9));
        store_four(to + stride, __builtin_shufflevector(ab1, cd1, 0, 1, 8, 9));
        store_four(to + 2 * stride, __builtin_shufflevector(ab0, cd0, 2, 3, 10, 11));
        store_four(to + 3 * stride, __builtin_shufflevector(ab1, cd1, 2, 3, 10, 11));
        store_four(to + 4 * stride, __builtin_shufflevector(ab0, cd0, 4, 5, 12, 13));
        store_four(to + 5 * stride, __builtin_shufflevector(ab1, cd1, 4, 5, 12, 13));
        store_four(to + 6 * stride, __builtin_shufflevector(ab0, cd0, 6, 7, 14, 15));
        store_four(to + 7 * stride, __builtin_shufflevector(ab1, cd1, 6, 7, 14, 15));
#else
        const Doubles ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        const Doubles cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
        store_four(to, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
        store_four(to + stride, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
        store_four(to + 2 * stride, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
        store_four(to + 3 * stride, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
#endif
    }
}

/// Second derivatives of all pairs of corners a <= b for isotropic tets, [block][column][row]: of a motion u of corner
/// b, dP g_a = F (C : sym(F^T u g_b^T)) g_a + u (g_b . S g_a); here without the second part.
inline void isotropic_hessian(const Doubles (&g)[4][3], const Doubles (&F)[3][3], Doubles lambda, Doubles mu,
                              Doubles (&K)[90])
{
    Doubles q[4][3], lambda_q[4][3], mu_q[4][3], FFt[3][3];
    for (int a = 0; a < 4; ++a)
        for (int i = 0; i < 3; ++i) {
            q[a][i] = F[i][0] * g[a][0] + F[i][1] * g[a][1] + F[i][2] * g[a][2];
            lambda_q[a][i] = lambda * q[a][i], mu_q[a][i] = mu * q[a][i];
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            FFt[i][j] = FFt[j][i] = mu * (F[i][0] * F[j][0] + F[i][1] * F[j][1] + F[i][2] * F[j][2]);
    Doubles* out = K;
    for (int a = 0; a < 4; ++a)
        for (int b = a; b < 4; ++b) {
            const Doubles gg = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i) *out++ = lambda_q[a][i] * q[b][j] + mu_q[b][i] * q[a][j] + gg * FFt[i][j];
        }
}

/// The same with the 21 constants of C plus `factor` times those of D, if there are any.
inline void general_hessian(const Doubles (&g)[4][3], const Doubles (&F)[3][3], Doubles volume, const double* C,
                            const double* D, double factor, Doubles (&K)[90])
{
    Doubles constants[6][6];
    for (int I = 0; I < 6; ++I)
        for (int J = I; J < 6; ++J, C += kTetLanes) {
            Doubles entry = load_doubles(C);
            if (D) entry += load_doubles(D) * factor, D += kTetLanes;
            constants[I][J] = constants[J][I] = entry * volume;
        }
    Doubles B[4][6][3];  // of the strain with doubled shear by each corner
    for (int a = 0; a < 4; ++a)
        for (int I = 0; I < 6; ++I)
            for (int k = 0; k < 3; ++k) {
                const int i = kStrainFirst[I], j = kStrainSecond[I];
                B[a][I][k] = F[k][i] * g[a][j];
                if (I >= 3) B[a][I][k] += F[k][j] * g[a][i];
            }
    for (int b = 0; b < 4; ++b) {
        Doubles CB[6][3] = {};
        for (int I = 0; I < 6; ++I)
            for (int J = 0; J < 6; ++J)
                for (int k = 0; k < 3; ++k) CB[I][k] += constants[I][J] * B[b][J][k];
        for (int a = 0; a <= b; ++a) {
            Doubles* const out = K + 9 * (a * 4 - a * (a - 1) / 2 + (b - a));
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i) {
                    Doubles sum{};
                    for (int I = 0; I < 6; ++I) sum += B[a][I][i] * CB[I][j];
                    out[3 * j + i] = sum;
                }
        }
    }
}

/// What the derivatives of tets in lanes come from.
struct StressedLanes {
    StrainedLanes strained;
    Doubles volume, stress[6];  ///< stress: times the volume
    Doubles g[4][3], gradient[12];
    bool squeezed = false;  ///< the barrier acts on some
    Doubles cofactor[3][3], stiffness;
    Doubles elastic, viscous;  ///< energies, if they are asked for
};
template <bool Isotropic, bool Viscous, bool Energies>
__attribute__((always_inline)) inline void stress_lanes(const LaneTets& tets, const double* constants,
                                                        std::size_t block, std::size_t first, StressedLanes& s)
{
    constexpr std::size_t kElasticity = 11 * kTetLanes, kViscosity = kElasticity + (Isotropic ? 2 : 21) * kTetLanes;
    strain_lanes(tets, constants, block, first, s.strained);
    const auto& F = s.strained.F;
    auto& stress = s.stress;
    s.volume = load_doubles(constants + 9 * kTetLanes);
    Doubles e[6];
    for (int I = 0; I < 6; ++I) stress[I] = Doubles{};
    subtract(tets.plastic, block, first, s.strained.strain, e);
    add_stress<Isotropic>(constants + kElasticity, e, 1, stress);
    const auto half_product = [&](const Doubles(&of)[6]) {
        Doubles sum{};
        for (int I = 0; I < 6; ++I) sum += of[I] * e[I];
        return sum * s.volume * 0.5;
    };
    if constexpr (Energies) s.elastic = half_product(stress);
    if constexpr (Viscous) {
        Doubles added[6] = {};
        subtract(tets.start, block, first, s.strained.strain, e);
        add_stress<Isotropic>(constants + kViscosity, e, tets.per_h, added);
        if constexpr (Energies) s.viscous = half_product(added);
        for (int I = 0; I < 6; ++I) stress[I] += added[I];
    }
    for (int I = 0; I < 6; ++I) stress[I] *= s.volume;
    Doubles P[3][3];
    for (int i = 0; i < 3; ++i) {
        P[i][0] = F[i][0] * stress[0] + F[i][1] * stress[3] + F[i][2] * stress[4];
        P[i][1] = F[i][0] * stress[3] + F[i][1] * stress[1] + F[i][2] * stress[5];
        P[i][2] = F[i][0] * stress[4] + F[i][1] * stress[5] + F[i][2] * stress[2];
    }
    s.squeezed = false;
    if (tets.barrier) {
        const Doubles zero{}, short_of = double(kBarrierVolume) - cofactors(F, s.cofactor);
        s.squeezed = any_of(short_of > zero);
        if (s.squeezed) {
            s.stiffness = short_of > zero ? load_doubles(constants + 10 * kTetLanes) : zero;
            if constexpr (Energies) s.elastic += s.stiffness * 0.5 * short_of * short_of;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) P[i][j] -= s.stiffness * short_of * s.cofactor[i][j];
        }
    }
    for (int j = 0; j < 3; ++j) {
        s.g[0][j] = -(s.strained.g[0][j] + s.strained.g[1][j] + s.strained.g[2][j]);
        for (int a = 0; a < 3; ++a) s.g[a + 1][j] = s.strained.g[a][j];
    }
    for (int i = 0; i < 3; ++i) {
        for (int a = 1; a < 4; ++a)
            s.gradient[3 * a + i] = P[i][0] * s.g[a][0] + P[i][1] * s.g[a][1] + P[i][2] * s.g[a][2];
        s.gradient[i] = -(s.gradient[3 + i] + s.gradient[6 + i] + s.gradient[9 + i]);
    }
}

template <bool Isotropic, bool Viscous>
ElementEnergy lane_slopes(const LaneTets& tets, std::size_t first_block, std::size_t last_block, double* gradients)
{
    Doubles elastic{}, viscous{};
    for (std::size_t block = first_block; block < last_block; ++block)
        for (std::size_t first = 0; first < kTetLanes; first += kTetWidth) {
            StressedLanes s;
            stress_lanes<Isotropic, Viscous, true>(
                tets, tets.constants + block * lane_constants(Isotropic, Viscous) * kTetLanes + first, block, first, s);
            elastic += s.elastic;
            if constexpr (Viscous) viscous += s.viscous;
            store_by_tets(s.gradient, 12, 12, gradients + 12 * (block * kTetLanes + first));
        }
    return {sum_of(elastic), sum_of(viscous)};
}

template <bool Isotropic, bool Viscous>
void lane_derivatives(const LaneTets& tets, std::size_t first_block, std::size_t last_block, double* gradients,
                      double* hessians)
{
    constexpr std::size_t kElasticity = 11 * kTetLanes, kViscosity = kElasticity + (Isotropic ? 2 : 21) * kTetLanes;
    for (std::size_t block = first_block; block < last_block; ++block)
        for (std::size_t first = 0; first < kTetLanes; first += kTetWidth) {
            const double* const constants =
                tets.constants + block * lane_constants(Isotropic, Viscous) * kTetLanes + first;
            StressedLanes s;
            stress_lanes<Isotropic, Viscous, false>(tets, constants, block, first, s);
            store_by_tets(s.gradient, 12, 12, gradients + 12 * (block * kTetLanes + first));

            const auto& g = s.g;
            Doubles K[90], pull[6];
            if constexpr (Isotropic) {
                Doubles lambda = load_doubles(constants + kElasticity);
                Doubles mu = load_doubles(constants + kElasticity + kTetLanes);
                if constexpr (Viscous) {
                    lambda += load_doubles(constants + kViscosity) * tets.per_h;
                    mu += load_doubles(constants + kViscosity + kTetLanes) * tets.per_h;
                }
                isotropic_hessian(g, s.strained.F, lambda * s.volume, mu * s.volume, K);
            } else {
                general_hessian(g, s.strained.F, s.volume, constants + kElasticity,
                                Viscous ? constants + kViscosity : nullptr, tets.per_h, K);
            }
            tensile(s.stress, pull);
            Doubles* out = K;
            for (int a = 0; a < 4; ++a) {
                const Doubles pulled[3] = {pull[0] * g[a][0] + pull[3] * g[a][1] + pull[4] * g[a][2],
                                           pull[3] * g[a][0] + pull[1] * g[a][1] + pull[5] * g[a][2],
                                           pull[4] * g[a][0] + pull[5] * g[a][1] + pull[2] * g[a][2]};
                for (int b = a; b < 4; ++b, out += 9) {
                    const Doubles tension = pulled[0] * g[b][0] + pulled[1] * g[b][1] + pulled[2] * g[b][2];
                    out[0] += tension, out[4] += tension, out[8] += tension;
                }
            }
            if (s.squeezed) {
                Doubles c[4][3];
                for (int a = 0; a < 4; ++a)
                    for (int i = 0; i < 3; ++i)
                        c[a][i] = s.cofactor[i][0] * g[a][0] + s.cofactor[i][1] * g[a][1] + s.cofactor[i][2] * g[a][2];
                out = K;
                for (int a = 0; a < 4; ++a)
                    for (int b = a; b < 4; ++b)
                        for (int j = 0; j < 3; ++j)
                            for (int i = 0; i < 3; ++i) *out++ += s.stiffness * c[a][i] * c[b][j];
            }
            store_by_tets(K, 90, 90, hessians + 90 * (block * kTetLanes + first));
        }
}

// ---- the matrix

inline double multiply_rows(const BlockRows& rows, std::size_t first, std::size_t last, const double* v, double* out)
{
    d4 total{};
    for (std::size_t row = first; row < last; ++row) {
        d4 x{}, y{}, z{};  // none waits for the others
        for (std::int32_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
            const double* const block = rows.blocks + 9 * std::size_t(e);
            const double* const at = v + 3 * std::size_t(rows.columns[e]);
            x += load_four(block) * four(at[0]);
            y += load_four(block + 3) * four(at[1]);
            z += load_four(block + 6) * four(at[2]);
        }
        x += y + z;
        store_three(out + 3 * row, x);
        const d4 product = x * load_three(v + 3 * row);
        total += d4{product[0], product[1], product[2], 0};
    }
    return total[0] + total[1] + total[2];
}

inline void multiply_rigid(const BlockRows& rows, std::size_t first, std::size_t last, const double* arms, double* sum)
{
    for (std::size_t row = first; row < last; ++row) {
        d4 product[6] = {};  // of the row with three translations and three turns
        for (std::int32_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
            const double* const block = rows.blocks + 9 * std::size_t(e);
            const double* const arm = arms + 3 * std::size_t(rows.columns[e]);
            const d4 a = load_four(block), b = load_four(block + 3), c = load_four(block + 6);
            const d4 x = four(arm[0]), y = four(arm[1]), z = four(arm[2]);
            product[0] += a, product[1] += b, product[2] += c;
            product[3] += c * y - b * z;
            product[4] += a * z - c * x;
            product[5] += b * x - a * y;
        }
        const double* const arm = arms + 3 * row;
        for (int k = 0; k < 6; ++k) {
            const d4 f = product[k];
            double* const to = sum + 6 * k;
            to[0] += f[0], to[1] += f[1], to[2] += f[2];
            to[3] += arm[1] * f[2] - arm[2] * f[1];
            to[4] += arm[2] * f[0] - arm[0] * f[2];
            to[5] += arm[0] * f[1] - arm[1] * f[0];
        }
    }
}

inline void sum_corners(const std::int32_t* offsets, const CornerTerm* terms, std::size_t first, std::size_t last,
                        const double* corners, double* out)
{
    for (std::size_t row = first; row < last; ++row) {
        d4 sum{}, other{};
        std::int32_t t = offsets[row];
        for (; t + 1 < offsets[row + 1]; t += 2) {
            sum += load_three(corners + 3 * std::size_t(terms[t].corner)) * four(double(terms[t].weight));
            other += load_three(corners + 3 * std::size_t(terms[t + 1].corner)) * four(double(terms[t + 1].weight));
        }
        if (t < offsets[row + 1])
            sum += load_three(corners + 3 * std::size_t(terms[t].corner)) * four(double(terms[t].weight));
        store_three(out + 3 * row, load_three(out + 3 * row) + sum + other);
    }
}

inline ConjugateSums go(const ConjugateVectors& vectors, std::size_t first, std::size_t last, double step)
{
    d4 products{}, force{}, moment{}, other_moment{};
    for (std::size_t row = first; row < last; ++row) {
        const std::size_t k = 3 * row;
        store_three(vectors.x + k, load_three(vectors.x + k) + four(step) * load_three(vectors.direction + k));
        const d4 r = load_three(vectors.residual + k) - four(step) * load_three(vectors.product + k);
        store_three(vectors.residual + k, r);
        const double* const inverse = vectors.inverse + 3 * k;
        const d4 z = load_four(inverse) * four(r[0]) + load_four(inverse + 3) * four(r[1]) +
                     load_three(inverse + 6) * four(r[2]);
        store_three(vectors.preconditioned + k, z);
        products += r * d4{z[0], z[1], z[2], 0};
        if (!vectors.arms) continue;
        const d4 arm = load_three(vectors.arms + k);
        force += r;
        moment += __builtin_shufflevector(arm, arm, 1, 2, 0, 3) * __builtin_shufflevector(r, r, 2, 0, 1, 3);
        other_moment += __builtin_shufflevector(arm, arm, 2, 0, 1, 3) * __builtin_shufflevector(r, r, 1, 2, 0, 3);
    }
    moment -= other_moment;
    return {products[0] + products[1] + products[2], {force[0], force[1], force[2]}, {moment[0], moment[1], moment[2]}};
}

inline void turn(const ConjugateVectors& vectors, std::size_t first, std::size_t last, const double* motion,
                 double keep)
{
    double* const direction = vectors.direction;
    for (std::size_t k = 3 * first; k < 3 * last; ++k) direction[k] = vectors.preconditioned[k] + keep * direction[k];
    if (!vectors.arms) return;
    for (std::size_t k = 3 * first; k < 3 * last; k += 3) {
        const double* const arm = vectors.arms + k;
        direction[k] += motion[0] + (motion[4] * arm[2] - motion[5] * arm[1]);
        direction[k + 1] += motion[1] + (motion[5] * arm[0] - motion[3] * arm[2]);
        direction[k + 2] += motion[2] + (motion[3] * arm[1] - motion[4] * arm[0]);
    }
}

/// The last column of a 3x3 block, without what lies behind it.
inline d4 load_last(const double* block)
{
    const d4 end = load_four(block + 5);
    return __builtin_shufflevector(end, end, 1, 2, 3, 3);
}

/// Columns of a 3x3 block to its rows.
inline void transpose(d4& a, d4& b, d4& c)
{
    const d4 low = __builtin_shufflevector(a, b, 0, 4, 2, 6), high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    a = __builtin_shufflevector(low, c, 0, 1, 4, 7);
    b = __builtin_shufflevector(high, c, 0, 1, 5, 7);
    c = __builtin_shufflevector(low, c, 2, 3, 6, 7);
}

inline void assemble(double* blocks, const BlockSum* sums, std::size_t first, std::size_t last, const BlockTerm* terms,
                     const double* elements, const double* diagonal, double factor)
{
    for (std::size_t k = first; k < last; ++k) {
        const BlockSum& sum = sums[k];
        d4 a{}, b{}, c{}, other_a{}, other_b{}, other_c{};  // the others come transposed
        for (std::int32_t t = sum.first_term; t < sums[k + 1].first_term; ++t) {
            const BlockTerm& term = terms[t];
            const d4 weight = four(double(term.weight));
            if (term.block >= 0) {
                const double* const from = elements + 9 * std::size_t(term.block);
                a += weight * load_four(from), b += weight * load_four(from + 3), c += weight * load_last(from);
            } else {
                const double* const from = elements + 9 * std::size_t(-1 - term.block);
                other_a += weight * load_four(from), other_b += weight * load_four(from + 3);
                other_c += weight * load_last(from);
            }
        }
        transpose(other_a, other_b, other_c);
        const double m = factor * diagonal[sum.block];
        a += other_a + d4{m, 0, 0, 0}, b += other_b + d4{0, m, 0, 0}, c += other_c + d4{0, 0, m, 0};
        const auto store = [&](std::int32_t block) {
            double* const to = blocks + 9 * std::size_t(block);
            store_three(to, a), store_three(to + 3, b), store_three(to + 6, c);
        };
        store(sum.block);
        if (sum.mirror == sum.block) continue;
        transpose(a, b, c);
        store(sum.mirror);
    }
}

#include "fem/panel_kernels.inl"

constexpr ImplicitKernels implicit_table()
{
    return {
        {{lane_energy<false, false>, lane_energy<false, true>}, {lane_energy<true, false>, lane_energy<true, true>}},
        {{lane_derivatives<false, false>, lane_derivatives<false, true>},
         {lane_derivatives<true, false>, lane_derivatives<true, true>}},
        {{lane_slopes<false, false>, lane_slopes<false, true>}, {lane_slopes<true, false>, lane_slopes<true, true>}},
        lane_strains,
        multiply_rows,
        multiply_rigid,
        sum_corners,
        go,
        turn,
        assemble,
        substitute,
        substitute_back,
        multiply_columns};
}
