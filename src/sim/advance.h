// What is done to all particles of a body once a step, four floats at a time, for runs of them.
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

/// Adds a velocity field v = shift + spin x position, then x += h v. True if everything is finite; otherwise some x and
/// v of the run are not.
struct MomentumCorrection {
    Vec3 shift, spin;
};
inline bool advance(Vec3* positions, Vec3* velocities, std::size_t count, const MomentumCorrection& correction, float h)
{
    if (count == 0) return true;  // there may be no arrays
    using f4 = float __attribute__((vector_size(16)));
    static_assert(sizeof(Vec3) == 3 * sizeof(float));
    const auto [u, w] = correction;
    // Four particles are three fours: x y z x, y z x y, z x y z.
    const f4 shift[3] = {{u.x, u.y, u.z, u.x}, {u.y, u.z, u.x, u.y}, {u.z, u.x, u.y, u.z}};
    const f4 next[3] = {{w.y, w.z, w.x, w.y}, {w.z, w.x, w.y, w.z}, {w.x, w.y, w.z, w.x}};
    const f4 previous[3] = {{w.z, w.x, w.y, w.z}, {w.x, w.y, w.z, w.x}, {w.y, w.z, w.x, w.y}};
    float* x = &positions->x;
    float* v = &velocities->x;
    f4 zero{};  // unless something is not finite
    const auto move = [&](const f4& from, const f4& faster, std::size_t k) {
        f4 speed;
        std::memcpy(&speed, v + 4 * k, sizeof speed);
        speed += faster;
        const f4 to = from + speed * h;
        zero += to * 0.0f;
        std::memcpy(x + 4 * k, &to, sizeof to);
        std::memcpy(v + 4 * k, &speed, sizeof speed);
    };
    const bool turns = w != Vec3{};
    for (std::size_t k = 0; k + 4 <= count; k += 4, x += 12, v += 12) {
        f4 a, b, c;
        std::memcpy(&a, x, sizeof a);
        std::memcpy(&b, x + 4, sizeof b);
        std::memcpy(&c, x + 8, sizeof c);
        if (!turns) {
            move(a, shift[0], 0);
            move(b, shift[1], 1);
            move(c, shift[2], 2);
            continue;
        }
        // (w x p) of a component is w_next p_previous - w_previous p_next, its neighbours in the circle x y z.
        const f4 a_next = __builtin_shufflevector(a, b, 1, 2, 0, 4),
                 a_previous = __builtin_shufflevector(a, b, 2, 0, 1, 5);
        const f4 ab = __builtin_shufflevector(a, b, 3, 4, 5, 7);  // x1 y1 z1 y2
        const f4 bc = __builtin_shufflevector(b, c, 2, 4, 0, 0);  // x2 z2
        const f4 b_next = __builtin_shufflevector(ab, bc, 2, 0, 3, 5);
        const f4 b_previous = __builtin_shufflevector(ab, bc, 0, 1, 5, 4);
        const f4 c_next = __builtin_shufflevector(b, c, 2, 6, 7, 5),
                 c_previous = __builtin_shufflevector(b, c, 3, 7, 5, 6);
        move(a, shift[0] + (next[0] * a_previous - previous[0] * a_next), 0);
        move(b, shift[1] + (next[1] * b_previous - previous[1] * b_next), 1);
        move(c, shift[2] + (next[2] * c_previous - previous[2] * c_next), 2);
    }
    for (std::size_t k = 0; k < count % 4; ++k, x += 3, v += 3) {
        const Vec3 p{x[0], x[1], x[2]}, speed = Vec3{v[0], v[1], v[2]} + (u + cross(w, p)), to = p + speed * h;
        std::memcpy(x, &to, sizeof to);
        std::memcpy(v, &speed, sizeof speed);
        zero[0] += 0.0f * (to.x + to.y + to.z);
    }
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

}  // namespace yawara
