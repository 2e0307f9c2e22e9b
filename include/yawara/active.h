// Bodies that move by themselves, [ProcDef]: fields over a solid (depth, direction, amplitude, phase) and periodic charts
// of stretch become a layer that asks every region to shorten and lengthen; the solver finds the motion.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yawara/body.h"
#include "yawara/cavity.h"
#include "yawara/chart.h"
#include "yawara/section.h"

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

/// Another way to move: "rest", "flee".
struct Gait {
    std::string name;
    Charts charts;
    double speed = 1;  ///< phase units per second
    friend bool operator==(const Gait&, const Gait&) = default;
};
/// How much the ways to move count from a time on; straight lines between keys.
struct GaitKey {
    double time = 0;              ///< s
    std::vector<double> weights;  ///< of the layer's own charts and of its gaits, in their order: their sum is 1
    friend bool operator==(const GaitKey&, const GaitKey&) = default;
};
/// What an active layer follows. The logarithms of the stretches of its gaits are blended by their weights, and so are
/// their frequencies: the beat is the integral of that, and goes on without a jump whatever the periods.
struct ChartedLayer {
    Charts charts;
    double speed = 1;            ///< phase units per second
    std::vector<Gait> gaits{};   ///< beside the charts
    std::vector<GaitKey> keys{}; ///< by time; empty: the charts alone
    double strength = 1;         ///< exponent of all its stretches; 0: it rests
    double lead = 0;             ///< s: how far it is ahead of the clock, see going_on()
    friend bool operator==(const ChartedLayer&, const ChartedLayer&) = default;
};
/// Where a layer is in its beat at a time.
struct Beat {
    double cycles = 0;            ///< passed since time 0, whole ones and a share
    double frequency = 0;         ///< 1/s
    double cycles_per_phase = 0;  ///< how many cycles a place of phase 1 is late
    std::vector<double> weights;  ///< as in GaitKey
};
Beat beat(const ChartedLayer& layer, double time);
/// Refuses charts that check() refuses, speeds of zero, two gaits of one name, keys out of order or with weights that
/// do not fit.
Status check(const ChartedLayer& layer);

/// The stretch of region r at a time: D diag(chart_j(t - phase / speed)^amplitude) D^T, [ProcDef] eq. (1); where a
/// direction is unknown the logarithms of the factors it would tell apart are averaged. `speed`: phase units per second.
Result<std::shared_ptr<const StretchLayer>> active(ActiveFields fields, const Charts& charts, double speed = 1);
Result<std::shared_ptr<const StretchLayer>> active(ActiveFields fields, ChartedLayer layer);

/// Fields and charts of an active layer, or null for other layers.
struct ActiveParts {
    const ActiveFields& fields;
    const ChartedLayer& layer;
    const Charts& charts;  ///< the layer's own
    double speed;
};
const ActiveParts* active_parts(const StretchLayer& layer);
/// Of the first active layer of a body; null if it has none.
const ActiveParts* active_parts(const BodyModel& model);
/// Of all active layers of a body, in their order.
std::vector<const ActiveParts*> all_active_parts(const BodyModel& model);

/// A copy of the model whose active layers, in their order, follow other charts; of the same revision, since its shape
/// and fields are the same. Refused: another number of active layers, and what active() refuses.
Result<BodyModel> with_charts(const BodyModel& model, std::span<const ChartedLayer> layers);
/// The layers as they follow those of a body at a time without a jump: each leads by so much that its beat goes on where
/// that of the body is. Layers with keys at several times keep to the clock.
std::vector<ChartedLayer> going_on(const BodyModel& from, std::vector<ChartedLayer> layers, double time);

// ---- what they ask for ---------------------------------------------------------------------------------------------

/// The stretch that the layers of a body want of every region at a time of theirs, see MatchingSettings::time_offset.
/// Layers that look at the regions are left out. Empty: the body has none.
std::vector<Sym3> wanted_stretch(const BodyModel& model, double time);
/// The same along the fibres of the first active layer, as a factor. Empty: it has none.
std::vector<double> asked_along_fibers(const BodyModel& model, double time);

/// The hollow whose wall are the outer triangles of a body that are no deeper than `depth`.
Result<CavityGauge> cavity_of(const BodyModel& model, double depth);

// ---- tools of a designer -------------------------------------------------------------------------------------------

/// The surface on which a field has a value, by marching tetrahedra; triangles face the larger values.
TriMesh iso_surface(const TetMesh& mesh, std::span<const double> values, double level);
/// The same as places on edges between particles, which go along when these move.
Section iso_section(const TetMesh& mesh, std::span<const double> values, double level);

}  // namespace yawara
