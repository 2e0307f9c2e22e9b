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

constexpr double kSlack = 0.01;     // of its size, how much farther than foreseen a node may go
constexpr double kDeepest = 0.009;  // likewise, how far into an obstacle it may be pressed
constexpr double kSoft = 0.003;     // likewise, by springs that are no stiffer than it is; from there on
constexpr float kFirmer = 4;        // times as much is added, what sub-steps of the usual length can follow

double soft_depth(const Workspace& work)
{
    return kSoft / kSlack * work.reach.slack;
}

/// N/m, at its present depth.
float stiffness_now(const Candidate& c, double soft)
{
    return c.stiffness * (double(c.walls[0].height) < -soft ? 1 + kFirmer : 1);
}

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
    const double soft = soft_depth(work);
    for (const Candidate* c : work.touching)
        for (std::int32_t k = 0; k < c->support.count; ++k)
            on_node[std::size_t(c->support.on[k])] += stiffness_now(*c, soft) * c->support.weight[k];
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

/// kg: what a velocity of a free node of the front counts in the momentum of the body.
double mass_of(const Front& front, std::size_t node)
{
    double mass = front.exact_diagonal[node];
    for (std::int32_t e = front.mass_offsets[node]; e < front.mass_offsets[node + 1]; ++e)
        mass += front.exact_values[std::size_t(e)];
    return mass;
}

/// The free nodes that carry a node and may move, and their weights.
class Carriers {
public:
    Carriers(const Candidate& c, const Workspace& work)
    {
        for (std::int32_t k = 0; k < c.support.count; ++k)
            for (const Front::WeightedNode& free : work.front.free_nodes_of(std::size_t(c.support.on[k]))) {
                if (!work.fixed.empty() && work.fixed[std::size_t(free.node)]) continue;
                add(free.node, c.support.weight[k] * free.weight);
            }
    }
    std::span<const Front::WeightedNode> nodes() const { return {on_.data(), count_}; }

private:
    void add(std::int32_t node, float weight)
    {
        const auto known = std::find_if(on_.begin(), on_.begin() + std::ptrdiff_t(count_),
                                        [&](const Front::WeightedNode& o) { return o.node == node; });
        if (known != on_.begin() + std::ptrdiff_t(count_))
            known->weight += weight;
        else if (count_ < on_.size())
            on_[count_++] = {node, weight};
    }
    std::array<Front::WeightedNode, 64> on_;
    std::size_t count_ = 0;
};

/// m/s, also while the hanging nodes do not follow yet.
Vec3 velocity_of(const Candidate& c, const Workspace& work)
{
    if (work.front.hanging_nodes.empty()) return c.support.mean(work.v);
    Vec3 sum;
    for (std::int32_t k = 0; k < c.support.count; ++k)
        for (const Front::WeightedNode& free : work.front.free_nodes_of(std::size_t(c.support.on[k])))
            sum += get(work.v, std::size_t(free.node)) * (c.support.weight[k] * free.weight);
    return sum;
}

/// Moves a node and changes its velocity and, by that in 1 / `per_kick` s, its acceleration, as a blow on it would, by
/// the free nodes that carry it. Returns the momentum of that blow, as seen from the node.
Vec3 change_motion(const Candidate& c, Vec3 shift, Vec3 faster, float per_kick, Workspace& work)
{
    const Carriers carriers(c, work);
    float yields = 0;  // 1/kg
    for (const auto& [node, weight] : carriers.nodes())
        yields += weight * weight / work.front.mass_diagonal[std::size_t(node)];
    if (!(yields > 0)) return {};
    for (const auto& [node, weight] : carriers.nodes()) {
        const auto k = std::size_t(node);
        const float share = weight / (work.front.mass_diagonal[k] * yields);
        add(work.x, k, shift * share);
        add(work.v, k, faster * share);
        add(work.a, k, faster * (share * per_kick));
        work.contact_impulse += (faster * share).as<double>() * mass_of(work.front, k);
    }
    return faster / yields;
}

