#include "sim/door.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/body_model.h"
#include "sim/solid_kind.h"

namespace yawara {
namespace {

template <class Number>
int mend_number(Number& number, Number instead)
{
    if (std::isfinite(number)) return 0;
    number = instead;
    return 1;
}

}  // namespace

StateSizes::StateSizes(const BodyState& state)
    : particles(state.positions.size() == state.velocities.size() ? state.positions.size() : std::size_t(-1)),
      rotations(state.matching.rotations.size()),
      stiffness(state.matching.stiffness.size()),
      controls(state.matching.controls.size()),
      heard(state.matching.heard.size()),
      kept(state.matching.kept.size()),
      accelerations(state.fem.accelerations.size()),
      front(state.fem.front.size()),
      plastic(state.fem.plastic.size()),
      shear(state.fem.shear.size())
{
}

int fit_state(const BodyModel& model, const StateSizes& sizes, BodyState& state)
{
    const StateSizes now(state);
    if (now == sizes) return 0;
    const std::size_t longest = std::max(state.positions.size(), state.velocities.size());
    constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
    state.positions.resize(sizes.particles, {kUnknown, kUnknown, kUnknown});
    state.velocities.resize(sizes.particles);
    if (now.rotations != sizes.rotations || now.stiffness != sizes.stiffness || now.controls != sizes.controls ||
        now.heard != sizes.heard || now.kept != sizes.kept ||
        now.accelerations != sizes.accelerations || now.front != sizes.front || now.plastic != sizes.plastic ||
        now.shear != sizes.shear) {
        BodyState fresh;
        fresh.positions.resize(sizes.particles);
        fresh.velocities.resize(sizes.particles);
        kind_of(model).start(model.data(), {}, fresh);
        state.matching = std::move(fresh.matching);
        state.fem = std::move(fresh.fem);
    }
    return int(longest - std::min(longest, sizes.particles));
}

int mend(BodySettings& settings)
{
    const BodySettings good;
    MatchingSettings& matching = settings.matching;
    int count = mend_number(settings.drag, good.drag);
    count += mend_number(matching.alpha, good.matching.alpha);
    count += mend_number(matching.beta, good.matching.beta);
    count += mend_number(matching.young, good.matching.young);
    count += mend_number(matching.damping, good.matching.damping);
    count += mend_number(matching.region_damping, good.matching.region_damping);
    count += mend_number(matching.time_offset, good.matching.time_offset);
    count += mend_number(settings.contact.friction, good.contact.friction);
    count += mend_number(settings.contact.restitution, good.contact.restitution);
    count += mend_number(settings.contact.thickness, good.contact.thickness);
    count += mend_number(settings.fem.tolerance, good.fem.tolerance);
    count += mend_number(settings.fem.hysteresis, good.fem.hysteresis);
    count += mend_number(settings.fem.safety, good.fem.safety);
    return count;
}

int mend(Vec3& gravity, Medium& medium)
{
    const Medium good;
    int count = mend_number(medium.drag, good.drag) + mend_number(medium.density, good.density);
    if (medium.level && !std::isfinite(*medium.level)) {
        medium.level.reset();
        medium.density = 0;  // rather than everywhere
        ++count;
    }
    if (medium.box && !(is_finite(medium.box->low) && is_finite(medium.box->high))) {
        medium.box.reset();
        medium.density = 0;
        ++count;
    }
    for (Vec3* const v : {&gravity, &medium.current}) {
        if (is_finite(*v)) continue;
        *v = {};
        ++count;
    }
    return count;
}

bool is_step(double dt)
{
    return dt > 0 && std::isfinite(dt);
}

}  // namespace yawara
