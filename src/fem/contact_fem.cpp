// Contact of a finite-element body with obstacles: stiff springs at the finest surface nodes, whose forces go to the
// nodes of the front that carry them, by their weights. The law does not depend on the level.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/shapes.h"
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

}  // namespace

void find_candidates(const FemModel& model, std::span<const double> masses, std::span<const Collider> colliders,
                     double time, Workspace& work)
{
    work.candidates.clear();
    if (colliders.empty()) return;
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
    work.reach = {std::sqrt(double(fastest)), 0.01 * model.size};
    const double reach = work.reach.travel(time);
    const Vec3d wide{reach, reach, reach};
    const Box3 around{work.to_world({low[0], low[1], low[2]}).as<double>() - wide,
                      work.to_world({high[0], high[1], high[2]}).as<double>() + wide};
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
    for (std::size_t k = 0; k < model.surface_nodes.size(); ++k) {
        const std::int32_t node = model.surface_nodes[k];
        const Vec3 x = work.to_world(fine[std::size_t(node)]);
        double nearest = reach;
        for (const Collider& c : colliders) nearest = std::min(nearest, contact::sample(c, x).distance);
        if (!(nearest < reach)) continue;
        work.candidates.push_back({node,
                                   model.contact_stiffness[k],
                                   float(masses[std::size_t(node)]),
                                   work.front.support(model.forest, node),
                                   nearest,
                                   {}});
    }
}

void find_supports(const FemModel& model, Workspace& work)
{
    for (Candidate& c : work.candidates) c.support = work.front.support(model.forest, c.node);
}

ContactForecast add_contact(std::span<const Collider> colliders, double h, double kick, double age, double next,
                            Workspace& work, OuterImpulse& impulse, ContactReport& report)
{
    const auto dt = float(h), per_kick = 1 / float(kick);
    ContactForecast forecast;
    int& contacts = forecast.touching;
    const double gone = work.reach.travel(age) - work.reach.slack, travel = work.reach.travel(age + h + next);
    for (Candidate& c : work.candidates) {
        if (c.clear > travel) continue;  // too far to touch; its force is zero already
        const Vec3 x = c.support.mean(work.x), in_world = work.to_world(x);
        const Vec3 v = work.velocity_in_world(c.support.mean(work.v));
        c.force = {};
        bool touched = false;
        double nearest = 1e30;
        for (std::size_t k = 0; k < colliders.size(); ++k) {
            const Collider& collider = colliders[k];
            const contact::Sample here = contact::sample(collider, in_world);
            const Vec3 n = here.normal.as<float>();
            const float towards = dot(n, v);
            nearest = std::min(nearest, here.distance);
            const float depth = mean_depth(float(-here.distance), towards * dt);
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
            if (collider.friction > 0) {
                const Vec3 along = v - n * towards;
                const float speed = length(along);
                const float rubbed = std::min(collider.friction * pressed, c.mass * speed * per_kick);
                if (speed > 0) c.force -= along * (rubbed / speed);
            }
            report.deepest = std::max(report.deepest, float(-here.distance));
        }
        c.clear = nearest + gone;
        if (!touched) continue;
        ++contacts;
        work.touching.push_back(&c);
        c.support.share_out(c.force, work.force);
        const Vec3d j = c.force.as<double>() * kick;
        impulse.linear += j;
        impulse.angular += cross(x.as<double>() - impulse.about, j);
    }
    report.contacts = std::max(report.contacts, contacts);
    forecast.springs = spring_bound(work);
    return forecast;
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
