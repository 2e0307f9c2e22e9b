#include "sim/medium.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "sim/body_model.h"
#include "yawara/quantities.h"

namespace yawara {

Vec3 weight_in(const StepInput& input, const BodyModel::Data& model)
{
    if (!input.medium.is_everywhere()) return input.gravity;
    return input.gravity * float(1 - double(input.medium.density) * model.volume / model.total_mass);
}

namespace {

constexpr std::size_t kChunk = 512;

using f4 = float __attribute__((vector_size(16)));

f4 load(const Vec3& v)
{
    return f4{v.x, v.y, v.z, 0};
}
f4 yzx(f4 v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
f4 zxy(f4 v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

/// (1 + s^4)^-1/4, for any s that is not negative.
float limited(float s)
{
    if (s < 0.015f) return 1;  // to the last digit
    const float t = std::min(s, 1 / s), t4 = t * t * t * t;
    return (s > 1 ? t : 1.0f) / std::sqrt(std::sqrt(1 + t4));
}

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
    pressures_.resize(triangles_.size());
    drags_.resize(triangles_.size());
    shares_.resize(model.particle_count());
    pushes_.resize(model.particle_count());
    strong_.resize(chunk_count(model.particle_count(), kChunk));
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
    for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            std::array<Vec3, 3> x;
            std::array<float, 3> depth;
            for (std::size_t c = 0; c < 3; ++c) {
                x[c] = positions[std::size_t(triangles_[k][c])];
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
    for_each_chunk(velocities.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Vec3 sum;
            for (const std::int32_t k : triangles_of_[i])
                for (std::size_t c = 0; c < 3; ++c)
                    if (std::size_t(triangles_[std::size_t(k)][c]) == i) sum += pressures_[std::size_t(k)][c];
            velocities[i] += sum * inverse_masses_[i];
        }
    });
}

void MediumSurface::drag(const Medium& medium, const Depths& depths, float dt, std::span<const Vec3> positions,
                         std::span<Vec3> velocities)
{
    const bool everywhere = medium.is_everywhere();
    const f4 current = load(medium.current);
    for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto a = std::size_t(triangles_[k][0]), b = std::size_t(triangles_[k][1]),
                       c = std::size_t(triangles_[k][2]);
            const f4 x = load(positions[a]), y = load(positions[b]), z = load(positions[c]), p = y - x, q = z - x;
            // With the normal as long as twice the area, neither that length nor a unit normal is needed.
            const f4 normal = yzx(p) * zxy(q) - zxy(p) * yzx(q);
            const f4 u = (load(velocities[a]) + load(velocities[b]) + load(velocities[c])) * (1.0f / 3) - current;
            const f4 products = u * normal, squares = normal * normal;
            const float flow = products[0] + products[1] + products[2], square = squares[0] + squares[1] + squares[2];
            const f4 middle = (x + y + z) * (1.0f / 3);
            const bool wet = everywhere || depths.at({middle[0], middle[1], middle[2]}) > 0;
            const float rate = wet ? dt * medium.drag * 0.5f * std::abs(flow) : 0.0f;
            f4 drag = normal * (square > 0 ? -flow * rate / (3 * square) : 0.0f);
            drag[3] = rate;
            const f4 zeros = drag * 0.0f;  // unless something is not finite
            drags_[k] = zeros[0] + zeros[1] + zeros[2] + zeros[3] == 0 ? drag : f4{};
        }
    });
    const auto sum_at = [&](std::size_t i) {
        f4 sum{};
        for (const std::int32_t k : triangles_of_[i]) sum += drags_[std::size_t(k)];
        return sum;
    };
    for_each_chunk(velocities.size(), kChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        bool strong = false;
        for (std::size_t i = first; i < last; ++i) {
            if (triangles_of_[i].empty()) continue;
            const f4 sum = sum_at(i);
            pushes_[i] = {sum[0], sum[1], sum[2]};
            shares_[i] = limited(sum[3] * inverse_masses_[i] / 3);
            strong = strong || shares_[i] < 1;
        }
        strong_[chunk] = strong;
    });
    if (std::ranges::find(strong_, true) != strong_.end()) {
        for_each_chunk(triangles_.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) {
                const auto [a, b, c] = triangles_[k];
                drags_[k] *= std::min({shares_[std::size_t(a)], shares_[std::size_t(b)], shares_[std::size_t(c)]});
            }
        });
        for_each_chunk(velocities.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const f4 sum = sum_at(i);
                pushes_[i] = {sum[0], sum[1], sum[2]};
            }
        });
    }
    for_each_chunk(velocities.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            if (!triangles_of_[i].empty()) velocities[i] += pushes_[i] * inverse_masses_[i];
    });
}

}  // namespace yawara
