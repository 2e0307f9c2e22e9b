#include "sim/resting.h"

#include <algorithm>

namespace yawara {
namespace {

constexpr float kRestAfter = 0.5f;                                         // s
constexpr float kPatience = 0.1f;                                          // s of sliding until a resting body lets go
constexpr double kSlowWhole = 0.6, kSlowShape = 0.15, kStillShape = 0.02;  // sizes per second

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
    if (!(pace.shape < std::max(kStillShape, pace.drift))) return 0;
    return rests(resting + dt) ? kMost : resting + dt;
}

}  // namespace yawara
