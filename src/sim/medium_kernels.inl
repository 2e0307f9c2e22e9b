// The loops of medium_kernels.h, included by one file per instruction set inside its own namespace.

using f4 = float __attribute__((vector_size(16)));
using f8 = float __attribute__((vector_size(32)));

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
template <class V>
inline void store(float* p, V v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline f4 load3(const Vec3& v)
{
    return f4{v.x, v.y, v.z, 0};
}

/// Columns of eight rows of four: out[c][k] = row k [c].
inline void to_columns(const f4 (&row)[8], f8 (&out)[4])
{
    const f8 r0 = join(row[0], row[4]), r1 = join(row[1], row[5]), r2 = join(row[2], row[6]), r3 = join(row[3], row[7]);
    const f8 a = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13),
             b = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15),
             c = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13),
             d = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// And back.
inline void store_rows(const f8 (&column)[4], float* out)
{
    const f8 a = __builtin_shufflevector(column[0], column[1], 0, 8, 1, 9, 4, 12, 5, 13),
             b = __builtin_shufflevector(column[0], column[1], 2, 10, 3, 11, 6, 14, 7, 15),
             c = __builtin_shufflevector(column[2], column[3], 0, 8, 1, 9, 4, 12, 5, 13),
             d = __builtin_shufflevector(column[2], column[3], 2, 10, 3, 11, 6, 14, 7, 15);
    const f8 rows[4] = {__builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                        __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                        __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13),
                        __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int k = 0; k < 4; ++k) {
        store(out + 4 * k, __builtin_shufflevector(rows[k], rows[k], 0, 1, 2, 3));
        store(out + 16 + 4 * k, __builtin_shufflevector(rows[k], rows[k], 4, 5, 6, 7));
    }
}

void load(const std::int32_t* ids, const Vec3* positions, const Vec3* velocities, std::size_t first, std::size_t last,
          float* places)
{
    for (std::size_t k = first; k < last; ++k)
        store(places + kCornerSize * k, join(load3(positions[ids[k]]), load3(velocities[ids[k]])));
}

void drag(const std::int32_t* corners, const float* places, Vec3 current, float strength, std::size_t first,
          std::size_t last, float* drags)
{
    const f8 none{};
    for (std::size_t k = first; k < last; k += kTrianglesAtOnce) {
        f4 sides[2][8], speeds[8];
        for (std::size_t t = 0; t < 8; ++t) {
            const std::int32_t* const corner = corners + 3 * (k + t);
            const f8 a = load8(places + kCornerSize * std::size_t(corner[0])),
                     b = load8(places + kCornerSize * std::size_t(corner[1])),
                     c = load8(places + kCornerSize * std::size_t(corner[2]));
            const f8 p = b - a, q = c - a, sum = a + b + c;
            sides[0][t] = __builtin_shufflevector(p, p, 0, 1, 2, 3);
            sides[1][t] = __builtin_shufflevector(q, q, 0, 1, 2, 3);
            speeds[t] = __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
        }
        f8 p[4], q[4], u[4];
        to_columns(sides[0], p);
        to_columns(sides[1], q);
        to_columns(speeds, u);
        // With the normal as long as twice the area, neither that length nor a unit normal is needed.
        const f8 n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        constexpr float kThird = 1.0f / 3;
        const f8 flow = (u[0] * kThird - current.x) * n[0] + (u[1] * kThird - current.y) * n[1] +
                        (u[2] * kThird - current.z) * n[2];
        const f8 square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        const f8 rate = (flow < 0 ? -flow : flow) * strength;
        const f8 along = square > 0 ? -flow * rate / (3 * square) : none;
        f8 out[4] = {n[0] * along, n[1] * along, n[2] * along, rate};
        const f8 zeros = out[0] * 0 + out[1] * 0 + out[2] * 0 + out[3] * 0;  // unless something is not finite
        for (f8& entry : out) entry = zeros == 0 ? entry : none;
        store_rows(out, drags + kDragSize * k);
    }
}

void sum(const std::int32_t* offsets, const std::int32_t* triangles, const float* drags, std::size_t first,
         std::size_t last, float* sums)
{
    for (std::size_t i = first; i < last; ++i) {
        f4 even{}, odd{};
        for (std::int32_t k = offsets[i]; k < offsets[i + 1]; k += 2) {
            even += load4(drags + kDragSize * std::size_t(triangles[k]));
            odd += load4(drags + kDragSize * std::size_t(triangles[k + 1]));
        }
        store(sums + kDragSize * i, even + odd);
    }
}

/// (1 + s^4)^-1/4, for s that are not negative.
inline f8 limited(f8 s)
{
    const f8 one = s * 0 + 1;
    const auto large = s > one;
    const f8 t = large ? one / s : s, t4 = t * t * t * t;
    f8 root;
    for (int lane = 0; lane < 8; ++lane) root[lane] = __builtin_sqrtf(__builtin_sqrtf(1 + t4[lane]));
    return (large ? t : one) / root;
}

bool limit(const float* sums, const float* inverse_masses, std::size_t first, std::size_t last, float* shares)
{
    bool strong = false;
    for (std::size_t i = first; i < last; i += 8) {
        f4 rows[8];
        for (std::size_t k = 0; k < 8; ++k) rows[k] = load4(sums + kDragSize * (i + k));
        f8 columns[4];
        to_columns(rows, columns);
        const f8 share = limited(columns[3] * load8(inverse_masses + i) * (1.0f / 3));
        store(shares + i, share);
        const auto less = share < 1;
        for (int lane = 0; lane < 8; ++lane) strong |= less[lane] != 0;
    }
    return strong;
}

void weaken(const std::int32_t* corners, const float* shares, std::size_t first, std::size_t last, float* drags)
{
    for (std::size_t k = first; k < last; ++k) {
        const float a = shares[corners[3 * k]], b = shares[corners[3 * k + 1]], c = shares[corners[3 * k + 2]];
        const float ab = a < b ? a : b, least = ab < c ? ab : c;
        float* const entry = drags + kDragSize * k;
        store(entry, load4(entry) * least);
    }
}

void push(const std::int32_t* ids, const float* sums, const float* inverse_masses, std::size_t first, std::size_t last,
          Vec3* velocities)
{
    for (std::size_t k = first; k < last; ++k) {
        Vec3& v = velocities[ids[k]];
        const f4 after = load3(v) + load4(sums + kDragSize * k) * inverse_masses[k];
        __builtin_memcpy(&v.x, &after, sizeof(Vec3));
    }
}

constexpr MediumKernels table()
{
    return {load, drag, sum, limit, weaken, push};
}
