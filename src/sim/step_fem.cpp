#include "sim/step_fem.h"

#include "fem/settle.h"
#include "sim/body_model.h"
#include "sim/mean_young.h"
#include "sim/spread_tets.h"
#include "sim/workspace.h"

namespace yawara {
namespace {

void prepare(const BodyModel& body, Workspace::Data& work)
{
    work.fem = std::make_unique<fem::Workspace>(*body.data().fem);
}

void start(const BodyModel::Data& model, const Mat3d&, BodyState& state)
{
    fem::start_state(*model.fem, state);
}

/// The same input with gravity less buoyancy.
StepInput in_medium(const BodyModel::Data& model, const StepInput& input)
{
    StepInput wet = input;
    wet.gravity = weight_in(input, model);
    return wet;
}

StepReport step(const BodyModel& body, const BodySettings& settings, const StepInput& input, BodyState& state,
                Workspace::Data& work)
{
    const BodyModel::Data& model = body.data();
    apply_medium(body, input, state, work.medium);
    work.fem->contact_impulse = {};
    const StepReport report =
        fem::advance(*model.fem, model.masses, settings, in_medium(model, input), state, *work.fem);
    work.obstacle_impulse = work.fem->contact_impulse;
    return report;
}

Result<SettleReport> settle(const BodyModel& body, const BodySettings& settings, const StepInput& input,
                            BodyState& state, Workspace::Data& work)
{
    const BodyModel::Data& model = body.data();
    if (input.medium.drag > 0 && input.medium.current != Vec3{})
        return Error{"", "a current pushes it by the shape it takes: only motion finds its rest"};
    return fem::settle(*model.fem, model.masses, settings, in_medium(model, input), state, *work.fem);
}

int slices(const BodyModel::Data& model, const BodySettings& settings, double dt)
{
    const IntegrationChoice choice = fem::choose_integration(*model.fem, settings.fem, dt);
    return choice.implicit ? 1 : int(choice.substeps);
}

/// A front of the same forest goes on as it is; otherwise it starts anew, as coarse as the state allows.
void carry(const BodyModel::Data&, const BodyState& state, const BodyModel::Data&, const TopologyChange& change,
           std::span<const std::int32_t> nearest, BodyState& next)
{
    if (is_identity(change) && next.fem.front.size() == state.fem.front.size()) {
        std::vector<float> plastic = std::move(next.fem.plastic);
        next.fem = state.fem;
        if (plastic.size() != state.fem.plastic.size()) next.fem.plastic = std::move(plastic);
        return;
    }
    for (std::size_t i = 0; i < nearest.size(); ++i)
        next.fem.accelerations[i] = state.fem.accelerations[std::size_t(nearest[i])];
}

/// Young's moduli of the finest tets.
std::vector<float> stiffness(const BodyModel::Data& model, const BodyState&)
{
    const fem::FemModel& fem = *model.fem;
    const auto first = static_cast<std::size_t>(fem.forest.first_of(fem.forest.levels()));
    std::vector<float> youngs, out(model.rest.size());
    for (const Elasticity& tensor : fem.elasticities) youngs.push_back(static_cast<float>(mean_young(tensor)));
    spread_tets(std::get<TetMesh>(model.domain), out,
                [&](std::size_t t) { return youngs[std::size_t(fem.material_of[first + t])]; });
    return out;
}

}  // namespace

IntegrationChoice integration_of(const BodyModel& model, const FemSettings& settings, double dt)
{
    if (!model.is_fem()) return {};
    return fem::choose_integration(*model.data().fem, settings, dt);
}

const SolidKind kFemKind{prepare, start, step, settle, slices, true, false, carry, stiffness, nullptr};

}  // namespace yawara
