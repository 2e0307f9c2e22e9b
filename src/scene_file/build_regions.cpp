// Widths of a lattice body from its document, and how its stiffness changes while it runs.
#include "scene_file/build.h"

namespace yawara::scene_file {

Result<Widths> build_widths(const BodyDocument& body, const FieldPlaces& places, const std::vector<float>& from_volume,
                            std::vector<std::string>& warnings)
{
    Widths widths;
    if (!from_volume.empty()) widths.stiffness = from_volume;
    if (!body.regions) return widths;
    const RegionsDocument& regions = *body.regions;
    widths.rule = regions.rule;
    widths.law = regions.law;
    widths.rigid = regions.rigid;
    if (regions.widths) {
        const Result<std::vector<Int3>> reach = sample(
            *regions.widths, places, {.name = regions.where + ".widths", .low = 0, .high = 30, .warnings = &warnings});
        if (!reach) return reach.error();
        widths.reach = *reach;
        widths.stiffness.reset();
    }
    if (regions.alphas) {
        const Result<std::vector<double>> alphas =
            sample(*regions.alphas, places,
                   {.name = regions.where + ".alphas", .low = 0, .high = 1, .above_low = true, .warnings = &warnings});
        if (!alphas) return alphas.error();
        widths.alphas = *alphas;
    }
    if (regions.stiffness) {
        const Result<std::vector<double>> stiffness =
            sample(*regions.stiffness, places,
                   {.name = regions.where + ".stiffness", .low = 0, .high = 1, .warnings = &warnings});
        if (!stiffness) return stiffness.error();
        widths.stiffness = *stiffness;
    }
    return widths;
}

}  // namespace yawara::scene_file
