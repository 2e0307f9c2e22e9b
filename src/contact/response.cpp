// The contact rule: sweeps over the obstacles near a particle until it is free of all of them.
#include "contact/response.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <limits>
#include <optional>

#include "contact/meeting.h"
#include "core/parallel.h"

namespace yawara::contact {
namespace {

constexpr std::size_t kChunk = 256;  // particles
constexpr int kResponseSweeps = 12;

/// The obstacles that particles of one chunk can reach.
class Nearby {
public:
    /// `box` holds all positions before and after.
    Nearby(std::span<const Collider> all, const Box3& box, Clearances* clearances)
        : all_(all), box_(box), clearances_(clearances)
    {
        for (const Collider& collider : all) {
            if (is_clear_of(collider, box_)) continue;
            if (count_ == list_.size()) {
                box_ = {};  // too many: everything is near
                return;
            }
            list_[count_++] = &collider;
        }
    }

    bool empty() const { return count_ == 0 && !box_.empty(); }

    /// visit(collider) for all that x, or the displacement to it from inside the chunk, may touch.
    template <class Visit>
    void visit(Vec3 x, Visit&& visit) const
    {
        const Vec3d p = x.as<double>();
        const bool in_box = p == min(max(p, box_.low), box_.high);
        if (in_box) {
            for (std::size_t k = 0; k < count_; ++k) visit(*list_[k]);
        } else {
            for (const Collider& collider : all_) visit(collider);
        }
    }

    /// Whether a particle that came to x by a path of this length is clear of one of them.
    bool is_clear(const Collider& collider, std::size_t particle, Vec3 x, double path) const
    {
        const std::span<ClearBall> balls =
            clearances_ ? clearances_->about(std::size_t(&collider - all_.data())) : std::span<ClearBall>();
        return balls.empty() ? is_clear_of(collider, x, path) : is_clear_of(collider, x, path, balls[particle]);
    }

private:
    std::span<const Collider> all_;
    Box3 box_;  ///< beyond it the list does not hold
    Clearances* clearances_;
    std::array<const Collider*, 64> list_;
    std::size_t count_ = 0;
};

/// A touched surface, flat as seen from the particle: n . x >= offset is free.
struct Wall {
    const Collider* collider;
    Vec3d normal;
    double offset;
};

/// The last few walls a particle touched. Pushing it out of one may push it into another: in a narrow groove that would
/// go on for long, so it is moved to the edge or corner of the walls at once.
class Walls {
public:
    Vec3d push_out(Vec3d x, const Wall& wall)
    {
        remember(wall);
        Vec3d pushed = x + wall.normal * (wall.offset - dot(wall.normal, x));
        std::array<const Wall*, 3> active{&wall};
        std::size_t count = 1;
        for (std::size_t k = 0; k < count_ && count < 3; ++k) {
            const Wall& other = list_[k];
            if (other.collider == wall.collider || dot(other.normal, pushed) >= other.offset) continue;
            active[count++] = &other;
            pushed = onto_all(x, {active.data(), count}, pushed);
        }
        return pushed;
    }

private:
    void remember(const Wall& wall)
    {
        for (std::size_t k = 0; k < count_; ++k) {
            if (list_[k].collider == wall.collider) {
                list_[k] = wall;
                return;
            }
        }
        if (count_ < list_.size()) {
            list_[count_++] = wall;
        } else {
            std::rotate(list_.begin(), list_.begin() + 1, list_.end());
            list_.back() = wall;
        }
    }

    /// The point closest to x on two or three walls together, or `otherwise` if they are parallel.
    static Vec3d onto_all(Vec3d x, std::span<const Wall* const> walls, Vec3d otherwise)
    {
        const Wall &a = *walls[0], &b = *walls[1];
        Vec3d third = cross(a.normal, b.normal);
        double third_offset = dot(third, x);
        if (walls.size() == 3) {
            third = walls[2]->normal;
            third_offset = walls[2]->offset;
        }
        const double det = dot(a.normal, cross(b.normal, third));
        if (std::abs(det) < 1e-8) return otherwise;
        return (cross(b.normal, third) * a.offset + cross(third, a.normal) * b.offset +
                cross(a.normal, b.normal) * third_offset) /
               det;
    }

