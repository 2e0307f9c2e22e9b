// The kernels of kernels.h, included by one file per instruction set inside its own namespace. Written with the
// compiler's vector types, so the same text serves any processor; nothing here may call inline functions of other
// headers, which would then exist in two versions under one name.

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
inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline f4 low_half(f8 v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
inline f4 high_half(f8 v)
{
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
inline f8 splat(float s)
{
    return f8{s, s, s, s, s, s, s, s};
}
/// Component K of each half, four times.
template <int K>
inline f8 spread(f8 v)
{
    return __builtin_shufflevector(v, v, K, K, K, K, K + 4, K + 4, K + 4, K + 4);
}
template <int K>
inline f4 spread(f4 v)
{
    return __builtin_shufflevector(v, v, K, K, K, K);
}
inline f8 select(i8 mask, f8 yes, f8 no)
{
    return mask ? yes : no;
}
/// True if any lane of a comparison's result is.
inline bool any(i8 mask)
{
#ifdef __AVX__
    return _mm256_movemask_ps((f8)mask) != 0;
#endif
    using Pairs = long long __attribute__((vector_size(32)));
    const Pairs m = (Pairs)mask;
    return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
}

/// Two registers that go through the same steps: the processor works on one while the other waits for a result.
struct Two {
    f8 a, b;
    friend Two operator+(Two x, Two y) { return {x.a + y.a, x.b + y.b}; }
    friend Two operator-(Two x, Two y) { return {x.a - y.a, x.b - y.b}; }
    friend Two operator*(Two x, Two y) { return {x.a * y.a, x.b * y.b}; }
    friend Two operator/(Two x, Two y) { return {x.a / y.a, x.b / y.b}; }
};
inline Two twice(float s)
{
    return {splat(s), splat(s)};
}

/// Rows become columns.
inline void transpose(f8 (&r)[8])
{
    const f8 a0 = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 a1 = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 a2 = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 a3 = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 a4 = __builtin_shufflevector(r[4], r[5], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 a5 = __builtin_shufflevector(r[4], r[5], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 a6 = __builtin_shufflevector(r[6], r[7], 0, 8, 1, 9, 4, 12, 5, 13);
    const f8 a7 = __builtin_shufflevector(r[6], r[7], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 b0 = __builtin_shufflevector(a0, a2, 0, 1, 8, 9, 4, 5, 12, 13);
    const f8 b1 = __builtin_shufflevector(a0, a2, 2, 3, 10, 11, 6, 7, 14, 15);
    const f8 b2 = __builtin_shufflevector(a1, a3, 0, 1, 8, 9, 4, 5, 12, 13);
    const f8 b3 = __builtin_shufflevector(a1, a3, 2, 3, 10, 11, 6, 7, 14, 15);
    const f8 b4 = __builtin_shufflevector(a4, a6, 0, 1, 8, 9, 4, 5, 12, 13);
    const f8 b5 = __builtin_shufflevector(a4, a6, 2, 3, 10, 11, 6, 7, 14, 15);
    const f8 b6 = __builtin_shufflevector(a5, a7, 0, 1, 8, 9, 4, 5, 12, 13);
    const f8 b7 = __builtin_shufflevector(a5, a7, 2, 3, 10, 11, 6, 7, 14, 15);
    r[0] = __builtin_shufflevector(b0, b4, 0, 1, 2, 3, 8, 9, 10, 11);
    r[1] = __builtin_shufflevector(b1, b5, 0, 1, 2, 3, 8, 9, 10, 11);
    r[2] = __builtin_shufflevector(b2, b6, 0, 1, 2, 3, 8, 9, 10, 11);
    r[3] = __builtin_shufflevector(b3, b7, 0, 1, 2, 3, 8, 9, 10, 11);
    r[4] = __builtin_shufflevector(b0, b4, 4, 5, 6, 7, 12, 13, 14, 15);
    r[5] = __builtin_shufflevector(b1, b5, 4, 5, 6, 7, 12, 13, 14, 15);
    r[6] = __builtin_shufflevector(b2, b6, 4, 5, 6, 7, 12, 13, 14, 15);
    r[7] = __builtin_shufflevector(b3, b7, 4, 5, 6, 7, 12, 13, 14, 15);
}

// ---- moments -------------------------------------------------------------------------------------------------------

inline const float* at_entry(const float* fours, std::int32_t entry)
{
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(fours) + entry);
}
/// p must be a multiple of 16 bytes.
inline f8 load4_twice(const float* p)
{
#ifdef __AVX__
    return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(p));  // one load, no shuffle
#else
    const f4 v = load4(p);
    return join(v, v);
#endif
}

/// Fetches what will be needed in a moment: large bodies come from memory, and a processor that fetches ahead by itself
/// stops at the end of a page. Nothing need be there.
template <class T>
inline void fetch_ahead(const void* at)
{
    for (std::size_t k = 0; k < sizeof(T); k += 64) __builtin_prefetch(static_cast<const char*>(at) + k);
}

/// Sums of one region, positions p about its centre particle: columns of sum m p x0^T, then sum m p. x0 is not about
/// the region's middle, which is taken off later; the rounding this costs is that of the positions themselves. The
/// unused fourth entries carry the centre particle's position.
inline void region_sums(const ListView& lists, const float* positions, std::size_t r, float* out)
{
    const std::int32_t* m = lists.members + lists.region_offsets[r];
    const std::int32_t* const end = lists.members + lists.region_offsets[r + 1];
    const f8 origin = load4_twice(at_entry(positions, lists.centers[r]));

    f8 a01{}, a2s{}, b01{}, b2s{};  // two sums each: an addition waits for the one before
    const auto add = [&](std::int32_t member, f8& sum01, f8& sum2s) {
        const f8 p = load4_twice(at_entry(positions, member)) - origin;
        const f8 q = load4_twice(at_entry(lists.factors, member));
        sum01 += p * __builtin_shufflevector(q, q, 0, 0, 0, 0, 5, 5, 5, 5);
        sum2s += p * __builtin_shufflevector(q, q, 2, 2, 2, 2, 7, 7, 7, 7);
    };
    fetch_ahead<std::int32_t>(m + 384);  // those of some two dozen regions
    for (; m < end; m += kStride)
        for (int k = 0; k < int(kStride); k += 2) {
            add(m[k], a01, a2s);
            add(m[k + 1], b01, b2s);
        }
    store8(out, __builtin_shufflevector(a01 + b01, origin, 0, 1, 2, 8, 4, 5, 6, 13));
    store8(out + 8, __builtin_shufflevector(a2s + b2s, origin, 0, 1, 2, 10, 4, 5, 6, 7));
}

void moments(const ListView& lists, const RegionRest* rest, const float* positions, std::size_t first_block,
             std::size_t last_block, std::size_t regions, RegionMoments* out)
{
    for (std::size_t block = first_block; block < last_block; ++block, ++out) {
        fetch_ahead<RegionRest>(&rest[block + 8]);
        alignas(32) float sums[kLanes][16];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t r = block * kLanes + lane;
            region_sums(lists, positions, r < regions ? r : regions - 1, sums[lane]);
        }
        f8 u[8], v[8];
        for (int lane = 0; lane < 8; ++lane) {
            u[lane] = load8(sums[lane]);
            v[lane] = load8(sums[lane] + 8);
        }
        transpose(u);
        transpose(v);
        // u: column 0, x_r.x, column 1, x_r.y;  v: column 2, x_r.z, sum m p
        const RegionRest& k = rest[block];
        const f8 inverse_mass = load8(k.inverse_mass);
        const f8 q0 = load8(k.middle[0]), q1 = load8(k.middle[1]), q2 = load8(k.middle[2]);
        for (int i = 0; i < 3;
             ++i) {  // from about the body's centre and the centre particle to about the centres of mass
            store8(out->A[i], u[i] - v[4 + i] * q0);
            store8(out->A[3 + i], u[4 + i] - v[4 + i] * q1);
            store8(out->A[6 + i], v[i] - v[4 + i] * q2);
        }
        store8(out->c[0], u[3] + v[4] * inverse_mass);
        store8(out->c[1], u[7] + v[5] * inverse_mass);
        store8(out->c[2], v[3] + v[6] * inverse_mass);
    }
}

// ---- rotation ------------------------------------------------------------------------------------------------------

struct Turns {
    Two x, y, z, w;
};

inline f8 square_root(f8 v)
{
    f8 r;
    for (int lane = 0; lane < 8; ++lane) r[lane] = __builtin_sqrtf(v[lane]);
    return r;
}

inline f8 inverse_sqrt(f8 v)
{
    f8 r;
    for (int lane = 0; lane < 8; ++lane) r[lane] = 1.0f / __builtin_sqrtf(v[lane]);
    return r;
}

/// Columns of the rotation matrices.
inline void to_columns(const Turns& q, Two (&R)[9])
{
    const Two two = twice(2), one = twice(1);
    const Two x2 = q.x * two, y2 = q.y * two, z2 = q.z * two;
    const Two xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    const Two xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const Two wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    R[0] = one - (yy + zz), R[1] = xy + wz, R[2] = xz - wy;
    R[3] = xy - wz, R[4] = one - (xx + zz), R[5] = yz + wx;
    R[6] = xz + wy, R[7] = yz - wx, R[8] = one - (xx + yy);
}

template <class V>
inline V dot3(const V* a, const V* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Newton on tr(R^T A) from the last rotation: w = (tr B - S)^-1 axial(B - B^T), B = R^T A, S = sym B. A region whose
/// matrix tr B - S is not safely positive definite, or that has not settled, is left to closest_rotation(): a bit in
/// `failed`. Where it is, the maximum is the only one, so what Newton finds is right.
inline void newton(const Two (&A)[9], Turns& q, Two (&R)[9], i8 (&failed)[2])
{
    constexpr int kRounds = 5;
    // |w|^2: what is left is smaller by a factor of the order of the stretch, about the rounding of the positions.
    constexpr float kSettled = 3e-5f;
    constexpr float kSmall = 2e-3f;  // |w|^2 for which one Newton round from 1 is the inverse root to 1e-7
    constexpr float kSafelyPositive = 1e-3f;
    i8 unsafe[2]{}, moving[2]{};
    for (int round = 0; round < kRounds; ++round) {
        to_columns(q, R);
        Two B[9];  // B[3 * column + row]
        for (int column = 0; column < 3; ++column)
            for (int row = 0; row < 3; ++row) B[3 * column + row] = dot3(R + 3 * row, A + 3 * column);
        const Two half = twice(0.5f), minus_half = twice(-0.5f);
        const Two trace = B[0] + B[4] + B[8];
        const Two h00 = B[4] + B[8], h11 = B[0] + B[8], h22 = B[0] + B[4];
        const Two h01 = (B[1] + B[3]) * minus_half, h02 = (B[2] + B[6]) * minus_half, h12 = (B[5] + B[7]) * minus_half;
        const Two a0 = B[5] - B[7], a1 = B[6] - B[2], a2 = B[1] - B[3];
        // inverse by cofactors
        const Two c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
        const Two c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
        const Two det = h00 * c00 + h01 * c01 + h02 * c02;
        const Two least = twice(kSafelyPositive) * trace * trace * trace;
        const i8 safe_a = (trace.a > 0) & (c22.a > 0) & (h00.a > 0) & (det.a > least.a);
        const i8 safe_b = (trace.b > 0) & (c22.b > 0) & (h00.b > 0) & (det.b > least.b);
        const f8 one = splat(1), zero{};
        // An unsafe lane does not move: its step is multiplied by zero.
        const Two inverse = Two{select(safe_a, one, zero), select(safe_b, one, zero)} /
                            Two{select(safe_a, det.a, one), select(safe_b, det.b, one)};
        const Two w0 = (c00 * a0 + c01 * a1 + c02 * a2) * inverse;
        const Two w1 = (c01 * a0 + c11 * a1 + c12 * a2) * inverse;
        const Two w2 = (c02 * a0 + c12 * a1 + c22 * a2) * inverse;
        unsafe[0] = ~safe_a, unsafe[1] = ~safe_b;
        const Two size = w0 * w0 + w1 * w1 + w2 * w2;
        moving[0] = size.a > splat(kSettled), moving[1] = size.b > splat(kSettled);
        // q <- q (1, w/2), to unit length
        const Two u0 = w0 * half, u1 = w1 * half, u2 = w2 * half;
        Turns n;
        n.x = q.x + q.w * u0 + q.y * u2 - q.z * u1;
        n.y = q.y + q.w * u1 + q.z * u0 - q.x * u2;
        n.z = q.z + q.w * u2 + q.x * u1 - q.y * u0;
        n.w = q.w - q.x * u0 - q.y * u1 - q.z * u2;
        const Two square = n.x * n.x + n.y * n.y + n.z * n.z + n.w * n.w;
        const bool large = any((size.a > splat(kSmall)) | (size.b > splat(kSmall)));
        const Two s = large ? Two{inverse_sqrt(square.a), inverse_sqrt(square.b)} : twice(1.5f) - half * square;
        q = {n.x * s, n.y * s, n.z * s, n.w * s};
        if (!any(moving[0] | moving[1])) break;
    }
    to_columns(q, R);
    for (int k = 0; k < 2; ++k) failed[k] = unsafe[k] | moving[k];
}

/// The rotations of one or two blocks; of one: twice the same.
inline Turns load_rotations(const float* turn, std::size_t blocks)
{
    const float* const other = turn + (blocks - 1) * kRotationSize;
    const auto both = [&](std::size_t k) { return Two{load8(turn + k * kLanes), load8(other + k * kLanes)}; };
    return {both(0), both(1), both(2), both(3)};
}

/// Rotations of A from those in `turn`, left there too, for one or two blocks; lanes from `used` on are spare. Returns
/// how many were hard.
inline int find_rotations(const Two (&A)[9], std::size_t blocks, std::size_t used, float* turn, Two (&R)[9])
{
    Turns q = load_rotations(turn, blocks);
    i8 failed[2];
    newton(A, q, R, failed);
    int hard = 0;
    if (any(failed[0] | failed[1])) {
        for (std::size_t k = 0; k < blocks * kLanes && k < used; ++k) {
            const std::size_t block = k / kLanes, lane = k % kLanes;
            if (!failed[block][lane]) continue;
            float a[9], p[4];
            for (int e = 0; e < 9; ++e) a[e] = block ? A[e].b[lane] : A[e].a[lane];
            float* const from = turn + block * kRotationSize + lane;
            for (std::size_t e = 0; e < 4; ++e) p[e] = from[e * kLanes];
            robust_rotation(a, p);
            Two* const parts[4] = {&q.x, &q.y, &q.z, &q.w};
            for (int e = 0; e < 4; ++e) (block ? parts[e]->b : parts[e]->a)[lane] = p[e];
            ++hard;
        }
        to_columns(q, R);
    }
    const Two* const parts[4] = {&q.x, &q.y, &q.z, &q.w};
    for (std::size_t e = 0; e < 4; ++e) {
        store8(turn + e * kLanes, parts[e]->a);
        if (blocks == 2) store8(turn + kRotationSize + e * kLanes, parts[e]->b);
    }
    return hard;
}

/// M <- M T for symmetric T.
template <class V>
inline void times_stretch(V (&M)[9], const V (&T)[6])
{
    V out[9];
    for (int row = 0; row < 3; ++row) {
        out[row] = M[row] * T[0] + M[3 + row] * T[5] + M[6 + row] * T[4];
        out[3 + row] = M[row] * T[5] + M[3 + row] * T[1] + M[6 + row] * T[3];
        out[6 + row] = M[row] * T[4] + M[3 + row] * T[3] + M[6 + row] * T[2];
    }
    for (int k = 0; k < 9; ++k) M[k] = out[k];
}

inline void load_stretch(const float (&from)[6][kLanes], f8 (&T)[6])
{
    for (int k = 0; k < 6; ++k) T[k] = load8(from[k]);
}

/// What is wanted of the block that many behind the first.
inline void load_wanted(const WantedStretch& wanted, std::size_t block, f8 (&T)[6])
{
    if (wanted.given) return load_stretch(wanted.given[block].T, T);
    for (int k = 0; k < 6; ++k) T[k] = splat(k < 3 ? 1.0f : 0.0f);
    const RegionStretch* shape = wanted.shapes + block;
    const float* weight = wanted.weights + block * wanted.weight_step;
    for (std::size_t e = 0; e < wanted.examples; ++e) {
        const f8 share = load8(weight) * splat(wanted.beta);
        for (int k = 0; k < 6; ++k) T[k] += share * load8(shape->T[k]);
        shape += wanted.shape_stride, weight += wanted.weight_stride;
    }
}

/// Linear fits A = A_pq K of a block; those of regions that lie in a plane are A_pq.
inline void linear_fit(const RegionMoments& moments, const RegionTensor& spread, f8 (&A)[9])
{
    f8 K[6];
    for (int e = 0; e < 9; ++e) A[e] = load8(moments.A[e]);
    load_stretch(spread.K, K);
    times_stretch(A, K);
    const i8 flat = K[0] == f8{};
    if (any(flat))
        for (int e = 0; e < 9; ++e) A[e] = select(flat, load8(moments.A[e]), A[e]);
}

RotateCount rotate(const RegionMoments* moments, const RegionRest* rest, const WantedStretch& wanted,
                   RotationSource turning, const RegionTensor* spread, std::size_t first_block, std::size_t last_block,
                   std::size_t regions, float* rotations, float* transforms)
{
    RotateCount count;
    const bool stretched = wanted.given || wanted.examples > 0;
    for (std::size_t block = first_block; block < last_block; block += 2) {
        const std::size_t blocks = last_block - block < 2 ? 1 : 2;
        const std::size_t used = regions - block * kLanes;
        float* const turn = rotations + block * kRotationSize;
        fetch_ahead<float[2 * kRotationSize]>(turn + 16 * kRotationSize);
        const RegionMoments* const here = moments + (block - first_block);
        f8 A[2][9], T[2][6];
        for (std::size_t k = 0; k < blocks; ++k) {
            for (int e = 0; e < 9; ++e) A[k][e] = load8(here[k].A[e]);
            const f8(&M)[9] = A[k];
            const f8 det = M[0] * (M[4] * M[8] - M[5] * M[7]) - M[3] * (M[1] * M[8] - M[2] * M[7]) +
                           M[6] * (M[1] * M[5] - M[2] * M[4]);
            const i8 inverted = det < 0;
            if (any(inverted))
                for (std::size_t lane = 0; lane < kLanes && k * kLanes + lane < used; ++lane)
                    count.inverted += inverted[lane] != 0;
            if (turning == RotationSource::fit_linear) linear_fit(here[k], spread[block + k], A[k]);
            if (stretched) load_wanted(wanted, block - first_block + k, T[k]);
            if (stretched && turning == RotationSource::fit_stretched) times_stretch(A[k], T[k]);
        }
        Two both[9], R[9];
        for (int e = 0; e < 9; ++e) both[e] = {A[0][e], A[blocks - 1][e]};
        count.robust += find_rotations(both, blocks, used, turn, R);
        for (std::size_t k = 0; k < blocks; ++k) {
            f8 F[9];
            for (int e = 0; e < 9; ++e) F[e] = k ? R[e].b : R[e].a;
            if (stretched) times_stretch(F, T[k]);
            const RegionRest& region = rest[block + k];
            const f8 m0 = load8(region.middle[0]), m1 = load8(region.middle[1]), m2 = load8(region.middle[2]);
            f8 u[8] = {F[0], F[1], F[2], f8{}, F[3], F[4], F[5], f8{}};
            f8 v[8] = {F[6], F[7], F[8], f8{}, f8{}, f8{}, f8{}, f8{}};
            for (int row = 0; row < 3; ++row)
                v[4 + row] = load8(here[k].c[row]) - (F[row] * m0 + F[3 + row] * m1 + F[6 + row] * m2);
            transpose(u);
            transpose(v);
            float* out = transforms + (block + k) * kLanes * kTransformSize;
            for (std::size_t lane = 0; lane < kLanes && k * kLanes + lane < used; ++lane, out += kTransformSize) {
                __builtin_prefetch(out + 48 * kTransformSize, 1);  // to write there
                store8(out, u[lane]);
                store8(out + 8, v[lane]);
            }
        }
    }
    return count;
}

// ---- goals ---------------------------------------------------------------------------------------------------------

void displacements(const ListView& lists, const float* transforms, const float* positions, std::size_t first,
                   std::size_t last, Vec3* displacement, DisplacementSums& sums)
{
    const auto yzx = [](f4 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); };
    const auto zxy = [](f4 v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); };
    const f4 origin = load4(positions + kPositionSize * first);
    f4 push{}, turn{}, back{};
    for (std::size_t i = first; i < last; ++i) {
        const std::int32_t* h = lists.holders + lists.holder_offsets[i];
        const std::int32_t* const end = lists.holders + lists.holder_offsets[i + 1];
        f8 u{}, v{}, u2{}, v2{};
        for (; h < end; h += kStride) {
            for (int k = 0; k < int(kStride); k += 2) {
                u += load8(transforms + h[k]);
                v += load8(transforms + h[k] + 8);
                u2 += load8(transforms + h[k + 1]);
                v2 += load8(transforms + h[k + 1] + 8);
            }
        }
        fetch_ahead<f4>(lists.rest + 4 * (i + 64));
        const f4 x0 = load4(lists.rest + 4 * i), x = load4(positions + kPositionSize * i);
        const f4 one{1, 1, 1, 1};
        const f8 g = (u + u2) * join(spread<0>(x0), spread<1>(x0)) + (v + v2) * join(spread<2>(x0), one);
        const float n = lists.holder_count[i], share = lists.share[i];
        const f4 sum = (low_half(g) + high_half(g)) - x * f4{n, n, n, n};
        const f4 mean = sum * f4{share, share, share, share};
        __builtin_memcpy(&displacement[i].x, &mean, 12);
        const f4 mw = sum * spread<3>(x0), p = x - origin;
        push += mw;
        turn += yzx(p) * zxy(mw);
        back += zxy(p) * yzx(mw);
    }
    turn -= back;
    __builtin_memcpy(sums.push, &push, sizeof push);
    __builtin_memcpy(sums.turn, &turn, sizeof turn);
}

double mismatch(const ListView& lists, const float* transforms, const float* positions, std::size_t first,
                std::size_t last)
{
    double sum = 0;
    for (std::size_t r = first; r < last; ++r) {
        const float* t = transforms + kTransformSize * r;
        const f4 c0 = load4(t), c1 = load4(t + 4), c2 = load4(t + 8), c3 = load4(t + 12);
        f4 region{};
        for (std::int32_t k = lists.region_offsets[r]; k < lists.region_offsets[r + 1]; ++k) {
            const std::int32_t member = lists.members[k];
            const f4 x0 = load4(lists.rest + member / 4);
            const f4 away =
                c0 * spread<0>(x0) + c1 * spread<1>(x0) + c2 * spread<2>(x0) + c3 - load4(at_entry(positions, member));
            region += away * away * spread<3>(x0);
        }
        sum += double(region[0]) + double(region[1]) + double(region[2]);
    }
    return 0.5 * sum;
}
