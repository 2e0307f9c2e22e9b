// What a body needs beside its state to be stepped: made once, a part for each kind of solid.
#pragma once

#include <memory>
#include <optional>

#include "fem/advance.h"
#include "sim/door.h"
#include "sim/medium.h"
#include "sim/step_matching.h"
#include "sim/step_rigid.h"

namespace yawara {

struct Workspace::Data {
    StateSizes sizes;                             ///< of a state that fits
    std::unique_ptr<MatchingWorkspace> matching;  ///< see matching_pool.h
    MatchingMemory kept;                          ///< of a matching body
    std::unique_ptr<fem::Workspace> fem;
    std::unique_ptr<RigidWorkspace> rigid;
    std::optional<MediumSurface> medium;  ///< made when there is one; of a matching body it is in its scratch
    bool watched = false;                 ///< tell what obstacles do
    bool struck = false;                  ///< an obstacle struck it before the step: it began elsewhere
    bool measured = true;                 ///< this step reports energies, if the settings ask for them
    Vec3d obstacle_impulse{};             ///< kg m/s, by obstacles in the last step, if watched; of soft bodies
};

/// Impulses of the medium, if it has any.
inline void apply_medium(const BodyModel& body, const StepInput& input, BodyState& state,
                         std::optional<MediumSurface>& surface)
{
    const Medium& medium = input.medium;
    if (!(medium.drag > 0) && (medium.is_everywhere() || !(medium.density > 0))) return;
    if (!surface) surface.emplace(body);
    surface->apply(input.medium, float(input.dt), state.positions, state.velocities, input.gravity, input.time);
}

}  // namespace yawara
