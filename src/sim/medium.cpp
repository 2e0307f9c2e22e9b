#include "sim/medium.h"

#include <algorithm>

#include "core/parallel.h"
#include "sim/body_model.h"
#include "yawara/quantities.h"

namespace yawara {

MediumSurface::MediumSurface(const BodyModel& model) : inverse_masses_(model.data().inverse_masses)
{
    std::vector<std::int32_t> particle_of;
    const TriMesh outer = boundary_surface(solid_of(model.domain()), &particle_of);
    matching::Lists corners;
    for (const Int3& t : outer.triangles) {
        triangles_.push_back({particle_of[std::size_t(t[0])], particle_of[std::size_t(t[1])], particle_of[std::size_t(t[2])]});
        for (const std::int32_t v : triangles_.back()) corners.values.push_back(v);
        corners.offsets.push_back(std::int32_t(corners.values.size()));
    }
    triangles_of_ = matching::inverted(corners, model.particle_count());
    impulses_.resize(triangles_.size());
    for (const Int3& t : triangles_) {
        const auto share = [&](std::int32_t v) {
            return model.masses()[std::size_t(v)] / double(triangles_of_[std::size_t(v)].size());
        };
        masses_.push_back(float(3 * std::min({share(t[0]), share(t[1]), share(t[2])})));
    }
}

void MediumSurface::apply(const Medium& medium, float dt, std::span<const Vec3> positions, std::span<Vec3> velocities)
{
    constexpr std::size_t kChunk = 512;
    for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto a = std::size_t(triangles_[k][0]), b = std::size_t(triangles_[k][1]), c = std::size_t(triangles_[k][2]);
            const Vec3 twice_area = cross(positions[b] - positions[a], positions[c] - positions[a]);
            const float size = length(twice_area);
            const Vec3 n = size > 0 ? twice_area / size : Vec3{};
            const Vec3 u = (velocities[a] + velocities[b] + velocities[c]) * (1.0f / 3) - medium.current;
            const float speed = dot(u, n);
            const float rate = dt * medium.drag * 0.5f * size * std::abs(speed);
            const Vec3 third = n * (-speed * rate / (3 * (1 + rate / masses_[k])));
            impulses_[k] = is_finite(third) ? third : Vec3{};
        }
    });
    for_each_chunk(velocities.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Vec3 sum;
            for (const std::int32_t k : triangles_of_[i]) sum += impulses_[std::size_t(k)];
            velocities[i] += sum * inverse_masses_[i];
        }
    });
}

}  // namespace yawara
