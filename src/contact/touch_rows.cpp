#include "contact/touch_rows.h"

#include <algorithm>

namespace yawara::contact {
namespace {

Vec3x4 transposed(Lanes a, Lanes b, Lanes c, Lanes d)
{
    const Lanes ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Lanes ab_z = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd_z = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
            __builtin_shufflevector(ab_z, cd_z, 0, 1, 4, 5)};
}

std::array<Lanes, kLanes> transposed(Vec3x4 v)
{
    const Lanes zero{};
    const Lanes xy = __builtin_shufflevector(v.x, v.y, 0, 4, 1, 5), z = __builtin_shufflevector(v.z, zero, 0, 4, 1, 5);
    const Lanes xy_last = __builtin_shufflevector(v.x, v.y, 2, 6, 3, 7),
                z_last = __builtin_shufflevector(v.z, zero, 2, 6, 3, 7);
    return {__builtin_shufflevector(xy, z, 0, 1, 4, 5), __builtin_shufflevector(xy, z, 2, 3, 6, 7),
            __builtin_shufflevector(xy_last, z_last, 0, 1, 4, 5), __builtin_shufflevector(xy_last, z_last, 2, 3, 6, 7)};
}

/// Values at the touched points of the one bodies minus those of the others.
[[gnu::always_inline]] inline Vec3x4 differences(const TouchRow& row, const Lanes* values)
{
    const auto at = [&](std::size_t k) {
        const std::array<std::int32_t, kLanes>& i = row.particles[k];
        return transposed(values[i[0]], values[i[1]], values[i[2]], values[i[3]]) * row.weights[k];
    };
    return (at(0) + at(1)) + (at(2) + at(3));
}

[[gnu::always_inline]] inline void separate(const TouchRow& row, Vec3x4 by, Lanes* values)
{
    const std::array<Lanes, kLanes> of_lane = transposed(by);
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            values[row.particles[k][lane]] += of_lane[lane] * row.shares[k][lane];
}

}  // namespace

void TouchRows::begin(std::span<const Pair> pairs)
{
    touches_.fill({});
    friction_ = budget_ = largest_ = Lanes{};
    thickness_ = Lanes{1, 1, 1, 1};
    for (std::size_t lane = 0; lane < pairs.size(); ++lane) {
        touches_[lane] = pairs[lane].touches;
        friction_[lane] = pairs[lane].friction;
        thickness_[lane] = pairs[lane].thickness;
    }
    count_ = touches_[0].size();
    if (rows_.size() < count_) rows_.resize(count_);
    TouchRow none{};  // what is missing moves a particle of the first pair by nothing
    for (std::array<std::int32_t, kLanes>& particles : none.particles) particles.fill(touches_[0][0].particles[0]);
    for (std::size_t t = 0; t < count_; ++t) {
        TouchRow& row = rows_[t] = none;
        for (std::size_t lane = 0; lane < pairs.size() && t < touches_[lane].size(); ++lane) {
            const Touch& touch = touches_[lane][t];
            for (std::size_t k = 0; k < 4; ++k) {
                row.particles[k][lane] = touch.particles[k];
                row.weights[k][lane] = touch.weights[k];
                row.shares[k][lane] = touch.shares[k];
            }
            row.normal.x[lane] = touch.normal[0];
            row.normal.y[lane] = touch.normal[1];
            row.normal.z[lane] = touch.normal[2];
            row.shortfall[lane] = touch.shortfall;
            row.rebound[lane] = touch.rebound;
        }
    }
}

float TouchRows::largest_move() const
{
    const Lanes moves = largest_ / thickness_;
    return std::max({moves[0], moves[1], moves[2], moves[3]});
}

void TouchRows::tell()
{
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        for (std::size_t t = 0; t < touches_[lane].size(); ++t) touches_[lane][t].move = rows_[t].move[lane];
}

void TouchRows::solve_displacements(Lanes* displacements)
{
    const Lanes zero{}, one{1, 1, 1, 1}, friction = friction_;
    Lanes budget = budget_, largest{};
    for (TouchRow& row : std::span(rows_.data(), count_)) {
        const Vec3x4 n = row.normal, slip = differences(row, displacements);
        const Lanes along = dot(n, slip), move = larger(-row.move, row.shortfall - along);
        row.move += move;
        largest = larger(largest, larger(move, -move));
        budget += friction * move;
        const Vec3x4 wanted = row.friction_shift - (slip - n * along);
        const Lanes length = square_roots(dot(wanted, wanted)), used = row.friction_length;
        const Lanes limit = larger(used + larger(budget, zero), friction * row.move);
        const Vec3x4 held = wanted * (length > limit ? limit / length : one);
        row.friction_length = length > limit ? limit : length;
        budget -= row.friction_length - used;
        separate(row, n * move + (held - row.friction_shift), displacements);
        row.friction_shift = held;
    }
    budget_ = budget;
    largest_ = largest;
}

void TouchRows::solve_velocities(float dt, Lanes* velocities) const
{
    const Lanes zero{}, one{1, 1, 1, 1};
    for (const TouchRow& row : std::span(rows_.data(), count_)) {
        const Vec3x4 n = row.normal, v = differences(row, velocities);
        const Lanes along = dot(n, v), change = larger(-row.move / dt, row.rebound - along);
        const Vec3x4 across = v - n * along;
        const Lanes speed = square_roots(dot(across, across)), most = friction_ * larger(change, zero);
        const Vec3x4 by = n * change - across * (speed > most ? most / speed : one);
        const LaneMask pushed = row.move > 0.0f;
        separate(row, {pushed ? by.x : zero, pushed ? by.y : zero, pushed ? by.z : zero}, velocities);
    }
}

}  // namespace yawara::contact
