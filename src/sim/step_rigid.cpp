// The step of a rigid body: forces, pins, free motion; then obstacles, unless the scene answers them with other
// contact.
#include "sim/step_rigid.h"

#include "contact/body_surface.h"
#include "contact/touch.h"
#include "core/grips.h"
#include "sim/body_model.h"
#include "sim/outside.h"
#include "sim/rigid_pins.h"
#include "sim/workspace.h"

namespace yawara {
namespace {

void prepare(const BodyModel& body, Workspace::Data& work)
{
    work.rigid = std::make_unique<RigidWorkspace>();
    work.rigid->positions_before.resize(body.particle_count());
    work.rigid->velocities_before.resize(body.particle_count());
}

void start(const BodyModel::Data&, const Mat3d&, BodyState&) {}

/// Impulses on a rigid body, gathered and then carried out at once.
class Impulses {
public:
    Impulses(const RigidSolid& solid, RigidPose& pose)
        : solid_(solid), pose_(pose), inverse_inertia_(pose.inverse_inertia(solid))
    {
    }
    void add(Vec3d impulse, Vec3d arm)
    {
        sum_ += impulse;
        angular_ += cross(arm, impulse);
    }
    /// Change of velocity at an arm along n for each unit of impulse along n there.
    double yields(Vec3d arm) const
    {
        const double turn = dot(arm, arm) * (inverse_inertia_.c0.x + inverse_inertia_.c1.y + inverse_inertia_.c2.z);
        return 1 / solid_.mass + turn;  // no less than along any direction
    }
    void carry_out()
    {
        pose_.velocity += sum_ / solid_.mass;
        pose_.spin += inverse_inertia_ * angular_;
    }

private:
    const RigidSolid& solid_;
    RigidPose& pose_;
    Mat3d inverse_inertia_;
    Vec3d sum_, angular_;
};

void push(const BodyModel::Data& model, const StepInput& input, RigidPose& pose)
{
    const RigidSolid& solid = *model.rigid;
    Impulses impulses(solid, pose);
    const auto act = [&](const Push& push, std::size_t i) {
        const Vec3d force = push.force.as<double>() + push.acceleration.as<double>() * model.masses[i];
        if (is_finite(force)) impulses.add(force * input.dt, pose.turn * solid.offsets[i]);
    };
    for (const Push& each : input.pushes) {
        if (each.particles.empty())
            for (std::size_t i = 0; i < model.masses.size(); ++i) act(each, i);
        for (const std::int32_t i : each.particles)
            if (std::size_t(i) < model.masses.size()) act(each, std::size_t(i));
    }
    impulses.carry_out();
}

/// Springs of soft grips, as stiff at the end of the step as at its start: none overshoots.
void pull(const BodyModel::Data& model, const StepInput& input, RigidPose& pose)
{
    const RigidSolid& solid = *model.rigid;
    const double h = input.dt;
    for (const Grip& grip : input.grips) {
        if (is_hard(grip) || grip.particles.empty()) continue;
        Impulses impulses(solid, pose);
        const double k = double(grip.stiffness), together = double(grip.particles.size());
        for_each_held(grip, solid.offsets.size(), [&](std::size_t i, Vec3 target, Vec3 velocity) {
            const Vec3d arm = pose.turn * solid.offsets[i];
            const Vec3d towards = velocity.as<double>() - (pose.velocity + cross(pose.spin, arm));
            const Vec3d away = target.as<double>() - (pose.center + arm);
            impulses.add((away + towards * h) * (h * k / (1 + h * h * k * together * impulses.yields(arm))), arm);
        });
        impulses.carry_out();
    }
}

/// Pressure of the medium on the particles' triangles, taken by the whole.
void drag_along(const BodyModel& body, const StepInput& input, BodyState& state, Workspace::Data& work, RigidPose& pose)
{
    if (!(input.medium.drag > 0) && (input.medium.is_everywhere() || !(input.medium.density > 0))) return;
    const RigidSolid& solid = *body.data().rigid;
    write_pose(solid, pose, state);
    std::vector<Vec3>& before = work.rigid->velocities_before;
    std::copy(state.velocities.begin(), state.velocities.end(), before.begin());
    apply_medium(body, input, state, work.medium);
    Impulses impulses(solid, pose);
    for (std::size_t i = 0; i < before.size(); ++i)
        impulses.add((state.velocities[i] - before[i]).as<double>() * body.data().masses[i],
                     pose.turn * solid.offsets[i]);
    impulses.carry_out();
}

StepReport step(const BodyModel& body, const BodySettings& settings, const StepInput& input, BodyState& state,
                Workspace::Data& work)
{
    const BodyModel::Data& model = body.data();
    const RigidSolid& solid = *model.rigid;
    RigidWorkspace& own = *work.rigid;
    StepReport report;
    RigidPose pose = pose_of(solid, state, report.repaired_particles);
    const RigidPose before = pose;
    drag_along(body, input, state, work, pose);
    push(model, input, pose);
    pull(model, input, pose);
    pose.velocity += weight_in(input, model).as<double>() * input.dt;
    const double keep = settings.drag > 0 ? 1 / (1 + double(settings.drag) * input.dt) : 1;
    pose.velocity *= keep;
    pose.spin *= keep;
    const RigidPins pins(solid, input.grips);
    if (pins.kind() == RigidPins::Kind::none)
        advance_free(solid, input.dt, pose);
    else
        pins.advance(solid, input.grips, input.dt, input.grip_steps, pose);
    if (!is_finite(pose.center) || !is_finite(pose.velocity) || !is_finite(pose.spin)) {
        pose = {before.center, before.turn, {}, {}};
        report.repaired_particles = int(solid.offsets.size());
    }
    if (input.colliders.empty()) {
        write_pose(solid, pose, state);
        return report;
    }
    write_pose(solid, before, state);
    std::copy(state.positions.begin(), state.positions.end(), own.positions_before.begin());
    std::copy(state.velocities.begin(), state.velocities.end(), own.velocities_before.begin());
    write_pose(solid, pose, state);
    contact::RigidMotion motion = motion_of(solid, before, state, input.grips);
    const contact::ContactBody view{.surface = outside_of(body).get(),
                                    .positions = state.positions,
                                    .velocities = state.velocities,
                                    .positions_before = own.positions_before,
                                    .velocities_before = own.velocities_before,
                                    .inverse_masses = model.inverse_masses,
                                    .settings = settings.contact,
                                    .colliders = input.colliders,
                                    .references = {},
                                    .rigid = &motion};
    report.contact = contact::resolve_rigid(view, input.dt, own.obstacles);
    return report;
}

int slices(const BodyModel::Data&, const BodySettings&, double)
{
    return 1;
}

void carry(const BodyModel::Data&, const BodyState&, const BodyModel::Data&, const TopologyChange&,
           std::span<const std::int32_t>, BodyState&)
{
}

std::vector<float> stiffness(const BodyModel::Data&, const BodyState&)
{
    return {};
}

}  // namespace

const SolidKind kRigidKind{prepare, start, step, nullptr, slices, true, false, carry, stiffness, nullptr};

}  // namespace yawara
