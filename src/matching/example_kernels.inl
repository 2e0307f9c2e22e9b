// The kernels of examples, included behind kernels.inl, whose vector helpers and rotation they use. As many regions at
// once as a register holds: one block, or two with AVX-512, where comparisons give bits instead of lanes.

#ifdef __AVX512F__
using f16 = float __attribute__((vector_size(64)));
using Wide = f16;
using WideMask = std::uint16_t;

inline Wide load_wide(const float* a, const float* b)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(load8(a)), load8(b), 1);
}
inline void store_wide(float* a, float* b, Wide v)
{
    store8(b, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
    store8(a, __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7));
}
inline Wide wide(float s)
{
    return Wide{} + s;
}
inline WideMask less(Wide a, Wide b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);  // not true for what is not a number, nor the next
}
inline Wide select(WideMask mask, Wide yes, Wide no)
{
    return _mm512_mask_blend_ps(mask, no, yes);
}
inline WideMask not_negative(Wide v)
{
    return _mm512_cmp_ps_mask(v, Wide{}, _CMP_GE_OQ);
}
inline bool any(WideMask mask)
{
    return mask != 0;
}
inline bool holds(WideMask mask, std::size_t lane)
{
    return mask >> lane & 1;
}
/// Zero in the second half if that is a block counted already.
inline Wide counted(Wide v, bool alone)
{
    return select(WideMask(alone ? 0xff : 0xffff), v, Wide{});
}
/// To four digits.
inline Wide rough_inverse_root(Wide v)
{
    return _mm512_mask_rsqrt14_ps(v, WideMask(-1), v);  // the plain one makes GCC 12 warn
}
#else
using Wide = f8;
using WideMask = i8;

inline Wide load_wide(const float* a, const float*)
{
    return load8(a);
}
inline void store_wide(float* a, float*, Wide v)
{
    store8(a, v);
}
inline Wide wide(float s)
{
    return splat(s);
}
inline WideMask less(Wide a, Wide b)
{
    return a < b;
}
inline WideMask not_negative(Wide v)
{
    return v >= 0;
}
inline Wide counted(Wide v, bool)
{
    return v;
}
inline Wide rough_inverse_root(Wide v)
{
#ifdef __AVX__
    return _mm256_rsqrt_ps(v);
#else
    return inverse_sqrt(v);
#endif
}
inline bool holds(WideMask mask, std::size_t lane)
{
    return mask[lane] != 0;
}
#endif
constexpr std::size_t kTogether = sizeof(Wide) / sizeof(f8);  // blocks

/// The block that goes together with `block`; itself if it is alone.
inline std::size_t other_of(std::size_t block, std::size_t last)
{
    return block + kTogether <= last ? block + kTogether - 1 : block;
}

