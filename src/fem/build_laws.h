// Parts of build_fem(): which law the elements follow, and the fibres of muscles.
#pragma once

#include "fem/fem_model.h"

namespace yawara::fem {

/// Sets what the elements are; refuses what does not go together. `materials`: of the finest tets.
Status choose_law(const Fem& spec, std::span<const Elasticity> materials, FemModel& model);
/// The isotropic tensor with the least sum of squared differences.
Elasticity nearest_isotropic(const Elasticity& tensor);

/// Fibres of all forest tets. Those of coarse ones are means: tets whose children differ from them count as softened.
Status sample_muscles(const Fem& spec, const Channels& channels, FemModel& model, std::vector<std::string>& warnings);
/// What fibres add to the frequencies of the tets.
void add_muscle_frequencies(FemModel& model);

}  // namespace yawara::fem
