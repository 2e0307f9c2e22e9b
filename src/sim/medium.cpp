#include "sim/medium.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "sim/body_model.h"
#include "yawara/quantities.h"

namespace yawara {

Vec3 weight_in(const StepInput& input, const BodyModel::Data& model)
{
    return input.gravity * float(1 - double(input.medium.density) * model.volume / model.total_mass);
}

namespace {

constexpr std::size_t kChunk = 512;

/// (1 + s^4)^-1/4, for any s that is not negative.
float limited(float s)
{
    const float t = std::min(s, 1 / s), t4 = t * t * t * t;
    return (s > 1 ? t : 1.0f) / std::sqrt(std::sqrt(1 + t4));
}

}  // namespace

MediumSurface::MediumSurface(const BodyModel& model) : inverse_masses_(model.data().inverse_masses)
{
    std::vector<std::int32_t> particle_of;
    const TriMesh outer = boundary_surface(solid_of(model.domain()), &particle_of);
    matching::Lists corners;
    for (const Int3& t : outer.triangles) {
        triangles_.push_back(
            {particle_of[std::size_t(t[0])], particle_of[std::size_t(t[1])], particle_of[std::size_t(t[2])]});
        for (const std::int32_t v : triangles_.back()) corners.values.push_back(v);
        corners.offsets.push_back(std::int32_t(corners.values.size()));
    }
    triangles_of_ = matching::inverted(corners, model.particle_count());
    rates_.resize(triangles_.size());
    impulses_.resize(triangles_.size());
    shares_.resize(model.particle_count());
}

void MediumSurface::apply(const Medium& medium, float dt, std::span<const Vec3> positions, std::span<Vec3> velocities)
{
    for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto a = std::size_t(triangles_[k][0]), b = std::size_t(triangles_[k][1]),
                       c = std::size_t(triangles_[k][2]);
            const Vec3 twice_area = cross(positions[b] - positions[a], positions[c] - positions[a]);
            const float size = length(twice_area);
            const Vec3 n = size > 0 ? twice_area / size : Vec3{};
            const Vec3 u = (velocities[a] + velocities[b] + velocities[c]) * (1.0f / 3) - medium.current;
            const float speed = dot(u, n);
            const float rate = dt * medium.drag * 0.5f * size * std::abs(speed);
            const Vec3 third = n * (-speed * rate / 3);
            const bool sound = is_finite(third) && std::isfinite(rate);
            impulses_[k] = sound ? third : Vec3{};
            rates_[k] = sound ? rate : 0;
        }
    });
    for_each_chunk(velocities.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (triangles_of_[i].empty()) continue;
            float sum = 0;
            for (const std::int32_t k : triangles_of_[i]) sum += rates_[std::size_t(k)];
            shares_[i] = limited(sum * inverse_masses_[i] / 3);
        }
    });
    for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto [a, b, c] = triangles_[k];
            impulses_[k] *= std::min({shares_[std::size_t(a)], shares_[std::size_t(b)], shares_[std::size_t(c)]});
        }
    });
    for_each_chunk(velocities.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (triangles_of_[i].empty()) continue;
            Vec3 sum;
            for (const std::int32_t k : triangles_of_[i]) sum += impulses_[std::size_t(k)];
            velocities[i] += sum * inverse_masses_[i];
        }
    });
}

}  // namespace yawara
