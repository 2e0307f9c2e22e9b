// The loops of damping_kernels.h, included by one file per instruction set inside its own namespace.

using f4 = float __attribute__((vector_size(16)));
using f8 = float __attribute__((vector_size(32)));
using d4 = double __attribute__((vector_size(32)));

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
inline d4 load_d4(const double* p)
{
    d4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline f8 splat(float s)
{
    return f8{s, s, s, s, s, s, s, s};
}
inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
/// Four of eight numbers.
inline d4 half(f8 v, int upper)
{
    return __builtin_convertvector(
        upper ? __builtin_shufflevector(v, v, 4, 5, 6, 7) : __builtin_shufflevector(v, v, 0, 1, 2, 3), d4);
}

/// Rows become columns.
inline void transpose(d4 (&r)[4])
{
    const d4 a0 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), a1 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const d4 a2 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), a3 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a0, a2, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a1, a3, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a0, a2, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(a1, a3, 2, 3, 6, 7);
}

/// Sums over four regions about one point: m, m x, m v, m x cross v, m x x^T (xx, yy, zz, yz, zx, xy).
struct RegionSums4 {
    d4 inverse_mass, x[3], v[3], L[3], xx, yy, zz, yz, zx, xy;
};
/// Their rigid motions: velocity at that point, and spin. `little` is added to the inertia, as a share of its trace, so
/// that rods and points have an inverse.
struct Motions4 {
    d4 velocity[3], spin[3];
};
inline Motions4 motions_of(const RegionSums4& s, double little)
{
    const d4 none{}, one = none + 1.0;
    const d4 c[3] = {s.x[0] * s.inverse_mass, s.x[1] * s.inverse_mass, s.x[2] * s.inverse_mass};
    const d4 xx = s.xx - s.x[0] * c[0], yy = s.yy - s.x[1] * c[1], zz = s.zz - s.x[2] * c[2];
    const d4 yz = s.yz - s.x[1] * c[2], zx = s.zx - s.x[2] * c[0], xy = s.xy - s.x[0] * c[1];
    const d4 L0 = s.L[0] - (c[1] * s.v[2] - c[2] * s.v[1]), L1 = s.L[1] - (c[2] * s.v[0] - c[0] * s.v[2]),
             L2 = s.L[2] - (c[0] * s.v[1] - c[1] * s.v[0]);
    // Inertia [A F E; F B D; E D C] over its trace, inverted by cofactors.
    const d4 trace = xx + yy + zz;
    const auto wide = trace > none;
    const d4 unit = (wide ? one : none) / (wide ? trace : one);
    const d4 A = (yy + zz) * unit + little, B = (xx + zz) * unit + little, C = (xx + yy) * unit + little;
    const d4 D = -yz * unit, E = -zx * unit, F = -xy * unit;
    const d4 aa = B * C - D * D, ab = E * D - F * C, ac = F * D - E * B;
    const d4 bb = A * C - E * E, bc = F * E - A * D, cc = A * B - F * F;
    const d4 determinant = A * aa + F * ab + E * ac;
    const auto turns = determinant > none;
    const d4 inverse = (turns ? unit : none) / (turns ? determinant : one);
    const d4 w0 = (aa * L0 + ab * L1 + ac * L2) * inverse, w1 = (ab * L0 + bb * L1 + bc * L2) * inverse,
             w2 = (ac * L0 + bc * L1 + cc * L2) * inverse;
    return {{s.v[0] * s.inverse_mass - (w1 * c[2] - w2 * c[1]), s.v[1] * s.inverse_mass - (w2 * c[0] - w0 * c[2]),
             s.v[2] * s.inverse_mass - (w0 * c[1] - w1 * c[0])},
            {w0, w1, w2}};
}

// ---- regions by lists ----------------------------------------------------------------------------------------------

