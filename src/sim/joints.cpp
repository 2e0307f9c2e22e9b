#include "sim/joints.h"

#include <algorithm>
#include <cmath>

#include "sim/body_model.h"
#include "sim/rigid_solid.h"

namespace yawara {
namespace {

/// Particles of a soft body carry a point, unless told otherwise, if they are within so many spacings of it, or so many
/// times as far as the nearest one.
constexpr double kReach = 1.5, kFartherThanNearest = 2;

double size_of(const JointedBody& body)
{
    return bounds(body.model->rest_positions()).diagonal();
}

/// The particles around a point.
std::vector<std::int32_t> around(const JointedBody& body, Vec3d point)
{
    const std::vector<Vec3>& x = body.state->positions;
    const auto distance = [&](std::size_t i) { return length(x[i].as<double>() - point); };
    double nearest = distance(0);
    for (std::size_t i = 1; i < x.size(); ++i) nearest = std::min(nearest, distance(i));
    const double reach = std::max(kReach * body.model->spacing(), kFartherThanNearest * nearest);
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (distance(i) <= reach) found.push_back(std::int32_t(i));
    return found;
}

/// Of the given particles, or all if there are none, those that a place is glued to: the one that lies there, or those
/// around it.
std::vector<std::int32_t> glued_to(const JointedBody& body, Vec3d place, std::span<const std::int32_t> among)
{
    constexpr double kThere = 1e-3;  // spacings
    std::vector<std::int32_t> found(among.begin(), among.end());
    if (found.empty()) found = around(body, place);
    const auto distance = [&](std::int32_t i) {
        return length(body.state->positions[std::size_t(i)].as<double>() - place);
    };
    const std::int32_t nearest = *std::min_element(
        found.begin(), found.end(), [&](std::int32_t i, std::int32_t j) { return distance(i) < distance(j); });
    if (distance(nearest) < kThere * body.model->spacing()) return {nearest};
    const double reach = std::max(kReach * body.model->spacing(), kFartherThanNearest * distance(nearest));
    std::erase_if(found, [&](std::int32_t i) { return distance(i) > reach; });
    return found;
}

/// The most even weights that add up to 1 and give the point, or nearly so if the particles lie in a plane or on a
/// line.
std::vector<float> weights_for(std::span<const Vec3> x, std::span<const std::int32_t> particles, Vec3d point)
{
    Vec3d middle;
    const auto at = [&](std::int32_t i) { return x[std::size_t(i)].as<double>(); };
    for (const std::int32_t i : particles) middle += at(i) / double(particles.size());
    Mat3d moments = Mat3d::zero();
    for (const std::int32_t i : particles) moments = moments + outer(at(i) - middle, at(i) - middle);
    const double trace = moments.c0.x + moments.c1.y + moments.c2.z;
    moments = moments + Mat3d{} * (1e-6 * trace);
    const Vec3d slope = contact::inverse_of_moments(moments) * (point - middle);
    std::vector<float> weights;
    for (const std::int32_t i : particles)
        weights.push_back(float(1 / double(particles.size()) + dot(slope, at(i) - middle)));
    return weights;
}

bool is_positive(double value)
{
    return value > 0 && std::isfinite(value);
}

Status check(const Joint& joint)
{
    if (!is_finite(joint.a.point) || !is_finite(joint.b.point)) return Error{"joint", "its points have to be finite"};
    if (const auto* rope = std::get_if<Rope>(&joint.kind); rope && !is_positive(rope->length))
        return Error{"joint", "a rope has a positive length"};
    const auto* hinge = std::get_if<Hinge>(&joint.kind);
    if (!hinge) return Done{};
    if (!is_finite(hinge->axis) || !(length(hinge->axis) > 0)) return Error{"joint", "a hinge has an axis"};
    if (!std::isfinite(hinge->speed) || !(hinge->torque >= 0) || !std::isfinite(hinge->torque))
        return Error{"joint", "speed and torque of a motor have to be finite, and the torque not negative"};
    if (hinge->limit && !(hinge->limit->first <= hinge->limit->second))
        return Error{"joint", "the limits of a hinge are out of order"};
    return Done{};
}

}  // namespace

JointedBody::JointedBody(const BodyModel& its_model, const BodyState& its_state, const RigidPose* before)
    : model(&its_model), state(&its_state), pose_before(before)
{
    int repaired = 0;
    if (model->is_rigid()) pose = pose_of(*model->data().rigid, *state, repaired);
}

Error Joints::stale()
{
    return {"scene", "there is no joint with this id: it was removed, or lost its body"};
}

Joints::Anchor Joints::anchor(const JointedBody* body, Vec3d point, std::span<const std::int32_t> particles)
{
    Anchor anchor;
    anchor.offset = point;
    if (!body) return anchor;
    if (body->pose) {
        anchor.offset = transpose(body->pose->turn) * (point - body->pose->center);
        return anchor;
    }
    anchor.particles.assign(particles.begin(), particles.end());
    if (anchor.particles.empty()) anchor.particles = around(*body, point);
    anchor.weights = weights_for(body->state->positions, anchor.particles, point);
    return anchor;
}

Vec3d Joints::position(const JointedBody* body, const Anchor& anchor)
{
    if (!body) return anchor.offset;
    if (body->pose) return body->pose->at(anchor.offset);
    Vec3d sum;
    for (std::size_t k = 0; k < anchor.particles.size(); ++k)
        sum += body->state->positions[std::size_t(anchor.particles[k])].as<double>() * double(anchor.weights[k]);
    return sum;
}

Result<Joints::Held> Joints::hold(Joint joint, const JointedBody* a, const JointedBody* b)
{
    if (const Status sound = check(joint); !sound) return sound.error();
    if (!a && !b) return Error{"joint", "holds the world to itself: one of its sides needs a body"};
    for (const auto& [side, body] : {std::pair(&joint.a, a), std::pair(&joint.b, b)})
        for (const std::int32_t i : side->particles)
            if (!body || i < 0 || std::size_t(i) >= body->model->particle_count())
                return Error{"joint", "there is no particle " + std::to_string(i) + " to hold"};
    Held held{.joint = std::move(joint), .pairs = {}, .levers = {}};
    const Joint& own = held.joint;
    const auto add = [&](Vec3d at_a, Vec3d at_b) {
        held.pairs.push_back({anchor(a, at_a, own.a.particles), anchor(b, at_b, own.b.particles)});
    };
    const double size = a && b ? std::min(size_of(*a), size_of(*b)) : size_of(a ? *a : *b);
    if (std::holds_alternative<Weld>(own.kind)) {
        const JointedBody* soft = a && !a->pose ? a : nullptr;
        if (soft) {
            // Each particle of the first side to its place on the other.
            std::vector<std::int32_t> particles = own.a.particles;
            if (particles.empty()) particles = around(*a, own.a.point);
            for (const std::int32_t i : particles) {
                const Vec3d here = a->state->positions[std::size_t(i)].as<double>();
                const bool both = b && !b->pose;
                held.pairs.push_back({Anchor{{}, {i}, {1.0f}},
                                      anchor(b, here, both ? glued_to(*b, here, own.b.particles) : own.b.particles)});
            }
        } else if (b && !b->pose && !own.b.particles.empty()) {
            for (const std::int32_t i : own.b.particles) {
                const Vec3d here = b->state->positions[std::size_t(i)].as<double>();
                held.pairs.push_back({anchor(a, here, {}), Anchor{{}, {i}, {1.0f}}});
            }
        } else {
            const double arm = 0.2 * size;
            for (const Vec3d& to : {Vec3d{arm, 0, 0}, Vec3d{0, arm, 0}, Vec3d{0, 0, arm}, Vec3d{-arm, -arm, -arm}})
                add(own.a.point + to, own.a.point + to);
        }
    } else if (const auto* hinge = std::get_if<Hinge>(&own.kind)) {
        const Vec3d axis = normalized(hinge->axis), half = axis * (0.1 * size);
        add(own.a.point + half, own.b.point + half);
        add(own.a.point - half, own.b.point - half);
        const Vec3d other = std::abs(axis.x) < 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
        const Vec3d across = normalized(cross(axis, other)) * (0.1 * size);
        held.lever = 0.2 * size;
        held.levers = {
            {{anchor(a, own.a.point + across, own.a.particles), anchor(a, own.a.point - across, own.a.particles)},
             {anchor(b, own.b.point + across, own.b.particles), anchor(b, own.b.point - across, own.b.particles)}}};
    } else {
        add(own.a.point, own.b.point);
    }
    return held;
}

Result<JointId> Joints::add(Joint joint, const JointedBody* a, const JointedBody* b)
{
    Result<Held> held = hold(std::move(joint), a, b);
    if (!held) return held.error();
    all_.push_back(std::move(*held));
    return ids_.add();
}

void Joints::erase(std::size_t k)
{
    all_.erase(all_.begin() + std::ptrdiff_t(k));
    ids_.remove(k);
}

Status Joints::remove(JointId joint)
{
    const auto k = ids_.index(joint);
    if (!k) return stale();
    erase(*k);
    return Done{};
}

bool Joints::holds(BodyId body) const
{
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Held& held) { return held.joint.a.body == body || held.joint.b.body == body; });
}

