// What keeps a body awake.
#include "sim/sleep.h"

#include <algorithm>
#include <cmath>

#include "sim/body_model.h"

namespace yawara {

bool is_driven(const BodyModel& model, std::span<const Grip> grips, std::span<const Push> pushes)
{
    return !model.data().stretch.empty() || (model.data().fem && !model.data().fem->muscles.empty()) ||
           std::any_of(grips.begin(), grips.end(), [](const Grip& grip) { return !grip.particles.empty(); }) ||
           std::any_of(pushes.begin(), pushes.end(),
                       [](const Push& push) { return push.force != Vec3{} || push.acceleration != Vec3{}; });
}

float relative_speed(std::span<const Vec3> before, std::span<const Vec3> positions, double dt, float size)
{
    double sum = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) sum += double(length(positions[i] - before[i]));
    return float(sum / (double(positions.size()) * dt)) / size;
}

}  // namespace yawara
