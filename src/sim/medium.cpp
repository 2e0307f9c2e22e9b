#include "sim/medium.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "sim/body_model.h"
#include "sim/medium_kernels.h"
#include "yawara/quantities.h"

namespace yawara {

Vec3 weight_in(const StepInput& input, const BodyModel::Data& model)
{
    if (!input.medium.is_everywhere()) return input.gravity;
    return input.gravity * float(1 - double(input.medium.density) * model.volume / model.total_mass);
}

namespace {

constexpr std::size_t kChunk = 512;

/// Integrals of depth times each of the three weights over the part of a triangle that is below the surface, for an
/// area of 1; depths between the corners are linear.
std::array<float, 3> wet_moments(const std::array<float, 3>& depth)
{
    using Weights = std::array<float, 3>;
    std::array<Weights, 4> corner;  // of the part that is below
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        Weights here{}, between{};
        here[k] = 1;
        if (depth[k] > 0) corner[count++] = here;
        if ((depth[k] > 0) == (depth[next] > 0)) continue;
        const float share = depth[k] / (depth[k] - depth[next]);
        between[k] = 1 - share;
        between[next] = share;
        corner[count++] = between;
    }
    const auto depth_at = [&](const Weights& w) { return w[0] * depth[0] + w[1] * depth[1] + w[2] * depth[2]; };
    Weights sum{};
    for (std::size_t k = 1; k + 1 < count; ++k) {
        const Weights &a = corner[0], &b = corner[k], &c = corner[k + 1];
        // Area in weights, as a share of the whole: their determinant.
        const float area = std::abs(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                                    a[2] * (b[0] * c[1] - b[1] * c[0]));
        // Depth times weight is quadratic: the three midpoints of the edges are exact.
        for (const auto& [p, q] : {std::pair(&a, &b), std::pair(&b, &c), std::pair(&c, &a)}) {
            Weights middle;
            for (std::size_t i = 0; i < 3; ++i) middle[i] = 0.5f * ((*p)[i] + (*q)[i]);
            for (std::size_t i = 0; i < 3; ++i) sum[i] += area / 3 * depth_at(middle) * middle[i];
        }
    }
    return sum;
}

}  // namespace

/// How deep places are below the surface of a medium that ends somewhere, m; negative above it or beside its box.
class MediumSurface::Depths {
public:
    Depths(const Medium& medium, double time) : medium_(medium), time_(time) {}

    float at(Vec3 x) const
    {
        const Vec3d p = x.as<double>();
        if (const auto& box = medium_.box;
            box && (p.x < box->low.x || p.x > box->high.x || p.y < box->low.y || p.z < box->low.z || p.z > box->high.z))
            return -1;
        double level = medium_.level ? double(*medium_.level) : medium_.box ? medium_.box->high.y : p.y + 1;
        if (medium_.waves) {
            const double wave = (*medium_.waves)(p.x, p.z, time_);
            if (std::isfinite(wave)) level += wave;
        }
        return float(level - p.y);
    }

private:
    const Medium& medium_;
    double time_;
};

MediumSurface::MediumSurface(const BodyModel& model)
{
    std::vector<std::int32_t> particle_of;
    const TriMesh outer = boundary_surface(solid_of(model.domain()), &particle_of);
    particles_.assign(particle_of.begin(), particle_of.end());
    std::ranges::sort(particles_);
    const auto number_of = [&](std::int32_t vertex) {
        return std::int32_t(std::ranges::lower_bound(particles_, particle_of[std::size_t(vertex)]) -
                            particles_.begin());
    };
    const auto eights = [](std::size_t count) { return (count + 7) / 8 * 8; };
    matching::Lists corners;
    for (const Int3& t : outer.triangles) {
        triangles_.push_back({number_of(t[0]), number_of(t[1]), number_of(t[2])});
        for (const std::int32_t v : triangles_.back()) corners.values.push_back(v);
        corners.offsets.push_back(std::int32_t(corners.values.size()));
    }
    triangle_count_ = triangles_.size();
    triangles_.resize(eights(triangle_count_ + 1));  // without area: all of their corners are the first particle
    const matching::Lists around = matching::inverted(corners, particles_.size());
    for (std::size_t i = 0; i < around.size(); ++i) {
        triangles_of_.values.insert(triangles_of_.values.end(), around[i].begin(), around[i].end());
        if (triangles_of_.values.size() % 2 != 0) triangles_of_.values.push_back(std::int32_t(triangle_count_));
        triangles_of_.offsets.push_back(std::int32_t(triangles_of_.values.size()));
    }
    const std::size_t count = eights(particles_.size());
    inverse_masses_.resize(count);
    for (std::size_t k = 0; k < particles_.size(); ++k)
        inverse_masses_[k] = model.data().inverse_masses[std::size_t(particles_[k])];
    pressures_.resize(triangle_count_);
    places_.resize(kCornerSize * count);
    drags_.resize(kDragSize * triangles_.size());
    sums_.resize(kDragSize * count);
    shares_.resize(count);
    strong_.resize(chunk_count(particles_.size(), kChunk));
}

