// One contact phase of all bodies, in the order the header tells.
#include "contact/body_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contact/response.h"
#include "core/parallel.h"

namespace yawara::contact {
namespace {

/// Sweeps end when no touch moves its particles by more than this share of the thickness. What they leave adds up over
/// the slices of a step, and what lies on another body would creep: there they go on for longer.
constexpr float kEnough = 0.1f, kEnoughOfSlice = 0.005f;
/// Bodies deep inside each other are moved apart by this share of their size in every step that finds them so.
constexpr float kPartShare = 0.01f, kPartShareOfTouches = 0.002f;
/// While bodies are deep inside each other, as wholes they gain no more speed than this many sizes a second.
constexpr double kPartSpeed = 0.3;
/// Bodies with so many touches that overlap by more than this share of TouchLaw::deep were put there, too. Finite
/// elements meet in steps so short that one is enough.
constexpr int kCrossedTouches = 4;
constexpr float kTrace = 0.1f;
/// From this share of it on they are moved apart as wholes.
constexpr float kMuch = 0.5f;
/// Particles and touches agree on a way out if the sum of theirs is at least this share of all.
constexpr float kAgreed = 0.7f;
/// Lists are read again when bodies have moved, together, by this share of what they may until lists are made anew.
constexpr float kShortlistRoom = 0.2f;
/// In every step this many particles of a body, others each time, are tested for deep overlap; of a small body fewer,
/// so that all have had their turn after kProbeSteps.
constexpr std::size_t kProbes = 8, kProbeSteps = 16;
/// What is less deep than this share of the reach need not be looked at: room for rounding.
constexpr float kSurelyDeep = 0.99f;

/// How far the surface of a body reaches in a direction, m.
float extent(const ContactBody& body, Vec3 direction)
{
    float most = -std::numeric_limits<float>::infinity();
    for (const std::int32_t i : body.surface->vertices)
        most = std::max(most, dot(direction, body.positions[std::size_t(i)]));
    return most;
}

/// Tests some particles of `body`, others in every step, and adds direction out times depth of those deep inside
/// `other`. If surfaces are `near` they may cross, and more particles are tested; if not, one is enough to find a body
/// that lies inside as a whole. `out` is any direction, best one in which `body` lies beside the other: most particles
/// are too far there to be deep inside.
void probe(const ContactBody& body, const ContactBody& other, const SurfaceBoxes& other_boxes, std::size_t step,
           bool near, float reach, Vec3 out, Overlap& overlap)
{
    const std::size_t count = body.positions.size();
    const std::size_t probes = near ? std::clamp<std::size_t>(count / kProbeSteps, 1, kProbes) : 1;
    const std::size_t stride = std::max<std::size_t>(count / probes, 1);
    const FloatBox deep = other_boxes.whole().widened(-reach);
    std::optional<float> farthest;
    // A factor that has no common divisor with most strides spreads the probes over the body.
    for (std::size_t k = step * 7919 % stride; k < count; k += stride) {
        const Vec3 p = body.positions[k];
        if (!deep.holds(p)) continue;
        if (!farthest) farthest = extent(other, out) - kSurelyDeep * reach;
        if (dot(out, p) > *farthest) continue;
        const std::optional<Depth> found = depth_in(other, other_boxes, p, reach);
        if (!found) continue;
        overlap.escape += found->out * found->depth;
        overlap.depths += found->depth;
        if (found->depth <= overlap.deepest) continue;
        overlap.deepest = found->depth;
        overlap.particle = std::int32_t(k);
    }
}

/// Where the first body of a pair lies from the second: along the normals of the touches of the step before, if there
/// were any, else as their boxes tell.
Vec3 direction_between(const FloatBox& a, const FloatBox& b, const NearPair& pair)
{
    Lanes normals{};
    for (std::size_t t = 0; t < pair.touches.size(); ++t)
        normals += t < pair.b_touches ? -pair.touches[t].normal : pair.touches[t].normal;
    const Vec3 sum = to_vec3(normals), way = dot(sum, sum) > 0 ? sum : (a.low + a.high) - (b.low + b.high);
    return dot(way, way) > 0 ? normalized(way) : Vec3{1, 0, 0};
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

void shift(const ContactBody& body, Vec3 escape)
{
    for (std::size_t i = 0; i < body.positions.size(); ++i)
        if (body.inverse_masses[i] > 0) body.positions[i] += escape;
}

/// How deep the two sides of a touch were inside each other at the start of the step, m.
float depth_before(const Touch& touch)
{
    return touch.shortfall - touch.goal;
}

/// From which depth on touches of a pair, and its probes, tell that it was put there, m: where many touches overlap,
/// its surfaces cross, and it is all of them that are deeper than a trace.
float depth_of_crossing(const ContactBody& a, const ContactBody& b, const NearPair& pair)
{
    const int enough = a.follows || b.follows ? 1 : kCrossedTouches;
    const float trace = kTrace * pair.law.deep;
    const auto crossed = std::count_if(pair.touches.begin(), pair.touches.end(),
                                       [&](const Touch& touch) { return depth_before(touch) > trace; });
    return crossed >= enough ? trace : pair.law.deep;
}

/// Touches of bodies that were put inside each other reduce their overlap slowly, down to a trace.
void slow_down_parting(const ContactBody& a, const ContactBody& b, NearPair& pair)
{
    const float deep = depth_of_crossing(a, b, pair);
    for (Touch& touch : pair.touches) {
        const float depth = depth_before(touch);
        if (!(depth > deep)) continue;
        touch.goal = std::min(touch.goal, pair.law.part - std::min(depth, pair.law.reach));
        touch.shortfall = touch.goal + depth;
    }
}

/// Where the first body of a pair has to go to be out of the second, m; zero if they are not deep inside each other.
Vec3 way_out(const ContactBody& a, const ContactBody& b, const NearPair& pair)
{
    const float deep = depth_of_crossing(a, b, pair);
    Vec3 sum = pair.overlap.deepest > deep ? pair.overlap.escape : Vec3{};
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const Touch& touch = pair.touches[t];
        const float depth = depth_before(touch);
        if (depth > deep) sum += to_vec3(touch.normal) * (t < pair.b_touches ? -depth : depth);
    }
    return sum;
}

/// What the touches of bodies that were put inside each other tell, if no probe does: a push on their surfaces, so
/// slow, may not be enough for what stands on rough ground.
Overlap overlap_of_touches(const ContactBody& a, const ContactBody& b, const NearPair& pair)
{
    if (a.rigid || b.rigid) return {};
    const float deep = depth_of_crossing(a, b, pair);
    Overlap found;
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const Touch& touch = pair.touches[t];
        const float depth = depth_before(touch);
        if (!(depth > deep)) continue;
        found.escape += to_vec3(touch.normal) * (t < pair.b_touches ? -depth : depth);
        found.depths += depth;
        found.deepest = std::max(found.deepest, depth);
    }
    return found.deepest > kMuch * pair.law.deep ? found : Overlap{};
}

/// Where corners of two rigid bodies meet, each finds the other: one touch is enough.
void drop_repeated(const ContactBody& a, const ContactBody& b, NearPair& pair)
{
    constexpr std::size_t kMost = 64;  // so many are compared with each other
    if (pair.touches.size() > kMost) return;
    std::array<Vec3, kMost> points;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const Touch& touch = pair.touches[t];
        const bool of_b = t < pair.b_touches;
        const Vec3 point = point_of((of_b ? b : a).positions, touch, true).as<float>();
        bool repeated = false;
        for (std::size_t k = 0; !of_b && k < kept; ++k) {
            const float along = dot(touch.normal, pair.touches[k].normal) * (k < pair.b_touches ? -1.0f : 1.0f);
            repeated |= length(points[k] - point) < 2 * pair.law.thickness && along > 0.99f;
        }
        if (repeated) continue;
        points[kept] = point;
        pair.touches[kept++] = touch;
    }
    pair.touches.resize(kept);
}

