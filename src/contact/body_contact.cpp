// One contact phase of all bodies, in the order the header tells.
#include "contact/body_contact.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "contact/response.h"
#include "contact/shapes.h"
#include "core/parallel.h"

namespace yawara::contact {
namespace {

/// Sweeps go on until no touch moves by more than this share of the thickness, or until there were so many. In slices
/// of a step less is left, as it adds up: what lies on another body would creep.
constexpr float kEnough = 0.1f, kEnoughOfSlice = 0.005f;
constexpr int kMostSweeps = 16, kSpeedSweeps = 2;
/// Rounds of pairs that share no body; a pair that finds no free one waits for the last, where pairs go one by one.
constexpr int kRounds = 63;
/// Fewer touches than this are solved on one thread.
constexpr std::size_t kWorthSharing = 400;
/// Bodies deep inside each other are moved apart by this share of their size in every step that finds them so.
constexpr float kPartShare = 0.01f;
/// So many particles of a body are looked at for that in every step; of small bodies fewer: all within this many steps.
constexpr std::size_t kProbes = 8, kProbeSteps = 16;

/// Looks at some particles of `body`, others in every step, and adds the ways out, times depths, of those that are deep
/// inside of `other`. Surfaces that are `near` may cross: more is looked at. A body that is all inside has no surface
/// near.
void probe(const ContactBody& body, const ContactBody& other, const SurfaceBoxes& other_boxes, std::size_t step,
           bool near, float reach, Overlap& overlap)
{
    const std::size_t count = body.positions.size();
    const std::size_t probes = near ? std::clamp<std::size_t>(count / kProbeSteps, 1, kProbes) : 1;
    const std::size_t stride = std::max<std::size_t>(count / probes, 1);
    const FloatBox deep = other_boxes.whole().widened(-reach);
    // A factor that has no common divisor with most strides spreads the probes over the body.
    for (std::size_t k = step * 7919 % stride; k < count; k += stride) {
        const Vec3 p = body.positions[k];
        if (!deep.holds(p)) continue;
        const std::optional<Depth> found = depth_in(other, other_boxes, p, reach);
        if (!found) continue;
        overlap.way += found->out * found->depth;
        overlap.depths += found->depth;
        if (found->depth <= overlap.deepest) continue;
        overlap.deepest = found->depth;
        overlap.particle = std::int32_t(k);
    }
}

/// Obstacles that touched particles can be pushed into.
void find_walls(const ContactBody& body, std::span<const std::int32_t> particles, std::span<const Collider> colliders,
                std::vector<BodyContact::Wall>& walls)
{
    walls.clear();
    const float reach = length(body.motion.drift) + body.motion.stray + body.reach();
    Box3 box;
    for (const std::int32_t i : particles) box.add(body.positions_before[std::size_t(i)].as<double>());
    box.low = box.low - Vec3d{1, 1, 1} * double(reach);
    box.high = box.high + Vec3d{1, 1, 1} * double(reach);
    for (const Collider& collider : colliders) {
        if (is_clear_of(collider, box)) continue;
        for (const std::int32_t i : particles) {
            const Vec3 x = body.positions_before[std::size_t(i)];
            const Sample here = sample(collider, x);
            if (here.distance > double(reach)) continue;
            const Vec3 n = here.normal.as<float>();
            walls.push_back({i, n, dot(n, x) - float(here.distance)});
        }
    }
}

void keep_out(const ContactBody& body, std::span<const BodyContact::Wall> walls, float dt)
{
    for (const BodyContact::Wall& wall : walls) {
        Vec3& x = body.positions[std::size_t(wall.particle)];
        const float height = dot(wall.normal, x) - wall.offset;
        if (!(height < 0)) continue;
        x -= wall.normal * height;
        body.velocities[std::size_t(wall.particle)] -= wall.normal * (height / dt);
    }
}

Vec3d middle(const ContactBody& body)
{
    Vec3d sum;
    for (const Vec3& p : body.positions) sum += p.as<double>();
    return sum / double(body.positions.size());
}

bool yields(const ContactBody& body)
{
    return !body.asleep;
}

void shift(const ContactBody& body, Vec3 way)
{
    for (std::size_t i = 0; i < body.positions.size(); ++i)
        if (body.inverse_masses[i] > 0) body.positions[i] += way;
}

/// Moves two bodies apart as wholes, without changing their speeds: the way that leads the particles out; if they do
/// not agree on one, along the line of the bodies' middles.
void part(const ContactBody& a, const ContactBody& b, const Overlap& overlap)
{
    const float size = std::min(a.surface->size, b.surface->size);
    Vec3 way = normalized(overlap.way);
    if (length(overlap.way) < 0.7f * overlap.depths) {
        const Vec3d between = middle(a) - middle(b);
        // Two that are in the very same place part along x.
        way = length(between) > 1e-3 * double(size) ? normalized(between).as<float>() : Vec3{1, 0, 0};
    }
    const float step = std::min(kPartShare * size, overlap.deepest) * (yields(a) && yields(b) ? 0.5f : 1.0f);
    if (yields(a)) shift(a, way * step);
    if (yields(b)) shift(b, way * -step);
}

}  // namespace

void BodyContact::add(const BodySurface& surface)
{
    boxes_.emplace_back(surface);
    touched_.emplace_back().reserve(surface.vertices.size());
    walls_.emplace_back();
    ribs_.emplace_back(surface);
}

/// Gives each pair with touches the first round in which neither of its bodies is busy.
void BodyContact::order_pairs(std::size_t bodies)
{
    const std::span<NearPair> pairs = pairs_.pairs();
    colors_.assign(bodies, 0);
    round_of_.assign(pairs.size(), -1);
    round_begin_.assign(kRounds + 2, 0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (pairs[k].touches.empty()) continue;
        std::uint64_t &a = colors_[std::size_t(pairs[k].a)], &b = colors_[std::size_t(pairs[k].b)];
        const int round = std::min(std::countr_one(a | b), kRounds);
        if (round < kRounds) {
            a |= std::uint64_t{1} << round;
            b |= std::uint64_t{1} << round;
        }
        round_of_[k] = round;
        ++round_begin_[std::size_t(round) + 1];
    }
    for (std::size_t r = 1; r < round_begin_.size(); ++r) round_begin_[r] += round_begin_[r - 1];
    rounds_.resize(round_begin_.back());
    for (std::size_t k = pairs.size(); k-- > 0;)
        if (round_of_[k] >= 0) rounds_[--round_begin_[std::size_t(round_of_[k]) + 1]] = std::int32_t(k);
    // The loop above used up the ends: they are the begins now.
    round_begin_.erase(round_begin_.begin());
    round_begin_.push_back(rounds_.size());
}

/// Particles of all touches, or of those that pushed.
void BodyContact::list_touched(std::span<const ContactBody> bodies, bool pushed)
{
    for (std::vector<std::int32_t>& list : touched_) list.clear();
    const std::span<const NearPair> pairs = pairs_.pairs();
    for (const std::int32_t k : rounds_) {
        const NearPair& pair = pairs[std::size_t(k)];
        for (std::size_t t = 0; t < pair.touches.size(); ++t) {
            const Touch& touch = pair.touches[t];
            if (pushed && !(touch.move > 0)) continue;
            const auto one = std::size_t(t < pair.a_touches ? pair.a : pair.b);
            const auto other = std::size_t(t < pair.a_touches ? pair.b : pair.a);
            for (std::size_t c = 0; c < 4; ++c)
                touched_[c < std::size_t(touch.own) ? one : other].push_back(touch.particles[c]);
        }
    }
    tbb::parallel_for(std::size_t{0}, bodies.size(), [&](std::size_t k) {
        std::vector<std::int32_t>& list = touched_[k];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    });
}

void BodyContact::resolve(std::span<ContactBody> bodies, std::span<const Collider> colliders, double dt,
                          std::int64_t step, bool slice, std::span<ContactReport> reports)
{
    const auto h = float(dt);
    tbb::parallel_for(std::size_t{0}, bodies.size(), [&](std::size_t k) {
        if (!bodies[k].asleep)
            bodies[k].motion = motion_of(*bodies[k].surface, bodies[k].positions_before, bodies[k].positions);
    });
    pairs_.update(bodies, boxes_);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        bodies[k].references = boxes_[k].references();
        bodies[k].moved = boxes_[k].moved();
    }
    const std::span<NearPair> pairs = pairs_.pairs();
    tbb::parallel_for(std::size_t{0}, pairs.size(), [&](std::size_t k) {
        NearPair& pair = pairs[k];
        pair.idle = bodies[std::size_t(pair.a)].asleep && bodies[std::size_t(pair.b)].asleep;
        if (pair.idle || !pair.fresh) return;
        find_candidates(bodies, boxes_, pair);
        pair.fresh = false;
    });
    tbb::parallel_for(std::size_t{0}, pairs.size(), [&](std::size_t k) {
        NearPair& pair = pairs[k];
        const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        pair.touches.clear();
        pair.a_touches = 0;
        pair.budget = 0;
        pair.overlap = {};
        if (pair.idle) return;
        const bool self = pair.a == pair.b;
        const TouchLaw law = law_of(a, b, self, dt);
        if (!self) {
            const bool near = !(pair.a_on_b.empty() && pair.b_on_a.empty());
            Overlap of_b;
            probe(a, b, boxes_[std::size_t(pair.b)], std::size_t(step), near, law.reach, pair.overlap);
            probe(b, a, boxes_[std::size_t(pair.a)], std::size_t(step), near, law.reach, of_b);
            pair.overlap.way -= of_b.way;
            pair.overlap.depths += of_b.depths;
            pair.overlap.of_a = pair.overlap.deepest >= of_b.deepest;
            if (!pair.overlap.of_a) {
                pair.overlap.deepest = of_b.deepest;
                pair.overlap.particle = of_b.particle;
            }
        }
        find_touches(a, b, pair.a_on_b, law, pair.touches);
        find_edge_touches(a, b, pair.edges, law, pair.touches);
        pair.a_touches = pair.touches.size();
        find_touches(b, a, pair.b_on_a, law, pair.touches);
    });

