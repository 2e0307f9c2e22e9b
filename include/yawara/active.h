// Bodies that move by themselves, [ProcDef]: fields over a solid (depth, direction, amplitude, phase) and periodic charts
// of stretch become a layer that asks every region to shorten and lengthen; the solver finds the motion.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yawara/body.h"

namespace yawara {

// ---- charts --------------------------------------------------------------------------------------------------------

struct ChartKey {
    double time = 0;   ///< s; wrapped into the period
    double value = 1;  ///< factor of stretch: below 1 contracts
};
/// A periodic curve of stretch, closed across the wrap. No keys: 1; one key: constant.
struct Chart {
    std::vector<ChartKey> keys;
    bool smooth = false;  ///< monotone cubic instead of straight lines; both between the logarithms, without overshoot
};
/// One chart for each direction of the frames.
struct Charts {
    double period = 1;  ///< s
    double limit = 2;   ///< A, at least 1: values are held to [1/A, A]
    std::array<Chart, 3> directions;
    /// The same with the second and third chart the inverse square root of the first.
    Charts preserving_volume() const;
};
/// Refuses a period or limit out of range, values that are not positive, and two values at one time of the period.
Status check(const Charts& charts);
/// Value of one chart at any time, before or after the period.
double chart_value(const Charts& charts, int direction, double time);

// ---- fields --------------------------------------------------------------------------------------------------------

/// A value at a place of the solid at rest.
struct PaintSample {
    Vec3d point;
    double value = 0;
};
/// How painted values fill the solid. rbf: radial functions, right for sparse paint on a plump body; harmonic: along the
/// mesh, right for painted areas on a folded one.
enum class Filling { rbf, harmonic };
struct Paint {
    std::vector<PaintSample> samples;
    Filling filling = Filling::rbf;
};
/// The same everywhere, painted, a function of the rest position, or one value per particle.
using ScalarField = std::variant<double, Paint, std::function<double(Vec3d)>, std::vector<double>>;

/// A drawn polyline: its tangents are the first direction.
struct Stroke {
    std::vector<Vec3d> points;
};
/// Strokes, or a function of the rest position (any length; zero: unknown).
using DirectionField = std::variant<std::vector<Stroke>, std::function<Vec3d(Vec3d)>>;

/// What a designer says about a body. Nothing painted: no depth gradient, amplitude 1, phase 0.
struct FieldsSpec {
    ScalarField depth = 0.0;      ///< 1 is the outermost layer, 0 the innermost; its gradient is the second direction
    DirectionField direction;
    bool oriented_strokes = false;  ///< false: a stroke and its reverse mean the same
    ScalarField amplitude = 1.0;  ///< exponent of the charts, held to [-1, 1]: negative exchanges stretch and contraction
    ScalarField phase = 0.0;      ///< delay in units of the wave speed, held to [0, 1]
};

/// Fields at every particle.
struct ActiveFields {
    std::vector<double> depth, amplitude, phase;
    std::vector<Mat3d> frames;               ///< columns d1, d2, d3: orthonormal, right-handed, smooth
    std::vector<double> gradient_confidence; ///< 0..1: whether d2 means something, [ProcDef] 5.3
    std::vector<double> stroke_confidence;   ///< likewise d1
    std::vector<std::string> warnings;
};
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

// ---- tools of a designer -------------------------------------------------------------------------------------------

/// Brushes: the vertices of a surface that a touch paints.
std::vector<std::int32_t> brush_polygon(const TriMesh& surface, std::int32_t triangle);
/// All that hangs together with a triangle over edges bent by less than an angle.
std::vector<std::int32_t> brush_flat(const TriMesh& surface, std::int32_t triangle, double degrees = 30);
/// All within a radius of a path that are reached along the surface from where it touches.
std::vector<std::int32_t> brush_stroke(const TriMesh& surface, std::span<const Vec3d> path, double radius);
/// The triangle nearest to a point: where a touch is.
std::int32_t nearest_triangle(const TriMesh& surface, Vec3d point);

/// The surface on which a field has a value, by marching tetrahedra; triangles face the larger values.
TriMesh iso_surface(const TetMesh& mesh, std::span<const double> values, double level);

}  // namespace yawara
