// What keeps a body awake.
#include "sim/sleep.h"

#include <algorithm>
#include <cmath>

#include "sim/body_model.h"

namespace yawara {

bool is_driven(const BodyModel& model, std::span<const Grip> grips, std::span<const Push> pushes)
{
    return !model.data().stretch.empty() ||
           std::any_of(grips.begin(), grips.end(), [](const Grip& grip) { return !grip.particles.empty(); }) ||
           std::any_of(pushes.begin(), pushes.end(),
                       [](const Push& push) { return push.force != Vec3{} || push.acceleration != Vec3{}; });
}

float liveliness(const BodyState& state, float size)
{
    double sum = 0;
    for (const Vec3& v : state.velocities) sum += double(dot(v, v));
    return float(std::sqrt(sum / double(state.velocities.size()))) / size;
}

}  // namespace yawara