/// The motion of a body as a whole.
struct MeanMotion {
    double mass = 0;    ///< kg; 0: it is held somewhere, or asleep
    Vec3d now, before;  ///< m/s, at the end of the step and at its start

    explicit MeanMotion(const ContactBody& body)
    {
        if (body.asleep) return;
        double sum = 0;
        for (std::size_t i = 0; i < body.velocities.size(); ++i) {
            if (!(body.inverse_masses[i] > 0)) return;
            const double m = 1 / double(body.inverse_masses[i]);
            sum += m;
            now += body.velocities[i].as<double>() * m;
            before += body.velocities_before[i].as<double>() * m;
        }
        mass = sum;
        now = now / sum;
        before = before / sum;
    }
};

/// What is squeezed inside each other would shoot apart: as wholes, two free bodies that part gain no more speed than
/// kPartSpeed, along their way out and across it. Keeps their momentum.
void restrain(const ContactBody& a, const ContactBody& b, const NearPair& pair)
{
    const Vec3 out = way_out(a, b, pair);
    if (pair.a == pair.b || !(length(out) > 0)) return;
    const Vec3d escape = normalized(out.as<double>());
    const MeanMotion one(a), other(b);
    if (!(one.mass > 0 && other.mass > 0)) return;
    const Vec3d now = one.now - other.now, before = one.before - other.before;
    const double along = dot(escape, now), along_before = dot(escape, before);
    if (!(along > 0)) return;
    const double least = kPartSpeed * double(std::min(a.surface->size, b.surface->size));
    const Vec3d across = now - escape * along;
    const double most_across = std::max(length(before - escape * along_before), least);
    Vec3d excess = escape * std::max(along - std::max(along_before, least), 0.0);
    if (length(across) > most_across) excess += across * (1 - most_across / length(across));
    if (!(length(excess) > 0)) return;
    const double share = other.mass / (one.mass + other.mass);
    for (Vec3& v : a.velocities) v -= (excess * share).as<float>();
    for (Vec3& v : b.velocities) v += (excess * (1 - share)).as<float>();
}

