// Soft grips, since the engine itself knows no hands, and an obstacle that is moved in every frame.
#include "stream/hands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace yawara::stream {

namespace {

constexpr double kHandFrequency = 5;    // Hz, of a body that hangs on a hand
constexpr double kHandDamping = 17;     // 1/s, rate at which the middle of what is held loses velocity
constexpr double kDefaultRadius = 0.3;  // of the body's largest extent
// 1/s^2, of what is held, for each metre of spacing: a fifth of it in a usual step.
constexpr double kHardestPull = 0.2 * 300 * 300;
// Of edges: from the first on a hand pulls ever less, at the second not at all.
constexpr float kLittleStretch = 1.4f, kMostStretch = 2.0f;
constexpr std::size_t kMostEdges = 100'000;  // are watched
constexpr std::size_t kRings = 8;
constexpr double kLongestShift = 0.25;  // of the ball's radius, in a step
constexpr double kTriangleReach = 0.9;  // from a corner to the middle of a stretched triangle, of the spacing
constexpr float kBallFriction = 0.3f;

double largest_extent(const BodyModel& model)
{
    const Vec3d size = bounds(model.rest_positions()).size();
    return std::max({size.x, size.y, size.z});
}

}  // namespace

Patch patch_around(const BodyModel& model, std::int32_t middle, double radius)
{
    const std::span<const Vec3d> rest = model.rest_positions();
    if (!(radius > 0)) radius = kDefaultRadius * largest_extent(model);
    radius = std::max(radius, 1.5 * model.spacing());
    std::array<Patch::Ring, kRings> rings;
    std::array<double, kRings> sums{};
    Patch patch;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const double share = length(rest[i] - rest[std::size_t(middle)]) / radius;
        if (share >= 1) continue;
        const double weight = (1 - share * share) * (1 - share * share);
        const auto ring = std::min(std::size_t(double(kRings) * (1 - weight)), kRings - 1);
        rings[ring].particles.push_back(std::int32_t(i));
        sums[ring] += weight;
    }
    for (std::size_t k = 0; k < kRings; ++k) {
        if (rings[k].particles.empty()) continue;
        rings[k].weight = float(sums[k] / double(rings[k].particles.size()));
        patch.rings.push_back(std::move(rings[k]));
    }
    return patch;
}

HandPull::HandPull(const BodyModel& model, Patch patch, std::shared_ptr<const Edges> edges)
    : patch_(std::move(patch)), edges_(std::move(edges)), stride_(edges_->size() / kMostEdges + 1)
{
    const std::span<const Vec3d> rest = model.rest_positions();
    for (std::size_t k = 0; k < edges_->size(); k += stride_)
        rest_lengths_.push_back(float(length(rest[(*edges_)[k][1]] - rest[(*edges_)[k][0]])));
    const std::span<const double> masses = model.masses();
    const double omega = 2 * std::numbers::pi * kHandFrequency;
    double mass = 0, held = 0;
    for (const double m : masses) mass += m;
    for (const Patch::Ring& ring : patch_.rings) {
        double sum = 0;
        for (const std::int32_t i : ring.particles) sum += masses[std::size_t(i)];
        grips_.push_back({ring.particles,
                          std::vector<Vec3>(ring.particles.size()),
                          {},
                          float(double(ring.weight) * sum / double(ring.particles.size()))});
        held += double(ring.weight) * sum;
    }
    const double per_mass = mass / held * omega * omega;  // N/m for a kg of what is held firmly
    for (Grip& grip : grips_) grip.stiffness *= float(per_mass);
    longest_pull_ = float(kHardestPull * model.spacing() / per_mass);
}

void HandPull::place(Vec3 held, Vec3 target, const BodyState& state, std::vector<Grip>& grips)
{
    Vec3 pull = target - held;
    if (const float far = length(pull); far > longest_pull_) pull = pull * (longest_pull_ / far);
    pull = pull * ease_;
    for (Grip& grip : grips_) {
        for (std::size_t k = 0; k < grip.particles.size(); ++k)
            grip.targets[k] = state.positions[std::size_t(grip.particles[k])] + pull;
        grips.push_back(grip);
    }
}

/// As it is, or will be after a step if nothing changes the velocities.
float HandPull::largest_stretch(float dt, const BodyState& state) const
{
    float largest = 0;
    for (std::size_t k = 0; k < rest_lengths_.size(); ++k) {
        const auto [a, b] = (*edges_)[k * stride_];
        const Vec3 now = state.positions[b] - state.positions[a];
        const Vec3 next = now + (state.velocities[b] - state.velocities[a]) * dt;
        largest = std::max(largest, std::max(dot(now, now), dot(next, next)) / (rest_lengths_[k] * rest_lengths_[k]));
    }
    return std::sqrt(largest);
}

void HandPull::calm(double dt, BodyState& state)
{
    const float stretch = largest_stretch(float(dt), state);
    ease_ = std::clamp((kMostStretch - stretch) / (kMostStretch - kLittleStretch), 0.0f, 1.0f);
    for (const Patch::Ring& ring : patch_.rings) {
        const float kept = ease_ * float(std::exp(-kHandDamping * dt * double(ring.weight)));
        for (const std::int32_t i : ring.particles) state.velocities[std::size_t(i)] *= kept;
    }
}

MovingBall::MovingBall(Scene& scene, const Sphere& ball) : at_(ball), wanted_(ball)
{
    double spacing = 0;
    for (const BodyId id : scene.bodies()) spacing = std::max(spacing, scene.model(id).spacing());
    larger_ = std::min(std::hypot(ball.radius, kTriangleReach * spacing) - ball.radius, ball.radius / 2);
    id_ = scene.add(collider());
}

Collider MovingBall::collider() const
{
    return {.shape = Sphere{{}, at_.radius + larger_},
            .friction = kBallFriction,
            .motion = ColliderMotion{.end = {{}, at_.center}}};
}

void MovingBall::advance(Scene& scene)
{
    Vec3d shift = wanted_.center - at_.center;
    const double far = length(shift);
    const double most = kLongestShift * wanted_.radius * std::max(1, scene.settings().substeps);
    if (far > most) shift = shift * (most / far);
    if (at_.radius != wanted_.radius) {
        at_.radius = wanted_.radius;
        (void)scene.replace(id_, collider());
    }
    if (shift == Vec3d{}) return;  // bodies beside a ball at rest may sleep
    at_.center += shift;
    (void)scene.move(id_, {{}, at_.center});
}

}  // namespace yawara::stream