/// S of A = R S without R; true in the lanes that are too near to having many. With C = A^T A and i1, i2, i3 the
/// invariants of S: i3 = det A, i2 = (i1^2 - tr C) / 2, and i1 is the largest root of
/// (t^2 - tr C)^2 = 4 (i2 of C) + 8 i3 t; then (i1 i2 - i3) S = i2 C + i1 i3 + (i2 of C) - cof C, by Cayley and
/// Hamilton. For det A < 0 that is the S with the sign that keeps R a rotation, [Examples] 3.4.
inline WideMask root_of_square(const Wide (&A)[9], Wide (&S)[6])
{
    constexpr int kRounds = 12;
    constexpr float kSettled = 4e-3f;  // of a step: what is left is less than half of its cube
    constexpr float kLeast = 0.01f;    // of (l1 + l2) (l2 + l3) (l3 + l1) / i1^3, 8/27 at rest
    const Wide xx = dot3(A, A), yy = dot3(A + 3, A + 3), zz = dot3(A + 6, A + 6);
    const Wide yz = dot3(A + 3, A + 6), xz = dot3(A, A + 6), xy = dot3(A, A + 3);
    const Wide i3 =
        A[0] * (A[4] * A[8] - A[5] * A[7]) - A[3] * (A[1] * A[8] - A[2] * A[7]) + A[6] * (A[1] * A[5] - A[2] * A[4]);
    const Wide trace = xx + yy + zz;
    const Wide cof_xx = yy * zz - yz * yz, cof_yy = xx * zz - xz * xz, cof_zz = xx * yy - xy * xy;
    const Wide second = cof_xx + cof_yy + cof_zz;
    const Wide four_second = second * 4, eight_i3 = i3 * 8;
    // With C = s^2 (1 + E), tr E = 0: i1 = s (3 + (i2 of E) / 4 + ...).
    const Wide root = rough_inverse_root(trace), u = root * root;
    Wide t = trace * root * (0.57735027f * 2.25f) * (1 + second * u * u);
    WideMask failed{};
    for (int round = 0; round < kRounds; ++round) {  // Halley's: Newton with the next term
        const Wide square = t * t, rest = square - trace;
        const Wide value = rest * rest - four_second - eight_i3 * t, slope = t * 4 * rest - eight_i3;
        const Wide step = value * slope / (slope * slope - value * (square * 6 - trace * 2));
        t -= step;
        const Wide small = t * kSettled;
        failed = ~less(step * step, small * small);
        if (!any(failed)) break;
    }
    const Wide i2 = (t * t - trace) * 0.5f, divisor = t * i2 - i3;
    failed |= ~less(t * t * t * kLeast, divisor);
    const Wide inverse = 1 / divisor, c = i2 * inverse, d = (t * i3 + second) * inverse;
    S[0] = c * xx + d - inverse * cof_xx;
    S[1] = c * yy + d - inverse * cof_yy;
    S[2] = c * zz + d - inverse * cof_zz;
    S[3] = c * yz - inverse * (xy * xz - xx * yz);
    S[4] = c * xz - inverse * (xy * yz - yy * xz);
    S[5] = c * xy - inverse * (xz * yz - zz * xy);
    return failed;
}

/// The stretch of the regions in some lanes in the same way, of any linear fit; returns how many are not spare.
__attribute__((noinline)) int observe_hard(const RegionMoments* moments, const RegionTensor* spread, WideMask lanes,
                                           std::size_t block, std::size_t other, std::size_t regions,
                                           const float* rotations, Wide (&S)[6])
{
    int hard = 0;
    for (std::size_t k = 0; k < (other + 1 - block) * kLanes; ++k) {
        if (!holds(lanes, k)) continue;
        const std::size_t here = block + k / kLanes, lane = k % kLanes;
        const float* const turn = rotations + here * kRotationSize + lane;
        f8 A[9];
        linear_fit(moments[here], spread[here], A);
        const float q[4] = {turn[0], turn[kLanes], turn[2 * kLanes], turn[3 * kLanes]};
        float a[9], s[6];
        for (int e = 0; e < 9; ++e) a[e] = A[e][lane];
        robust_stretch(a, q, s);
        for (int e = 0; e < 6; ++e) S[e][k] = s[e];
        hard += here * kLanes + lane < regions;
    }
    return hard;
}

/// Calls then(block, other, S) for all blocks, those that go together at once.
template <class Then>
inline int observe_each(const RegionMoments* moments, const RegionTensor* spread, std::size_t first_block,
                        std::size_t last_block, std::size_t regions, const float* rotations, const Then& then)
{
    int hard = 0;
    moments -= first_block;
    for (std::size_t block = first_block; block < last_block; block += kTogether) {
        const std::size_t other = other_of(block, last_block);
        Wide A[9], K[6], S[6];
        for (int e = 0; e < 9; ++e) A[e] = load_wide(moments[block].A[e], moments[other].A[e]);
        for (int e = 0; e < 6; ++e) K[e] = load_wide(spread[block].K[e], spread[other].K[e]);
        times_stretch(A, K);
        const WideMask flat = ~less(Wide{}, K[0]);  // regions that lie in a plane
        if (__builtin_expect(any(flat), 0))
            for (int e = 0; e < 9; ++e) A[e] = select(flat, wide(e % 4 == 0 ? 1.0f : 0.0f), A[e]);
        const WideMask failed = root_of_square(A, S);
        if (__builtin_expect(any(failed), 0)) {
            Wide fixed[6];  // a copy: S itself can stay in registers
            for (int e = 0; e < 6; ++e) fixed[e] = S[e];
            hard += observe_hard(moments, spread, failed, block, other, regions, rotations, fixed);
            for (int e = 0; e < 6; ++e) S[e] = fixed[e];
        }
        then(block - first_block, other - first_block, S);
    }
    return hard;
}