/// The share of the second of two bodies in the mass of both.
float share_of_other(const ContactBody& a, const ContactBody& b)
{
    const auto mass = [](const ContactBody& body) {
        double sum = 0;
        for (const float inverse : body.inverse_masses) sum += inverse > 0 ? 1 / double(inverse) : 0;
        return sum;
    };
    const double of_a = mass(a), of_b = mass(b);
    return of_a + of_b > 0 ? float(of_b / (of_a + of_b)) : 0.5f;
}

/// Moves two bodies apart as wholes by a share of their size, without changing their speeds: in the direction that
/// leads the particles out, or, if these do not agree, along the line between the bodies' middles.
void separate(const ContactBody& a, const ContactBody& b, const Overlap& overlap, float share)
{
    const float size = std::min(a.surface->size, b.surface->size);
    Vec3 escape = normalized(overlap.escape);
    if (length(overlap.escape) < kAgreed * overlap.depths) {
        const Vec3d between = middle(a) - middle(b);
        // Two that are in the very same place separate along x.
        escape = length(between) > 1e-3 * double(size) ? normalized(between).as<float>() : Vec3{1, 0, 0};
    }
    const float step = std::min(share * size, overlap.deepest);
    float of_a = yields(a) ? (yields(b) ? 0.5f : 1.0f) : 0.0f;
    if (yields(a) && yields(b) && (a.rigid || b.rigid)) of_a = share_of_other(a, b);
    if (yields(a)) shift(a, escape * (step * of_a));
    if (yields(b)) shift(b, escape * (step * (of_a - 1)));
}

/// Brings particles of a soft body out of a rigid one, however they got in and whichever way their own surface is
/// turned, and stops those that go on inwards. What the rigid one gets back keeps momentum and spin.
void expel(const ContactBody& soft, const ContactBody& rigid, const SurfaceBoxes& boxes)
{
    RigidChange change;
    bool pushed = false;
    for (const std::int32_t particle : soft.surface->vertices) {
        const auto i = std::size_t(particle);
        if (!(soft.inverse_masses[i] > 0) || !boxes.whole().holds(soft.positions[i])) continue;
        const std::optional<Depth> found = depth_in(rigid, boxes, soft.positions[i], 0);
        if (!found) continue;
        const Vec3d out = found->out.as<double>(), at = soft.positions[i].as<double>();
        soft.positions[i] += found->out * found->depth;
        const Vec3d arm = at - rigid.rigid->center;
        const double inwards =
            dot(out, rigid.rigid->velocity_at(at) + change.at(arm) - soft.velocities[i].as<double>());
        if (!(inwards > 0)) continue;
        const double mass = 1 / double(soft.inverse_masses[i]),
                     impulse = rigid.asleep ? inwards * mass : inwards / (1 / mass + rigid.rigid->yields(out, at));
        soft.velocities[i] += (out * (impulse / mass)).as<float>();
        if (rigid.asleep) continue;
        change.push(*rigid.rigid, out * -impulse, arm);
        pushed = true;
    }
    if (pushed) carry_out({}, change, rigid);
}

}  // namespace

void BodyContact::add(const BodySurface& surface)
{
    boxes_.emplace_back(surface);
    solver_.add(surface);
}

/// How bodies moved, which of them are near each other, and which of their particles and triangles.
void BodyContact::find_near(std::span<ContactBody> bodies)
{
    for_each_task(bodies.size(), [&](std::size_t k) {
        if (!bodies[k].asleep)
            bodies[k].motion = motion_of(*bodies[k].surface, bodies[k].positions_before, bodies[k].positions);
    });
    pairs_.update(bodies, boxes_);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        bodies[k].references = boxes_[k].references();
        bodies[k].moved = boxes_[k].moved();
    }
}

