#include "sim/shape_gauge.h"

#include <algorithm>
#include <cmath>

namespace yawara {
namespace {

struct EdgeAndVolume {
    double edge = 0, volume = 0;
};

template <class T>
struct FourOf;
template <>
struct FourOf<float> {
    using Type = float __attribute__((vector_size(16)));
};
template <>
struct FourOf<double> {
    using Type = double __attribute__((vector_size(32)));
};

/// Root mean square edge, and volume. Four numbers at a time, in the precision of the points; few triangles are summed
/// in it, their sums in double.
template <class T>
EdgeAndVolume edge_and_volume(std::span<const Vec3T<T>> points, std::span<const Int3> triangles)
{
    if (triangles.empty()) return {};
    using Four = typename FourOf<T>::Type;
    constexpr std::size_t kFew = 64;
    const Vec3T<T> start = points[std::size_t(triangles[0][0])];
    const Four origin{start.x, start.y, start.z, 0};
    double squares = 0, volume = 0;
    for (std::size_t first = 0; first < triangles.size(); first += kFew) {
        Four edges{}, volumes{};
        for (const Int3& t : triangles.subspan(first, std::min(kFew, triangles.size() - first))) {
            const Vec3T<T>&p = points[std::size_t(t[0])], &q = points[std::size_t(t[1])],
                  &r = points[std::size_t(t[2])];
            const Four a{p.x, p.y, p.z, 0}, b{q.x, q.y, q.z, 0}, c{r.x, r.y, r.z, 0};
            const Four ab = b - a, ac = c - a, bc = c - b;
            const Four ab_next = __builtin_shufflevector(ab, ab, 1, 2, 0, 3),
                       ac_next = __builtin_shufflevector(ac, ac, 1, 2, 0, 3);
            const Four cross = ab * ac_next - ab_next * ac;  // z, x, y
            edges += ab * ab + ac * ac + bc * bc;
            volumes += (a - origin) * __builtin_shufflevector(cross, cross, 1, 2, 0, 3);
        }
        squares += double(edges[0]) + double(edges[1]) + double(edges[2]);
        volume += double(volumes[0]) + double(volumes[1]) + double(volumes[2]);
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