/// Brings a node that passed through an obstacle back to the height over the surface that it had before, and stops it
/// there: `towards` is its velocity along the normal. Returns how far that is, m.
float hold_back(const Candidate& c, const contact::Meeting& met, Vec3& in_world, float towards, Workspace& work)
{
    const Vec3 n = met.normal.as<float>();
    const float deeper = std::max(-dot(n, in_world - met.relative.start), 0.0f);
    change_motion(c, n * deeper, n * std::max(-towards, 0.0f), 0, work);
    in_world += n * deeper;
    return deeper;
}

void see_wall(Candidate& c, const Candidate::Wall& wall)
{
    const auto most = std::int32_t(c.walls.size());
    if (c.wall_count == most && !(wall.height < c.walls.back().height)) return;
    std::int32_t place = std::min(c.wall_count, most - 1);
    for (; place > 0 && wall.height < c.walls[std::size_t(place) - 1].height; --place)
        c.walls[std::size_t(place)] = c.walls[std::size_t(place) - 1];
    c.walls[std::size_t(place)] = wall;
    c.wall_count = std::min(c.wall_count + 1, most);
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
    constexpr double kNever = 1e30;
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
    work.reach = {std::sqrt(double(fastest)) + obstacle_speed, kSlack * model.size, kNever};
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
    // A soft body may be pressed flatter than a tet of it, and a blow may crush what is behind the surface: that must
    // not come out inside an obstacle, or behind it.
    if (work.candidates.empty()) return;
    for (std::size_t k = 0; k < model.inner_nodes.size(); ++k) list(model.inner_nodes[k], -1, model.inner_stiffness[k]);
    float lightest = kFar;
    for (const Candidate& c : work.candidates) lightest = std::min(lightest, c.mass);
    work.reach.crossing = std::cbrt(model.volume * double(lightest) / model.total_mass) / work.reach.speed;
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
    const double soft = soft_depth(work);
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
        c.wall_count = 0;
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
            see_wall(c, {n, here.relative.velocity.as<float>(), float(here.distance), collider.friction});
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
            const float beyond = mean_depth(float(-here.distance - soft), towards * dt);
            const float stiffness = c.stiffness * (beyond > 0 ? 1 + kFirmer : 1);
            const float damping =
                std::min(2 * work.damping_ratios[k] * std::sqrt(stiffness * c.mass), 0.5f * c.mass * per_kick);
            const float pressed = std::max(0.0f, c.stiffness * (depth + kFirmer * beyond) - damping * towards);
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

int hold_pressed(const FemModel& model, const SubstepTimes& times, Vec3 gravity, Workspace& work)
{
    const auto deepest = float(kDeepest * model.size), time = float(times.h), per_kick = 1 / float(times.kick);
    const Vec3 ahead = work.frame.falls ? gravity * (time / 2) : Vec3{};  // of the frame, in the mean
    int held = 0;
    for (Candidate& c : work.candidates) {
        if (!c.asked) continue;
        for (std::int32_t k = 0; k < c.wall_count; ++k) {
            const Candidate::Wall& wall = c.walls[std::size_t(k)];
            const Vec3 n = wall.normal, v = work.velocity_in_world(velocity_of(c, work)) + ahead - wall.velocity;
            const float towards = dot(n, v);
            const float faster = (std::min(-deepest, wall.height) - wall.height) / time - towards;
            if (!(faster > 0)) continue;
            const Vec3 along = v - n * towards;
            const float sliding = length(along), braked = std::min(wall.friction * faster, sliding);
            const Vec3 change = sliding > 0 ? n * faster - along * (braked / sliding) : n * faster;
            c.force += change_motion(c, change * time, change, per_kick, work) * per_kick;
            ++held;
        }
    }
    if (held > 0)
        for (Nodal* values : {&work.x, &work.v, &work.a}) work.front.interpolate(*values);
    return held;
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
            const double height = contact::sample(collider, work.to_world(c.support.mean(work.x))).distance;
            const double depth = std::max(0.0, -height), beyond = std::max(0.0, -height - soft_depth(work));
            sum += double(c.stiffness) / 2 * (depth * depth + double(kFirmer) * beyond * beyond);
        }
    return sum;
}

}  // namespace yawara::fem