/// Particles of both bodies that are deep inside the other.
Overlap BodyContact::probe_both(const ContactBody& a, const ContactBody& b, std::size_t step, const NearPair& pair,
                                Vec3 out_of_b) const
{
    const bool near = !(pair.a_on_b.empty() && pair.b_on_a.empty());
    Overlap overlap, of_b;
    probe(a, b, boxes_[std::size_t(pair.b)], step, near, pair.law.reach, out_of_b, overlap);
    probe(b, a, boxes_[std::size_t(pair.a)], step, near, pair.law.reach, -out_of_b, of_b);
    overlap.escape -= of_b.escape;
    overlap.depths += of_b.depths;
    overlap.of_a = overlap.deepest >= of_b.deepest;
    if (!overlap.of_a) {
        overlap.deepest = of_b.deepest;
        overlap.particle = of_b.particle;
    }
    return overlap;
}

void BodyContact::find_touches_of(std::span<const ContactBody> bodies, double dt, std::size_t step, NearPair& pair)
{
    const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
    const Vec3 out_of_b =
        direction_between(boxes_[std::size_t(pair.a)].whole(), boxes_[std::size_t(pair.b)].whole(), pair);
    pair.touches.clear();
    pair.b_touches = 0;
    pair.budget = 0;
    pair.overlap = {};
    pair.points.clear();
    const bool touched = pair.event.touched;
    pair.event = {};
    const bool self = pair.a == pair.b;
    if (!self && !may_meet(bodies, pair.a, pair.b)) return;
    if (a.asleep && b.asleep) {
        pair.event.touched = touched;  // as when they fell asleep
        return;
    }
    if (pair.fresh) find_candidates(bodies, boxes_, pair);
    pair.fresh = false;
    pair.law = law_of(a, b, self, dt);
    if (!self) pair.overlap = probe_both(a, b, step, pair, out_of_b);
    const float moved = a.moved + b.moved, farthest = farthest_gap(a, b, pair.law),
                room = kShortlistRoom * (boxes_[std::size_t(pair.a)].slack() + boxes_[std::size_t(pair.b)].slack());
    const auto soon = [&](Shortlist& shortlist, std::span<const Candidate> list) {
        return shortlist.of(list, farthest, moved, room);
    };
    find_touches(b, a, soon(pair.b_on_a_soon, pair.b_on_a), pair.law, pair.touches);
    pair.b_touches = pair.touches.size();
    find_touches(a, b, soon(pair.a_on_b_soon, pair.a_on_b), pair.law, pair.touches);
    find_edge_touches(a, b, soon(pair.edges_soon, pair.edges), pair.law, pair.touches);
    if (a.rigid && b.rigid && !self) drop_repeated(a, b, pair);
    if (!self) slow_down_parting(a, b, pair);
    if (!self) sense(bodies, pair);
}

/// Notes where the touches of a pair are; if one of the two only reports, that is all that happens.
void BodyContact::sense(std::span<const ContactBody> bodies, NearPair& pair) const
{
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const auto first = std::size_t(t < pair.b_touches ? pair.b : pair.a);
        pair.points.push_back(point_of(bodies[first].positions, pair.touches[t], true).as<float>());
    }
    const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
    pair.event.sensor = a.settings.filter.sensor || b.settings.filter.sensor;
    if (!pair.event.sensor) return;
    pair.event.touched = !pair.touches.empty() || pair.overlap.deepest > 0;
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const double sign = t < pair.b_touches ? -1 : 1;
        pair.event.point += pair.points[t].as<double>();
        pair.event.normal += to_vec3(pair.touches[t].normal).as<double>() * sign;
        pair.event.weight += 1;
    }
    if (pair.touches.empty() && pair.event.touched) {
        const auto inner = std::size_t(pair.overlap.of_a ? pair.a : pair.b);
        pair.event.point = bodies[inner].positions[std::size_t(pair.overlap.particle)].as<double>();
        pair.event.weight = 1;
    }
    pair.touches.clear();
    pair.b_touches = 0;
    pair.overlap = {};
}

/// What the touches of a pair that pushes did, after they were solved.
void BodyContact::tell(NearPair& pair, double dt) const
{
    if (pair.a == pair.b || pair.event.sensor) return;
    for (std::size_t t = 0; t < pair.touches.size(); ++t) {
        const Touch& touch = pair.touches[t];
        if (!(touch.move > 0)) continue;
        const double impulse = pair.rigid_touches.empty() ? double(touch.move) / (double(touch.yielding) * dt)
                                                          : pair.rigid_touches[t].impulse;
        const double sign = t < pair.b_touches ? -1 : 1, weight = std::max(impulse, 1e-30);
        pair.event.touched = true;
        pair.event.point += pair.points[t].as<double>() * weight;
        pair.event.normal += to_vec3(touch.normal).as<double>() * (sign * weight);
        pair.event.weight += weight;
        pair.event.impulse += impulse;
    }
}

