// One step of one body, of whatever kind. Scene::step (sim/scene.cpp) comes here.
#include "sim/solid_kind.h"

#include <cmath>

#include "sim/body_model.h"
#include "sim/door.h"
#include "sim/rigid_solid.h"
#include "sim/step_fem.h"
#include "sim/step_rigid.h"
#include "sim/workspace.h"

namespace yawara {
namespace {

/// Energy and momenta of motion of a rigid body, with the inertia of its solid instead of that of its particles.
void measure_rigid(const RigidSolid& solid, const BodyState& state, StepReport& report)
{
    int repaired = 0;
    const RigidPose pose = pose_of(solid, state, repaired);
    report.momentum = pose.velocity * solid.mass;
    report.angular_momentum = pose.inertia(solid) * pose.spin;
    report.kinetic_energy = 0.5 * (dot(report.momentum, pose.velocity) + dot(report.angular_momentum, pose.spin));
    report.center = pose.center;
}

/// Energy and momenta of motion, in double.
void measure(const BodyModel::Data& model, const BodyState& state, StepReport& report)
{
    using d4 = double __attribute__((vector_size(32)));
    const Vec3d start = state.positions[0].as<double>();
    const d4 origin{start.x, start.y, start.z, 0};
    d4 momentum{}, energy{}, first{}, angular{};  // sums of m v, m v v, m x, m x cross v as z x y; x about the origin
    for (std::size_t i = 0; i < model.masses.size(); ++i) {
        const Vec3 &p = state.positions[i], &speed = state.velocities[i];
        const d4 x = d4{double(p.x), double(p.y), double(p.z), 0} - origin;
        const d4 v{double(speed.x), double(speed.y), double(speed.z), 0};
        const d4 mx = x * model.masses[i], mv = v * model.masses[i];
        momentum += mv;
        energy += mv * v;
        first += mx;
        angular += x * __builtin_shufflevector(mv, mv, 1, 2, 0, 3) - __builtin_shufflevector(x, x, 1, 2, 0, 3) * mv;
    }
    const Vec3d from_start = Vec3d{first[0], first[1], first[2]} / model.total_mass;
    report.momentum = {momentum[0], momentum[1], momentum[2]};
    report.kinetic_energy = 0.5 * (energy[0] + energy[1] + energy[2]);
    report.center = start + from_start;
    report.angular_momentum = Vec3d{angular[1], angular[2], angular[0]} - cross(from_start, report.momentum);
}

}  // namespace

const SolidKind& kind_of(const BodyModel& model)
{
    return model.data().fem ? kFemKind : model.data().rigid ? kRigidKind : kMatchingKind;
}

Workspace::Workspace(const BodyModel& model) : data_(std::make_unique<Data>())
{
    kind_of(model).prepare(model, *data_);
    BodyState state;
    state.positions.resize(model.particle_count());
    state.velocities.resize(model.particle_count());
    kind_of(model).start(model.data(), {}, state);
    data_->sizes = StateSizes(state);
}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

BodyState initial_state(const BodyModel& model, const Placement& placement, Vec3d velocity, Vec3d spin)
{
    const std::size_t n = model.particle_count();
    BodyState state;
    state.positions.resize(n);
    state.velocities.resize(n);
    double mass = 0;
    Vec3d center;
    for (std::size_t i = 0; i < n; ++i) {
        center += placement(model.rest_positions()[i]) * model.masses()[i];
        mass += model.masses()[i];
    }
    center = center / mass;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3d x = placement(model.rest_positions()[i]);
        state.positions[i] = x.as<float>();
        state.velocities[i] = (velocity + cross(spin, x - center)).as<float>();
    }
    kind_of(model).start(model.data(), placement.turn, state);
    return state;
}

StepReport step(const BodyModel& model, const BodySettings& settings, const StepInput& input, BodyState& state,
                Workspace& workspace)
{
    const int dropped = fit_state(model, workspace.data().sizes, state);
    BodySettings usable = settings;
    usable.measure = settings.measure && workspace.data().measured;
    StepInput usable_input = input;
    const int mended = mend(usable) + mend(usable_input.gravity, usable_input.medium);
    StepReport report;
    if (is_step(input.dt) && std::isfinite(input.time))
        report = kind_of(model).step(model, usable, usable_input, state, workspace.data());
    else
        ++report.repaired_numbers;  // no time passes
    report.repaired_numbers += mended;
    report.repaired_particles += dropped;
    if (usable.measure) {
        if (model.is_rigid())
            measure_rigid(*model.data().rigid, state, report);
        else
            measure(model.data(), state, report);
    }
    return report;
}

ModulusReach modulus_reach(const BodyModel& model, const BodySettings& settings, double dt)
{
    return kind_of(model).modulus_reach ? kind_of(model).modulus_reach(model, settings, dt) : ModulusReach{};
}

Result<SettleReport> settle(const BodyModel& model, const BodySettings& settings, const StepInput& input,
                            BodyState& state, Workspace& workspace)
{
    const std::string where = "body \"" + model.name() + "\"";
    if (!kind_of(model).settle) return Error{where, "only finite-element bodies have a static solution"};
    fit_state(model, workspace.data().sizes, state);
    Result<SettleReport> report = kind_of(model).settle(model, settings, input, state, workspace.data());
    if (!report) return Error{where, report.error().what};
    return report;
}

}  // namespace yawara
