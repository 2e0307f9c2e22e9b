// Examples as an energy, [Examples] 12.6: beta times the least distance to the example set plus (1 - beta) times that
// to the rest shape. Goals are its gradient, so that a body without damping keeps its energy. Called by match.cpp.
#pragma once

#include "matching/match.h"

namespace yawara::matching {

/// From weights that were found by the stretches to those which, together with the best rotations of the shapes they
/// make, bring these nearest to the particles: in turn rotations for given weights and weights for given rotations.
void improve_weights(const Regions& regions, const Examples& examples, float* turns, MatchMemory& memory);

/// Transforms of a chunk of blocks [first, last): the mean of the wanted shape and the rest shape, each with its own
/// rotation.
RotateCount rotate_and_mix(const Regions& regions, const Wanted& wanted, std::size_t chunk, std::size_t first,
                           std::size_t last, float* turns, MatchMemory& memory);

}  // namespace yawara::matching
