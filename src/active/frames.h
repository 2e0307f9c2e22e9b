// Frames of directions from the depth's gradient and the strokes' tangents, with how sure each is ([ProcDef] 5.2, 5.3).
#pragma once

#include <span>
#include <vector>

#include "matching/regions.h"
#include "yawara/active.h"

namespace yawara::muscles {

/// A direction at a particle and how strongly it is given: 0..1; the vector is of unit length unless the strength is 0.
struct Direction {
    Vec3d along;
    double strength = 0;
};

/// Tangents of strokes at all particles, by radial functions: one sample a segment of about `spacing`. Unoriented strokes
/// are interpolated as t t^T, whose first eigenvector does not care which way a stroke was drawn.
std::vector<Direction> stroke_directions(std::span<const Stroke> strokes, bool oriented, double spacing,
                                         std::span<const Vec3d> rest);

/// Fills frames and confidences. Where one direction is unknown it is taken over from a neighbour, turned as little as
/// possible; signs are made to agree from neighbour to neighbour.
void make_frames(std::span<const Vec3d> gradients, std::span<const Direction> directions, const matching::Lists& links,
                 ActiveFields& fields);

}  // namespace yawara::muscles
