// Eight vectors of three floats that follow each other, as three registers and back. Included by files of loops inside
// the namespace of their instruction set.

using f4 = float __attribute__((vector_size(16)));
using f8 = float __attribute__((vector_size(32)));

inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
/// The halves of a register: p[0..3], p[12..15].
inline f8 load_apart(const float* p)
{
    f4 low, high;
    __builtin_memcpy(&low, p, sizeof low);
    __builtin_memcpy(&high, p + 12, sizeof high);
    return join(low, high);
}
inline void store_apart(float* p, f8 v)
{
    const f4 low = __builtin_shufflevector(v, v, 0, 1, 2, 3), high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    __builtin_memcpy(p, &low, sizeof low);
    __builtin_memcpy(p + 12, &high, sizeof high);
}
/// Components of eight vectors.
struct Eight {
    f8 x, y, z;
};
inline Eight load_eight(const float* p)
{
    const f8 a = load_apart(p), b = load_apart(p + 4), c = load_apart(p + 8);
    const f8 xy = __builtin_shufflevector(b, c, 2, 3, 9, 10, 6, 7, 13, 14);
    const f8 yz = __builtin_shufflevector(a, b, 1, 2, 8, 9, 5, 6, 12, 13);
    return {__builtin_shufflevector(a, xy, 0, 3, 8, 10, 4, 7, 12, 14),
            __builtin_shufflevector(yz, xy, 0, 2, 9, 11, 4, 6, 13, 15),
            __builtin_shufflevector(yz, c, 1, 3, 8, 11, 5, 7, 12, 15)};
}
inline void store_eight(float* p, const Eight& v)
{
    const f8 xy = __builtin_shufflevector(v.x, v.y, 0, 2, 8, 10, 4, 6, 12, 14);
    const f8 yz = __builtin_shufflevector(v.y, v.z, 1, 3, 9, 11, 5, 7, 13, 15);
    const f8 zx = __builtin_shufflevector(v.z, v.x, 0, 2, 9, 11, 4, 6, 13, 15);
    store_apart(p, __builtin_shufflevector(xy, zx, 0, 2, 8, 10, 4, 6, 12, 14));
    store_apart(p + 4, __builtin_shufflevector(yz, xy, 0, 2, 9, 11, 4, 6, 13, 15));
    store_apart(p + 8, __builtin_shufflevector(zx, yz, 1, 3, 9, 11, 5, 7, 13, 15));
}
