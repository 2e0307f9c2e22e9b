// What a step checks before it begins: arrays that fit the model, and numbers that can be computed with. Called by step
// (sim/solid_kind.cpp) and by Scene before it looks at a state.
#pragma once

#include "yawara/scene.h"

namespace yawara {

/// Lengths of the arrays of a state that fits a model.
struct StateSizes {
    StateSizes() = default;
    explicit StateSizes(const BodyState& state);
    std::size_t particles = 0, rotations = 0, stiffness = 0, controls = 0, heard = 0, kept = 0, accelerations = 0,
                front = 0, plastic = 0, shear = 0;
    friend bool operator==(const StateSizes&, const StateSizes&) = default;
};

/// Makes a state fit: particles that it lacks become not finite, which the step repairs and counts; what its solver
/// remembers starts anew. Returns how many particles it had too many.
int fit_state(const BodyModel& model, const StateSizes& sizes, BodyState& state);

/// Replace what is not finite by its default, in place. Return how many numbers that were.
int mend(BodySettings& settings);
int mend(Vec3& gravity, Medium& medium);

/// Whether time can pass in steps of this length.
bool is_step(double dt);

}  // namespace yawara
