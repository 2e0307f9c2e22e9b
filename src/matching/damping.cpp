#include "matching/damping.h"

#include <algorithm>

#include "core/parallel.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kChunk = 512;

using f4 = float __attribute__((vector_size(16)));

f4 load3(const Vec3& v)
{
    return f4{v.x, v.y, v.z, 0};
}
f4 load4(const float* p)
{
    f4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
void store4(f4 v, float* p)
{
    __builtin_memcpy(p, &v, sizeof v);
}
f4 yzx(f4 v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
f4 zxy(f4 v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
template <class Number = double>
Vec3T<Number> to_vec(f4 v)
{
    return {Number(v[0]), Number(v[1]), Number(v[2])};
}

/// A vector for each of four regions.
struct Lanes3 {
    f4 x, y, z;
    friend Lanes3 operator+(Lanes3 a, Lanes3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend Lanes3 operator-(Lanes3 a, Lanes3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend Lanes3 operator*(Lanes3 a, f4 s) { return {a.x * s, a.y * s, a.z * s}; }
    f4 operator[](std::size_t lane) const { return f4{x[lane], y[lane], z[lane], 0}; }
};
Lanes3 cross(const Lanes3& a, const Lanes3& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
f4 dot(const Lanes3& a, const Lanes3& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// First three entries of four vectors, and the fourth ones if wanted.
Lanes3 transposed(const f4 (&v)[4], f4* fourth = nullptr)
{
    const f4 low0 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5),
             high0 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const f4 low1 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5),
             high1 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    if (fourth) *fourth = __builtin_shufflevector(high0, high1, 2, 3, 6, 7);
    return {__builtin_shufflevector(low0, low1, 0, 1, 4, 5), __builtin_shufflevector(low0, low1, 2, 3, 6, 7),
            __builtin_shufflevector(high0, high1, 0, 1, 4, 5)};
}

/// spin_of() for four regions, in single precision: moments are taken by their trace, so that their products stay in
/// range, and rods and points get a little more inertia.
Lanes3 spins_of(const Lanes3& diagonal, const Lanes3& mixed, const Lanes3& angular)
{
    constexpr float kLittle = 1e-5f;
    const f4 trace = diagonal.x + diagonal.y + diagonal.z, none{};
    const auto wide = trace > none;
    const f4 unit = wide ? 1.0f / (wide ? trace : none + 1.0f) : none;
    const Lanes3 own = diagonal * unit;
    const f4 a = own.y + own.z + kLittle, b = own.x + own.z + kLittle, c = own.x + own.y + kLittle;
    const f4 d = -mixed.x * unit, e = -mixed.y * unit, f = -mixed.z * unit;
    const Lanes3 row_a{b * c - d * d, e * d - f * c, f * d - e * b};
    const Lanes3 row_b{row_a.y, a * c - e * e, f * e - a * d};
    const Lanes3 row_c{row_a.z, row_b.z, a * b - f * f};
    const f4 determinant = a * row_a.x + f * row_a.y + e * row_a.z;
    const auto turns = determinant > none;
    const f4 inverse = turns ? unit / (turns ? determinant : none + 1.0f) : none;
    return {dot(row_a, angular) * inverse, dot(row_b, angular) * inverse, dot(row_c, angular) * inverse};
}

}  // namespace

Vec3d spin_of(Vec3d diagonal, Vec3d mixed, Vec3d angular)
{
    const double trace = diagonal.x + diagonal.y + diagonal.z;
    if (!(trace > 0)) return {};
    // Inertia [a f e; f b d; e d c], a little added so that rods and points have an inverse; solved by cofactors.
    const double little = 1e-7 * trace;
    const double a = diagonal.y + diagonal.z + little, b = diagonal.x + diagonal.z + little;
    const double c = diagonal.x + diagonal.y + little, d = -mixed.x, e = -mixed.y, f = -mixed.z;
    const Vec3d row_a{b * c - d * d, e * d - f * c, f * d - e * b};
    const Vec3d row_b{row_a.y, a * c - e * e, f * e - a * d};
    const Vec3d row_c{row_a.z, row_b.z, a * b - f * f};
    const double determinant = a * row_a.x + f * row_a.y + e * row_a.z;
    const Vec3d spin = Vec3d{dot(row_a, angular), dot(row_b, angular), dot(row_c, angular)} / determinant;
    return is_finite(spin) ? spin : Vec3d{};
}

void RigidDamping::Sums::add(const Sums& o)
{
    mass += o.mass;
    first += o.first;
    momentum += o.momentum;
    angular += o.angular;
    diagonal += o.diagonal;
    mixed += o.mixed;
}

RigidDamping::RigidDamping(std::size_t particles, std::size_t parts)
    : chunks_(parts > 1 ? 0 : chunk_count(particles, kChunk)), free_masses_(particles)
{
}

RigidDamping::Sums RigidDamping::sum_range(std::span<const float> masses, std::span<const Vec3> positions,
                                           std::span<const Vec3> velocities, Vec3 reference, std::size_t first,
                                           std::size_t last)
{
    const f4 origin = load3(reference);
    f4 mass{}, sp{}, sv{}, plus{}, minus{}, square{}, mixed{};
    for (std::size_t i = first; i < last; ++i) {
        const float m = masses[i];
        const f4 m4{m, m, m, m};
        const f4 p = load3(positions[i]) - origin, v = load3(velocities[i]);
        const f4 mp = m4 * p;
        mass += m4;
        sp += mp;
        sv += m4 * v;
        plus += yzx(mp) * zxy(v);
        minus += zxy(mp) * yzx(v);
        square += mp * p;
        mixed += yzx(mp) * zxy(p);
    }
    return {double(mass[0]), to_vec(sp), to_vec(sv), to_vec(plus) - to_vec(minus), to_vec(square), to_vec(mixed)};
}

RigidDamping::Rigid RigidDamping::solve(const Sums& s, Vec3 reference)
{
    if (!(s.mass > 0)) return {};
    const Vec3d c = s.first / s.mass;  // centre relative to the reference
    const Vec3d angular = s.angular - cross(c, s.momentum);
    const Vec3d diagonal = s.diagonal - Vec3d{c.x * c.x, c.y * c.y, c.z * c.z} * s.mass;
    const Vec3d mixed = s.mixed - Vec3d{c.y * c.z, c.z * c.x, c.x * c.y} * s.mass;
    return {reference.as<double>() + c, s.momentum / s.mass, diagonal, mixed, spin_of(diagonal, mixed, angular)};
}

void RigidDamping::apply(float share, std::span<const float> masses, const Lists& parts,
                         std::span<const Vec3> positions, std::span<Vec3> velocities,
                         std::span<const std::int32_t> held)
{
    if (!held.empty()) {
        std::copy(masses.begin(), masses.end(), free_masses_.begin());
        for (const std::int32_t i : held) free_masses_[std::size_t(i)] = 0;
        masses = free_masses_;
    }
    const auto damper = [&](const Rigid& rigid) {
        return [&, center = rigid.center.as<float>(), velocity = rigid.velocity.as<float>(),
                turn = rigid.spin.as<float>() * share](std::size_t i) {
            if (!held.empty() && masses[i] == 0) return;
            velocities[i] += (velocity - velocities[i]) * share + cross(turn, positions[i] - center);
        };
    };
    if (chunks_.empty()) {
        for_each_chunk(parts.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
            const std::span<const std::int32_t> ids = parts[part];
            const Vec3 reference = positions[std::size_t(ids[0])];
            Sums sums;
            for (const std::int32_t i : ids)
                sums.add(sum_range(masses, positions, velocities, reference, std::size_t(i), std::size_t(i) + 1));
            const auto damp = damper(solve(sums, reference));
            for (const std::int32_t i : ids) damp(std::size_t(i));
        });
        return;
    }
    const Vec3 reference = positions[0];
    for_each_chunk(positions.size(), kChunk, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        chunks_[chunk] = sum_range(masses, positions, velocities, reference, first, last);
    });
    Sums sums;
    for (const Sums& s : chunks_) sums.add(s);
    whole_ = solve(sums, reference);
    const auto damp = damper(whole_);
    for_each_chunk(positions.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) damp(i);
    });
}

