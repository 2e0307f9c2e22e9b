// The fields of a description, sampled at its particles: what the solvers know is arrays.
#pragma once

#include "matching/widths.h"
#include "yawara/body.h"

namespace yawara {

Result<matching::ParticleWidths> sample_widths(const Widths& widths, const FieldPlaces& places,
                                               std::vector<std::string>& warnings);
/// The same set with an array of labels, if it has groups.
Result<ExampleSet> sample_groups(ExampleSet set, const FieldPlaces& places, std::vector<std::string>& warnings);

}  // namespace yawara
