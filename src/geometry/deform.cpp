#include "yawara/deform.h"

#include "yawara/mesh.h"

#include <algorithm>
#include <cmath>

namespace yawara {
namespace {

/// Coordinates along the axis and across it: u, v, w is right-handed.
struct AxisFrame {
    int u, v, w;
    Vec3d middle;
    double low, high;  ///< of the range, along u

    AxisFrame(const Box3& box, int axis, int towards, DeformRange range)
        : u(axis), v(towards == axis ? (axis + 1) % 3 : towards), w(3 - u - v), middle(box.center())
    {
        const double length = box.size()[axis];
        low = box.low[axis] + range.from * length;
        high = box.low[axis] + range.to * length;
    }
    /// 0 before the range, 1 behind it.
    double share(double along) const
    {
        return high > low ? std::clamp((along - low) / (high - low), 0.0, 1.0) : along > low ? 1.0 : 0.0;
    }
};

Vec3d act(const Twist& twist, const Box3& box, Vec3d p)
{
    const AxisFrame f(box, twist.axis, (twist.axis + 1) % 3, twist.range);
    const double angle = twist.angle * f.share(p[f.u]), c = std::cos(angle), s = std::sin(angle);
    const double a = p[f.v] - f.middle[f.v], b = p[f.w] - f.middle[f.w];
    p[f.v] = f.middle[f.v] + c * a - s * b;
    p[f.w] = f.middle[f.w] + s * a + c * b;
    return p;
}

Vec3d act(const Bend& bend, const Box3& box, Vec3d p)
{
    const AxisFrame f(box, bend.axis, bend.towards, bend.range);
    const double length = f.high - f.low;
    if (!(length > 0) || bend.angle == 0) return p;
    // The axis keeps its length; what is off it turns with it.
    const double radius = length / bend.angle, angle = bend.angle * f.share(p[f.u]);
    const double beyond = p[f.u] < f.low ? p[f.u] - f.low : p[f.u] > f.high ? p[f.u] - f.high : 0;
    const double across = p[f.v] - f.middle[f.v];
    const double c = std::cos(angle), s = std::sin(angle);
    p[f.u] = f.low + (radius - across) * s + beyond * c;
    p[f.v] = f.middle[f.v] + radius - (radius - across) * c + beyond * s;
    return p;
}

Vec3d act(const Taper& taper, const Box3& box, Vec3d p)
{
    const AxisFrame f(box, taper.axis, (taper.axis + 1) % 3, taper.range);
    const double scale = 1 + (taper.factor - 1) * f.share(p[f.u]);
    for (const int k : {f.v, f.w}) p[k] = f.middle[k] + scale * (p[k] - f.middle[k]);
    return p;
}

Vec3d act(const Stretch& stretch, const Box3& box, Vec3d p)
{
    const AxisFrame f(box, stretch.axis, (stretch.axis + 1) % 3, stretch.range);
    const double across = stretch.keep_volume ? 1 / std::sqrt(stretch.factor) : 1;
    const double inside = std::clamp(p[f.u], f.low, std::max(f.low, f.high));
    const bool in_range = inside == p[f.u];
    p[f.u] += (stretch.factor - 1) * (inside - f.low);
    if (in_range)
        for (const int k : {f.v, f.w}) p[k] = f.middle[k] + across * (p[k] - f.middle[k]);
    return p;
}

Vec3d act(const Shear& shear, const Box3& box, Vec3d p)
{
    const AxisFrame f(box, shear.axis, shear.towards, shear.range);
    p[f.v] += shear.amount * (f.high - f.low) * f.share(p[f.u]);
    return p;
}

}  // namespace

std::vector<Vec3d> deformed(std::span<const Vec3d> points, std::span<const Deformer> deformers)
{
    std::vector<Vec3d> out(points.begin(), points.end());
    for (const Deformer& deformer : deformers) {
        const Box3 box = bounds(out);
        std::visit(
            [&](const auto& d) {
                for (Vec3d& p : out) p = act(d, box, p);
            },
            deformer);
    }
    return out;
}

}  // namespace yawara
