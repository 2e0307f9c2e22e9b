#include "contact/touch_solver.h"

#include <algorithm>
#include <bit>

#include "contact/meeting.h"
#include "contact/touch_sweeps.h"
#include "core/parallel.h"

namespace yawara::contact {
namespace {

constexpr int kMostSweeps = 16, kSpeedSweeps = 2;
/// Rounds of pairs that share no body; a pair that finds no free one waits for the last, where pairs go one by one.
constexpr std::size_t kRounds = 63;
/// Fewer touches than this are solved on one thread.
constexpr std::size_t kWorthSharing = 400;

}  // namespace

void TouchSolver::add(const BodySurface& surface)
{
    gathered_.push_back({.gathered_index = std::vector<std::int32_t>(surface.rest.size(), -1),
                         .yielding = {},
                         .held = {},
                         .obstacle_planes = {},
                         .ribs = RibTouches(surface)});
}

/// Gives each pair with touches the first round in which neither of its bodies is busy.
void TouchSolver::order(std::span<const NearPair> pairs)
{
    busy_.assign(gathered_.size(), 0);
    round_of_.assign(pairs.size(), -1);
    round_begin_.assign(kRounds + 2, 0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (pairs[k].touches.empty()) continue;
        std::uint64_t &a = busy_[std::size_t(pairs[k].a)], &b = busy_[std::size_t(pairs[k].b)];
        const std::size_t round = std::min(std::size_t(std::countr_one(a | b)), kRounds);
        if (round < kRounds) {
            a |= std::uint64_t{1} << round;
            b |= std::uint64_t{1} << round;
        }
        round_of_[k] = std::int32_t(round);
        ++round_begin_[round + 1];
    }
    for (std::size_t r = 1; r < round_begin_.size(); ++r) round_begin_[r] += round_begin_[r - 1];
    rounds_.resize(round_begin_.back());
    for (std::size_t k = pairs.size(); k-- > 0;)
        if (round_of_[k] >= 0) rounds_[--round_begin_[std::size_t(round_of_[k]) + 1]] = std::int32_t(k);
    // The loop above counted each round's end down to its begin.
    round_begin_.erase(round_begin_.begin());
    round_begin_.push_back(rounds_.size());
    while (round_begin_.size() > 1 && round_begin_[round_begin_.size() - 2] == rounds_.size()) round_begin_.pop_back();
    worth_sharing_.assign(round_begin_.size(), 0);
    for (std::size_t r = 0; r + 1 < std::min(round_begin_.size(), kRounds + 1); ++r) {
        std::size_t touches = 0;
        for (std::size_t k = round_begin_[r]; k < round_begin_[r + 1]; ++k)
            touches += pairs[std::size_t(rounds_[k])].touches.size();
        worth_sharing_[r] = touches >= kWorthSharing && round_begin_[r + 1] - round_begin_[r] > 1;
    }
}

/// Lists the particles of all touches, as yielding for now: prepare() sorts out those that are held.
void TouchSolver::list_particles(std::span<const NearPair> pairs)
{
    for (GatheredBody& gathered : gathered_) {
        gathered.yielding.clear();
        gathered.held.clear();
    }
    for (const std::int32_t k : rounds_) {
        const NearPair& pair = pairs[std::size_t(k)];
        GatheredBody &a = gathered_[std::size_t(pair.a)], &b = gathered_[std::size_t(pair.b)];
        for (std::size_t t = 0; t < pair.touches.size(); ++t) {
            const Touch& touch = pair.touches[t];
            for (std::size_t c = 0; c < 4; ++c) {
                GatheredBody& gathered = (c < std::size_t(touch.own_count)) == (t >= pair.b_touches) ? a : b;
                std::int32_t& index = gathered.gathered_index[std::size_t(touch.particles[c])];
                if (index < 0) gathered.yielding.push_back(touch.particles[c]);
                index = 0;
            }
        }
    }
}

/// Adds the ribs of a body and the obstacles near it, and numbers its gathered particles.
void TouchSolver::prepare(const ContactBody& body, std::span<const Collider> colliders, float dt,
                          GatheredBody& gathered)
{
    gathered.touched = int(gathered.yielding.size());
    gathered.ribs.clear();
    gathered.obstacle_planes.clear();
    if (!body.asleep) {
        std::erase_if(gathered.yielding, [&](std::int32_t i) {
            const bool held = !(body.inverse_masses[std::size_t(i)] > 0);
            if (held) gathered.held.push_back(i);
            return held;
        });
        if (body.thin() && (body.pressed || !gathered.yielding.empty()))
            gathered.ribs.find(body, dt, gathered.yielding);
    }
    for (std::size_t k = 0; k < gathered.yielding.size(); ++k)
        gathered.gathered_index[std::size_t(gathered.yielding[k])] = std::int32_t(k);
    for (std::size_t k = 0; k < gathered.held.size(); ++k)
        gathered.gathered_index[std::size_t(gathered.held[k])] = std::int32_t(gathered.yielding.size() + k);
    for (const Touch& rib : gathered.ribs.touches())
        for (const std::int32_t i : rib.particles)
            if (gathered.gathered_index[std::size_t(i)] < 0) {
                gathered.gathered_index[std::size_t(i)] = std::int32_t(gathered.yielding.size() + gathered.held.size());
                gathered.held.push_back(i);
            }
    if (!body.asleep && !gathered.yielding.empty() && !colliders.empty())
        find_obstacle_planes(body, colliders, dt, gathered);
}

/// Obstacles that touched particles can be pushed into.
void TouchSolver::find_obstacle_planes(const ContactBody& body, std::span<const Collider> colliders, float dt,
                                       GatheredBody& gathered) const
{
    const float reach = length(body.motion.drift) + body.motion.deviation + body.reach();
    Box3 box;
    for (const std::int32_t i : gathered.yielding) box.add(body.positions_before[std::size_t(i)].as<double>());
    box.low = box.low - Vec3d{1, 1, 1} * double(reach);
    box.high = box.high + Vec3d{1, 1, 1} * double(reach);
    for (const Collider& collider : colliders) {
        if (is_clear_of(collider, box)) continue;
        for (std::size_t k = 0; k < gathered.yielding.size(); ++k) {
            const auto i = std::size_t(gathered.yielding[k]);
            const Vec3 before = body.positions_before[i], start = relative_start(collider, before).start;
            const Sample here = sample(collider, start);
            if (here.distance > double(reach + length(start - before))) continue;
            const Vec3 n = here.normal.as<float>();
            gathered.obstacle_planes.push_back(
                {std::int32_t(k), to_lanes(n), float(here.distance) - dot(n, start - before)});
            // Obstacles have moved these already; touches start from where their velocities lead.
            body.positions[i] = body.positions_before[i] + body.velocities[i] * dt;
        }
    }
}

/// then(particle of the body, its index among all gathered ones).
template <class Then>
void TouchSolver::for_each_gathered(std::size_t body, const Then& then) const
{
    const GatheredBody& gathered = gathered_[body];
    std::size_t index = gathered.begin;
    for (const std::int32_t i : gathered.yielding) then(std::size_t(i), index++);
    for (const std::int32_t i : gathered.held) then(std::size_t(i), index++);
}

void TouchSolver::gather(std::span<const ContactBody> bodies, std::span<NearPair> pairs)
{
    std::size_t count = 0;
    for (GatheredBody& gathered : gathered_) {
        gathered.begin = count;
        count += gathered.yielding.size() + gathered.held.size();
    }
    displacements_.resize(count);
    velocities_.resize(count);
    read_displacements(bodies);
    const auto index = [&](std::size_t body, std::int32_t particle) {
        return std::int32_t(gathered_[body].begin) + gathered_[body].gathered_index[std::size_t(particle)];
    };
    for_each_task(rounds_.size(), [&](std::size_t k) {
        NearPair& pair = pairs[std::size_t(rounds_[k])];
        for (std::size_t t = 0; t < pair.touches.size(); ++t)
            for (std::size_t c = 0; c < 4; ++c) {
                Touch& touch = pair.touches[t];
                const bool of_a = (c < std::size_t(touch.own_count)) == (t >= pair.b_touches);
                touch.particles[c] = index(std::size_t(of_a ? pair.a : pair.b), touch.particles[c]);
            }
    });
    for (std::size_t body = 0; body < gathered_.size(); ++body) {
        GatheredBody& gathered = gathered_[body];
        for (Touch& rib : gathered.ribs.touches())
            for (std::int32_t& particle : rib.particles) particle = index(body, particle);
        for (const std::int32_t i : gathered.yielding) gathered.gathered_index[std::size_t(i)] = -1;
        for (const std::int32_t i : gathered.held) gathered.gathered_index[std::size_t(i)] = -1;
    }
}

void TouchSolver::read_displacements(std::span<const ContactBody> bodies)
{
    for_each_task(bodies.size(), [&](std::size_t k) {
        for_each_gathered(k, [&](std::size_t i, std::size_t index) {
            displacements_[index] = to_lanes(bodies[k].positions[i] - bodies[k].positions_before[i]);
        });
    });
}

/// solve(pair) for all pairs with touches.
template <class Solve>
void TouchSolver::sweep(std::span<NearPair> pairs, const Solve& solve)
{
    const FlushDenormals flush;
    const auto one = [&](std::size_t k) { solve(pairs[std::size_t(rounds_[k])]); };
    for (std::size_t round = 0; round + 1 < round_begin_.size(); ++round) {
        const std::size_t begin = round_begin_[round], end = round_begin_[round + 1];
        if (worth_sharing_[round])
            for_each_task(end - begin, [&](std::size_t k) {
                const FlushDenormals also_here;
                one(begin + k);
            });
        else
            for (std::size_t k = begin; k < end; ++k) one(k);
    }
}

void TouchSolver::sweep_displacements(std::span<NearPair> pairs, float enough)
{
    for (int k = 0; k < kMostSweeps; ++k) {
        sweep(pairs, [&](NearPair& pair) {
            pair.largest_move =
                solve_displacements(pair.touches, pair.law.friction, pair.budget, displacements_.data()) /
                pair.law.thickness;
        });
        float largest_move = 0;
        for (GatheredBody& gathered : gathered_) {
            if (!gathered.ribs.touches().empty()) {
                float no_friction = 0;
                largest_move = std::max(
                    largest_move, solve_displacements(gathered.ribs.touches(), 0, no_friction, displacements_.data()) /
                                      gathered.ribs.thickness());
            }
            keep_out(gathered);
        }
        for (const std::int32_t pair : rounds_)
            largest_move = std::max(largest_move, pairs[std::size_t(pair)].largest_move);
        if (largest_move < enough) break;
    }
}

void TouchSolver::keep_out(const GatheredBody& gathered)
{
    for (const ObstaclePlane& plane : gathered.obstacle_planes) {
        Lanes& displacement = displacements_[gathered.begin + std::size_t(plane.particle)];
        const float height = plane.height + dot(plane.normal, displacement);
        if (height < 0) displacement -= plane.normal * height;
    }
}

/// Displacements of the sweeps also change the speeds, by displacement over dt; then speeds are swept on their own.
void TouchSolver::sweep_velocities(std::span<const ContactBody> bodies, std::span<NearPair> pairs, float dt)
{
    const float per_dt = 1 / dt;
    for_each_task(bodies.size(), [&](std::size_t k) {
        const ContactBody& body = bodies[k];
        for_each_gathered(k, [&](std::size_t i, std::size_t index) {
            const Vec3 moved = to_vec3(displacements_[index]) - (body.positions[i] - body.positions_before[i]);
            velocities_[index] = to_lanes(body.velocities[i] + moved * per_dt);
            if (!body.asleep) body.positions[i] += moved;
        });
    });
    for (int k = 0; k < kSpeedSweeps; ++k) {
        sweep(pairs,
              [&](NearPair& pair) { solve_velocities(pair.touches, pair.law.friction, dt, velocities_.data()); });
        for (GatheredBody& gathered : gathered_) solve_velocities(gathered.ribs.touches(), 0, dt, velocities_.data());
    }
}

void TouchSolver::scatter(std::span<const ContactBody> bodies)
{
    for_each_task(bodies.size(), [&](std::size_t k) {
        if (!bodies[k].asleep)
            for_each_gathered(
                k, [&](std::size_t i, std::size_t index) { bodies[k].velocities[i] = to_vec3(velocities_[index]); });
    });
}

void TouchSolver::count_pushed(std::span<const NearPair> pairs)
{
    pushed_.assign(displacements_.size(), 0);
    for (const std::int32_t k : rounds_)
        for (const Touch& touch : pairs[std::size_t(k)].touches)
            if (touch.move > 0)
                for (const std::int32_t index : touch.particles) pushed_[std::size_t(index)] = 1;
    for (GatheredBody& gathered : gathered_) {
        const auto begin = pushed_.begin() + std::ptrdiff_t(gathered.begin);
        gathered.touched =
            int(std::count(begin, begin + std::ptrdiff_t(gathered.yielding.size() + gathered.held.size()), 1));
    }
}

void TouchSolver::solve(std::span<const ContactBody> bodies, std::span<NearPair> pairs,
                        std::span<const Collider> colliders, float dt, float enough)
{
    order(pairs);
    list_particles(pairs);
    for_each_task(bodies.size(), [&](std::size_t k) { prepare(bodies[k], colliders, dt, gathered_[k]); });
    gather(bodies, pairs);
    sweep_displacements(pairs, enough);
    sweep_velocities(bodies, pairs, dt);
    scatter(bodies);
    // Touches of thin bodies are found in case their ribs stop them: only some of these touches push.
    if (std::any_of(bodies.begin(), bodies.end(), [](const ContactBody& body) { return body.thin(); }))
        count_pushed(pairs);
}

float TouchSolver::deepest(const NearPair& pair) const
{
    float deepest = 0;
    for (const Touch& touch : pair.touches) deepest = std::max(deepest, -gap(touch, displacements_.data()));
    return deepest;
}

}  // namespace yawara::contact
