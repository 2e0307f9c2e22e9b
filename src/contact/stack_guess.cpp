#include "contact/stack_guess.h"

#include <algorithm>
#include <cmath>

#include "contact/push_shares.h"

namespace yawara::contact {
namespace {

constexpr int kMostSweeps = 100;
/// Over-relaxed: all that is solved is linear, and no touch is told twice.
constexpr double kRelaxation = 1.5;
/// Sweeps end when nothing moves by more than this share of what was missing.
constexpr double kEnough = 1e-3;
/// Touches whose normals agree less than this are not one.
constexpr double kOneWay = 0.95;

Vec3d normal_of(const Touch& touch)
{
    return to_vec3(touch.normal).as<double>();
}

}  // namespace

void StackGuess::add(std::span<const ContactBody> bodies, const NearPair& pair, std::int32_t index)
{
    if (pair.touches.empty() || pair.rigid_touches.size() != pair.touches.size()) return;
    Vec3d sum;
    double missing = 0;
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const RigidTouch& touch = pair.rigid_touches[t];
        if (!touch.of_wholes) return;
        const Vec3d n = normal_of(pair.touches[t]);
        sum += n * (t < pair.b_touches ? -1.0 : 1.0);
        missing += double(pair.touches[t].shortfall) - dot(n, touch.base);
    }
    const auto count = double(pair.touches.size());
    if (!(length(sum) > kOneWay * count)) return;
    const auto yields = [&](std::int32_t k) {
        const ContactBody& body = bodies[std::size_t(k)];
        return body.asleep ? 0 : body.rigid->inverse_mass;
    };
    joins_.push_back({index, pair.a, pair.b, normalized(sum), yields(pair.a), yields(pair.b), missing / count, 0});
}

void StackGuess::add(const ContactBody& body, std::int32_t index, const RigidObstacles& obstacles)
{
    Vec3d sum;
    double missing = 0, count = 0;
    for (const ObstacleTouch& touch : obstacles.touches()) {
        if (touch.distance > 0) continue;  // not in it yet
        sum += touch.normal;
        missing -= touch.distance;
        ++count;
    }
    if (count == 0 || !(length(sum) > kOneWay * count)) return;
    joins_.push_back({-1, index, -1, normalized(sum), body.rigid->inverse_mass, 0, missing / count, 0});
}

void StackGuess::sweep(std::size_t bodies)
{
    shifts_.assign(bodies, {});
    double most = 0;
    for (const Join& join : joins_) most = std::max(most, std::abs(join.missing));
    for (int k = 0; k < kMostSweeps; ++k) {
        double largest = 0;
        for (Join& join : joins_) {
            const double yields = join.inverse_mass + join.inverse_other;
            if (!(yields > 0)) continue;
            Vec3d apart = shifts_[std::size_t(join.body)];
            if (join.other >= 0) apart -= shifts_[std::size_t(join.other)];
            const double missing = join.missing - dot(join.normal, apart);
            const double impulse = std::max(join.impulse + kRelaxation * missing / yields, 0.0),
                         more = impulse - join.impulse;
            join.impulse = impulse;
            shifts_[std::size_t(join.body)] += join.normal * (more * join.inverse_mass);
            if (join.other >= 0) shifts_[std::size_t(join.other)] -= join.normal * (more * join.inverse_other);
            largest = std::max(largest, std::abs(more) * yields);
        }
        if (largest <= kEnough * most) break;
    }
}

void StackGuess::share_out(const Join& join, NearPair& pair, std::span<RigidChange> displacements)
{
    // Through the middle between the centres of both.
    Vec3d center;
    double count = 0;
    for (const RigidSide& side : pair.rigid_touches[0].sides)
        if (side.motion) center += side.motion->center_before, ++count;
    center = center / count;
    const PushShares shares(pair.touches.size(), join.normal,
                            [&](std::size_t t) { return pair.rigid_touches[t].point - center; });
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        RigidTouch& touch = pair.rigid_touches[t];
        touch.impulse = join.impulse * shares.of(touch.point - center);
        const Vec3d push = normal_of(pair.touches[t]) * touch.impulse;
        for (std::size_t s = 0; s < 2; ++s)
            if (const RigidSide& side = touch.sides[s]; side.motion)
                displacements[std::size_t(side.body)].push(*side.motion, s == 0 ? push : -push, side.arm);
    }
}

}  // namespace yawara::contact
