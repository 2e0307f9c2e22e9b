// make_fields(): what a designer painted, drew or wrote, at every particle of a solid.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>

#include "active/frames.h"
#include "active/harmonic.h"
#include "active/rbf.h"

namespace yawara {
namespace {

using namespace muscles;

/// Everything a field may need to know of the solid.
struct Solid {
    const Domain& domain;
    std::vector<Vec3d> rest;
    matching::Lists links;
    double spacing = 0, size = 0;
};

Solid look_at(const Domain& domain)
{
    Solid solid{domain, rest_positions(domain), std::visit([](const auto& d) { return matching::links(d); }, domain)};
    for (std::size_t i = 0; i < solid.links.size(); ++i)
        for (const std::int32_t j : solid.links[i]) solid.spacing += length(solid.rest[std::size_t(j)] - solid.rest[i]);
    solid.spacing /= double(std::max<std::size_t>(1, solid.links.values.size()));
    solid.size = bounds(solid.rest).diagonal();
    return solid;
}

/// Slopes of values by least squares over the links of each particle.
std::vector<Vec3d> slopes(const Solid& solid, std::span<const double> values)
{
    std::vector<Vec3d> gradients(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
        Eigen::Vector3d b = Eigen::Vector3d::Zero();
        for (const std::int32_t j : solid.links[i]) {
            const Vec3d d = solid.rest[std::size_t(j)] - solid.rest[i];
            const Eigen::Vector3d q(d.x, d.y, d.z);
            A += q * q.transpose() / q.squaredNorm();
            b += q * (values[std::size_t(j)] - values[i]) / q.squaredNorm();
        }
        const Eigen::Vector3d g = A.completeOrthogonalDecomposition().solve(b);
        gradients[i] = {g[0], g[1], g[2]};
    }
    return gradients;
}

struct FilledField {
    std::vector<double> values;
    std::vector<Vec3d> gradients;  ///< only if asked for; empty: zero
};

/// Values at all particles, and gradients before anything is clamped.
class Filler {
public:
    Filler(const Solid& solid, std::string name, bool with_gradient, std::vector<std::string>& warnings)
        : solid_(solid), name_(std::move(name)), with_gradient_(with_gradient), warnings_(warnings)
    {
    }

    Result<FilledField> operator()(double constant) const
    {
        if (!std::isfinite(constant)) return Error{name_, "is not a finite number"};
        return FilledField{std::vector<double>(solid_.rest.size(), constant), {}};
    }

    Result<FilledField> operator()(const std::function<double(Vec3d)>& function) const
    {
        if (!function) return Error{name_, "is an empty function"};
        FilledField out;
        const double h = 1e-5 * solid_.size;
        for (const Vec3d& p : solid_.rest) {
            out.values.push_back(function(p));
            if (!std::isfinite(out.values.back())) return not_finite(out.values.size() - 1, p);
            if (!with_gradient_) continue;
            const Vec3d slope{function(p + Vec3d{h, 0, 0}) - function(p - Vec3d{h, 0, 0}),
                              function(p + Vec3d{0, h, 0}) - function(p - Vec3d{0, h, 0}),
                              function(p + Vec3d{0, 0, h}) - function(p - Vec3d{0, 0, h})};
            out.gradients.push_back(is_finite(slope) ? slope / (2 * h) : Vec3d{});
        }
        return out;
    }

