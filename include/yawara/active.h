// Bodies that move by themselves, [ProcDef]: fields over a solid (depth, direction, amplitude, phase) and periodic charts
// of stretch become a layer that asks every region to shorten and lengthen; the solver finds the motion.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yawara/body.h"
#include "yawara/chart.h"

namespace yawara {

// ---- fields --------------------------------------------------------------------------------------------------------

/// What a designer says about a body. Nothing painted: no depth gradient, amplitude 1, phase 0.
struct FieldsSpec {
    Field<double> depth = 0.0;  ///< 1 is the outermost layer, 0 the innermost; its gradient is the second direction
    Field<Vec3d> direction;     ///< the first direction; zero: unknown
    /// Exponent of the charts, held to [-1, 1]: negative exchanges stretch and contraction.
    Field<double> amplitude = 1.0;
    Field<double> phase = 0.0;  ///< delay in units of the wave speed, held to [0, 1]
};

/// Fields at every particle.
struct ActiveFields {
    std::vector<double> depth, amplitude, phase;
    std::vector<Mat3d> frames;               ///< columns d1, d2, d3: orthonormal, right-handed, smooth
    std::vector<double> gradient_confidence; ///< 0..1: whether d2 means something, [ProcDef] 5.3
    std::vector<double> stroke_confidence;   ///< likewise d1
    std::vector<std::string> warnings;
};
/// `places`: the particles of the solid.
Result<ActiveFields> make_fields(const FieldsSpec& spec, const FieldPlaces& places);
Result<ActiveFields> make_fields(const FieldsSpec& spec, const Domain& domain);

/// The stretch of region r at a time: D diag(chart_j(t - phase / speed)^amplitude) D^T, [ProcDef] eq. (1); where a
/// direction is unknown the logarithms of the factors it would tell apart are averaged. `speed`: phase units per second.
Result<std::shared_ptr<const StretchLayer>> active(ActiveFields fields, const Charts& charts, double speed = 1);

/// Fields and charts of an active layer, or null for other layers.
struct ActiveParts {
    const ActiveFields& fields;
    const Charts& charts;
    double speed;
};
const ActiveParts* active_parts(const StretchLayer& layer);
/// Of the first active layer of a body; null if it has none.
const ActiveParts* active_parts(const BodyModel& model);

/// A copy of the model whose active layers, in their order, follow other charts; of the same revision, since its shape
/// and fields are the same. Refused: another number of active layers, and what active() refuses.
struct ChartedLayer {
    Charts charts;
    double speed = 1;
    friend bool operator==(const ChartedLayer&, const ChartedLayer&) = default;
};
Result<BodyModel> with_charts(const BodyModel& model, std::span<const ChartedLayer> layers);

// ---- tools of a designer -------------------------------------------------------------------------------------------

/// The surface on which a field has a value, by marching tetrahedra; triangles face the larger values.
TriMesh iso_surface(const TetMesh& mesh, std::span<const double> values, double level);

}  // namespace yawara
