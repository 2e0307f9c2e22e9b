// Blows by obstacles. Without them all particles of a small, fast body would be behind a floor before any of them knew
// of it: all would be put on the floor, the body would be flat, and where it unfolds inside out it would stay so.
#include "sim/obstacle_blows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "contact/meeting.h"
#include "core/grips.h"

namespace yawara {
namespace {

/// Shares of its size. What would be pushed in further than the first in a step may not come back (from about 0.8 on
/// many did not, from 0.25 on none was lost but some grew for a moment); it is pushed in by the second.
constexpr double kTooFar = 0.4, kAnswered = 0.15;
/// Particles that are asked first whether the body is fast at all.
constexpr std::size_t kAsked = 8;

/// The edge of a cube of as many particles, m.
double size_of(const BodyModel::Data& model, std::size_t particles)
{
    return model.spacing * std::cbrt(double(particles));
}

/// How far any obstacle goes in the step, m, where the body is.
double obstacle_travel(std::span<const Collider> colliders, const BodyState& state)
{
    const auto moves = [](const Collider& c) { return c.motion && c.motion->moves(); };
    if (std::none_of(colliders.begin(), colliders.end(), moves)) return 0;
    Box3 box;
    for (const Vec3& p : state.positions) box.add(p.as<double>());
    double most = 0;
    for (const Collider& c : colliders)
        if (moves(c)) most = std::max(most, contact::travel(c, box));
    return most;
}

/// Whether any of a few particles moves so far in a step, seen from obstacles, that its part may have to be looked at.
bool may_be_fast(const BodyModel::Data& model, const StepInput& input, Vec3 fall, const BodyState& state)
{
    const double travel = obstacle_travel(input.colliders, state);
    const auto goes_far = [&](std::size_t i, std::size_t particles) {
        const double way = 2 * input.dt * double(length(state.velocities[i] + fall)) + travel;
        return way > kTooFar * size_of(model, particles);
    };
    const std::size_t count = state.velocities.size();
    for (std::size_t k = 0; k < kAsked; ++k)
        if (goes_far(k * (count - 1) / (kAsked - 1), count)) return true;
    for (std::size_t k = 0; k < model.parts.size(); ++k) {
        const std::span<const std::int32_t> part = model.parts[k];
        if (!part.empty() && goes_far(std::size_t(part[part.size() / 2]), part.size())) return true;
    }
    return false;
}

/// The particles of one part, or of a body that is in one.
struct Part {
    std::span<const std::int32_t> some;
    std::size_t count;

    std::size_t size() const { return count; }
    std::size_t operator[](std::size_t k) const { return some.empty() ? k : std::size_t(some[k]); }
};

/// Where a part that goes straight on touches first.
struct FirstTouch {
    double share = 1;        ///< of the step before it
    Vec3d normal, obstacle;  ///< away from the obstacle; velocity of the obstacle, m/s
    const Collider* collider = nullptr;
};

FirstTouch first_touch(const Part& part, std::span<const Collider> colliders, const BodyState& state, Vec3d way)
{
    Box3 box;
    for (std::size_t k = 0; k < part.size(); ++k) {
        const Vec3d x = state.positions[part[k]].as<double>();
        box.add(x);
        box.add(x + way);
    }
    FirstTouch first;
    for (const Collider& collider : colliders) {
        if (contact::is_clear_of(collider, box)) continue;
        for (std::size_t k = 0; k < part.size(); ++k) {
            const Vec3 x = state.positions[part[k]];
            const Vec3 after = (x.as<double>() + way).as<float>();
            const contact::Meeting met = contact::meet(collider, x, after);
            const double deeper = -dot(met.normal, after.as<double>() - met.relative.start.as<double>());
            if (!(met.distance < 0) || !(deeper > 0)) continue;
            const double share = std::max(1 + met.distance / deeper, 0.0);
            if (share < first.share || !first.collider) first = {share, met.normal, met.relative.velocity, &collider};
        }
    }
    return first;
}

/// The velocity behind the blow of what had velocity v seen from the obstacle: so much is left of its approach that
/// contact can do the rest, and friction takes its share of what is along the surface.
Vec3d struck(Vec3d v, const FirstTouch& touch, double answered)
{
    const double closing = -dot(touch.normal, v);
    const double away = double(touch.collider->restitution) * (closing + answered) - answered;
    const Vec3d along = v + touch.normal * closing;
    const double speed = length(along), taken = double(touch.collider->friction) * (closing + away);
    return touch.normal * away + along * (speed > taken ? 1 - taken / speed : 0.0);
}

/// Gives one part its blow, if any. Returns the momentum that it got.
std::optional<Vec3d> strike(const Part& part, const BodyModel::Data& model, const StepInput& input, Vec3 fall,
                            float keep, BodyState& state)
{
    Vec3d sum;
    double mass = 0;
    for (std::size_t k = 0; k < part.size(); ++k) {
        sum += state.velocities[part[k]].as<double>() * model.masses[part[k]];
        mass += model.masses[part[k]];
    }
    const double size = size_of(model, part.size()), answered = kAnswered * size / input.dt;  // m/s
    const Vec3d v = (sum / mass + fall.as<double>()) * double(keep);
    if (!is_finite(v)) return {};
    const FirstTouch touch = first_touch(part, input.colliders, state, v * input.dt);
    if (!touch.collider) return {};
    const Vec3d seen = v - touch.obstacle;
    if (!(-dot(touch.normal, seen) * input.dt > kTooFar * size)) return {};
    const Vec3d change = (struck(seen, touch, answered) - seen) / double(keep);
    const Vec3 shift = (seen * (input.dt * touch.share)).as<float>(), gain = change.as<float>();
    for (std::size_t k = 0; k < part.size(); ++k) {
        state.positions[part[k]] += shift;
        state.velocities[part[k]] += gain;
    }
    return change * mass;
}

}  // namespace

std::optional<Vec3d> take_obstacle_blows(const BodyModel::Data& model, const StepInput& input, Vec3 fall, float keep,
                                         BodyState& state)
{
    if (input.colliders.empty() || state.velocities.empty()) return {};
    if (!may_be_fast(model, input, fall, state)) return {};
    if (std::any_of(input.grips.begin(), input.grips.end(), is_hard)) return {};
    if (model.parts.size() < 2) return strike({{}, state.velocities.size()}, model, input, fall, keep, state);
    std::optional<Vec3d> given;
    for (std::size_t k = 0; k < model.parts.size(); ++k) {
        const std::span<const std::int32_t> part = model.parts[k];
        if (part.empty()) continue;
        if (const auto momentum = strike({part, part.size()}, model, input, fall, keep, state))
            given = given.value_or(Vec3d{}) + *momentum;
    }
    return given;
}

}  // namespace yawara
