#include "contact/touch_sweeps.h"

#include <algorithm>
#include <cmath>

namespace yawara::contact {
namespace {

/// Value at the touched point of the one body minus that of the other.
Lanes difference(const Touch& touch, const Lanes* values)
{
    return (values[touch.particles[0]] * touch.weights[0] + values[touch.particles[1]] * touch.weights[1]) +
           (values[touch.particles[2]] * touch.weights[2] + values[touch.particles[3]] * touch.weights[3]);
}

void separate(const Touch& touch, Lanes by, Lanes* values)
{
    for (std::size_t k = 0; k < 4; ++k) values[touch.particles[k]] += by * touch.shares[k];
}

}  // namespace

float solve_displacements(std::span<Touch> touches, float friction, float& budget, Lanes* displacements)
{
    float largest = 0;
    for (Touch& touch : touches) {
        const Lanes n = touch.normal, slip = difference(touch, displacements);
        const float along = dot(n, slip), move = std::max(touch.shortfall - along, -touch.move);
        touch.move += move;
        largest = std::max(largest, std::abs(move));
        budget += friction * move;
        const Lanes wanted = touch.friction_shift - (slip - n * along);
        const float length = std::sqrt(dot(wanted, wanted)), used = touch.friction_length;
        const float limit = std::max(friction * touch.move, used + std::max(budget, 0.0f));
        const Lanes held = length > limit ? wanted * (limit / length) : wanted;
        touch.friction_length = std::min(length, limit);
        budget -= touch.friction_length - used;
        const Lanes shift = n * move + (held - touch.friction_shift);
        touch.friction_shift = held;
        separate(touch, shift, displacements);
    }
    return largest;
}

void solve_velocities(std::span<const Touch> touches, float friction, float dt, Lanes* velocities)
{
    for (const Touch& touch : touches) {
        if (!(touch.move > 0)) continue;
        const Lanes n = touch.normal, v = difference(touch, velocities);
        const float along = dot(n, v), change = std::max(touch.rebound - along, -touch.move / dt);
        const Lanes across = v - n * along;
        const float speed = std::sqrt(dot(across, across)), most = friction * std::max(change, 0.0f);
        separate(touch, n * change - across * (speed > most ? most / speed : 1.0f), velocities);
    }
}

float gap(const Touch& touch, const Lanes* displacements)
{
    return touch.goal - touch.shortfall + dot(touch.normal, difference(touch, displacements));
}

}  // namespace yawara::contact
