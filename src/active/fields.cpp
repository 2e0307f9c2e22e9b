// make_fields(): what a designer painted, drew or wrote, at every particle of a solid.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "active/frames.h"

namespace yawara {
namespace {

Result<std::vector<double>> held(const Field<double>& field, const FieldPlaces& places, const FieldUse& use, double low,
                                 double high)
{
    Result<std::vector<double>> values = sample(field, places, use);
    if (!values) return values;
    for (double& value : *values) value = std::clamp(value, low, high);
    return values;
}

/// As the page and people find it: in the coordinates of the document.
std::string near(Vec3d place, double scale)
{
    char text[96];
    std::snprintf(text, sizeof text, "near (%.3g, %.3g, %.3g)", place.x / scale, place.y / scale, place.z / scale);
    return text;
}

/// Strokes that say nothing, or nothing about this body.
void doubt_strokes(const Strokes& strokes, const FieldPlaces& places, double spacing,
                   std::vector<std::string>& warnings)
{
    constexpr double kOff = 1.5;  // of the spacing
    for (std::size_t k = 0; k < strokes.lines.size(); ++k) {
        const std::vector<Vec3d>& line = strokes.lines[k].points;
        const std::string name = "direction: stroke " + std::to_string(k);
        if (line.empty()) continue;
        const bool is_point = std::ranges::all_of(line, [&](const Vec3d& p) { return p == line.front(); });
        if (is_point) {
            warnings.push_back(name + " is a single point and gives no direction, " + near(line.front(), 1));
            continue;
        }
        double nearest = std::numeric_limits<double>::infinity();
        for (const Vec3d& p : line)
            for (const Vec3d& q : places.points) nearest = std::min(nearest, length(q - p * places.scale));
        if (nearest > kOff * spacing)
            warnings.push_back(name + " is off the body, but its direction is continued into it, " +
                               near(line.front(), 1));
    }
}

/// Places where a direction was drawn along the depth, which is the second direction already.
void doubt_directions(const std::vector<field::Direction>& directions, const ActiveFields& fields,
                      const FieldPlaces& places, std::vector<std::string>& warnings)
{
    constexpr double kShare = 0.02;
    std::size_t count = 0, worst = 0;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        const bool drawn = field::stroke_confidence(directions[i].strength) >= 0.5;
        if (!drawn || fields.gradient_confidence[i] < 0.5 || fields.stroke_confidence[i] >= 0.5) continue;
        if (count == 0 || fields.stroke_confidence[i] < fields.stroke_confidence[worst]) worst = i;
        ++count;
    }
    if (double(count) > kShare * double(directions.size()))
        warnings.push_back("direction: the fibres run along the depth at " +
                           std::to_string(100 * count / directions.size()) +
                           " % of the places and count for nothing there, " + near(places.points[worst], places.scale));
}

}  // namespace

Result<ActiveFields> make_fields(const FieldsSpec& spec, const FieldPlaces& places)
{
    if (places.points.empty()) return Error{"solid", "has no particles"};
    ActiveFields fields;
    const auto use = [&](const char* name) { return FieldUse{.name = name, .warnings = &fields.warnings}; };
    Result<SampledGradient> depth = sample_gradient(spec.depth, places, use("depth"));
    if (!depth) return depth.error();
    Result<std::vector<double>> amplitude = held(spec.amplitude, places, use("amplitude"), -1, 1);
    if (!amplitude) return amplitude.error();
    Result<std::vector<double>> phase = held(spec.phase, places, use("phase"), 0, 1);
    if (!phase) return phase.error();
    const field::Links links(places.domain);
    const auto directions = field::sample_directions(spec.direction, places, links, use("direction"));
    if (!directions) return directions.error();
    fields.depth = std::move(depth->values);
    fields.amplitude = std::move(*amplitude);
    fields.phase = std::move(*phase);
    muscles::make_frames(depth->gradients, *directions, links.lists, fields);
    if (const auto* strokes = std::get_if<Strokes>(&spec.direction.source()))
        doubt_strokes(*strokes, places, links.spacing, fields.warnings);
    doubt_directions(*directions, fields, places, fields.warnings);
    return fields;
}

Result<ActiveFields> make_fields(const FieldsSpec& spec, const Domain& domain)
{
    return make_fields(spec, particle_places(domain));
}

}  // namespace yawara
