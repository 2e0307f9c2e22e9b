#include "sim/slices.h"

#include <algorithm>
#include <cmath>

namespace yawara {

contact::FloatBox swept_box(const BodyState& state, float margin, double dt)
{
    const auto h = float(dt);
    const Vec3 wider{margin, margin, margin};
    Vec3 low = state.positions[0], high = low;
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        const Vec3 from = state.positions[i], to = from + state.velocities[i] * h;
        low = min(low, min(from, to));
        high = max(high, max(from, to));
    }
    return {low - wider, high + wider};
}

Quickness quickness(std::span<const Vec3> velocities)
{
    Vec3d sum;
    double sum2 = 0;
    for (const Vec3& v : velocities) {
        sum += v.as<double>();
        sum2 += double(dot(v, v));
    }
    const auto n = double(velocities.size());
    const Vec3d mean = sum / n;
    return {mean.as<float>(), float(std::sqrt(std::max(sum2 / n - dot(mean, mean), 0.0)))};
}

float fastest(std::span<const Vec3> velocities)
{
    float speed2 = 0;
    for (const Vec3& v : velocities) speed2 = std::max(speed2, dot(v, v));
    return std::sqrt(speed2);
}

int slices_of_approach(float approach, float thickness)
{
    constexpr float kMost = 256;
    return approach > thickness ? int(std::min(std::ceil(3 * approach / thickness), kMost)) : 1;
}

void SlicedMotion::begin(std::span<const Vec3> before, double dt, int slices, BodyState& state)
{
    const auto h = float(dt);
    h_ = h / float(slices);
    obstacle_shift_.resize(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        obstacle_shift_[i] = (state.positions[i] - (before[i] + state.velocities[i] * h)) / float(slices);
        state.positions[i] = before[i];
    }
}

void SlicedMotion::advance(BodyState& state) const
{
    for (std::size_t i = 0; i < obstacle_shift_.size(); ++i)
        state.positions[i] += obstacle_shift_[i] + state.velocities[i] * h_;
}

}  // namespace yawara
