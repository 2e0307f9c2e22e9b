// Doubts about muscles: what a body can be asked for but will not do, each with a place.
#pragma once

#include <string>
#include <vector>

#include "yawara/active.h"

namespace yawara {

struct MuscleDoubt {
    enum class Kind { coarse_bend, unknown_direction, fast_wave, phase_jump } kind;
    std::size_t layer = 0;  ///< number of the active layer
    std::string what;       ///< a sentence without its place
    Vec3d place;            ///< of the body at rest, where it is worst
};

/// `dt`: s, of a step. Layers of strength 0 are not doubted.
std::vector<MuscleDoubt> muscle_doubts(const BodyModel& model, const MatchingSettings& settings, double dt);

}  // namespace yawara