/// The next, and the one after next, of the first three in their circle.
template <class V>
inline V yzx(V v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
template <class V>
inline V zxy(V v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
/// The first three of v, and entry K of another.
template <int K>
inline d4 with_fourth(d4 v, d4 other)
{
    return __builtin_shufflevector(v, other, 0, 1, 2, 4 + K);
}

void products(const float* particles, std::size_t first, std::size_t last, double* out)
{
    for (std::size_t slot = first; slot < last; ++slot) {
        const f8 particle = load8(particles + kDampedSize * slot);
        const d4 p = half(particle, 0), v = half(particle, 1);  // place and mass; velocity
        const d4 mass = __builtin_shufflevector(p, p, 3, 3, 3, 3), mp = mass * p, mv = mass * v, square = mp * p;
        const d4 rows[4] = {with_fourth<3>(mp, mass), with_fourth<0>(mv, square),
                            with_fourth<1>(yzx(p) * zxy(mv) - zxy(p) * yzx(mv), square),
                            with_fourth<2>(yzx(mp) * zxy(p), square)};
        __builtin_memcpy(out + kProductSize * slot, rows, sizeof rows);
    }
}

void motions(const ListView& lists, const double* products, std::size_t first, std::size_t last, float* out)
{
    constexpr double kLittle = 1e-5;
    const d4 none{}, one = none + 1.0;
    for (std::size_t r = first; r < last; r += 4) {
        d4 a[4], b[4], c[4], d[4];  // the rows of products(), of each region; then transposed
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const std::size_t region = r + lane < last ? r + lane : last - 1;
            const std::int32_t* m = lists.members + lists.region_offsets[region];
            const std::int32_t* const end = lists.members + lists.region_offsets[region + 1];
            d4 even[4]{}, odd[4]{};  // an addition waits for the one before
            for (; m < end; m += kStride)
                for (int k = 0; k < int(kStride); k += 2)
                    for (int row = 0; row < 4; ++row) {
                        even[row] += load_d4(products + m[k] + 4 * row);
                        odd[row] += load_d4(products + m[k + 1] + 4 * row);
                    }
            a[lane] = even[0] + odd[0], b[lane] = even[1] + odd[1];
            c[lane] = even[2] + odd[2], d[lane] = even[3] + odd[3];
        }
        transpose(a);
        transpose(b);
        transpose(c);
        transpose(d);
        const Motions4 found = motions_of({.inverse_mass = one / a[3],
                                           .x = {a[0], a[1], a[2]},
                                           .v = {b[0], b[1], b[2]},
                                           .L = {c[0], c[1], c[2]},
                                           .xx = b[3],
                                           .yy = c[3],
                                           .zz = d[3],
                                           .yz = d[0],
                                           .zx = d[1],
                                           .xy = d[2]},
                                          kLittle);
        d4 velocity[4] = {found.velocity[0], found.velocity[1], found.velocity[2], none};
        d4 spin[4] = {found.spin[0], found.spin[1], found.spin[2], none};
        transpose(velocity);
        transpose(spin);
        for (std::size_t lane = 0; lane < 4 && r + lane < last; ++lane)
            store8(out + kMotionSize * (r + lane),
                   join(__builtin_convertvector(velocity[lane], f4), __builtin_convertvector(spin[lane], f4)));
    }
}

void spread(const ListView& lists, const float* motions, float share, std::size_t first, std::size_t last,
            float* particles)
{
    for (std::size_t slot = first; slot < last; ++slot) {
        const std::int32_t* h = lists.holders + lists.holder_offsets[slot];
        const std::int32_t* const end = lists.holders + lists.holder_offsets[slot + 1];
        f8 even{}, odd{};
        for (; h < end; h += kStride)
            for (int k = 0; k < int(kStride); k += 2) {
                even += load8(motions + h[k] / 2);  // lists count 16 a region
                odd += load8(motions + h[k + 1] / 2);
            }
        const f8 mean = (even + odd) * splat(lists.share[slot]);
        const f4 velocity = __builtin_shufflevector(mean, mean, 0, 1, 2, 3),
                 spin = __builtin_shufflevector(mean, mean, 4, 5, 6, 7);
        float* const particle = particles + kDampedSize * slot;
        f4 p, v;
        __builtin_memcpy(&p, particle, sizeof p);
        __builtin_memcpy(&v, particle + 4, sizeof v);
        v += (velocity + (yzx(spin) * zxy(p) - zxy(spin) * yzx(p)) - v) * share;
        __builtin_memcpy(particle + 4, &v, sizeof v);
    }
}

// ---- boxes on a lattice --------------------------------------------------------------------------------------------

void box_products(const Vec3* positions, const Vec3* velocities, const std::int32_t* ids, const float* masses,
                  Vec3 origin, std::size_t n, float* out, std::size_t channel)
{
    for (std::size_t first = 0; first < n; first += 8) {
        f8 m{}, x{}, y{}, z{}, u{}, v{}, w{};
        for (int lane = 0; lane < 8; ++lane) {
            const std::int32_t i = ids[first + std::size_t(lane)];
            if (i < 0) continue;
            m[lane] = masses[i];
            x[lane] = positions[i].x, y[lane] = positions[i].y, z[lane] = positions[i].z;
            u[lane] = velocities[i].x, v[lane] = velocities[i].y, w[lane] = velocities[i].z;
        }
        x -= splat(origin.x), y -= splat(origin.y), z -= splat(origin.z);
        const f8 values[kBoxProducts] = {
            x, y, z, u, v, w, y * w - z * v, z * u - x * w, x * v - y * u, x * x, y * y, z * z, y * z, x * z, x * y};
        for (std::size_t c = 0; c < kBoxProducts; ++c) store8(out + c * channel + first, m * values[c]);
    }
}

void box_motions(const float* sums, std::size_t channel, const float* inverse_masses, const float* weights, float* out,
                 std::size_t out_channel)
{
    constexpr double kLittle = 1e-7;
    f4 found[6][2];
    for (int k = 0; k < 2; ++k) {
        const auto sum = [&](std::size_t c) { return half(load8(sums + c * channel), k); };
        const Motions4 motion = motions_of({.inverse_mass = half(load8(inverse_masses), k),
                                            .x = {sum(0), sum(1), sum(2)},
                                            .v = {sum(3), sum(4), sum(5)},
                                            .L = {sum(6), sum(7), sum(8)},
                                            .xx = sum(9),
                                            .yy = sum(10),
                                            .zz = sum(11),
                                            .yz = sum(12),
                                            .zx = sum(13),
                                            .xy = sum(14)},
                                           kLittle);
        for (int axis = 0; axis < 3; ++axis) {
            found[axis][k] = __builtin_convertvector(motion.spin[axis], f4);
            found[3 + axis][k] = __builtin_convertvector(motion.velocity[axis], f4);
        }
    }
    const f8 weight = load8(weights), none{};
    const auto there = load8(inverse_masses) > none;
    for (std::size_t c = 0; c < kBoxMotions; ++c)
        store8(out + c * out_channel, there ? weight * join(found[c][0], found[c][1]) : none);
}

void box_damp(const float* sums, std::size_t channel, const std::int32_t* ids, const float* shares, Vec3 origin,
              float share, std::size_t n, const Vec3* positions, Vec3* velocities)
{
    for (std::size_t node = 0; node < n; ++node) {
        const std::int32_t i = ids[node];
        if (i < 0) continue;
        const float* const s = sums + node;
        const float x = positions[i].x - origin.x, y = positions[i].y - origin.y, z = positions[i].z - origin.z;
        const float wx = s[0], wy = s[channel], wz = s[2 * channel], mean = shares[i];
        Vec3& v = velocities[i];
        v.x += ((s[3 * channel] + (wy * z - wz * y)) * mean - v.x) * share;
        v.y += ((s[4 * channel] + (wz * x - wx * z)) * mean - v.y) * share;
        v.z += ((s[5 * channel] + (wx * y - wy * x)) * mean - v.z) * share;
    }
}

constexpr DampingKernels table()
{
    return {products, motions, spread, box_products, box_motions, box_damp};
}
