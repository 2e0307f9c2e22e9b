// Grips, pushes and stiffness as functions of time; Scene::step (sim/scene.cpp) applies the scripts before every step.
#include "yawara/script.h"

#include <algorithm>

namespace yawara {
namespace {

/// Clocks that add up steps are a little off the times people write: this share of a step is forgiven.
constexpr double kClockSlack = 1e-3;

Grip grip_at_start(std::span<const std::int32_t> particles, std::span<const Vec3> start)
{
    Grip grip;
    grip.particles.assign(particles.begin(), particles.end());
    for (const std::int32_t i : particles) grip.targets.push_back(start[std::size_t(i)]);
    return grip;
}

}  // namespace

void Script::add_pin(std::span<const std::int32_t> particles, std::span<const Vec3> start)
{
    grips_.push_back(grip_at_start(particles, start));
}

void Script::add_handle(const HandleMotion& motion, std::span<const std::int32_t> particles,
                        std::span<const Vec3> start)
{
    Grip grip = grip_at_start(particles, start);
    grip.target_velocities.resize(particles.size());
    grip.stiffness = float(motion.stiffness);
    std::vector<Vec3d> places;
    Vec3d centre;
    for (const Vec3& p : grip.targets) {
        places.push_back(p.as<double>());
        centre += places.back() / double(particles.size());
    }
    handles_.push_back(
        {grips_.size(), grip.particles, std::move(places), Path(motion.keys, motion.smooth, centre), motion.release});
    grips_.push_back(std::move(grip));
}

void Script::add_force(const ForcePlan& force, std::span<const std::int32_t> particles)
{
    pushes_.push_back({{particles.begin(), particles.end()}, {}, {}});
    forces_.push_back(force);
}

void Script::apply(double begin, double end, std::vector<Grip>& grips, std::vector<Push>& pushes) const
{
    grips.resize(grips_.size());
    pushes.resize(pushes_.size());
    std::copy(grips_.begin(), grips_.end(), grips.begin());
    std::copy(pushes_.begin(), pushes_.end(), pushes.begin());
    const double step = end - begin;
    for (const Handle& handle : handles_) {
        Grip& grip = grips[handle.grip];
        const bool holds = begin + kClockSlack * step < handle.release;
        const std::size_t count = holds ? handle.particles.size() : 0;
        grip.particles.resize(count);
        grip.targets.resize(count);
        grip.target_velocities.resize(count);
        if (!holds) continue;
        const Placement before = handle.path.at(begin), after = handle.path.at(end);
        for (std::size_t k = 0; k < count; ++k) {
            const Vec3d target = after(handle.start[k]);
            grip.targets[k] = target.as<float>();
            grip.target_velocities[k] = ((target - before(handle.start[k])) / step).as<float>();
        }
    }
    for (std::size_t k = 0; k < forces_.size(); ++k) {
        // A force that begins or ends within the step acts with the share of it, so that its impulse is right.
        const ForcePlan& force = forces_[k];
        const double share = std::clamp((std::min(end, force.until) - std::max(begin, force.from)) / step, 0.0, 1.0);
        pushes[k].force = force.force * float(share);
        pushes[k].acceleration = force.acceleration * float(share);
    }
}

void Script::apply_stiffness(double time, std::span<const float> built, std::vector<float>& stiffness) const
{
    if (changes_.empty()) return;
    stiffness.assign(built.begin(), built.end());
    for (const StiffnessChange& change : changes_) {
        if (time < change.from) continue;
        const float share = time >= change.until ? 1.0f : float((time - change.from) / (change.until - change.from));
        for (const std::int32_t i : change.particles) {
            if (std::size_t(i) >= stiffness.size()) continue;
            float& s = stiffness[std::size_t(i)];
            s += (change.value - s) * share;
        }
    }
}

void Script::apply_controls(double time, std::span<float> controls) const
{
    for (const Control& led : controls_) {
        if (led.control >= controls.size()) continue;
        const auto after = std::ranges::upper_bound(led.keys, time, {}, &ControlKey::time);
        float& value = controls[led.control];
        if (after == led.keys.begin()) {
            value = after->value;
        } else if (after == led.keys.end()) {
            value = led.keys.back().value;
        } else {
            const ControlKey& before = *(after - 1);
            value = before.value + (after->value - before.value) * float((time - before.time) / (after->time - before.time));
        }
    }
}

Script Script::carried(const TopologyChange& change) const
{
    Script next = *this;
    for (Grip& grip : next.grips_) grip = carry_grip(grip, change);
    for (Push& push : next.pushes_) push = carry_push(push, change);
    for (Handle& handle : next.handles_) {
        std::vector<std::size_t> from;
        handle.particles = carry_particles(handle.particles, change, &from);
        std::vector<Vec3d> start;
        for (const std::size_t k : from) start.push_back(handle.start[k]);
        handle.start = std::move(start);
    }
    for (StiffnessChange& stiffness : next.changes_) stiffness.particles = carry_particles(stiffness.particles, change);
    return next;
}

}  // namespace yawara
