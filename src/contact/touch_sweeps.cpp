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

void part(const Touch& touch, Lanes by, Lanes* values)
{
    for (std::size_t k = 0; k < 4; ++k) values[touch.particles[k]] += by * touch.shares[k];
}

}  // namespace

float solve_ways(std::span<Touch> touches, float friction, float& budget, Lanes* ways)
{
    float largest = 0;
    for (Touch& touch : touches) {
        const Lanes n = touch.normal, slip = difference(touch, ways);
        const float along = dot(n, slip), move = std::max(touch.lack - along, -touch.move);
        touch.move += move;
        largest = std::max(largest, std::abs(move));
        budget += friction * move;
        const Lanes wanted = touch.held - (slip - n * along);
        const float length = std::sqrt(dot(wanted, wanted)), used = touch.held_length;
        const float limit = std::max(friction * touch.move, used + std::max(budget, 0.0f));
        const Lanes held = length > limit ? wanted * (limit / length) : wanted;
        touch.held_length = std::min(length, limit);
        budget -= touch.held_length - used;
        const Lanes shift = n * move + (held - touch.held);
        touch.held = held;
        part(touch, shift, ways);
    }
    return largest;
}

void solve_speeds(std::span<const Touch> touches, float friction, float dt, Lanes* speeds)
{
    for (const Touch& touch : touches) {
        if (!(touch.move > 0)) continue;
        const Lanes n = touch.normal, v = difference(touch, speeds);
        const float along = dot(n, v), change = std::max(touch.rebound - along, -touch.move / dt);
        const Lanes across = v - n * along;
        const float speed = std::sqrt(dot(across, across)), most = friction * std::max(change, 0.0f);
        part(touch, n * change - across * (speed > most ? most / speed : 1.0f), speeds);
    }
}

float gap(const Touch& touch, const Lanes* ways)
{
    return touch.goal - touch.lack + dot(touch.normal, difference(touch, ways));
}

}  // namespace yawara::contact
