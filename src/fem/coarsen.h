// Elasticity and viscosity of coarse tets from the finest ones inside them; called once by build_fem().
#pragma once

#include <string>
#include <vector>

#include "fem/elasticity.h"
#include "fem/fem_model.h"
#include "fem/forest.h"

namespace yawara::fem {

/// The different materials, and the number of that of every forest tet. On input only the finest tets have theirs.
struct ForestMaterials {
    std::vector<Elasticity> elasticities, viscosities;
    std::vector<std::int32_t> of_tet;
};

/// Gives every coarse tet its tensors. A tet whose finest tets are all alike gets theirs, exactly.
void coarsen_materials(const TetForest& forest, Coarsening rule, ForestMaterials& materials);

/// The paper's virtual deformations: each tet from its eight children, corners led along sqrt(I + alpha e_b), midpoints
/// force-free, [FEM] eqs. (15)-(20) as corrected.
struct VirtualFit {
    Matrix6 elasticity;    ///< symmetrised weighted slope
    double asymmetry = 0;  ///< of the raw one, relative
    StrainRange range;     ///< where the linear law holds within the tolerance
};
VirtualFit fit_virtual_deformations(const TetForest& forest, std::int32_t tet, const ForestMaterials& materials,
                                    double tolerance);
/// Stress of the corners' holding forces at one sample, for plots and tests.
Vector6 virtual_stress(const TetForest& forest, std::int32_t tet, const ForestMaterials& materials, int basis,
                       double alpha);

/// Coarse tensors kept between runs, by content: everything they depend on is in the key.
std::uint64_t material_key(const TetForest& forest, Coarsening rule, const ForestMaterials& materials);
bool load_materials(const std::filesystem::path& folder, std::uint64_t key, ForestMaterials& materials);
/// Failing is no error: the next start computes again.
void save_materials(const std::filesystem::path& folder, std::uint64_t key, const ForestMaterials& materials);

}  // namespace yawara::fem