    Result<FilledField> operator()(const std::vector<double>& values) const
    {
        if (values.size() != solid_.rest.size())
            return Error{name_, std::to_string(values.size()) + " values for " + std::to_string(solid_.rest.size()) + " particles"};
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i])) return not_finite(i, solid_.rest[i]);
        return FilledField{values, with_gradient_ ? slopes(solid_, values) : std::vector<Vec3d>{}};
    }

    Result<FilledField> operator()(const Paint& paint) const
    {
        std::vector<Vec3d> points;
        std::vector<double> values;
        for (std::size_t k = 0; k < paint.samples.size(); ++k) {
            const PaintSample& sample = paint.samples[k];
            if (!is_finite(sample.point) || !std::isfinite(sample.value))
                return Error{name_, "sample " + std::to_string(k) + " is not finite"};
            points.push_back(sample.point);
            values.push_back(sample.value);
        }
        if (points.empty()) return Error{name_, "nothing is painted: leave the field out instead"};
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        if (*low == *high) return (*this)(*low);  // one value, however often: the same everywhere
        if (paint.filling == Filling::harmonic) {
            FilledField out{harmonic_field(solid_.domain, points, values), {}};
            if (with_gradient_) out.gradients = slopes(solid_, out.values);
            return out;
        }
        // The depth needs a gradient everywhere, also at its samples; the others should not overshoot.
        const Eigen::MatrixXd column = Eigen::Map<const Eigen::VectorXd>(values.data(), Eigen::Index(values.size()));
        const Rbf field(points, column, with_gradient_ ? Kernel::r3 : Kernel::r, Polynomial::linear);
        if (field.left_error() > 0.02 * (*high - *low))
            warnings_.push_back(name_ + ": " + std::to_string(points.size()) + " samples were thinned to " +
                                std::to_string(field.center_count()) + "; painted values are met within " +
                                std::to_string(field.left_error()));
        FilledField out;
        for (const Vec3d& p : solid_.rest) {
            out.values.push_back(field(p)[0]);
            if (with_gradient_) out.gradients.push_back(field.gradient(p));
        }
        return out;
    }

private:
    Error not_finite(std::size_t i, Vec3d p) const
    {
        return {name_, "is not finite at particle " + std::to_string(i) + ", rest position (" + std::to_string(p.x) + ", " +
                           std::to_string(p.y) + ", " + std::to_string(p.z) + ")"};
    }

    const Solid& solid_;
    std::string name_;
    bool with_gradient_;
    std::vector<std::string>& warnings_;
};

Result<std::vector<double>> filled(const ScalarField& field, const char* name, double low, double high, const Solid& solid,
                                   std::vector<std::string>& warnings)
{
    Result<FilledField> out = std::visit(Filler(solid, name, false, warnings), field);
    if (!out) return out.error();
    for (double& value : out->values) value = std::clamp(value, low, high);
    return std::move(out->values);
}

Result<std::vector<Direction>> directions_of(const FieldsSpec& spec, const Solid& solid)
{
    if (const auto* strokes = std::get_if<std::vector<Stroke>>(&spec.direction)) {
        for (std::size_t k = 0; k < strokes->size(); ++k)
            for (const Vec3d& p : (*strokes)[k].points)
                if (!is_finite(p)) return Error{"direction", "stroke " + std::to_string(k) + " has a point that is not finite"};
        return stroke_directions(*strokes, spec.oriented_strokes, solid.spacing, solid.rest);
    }
    const auto& function = std::get<std::function<Vec3d(Vec3d)>>(spec.direction);
    if (!function) return Error{"direction", "is an empty function"};
    std::vector<Direction> directions;
    for (const Vec3d& p : solid.rest) {
        const Vec3d d = function(p);
        const bool known = is_finite(d) && length(d) > 1e-9;
        directions.push_back({known ? normalized(d) : Vec3d{}, known ? 1.0 : 0.0});
    }
    return directions;
}

}  // namespace

Result<ActiveFields> make_fields(const FieldsSpec& spec, const Domain& domain)
{
    const Solid solid = look_at(domain);
    if (solid.rest.empty()) return Error{"solid", "has no particles"};
    ActiveFields fields;
    Result<FilledField> depth = std::visit(Filler(solid, "depth", true, fields.warnings), spec.depth);
    if (!depth) return depth.error();
    Result<std::vector<double>> amplitude = filled(spec.amplitude, "amplitude", -1, 1, solid, fields.warnings);
    if (!amplitude) return amplitude.error();
    Result<std::vector<double>> phase = filled(spec.phase, "phase", 0, 1, solid, fields.warnings);
    if (!phase) return phase.error();
    const Result<std::vector<Direction>> directions = directions_of(spec, solid);
    if (!directions) return directions.error();
    fields.depth = std::move(depth->values);
    fields.amplitude = std::move(*amplitude);
    fields.phase = std::move(*phase);
    make_frames(depth->gradients, *directions, solid.links, fields);
    return fields;
}

}  // namespace yawara
