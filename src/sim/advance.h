// What is done to all particles of a body once a step, several floats at a time, for runs of them.
#pragma once

#include <cstddef>
#include <cstring>

#include "yawara/math.h"

namespace yawara {

/// Copies positions to slots of four floats each. True if all positions and velocities are finite.
inline bool load_positions(const Vec3* positions, const Vec3* velocities, std::size_t count, float* slots)
{
    using f4 = float __attribute__((vector_size(16)));
    f4 zero{};  // unless something is not finite
    const auto take = [&]<int Floats>(std::size_t i) {
        f4 x{}, v{};
        std::memcpy(&x, positions + i, Floats * sizeof(float));
        std::memcpy(&v, velocities + i, Floats * sizeof(float));
        zero += (x + v) * 0.0f;
        std::memcpy(slots + 4 * i, &x, sizeof x);
    };
    for (std::size_t i = 0; i + 1 < count; ++i) take.operator()<4>(i);  // the fourth is the next one's
    if (count > 0) take.operator()<3>(count - 1);
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

/// True if all positions and velocities are finite.
inline bool are_finite(const Vec3* positions, const Vec3* velocities, std::size_t count)
{
    using f4 = float __attribute__((vector_size(16)));
    const auto* x = reinterpret_cast<const char*>(positions);
    const auto* v = reinterpret_cast<const char*>(velocities);
    const std::size_t size = count * sizeof(Vec3);
    f4 zero{};  // unless something is not finite
    const auto take = [&](std::size_t byte, std::size_t bytes) {
        f4 a{}, b{};
        std::memcpy(&a, x + byte, bytes);
        std::memcpy(&b, v + byte, bytes);
        zero += (a + b) * 0.0f;
    };
    std::size_t byte = 0;
    for (; byte + sizeof(f4) <= size; byte += sizeof(f4)) take(byte, sizeof(f4));
    if (byte < size) take(byte, size - byte);
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

/// Adds a velocity field v = shift + spin x position, then x += h v. True if everything is finite; otherwise some x and
/// v of the run are not.
struct MomentumCorrection {
    Vec3 shift, spin;
};
bool advance(Vec3* positions, Vec3* velocities, std::size_t count, const MomentumCorrection& correction, float h);

}  // namespace yawara
