#include "sim/resting.h"

#include <algorithm>

namespace yawara {
namespace {

constexpr float kRestAfter = 0.5f;                                         // s
constexpr float kPatience = 0.1f;                                          // s of sliding until a resting body lets go
constexpr double kSlowWhole = 0.6, kSlowShape = 0.25, kStillShape = 0.02;  // sizes per second
/// Time that a slow body neither is still nor slides counts against rest, by so much. One that stands wobbles without
/// sliding; one that rattles slides for a third of the time or more, the steeper the more.
constexpr float kWobble = 0.25f;

}  // namespace

bool rests(float resting)
{
    return resting >= kRestAfter;
}

float rest_on(float resting, const Pace& pace, bool slides, float dt)
{
    if (!(pace.whole < kSlowWhole && pace.shape < kSlowShape)) return 0;
    constexpr float kMost = kRestAfter + kPatience;
    if (rests(resting)) {
        const float next = slides ? resting - dt : std::min(resting + dt, kMost);
        return rests(next) ? next : 0;
    }
    if (!slides && !(pace.shape < kStillShape)) return std::max(resting - kWobble * dt, 0.0f);
    return rests(resting + dt) ? kMost : resting + dt;
}

}  // namespace yawara
