#include "contact/touch_solver.h"

#include <algorithm>
#include <bit>

#include "contact/meeting.h"
#include "contact/touch_sweeps.h"
#include "core/parallel.h"

namespace yawara::contact {
namespace {

constexpr int kMostSweeps = 16, kSpeedSweeps = 2;
/// With rigid bodies, which hand on what pushes them at once: a stack has to hold.
constexpr int kMostRigidSweeps = 60, kRigidSpeedSweeps = 20;
/// A touch of rigid bodies is as good as still when it moves by less than this share of the thickness.
constexpr double kRigidEnough = 1e-3;
/// A joint is as good as still when it moves by less than this share of the size of its bodies, or turns by this, rad.
constexpr double kLinkEnough = 1e-6;
/// Rounds of pairs that share no body; a pair that finds no free one waits for the last, where pairs go one by one.
constexpr std::size_t kRounds = 63;
/// Fewer touches than this are solved on one thread.
constexpr std::size_t kWorthSharing = 400;
/// Pairs go side by side if they have more touches than this for each row; a row costs two touches.
constexpr float kWorthRows = 2.2f;

bool is_rigid(std::span<const ContactBody> bodies, const NearPair& pair)
{
    return bodies[std::size_t(pair.a)].rigid || bodies[std::size_t(pair.b)].rigid;
}

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
        worth_sharing_[r] = touches >= kWorthSharing;
    }
}

/// Pairs with about as many touches go side by side. In the last round, whose pairs may share bodies, one by one.
void TouchSolver::form_squads(std::span<const ContactBody> bodies, std::span<NearPair> pairs)
{
    squads_.clear();
    squad_begin_.assign(1, 0);
    for (std::size_t r = 0; r + 1 < round_begin_.size(); ++r) {
        by_touches_.clear();
        for (std::size_t k = round_begin_[r]; k < round_begin_[r + 1]; ++k) {
            if (is_rigid(bodies, pairs[std::size_t(rounds_[k])]) || r == kRounds)
                squads_.push_back({{rounds_[k]}, 1});
            else
                by_touches_.push_back(rounds_[k]);
        }
        std::sort(by_touches_.begin(), by_touches_.end(), [&](std::int32_t a, std::int32_t b) {
            const std::size_t of_a = pairs[std::size_t(a)].touches.size(), of_b = pairs[std::size_t(b)].touches.size();
            return of_a != of_b ? of_a > of_b : a < b;
        });
        for (std::size_t k = 0; k < by_touches_.size(); k += kLanes) {
            const std::size_t end = std::min(k + kLanes, by_touches_.size());
            std::size_t touches = 0;
            for (std::size_t l = k; l < end; ++l) touches += pairs[std::size_t(by_touches_[l])].touches.size();
            const bool together =
                float(touches) > kWorthRows * float(pairs[std::size_t(by_touches_[k])].touches.size());
            for (std::size_t l = k; l < end; ++l) {
                if (l == k || !together) squads_.emplace_back();
                squads_.back().pairs[squads_.back().count++] = by_touches_[l];
            }
        }
        squad_begin_.push_back(squads_.size());
    }
    if (rows_.size() < squads_.size()) rows_.resize(squads_.size());
    for (std::size_t k = 0; k < squads_.size(); ++k) {
        if (squads_[k].count == 1) continue;
        std::array<TouchRows::Pair, kLanes> side_by_side;
        for (std::size_t lane = 0; lane < squads_[k].count; ++lane) {
            NearPair& pair = pairs[std::size_t(squads_[k].pairs[lane])];
            side_by_side[lane] = {pair.touches, pair.law.friction, pair.law.thickness};
        }
        rows_[k].begin({side_by_side.data(), squads_[k].count});
    }
}