int observe(const RegionMoments* moments, const RegionTensor* spread, std::size_t first_block, std::size_t last_block,
            std::size_t regions, const float* rotations, RegionStretch* stretch)
{
    return observe_each(moments, spread, first_block, last_block, regions, rotations,
                        [&](std::size_t block, std::size_t other, const Wide(&S)[6]) {
                            for (int e = 0; e < 6; ++e) store_wide(stretch[block].T[e], stretch[other].T[e], S[e]);
                        });
}

/// Products of two blocks; of one, if it is both.
inline void multiply(const Wide (&S)[6], std::size_t block, std::size_t other, const RowProducts& products)
{
    const Wide away[6] = {S[0] - 1, S[1] - 1, S[2] - 1, S[3], S[4], S[5]};
    for (std::size_t k = 0; k < products.examples; ++k) {
        const RegionStretch* const rows = products.rows + k * products.row_stride;
        const auto term = [&](int e) { return load_wide(rows[block].T[e], rows[other].T[e]) * away[e]; };
        const Wide sum = (term(0) + term(1) + term(2)) + (term(3) + term(4) + term(5));
        if (products.each) {
            float* const each = products.each + k * products.each_stride;
            store_wide(each + block * kLanes, each + other * kLanes, sum);
        }
        if (products.sums) {
            float* const sums = products.sums + k * kSumLanes;
            store_wide(sums, sums + kLanes, load_wide(sums, sums + kLanes) + counted(sum, block == other));
        }
    }
}

int observe_products(const RegionMoments* moments, const RegionTensor* spread, std::size_t first_block,
                     std::size_t last_block, std::size_t regions, const float* rotations, const RowProducts& products)
{
    return observe_each(
        moments, spread, first_block, last_block, regions, rotations,
        [&](std::size_t block, std::size_t other, const Wide(&S)[6]) { multiply(S, block, other, products); });
}

void observe_turned(const RegionMoments* moments, const RegionTensor* inertia, std::size_t first_block,
                    std::size_t last_block, const float* rotations, RegionStretch* stretch)
{
    for (std::size_t block = first_block; block < last_block; ++block, ++moments, ++stretch) {
        Two A[9], R[9];
        for (int e = 0; e < 9; ++e) A[e].a = A[e].b = load8(moments->A[e]);
        to_columns(load_rotations(rotations + block * kRotationSize, 1), R);
        const Two half = twice(0.5f), one = twice(1);
        const Two B[6] = {dot3(R, A) + one,
                          dot3(R + 3, A + 3) + one,
                          dot3(R + 6, A + 6) + one,
                          (dot3(R + 3, A + 6) + dot3(R + 6, A + 3)) * half,
                          (dot3(R, A + 6) + dot3(R + 6, A)) * half,
                          (dot3(R, A + 3) + dot3(R + 3, A)) * half};
        for (int e = 0; e < 6; ++e) store8(stretch->T[e], B[e].a - load8(inertia[block].K[e]));
    }
}

void project(const RegionStretch* stretch, std::size_t blocks, const RowProducts& products)
{
    for (std::size_t block = 0; block < blocks; block += kTogether) {
        const std::size_t other = other_of(block, blocks);
        Wide S[6];
        for (int e = 0; e < 6; ++e) S[e] = load_wide(stretch[block].T[e], stretch[other].T[e]);
        multiply(S, block, other, products);
    }
}

