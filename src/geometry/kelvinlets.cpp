// Brushes that push a shape as a load pushes an elastic solid without bounds: regularized Kelvinlets, F. de Goes and
// D. L. James, 2017. With r_e = sqrt(r^2 + e^2), a = 1 / (4 pi mu), b = a / (4 (1 - nu)) and a = 1 throughout, since
// every brush is scaled by what it does at its own place.
#include <algorithm>
#include <cmath>

#include "yawara/posing.h"

namespace yawara {
namespace {

constexpr double kIncompressible = 0.5;  // b, at nu = 1/2; a bulge has the same form for every other nu
constexpr double kWider = 1.5;           // radius of the load that is taken off a grab, so that it fades quickly
constexpr double kStep = 0.1;            // share of the radius, rad or strain at once

/// Displacement by a force f (their eq. 6).
Vec3d by_force(Vec3d r, Vec3d f, double e)
{
    const double b = kIncompressible, re = std::sqrt(dot(r, r) + e * e), re3 = re * re * re;
    return f * ((1 - b) / re + e * e / (2 * re3)) + r * (b * dot(r, f) / re3);
}

/// What twists and bulges have in common (their eqs. 14 and 15).
double whirl(Vec3d r, double e)
{
    const double re2 = dot(r, r) + e * e, re = std::sqrt(re2);
    return 1 / (re2 * re) + 1.5 * e * e / (re2 * re2 * re);
}

Vec3d grab(Vec3d r, Vec3d by, double e)
{
    // Of two loads that differ in radius alone the long-range parts cancel (their section 5).
    const auto apart = [&](Vec3d at) { return by_force(at, by, e) - by_force(at, by, kWider * e); };
    const double at_home = (1.5 - kIncompressible) * (1 / e - 1 / (kWider * e));
    return apart(r) / at_home;
}

/// Of a strain F = diag(-1, 1/2, 1/2) whose first axis is `along` (their eq. 16).
Vec3d pinch(Vec3d r, Vec3d along, double e)
{
    const double b = kIncompressible, re2 = dot(r, r) + e * e, re = std::sqrt(re2);
    const double re3 = re2 * re, re5 = re3 * re2;
    const Vec3d Fr = r * 0.5 - along * (1.5 * dot(along, r));
    const Vec3d u = Fr * ((2 * b - 1) / re3) - (r * (2 * b * dot(r, Fr)) + Fr * (e * e)) * (1.5 / re5);
    return u * (e * e * e / -1.5);
}

Vec3d unit(Vec3d v)
{
    const double l = length(v);
    return l > 0 ? v / l : Vec3d{0, 1, 0};
}

/// How much there is to do, in units that one step may have `kStep` of.
double extent(const PoseTouch& touch)
{
    switch (touch.brush) {
        case PoseTouch::Brush::grab: return length(touch.by) / touch.radius;
        case PoseTouch::Brush::twist: return length(touch.by);
        default: return std::abs(touch.amount);
    }
}

}  // namespace

Vec3d kelvinlet(const PoseTouch& touch, Vec3d point)
{
    const Vec3d r = point - touch.at;
    const double e = touch.radius;
    switch (touch.brush) {
        case PoseTouch::Brush::grab: return grab(r, touch.by, e);
        case PoseTouch::Brush::twist: return cross(touch.by, r) * (whirl(r, e) * e * e * e / 2.5);
        case PoseTouch::Brush::bulge: return r * (touch.amount * whirl(r, e) * e * e * e / 2.5);
        case PoseTouch::Brush::pinch: return pinch(r, unit(touch.by), e) * touch.amount;
    }
    return {};
}

Result<std::vector<Vec3d>> touched(std::vector<Vec3d> points, std::span<const PoseTouch> touches)
{
    for (std::size_t k = 0; k < touches.size(); ++k) {
        const PoseTouch& touch = touches[k];
        if (!(touch.radius > 0))
            return Error{"touches[" + std::to_string(k) + "].radius", "is not above 0"};
        const int steps = std::clamp(int(std::ceil(extent(touch) / kStep)), 1, 1000);
        PoseTouch part = touch;
        part.by = touch.brush == PoseTouch::Brush::pinch ? touch.by : touch.by / steps;
        part.amount = touch.amount / steps;
        for (int step = 0; step < steps; ++step) {
            // Half a step to find the slope: points far in a twist would drift out of their circles otherwise.
            for (Vec3d& p : points) {
                const Vec3d half = p + kelvinlet(part, p) * 0.5;
                PoseTouch middle = part;
                if (touch.brush == PoseTouch::Brush::grab) middle.at += part.by * 0.5;
                p += kelvinlet(middle, half);
            }
            if (touch.brush == PoseTouch::Brush::grab) part.at += part.by;
        }
    }
    return points;
}

}  // namespace yawara
