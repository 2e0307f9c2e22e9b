#include "sim/sample_fields.h"

#include "matching/box_kernels.h"

namespace yawara {
namespace {

constexpr double kMostLabels = 1000;

Status sample_floats(const std::optional<Field<double>>& field, const FieldPlaces& places, const FieldUse& use,
                     std::vector<float>& out)
{
    if (!field) return Done{};
    const Result<std::vector<double>> values = sample(*field, places, use);
    if (!values) return values.error();
    out.assign(values->begin(), values->end());
    return Done{};
}

}  // namespace

Result<matching::ParticleWidths> sample_widths(const Widths& widths, const FieldPlaces& places,
                                               std::vector<std::string>& warnings)
{
    matching::ParticleWidths out;
    out.rule = widths.rule;
    out.law = widths.law;
    out.rigid = widths.rigid;
    if (widths.reach) {
        Result<std::vector<Int3>> reach =
            sample(*widths.reach, places,
                   {.name = "widths", .low = 0, .high = matching::kLargestReach, .warnings = &warnings});
        if (!reach) return reach.error();
        out.reach = std::move(*reach);
    }
    const FieldUse alpha{.name = "alphas", .low = 0, .high = 1, .above_low = true, .warnings = &warnings};
    if (const Status ok = sample_floats(widths.alphas, places, alpha, out.alphas); !ok) return ok.error();
    const FieldUse stiffness{.name = "stiffness", .low = 0, .high = 1, .warnings = &warnings};
    if (const Status ok = sample_floats(widths.stiffness, places, stiffness, out.stiffness); !ok) return ok.error();
    return out;
}

Result<ExampleSet> sample_groups(ExampleSet set, const FieldPlaces& places, std::vector<std::string>& warnings)
{
    if (!set.groups) return set;
    const Result<std::vector<std::int32_t>> labels =
        sample(*set.groups, places, {.name = "groups", .low = 0, .high = kMostLabels, .warnings = &warnings});
    if (!labels) return labels.error();
    set.groups = *labels;
    return set;
}

}  // namespace yawara
