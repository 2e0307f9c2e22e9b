// What build_fem() precomputes for a finite-element body: the forest, its tensors, masses and stable steps.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "active/chart.h"
#include "fem/elasticity.h"
#include "fem/forest.h"
#include "fem/kernels.h"
#include "fem/plastic.h"
#include "yawara/law.h"

namespace yawara::fem {

/// Strain tolerances of a tet, [FEM] 3: outside them its linear law departs from what its children do.
struct StrainRange {
    std::array<float, 6> low, high;
};

/// What bounds the sub-steps of a tet.
struct TetFrequency {
    float square;   ///< 1/s^2, of its largest frequency at rest
    float damping;  ///< 1/s, half the largest rate of its viscosity at rest
    float tension;  ///< 1/(kg m^2), what stress times volume, J, adds to `square`

    /// Longest stable step, [FEM] 4.2: 2 (sqrt(1 + z^2) - z) / w with z = damping / w, written so that it needs no z.
    /// `stretch`: largest eigenvalue of F^T F; `stress`: largest of stress times volume, J.
    float stable_step(float stretch, float stress) const { return stable_step(stretch, stress, stretch); }
    /// `stiffer`: what multiplies the elasticity; that of St. Venant-Kirchhoff grows with the stretch.
    float stable_step(float stretch, float stress, float stiffer) const
    {
        const float b = damping * stretch;
        return 2 / (std::sqrt(square * stiffer + tension * stress + b * b) + b);
    }
};

/// The fibres of a muscle in the forest tets.
struct MuscleModel {
    struct Fibre {
        Vec3d direction;       ///< unit vector
        double stiffness = 0;  ///< Pa; 0: none
        float delay = 0;       ///< s, within the period
    };
    muscles::ChartCurve curve;
    std::vector<Fibre> fibres;  ///< per forest tet
};

struct FemModel {
    TetForest forest;
    std::shared_ptr<const ElasticLaw> law;  ///< null: the elements are plain St. Venant-Kirchhoff tets
    std::vector<MuscleModel> muscles;
    Elements elements = Elements::linear;
    std::vector<Elasticity> elasticities, viscosities;  ///< the different ones; same length
    std::vector<std::int32_t> material_of;              ///< per forest tet: number among those
    bool isotropic = true;                              ///< all of them
    bool viscous = false;                               ///< any of them
    std::vector<std::uint8_t> softened;                 ///< per tet with children: holds less energy than they would
    std::vector<double> densities;                      ///< kg/m^3, per finest tet
    std::vector<TetConstants> constants;                ///< per forest tet, for the kernels
    std::vector<TetFrequency> frequencies;              ///< per forest tet
    double finest_stable = 0;                           ///< s, the shortest stable step of the finest level at rest
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
    std::vector<float> contact_stiffness;     ///< N/m, of each: of its spring against obstacles
    std::vector<std::int32_t> inner_nodes;    ///< finest, not on the outside
    std::vector<float> inner_stiffness;       ///< N/m, of each: likewise, should it be pressed into an obstacle
    std::vector<std::int32_t> base_order;     ///< tets of level 0 along a space-filling curve
    std::vector<ForcedFront> fronts;
    double size = 1;  ///< m, largest extent at rest
    double total_mass = 0, volume = 0;  ///< kg, m^3
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
/// `density` and `channels`: those of the body.
Result<BuiltFem> build_fem(const Fem& spec, const Field<double>& density, std::vector<std::string>& warnings,
                           const Channels& channels = {});

}  // namespace yawara::fem
