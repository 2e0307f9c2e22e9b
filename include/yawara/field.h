// Fields: a value at every place of a solid at rest, whoever gave it: a number, paint, drawn strokes, a formula, a
// channel of a volume, an array, or selections. Everything that may differ within a body takes one; it is sampled once,
// at build.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "yawara/core.h"
#include "yawara/domain.h"
#include "yawara/formula.h"
#include "yawara/selection.h"

namespace yawara {

// ---- sources -------------------------------------------------------------------------------------------------------

/// A value at a place of the solid at rest.
struct PaintSample {
    Vec3d point;
    double value = 0;
};
/// How painted values fill the solid. rbf: radial functions, right for sparse paint on a plump body; harmonic: along
/// the mesh, right for painted areas on a folded one; nearest: the value of the nearest sample, right for labels.
enum class Filling { rbf, harmonic, nearest };
/// A touch of a brush: the outer vertices that it reaches get its value, see brush_polygon and its siblings.
struct PaintTouch {
    enum class Brush { vertex, polygon, flat, stroke } brush = Brush::vertex;
    double value = 0;
    std::vector<Vec3d> path{};  ///< places, or the path of a stroke; not for Brush::vertex
    std::int32_t vertex = 0;    ///< particle that Brush::vertex paints, inside or outside
    double angle = 30;          ///< degrees, of Brush::flat
    double radius = 0;          ///< of Brush::stroke
    std::string where{};        ///< its path in a document, for messages
};
/// Samples and touches; later touches paint over earlier ones.
struct Paint {
    std::vector<PaintSample> samples;
    Filling filling = Filling::rbf;
    std::vector<PaintTouch> touches{};
};

/// A drawn polyline: its tangents are a direction.
struct Stroke {
    std::vector<Vec3d> points;
};
/// Directions of strokes, and their smooth continuation in between.
struct Strokes {
    std::vector<Stroke> lines;
    bool oriented = false;  ///< false: a stroke and its reverse mean the same
};

/// A named attribute of the volume that a body is made of: see Channels.
struct Channel {
    std::string name;
    /// Pairs (channel's value, field's value), growing in the first: straight lines between them, held beyond the ends.
    std::vector<std::pair<double, double>> remap;  ///< empty: as it is
};

template <class T>
class Field;
struct FieldPlaces;
struct FieldUse;

/// Selected places get values of their own, later ones over earlier ones; elsewhere the base holds.
template <class T>
struct Parts {
    struct Part {
        Selection select;
        T value{};
    };
    std::shared_ptr<const Field<T>> base;  ///< null: zero
    std::vector<Part> parts;
};

/// An array that is made when the field is sampled: a file that is read, another model that is asked.
template <class T>
struct Deferred {
    /// The use is that of the field: doubts go to its warnings.
    std::function<Result<std::vector<T>>(const FieldPlaces&, const FieldUse&)> make;
};

// ---- fields --------------------------------------------------------------------------------------------------------

/// T: double; Vec3d (directions; zero is unknown); std::int32_t (labels); Int3 (one number along x, y and z, unless
/// given as three). Whole numbers are rounded from what formulas, functions, paint and channels give.
template <class T>
class Field {
public:
    static constexpr bool kDirections = std::same_as<T, Vec3d>;
    /// Of the rest position.
    using Function = std::function<std::conditional_t<kDirections, Vec3d, double>(Vec3d)>;
    using Source =
        std::conditional_t<kDirections, std::variant<T, Function, std::vector<T>, Strokes, Parts<T>, Deferred<T>>,
                           std::variant<T, Function, std::vector<T>, Paint, Channel, Parts<T>, Deferred<T>>>;

    Field(T constant = {}) : source_(std::move(constant)) {}
    template <class F>
    requires std::is_invocable_r_v<typename Function::result_type, const F&, Vec3d> Field(F function)
        : source_(Function(std::move(function)))
    {
    }
    /// One value per particle; on finite elements alternatively one per finest tet.
    template <class U>
    requires std::convertible_to<U, T> Field(const std::vector<U>& values)
        : source_(std::vector<T>(values.begin(), values.end()))
    {
    }
    template <class S>
    requires(std::same_as<S, Paint> || std::same_as<S, Channel> || std::same_as<S, Strokes> ||
             std::same_as<S, Parts<T>> || std::same_as<S, Deferred<T>>) &&
        std::is_constructible_v<Source, S> Field(S source) : source_(std::move(source))
    {
    }

    const Source& source() const { return source_; }
    /// The one value that holds everywhere, or null.
    const T* constant() const { return std::get_if<T>(&source_); }
    /// The values, if they were given as an array.
    const std::vector<T>* array() const { return std::get_if<std::vector<T>>(&source_); }

private:
    Source source_;
};

// ---- sampling ------------------------------------------------------------------------------------------------------

/// What the volume of a body offers to its fields.
struct Channels {
    std::vector<std::string> names;
    std::function<std::vector<double>(std::string_view name, const FieldPlaces& places)> values;
};

/// Where a field is sampled, and what it may ask of the solid.
struct FieldPlaces {
    const Domain& domain;            ///< must outlive this
    std::vector<Vec3d> points;       ///< at rest
    std::vector<std::int32_t> tets;  ///< tet of the domain that holds each point; empty: the points are the particles
    Channels channels{};
    double scale = 1;  ///< fields speak of the solid before it was enlarged by this
    /// The points as fields see them.
    std::vector<Vec3d> unscaled() const;
};
/// All particles.
FieldPlaces particle_places(const Domain& domain);

/// What is expected of the values; the name stands in messages.
struct FieldUse {
    std::string name = "field";
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool above_low = false;                        ///< `low` itself is too low
    std::vector<std::string>* warnings = nullptr;  ///< null: nobody wants to know
};
/// Above 0.
FieldUse positive(std::string name);

/// The value at every place. Refuses arrays of another length, unknown channels, empty selections and values that are
/// not finite or out of range, and says which. A direction is of any length; one that a function leaves not finite is
/// zero.
template <class T>
Result<std::vector<T>> sample(const Field<T>& field, const FieldPlaces& places, const FieldUse& use = {});

/// Values with their slopes; painted ones are smooth at the samples, too.
struct SampledGradient {
    std::vector<double> values;
    std::vector<Vec3d> gradients;  ///< empty: zero everywhere
};
/// At the particles.
Result<SampledGradient> sample_gradient(const Field<double>& field, const FieldPlaces& places,
                                        const FieldUse& use = {});

// ---- brushes: the vertices of a surface that a touch paints
// ----------------------------------------------------------

std::vector<std::int32_t> brush_polygon(const TriMesh& surface, std::int32_t triangle);
/// All that hangs together with a triangle over edges bent by less than an angle.
std::vector<std::int32_t> brush_flat(const TriMesh& surface, std::int32_t triangle, double degrees = 30);
/// All within a radius of a path that are reached along the surface from where it touches.
std::vector<std::int32_t> brush_stroke(const TriMesh& surface, std::span<const Vec3d> path, double radius);
/// The triangle nearest to a point: where a touch is.
std::int32_t nearest_triangle(const TriMesh& surface, Vec3d point);

}  // namespace yawara
