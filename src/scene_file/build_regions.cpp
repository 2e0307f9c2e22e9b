// Widths of a lattice body from its document, and how its stiffness changes while it runs.
#include "scene_file/build.h"

namespace yawara::scene_file {

Result<Widths> build_widths(const BodyDocument& body, const FieldPlaces& places, const std::vector<float>& from_volume)
{
    Widths widths;
    if (!from_volume.empty()) widths.stiffness = from_volume;
    if (!body.regions) return widths;
    const RegionsDocument& regions = *body.regions;
    widths.rule = regions.rule;
    widths.law = regions.law;
    widths.rigid = regions.rigid;
    if (regions.widths) {
        const Result<std::vector<Int3>> reach =
            sample(*regions.widths, places, {.name = regions.where + ".widths", .low = 0, .high = 30});
        if (!reach) return reach.error();
        widths.reach = *reach;
        widths.stiffness.reset();
    }
    if (regions.alphas) {
        const Result<std::vector<double>> alphas = sample(
            *regions.alphas, places, {.name = regions.where + ".alphas", .low = 0, .high = 1, .above_low = true});
        if (!alphas) return alphas.error();
        widths.alphas = *alphas;
    }
    if (regions.stiffness) {
        const Result<std::vector<double>> stiffness =
            sample(*regions.stiffness, places, {.name = regions.where + ".stiffness", .low = 0, .high = 1});
        if (!stiffness) return stiffness.error();
        widths.stiffness = *stiffness;
    }
    if (!regions.changes.empty() && !widths.stiffness)
        return Error{regions.where + ".changes", "there is no stiffness that could change"};
    return widths;
}

Result<StiffnessScript> build_stiffness_script(const BodyDocument& body, const BodyModel& model,
                                               std::vector<float> start)
{
    StiffnessScript script;
    script.start = std::move(start);
    if (!body.regions) return script;
    std::vector<Vec3d> places(model.rest_positions().begin(), model.rest_positions().end());
    for (Vec3d& p : places) p = p / body.scale;
    for (const StiffnessChangeDocument& change : body.regions->changes) {
        auto particles = select_particles(change.select, places);
        if (!particles) return particles.error();
        script.changes.push_back({std::move(*particles), change.from, change.until, float(change.value)});
    }
    return script;
}

void StiffnessScript::apply(double time, std::vector<float>& stiffness) const
{
    if (changes.empty()) return;
    stiffness = start;
    for (const Change& change : changes) {
        if (time < change.from) continue;
        const float share = time >= change.until ? 1.0f : float((time - change.from) / (change.until - change.from));
        for (const std::int32_t i : change.particles) {
            float& s = stiffness[std::size_t(i)];
            s += (change.value - s) * share;
        }
    }
}

}  // namespace yawara::scene_file
