// The loop of advance(), sim/advance.h, included by one file per instruction set inside its own namespace.

#include "core/eight_vectors.inl"

bool advance(Vec3* positions, Vec3* velocities, std::size_t count, const MomentumCorrection& correction, float h)
{
    const auto [u, w] = correction;
    f8 zero{};  // unless something is not finite
    const auto move = [&](float* x8, float* v8) {
        Eight x = load_eight(x8), v = load_eight(v8);
        v.x += u.x + (w.y * x.z - w.z * x.y), v.y += u.y + (w.z * x.x - w.x * x.z), v.z += u.z + (w.x * x.y - w.y * x.x);
        x.x += v.x * h, x.y += v.y * h, x.z += v.z * h;
        zero += (x.x + x.y + x.z) * 0.0f;
        store_eight(x8, x);
        store_eight(v8, v);
    };
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) move(&positions[i].x, &velocities[i].x);
    if (i < count) {
        float x[24]{}, v[24]{};
        const std::size_t size = (count - i) * sizeof(Vec3);
        __builtin_memcpy(x, &positions[i].x, size);
        __builtin_memcpy(v, &velocities[i].x, size);
        move(x, v);
        __builtin_memcpy(&positions[i].x, x, size);
        __builtin_memcpy(&velocities[i].x, v, size);
    }
    float sum = 0;
    for (int lane = 0; lane < 8; ++lane) sum += zero[lane];
    return sum == 0;
}
