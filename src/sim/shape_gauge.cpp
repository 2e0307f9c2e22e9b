#include "sim/shape_gauge.h"

#include <cmath>

namespace yawara {
namespace {

struct SizeAndVolume {
    double size = 0, volume = 0;
};

/// In the precision of the points; sums in double.
template <class T>
SizeAndVolume size_and_volume(std::span<const Vec3T<T>> points, std::span<const double> masses,
                              std::span<const Int3> triangles)
{
    if (points.empty()) return {};
    double mass = 0, squares = 0, volume = 0;
    Vec3d first;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3d p = (points[i] - points[0]).template as<double>();
        mass += masses[i];
        first += p * masses[i];
        squares += dot(p, p) * masses[i];
    }
    const Vec3d center = first / mass;
    const Vec3T<T> middle = points[0] + center.as<T>();
    for (const Int3& t : triangles) {
        const Vec3T<T> a = points[std::size_t(t[0])];
        volume += double(dot(a - middle, cross(points[std::size_t(t[1])] - a, points[std::size_t(t[2])] - a)));
    }
    return {std::sqrt(std::max(squares / mass - dot(center, center), 0.0)), volume / 6};
}

}  // namespace

ShapeGauge::ShapeGauge(std::span<const Vec3d> rest, std::span<const double> masses, std::span<const Int3> triangles)
{
    const SizeAndVolume found = size_and_volume(rest, masses, triangles);
    size_ = found.size;
    volume_ = found.volume;
}

ShapeReport ShapeGauge::measure(std::span<const Vec3> positions, std::span<const double> masses,
                                std::span<const Int3> triangles, double dt, const ShapeReport& earlier) const
{
    constexpr float kCollapsed = 0.2f;
    const SizeAndVolume now = size_and_volume(positions, masses, triangles);
    ShapeReport report;
    if (size_ > 0) report.size = float(now.size / size_);
    if (volume_ > 0) report.volume = float(now.volume / volume_);
    if (!(report.volume >= kCollapsed)) report.collapsed = earlier.collapsed + float(dt);
    return report;
}

}  // namespace yawara
