// Bodies that have been nearly at rest for a while sleep: they are not stepped until something wakes them.
#pragma once

#include "yawara/scene.h"

namespace yawara {

/// Slower than this many sizes of the body per second is nearly at rest.
constexpr float kStillSpeed = 0.05f;
/// Quicker than this, or driven, it wakes those it touches: one that still trembles a little does not.
constexpr float kWakingSpeed = 0.2f;
/// A body that was nearly at rest for so long sleeps, s.
constexpr float kStillTime = 0.5f;

/// True if something outside drives the body: it may not sleep.
bool is_driven(const BodyModel& model, std::span<const Grip> grips, std::span<const Push> pushes);

/// Mean of the ways the particles went in a step of dt, in sizes of the body per second: a few that tremble keep nobody
/// awake, nor does what comes and goes within the step.
float relative_speed(std::span<const Vec3> before, std::span<const Vec3> positions, double dt, float size);

}  // namespace yawara
