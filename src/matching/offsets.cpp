#include "matching/offsets.h"

#include <numeric>

namespace yawara::matching {
namespace {

Vec3 vec(const float* p)
{
    return {p[0], p[1], p[2]};
}

/// The rotation of the region at a slot.
class Turn {
public:
    Turn(std::size_t slot, const float* rotations)
    {
        const float* const q = rotations + slot / kLanes * kRotationSize + slot % kLanes;
        axis_ = {q[0], q[kLanes], q[2 * kLanes]};
        w_ = q[3 * kLanes];
    }
    Vec3 operator()(Vec3 v) const
    {
        const Vec3 t = cross(axis_, v) * 2.0f;
        return v + t * w_ + cross(axis_, t);
    }

private:
    Vec3 axis_;
    float w_;
};

}  // namespace

Offsets::Offsets(const Regions& regions, const std::vector<std::vector<Vec3d>>& details)
    : examples_(details.size()),
      share_(regions.region_count()),
      mass_(regions.region_count()),
      rest_(regions.region_count()),
      center_(regions.region_count())
{
    const std::size_t n = regions.region_count();
    const ListView view = regions.view();
    for (std::size_t slot = 0; slot < n; ++slot) {
        share_[slot] = view.share[slot];
        mass_[slot] = view.rest[4 * slot + 3];
        rest_[slot] = vec(view.rest + 4 * slot);
        center_[slot] = view.centers[slot] / 16;
    }
    first_.assign(1, 0);
    held_first_.assign(n + 1, 0);
    for (std::size_t slot = 0; slot < n; ++slot) {
        const std::size_t r = regions.particle_at(slot);
        const auto begin = std::size_t(regions.lists().offsets[r]);
        const std::span<const std::int32_t> members = regions.lists()[r];
        for (std::size_t k = 0; k < members.size(); ++k) {
            members_.push_back(std::int32_t(regions.slot(std::size_t(members[k]))));
            ++held_first_[std::size_t(members_.back()) + 1];
            for (const std::vector<Vec3d>& example : details) details_.push_back(example[begin + k].as<float>());
        }
        first_.push_back(std::int32_t(members_.size()));
    }
    std::partial_sum(held_first_.begin(), held_first_.end(), held_first_.begin());
    held_.resize(members_.size());
    std::vector<std::int32_t> next(held_first_.begin(), held_first_.end() - 1);
    for (std::size_t m = 0; m < members_.size(); ++m)
        held_[std::size_t(next[std::size_t(members_[m])]++)] = std::int32_t(m);
}

void Offsets::blend(std::size_t slot, std::span<const float> weights, OffsetMemory& memory) const
{
    for (std::int32_t m = first_[slot]; m < first_[slot + 1]; ++m) {
        Vec3 d;
        for (std::size_t k = 0; k < examples_; ++k) d += details_[std::size_t(m) * examples_ + k] * weights[k];
        memory.details[std::size_t(m)] = d;
    }
}

void Offsets::prepare(std::size_t slot, const float* positions, const RegionStretch& stretch,
                      const OffsetMemory& memory, const RegionMoments& moments, RegionMoments& fitted) const
{
    const std::size_t lane = slot % kLanes;
    float A[9], T[6], E[9];
    for (int k = 0; k < 9; ++k) A[k] = moments.A[k][lane];
    for (int k = 0; k < 6; ++k) T[k] = stretch.T[k][lane];
    for (int row = 0; row < 3; ++row) {
        E[row] = A[row] * T[0] + A[3 + row] * T[5] + A[6 + row] * T[4];
        E[3 + row] = A[row] * T[5] + A[3 + row] * T[1] + A[6 + row] * T[3];
        E[6 + row] = A[row] * T[4] + A[3 + row] * T[3] + A[6 + row] * T[2];
    }
    const Vec3 origin = vec(positions + kPositionSize * std::size_t(center_[slot]));
    for (std::int32_t m = first_[slot]; m < first_[slot + 1]; ++m) {
        const auto i = std::size_t(members_[std::size_t(m)]);
        const Vec3 d = memory.details[std::size_t(m)];
        const Vec3 p = (vec(positions + kPositionSize * i) - origin) * mass_[i];
        for (int column = 0; column < 3; ++column)
            for (int row = 0; row < 3; ++row) E[3 * column + row] += p[row] * d[column];
    }
    for (int k = 0; k < 9; ++k) fitted.A[k][lane] = E[k];
    for (int k = 0; k < 3; ++k) fitted.c[k][lane] = moments.c[k][lane];
}

void Offsets::turn(std::size_t slot, const float* rotations, float alpha, OffsetMemory& memory) const
{
    const Turn turn(slot, rotations);
    for (std::int32_t m = first_[slot]; m < first_[slot + 1]; ++m)
        memory.details[std::size_t(m)] = turn(memory.details[std::size_t(m)]) * alpha;
}

double Offsets::along(std::size_t slot, std::size_t example, const float* rotations, const float* positions) const
{
    const Turn turn(slot, rotations);
    const Vec3 origin = vec(positions + kPositionSize * std::size_t(center_[slot]));
    double sum = 0;
    for (std::int32_t m = first_[slot]; m < first_[slot + 1]; ++m) {
        const auto i = std::size_t(members_[std::size_t(m)]);
        const Vec3 p = (vec(positions + kPositionSize * i) - origin) * mass_[i];
        sum += double(dot(p, turn(details_[std::size_t(m) * examples_ + example])));
    }
    return sum;
}

double Offsets::scale(std::size_t slot, float factor, OffsetMemory& memory) const
{
    double sum = 0;
    for (std::int32_t m = first_[slot]; m < first_[slot + 1]; ++m) {
        Vec3& d = memory.details[std::size_t(m)];
        sum += double(mass_[std::size_t(members_[std::size_t(m)])]) * double(dot(d, d));
        d *= factor;
    }
    return 0.5 * sum;
}

void Offsets::add(std::size_t slot, const OffsetMemory& memory, Vec3& displacement) const
{
    Vec3 sum;
    for (std::int32_t k = held_first_[slot]; k < held_first_[slot + 1]; ++k)
        sum += memory.details[std::size_t(held_[std::size_t(k)])];
    displacement += sum * share_[slot];
}

double Offsets::mismatch(std::size_t slot, const float* transforms, const float* positions, float alpha,
                         const OffsetMemory& memory) const
{
    const float* const t = transforms + kTransformSize * slot;
    double sum = 0;
    for (std::int32_t m = first_[slot]; m < first_[slot + 1]; ++m) {
        const auto i = std::size_t(members_[std::size_t(m)]);
        const Vec3 x0 = rest_[i];
        const Vec3 away = vec(t) * x0.x + vec(t + 4) * x0.y + vec(t + 8) * x0.z + vec(t + 12) +
                          memory.details[std::size_t(m)] * (1 / alpha) - vec(positions + kPositionSize * i);
        sum += double(mass_[i]) * double(dot(away, away));
    }
    return 0.5 * sum;
}

}  // namespace yawara::matching
