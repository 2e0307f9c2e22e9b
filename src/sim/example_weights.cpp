// Weights of the examples in a state, as a step from there would find them, and what awakens them.
#include <numbers>

#include "matching/match.h"
#include "sim/body_model.h"
#include "sim/lattice_regions.h"
#include "yawara/deform.h"

namespace yawara {
namespace {

/// Weights for a state, left in the memory, and the examples they are of.
struct Weighed {
    matching::MatchMemory memory;
    const matching::Examples* examples;
};

Weighed weigh(const BodyModel& body, const BodyState& state, double time, double dt)
{
    const BodyModel::Data& model = body.data();
    const matching::Regions& regions = model.regions;
    matching::MatchMemory memory(regions, model.asked.size(), &*model.examples, model.layer_plan.looks());
    LatticeFit().update(body, {stiffness_now(model, state), dt, model.pass_modulus, {}}, memory);
    const matching::Examples* const examples =
        memory.changed_examples ? memory.changed_examples.get() : &*model.examples;
    for (std::size_t slot = 0; slot < regions.region_count(); ++slot)
        memory.set_position(slot, state.positions[regions.particle_at(slot)]);
    examples->take(state.matching.heard, state.matching.kept, memory.examples);
    std::vector<float> turns = state.matching.rotations;
    matching::WantedShapes wanted;
    wanted.examples = examples;
    matching::ask_layers({model.asked, model.layer_plan, time}, regions, turns.data(), wanted, memory);
    matching::find_weights(regions, wanted, turns.data(), memory);
    return {std::move(memory), examples};
}

/// Calls then(lane, region) for all regions.
template <class Then>
void for_each_region(const matching::Regions& regions, const Then& then)
{
    for (std::size_t lane = 0; lane < regions.block_count() * matching::kLanes; ++lane)
        if (regions.region_in(lane) >= 0) then(lane, std::size_t(regions.region_in(lane)));
}

std::vector<double> raw_weights(const BodyModel::Data& model, std::span<const Vec3d> positions, std::size_t group)
{
    return model.examples->raw_weights(matching::region_stretches(model.regions, model.rest, model.masses, positions),
                                       group);
}

}  // namespace

std::vector<float> example_weights(const BodyModel& body, const BodyState& state, double time, double dt)
{
    if (!body.data().examples) return {};
    const Weighed weighed = weigh(body, state, time, dt);
    const matching::Examples& examples = *weighed.examples;
    const std::size_t width = examples.count() + 1;
    std::vector<float> weights(examples.group_count() * width);
    const auto put = [&](std::size_t group, std::size_t row) {
        examples.weights(group, weighed.memory.examples, weights.data() + row * width);
    };
    if (examples.each_region())
        for_each_region(body.data().regions, put);
    else
        for (std::size_t g = 0; g < examples.group_count(); ++g) put(g, g);
    return weights;
}

std::vector<float> example_pull(const BodyModel& body, const BodyState& state, double time, double dt)
{
    std::vector<float> pull(body.particle_count(), 0.0f);
    if (!body.data().examples) return pull;
    const Weighed weighed = weigh(body, state, time, dt);
    for_each_region(body.data().regions, [&](std::size_t lane, std::size_t region) {
        for (std::size_t k = 0; k < weighed.examples->count(); ++k)
            pull[region] +=
                weighed.examples->weight(k, lane, weighed.memory.examples) * weighed.examples->size(k, lane);
    });
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
