// Directions at the particles, from strokes or other fields, with how sure each is ([ProcDef] 5.2).
#pragma once

#include <span>
#include <vector>

#include "matching/regions.h"
#include "yawara/field.h"

namespace yawara::field {

/// Who is linked with whom, and how far apart they are on average.
struct Links {
    explicit Links(const Domain& domain);
    matching::Lists lists;
    double spacing = 0;
};

/// A direction at a particle and how strongly it is given: 0..1; the vector is of unit length unless the strength is 0.
struct Direction {
    Vec3d along;
    double strength = 0;
};
/// From 0 up to `least` to 1 from `least + range` on, smoothly.
double confidence(double value, double least, double range);
/// How sure a direction of this strength is.
inline double stroke_confidence(double strength)
{
    return confidence(strength, 0.05, 0.15);
}

/// Tangents of strokes at all points, by radial functions: one sample a segment of at most about `spacing`; if these are
/// very many, of about that length. Unoriented strokes are interpolated as t t^T, whose first eigenvector does not care
/// which way a stroke was drawn.
std::vector<Direction> stroke_directions(const Strokes& strokes, double spacing, std::span<const Vec3d> points);

/// Unknown directions are taken over from a neighbour; signs are made to agree from neighbour to neighbour.
std::vector<Vec3d> completed(const std::vector<Direction>& directions, const matching::Lists& links);

/// A field of directions at the particles, unknown ones left so.
Result<std::vector<Direction>> sample_directions(const Field<Vec3d>& field, const FieldPlaces& places,
                                                 const Links& links, const FieldUse& use);

}  // namespace yawara::field
