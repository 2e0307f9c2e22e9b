// What counts as one fold of a body.
#pragma once

namespace yawara::contact {

/// A particle and a triangle that are nearer at rest than this many spacings are neighbours, not two folds.
constexpr double kNeighbourhood = 2.0;

}  // namespace yawara::contact