    order_pairs(bodies.size());
    list_touched(bodies, false);
    const auto for_each_touched = [&](const auto& then) {
        tbb::parallel_for(std::size_t{0}, bodies.size(), [&](std::size_t k) {
            if (!touched_[k].empty() && !bodies[k].asleep) then(k);
        });
    };
    tbb::parallel_for(std::size_t{0}, bodies.size(), [&](std::size_t k) {
        std::vector<std::int32_t>& list = touched_[k];
        reports[k].touches = int(list.size());
        std::erase_if(list, [&](std::int32_t i) { return bodies[k].inverse_masses[std::size_t(i)] == 0; });
        ribs_[k].clear();
        if (bodies[k].asleep) return;
        if (bodies[k].thin() && (bodies[k].pressed || !list.empty())) ribs_[k].find(bodies[k], h, list);
        if (list.empty()) return;
        find_walls(bodies[k], list, colliders, walls_[k]);
        // Friction of obstacles slowed these without taking back their way: their speeds tell how far they go.
        for (const Wall& wall : walls_[k]) {
            const auto i = std::size_t(wall.particle);
            bodies[k].positions[i] = bodies[k].positions_before[i] + bodies[k].velocities[i] * h;
        }
    });
    const auto solve = [&](std::int32_t k, bool speeds) {
        const FlushDenormals flush;
        NearPair& pair = pairs[std::size_t(k)];
        const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        const TouchLaw law = law_of(a, b, pair.a == pair.b, dt);
        const std::span<Touch> all = pair.touches, of_a = all.first(pair.a_touches), of_b = all.subspan(pair.a_touches);
        if (speeds) {
            solve_speeds(a, b, law, h, of_a);
            solve_speeds(b, a, law, h, of_b);
        } else {
            const float largest = std::max(solve_positions(a, b, law, h, pair.budget, of_a),
                                           solve_positions(b, a, law, h, pair.budget, of_b));
            pair.unrest = largest / law.thickness;
        }
    };
    const auto sweep = [&](bool speeds) {
        for (std::size_t round = 0; round + 1 < round_begin_.size(); ++round) {
            const std::size_t begin = round_begin_[round], end = round_begin_[round + 1];
            std::size_t touches = 0;
            for (std::size_t k = begin; k < end; ++k) touches += pairs[std::size_t(rounds_[k])].touches.size();
            if (round < std::size_t(kRounds) && end - begin > 1 && touches >= kWorthSharing)
                tbb::parallel_for(begin, end, [&](std::size_t k) { solve(rounds_[k], speeds); });
            else
                for (std::size_t k = begin; k < end; ++k) solve(rounds_[k], speeds);
        }
    };
    ribbed_.clear();
    for (std::size_t body = 0; body < bodies.size(); ++body)
        if (!ribs_[body].empty()) ribbed_.push_back(body);
    const auto for_each_ribbed = [&](const auto& then) {
        tbb::parallel_for(std::size_t{0}, ribbed_.size(), [&](std::size_t k) { then(ribbed_[k]); });
    };
    const float enough = slice ? kEnoughOfSlice : kEnough;
    unrest_.assign(bodies.size(), 0);
    for (int k = 0; k < kMostSweeps; ++k) {
        sweep(false);
        for_each_ribbed([&](std::size_t body) { unrest_[body] = ribs_[body].solve_positions(bodies[body], h); });
        if (!colliders.empty())
            for (std::size_t body = 0; body < bodies.size(); ++body)
                if (!touched_[body].empty() && !bodies[body].asleep) keep_out(bodies[body], walls_[body], h);
        const auto calm = [&](float unrest) { return unrest < enough; };
        if (std::all_of(rounds_.begin(), rounds_.end(),
                        [&](std::int32_t pair) { return calm(pairs[std::size_t(pair)].unrest); }) &&
            std::all_of(unrest_.begin(), unrest_.end(), calm))
            break;
    }
    for (int k = 0; k < kSpeedSweeps; ++k) {
        sweep(true);
        for_each_ribbed([&](std::size_t body) { ribs_[body].solve_speeds(bodies[body], h); });
    }
    for (const NearPair& pair : pairs)
        if (pair.overlap.deepest > 0) part(bodies[std::size_t(pair.a)], bodies[std::size_t(pair.b)], pair.overlap);

