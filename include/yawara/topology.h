// A body whose particles or elements change while it moves: what the new particles come from, and the motion they take
// over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yawara/body.h"

namespace yawara {

/// Where the particles of a changed model come from. A particle of before that several new ones come from was split;
/// one that none comes from is gone.
struct TopologyChange {
    static constexpr std::int32_t kNew = -1;
    std::vector<std::int32_t> origin;  ///< per particle of the new model: particle of the old one, or kNew

    std::size_t kept = 0;   ///< particles of before that exactly one comes from
    std::size_t split = 0;  ///< that several come from
    std::size_t gone = 0;   ///< that none comes from
    std::size_t added = 0;  ///< new particles that come from none
};

/// Counts what an origin says about a model of `before` particles. Refused: origins outside [kNew, before).
Result<TopologyChange> topology_change(std::vector<std::int32_t> origin, std::size_t before);

/// Every particle comes from the one of the same number, and none is gone.
bool is_identity(const TopologyChange& change);

/// Particles come from those at the same place at rest, within a millionth of the spacing.
TopologyChange compare_topology(const BodyModel& before, const BodyModel& after);

/// The state in which a body of another model goes on: particles have the place and velocity of those they come from;
/// new ones move as the old body did at their place. A body that reaches far beyond the old one follows its motion as a
/// whole instead, undeformed. What the solver remembers is kept as far as it means the same,
/// otherwise it starts anew.
BodyState carry_state(const BodyModel& before, const BodyState& state, const BodyModel& after,
                      const TopologyChange& change);

/// What a list of old particles has become; `from`, if given: for each of them the entry of the list it comes from.
std::vector<std::int32_t> carry_particles(std::span<const std::int32_t> particles, const TopologyChange& change,
                                          std::vector<std::size_t>* from = nullptr);
/// The same grip on the new particles; what held particles that are gone holds nothing there.
Grip carry_grip(const Grip& grip, const TopologyChange& change);
Push carry_push(const Push& push, const TopologyChange& change);

}  // namespace yawara