    std::array<Wall, 4> list_;
    std::size_t count_ = 0;
};

/// What friction did to a particle, or could do if others of its body lent it theirs.
struct Slide {
    double speed = 0;         ///< along the surface, before friction, m/s
    double grip = 0;          ///< most that friction may take of the speed, m/s
    Vec3 held_x{}, held_v{};  ///< position and velocity of the particle if friction took all of the speed
    double share = 0;         ///< of the motion along the surface that friction took, 0..1
    double fiber_share = 0;   ///< share that it took of the motion along `fiber`, 0..1
    Vec3d fiber{};            ///< direction of the fibre along the surface, unit; zero: friction has no direction

    bool slips() const { return speed > grip; }
    Vec3d taken(Vec3d motion) const { return motion * share + fiber * (dot(fiber, motion) * (fiber_share - share)); }
};

struct Particle {
    Vec3 x, v;
    int touches = 0;
    bool wedged = false;
    const Collider* carrier = nullptr;  ///< the last obstacle it touched that moves
    Slide slide{};                      ///< of the last touch
};

/// The impulse of most dissipation among those that Coulomb allows, |J / mu| <= pressure, with a mu of its own along
/// the fibre; no part of it turns its motion around.
void rub(Vec3d along, double pressure, Vec3 fiber, Vec3d n, const Collider& collider, Slide& slide)
{
    const double mu = double(collider.friction), fiber_mu = double(collider.friction_along.value_or(collider.friction));
    Vec3d axis = fiber.as<double>();
    axis = axis - n * dot(n, axis);
    if (mu != fiber_mu && length(axis) > 1e-3) slide.fiber = normalized(axis);
    const double lengthwise = dot(slide.fiber, along), all = dot(along, along), part = lengthwise * lengthwise;
    const double size = std::sqrt(fiber_mu * fiber_mu * part + mu * mu * std::max(all - part, 0.0));
    const auto share = [&](double m) { return size > 0 ? std::min(1.0, m * m * pressure / size) : m > 0 ? 1.0 : 0.0; };
    slide.share = share(mu);
    slide.fiber_share = share(fiber_mu);
}

/// Restitution along the normal, Coulomb friction across it, of the velocity relative to the obstacle.
Slide bounce(Vec3& velocity, const Meeting& met, double restitution, Vec3 fiber, const Collider& collider)
{
    const Vec3d n = met.normal, obstacle = met.relative.velocity, v = velocity.as<double>() - obstacle;
    const double towards = dot(n, v);
    const Vec3d along = v - n * towards;
    if (!(towards < 0)) return {length(along), 0, {}, (n * towards + obstacle).as<float>()};
    const double change = (1 + restitution) * -towards;
    const Vec3d away = n * (-restitution * towards) + obstacle;
    Slide slide{length(along), double(collider.friction) * change, {}, away.as<float>()};
    rub(along, change, fiber, n, collider, slide);
    velocity = (along - slide.taken(along) + away).as<float>();
    return slide;
}

/// Smallest distance to any obstacle, and which.
std::pair<Sample, const Collider*> closest(const Nearby& nearby, Vec3 x)
{
    std::pair<Sample, const Collider*> best{{std::numeric_limits<double>::infinity(), {}}, nullptr};
    nearby.visit(x, [&](const Collider& collider) {
        const Sample here = sample(collider, x);
        if (here.distance < best.first.distance) best = {here, &collider};
    });
    return best;
}

/// Whether a particle may be here: outside of all obstacles, and through none since the step began.
bool is_free(const Nearby& nearby, Vec3 before, Vec3 x)
{
    bool free = true;
    nearby.visit(
        x, [&](const Collider& collider) { free = free && !(meet(collider, before, x).distance < -rounding(x)); });
    return free;
}

/// No free place was found next to the obstacles.
void give_up(const Nearby& nearby, Vec3 before, Vec3 after, Particle& particle)
{
    if (is_free(nearby, before, before)) {
        particle.x = before;
        particle.v = {};
        return;
    }
    particle.wedged = true;
    const auto [deepest, collider] = closest(nearby, after);
    particle.x = (after.as<double>() - deepest.normal * std::min(deepest.distance, 0.0)).as<float>();
    particle.v = collider ? velocity_at(*collider, particle.x.as<double>()).as<float>() : Vec3{};
}

/// Most particles: too far from everything for their displacement to matter.
bool is_clear(const Nearby& nearby, std::size_t particle, Vec3 before, Vec3 after)
{
    const double displacement = length((after - before).as<double>()) + rounding(after);
    bool clear = true;
    nearby.visit(after, [&](const Collider& collider) {
        if (!clear) return;
        if (!collider.motion || !collider.motion->moves()) {
            clear = nearby.is_clear(collider, particle, after, displacement);
        } else {
            const Vec3 start = relative_start(collider, before).start;
            const double path = length((after - start).as<double>()) + rounding(after);
            clear = nearby.is_clear(collider, particle, after, path);
        }
    });
    return clear;
}

Particle resolve(const Nearby& nearby, Vec3 before, Vec3 velocity_before, Vec3 after, Vec3 velocity, Vec3 fiber,
                 Friction friction)
{
    Particle particle{after, velocity};
    Walls walls;
    for (int sweep = 0; sweep < kResponseSweeps; ++sweep) {
        bool free = true;
        nearby.visit(particle.x, [&](const Collider& collider) {
            const Meeting met = meet(collider, before, particle.x);
            if (!(met.distance < (sweep == 0 && !met.passed ? 0 : -rounding(particle.x)))) return;
            const Vec3d n = met.normal;
            Vec3d x = particle.x.as<double>();
            const Vec3d displacement = x - met.relative.start.as<double>();
            double inside = 1;  // share of the displacement since the surface was reached
            double surface = dot(n, x) - met.distance;
            if (met.passed) {
                // Stopped where it entered, it goes on along the surface: a particle held back while its velocity
                // stays would gather speed from step to step.
                inside = met.inside;
                x = x - n * met.distance;
                surface = dot(n, x);
            } else if (const double deeper = -dot(n, displacement); deeper > -met.distance) {
                inside = -met.distance / deeper;
            }
            const Vec3d along = (displacement - n * dot(n, displacement)) * inside, held = x - along;
            Slide& slide = particle.slide;
            const bool bounces =
                friction == Friction::per_particle && dot(n, velocity_before.as<double>() - met.relative.velocity) < 0;
            slide = bounce(particle.v, met, bounces ? double(collider.restitution) : 0.0, fiber, collider);
            slide.held_x = (held + n * (surface - dot(n, held))).as<float>();
            const Vec3d slowed = particle.touches == 0 ? x - slide.taken(along) : x;  // once in a step
            particle.x = walls.push_out(slowed, {&collider, n, surface}).as<float>();
            if (collider.motion && collider.motion->moves()) particle.carrier = &collider;
            ++particle.touches;
            free = false;
        });
        if (free) return particle;
    }
    if (!is_free(nearby, before, particle.x)) give_up(nearby, before, after, particle);
    return particle;
}

/// Touching particles of a body that share their friction: those that would slide alone are listed.
class Patch {
public:
    void add(std::size_t particle, const Slide& slide, double mass)
    {
        spare_ += mass * (slide.grip - slide.speed);
        if (slide.slips()) sliding_[count_++] = {particle, slide};
    }
    /// Whether the friction of all particles together stops all of them.
    bool holds() const { return spare_ >= 0; }
    std::span<const std::pair<std::size_t, Slide>> sliding() const { return {sliding_.data(), count_}; }

private:
    std::array<std::pair<std::size_t, Slide>, kChunk> sliding_;
    std::size_t count_ = 0;
    double spare_ = 0;  ///< friction left, kg m/s
};

template <class ParticleAt>
ObstacleReport resolve_all(std::size_t count, const ParticleAt& particle_at, std::span<const Collider> colliders,
                           std::span<const Vec3> before, std::span<const Vec3> velocities_before,
                           std::span<Vec3> positions, std::span<Vec3> velocities, Friction friction,
                           std::span<const float> masses, std::span<const Vec3> fibers, Clearances* clearances)
{
    assert(velocities_before.size() == velocities.size());
    assert(before.size() == positions.size() && before.size() == velocities.size());
    std::atomic<int> contacts = 0, sliding = 0, wedged = 0;
    std::atomic<float> deepest = 0.0f;
    std::atomic<std::size_t> carrier = colliders.size();
    for_each_chunk(count, kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        Box3 box;
        for (std::size_t k = first; k < last; ++k) {
            const std::size_t i = particle_at(k);
            box.add(before[i].as<double>());
            box.add(positions[i].as<double>());
        }
        const Nearby nearby(colliders, box, clearances);
        if (nearby.empty()) return;
        ContactReport here;
        Patch patch;
        for (std::size_t k = first; k < last; ++k) {
            const std::size_t i = particle_at(k);
            if (is_clear(nearby, i, before[i], positions[i])) continue;
            const Particle particle = resolve(nearby, before[i], velocities_before[i], positions[i], velocities[i],
                                              fibers.empty() ? Vec3{} : fibers[i], friction);
            if (particle.touches == 0) continue;
            ++here.contacts;
            here.wedged += particle.wedged;
            here.deepest = std::max(here.deepest, length(particle.x - positions[i]));
            positions[i] = particle.x;
            velocities[i] = particle.v;
            if (particle.carrier) {
                const auto index = std::size_t(particle.carrier - colliders.data());
                for (std::size_t seen = carrier; index < seen && !carrier.compare_exchange_weak(seen, index);) {
                }
            }
            if (particle.touches == 1) patch.add(i, particle.slide, masses.empty() ? 1 : double(masses[i]));
        }
        if (!patch.holds()) {
            sliding += here.contacts;
        } else if (friction == Friction::shared) {
            for (const auto& [i, slide] : patch.sliding()) {
                positions[i] = slide.held_x;
                velocities[i] = slide.held_v;
            }
        }
        contacts += here.contacts;
        wedged += here.wedged;
        for (float seen = deepest; seen < here.deepest && !deepest.compare_exchange_weak(seen, here.deepest);) {
        }
    });
    ObstacleReport report;
    report.contacts = contacts;
    report.sliding = sliding;
    report.deepest = deepest;
    report.wedged = wedged;
    if (carrier < colliders.size()) report.carrier = &colliders[carrier];
    return report;
}

}  // namespace

ObstacleReport resolve_contacts(std::span<const Collider> colliders, std::span<const Vec3> before,
                                std::span<const Vec3> velocities_before, std::span<Vec3> positions,
                                std::span<Vec3> velocities, Friction friction, std::span<const float> masses,
                                std::span<const Vec3> fibers, Clearances* clearances)
{
    if (clearances) clearances->renew(colliders, positions.size());
    return resolve_all(
        positions.size(), [](std::size_t k) { return k; }, colliders, before, velocities_before, positions, velocities,
        friction, masses, fibers, clearances);
}

ObstacleReport resolve_contacts_of(std::span<const std::int32_t> particles, std::span<const Collider> colliders,
                                   std::span<const Vec3> before, std::span<const Vec3> velocities_before,
                                   std::span<Vec3> positions, std::span<Vec3> velocities)
{
    return resolve_all(particles.size(), [&](std::size_t k) { return std::size_t(particles[k]); }, colliders, before,
                       velocities_before, positions, velocities, Friction::per_particle, {}, {}, nullptr);
}

}  // namespace yawara::contact
