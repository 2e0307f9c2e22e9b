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
constexpr auto load_alone = [](const Vec3* v) { return load3(*v); };
/// The same of one that is not the last of its run: the fourth is the next one's, and of no use.
constexpr auto load_and_next = [](const Vec3* v) {
    f4 four;
    __builtin_memcpy(&four, v, sizeof four);
    return four;
};
f4 yzx(f4 v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
f4 zxy(f4 v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
Vec3d to_vec(f4 v)
{
    return {double(v[0]), double(v[1]), double(v[2])};
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
    const auto add = [&](float m, f4 at, f4 v) {
        const f4 m4{m, m, m, m};
        const f4 p = at - origin, mp = m4 * p;
        mass += m4;
        sp += mp;
        sv += m4 * v;
        plus += yzx(mp) * zxy(v);
        minus += zxy(mp) * yzx(v);
        square += mp * p;
        mixed += yzx(mp) * zxy(p);
    };
    for (std::size_t i = first; i + 1 < last; ++i)
        add(masses[i], load_and_next(&positions[i]), load_and_next(&velocities[i]));
    if (first < last) add(masses[last - 1], load3(positions[last - 1]), load3(velocities[last - 1]));
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
    // By value: what a loop reads through a reference it has to read again after every velocity it writes.
    const auto damper = [=, any_held = !held.empty()](const Rigid& rigid) {
        const f4 center = load3(rigid.center.as<float>()), velocity = load3(rigid.velocity.as<float>());
        const f4 turn = load3(rigid.spin.as<float>() * share), next = yzx(turn), previous = zxy(turn);
        return [=, m = masses.data(), x = positions.data(), v = velocities.data()](std::size_t i, auto load) {
            if (any_held && m[i] == 0) return;
            const f4 before = load(v + i), p = load(x + i) - center;
            const f4 after = before + ((velocity - before) * share + (next * zxy(p) - previous * yzx(p)));
            __builtin_memcpy(&v[i].x, &after, sizeof(Vec3));
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
            for (const std::int32_t i : ids) damp(std::size_t(i), load_alone);
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
        for (std::size_t i = first; i + 1 < last; ++i) damp(i, load_and_next);
        damp(last - 1, load_alone);  // the next one may be changed by another thread
    });
}

RigidDamping::Turn RigidDamping::turn_of(const Momenta& momenta) const
{
    const Vec3d angular = momenta.angular - cross(whole_.center, momenta.linear);
    return {spin_of(whole_.diagonal, whole_.mixed, angular).as<float>(), whole_.center.as<float>()};
}

}  // namespace yawara::matching