    if (!colliders.empty())
        for_each_touched([&](std::size_t k) {
            const ContactBody& body = bodies[k];
            resolve_contacts_of(touched_[k], colliders, body.positions_before, body.velocities_before, body.positions,
                                body.velocities);
        });
    // Touches of thin bodies are found ahead: only some come about.
    if (std::any_of(bodies.begin(), bodies.end(), [](const ContactBody& body) { return body.thin(); })) {
        list_touched(bodies, true);
        for (std::size_t k = 0; k < bodies.size(); ++k) reports[k].touches = int(touched_[k].size());
    }
    for (const NearPair& pair : pairs) {
        const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        float deepest = 0;
        if (const Overlap& found = pair.overlap; found.deepest > 0) {
            const ContactBody &inner = found.of_a ? a : b, &outer = found.of_a ? b : a;
            const std::optional<Depth> left = depth_in(outer, boxes_[std::size_t(found.of_a ? pair.b : pair.a)],
                                                       inner.positions[std::size_t(found.particle)], 0);
            if (left) deepest = left->depth;
        }
        for (std::size_t t = 0; t < pair.touches.size(); ++t)
            deepest = std::max(deepest, t < pair.a_touches ? -gap(a, b, pair.touches[t]) : -gap(b, a, pair.touches[t]));
        for (const std::int32_t body : {pair.a, pair.b}) {
            float& left = reports[std::size_t(body)].overlap;
            left = std::max(left, deepest / bodies[std::size_t(body)].surface->size);
        }
    }
}

}  // namespace yawara::contact
