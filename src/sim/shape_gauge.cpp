#include "sim/shape_gauge.h"

#include <cmath>

namespace yawara {
namespace {

struct EdgeAndVolume {
    double edge = 0, volume = 0;
};

/// Root mean square edge, and volume. In the precision of the points; sums in double.
template <class T>
EdgeAndVolume edge_and_volume(std::span<const Vec3T<T>> points, std::span<const Int3> triangles)
{
    if (triangles.empty()) return {};
    const Vec3T<T> origin = points[std::size_t(triangles[0][0])];
    double squares = 0, volume = 0;
    for (const Int3& t : triangles) {
        const Vec3T<T> a = points[std::size_t(t[0])];
        const Vec3T<T> ab = points[std::size_t(t[1])] - a, ac = points[std::size_t(t[2])] - a;
        squares += double(dot(ab, ab) + dot(ac, ac) + dot(ac - ab, ac - ab));
        volume += double(dot(a - origin, cross(ab, ac)));
    }
    return {std::sqrt(squares / (3 * double(triangles.size()))), volume / 6};
}

}  // namespace

ShapeGauge::ShapeGauge(std::span<const Vec3d> rest, std::span<const Int3> triangles)
{
    const EdgeAndVolume found = edge_and_volume(rest, triangles);
    edge_ = found.edge;
    volume_ = found.volume;
}

ShapeReport ShapeGauge::measure(std::span<const Vec3> positions, std::span<const Int3> triangles, double dt,
                                const ShapeReport& earlier) const
{
    constexpr float kCollapsed = 0.2f;
    const EdgeAndVolume now = edge_and_volume(positions, triangles);
    ShapeReport report;
    if (edge_ > 0) report.size = float(now.edge / edge_);
    if (volume_ > 0) report.volume = float(now.volume / volume_);
    if (!(report.volume >= kCollapsed)) report.collapsed = earlier.collapsed + float(dt);
    return report;
}

}  // namespace yawara