/// Deepest overlap of a pair that the response has left, m.
float BodyContact::overlap_left(std::span<const ContactBody> bodies, const NearPair& pair) const
{
    const float of_touches = solver_.deepest(pair);
    const Overlap& found = pair.overlap;
    if (!(found.deepest > 0)) return of_touches;
    const auto inner = std::size_t(found.of_a ? pair.a : pair.b), outer = std::size_t(found.of_a ? pair.b : pair.a);
    const std::optional<Depth> left =
        depth_in(bodies[outer], boxes_[outer], bodies[inner].positions[std::size_t(found.particle)], 0);
    return left ? std::max(left->depth, of_touches) : of_touches;
}

/// Obstacles have the last word about particles that others moved, and about all of a body that was struck.
void BodyContact::keep_out(std::span<const ContactBody> bodies)
{
    last_words_.assign(bodies.size(), {});
    for_each_task(bodies.size(), [&](std::size_t k) {
        const ContactBody& body = bodies[k];
        if (body.asleep || body.rigid || body.colliders.empty()) return;
        const bool all = body.swift || strikes_.struck(k);
        const std::span<const std::int32_t> moved = solver_.moved(k);
        if (!all && moved.empty()) return;
        const auto momentum = [&] {
            Vec3d sum;
            const auto add = [&](std::size_t i) {
                if (body.inverse_masses[i] > 0) sum += body.velocities[i].as<double>() / double(body.inverse_masses[i]);
            };
            for (std::size_t i = 0; all && i < body.velocities.size(); ++i) add(i);
            for (std::size_t j = 0; !all && j < moved.size(); ++j) add(std::size_t(moved[j]));
            return sum;
        };
        const Vec3d before = momentum();
        if (all)
            resolve_contacts(body.colliders, body.positions_before, body.velocities_before, body.positions,
                             body.velocities);
        else
            resolve_contacts_of(moved, body.colliders, body.positions_before, body.velocities_before, body.positions,
                                body.velocities);
        last_words_[k] = momentum() - before;
    });
}

void BodyContact::resolve(std::span<ContactBody> bodies, Links& links, double dt, std::int64_t step, int slices,
                          std::span<ContactReport> reports)
{
    find_near(bodies);
    const std::span<NearPair> pairs = pairs_.pairs();
    for_each_task(pairs.size(), [&](std::size_t k) { find_touches_of(bodies, dt, std::size_t(step), pairs[k]); });
    if (step != last_step_) strikes_.forget();
    last_step_ = step;
    if (slices > 1) strikes_.solve(bodies, pairs, float(dt));
    solver_.solve(bodies, pairs, links, float(dt), slices > 1 ? kEnoughOfSlice : kEnough);
    for (const NearPair& pair : pairs) {
        const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        if (pair.overlap.deepest > 0)
            separate(a, b, pair.overlap, kPartShare / float(slices));
        else if (const Overlap overlap = overlap_of_touches(a, b, pair); pair.a != pair.b && overlap.deepest > 0)
            separate(a, b, overlap, kPartShareOfTouches / float(slices));
    }
    for (const NearPair& pair : pairs) restrain(bodies[std::size_t(pair.a)], bodies[std::size_t(pair.b)], pair);
    for (const NearPair& pair : pairs) {  // one by one: a body may have several
        const ContactBody &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
        if (pair.touches.empty() || bool(a.rigid) == bool(b.rigid)) continue;
        if ((a.rigid ? b : a).asleep) continue;
        expel(a.rigid ? b : a, a.rigid ? a : b, boxes_[std::size_t(a.rigid ? pair.a : pair.b)]);
    }
    keep_out(bodies);
    solver_.read_displacements(bodies);
    for_each_task(pairs.size(), [&](std::size_t k) {
        pairs[k].left = overlap_left(bodies, pairs[k]);
        tell(pairs[k], dt);
    });
    for (const NearPair& pair : pairs)
        for (const std::int32_t body : {pair.a, pair.b}) {
            float& left = reports[std::size_t(body)].overlap;
            left = std::max(left, pair.left / bodies[std::size_t(body)].surface->size);
        }
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].rigid) {
            const ContactReport report = solver_.obstacles(k).report();
            reports[k].contacts = report.contacts;
            reports[k].deepest = report.deepest;
        }
        reports[k].touches = solver_.touched(k);
    }
}

}  // namespace yawara::contact
