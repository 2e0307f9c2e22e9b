// Frames of directions from the depth's gradient and the strokes' tangents, with how sure each is ([ProcDef] 5.2, 5.3).
#pragma once

#include <span>
#include <vector>

#include "field/strokes.h"
#include "yawara/active.h"

namespace yawara::muscles {

/// Fills frames and confidences. Where one direction is unknown it is taken over from a neighbour, turned as little as
/// possible; signs are made to agree from neighbour to neighbour.
void make_frames(std::span<const Vec3d> gradients, std::span<const field::Direction> directions,
                 const matching::Lists& links, ActiveFields& fields);

}  // namespace yawara::muscles
