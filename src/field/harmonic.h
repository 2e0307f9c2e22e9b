// Interpolation along the mesh: the harmonic function that has the given values at some particles, [ProcDef] 6.
#pragma once

#include <span>
#include <vector>

#include "yawara/domain.h"

namespace yawara::field {

/// Values at all particles; those nearest to a sample keep its value (the mean, if several share a particle). Parts of
/// the body that no sample touches get the mean of all samples.
std::vector<double> harmonic_field(const Domain& domain, std::span<const Vec3d> samples,
                                   std::span<const double> values);
/// Fills the values of particles that are not known.
void harmonic_fill(const Domain& domain, std::span<const char> known, std::span<double> values);

}  // namespace yawara::field