bool Joints::is_driven(BodyId body) const
{
    return std::any_of(all_.begin(), all_.end(), [&](const Held& held) {
        const auto* hinge = std::get_if<Hinge>(&held.joint.kind);
        return hinge && hinge->torque > 0 && (held.joint.a.body == body || held.joint.b.body == body);
    });
}

std::vector<JointId> Joints::drop(BodyId body)
{
    std::vector<JointId> gone;
    for (std::size_t k = all_.size(); k-- > 0;)
        if (all_[k].joint.a.body == body || all_[k].joint.b.body == body) {
            gone.insert(gone.begin(), ids_.ids()[k]);
            erase(k);
        }
    return gone;
}

std::vector<JointId> Joints::carry(BodyId body, const TopologyChange& change)
{
    std::vector<JointId> gone;
    const auto carry_anchor = [&](Anchor& anchor) {
        if (anchor.particles.empty()) return true;
        std::vector<std::size_t> from;
        Anchor next{anchor.offset, carry_particles(anchor.particles, change, &from), {}};
        float sum = 0;
        for (const std::size_t k : from) next.weights.push_back(anchor.weights[k]);
        for (const float w : next.weights) sum += w;
        anchor = std::move(next);
        for (float& w : anchor.weights) w /= sum;
        return !anchor.particles.empty() && std::isfinite(1 / sum);
    };
    for (std::size_t k = all_.size(); k-- > 0;) {
        Held& held = all_[k];
        bool any = held.joint.a.body != body && held.joint.b.body != body;
        for (std::size_t s = 0; s < 2; ++s) {
            if ((s == 0 ? held.joint.a : held.joint.b).body != body) continue;
            std::erase_if(held.pairs, [&](Pair& pair) { return !carry_anchor(pair[s]); });
            bool levers = true;
            for (Anchor& lever : held.levers[s]) levers = carry_anchor(lever) && levers;
            any = levers && !held.pairs.empty();
        }
        if (any) continue;
        gone.insert(gone.begin(), ids_.ids()[k]);
        erase(k);
    }
    return gone;
}