/// Lists the particles of all touches, as yielding for now: prepare() sorts out those that are held.
void TouchSolver::list_particles(std::span<const NearPair> pairs, const Links& links)
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
    for (GatheredBody& gathered : gathered_) gathered.touched = int(gathered.yielding.size());
    links.for_each_particle([&](std::int32_t body, std::int32_t particle) {
        GatheredBody& gathered = gathered_[std::size_t(body)];
        std::int32_t& index = gathered.gathered_index[std::size_t(particle)];
        if (index < 0) gathered.yielding.push_back(particle);
        index = 0;
    });
}

/// Finds the posts of a soft body and lists their particles with the others.
void TouchSolver::list_posts(const ContactBody& body, GatheredBody& gathered)
{
    gathered.posts.clear();
    if (body.asleep || body.rigid) return;
    gathered.posts.find(body);
    for (const PostTouches::Group& group : gathered.posts.groups())
        for (const Touch& touch : group.touches)
            for (std::size_t c = 0; c < 3; ++c) {
                std::int32_t& index = gathered.gathered_index[std::size_t(touch.particles[c])];
                if (index < 0) gathered.yielding.push_back(touch.particles[c]);
                index = 0;
            }
}

/// Adds the posts and ribs of a body and the obstacles near it, and numbers its gathered particles.
void TouchSolver::prepare(const ContactBody& body, float dt, GatheredBody& gathered)
{
    gathered.ribs.clear();
    gathered.obstacle_planes.clear();
    gathered.obstacle_impulse = {};
    list_posts(body, gathered);
    if (!body.asleep) {
        std::erase_if(gathered.yielding, [&](std::int32_t i) {
            const bool held = body.rigid || !(body.inverse_masses[std::size_t(i)] > 0);
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
    if (body.rigid) return gathered.rigid_obstacles.find(body);
    if (!body.asleep && !gathered.yielding.empty() && !body.colliders.empty()) find_obstacle_planes(body, dt, gathered);
}

/// Obstacles that touched particles can be pushed into.
void TouchSolver::find_obstacle_planes(const ContactBody& body, float dt, GatheredBody& gathered) const
{
    const float reach = length(body.motion.drift) + body.motion.deviation + body.reach();
    Box3 box;
    for (const std::int32_t i : gathered.yielding) box.add(body.positions_before[std::size_t(i)].as<double>());
    box.low = box.low - Vec3d{1, 1, 1} * double(reach);
    box.high = box.high + Vec3d{1, 1, 1} * double(reach);
    for (const Collider& collider : body.colliders) {
        if (is_clear_of(collider, box)) continue;
        for (std::size_t k = 0; k < gathered.yielding.size(); ++k) {
            const auto i = std::size_t(gathered.yielding[k]);
            const Vec3 before = body.positions_before[i], start = relative_start(collider, before).start;
            const Sample here = sample(collider, start);
            if (here.distance > double(reach + length(start - before))) continue;
            const Vec3 n = here.normal.as<float>();
            gathered.obstacle_planes.push_back({std::int32_t(k), to_lanes(n),
                                                float(here.distance) - dot(n, start - before),
                                                1 / body.inverse_masses[i]});
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

void TouchSolver::gather(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links, float dt)
{
    std::size_t count = 0;
    for (GatheredBody& gathered : gathered_) {
        gathered.begin = count;
        count += gathered.yielding.size() + gathered.held.size();
    }
    const std::size_t carriers = count;
    for (GatheredBody& gathered : gathered_)
        for (const PostTouches::Group& group : gathered.posts.groups()) count += group.touches.size();
    displacements_.resize(count);
    velocities_.resize(count);
    read_displacements(bodies);
    const auto index = [&](std::size_t body, std::int32_t particle) {
        return std::int32_t(gathered_[body].begin) + gathered_[body].gathered_index[std::size_t(particle)];
    };
    for_each_task(rounds_.size(), [&](std::size_t k) {
        NearPair& pair = pairs[std::size_t(rounds_[k])];
        if (is_rigid(bodies, pair))
            list_rigid_touches(bodies, pair.a, pair.b, pair.b_touches, pair.touches, pair.rigid_touches);
        else
            pair.rigid_touches.clear();
        for (std::size_t t = 0; t < pair.touches.size(); ++t)
            for (std::size_t c = 0; c < 4; ++c) {
                Touch& touch = pair.touches[t];
                const bool of_a = (c < std::size_t(touch.own_count)) == (t >= pair.b_touches);
                touch.particles[c] = index(std::size_t(of_a ? pair.a : pair.b), touch.particles[c]);
            }
    });
    number_posts(carriers);
    links.begin(bodies, double(dt), [&](std::int32_t body, std::int32_t i) { return index(std::size_t(body), i); });
    for (std::size_t body = 0; body < gathered_.size(); ++body) {
        GatheredBody& gathered = gathered_[body];
        for (Touch& rib : gathered.ribs.touches())
            for (std::int32_t& particle : rib.particles) particle = index(body, particle);
        for (const std::int32_t i : gathered.yielding) gathered.gathered_index[std::size_t(i)] = -1;
        for (const std::int32_t i : gathered.held) gathered.gathered_index[std::size_t(i)] = -1;
    }
}

/// Posts get the indices of their gathered particles, and their carriers places behind these.
void TouchSolver::number_posts(std::size_t next_carrier)
{
    for (GatheredBody& gathered : gathered_)
        for (PostTouches::Group& group : gathered.posts.groups())
            for (std::size_t t = 0; t < group.touches.size(); ++t) {
                std::array<std::int32_t, 4>& particles = group.touches[t].particles;
                for (std::size_t c = 0; c < 3; ++c)
                    particles[c] = std::int32_t(gathered.begin) + gathered.gathered_index[std::size_t(particles[c])];
                particles[3] = std::int32_t(next_carrier);
                displacements_[next_carrier] = group.carriers[t].displacement;
                velocities_[next_carrier++] = group.carriers[t].velocity;
            }
}

/// Of obstacles at a particle, the nearest.
void TouchSolver::find_supports()
{
    supports_.assign(any_rigid_ ? displacements_.size() : 0, {});
    if (!any_rigid_) return;
    for (const GatheredBody& gathered : gathered_)
        for (const ObstaclePlane& plane : gathered.obstacle_planes) {
            Support& support = supports_[gathered.begin + std::size_t(plane.particle)];
            if (plane.height < support.height) support = {plane.normal, plane.height};
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

/// solve(index of a squad), for all of them.
template <class Solve>
void TouchSolver::sweep(const Solve& solve)
{
    const FlushDenormals flush;
    for (std::size_t round = 0; round + 1 < squad_begin_.size(); ++round) {
        const std::size_t begin = squad_begin_[round], end = squad_begin_[round + 1];
        if (worth_sharing_[round] && end - begin > 1)
            for_each_task(end - begin, [&](std::size_t k) {
                const FlushDenormals also_here;
                solve(begin + k);
            });
        else
            for (std::size_t k = begin; k < end; ++k) solve(k);
    }
}

/// Of all rigid bodies; the largest move, in what is enough.
float TouchSolver::sweep_rigid_obstacles(std::span<const ContactBody> bodies)
{
    double largest = 0;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (gathered_[k].rigid_obstacles.empty()) continue;
        const double move = gathered_[k].rigid_obstacles.solve_displacements(*bodies[k].rigid, rigid_displacements_[k]);
        largest = std::max(largest, move / (kRigidEnough * double(bodies[k].thickness())));
    }
    return float(largest);
}

void TouchSolver::sweep_displacements(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links,
                                      float enough)
{
    const SweptValues rigid{displacements_.data(), rigid_displacements_, supports_};
    for (const std::int32_t k : rounds_)
        prepare_rigid_touches(pairs[std::size_t(k)].touches, pairs[std::size_t(k)].rigid_touches, rigid);
    if (any_rigid_)
        guess_.solve(bodies, pairs, rigid_displacements_,
                     [&](std::size_t k) -> RigidObstacles& { return gathered_[k].rigid_obstacles; });
    for (int k = 0; k < (any_rigid_ ? kMostRigidSweeps : kMostSweeps); ++k) {
        sweep([&](std::size_t index) {
            Squad& squad = squads_[index];
            if (squad.count > 1) {
                rows_[index].solve_displacements(displacements_.data());
                squad.largest_move = rows_[index].largest_move();
                return;
            }
            NearPair& pair = pairs[std::size_t(squad.pairs[0])];
            if (!pair.rigid_touches.empty()) {
                const double move =
                    solve_rigid_displacements(pair.touches, pair.rigid_touches, double(pair.law.friction), rigid);
                squad.largest_move = float(move / (kRigidEnough * double(pair.law.thickness))) * enough;
                return;
            }
            squad.largest_move =
                solve_displacements(pair.touches, pair.law.friction, pair.budget, displacements_.data()) /
                pair.law.thickness;
        });
        float largest_move = links.empty() ? 0 : float(links.solve_displacements(rigid) / kLinkEnough) * enough;
        for (GatheredBody& gathered : gathered_) {
            if (!gathered.ribs.touches().empty()) {
                float no_friction = 0;
                largest_move = std::max(
                    largest_move, solve_displacements(gathered.ribs.touches(), 0, no_friction, displacements_.data()) /
                                      gathered.ribs.thickness());
            }
            for (PostTouches::Group& group : gathered.posts.groups())
                largest_move = std::max(largest_move, solve_displacements(group.touches, group.collider->friction,
                                                                          group.budget, displacements_.data()) /
                                                          gathered.posts.thickness());
            keep_out(gathered);
        }
        if (any_rigid_) largest_move = std::max(largest_move, sweep_rigid_obstacles(bodies) * enough);
        for (const Squad& squad : squads_) largest_move = std::max(largest_move, squad.largest_move);
        if (largest_move < enough) break;
    }
    for (std::size_t k = 0; k < squads_.size(); ++k)
        if (squads_[k].count > 1) rows_[k].tell();
}

void TouchSolver::keep_out(GatheredBody& gathered)
{
    for (const ObstaclePlane& plane : gathered.obstacle_planes) {
        Lanes& displacement = displacements_[gathered.begin + std::size_t(plane.particle)];
        const float height = plane.height + dot(plane.normal, displacement);
        if (!(height < 0)) continue;
        displacement -= plane.normal * height;
        gathered.obstacle_impulse -= to_vec3(plane.normal).as<double>() * double(height * plane.mass);
    }
}

/// What supports gave, times a factor, goes to the bodies' obstacles.
void TouchSolver::add_supports(double per)
{
    for (GatheredBody& gathered : gathered_) {
        for (std::size_t k = 0; k < gathered.yielding.size() && !supports_.empty(); ++k) {
            Support& support = supports_[gathered.begin + k];
            gathered.obstacle_impulse += to_vec3(support.normal).as<double>() * (support.impulse * per);
            support.impulse = 0;
        }
    }
}

/// Displacements of the sweeps also change the speeds, by displacement over dt; then speeds are swept on their own.
void TouchSolver::sweep_velocities(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links,
                                   float dt)
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
    for (std::size_t k = 0; any_rigid_ && k < bodies.size(); ++k) {
        rigid_velocities_[k] = {rigid_displacements_[k].shift / double(dt), rigid_displacements_[k].turn / double(dt)};
        gathered_[k].rigid_obstacles.begin_velocities(double(dt));
    }
    const SweptValues displaced{displacements_.data(), rigid_displacements_};
    for (const std::int32_t k : rounds_)
        begin_rigid_velocities(double(dt), pairs[std::size_t(k)].touches, pairs[std::size_t(k)].rigid_touches,
                               displaced);
    links.begin_velocities(displaced);
    for (GatheredBody& gathered : gathered_) {
        for (const PostTouches::Group& group : gathered.posts.groups())
            for (const Touch& touch : group.touches)
                gathered.obstacle_impulse +=
                    to_vec3(touch.normal).as<double>() * (double(touch.move) / double(touch.yielding));
        gathered.obstacle_impulse = gathered.obstacle_impulse * double(per_dt);
    }
    add_supports(double(per_dt));
    for (Support& support : supports_) support.height = std::numeric_limits<float>::infinity();
    const SweptValues rigid{velocities_.data(), rigid_velocities_, supports_};
    for (const std::int32_t k : rounds_)
        prepare_rigid_touches(pairs[std::size_t(k)].touches, pairs[std::size_t(k)].rigid_touches, rigid);
    for (int k = 0; k < (any_rigid_ ? kRigidSpeedSweeps : kSpeedSweeps); ++k) {
        sweep([&](std::size_t index) {
            Squad& squad = squads_[index];
            squad.largest_move = 0;
            if (squad.count > 1) return rows_[index].solve_velocities(dt, velocities_.data());
            NearPair& pair = pairs[std::size_t(squad.pairs[0])];
            if (pair.rigid_touches.empty())
                return solve_velocities(pair.touches, pair.law.friction, dt, velocities_.data());
            const double change =
                solve_rigid_velocities(pair.touches, pair.rigid_touches, double(pair.law.friction), rigid);
            squad.largest_move = float(change * double(dt) / (kRigidEnough * double(pair.law.thickness)));
        });
        double largest = links.empty() ? 0 : links.solve_velocities(rigid) / kLinkEnough;
        for (GatheredBody& gathered : gathered_) {
            solve_velocities(gathered.ribs.touches(), 0, dt, velocities_.data());
            for (PostTouches::Group& group : gathered.posts.groups())
                solve_velocities(group.touches, group.collider->friction, dt, velocities_.data());
        }
        for (std::size_t body = 0; any_rigid_ && body < bodies.size(); ++body) {
            if (gathered_[body].rigid_obstacles.empty()) continue;
            const double change =
                gathered_[body].rigid_obstacles.solve_velocities(*bodies[body].rigid, rigid_velocities_[body]);
            largest = std::max(largest, change * double(dt) / (kRigidEnough * double(bodies[body].thickness())));
        }
        for (const Squad& squad : squads_) largest = std::max(largest, double(squad.largest_move));
        if (k + 1 >= kSpeedSweeps && largest < 1) break;
    }
    add_supports(1);
}

void TouchSolver::scatter(std::span<const ContactBody> bodies)
{
    for_each_task(bodies.size(), [&](std::size_t k) {
        if (!bodies[k].asleep)
            for_each_gathered(
                k, [&](std::size_t i, std::size_t index) { bodies[k].velocities[i] = to_vec3(velocities_[index]); });
    });
}

void TouchSolver::end_rigid(std::span<const ContactBody> bodies)
{
    for_each_task(bodies.size(), [&](std::size_t k) {
        if (bodies[k].rigid && !bodies[k].asleep) carry_out(rigid_displacements_[k], rigid_velocities_[k], bodies[k]);
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

void TouchSolver::solve(std::span<const ContactBody> bodies, std::span<NearPair> pairs, Links& links, float dt,
                        float enough)
{
    any_rigid_ = !links.empty() || std::any_of(bodies.begin(), bodies.end(),
                                               [](const ContactBody& body) { return body.rigid != nullptr; });
    rigid_displacements_.assign(any_rigid_ ? bodies.size() : 0, {});
    rigid_velocities_.assign(any_rigid_ ? bodies.size() : 0, {});
    order(pairs);
    list_particles(pairs, links);
    for_each_task(bodies.size(), [&](std::size_t k) { prepare(bodies[k], dt, gathered_[k]); });
    gather(bodies, pairs, links, dt);
    form_squads(bodies, pairs);
    find_supports();
    sweep_displacements(bodies, pairs, links, enough);
    sweep_velocities(bodies, pairs, links, dt);
    scatter(bodies);
    if (any_rigid_) end_rigid(bodies);
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
