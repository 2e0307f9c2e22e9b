// Contact of a finite-element body with obstacles: stiff springs at the finest surface nodes, whose forces go to the
// nodes of the front that carry them, by their weights. The law does not depend on the level. A node that springs would
// let through an obstacle is held where it was.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "contact/meeting.h"
#include "fem/advance.h"

namespace yawara::fem {
namespace {

/// Share of critical damping that gives this restitution to a mass on a spring.
float damping_ratio(float restitution)
{
    if (restitution <= 0) return 1;
    const float l = std::log(restitution);
    return -l / std::sqrt(std::numbers::pi_v<float> * std::numbers::pi_v<float> + l * l);
}

/// Mean of max(0, depth) while the depth changes evenly by `travel` about its present value. A spring that is switched
/// on and off at whole sub-steps would add energy at every touch.
float mean_depth(float depth, float travel)
{
    const float half = std::abs(travel) / 2;
    if (depth >= half) return depth;
    return depth <= -half ? 0.0f : (depth + half) * (depth + half) / (4 * half);
}

/// Where many fine nodes press on a large tet, their springs together are stiffer than the tet itself. A spring on some
/// nodes, by weights, is at most springs on each of them by weight, and a mass matrix is at least half its diagonal.
float spring_bound(Workspace& work)
{
    std::vector<float>& on_node = work.springs_on;
    on_node.resize(work.front.used.size(), 0.0f);
    const float least_mass = work.front.diagonal_mass() ? 1.0f : 0.5f;
    float most = 0;
    for (const Candidate* c : work.touching)
        for (std::int32_t k = 0; k < c->support.count; ++k)
            on_node[std::size_t(c->support.on[k])] += c->stiffness * c->support.weight[k];
    for (const Candidate* c : work.touching)
        for (std::int32_t k = 0; k < c->support.count; ++k) {
            const auto node = std::size_t(c->support.on[k]);
            if (const float mass = work.front.mass_diagonal[node]; mass > 0)
                most = std::max(most, on_node[node] / (least_mass * mass));
            on_node[node] = 0;
        }
    work.touching.clear();
    return most;
}

/// How a node meets an obstacle whose nearest surface is its own.
contact::Meeting meet_nearest(const Collider& collider, Vec3 now)
{
    const contact::Sample here = contact::sample(collider, now);
    return {{now, contact::velocity_at(collider, now.as<double>())}, here.distance, here.normal, 0, false};
}

/// How a node meets an obstacle that has come here since the node was last asked; if it was not, the nearest surface is
/// its own. Springs push over edges the nearest way; only what would come out on the other side has passed.
contact::Meeting meet_since(const Collider& collider, const Candidate& c, Vec3 now)
{
    constexpr double kOpposite = -0.5;
    contact::Meeting met = c.asked ? contact::meet(collider, c.seen, now) : meet_nearest(collider, now);
    if (!met.passed) return met;
    const contact::Sample here = contact::sample(collider, now);
    if (!(dot(met.normal, here.normal) < kOpposite))
        met.distance = here.distance, met.normal = here.normal, met.inside = 0, met.passed = false;
    return met;
}

/// Moves a node and changes its velocity, by the free nodes that carry it.
void change_motion(const Candidate& c, Vec3 shift, Vec3 faster, Workspace& work)
{
    std::array<std::pair<std::int32_t, float>, 64> on;  // free nodes and their weights
    std::size_t count = 0;
    for (std::int32_t k = 0; k < c.support.count; ++k)
        for (const Front::WeightedNode& free : work.front.free_nodes_of(std::size_t(c.support.on[k]))) {
            if (!work.fixed.empty() && work.fixed[std::size_t(free.node)]) continue;
            const float weight = c.support.weight[k] * free.weight;
            const auto known = std::find_if(on.begin(), on.begin() + std::ptrdiff_t(count),
                                            [&](const auto& o) { return o.first == free.node; });
            if (known != on.begin() + std::ptrdiff_t(count))
                known->second += weight;
            else if (count < on.size())
                on[count++] = {free.node, weight};
        }
    float squares = 0;
    for (std::size_t k = 0; k < count; ++k) squares += on[k].second * on[k].second;
    if (!(squares > 0)) return;
    for (std::size_t k = 0; k < count; ++k) {
        const auto [node, weight] = on[k];
        add(work.x, std::size_t(node), shift * (weight / squares));
        add(work.v, std::size_t(node), faster * (weight / squares));
    }
}

/// Brings a node that passed through an obstacle back to the height over the surface that it had before, and stops it
/// there: `towards` is its velocity along the normal. Returns how far that is, m.
float hold_back(const Candidate& c, const contact::Meeting& met, Vec3& in_world, float towards, Workspace& work)
{
    const Vec3 n = met.normal.as<float>();
    const float deeper = std::max(-dot(n, in_world - met.relative.start), 0.0f);
    change_motion(c, n * deeper, n * std::max(-towards, 0.0f), work);
    in_world += n * deeper;
    return deeper;
}

/// Friction: a spring along the surface from where the node sticks, which gives way where it would pull with more than
/// Coulomb's share of the pressure, `most`. Unlike one that brakes the node, it holds a load at rest, and what it does
/// hardly depends on the sub-step.
Vec3 friction(Vec3 n, Vec3 along, float most, const Candidate& c, float time, float per_kick, Vec3& shear)
{
    constexpr float kStiffness = 0.5f, kDamping = 0.5f;  // shares: of that along the normal, of the critical
    const float stiffness = kStiffness * c.stiffness;
    const float damping = std::min(2 * kDamping * std::sqrt(stiffness * c.mass), 0.5f * c.mass * per_kick);
    shear += along * time;
    shear -= n * dot(n, shear);
    const Vec3 held = shear * stiffness + along * damping;
    const float size = length(held);
    if (!(size > most)) return -held;
    if (const float pulled = length(shear) * stiffness; pulled > most) shear *= most / pulled;
    return held * (-most / size);
}

}  // namespace

std::span<const Collider> obstacles_in(const StepInput& input, double from, double to, Workspace& work)
{
    const auto moves = [](const Collider& c) { return c.motion && c.motion->moves(); };
    if (std::none_of(input.colliders.begin(), input.colliders.end(), moves)) return input.colliders;
    work.obstacles.resize(input.colliders.size());
    for (std::size_t k = 0; k < work.obstacles.size(); ++k) {
        const Collider& whole = input.colliders[k];
        Collider& now = work.obstacles[k];
        now.shape = whole.shape;
        now.friction = whole.friction;
        now.restitution = whole.restitution;
        now.motion = whole.motion;
        if (moves(whole)) contact::cut_motion(now, from / whole.motion->duration, to / whole.motion->duration);
    }
    return work.obstacles;
}

void find_candidates(const FemModel& model, std::span<const double> masses, const StepInput& input, double since,
                     double time, Workspace& work)
{
    work.candidates.clear();
    if (input.colliders.empty()) return;
    constexpr float kFar = 1e30f;
    const Four frame = four(work.frame.velocity.as<float>());
    Four low = splat(kFar), high = splat(-kFar);
    float fastest = 0;
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        const Four x = get4(work.x, k), v = get4(work.v, k) + frame, squares = v * v;
        low = x < low ? x : low;
        high = x > high ? x : high;
        fastest = std::max(fastest, squares[0] + squares[1] + squares[2]);
    }
    const Box3 body{work.to_world({low[0], low[1], low[2]}).as<double>(),
                    work.to_world({high[0], high[1], high[2]}).as<double>()};
    double obstacle_speed = 0;
    for (const Collider& c : input.colliders)
        if (c.motion && c.motion->moves())
            obstacle_speed = std::max(obstacle_speed, contact::travel(c, body) / c.motion->duration);
    const std::span<const Collider> colliders = obstacles_in(input, since, since, work);
    work.reach = {std::sqrt(double(fastest)) + obstacle_speed, 0.01 * model.size};
    const double reach = work.reach.travel(time);
    const Vec3d wide{reach, reach, reach};
    const Box3 around{body.low - wide, body.high + wide};
    bool any = false;
    for (const Collider& collider : colliders) any |= !contact::is_clear_of(collider, around);
    if (!any) return;
    work.damping_ratios.clear();
    for (const Collider& collider : colliders) work.damping_ratios.push_back(damping_ratio(collider.restitution));
    std::vector<Vec3>& fine = work.fine_positions;
    fine.resize(model.forest.node_count());
    for (std::int32_t n = 0; n < std::int32_t(fine.size()); ++n) {
        const ForestNode& node = model.forest.node(n);
        const std::int32_t place = work.front.used_index(n);
        fine[std::size_t(n)] = place >= 0 ? get(work.x, std::size_t(place))
                                          : (fine[std::size_t(node.a)] + fine[std::size_t(node.b)]) * 0.5f;
    }
    const auto list = [&](std::int32_t node, std::int32_t place, float stiffness) {
        const Vec3 x = work.to_world(fine[std::size_t(node)]);
        double nearest = reach;
        for (const Collider& c : colliders) nearest = std::min(nearest, contact::sample(c, x).distance);
        if (!(nearest < reach)) return false;
        work.candidates.push_back({node,
                                   place,
                                   stiffness,
                                   float(masses[std::size_t(node)]),
                                   work.front.support(model.forest, node),
                                   nearest,
                                   {},
                                   0,
                                   {}});
        return true;
    };
    for (std::size_t k = 0; k < model.surface_nodes.size(); ++k)
        if (!list(model.surface_nodes[k], std::int32_t(k), model.contact_stiffness[k])) work.shear[k] = {};
    // A soft body may be pressed flatter than a tet of it, until what is behind the surface comes out below a floor.
    const auto is_plane = [](const Collider& c) { return std::holds_alternative<Plane>(c.shape); };
    const bool touches = !work.candidates.empty();  // else nothing behind the surface is below anything
    for (std::size_t k = 0; touches && k < model.inner_nodes.size(); ++k) {
        const std::int32_t n = model.inner_nodes[k];
        const Vec3 x = work.to_world(fine[std::size_t(n)]);
        if (std::any_of(colliders.begin(), colliders.end(),
                        [&](const Collider& c) { return is_plane(c) && contact::sample(c, x).distance < 0; }))
            list(n, -1, model.inner_stiffness[k]);
    }
    // A blow may crush what is behind the surface: then inner nodes have to be held back, too.
    constexpr double kBlow = 0.25;  // of the distance of nodes, in a step
    const double spacing = model.size / std::cbrt(double(fine.size()));
    if (!(work.reach.speed * input.dt > kBlow * spacing)) return;
    // Nothing comes out on the other side of a half-space.
    if (std::all_of(colliders.begin(), colliders.end(), is_plane)) return;
    for (const std::int32_t n : model.inner_nodes) list(n, -1, 0);
}

