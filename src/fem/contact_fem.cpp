// Contact of a finite-element body with obstacles: stiff springs at the finest surface nodes, whose forces go to the
// front by the weights the nodes hang on it. The law does not depend on the level.
#include <cmath>
#include <numbers>

#include "contact/shapes.h"
#include "fem/advance.h"

namespace yawara::fem {
namespace {

/// Used nodes that a forest node hangs on; it lies on a face of an active tet, so they are three at most.
void hang(const TetForest& forest, const Front& front, std::int32_t node, float weight, Candidate& candidate)
{
    if (const std::int32_t place = front.place(node); place >= 0) {
        for (std::int32_t k = 0; k < candidate.count; ++k)
            if (candidate.on[k] == place) {
                candidate.weight[k] += weight;
                return;
            }
        if (candidate.count == 4) return;
        candidate.on[candidate.count] = place;
        candidate.weight[candidate.count++] = weight;
        return;
    }
    hang(forest, front, forest.node(node).a, weight / 2, candidate);
    hang(forest, front, forest.node(node).b, weight / 2, candidate);
}

/// A value of the nodes it hangs on.
Vec3 mean_at(const Candidate& candidate, const Nodal& values)
{
    Vec3 sum;
    for (std::int32_t k = 0; k < candidate.count; ++k)
        sum += get(values, std::size_t(candidate.on[k])) * candidate.weight[k];
    return sum;
}

/// Share of critical damping that gives this restitution to a mass on a spring.
float damping_ratio(float restitution)
{
    if (restitution <= 0) return 1;
    const float l = std::log(restitution);
    return -l / std::sqrt(std::numbers::pi_v<float> * std::numbers::pi_v<float> + l * l);
}

/// Mean of max(0, depth) while the depth changes evenly by `way` about its present value. A spring that is switched on
/// and off at whole sub-steps would add energy at every touch.
float mean_depth(float depth, float way)
{
    const float half = std::abs(way) / 2;
    if (depth >= half) return depth;
    return depth <= -half ? 0.0f : (depth + half) * (depth + half) / (4 * half);
}

}  // namespace

void find_candidates(const FemModel& model, std::span<const double> masses, std::span<const Collider> colliders,
                     double time, Workspace& work)
{
    work.candidates.clear();
    if (colliders.empty()) return;
    Box3 box;
    float fastest = 0;
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        const Vec3 v = work.velocity_in_world(get(work.v, k));
        box.add(work.to_world(get(work.x, k)).as<double>());
        fastest = std::max(fastest, dot(v, v));
    }
    // Twice the way at the present speed, and what falling may add.
    const double reach = 2 * std::sqrt(double(fastest)) * time + 40 * time * time + 0.01 * model.size;
    Box3 around = box;
    around.low -= Vec3d{reach, reach, reach};
    around.high += Vec3d{reach, reach, reach};
    bool any = false;
    for (const Collider& collider : colliders) any |= !contact::is_clear_of(collider, around);
    if (!any) return;
    for (std::size_t k = 0; k < model.surface_nodes.size(); ++k) {
        const std::int32_t node = model.surface_nodes[k];
        Candidate c{node, model.contact_stiffness[k], float(masses[std::size_t(node)]), 0, {}, {}, {}};
        hang(model.forest, work.front, node, 1.0f, c);
        const Vec3 x = work.to_world(mean_at(c, work.x));
        bool near = false;
        for (const Collider& collider : colliders) near = near || contact::sample(collider, x).distance < reach;
        if (near) work.candidates.push_back(c);
    }
}

void hang_candidates(const FemModel& model, Workspace& work)
{
    for (Candidate& candidate : work.candidates) {
        candidate.count = 0;
        hang(model.forest, work.front, candidate.node, 1.0f, candidate);
    }
}

Landing add_contact(std::span<const Collider> colliders, double h, Workspace& work, OuterImpulse& impulse,
                    ContactReport& report)
{
    const auto dt = float(h);
    Landing landing;
    int& contacts = landing.touching;
    for (Candidate& c : work.candidates) {
        const Vec3 x = mean_at(c, work.x), in_world = work.to_world(x);
        const Vec3 v = work.velocity_in_world(mean_at(c, work.v));
        c.force = {};
        bool touched = false;
        for (const Collider& collider : colliders) {
            const contact::Sample here = contact::sample(collider, in_world);
            const Vec3 n = here.normal.as<float>();
            const float towards = dot(n, v);
            const float depth = mean_depth(float(-here.distance), towards * dt);
            if (!(depth > 0)) {
                if (here.distance < landing.soonest * double(-towards))
                    landing.soonest = here.distance / double(-towards);
                continue;
            }
            touched = true;
            // A spring with damping that gives the wanted restitution; it never pulls, and never turns the speed round
            // within one sub-step.
            const float damping =
                std::min(2 * damping_ratio(collider.restitution) * std::sqrt(c.stiffness * c.mass), 0.5f * c.mass / dt);
            const float pressed = std::max(0.0f, c.stiffness * depth - damping * towards);
            const Vec3 along = v - n * towards;
            const float speed = length(along);
            const float rubbed = std::min(collider.friction * pressed, c.mass * speed / dt);
            c.force += n * pressed;
            if (speed > 0) c.force -= along * (rubbed / speed);
            report.deepest = std::max(report.deepest, float(-here.distance));
        }
        if (!touched) continue;
        ++contacts;
        for (std::int32_t k = 0; k < c.count; ++k) add(work.force, std::size_t(c.on[k]), c.force * c.weight[k]);
        const Vec3d j = c.force.as<double>() * h;
        impulse.linear += j;
        impulse.angular += cross(x.as<double>() - impulse.about, j);
    }
    report.contacts = std::max(report.contacts, contacts);
    return landing;
}

}  // namespace yawara::fem
