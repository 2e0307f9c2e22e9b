// The loops of damping_kernels.h, included by one file per instruction set inside its own namespace.

using f4 = float __attribute__((vector_size(16)));
using f8 = float __attribute__((vector_size(32)));
using d8 = double __attribute__((vector_size(64)));

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
inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline d8 in_double(f8 v)
{
    return __builtin_convertvector(v, d8);
}
inline f8 in_single(d8 v)
{
    return __builtin_convertvector(v, f8);
}

/// Rows become columns.
inline void transpose(f8 (&r)[8])
{
    f8 pairs[8], fours[8];
    for (int k = 0; k < 8; k += 2) {
        pairs[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 8; k += 4)
        for (int odd = 0; odd < 2; ++odd) {
            fours[k + 2 * odd] = __builtin_shufflevector(pairs[k + odd], pairs[k + odd + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            fours[k + 2 * odd + 1] =
                __builtin_shufflevector(pairs[k + odd], pairs[k + odd + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        r[k] = __builtin_shufflevector(fours[k], fours[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = __builtin_shufflevector(fours[k], fours[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// Sums over eight regions about one point: m, m x, m v, m x cross v, m x x^T (xx, yy, zz, yz, zx, xy).
template <class V>
struct RegionSums8 {
    V inverse_mass, x[3], v[3], L[3], xx, yy, zz, yz, zx, xy;
};
/// Their rigid motions: velocity at that point, and spin. `little` is added to the inertia, as a share of its trace, so
/// that rods and points have an inverse.
template <class V>
struct Motions8 {
    V velocity[3], spin[3];
};
template <class V, class Number>
inline Motions8<V> motions_of(const RegionSums8<V>& s, Number little)
{
    const V none{}, one = none + Number(1);
    const V c[3] = {s.x[0] * s.inverse_mass, s.x[1] * s.inverse_mass, s.x[2] * s.inverse_mass};
    const V xx = s.xx - s.x[0] * c[0], yy = s.yy - s.x[1] * c[1], zz = s.zz - s.x[2] * c[2];
    const V yz = s.yz - s.x[1] * c[2], zx = s.zx - s.x[2] * c[0], xy = s.xy - s.x[0] * c[1];
    const V L0 = s.L[0] - (c[1] * s.v[2] - c[2] * s.v[1]), L1 = s.L[1] - (c[2] * s.v[0] - c[0] * s.v[2]),
             L2 = s.L[2] - (c[0] * s.v[1] - c[1] * s.v[0]);
    // Inertia [A F E; F B D; E D C] over its trace, inverted by cofactors.
    const V trace = xx + yy + zz;
    const auto wide = trace > none;
    const V unit = (wide ? one : none) / (wide ? trace : one);
    const V A = (yy + zz) * unit + little, B = (xx + zz) * unit + little, C = (xx + yy) * unit + little;
    const V D = -yz * unit, E = -zx * unit, F = -xy * unit;
    const V aa = B * C - D * D, ab = E * D - F * C, ac = F * D - E * B;
    const V bb = A * C - E * E, bc = F * E - A * D, cc = A * B - F * F;
    const V determinant = A * aa + F * ab + E * ac;
    const auto turns = determinant > none;
    const V inverse = (turns ? unit : none) / (turns ? determinant : one);
    const V w0 = (aa * L0 + ab * L1 + ac * L2) * inverse, w1 = (ab * L0 + bb * L1 + bc * L2) * inverse,
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
inline f4 load4(const float* p)
{
    f4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline f4 load3(const Vec3& v)
{
    return f4{v.x, v.y, v.z, 0};
}
inline f4 folded(f8 v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
/// Lists count bytes of four floats.
inline const float* entry(const float* values, std::int32_t at, std::ptrdiff_t fours)
{
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(values) + fours * at);
}
inline f8 yzx_twice(f8 v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7);
}
inline f8 zxy_twice(f8 v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3, 6, 4, 5, 7);
}

void load(const ListView& lists, const std::int32_t* order, const Vec3* positions, const Vec3* velocities,
          const DampingFrame& frame, std::size_t first, std::size_t last, float* places, float* momenta)
{
    const f4 origin = load3(frame.place), common = load3(frame.velocity);
    for (std::size_t slot = first; slot < last; ++slot) {
        const std::int32_t i = order[slot];
        const float m = lists.rest[4 * slot + 3];
        f4 p = load3(positions[i]) - origin;
        const f4 mv = (load3(velocities[i]) - common) * m;
        store8(momenta + kMomentaSize * slot, join(mv, yzx(p) * zxy(mv) - zxy(p) * yzx(mv)));
        p[3] = m;
        __builtin_memcpy(places + kPlaceSize * slot, &p, sizeof p);
    }
}

/// Sums of eight regions, by rows: shared mass times place about a particle of the region, mass; squares, xx of that
/// particle's place; products yz zx xy, yy of it; momentum, zz of it; spin about the reference.
struct DampedRegions {
    f8 first_and_square[8], mixed[8], momenta[8];
};

inline void sum_region(const ListView& lists, const float* places, const float* momenta, std::size_t r,
                       DampedRegions& sums, std::size_t lane)
{
    const std::int32_t* m = lists.members + lists.region_offsets[r];
    const std::int32_t* const end = lists.members + lists.region_offsets[r + 1];
    const f4 center = load4(entry(places, lists.centers[r], 1)) * f4{1, 1, 1, 0};
    const f8 origin = join(center, center), one = splat(1);
    f8 first{}, square{}, mixed{}, even{}, odd{};
    for (; m < end; m += kStride)
        for (int k = 0; k < int(kStride); k += 2) {
            const f8 two = join(load4(entry(places, m[k], 1)), load4(entry(places, m[k + 1], 1))) - origin;
            const f8 mass = __builtin_shufflevector(two, two, 3, 3, 3, 3, 7, 7, 7, 7);
            const f8 p = __builtin_shufflevector(two, one, 0, 1, 2, 11, 4, 5, 6, 15), mp = p * mass;
            first += mp;
            square += mp * p;
            mixed += yzx_twice(mp) * zxy_twice(p);
            even += load8(entry(momenta, m[k], 2));
            odd += load8(entry(momenta, m[k + 1], 2));
        }
    const f4 s = __builtin_shufflevector(folded(square), center, 0, 1, 2, 4);
    const f4 x = __builtin_shufflevector(folded(mixed), center, 0, 1, 2, 5);
    sums.first_and_square[lane] = join(folded(first), s);
    sums.mixed[lane] = join(x, f4{});
    sums.momenta[lane] = __builtin_shufflevector(even + odd, join(center, center), 0, 1, 2, 10, 4, 5, 6, 7);
}

void motions(const ListView& lists, const float* places, const float* momenta, std::size_t first, std::size_t last,
             float* out)
{
    constexpr float kLittle = 1e-5f;
    for (std::size_t r = first; r < last; r += 8) {
        DampedRegions sums;
        for (std::size_t lane = 0; lane < 8; ++lane)
            sum_region(lists, places, momenta, r + lane < last ? r + lane : last - 1, sums, lane);
        transpose(sums.first_and_square);
        transpose(sums.mixed);
        transpose(sums.momenta);
        const f8(&a)[8] = sums.first_and_square, (&b)[8] = sums.mixed, (&c)[8] = sums.momenta;
        const f8 x = a[7], y = b[3], z = c[3];  // the particle's place
        const Motions8<f8> motion = motions_of<f8>(
            {.inverse_mass = splat(1) / a[3],
             .x = {a[0], a[1], a[2]},
             .v = {c[0], c[1], c[2]},
             .L = {c[4] - (y * c[2] - z * c[1]), c[5] - (z * c[0] - x * c[2]), c[6] - (x * c[1] - y * c[0])},
             .xx = a[4],
             .yy = a[5],
             .zz = a[6],
             .yz = b[0],
             .zx = b[1],
             .xy = b[2]},
            kLittle);
        const f8* const w = motion.spin;
        f8 rows[8] = {motion.velocity[0] - (w[1] * z - w[2] * y),  // at the reference
                      motion.velocity[1] - (w[2] * x - w[0] * z),
                      motion.velocity[2] - (w[0] * y - w[1] * x),
                      f8{},
                      w[0],
                      w[1],
                      w[2],
                      f8{}};
        transpose(rows);
        for (std::size_t lane = 0; lane < 8 && r + lane < last; ++lane)
            store8(out + kMotionSize * (r + lane), rows[lane]);
    }
}

void spread(const ListView& lists, const float* motions, const float* places, const DampingFrame& frame, float share,
            std::size_t first, std::size_t last, const std::int32_t* order, Vec3* velocities)
{
    const f4 common = load3(frame.velocity);
    for (std::size_t slot = first; slot < last; ++slot) {
        const std::int32_t* h = lists.holders + lists.holder_offsets[slot];
        const std::int32_t* const end = lists.holders + lists.holder_offsets[slot + 1];
        f8 even{}, odd{};
        for (; h < end; h += kStride)
            for (int k = 0; k < int(kStride); k += 2) {
                even += load8(entry(motions, h[k], 2));
                odd += load8(entry(motions, h[k + 1], 2));
            }
        const f8 mean = (even + odd) * splat(lists.share[slot]);
        const f4 velocity = __builtin_shufflevector(mean, mean, 0, 1, 2, 3),
                 spin = __builtin_shufflevector(mean, mean, 4, 5, 6, 7);
        const f4 p = load4(places + kPlaceSize * slot);
        Vec3& v = velocities[order[slot]];
        const f4 before = load3(v);
        const f4 after =
            before + (velocity + (yzx(spin) * zxy(p) - zxy(spin) * yzx(p)) - (before - common)) * share;
        v = {after[0], after[1], after[2]};
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

void by_nodes(const float* values, std::size_t channel, std::size_t channels, std::size_t n, float* nodes)
{
    const std::size_t size = channels > 8 ? 16 : 8;
    for (std::size_t first = 0; first < n; first += 8)
        for (std::size_t c = 0; c < size; c += 8) {
            f8 rows[8]{};
            for (std::size_t k = 0; k < 8 && c + k < channels; ++k) rows[k] = load8(values + (c + k) * channel + first);
            transpose(rows);
            for (std::size_t k = 0; k < 8; ++k) store8(nodes + (first + k) * size + c, rows[k]);
        }
}

void box_motions(const float* sums, std::size_t channel, const float* inverse_masses, const float* weights, float* out,
                 std::size_t out_channel)
{
    constexpr double kLittle = 1e-7;
    const auto sum = [&](std::size_t c) { return in_double(load8(sums + c * channel)); };
    const Motions8<d8> motion = motions_of<d8>({.inverse_mass = in_double(load8(inverse_masses)),
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
    const f8 weight = load8(weights), none{};
    const auto there = load8(inverse_masses) > none;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        store8(out + axis * out_channel, there ? weight * in_single(motion.spin[axis]) : none);
        store8(out + (3 + axis) * out_channel, there ? weight * in_single(motion.velocity[axis]) : none);
    }
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
    return {load, motions, spread, box_products, by_nodes, box_motions, box_damp};
}