void Joints::view(std::int32_t index, const JointedBody* body, const Anchor& anchor, contact::LinkSide& side)
{
    side.body = index;
    side.particles.assign(anchor.particles.begin(), anchor.particles.end());
    side.weights.assign(anchor.weights.begin(), anchor.weights.end());
    side.point = anchor.particles.empty() ? position(body, anchor) : Vec3d{};
    side.before = body && body->pose ? body->pose_before->at(anchor.offset) : side.point;
}

/// Motor and limits of a hinge.
void Joints::view(const Held& held, const Hinge& hinge, std::array<std::int32_t, 2> indices,
                  std::array<const JointedBody*, 2> bodies, contact::Turn& turn)
{
    // The axis as it is now, on whichever side there is a body.
    const std::size_t first = bodies[0] ? 0 : 1;
    turn.axis =
        normalized(position(bodies[first], held.pairs[0][first]) - position(bodies[first], held.pairs[1][first]));
    std::array<Vec3d, 2> lever;
    for (std::size_t s = 0; s < 2; ++s) {
        const auto& [one, other] = held.levers[s];
        lever[s] = position(bodies[s], one) - position(bodies[s], other);
        lever[s] = lever[s] - turn.axis * dot(turn.axis, lever[s]);
        const auto width = float(std::max(length(lever[s]), 0.1 * held.lever));
        lever[s] = normalized(lever[s]);
        turn.across[s] = cross(turn.axis, lever[s]);
        contact::LinkSide& side = turn.sides[s];
        view(indices[s], bodies[s], one, side);
        for (float& w : side.weights) w /= width;
        for (std::size_t k = 0; k < other.particles.size(); ++k) {
            side.particles.push_back(other.particles[k]);
            side.weights.push_back(-other.weights[k] / width);
        }
    }
    turn.angle = std::atan2(dot(turn.axis, cross(lever[1], lever[0])), dot(lever[0], lever[1]));
    turn.limit = hinge.limit;
    turn.speed = hinge.speed;
    turn.torque = hinge.torque;
}

void Joints::view(std::span<const JointedBody> bodies, const IdTable<BodyId>& ids, contact::Links& links) const
{
    const auto is_turned = [](const Held& held) {
        const auto* hinge = std::get_if<Hinge>(&held.joint.kind);
        return hinge && (hinge->limit || hinge->torque > 0);
    };
    std::size_t count = 0, next = 0, next_turn = 0;
    for (const Held& held : all_) count += held.pairs.size();
    links.links.resize(count);
    links.turns.resize(std::size_t(std::count_if(all_.begin(), all_.end(), is_turned)));
    for (const Held& held : all_) {
        std::array<std::int32_t, 2> indices{-1, -1};
        std::array<const JointedBody*, 2> of{};
        for (std::size_t s = 0; s < 2; ++s) {
            const std::optional<BodyId>& id = (s == 0 ? held.joint.a : held.joint.b).body;
            if (!id) continue;
            indices[s] = std::int32_t(*ids.index(*id));
            of[s] = &bodies[std::size_t(indices[s])];
        }
        const auto* rope = std::get_if<Rope>(&held.joint.kind);
        for (const Pair& pair : held.pairs) {
            contact::Link& link = links.links[next++];
            for (std::size_t s = 0; s < 2; ++s) view(indices[s], of[s], pair[s], link.sides[s]);
            link.length = rope ? std::optional(rope->length) : std::nullopt;
        }
        if (is_turned(held)) view(held, std::get<Hinge>(held.joint.kind), indices, of, links.turns[next_turn++]);
    }
}

}  // namespace yawara
