// Weights of the examples in a state, as a step from there would find them, and what awakens them.
#include <numbers>

#include "matching/match.h"
#include "sim/body_model.h"
#include "yawara/deform.h"

namespace yawara {
namespace {

/// Weights for a state, left in the memory.
matching::MatchMemory weigh(const BodyModel::Data& model, const BodyState& state, double time)
{
    const matching::Regions& regions = model.regions;
    matching::MatchMemory memory(regions, model.stretch.size(), &*model.examples);
    for (std::size_t slot = 0; slot < regions.region_count(); ++slot)
        memory.place(slot, state.positions[regions.particle_at(slot)]);
    std::vector<float> turns = state.rotations;
    const matching::RegionStretch* stretch = matching::ask_layers(model.stretch, regions, time, memory);
    matching::find_weights(regions, {stretch, &*model.examples}, turns.data(), memory);
    return memory;
}

std::vector<double> raw_weights(const BodyModel::Data& model, std::span<const Vec3d> positions, std::size_t group)
{
    return model.examples->raw_weights(matching::region_stretches(model.regions, model.rest, model.masses, positions),
                                       group);
}

}  // namespace

std::vector<float> example_weights(const BodyModel& body, const BodyState& state, double time)
{
    const BodyModel::Data& model = body.data();
    if (!model.examples) return {};
    const matching::Examples& examples = *model.examples;
    const matching::MatchMemory memory = weigh(model, state, time);
    const std::size_t width = examples.count() + 1;
    std::vector<float> weights(examples.group_count() * width);
    for (std::size_t g = 0; g < examples.group_count(); ++g)
        examples.weights(examples.each_region() ? model.regions.slot(g) : g, memory.examples,
                         weights.data() + g * width);
    return weights;
}

std::vector<float> example_pull(const BodyModel& body, const BodyState& state, double time)
{
    const BodyModel::Data& model = body.data();
    std::vector<float> pull(model.rest.size(), 0.0f);
    if (!model.examples) return pull;
    const matching::MatchMemory memory = weigh(model, state, time);
    for (std::size_t slot = 0; slot < pull.size(); ++slot)
        for (std::size_t k = 0; k < model.examples->count(); ++k)
            pull[model.regions.particle_at(slot)] +=
                model.examples->weight(k, slot, memory.examples) * model.examples->size(k, slot);
    return pull;
}

std::vector<ExampleCoupling> example_couplings(const BodyModel& body, std::size_t group)
{
    const BodyModel::Data& model = body.data();
    if (!model.examples) return {};
    constexpr double kAngle = 20 * std::numbers::pi / 180;
    std::vector<ExampleCoupling> couplings;
    const auto add = [&](const char* load, int axis, const Deformer& deformer) {
        const std::vector<Vec3d> positions = deformed(model.rest, std::span(&deformer, 1));
        couplings.push_back({std::string(load) + " " + "xyz"[axis], raw_weights(model, positions, group)});
    };
    for (int axis = 0; axis < 3; ++axis) {
        const int towards = (axis + 1) % 3;
        add("squeeze along", axis, Stretch{axis, 0.9, false, {}});
        add("stretch along", axis, Stretch{axis, 1.1, false, {}});
        add("shear along", axis, Shear{towards, axis, 0.1, {}});
        add("bend of", axis, Bend{axis, towards, kAngle, {}});
        add("twist about", axis, Twist{axis, kAngle, {}});
    }
    return couplings;
}

std::vector<double> raw_example_weights(const BodyModel& body, const BodyState& state, std::size_t group)
{
    const BodyModel::Data& model = body.data();
    if (!model.examples) return {};
    std::vector<Vec3d> positions;
    for (const Vec3& p : state.positions) positions.push_back(p.as<double>());
    return raw_weights(model, positions, group);
}

}  // namespace yawara
