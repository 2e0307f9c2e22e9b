// What build_fem() precomputes for a finite-element body: the forest, its tensors, masses and stable steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fem/elasticity.h"
#include "fem/forest.h"
#include "fem/kernels.h"
#include "fem/plastic.h"

namespace yawara::fem {

/// Strain tolerances of a tet, [FEM] 3: outside them its linear law departs from what its children do.
struct StrainRange {
    std::array<float, 6> low, high;
};

struct FemModel {
    TetForest forest;
    std::vector<Elasticity> elasticities, viscosities;  ///< the different ones; same length
    std::vector<std::int32_t> material_of;              ///< per forest tet: number among those
    bool isotropic = true;                              ///< all of them
    bool viscous = false;                               ///< any of them
    std::vector<std::uint8_t> softened;                 ///< per tet with children: holds less energy than they would
    std::vector<double> densities;                      ///< kg/m^3, per finest tet
    std::vector<TetConstants> constants;                ///< per forest tet, for the kernels
    std::vector<double> frequencies;                    ///< 1/s, largest of each forest tet with lumped mass
    std::vector<float> stable_squared;                  ///< s^2, of the longest stable step of each forest tet at rest
    double finest_stable = 0;                           ///< s, the shortest of those of the finest level
    std::vector<double> dampings;                       ///< 1/s, of its viscosity
    /// Mass of each forest tet in the finest lumped sense, seen from its corners: 10 entries of a symmetric 4x4 matrix
    /// (rows of the lower triangle), kg. Sums to T^T diag(m) T over any front.
    std::vector<std::array<double, 10>> tet_masses;
    std::vector<float> hat_masses;            ///< kg, per node: of its hat function on the level it appears on
    std::vector<float> midpoint_stiffness;    ///< N/m, per node: against leaving its edge, all others held
    std::vector<StrainRange> strain_ranges;   ///< per tet with children, or empty
    bool plastic = false;                     ///< any material flows; if none does, the next four are empty
    std::vector<Plasticity> plasticities;     ///< the different ones
    std::vector<std::int32_t> plasticity_of;  ///< per forest tet, of finest ones only: number among those
    std::vector<FlowLaw> flow_laws;           ///< as elasticities
    std::vector<float> bearable_stress;       ///< N m, see PlasticTet: up to there nothing in a forest tet flows
    std::vector<std::int32_t> surface_nodes;  ///< finest, on the outside
    std::vector<float> surface_areas;         ///< m^2, of each
    std::vector<float> contact_stiffness;     ///< N/m, of each against a wall
    std::vector<std::int32_t> base_order;     ///< tets of level 0 along a space-filling curve
    std::vector<ForcedFront> fronts;
    double size = 1;  ///< m, largest extent at rest
    double total_mass = 0;
    double coarsening_seconds = 0;
    bool from_cache = false;
    Coarsening coarsening = Coarsening::bounded;
};

/// To the frame of a tet: rows are the axes that TetConstants speaks of.
Mat3d own_axes(const std::array<Vec3d, 4>& corners);

struct BuiltFem {
    FemModel model;
    std::vector<double> masses;  ///< kg, per node of the finest level
};
Result<BuiltFem> build_fem(const Fem& spec, double density, std::vector<std::string>& warnings);

}  // namespace yawara::fem
