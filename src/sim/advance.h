// What is done to all particles of a body once a step, four floats at a time, for runs of them.
#pragma once

#include <cstddef>
#include <cstring>

#include "yawara/math.h"

namespace yawara {

/// Copies positions to places of four floats each. True if all positions and velocities are finite.
inline bool place(const Vec3* positions, const Vec3* velocities, std::size_t count, float* places)
{
    using f4 = float __attribute__((vector_size(16)));
    f4 zero{};  // unless something is not finite
    const auto take = [&]<int Floats>(std::size_t i) {
        f4 x{}, v{};
        std::memcpy(&x, positions + i, Floats * sizeof(float));
        std::memcpy(&v, velocities + i, Floats * sizeof(float));
        zero += (x + v) * 0.0f;
        std::memcpy(places + 4 * i, &x, sizeof x);
    };
    for (std::size_t i = 0; i + 1 < count; ++i) take.operator()<4>(i);  // the fourth is the next one's
    if (count > 0) take.operator()<3>(count - 1);
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

/// v -= stray, then x += h v. True if everything is finite; otherwise some x and v of the run are not.
inline bool advance(Vec3* positions, Vec3* velocities, std::size_t count, Vec3 stray, float h)
{
    using f4 = float __attribute__((vector_size(16)));
    static_assert(sizeof(Vec3) == 3 * sizeof(float));
    float* x = &positions->x;
    float* v = &velocities->x;
    const f4 pattern[3] = {{stray.x, stray.y, stray.z, stray.x},
                           {stray.y, stray.z, stray.x, stray.y},
                           {stray.z, stray.x, stray.y, stray.z}};
    f4 zero{};  // unless something is not finite
    const auto move = [&](f4 off, std::size_t floats) {
        f4 a{}, b{};
        std::memcpy(&a, x, floats * sizeof(float));
        std::memcpy(&b, v, floats * sizeof(float));
        b -= off;
        a += b * h;
        zero += a * 0.0f;
        std::memcpy(x, &a, floats * sizeof(float));
        std::memcpy(v, &b, floats * sizeof(float));
        x += floats, v += floats;
    };
    for (std::size_t k = 0; k + 4 <= count; k += 4)
        for (const f4 off : pattern) move(off, 4);
    for (std::size_t k = 0; k < count % 4; ++k) move(pattern[0], 3);
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

}  // namespace yawara
