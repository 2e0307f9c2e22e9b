#include "sim/resting.h"

#include <algorithm>

namespace yawara {
namespace {

constexpr float kRestAfter = 0.5f;                                         // s
constexpr float kPatience = 0.1f;                                          // s of sliding until a resting body lets go
constexpr double kSlowWhole = 0.6, kSlowShape = 0.25, kStillShape = 0.02;  // sizes per second
/// Time that a slow body neither is still nor slides counts less: it wobbles, and may do so for two seconds.
constexpr float kWobble = 0.25f;

}  // namespace

bool rests(float resting)
{
    return resting >= kRestAfter;
}

float next_resting_time(float resting, const MotionRates& rates, bool slides, float dt)
{
    if (!(rates.whole < kSlowWhole && rates.shape < kSlowShape)) return 0;
    constexpr float kMost = kRestAfter + kPatience;
    if (rests(resting)) {
        const float next = slides ? resting - dt : std::min(resting + dt, kMost);
        return rests(next) ? next : 0;
    }
    const float next = resting + (slides || rates.shape < kStillShape ? dt : kWobble * dt);
    return rests(next) ? kMost : next;
}

}  // namespace yawara
