#include "cvg/rounded.h"

#include <algorithm>
#include <cmath>

namespace yawara::cvg {
namespace {

Sample mixed(const Sample& a, const Sample& b, float share)
{
    const auto mix = [&](float x, float y) { return x + (y - x) * share; };
    return {mix(a.opacity, b.opacity), mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.stiffness, b.stiffness)};
}

/// What lies in a fillet: both, each the more the nearer it is.
Sample between(const Shaped& a, const Shaped& b, double radius)
{
    const double of_a = std::max(radius - a.distance, 0.0), of_b = std::max(radius - b.distance, 0.0);
    if (!(of_a + of_b > 0)) return a.distance <= b.distance ? a.near : b.near;
    return mixed(a.near, b.near, float(of_b / (of_a + of_b)));
}

}  // namespace

double rounded_union(double a, double b, double radius)
{
    const double least = std::min(a, b);
    if (std::max(a, b) >= radius) return least;
    return std::max(radius, least) - std::hypot(std::max(radius - a, 0.0), std::max(radius - b, 0.0));
}

Shaped combine(Operator op, double radius, const Shaped& a, const Shaped& b)
{
    Shaped out{combine(op, a.sample, b.sample), a.near, a.distance};
    switch (op) {
        case Operator::unite:
            out.distance = radius > 0 ? rounded_union(a.distance, b.distance, radius) : std::min(a.distance, b.distance);
            out.near = radius > 0 ? between(a, b, radius) : (a.distance <= b.distance ? a.near : b.near);
            if (radius > 0 && a.distance > 0 && b.distance > 0 && out.distance <= 0) out.sample = out.near;
            break;
        case Operator::blend:
            out.distance = std::min(a.distance, b.distance);
            out.near = a.distance <= b.distance ? a.near : b.near;
            break;
        case Operator::intersect:
            out.distance =
                radius > 0 ? -rounded_union(-a.distance, -b.distance, radius) : std::max(a.distance, b.distance);
            out.near = combine(op, a.near, b.near);
            if (radius > 0 && out.distance > 0) out.sample = {};
            break;
        case Operator::subtract:
            out.distance =
                radius > 0 ? -rounded_union(-a.distance, b.distance, radius) : std::max(a.distance, -b.distance);
            // The second one reaches as far as the rounding does.
            if (radius > 0 && b.distance > 0 && out.distance > 0) out.sample = combine(op, a.sample, b.near);
            break;
        case Operator::cap:
        case Operator::trim:
            break;
    }
    return out;
}

}  // namespace yawara::cvg