void blend(const WantedStretch& wanted, std::size_t blocks, RegionStretch* out)
{
    for (std::size_t block = 0; block < blocks; ++block) {
        f8 T[6];
        load_wanted(wanted, block, T);
        for (int k = 0; k < 6; ++k) store8(out[block].T[k], T[k]);
    }
}

/// The best point so far in the hull of up to three examples and rest, in every lane.
template <int N>
struct HullPoint {
    const Wide (&b)[N];
    const float *next, *next2;  ///< constant of the faces, of two blocks
    Wide w[N]{};
    Wide distance{};  ///< w G w / 2 - b w: zero at rest

    Wide take()
    {
        const Wide v = load_wide(next, next2);
        next += kLanes, next2 += kLanes;
        return v;
    }
    void offer(const Wide (&v)[N], Wide d, WideMask valid)
    {
        valid &= less(d, distance);
        distance = select(valid, d, distance);
        for (int j = 0; j < N; ++j) w[j] = select(valid, v[j], w[j]);
    }
    /// The nearest point of the face with vertices `base` (N: rest) and one, two or three others.
    template <int Count>
    void offer_face(int base, Wide at_base, const int (&others)[Count])
    {
        Wide r[Count], inverse[Count][Count];
        for (int j = 0; j < Count; ++j) r[j] = base == N ? b[others[j]] : b[others[j]] - b[base] - take();
        for (int j = 0; j < Count; ++j)
            for (int k = j; k < Count; ++k) inverse[j][k] = inverse[k][j] = take();
        WideMask valid = less(Wide{}, inverse[0][0]);
        Wide left = wide(1), gain{}, face[N]{};
        for (int j = 0; j < Count; ++j) {
            Wide share = inverse[j][0] * r[0];
            for (int k = 1; k < Count; ++k) share += inverse[j][k] * r[k];
            valid &= not_negative(share);
            left -= share;
            gain += r[j] * share;
            face[others[j]] = share;
        }
        if (base != N) face[base] = left;
        offer(face, at_base - gain * 0.5f, valid & not_negative(left));
    }
    /// All faces whose last vertex is `Base`.
    template <int Base>
    void offer_faces()
    {
        Wide at_base{};
        if constexpr (Base < N) {  // the example itself
            const Wide square = take();
            at_base = square * 0.5f - b[Base];
            Wide v[N]{};
            v[Base] = wide(1);
            offer(v, at_base, less(Wide{}, square));
        }
#pragma GCC unroll 3
        for (int j = 0; j < Base; ++j) {
            offer_face<1>(Base, at_base, {j});
            for (int k = j + 1; k < Base; ++k) offer_face<2>(Base, at_base, {j, k});
        }
        if constexpr (Base == 3) offer_face<3>(Base, at_base, {0, 1, 2});
        if constexpr (Base > 0) offer_faces<Base - 1>();
    }
};

template <int N>
inline void hull_of(const float* faces, std::size_t blocks, std::size_t stride, float* dots)
{
    for (std::size_t block = 0; block < blocks; block += kTogether) {
        const std::size_t other = other_of(block, blocks);
        float *const at = dots + block * kLanes, *const at2 = dots + other * kLanes;
        Wide b[N];
        for (std::size_t j = 0; j < N; ++j) b[j] = load_wide(at + j * stride, at2 + j * stride);
        HullPoint<N> best{b, faces + block * hull_constants(N) * kLanes, faces + other * hull_constants(N) * kLanes};
        best.template offer_faces<N>();
        for (std::size_t j = 0; j < N; ++j) store_wide(at + j * stride, at2 + j * stride, best.w[j]);
    }
}

void hull(int examples, const float* faces, std::size_t blocks, std::size_t stride, float* dots)
{
    if (examples == 1) hull_of<1>(faces, blocks, stride, dots);
    if (examples == 2) hull_of<2>(faces, blocks, stride, dots);
    if (examples == 3) hull_of<3>(faces, blocks, stride, dots);
}