void find_supports(const FemModel& model, Workspace& work)
{
    for (Candidate& c : work.candidates) c.support = work.front.support(model.forest, c.node);
}

ContactForecast add_contact(std::span<const Collider> colliders, const SubstepTimes& times, Vec3 gravity,
                            Workspace& work, OuterImpulse& impulse, ContactReport& report)
{
    const auto [h, last, kick, age, next] = times;
    const auto dt = float(h), per_kick = 1 / float(kick);
    // The nodes' velocities are those of the middle of the last sub-step, that of the frame is the present one.
    const Vec3 ahead = work.frame.falls ? gravity * float(last / 2) : Vec3{};
    ContactForecast forecast;
    int& contacts = forecast.touching;
    const double gone = work.reach.travel(age) - work.reach.slack, travel = work.reach.travel(age + h + next);
    for (Candidate& c : work.candidates) {
        if (c.clear > travel) {  // too far to touch; its force is zero already
            c.asked = false;
            if (c.place >= 0) work.shear[std::size_t(c.place)] = {};
            continue;
        }
        const Vec3 x = c.support.mean(work.x);
        Vec3 in_world = work.to_world(x);
        const Vec3 v_world = work.velocity_in_world(c.support.mean(work.v)) - ahead;
        c.force = {};
        c.blow = 0;
        struct {
            float most = 0;
            Vec3 normal, along;
            float time = 0;  // s, since it touched, in the last sub-step
        } rubs;              // on the obstacle that holds it most
        bool touched = false;
        double nearest = 1e30;
        for (std::size_t k = 0; k < colliders.size(); ++k) {
            const Collider& collider = colliders[k];
            contact::Meeting here = meet_since(collider, c, in_world);
            const Vec3 n = here.normal.as<float>(), v = v_world - here.relative.velocity.as<float>();
            float towards = dot(n, v);
            if (here.passed && here.distance < 0) {
                const float deeper = hold_back(c, here, in_world, towards, work);
                here.distance += double(deeper);
                towards = std::max(towards, 0.0f);
                ++forecast.held_back;
            }
            nearest = std::min(nearest, here.distance);
            if (c.stiffness <= 0) continue;  // of the inside: no more than held back
            const float depth = mean_depth(float(-here.distance), towards * dt);
            if (here.distance < double(-towards) * (h + next)) {
                c.blow = std::max(c.blow, -towards * std::sqrt(c.mass / c.stiffness));
                forecast.lands |= !(depth > 0);
            }
            if (!(depth > 0)) {
                if (here.distance < forecast.soonest * double(-towards))
                    forecast.soonest = here.distance / double(-towards);
                continue;
            }
            touched = true;
            forecast.fastest = std::max(forecast.fastest, std::abs(towards));
            // A spring with damping that gives the wanted restitution; it never pulls, and never turns the speed round
            // within one sub-step.
            const float damping =
                std::min(2 * work.damping_ratios[k] * std::sqrt(c.stiffness * c.mass), 0.5f * c.mass * per_kick);
            const float pressed = std::max(0.0f, c.stiffness * depth - damping * towards);
            c.force += n * pressed;
            if (collider.friction * pressed > rubs.most) {
                const double since = towards < 0 ? here.distance / double(towards) : last;
                rubs = {collider.friction * pressed, n, v - n * towards, float(std::clamp(since, 0.0, last))};
            }
            report.deepest = std::max(report.deepest, float(-here.distance));
        }
        c.clear = nearest + gone;
        c.seen = in_world;
        c.asked = true;
        if (c.place >= 0) {
            Vec3& shear = work.shear[std::size_t(c.place)];
            if (rubs.most > 0)
                c.force += friction(rubs.normal, rubs.along, rubs.most, c, rubs.time, per_kick, shear);
            else
                shear = {};
        }
        if (!touched) continue;
        ++contacts;
        work.touching.push_back(&c);
        c.support.share_out(c.force, work.force);
        const Vec3d j = c.force.as<double>() * kick;
        impulse.linear += j;
        impulse.angular += cross(x.as<double>() - impulse.about, j);
    }
    if (forecast.held_back > 0) {
        work.front.interpolate(work.x);
        work.front.interpolate(work.v);
    }
    report.contacts = std::max(report.contacts, contacts);
    forecast.springs = spring_bound(work);
    return forecast;
}

int hold_passed(std::span<const Collider> colliders, Workspace& work)
{
    int held = 0;
    for (Candidate& c : work.candidates) {
        if (!c.asked) continue;
        Vec3 in_world = work.to_world(c.support.mean(work.x));
        for (const Collider& collider : colliders) {
            const contact::Meeting met = meet_since(collider, c, in_world);
            if (!(met.passed && met.distance < 0)) continue;
            const Vec3 v = work.velocity_in_world(c.support.mean(work.v)) - met.relative.velocity.as<float>();
            hold_back(c, met, in_world, dot(met.normal.as<float>(), v), work);
            ++held;
        }
        c.seen = in_world;
    }
    if (held > 0) {
        work.front.interpolate(work.x);
        work.front.interpolate(work.v);
    }
    return held;
}

double contact_energy(std::span<const Collider> colliders, const Workspace& work)
{
    double sum = 0;
    for (const Candidate& c : work.candidates)
        for (const Collider& collider : colliders) {
            const double depth =
                std::max(0.0, -contact::sample(collider, work.to_world(c.support.mean(work.x))).distance);
            sum += double(c.stiffness) / 2 * depth * depth;
        }
    return sum;
}

}  // namespace yawara::fem