RigidDamping::Turn RigidDamping::turn_of(const Momenta& momenta) const
{
    const Vec3d angular = momenta.angular - cross(whole_.center, momenta.linear);
    return {spin_of(whole_.diagonal, whole_.mixed, angular).as<float>(), whole_.center.as<float>()};
}

RegionDamping::RegionDamping(const Regions& regions)
    : particles_(8 * regions.region_count()), regions_(particles_.size())
{
}

void RegionDamping::apply(float share, const Regions& regions, std::span<const float> masses,
                          std::span<const Vec3> positions, std::span<Vec3> velocities)
{
    const Vec3 reference = positions[0];  // spins are means of fields v + w x (x - reference)
    for_each_chunk(positions.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 p = positions[i] - reference, v = velocities[i];
            const float packed[8] = {p.x, p.y, p.z, masses[i] / float(regions.holders()[i].size()), v.x, v.y, v.z, 0};
            std::copy(packed, packed + 8, particles_.begin() + std::ptrdiff_t(8 * i));
        }
    });
    for_each_chunk(regions.region_count(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; r += 4) {
            f4 origin[4], drift[4], masses_and_first[4]{}, momentum[4]{}, angular[4]{}, square[4]{}, mixed[4]{};
            for (std::size_t lane = 0; lane < 4; ++lane) {
                const std::span<const std::int32_t> members = regions.lists()[std::min(r + lane, last - 1)];
                // Places and velocities against those of the first member, so that single precision is enough.
                const float* const one = particles_.data() + 8 * std::size_t(members[0]);
                const f4 start = load4(one) * f4{1, 1, 1, 0}, speed = load4(one + 4);
                f4 mf{}, mv{}, L{}, pp{}, pq{};
                for (const std::int32_t member : members) {
                    const float* const particle = particles_.data() + 8 * std::size_t(member);
                    const f4 p = load4(particle) - start, v = load4(particle + 4) - speed;
                    const f4 m = __builtin_shufflevector(p, p, 3, 3, 3, 3), mp = p * m;
                    mf += __builtin_shufflevector(mp, m, 0, 1, 2, 4);
                    mv += v * m;
                    L += yzx(mp) * zxy(v) - zxy(mp) * yzx(v);
                    pp += mp * p;
                    pq += yzx(mp) * zxy(p);
                }
                origin[lane] = start, drift[lane] = speed, masses_and_first[lane] = mf, momentum[lane] = mv;
                angular[lane] = L, square[lane] = pp, mixed[lane] = pq;
            }
            f4 mass;
            const Lanes3 sums = transposed(masses_and_first, &mass);
            const f4 inverse_mass = 1.0f / mass;
            const Lanes3 c = sums * inverse_mass, sv = transposed(momentum);
            const Lanes3 spin = spins_of(transposed(square) - Lanes3{c.x * c.x, c.y * c.y, c.z * c.z} * mass,
                                         transposed(mixed) - Lanes3{c.y * c.z, c.z * c.x, c.x * c.y} * mass,
                                         transposed(angular) - cross(c, sv));
            const Lanes3 velocity = sv * inverse_mass + transposed(drift) - cross(spin, transposed(origin) + c);
            for (std::size_t lane = 0; lane < 4 && r + lane < last; ++lane) {
                store4(velocity[lane], regions_.data() + 8 * (r + lane));
                store4(spin[lane], regions_.data() + 8 * (r + lane) + 4);
            }
        }
    });
    for_each_chunk(positions.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            f4 velocity{}, spin{};
            const std::span<const std::int32_t> holders = regions.holders()[i];
            for (const std::int32_t r : holders) {
                velocity += load4(regions_.data() + 8 * std::size_t(r));
                spin += load4(regions_.data() + 8 * std::size_t(r) + 4);
            }
            const Vec3 motion = to_vec<float>(velocity) + cross(to_vec<float>(spin), positions[i] - reference);
            velocities[i] += (motion / float(holders.size()) - velocities[i]) * share;
        }
    });
}

}  // namespace yawara::matching
