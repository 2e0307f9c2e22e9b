// make_fields(): what a designer painted, drew or wrote, at every particle of a solid.
#include <algorithm>

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
    return fields;
}

Result<ActiveFields> make_fields(const FieldsSpec& spec, const Domain& domain)
{
    return make_fields(spec, particle_places(domain));
}

}  // namespace yawara
