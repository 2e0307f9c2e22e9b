// Soft grips and a collider that is replaced in every step: the engine itself knows hands and moving obstacles no
// better.
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
// 1/s^2, of what is held, for each metre of spacing: three tenths of it in a usual step.
constexpr double kHardestPull = 0.3 * 300 * 300;
// Of neighbours: from the first on a hand pulls ever less, at the second not at all.
constexpr float kLittleStretch = 1.5f, kMostStretch = 2.2f;
constexpr std::size_t kMostNeighbours = 200;
constexpr std::size_t kRings = 8;
constexpr double kLongestShift = 0.25;  // of the ball's radius, in a step
constexpr float kBallFriction = 0.3f;

/// For some of the particles, the nearest other one.
void find_neighbours(std::span<const std::int32_t> particles, std::span<const Vec3d> rest, Patch& patch)
{
    for (std::size_t k = 0; k < particles.size(); k += particles.size() / kMostNeighbours + 1) {
        std::int32_t nearest = -1;
        double least = 0;
        for (const std::int32_t other : particles) {
            const double away = length(rest[std::size_t(other)] - rest[std::size_t(particles[k])]);
            if (other == particles[k] || (nearest >= 0 && away >= least) || away == 0) continue;
            nearest = other;
            least = away;
        }
        if (nearest < 0) continue;
        patch.neighbours.push_back({particles[k], nearest});
        patch.distances.push_back(float(least));
    }
}

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
    std::vector<std::int32_t> around;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const double share = length(rest[i] - rest[std::size_t(middle)]) / radius;
        if (share < 1.5) around.push_back(std::int32_t(i));
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
    find_neighbours(around, rest, patch);
    return patch;
}

HandPull::HandPull(const BodyModel& model, Patch patch) : patch_(std::move(patch))
{
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
    float stretch = 0;
    for (std::size_t k = 0; k < patch_.neighbours.size(); ++k) {
        const auto [a, b] = patch_.neighbours[k];
        stretch = std::max(
            stretch, length(state.positions[std::size_t(a)] - state.positions[std::size_t(b)]) / patch_.distances[k]);
    }
    pull = pull * std::clamp((kMostStretch - stretch) / (kMostStretch - kLittleStretch), 0.0f, 1.0f);
    for (Grip& grip : grips_) {
        for (std::size_t k = 0; k < grip.particles.size(); ++k)
            grip.targets[k] = state.positions[std::size_t(grip.particles[k])] + pull;
        grips.push_back(grip);
    }
}

void HandPull::calm(double dt, BodyState& state) const
{
    for (const Patch::Ring& ring : patch_.rings) {
        const auto kept = float(std::exp(-kHandDamping * dt * double(ring.weight)));
        for (const std::int32_t i : ring.particles) state.velocities[std::size_t(i)] *= kept;
    }
}

MovingBall::MovingBall(Scene& scene, const Sphere& ball) : at_(ball), wanted_(ball)
{
    double spacing = 0;
    for (const BodyId id : scene.bodies()) spacing = std::max(spacing, scene.model(id).spacing());
    larger_ = std::min(std::hypot(ball.radius, spacing / 2) - ball.radius, ball.radius / 2);
    id_ = scene.add(collider());
}

Collider MovingBall::collider() const
{
    return {Sphere{at_.center, at_.radius + larger_}, kBallFriction, 0.0f};
}

void MovingBall::advance(Scene& scene, double dt)
{
    Vec3d shift = wanted_.center - at_.center;
    const double far = length(shift), most = kLongestShift * wanted_.radius;
    if (far > most) shift = shift * (most / far);
    velocity_ = shift / dt;
    if (shift == Vec3d{} && at_.radius == wanted_.radius) return;  // bodies beside a ball at rest may sleep
    at_ = {at_.center + shift, wanted_.radius};
    (void)scene.replace(id_, collider());
}

void MovingBall::push(Scene& scene) const
{
    if (velocity_ == Vec3d{}) return;
    const Vec3 center = at_.center.as<float>(), velocity = velocity_.as<float>();
    const auto reach = float((at_.radius + larger_) * 1.001);
    for (const BodyId id : scene.bodies()) {
        BodyState& state = scene.state(id);
        for (std::size_t i = 0; i < state.positions.size(); ++i) {
            const Vec3 away = state.positions[i] - center;
            const float distance = length(away);
            if (distance > reach || distance == 0) continue;
            const Vec3 normal = away / distance;
            const float approach = dot(state.velocities[i] - velocity, normal);
            if (approach < 0) state.velocities[i] += normal * -approach;
        }
    }
}

}  // namespace yawara::stream
