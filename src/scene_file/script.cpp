// Grips and pushes as functions of time alone, so that a run continued from a saved state needs nothing but the clock.
#include "scene_file/script.h"

#include <algorithm>
#include <limits>

namespace yawara::scene_file {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
/// Clocks that add up steps are a little off the times people write: this share of a step is forgiven.
constexpr double kClockSlack = 1e-3;

Grip grip_at_start(std::span<const std::int32_t> particles, std::span<const Vec3> start)
{
    Grip grip;
    grip.particles.assign(particles.begin(), particles.end());
    for (const std::int32_t i : particles) grip.targets.push_back(start[static_cast<std::size_t>(i)]);
    return grip;
}

}  // namespace

void BodyScript::add_pin(std::span<const std::int32_t> particles, std::span<const Vec3> start)
{
    grips_.push_back(grip_at_start(particles, start));
}

void BodyScript::add_handle(const HandleDocument& handle, std::span<const std::int32_t> particles,
                            std::span<const Vec3> start)
{
    Grip grip = grip_at_start(particles, start);
    grip.target_velocities.resize(particles.size());
    grip.stiffness = static_cast<float>(handle.stiffness);
    std::vector<Vec3d> places;
    Vec3d centre;
    for (const Vec3& p : grip.targets) {
        places.push_back(p.as<double>());
        centre += places.back() / static_cast<double>(particles.size());
    }
    handles_.push_back({grips_.size(), grip.particles, std::move(places),
                        HandlePath(handle.path, handle.smooth, centre), handle.release.value_or(kForever)});
    grips_.push_back(std::move(grip));
}

void BodyScript::add_force(const ForceDocument& force, std::span<const std::int32_t> particles)
{
    Push push;
    if (!std::holds_alternative<SelectEverything>(force.select.kind))
        push.particles.assign(particles.begin(), particles.end());
    pushes_.push_back(std::move(push));
    forces_.push_back(
        {force.force.as<float>(), force.acceleration.as<float>(), force.from, force.until.value_or(kForever)});
}

void BodyScript::install(std::vector<Grip>& grips, std::vector<Push>& pushes) const
{
    grips = grips_;
    pushes = pushes_;
}

void BodyScript::apply(double begin, double end, std::span<Grip> grips, std::span<Push> pushes) const
{
    const double step = end - begin;
    for (const Handle& handle : handles_) {
        Grip& grip = grips[handle.grip];
        const bool holds = begin + kClockSlack * step < handle.release;
        const std::size_t count = holds ? handle.particles.size() : 0;
        grip.particles.assign(handle.particles.begin(), handle.particles.begin() + static_cast<std::ptrdiff_t>(count));
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
        const Force& force = forces_[k];
        const double share = std::clamp((std::min(end, force.until) - std::max(begin, force.from)) / step, 0.0, 1.0);
        pushes[k].force = force.force * static_cast<float>(share);
        pushes[k].acceleration = force.acceleration * static_cast<float>(share);
    }
}

}  // namespace yawara::scene_file
