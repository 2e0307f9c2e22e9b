// Marching tetrahedra: a plane cuts a tet in nothing, a triangle or a quadrangle.
#include "stream/cut.h"

#include <array>
#include <tuple>
#include <utility>

namespace yawara::stream {

void cut_tets(std::span<const Int4> tets, std::span<const Vec3> particles, std::span<const float> values,
              const CutPlane& plane, Section3& out, std::span<const Vec3> rests)
{
    out.points.clear();
    out.values.clear();
    out.rests.clear();
    std::vector<float> height(particles.size());
    for (std::size_t k = 0; k < particles.size(); ++k) height[k] = dot(particles[k] - plane.point, plane.normal);

    const auto add = [&](std::int32_t a, std::int32_t b) {
        const auto i = std::size_t(a), j = std::size_t(b);
        const float share = height[i] / (height[i] - height[j]);
        out.points.push_back(particles[i] + (particles[j] - particles[i]) * share);
        if (!values.empty()) out.values.push_back(values[i] + (values[j] - values[i]) * share);
        if (!rests.empty()) out.rests.push_back(rests[i] + (rests[j] - rests[i]) * share);
    };
    for (const Int4& tet : tets) {
        std::array<std::int32_t, 4> above{}, below{};
        std::size_t over = 0, under = 0;
        for (const std::int32_t v : tet) (height[std::size_t(v)] > 0 ? above[over++] : below[under++]) = v;
        if (over == 0 || over == 4) continue;
        const std::size_t first = out.points.size();
        if (over == 2) {
            add(above[0], below[0]), add(above[0], below[1]), add(above[1], below[1]);
            add(above[0], below[0]), add(above[1], below[1]), add(above[1], below[0]);
        } else {
            const auto& [lone, others] = over == 1 ? std::tie(above, below) : std::tie(below, above);
            for (std::size_t k = 0; k < 3; ++k) add(lone[0], others[k]);
        }
        for (std::size_t k = first; k < out.points.size(); k += 3) {
            const Vec3 n = cross(out.points[k + 1] - out.points[k], out.points[k + 2] - out.points[k]);
            if (dot(n, plane.normal) >= 0) continue;
            std::swap(out.points[k + 1], out.points[k + 2]);
            if (!values.empty()) std::swap(out.values[k + 1], out.values[k + 2]);
            if (!rests.empty()) std::swap(out.rests[k + 1], out.rests[k + 2]);
        }
    }
}

}  // namespace yawara::stream
