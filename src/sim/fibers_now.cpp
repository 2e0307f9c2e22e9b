#include "sim/fibers_now.h"

#include <algorithm>

#include "matching/kernels.h"
#include "sim/body_model.h"
#include "yawara/active.h"

namespace yawara {

std::span<const Vec3> fibers_now(const BodyModel& body, std::span<const Collider> colliders, const BodyState& state,
                                 std::vector<Vec3>& fibers)
{
    if (std::none_of(colliders.begin(), colliders.end(),
                     [](const Collider& c) { return c.friction_along.has_value(); }))
        return {};
    const ActiveParts* const active = active_parts(body);
    if (!active) return {};
    fibers.resize(state.positions.size());
    const matching::Regions& regions = body.data().regions;
    for (std::size_t lane = 0; lane < regions.block_count() * matching::kLanes; ++lane) {
        const std::int32_t region = regions.region_in(lane);
        if (region < 0) continue;
        const float* const q =
            &state.matching.rotations[lane / matching::kLanes * matching::kRotationSize + lane % matching::kLanes];
        const Vec3 turn{q[0], q[matching::kLanes], q[2 * matching::kLanes]};
        const Vec3 d = active->fields.frames[std::size_t(region)].c0.as<float>(), t = cross(turn, d) * 2.0f;
        fibers[std::size_t(region)] = d + t * q[3 * matching::kLanes] + cross(turn, t);
    }
    return fibers;
}

}  // namespace yawara