void MediumSurface::apply(const Medium& medium, float dt, std::span<const Vec3> positions, std::span<Vec3> velocities,
                          Vec3 gravity, double time)
{
    const Depths depths(medium, time);
    // Of gravity, the part along y decides: the surface is level.
    if (!medium.is_everywhere()) press(depths, -gravity.y * medium.density * dt, positions, velocities);
    if (medium.drag > 0) drag(medium, depths, dt, positions, velocities);
}

/// `pressure`: impulse on a square metre for each metre of depth, kg/(m^2 s).
void MediumSurface::press(const Depths& depths, float pressure, std::span<const Vec3> positions,
                          std::span<Vec3> velocities)
{
    if (!(pressure > 0)) return;
    for_each_chunk(triangle_count_, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            std::array<Vec3, 3> x;
            std::array<float, 3> depth;
            for (std::size_t c = 0; c < 3; ++c) {
                x[c] = positions[std::size_t(particles_[std::size_t(triangles_[k][c])])];
                depth[c] = depths.at(x[c]);
            }
            const Vec3 area = cross(x[1] - x[0], x[2] - x[0]) * 0.5f;
            const std::array<float, 3> wet = wet_moments(depth);
            for (std::size_t c = 0; c < 3; ++c) {
                const Vec3 impulse = area * (-pressure * wet[c]);
                pressures_[k][c] = is_finite(impulse) ? impulse : Vec3{};
            }
        }
    });
    for_each_chunk(particles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Vec3 sum;
            for (const std::int32_t k : triangles_of_[i])
                for (std::size_t c = 0; std::size_t(k) < triangle_count_ && c < 3; ++c)
                    if (std::size_t(triangles_[std::size_t(k)][c]) == i) sum += pressures_[std::size_t(k)][c];
            velocities[std::size_t(particles_[i])] += sum * inverse_masses_[i];
        }
    });
}

void MediumSurface::drag(const Medium& medium, const Depths& depths, float dt, std::span<const Vec3> positions,
                         std::span<Vec3> velocities)
{
    const MediumKernels& kernels = medium_kernels();
    const bool everywhere = medium.is_everywhere();
    const std::int32_t* const corners = triangles_[0].data();
    const auto for_particles = [&](const auto& body) { for_each_chunk(particles_.size(), kChunk, body); };
    const auto for_triangles = [&](const auto& body) { for_each_chunk(triangles_.size(), kChunk, body); };
    const auto sum = [&](std::size_t first, std::size_t last) {
        kernels.sum(triangles_of_.offsets.data(), triangles_of_.values.data(), drags_.data(), first, last,
                    sums_.data());
    };
    for_particles([&](std::size_t, std::size_t first, std::size_t last) {
        kernels.load(particles_.data(), positions.data(), velocities.data(), first, last, places_.data());
    });
    for_triangles([&](std::size_t, std::size_t first, std::size_t last) {
        kernels.drag(corners, places_.data(), medium.current, 0.5f * dt * medium.drag, first, last, drags_.data());
        for (std::size_t k = first; !everywhere && k < last; ++k) {
            Vec3 middle;
            for (const std::int32_t v : triangles_[k])
                middle += positions[std::size_t(particles_[std::size_t(v)])] * (1.0f / 3);
            if (!(depths.at(middle) > 0)) std::fill_n(&drags_[kDragSize * k], kDragSize, 0.0f);
        }
    });
    for_particles([&](std::size_t chunk, std::size_t first, std::size_t last) {
        sum(first, last);
        strong_[chunk] = kernels.limit(sums_.data(), inverse_masses_.data(), first, last, shares_.data());
    });
    const bool strong = std::ranges::find(strong_, true) != strong_.end();
    if (strong)
        for_triangles([&](std::size_t, std::size_t first, std::size_t last) {
            kernels.weaken(corners, shares_.data(), first, last, drags_.data());
        });
    for_particles([&](std::size_t, std::size_t first, std::size_t last) {
        if (strong) sum(first, last);
        kernels.push(particles_.data(), sums_.data(), inverse_masses_.data(), first, last, velocities.data());
    });
}

}  // namespace yawara
