// Paint: what brushes touch becomes samples, and samples fill the solid ([ProcDef] 5.1, 6).
#pragma once

#include "yawara/field.h"

namespace yawara::field {

/// Samples of paint in the coordinates of the solid.
struct PaintSamples {
    std::vector<Vec3d> points;
    std::vector<double> values;
    double low = 0, high = 0;  ///< of the values
};
/// At least one, all finite; particles that were touched stand at their rest positions.
Result<PaintSamples> samples_of(const Paint& paint, const FieldPlaces& places, const FieldUse& use);

/// Values at points by radial functions; with gradients, if wanted, of a function that is smooth at its samples.
SampledGradient fill_rbf(const PaintSamples& samples, std::span<const Vec3d> points, bool with_gradients,
                         const FieldUse& use);
/// The value of the nearest sample.
std::vector<double> fill_nearest(const PaintSamples& samples, std::span<const Vec3d> points);

}  // namespace yawara::field
