// The phases of a sub-step, in the order in which `substep` at the end calls them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "contact/shapes.h"
#include "core/grips.h"
#include "core/parallel.h"
#include "sim/body_model.h"
#include "sim/lattice_regions.h"
#include "sim/rigid_solid.h"
#include "sim/scene_data.h"
#include "sim/scene_events.h"
#include "sim/sleep.h"
#include "sim/solid_kind.h"
#include "sim/workspace.h"

namespace yawara {
namespace {

/// Share of the non-rigid velocity that a body loses per 1/300 s while it touches another.
constexpr double kContactDamping = 0.1;

/// Of all velocities together, m/s: at least their length over the root of three.
float largest_component(std::span<const Vec3> velocities)
{
    using f4 = float __attribute__((vector_size(16)));
    const auto* const v = reinterpret_cast<const char*>(velocities.data());
    const std::size_t size = velocities.size_bytes(), fours = size / sizeof(f4) * sizeof(f4);
    f4 most{};
    const auto take = [&](std::size_t byte, std::size_t bytes) {
        f4 a{};
        std::memcpy(&a, v + byte, bytes);
        a = a < 0 ? -a : a;
        most = a > most ? a : most;
    };
    for (std::size_t byte = 0; byte < fours; byte += sizeof(f4)) take(byte, sizeof(f4));
    take(fours, size - fours);
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

template <class Body>
void remember(Body& b)
{
    std::copy(b.state.positions.begin(), b.state.positions.end(), b.positions_before.begin());
    std::copy(b.state.velocities.begin(), b.state.velocities.end(), b.velocities_before.begin());
}

}  // namespace

/// What holds and pushes a body in the coming step: first its script, then what the host added.
void Scene::Data::follow_script(Body& b, double dt) const
{
    b.script->apply(time, time + dt, b.scripted_grips, b.scripted_pushes);
    b.script->apply_stiffness(time, built_stiffness(b.model.data()), b.state.matching.stiffness);
    b.script->apply_controls(time, b.state.matching.controls);
    const auto join = [](const auto& first, const auto& second, auto& both) {
        both.resize(first.size() + second.size());
        std::copy(first.begin(), first.end(), both.begin());
        std::copy(second.begin(), second.end(), both.begin() + std::ptrdiff_t(first.size()));
    };
    join(b.scripted_grips, b.grips, b.all_grips);
    join(b.scripted_pushes, b.pushes, b.all_pushes);
}

void Scene::Data::wake_beside(const Collider& collider)
{
    if (!settings.sleep) return;
    for (Body& b : bodies) {
        if (b.state.still < kStillTime) continue;
        const contact::FloatBox box = swept_box(b.state, b.outside->spacing, 0);
        if (!contact::is_clear_of(collider, {box.low.as<double>(), box.high.as<double>()})) b.state.still = 0;
    }
}

/// A body that only reports is pushed by nothing.
bool Scene::Data::Body::meets(const Collider& collider) const
{
    const ContactFilter& filter = settings.contact.filter;
    return !collider.filter.sensor && !filter.sensor && filter.meets(collider.filter);
}

void Scene::Data::choose_obstacles(Body& b, std::span<const Collider> all) const
{
    b.obstacles = all;
    const auto count =
        std::size_t(std::count_if(all.begin(), all.end(), [&](const Collider& c) { return b.meets(c); }));
    if (count == all.size()) return;
    b.some_obstacles.resize(count);
    b.some_indices.resize(count);
    std::size_t next = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (!b.meets(all[k])) continue;
        b.some_indices[next] = k;
        copy_for_step(all[k], b.some_obstacles[next++]);
    }
    b.obstacles = b.some_obstacles;
}

/// Its examples will want another shape soon.
bool Scene::Data::stirs(const Body& b)
{
    const auto& examples = b.model.data().examples;
    const MatchingState& state = b.state.matching;
    return examples && examples->stirs(state.controls, state.heard, state.kept);
}

/// What other bodies did to the groups of a body, for the cues of its examples.
void Scene::Data::hear_contact(Body& b)
{
    const auto& examples = b.model.data().examples;
    if (!examples || !examples->listens_to(CueSource::contact) || b.asleep) return;
    examples->hear_contact({b.model.data().masses_f, b.velocities_untouched, b.state.velocities},
                           b.state.matching.heard, b.workspace.data().matching->match.examples);
}

/// Whether an obstacle so thin that it may come between particles is near: the body's surface is pushed by it.
bool Scene::Data::may_meet_post(const Body& b, double dt) const
{
    const auto is_post = [&](const Collider& c) { return contact::is_post(c, b.outside->spacing); };
    if (std::none_of(obstacles.all().begin(), obstacles.all().end(), is_post)) return false;
    const contact::FloatBox box = swept_box(b.state, b.outside->spacing, dt);
    return std::any_of(obstacles.all().begin(), obstacles.all().end(), [&](const Collider& c) {
        return is_post(c) && !contact::is_clear_of(c, {box.low.as<double>(), box.high.as<double>()});
    });
}

/// Who sleeps, and into how many slices the step has to be cut.
int Scene::Data::begin_step(double dt)
{
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        Body& b = bodies[k];
        follow_script(b, dt);
        b.driven = is_driven(b.model, b.all_grips, b.all_pushes) || joints.is_driven(body_ids.ids()[k]) || stirs(b);
        b.asleep = settings.sleep && !b.driven && b.state.still >= kStillTime;
        b.slices = b.asleep ? 1 : kind_of(b.model).slices(b.model.data(), b.usable, dt);
        b.swift = false;
        if ((settings.sleep || b.model.is_rigid()) && !b.asleep) b.start = b.state.positions;
    }
    const bool quick = are_quick(dt);
    if (!quick && std::all_of(bodies.begin(), bodies.end(), [](const Body& b) { return b.slices == 1; })) return 1;
    if (bodies.size() > 1)
        for (Body& b : bodies) b.swept_box = swept_box(b.state, b.outside->spacing, dt);
    int slices = quick ? slices_of_quick(dt) : 1;
    for (const Body& a : bodies) {
        if (a.slices <= slices) continue;
        const bool near = std::any_of(bodies.begin(), bodies.end(), [&](const Body& b) {
            return &a != &b && b.settings.contact.bodies && a.swept_box.meets(b.swept_box);
        });
        const bool jointed_to = joints.holds(body_ids.ids()[std::size_t(&a - bodies.data())]);
        if (a.settings.contact.self || jointed_to || (a.settings.contact.bodies && near) || may_meet_post(a, dt))
            slices = a.slices;
    }
    return slices;
}

/// Whether any two bodies could come closer in a step of dt by more than the thinner one is thick.
bool Scene::Data::are_quick(double dt)
{
    if (bodies.size() < 2) return false;
    constexpr float kRootOfThree = 1.7320509f;
    float thinnest = std::numeric_limits<float>::infinity(), most = 0;
    for (const Body& b : bodies) {
        if (!b.asleep) most = std::max(most, kRootOfThree * largest_component(b.state.velocities));
        thinnest = std::min(thinnest, b.outside->girth);
    }
    if (!(2 * most * float(dt) > thinnest)) return false;
    most = 0;
    for (Body& b : bodies) {
        b.fastest = b.asleep ? 0.0f : fastest(b.state.velocities);
        most = std::max(most, b.fastest);
    }
    return 2 * most * float(dt) > thinnest;
}

/// Into how many slices bodies that are quick and may meet want a step to be cut. What sleeps in front of them wakes.
int Scene::Data::slices_of_quick(double dt)
{
    const auto h = float(dt);
    int slices = 1;
    for (Body& b : bodies) b.quickness = quickness(b.state.velocities);
    for (std::size_t k = 0; k < bodies.size(); ++k)
        for (std::size_t l = 0; l < k; ++l) {
            Body &a = bodies[k], &b = bodies[l];
            const float thickness = std::min(a.outside->girth, b.outside->girth);
            if (!((a.fastest + b.fastest) * h > thickness) || !a.swept_box.meets(b.swept_box)) continue;
            if (!a.settings.contact.bodies || !b.settings.contact.bodies) continue;
            const float closing =
                length(a.quickness.mean - b.quickness.mean) + a.quickness.deviation + b.quickness.deviation;
            const int wanted = slices_of_approach(closing * h, thickness);
            if (wanted == 1) continue;
            slices = std::max(slices, wanted);
            for (Body* body : {&a, &b}) {
                if (body->asleep && settings.sleep) body->start = body->state.positions;
                if (body->asleep) body->state.still = 0;
                body->asleep = false;
                body->swift = 2 * body->fastest * h > thickness && !kind_of(body->model).steps_in_slices &&
                              std::none_of(body->all_grips.begin(), body->all_grips.end(), is_hard);
            }
        }
    return slices;
}

/// The fastest impact that the shape of a body can answer, m/s. A matching body answers once in a step of dt; what is
/// made of finite elements in each of its own slices, but no faster than waves run through it.
float Scene::Data::strike_speed(const Body& b, double dt)
{
    if (b.model.is_rigid()) return std::numeric_limits<float>::infinity();
    const contact::BodySurface& outside = *b.outside;
    const float reach = b.slices > 1 ? std::min(outside.girth, 0.3f * outside.spacing) : outside.girth;
    return reach * float(b.slices) / float(dt);
}

/// Steps one body on its own, with what contact needs to know of the time before. With `slices` to go, this one
/// included, grips reach their targets in the last.
void Scene::Data::step_body(std::size_t k, double dt, int slices)
{
    Body& b = bodies[k];
    if (meet()) remember(b);
    if (b.asleep) return;
    // Obstacles of rigid bodies are answered together with their other contact.
    const bool later = b.swift || b.model.is_rigid();
    const StepInput input{
        dt,          time,         settings.gravity, settings.medium, later ? std::span<const Collider>() : b.obstacles,
        b.all_grips, b.all_pushes, double(slices)};
    const bool meets = settings.events && !later && !b.obstacles.empty(), alone = is_left_alone(b);
    b.workspace.data().watched = meets && !alone;
    b.workspace.data().measured = is_last_substep;
    const std::span<const float> masses = b.model.data().masses_f;
    const std::optional<Vec3d> known = std::exchange(b.momentum, {});
    const Vec3d before = !(meets && alone) ? Vec3d{} : known ? *known : momentum_of(masses, b.state.velocities);
    const ScratchLoan scratch(b.model, b.pool.get(), b.workspace);
    const StepReport report = yawara::step(b.model, b.settings, input, b.state, b.workspace);
    last[k].add(report);
    if (b.workspace.data().struck && meet()) {
        b.positions_before = b.workspace.data().matching->positions_before;
        b.velocities_before = b.workspace.data().matching->velocities_before;
    }
    if (!meets || report.contact.contacts == 0) return;
    if (!alone) {
        b.pushed += b.workspace.data().obstacle_impulse;
        return;
    }
    const bool measured = b.usable.measure && is_last_substep;
    b.momentum = measured ? report.momentum : momentum_of(masses, b.state.velocities);
    const Vec3d gained = *b.momentum - before;
    b.pushed += gained - weight_in(input, b.model.data()).as<double>() * (b.model.data().total_mass * dt);
}

/// Finite elements make a step of their own in every slice, other bodies go along their one step.
void Scene::Data::step_slice(std::size_t k, int slice, int slices, double dt)
{
    Body& b = bodies[k];
    if (slices == 1 || b.asleep || kind_of(b.model).steps_in_slices) {
        choose_obstacles(b, obstacles.in_slice());
        step_body(k, dt / slices, slices - slice);
    } else {
        if (slice == 0) {
            choose_obstacles(b, obstacles.all());
            step_body(k, dt);
            b.sliced_motion.begin(b.positions_before, dt, slices, b.state);
        }
        choose_obstacles(b, obstacles.in_slice());
        remember(b);
        for (const Grip& grip : b.all_grips)  // damping may have changed these since the last slice
            if (is_hard(grip))
                for_each_held(grip, b.state.velocities.size(),
                              [&](std::size_t i, Vec3, Vec3 velocity) { b.state.velocities[i] = velocity; });
        b.sliced_motion.advance(b.state);
    }
}

/// Whether any contact between bodies, or of one with itself, is possible: also of the two sides of a thin part that
/// obstacles press together. Rigid bodies meet obstacles there.
bool Scene::Data::meet() const
{
    if (bodies.size() != 1) return bodies.size() > 1;
    const Body& b = bodies[0];
    return b.model.is_rigid() || !joints.empty() || b.settings.contact.self ||
           std::any_of(obstacles.all().begin(), obstacles.all().end(), [&](const Collider& collider) {
               return !b.outside->ribs.empty() || contact::is_post(collider, b.outside->spacing);
           });
}

/// The bodies as contact sees them.
void Scene::Data::view_bodies(double step)
{
    contact_bodies.clear();
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        Body& b = bodies[k];
        const std::vector<float>& free = b.model.data().inverse_masses;
        std::copy(free.begin(), free.end(), b.inverse_masses.begin());
        for (const Grip& grip : b.all_grips)
            for (const std::int32_t i : grip.particles)
                if (is_hard(grip) && std::size_t(i) < free.size()) b.inverse_masses[std::size_t(i)] = 0;
        if (b.model.is_rigid()) {
            int repaired = 0;
            b.pose_before = pose_of(*b.model.data().rigid, b.positions_before, b.velocities_before, repaired);
            b.motion = motion_of(*b.model.data().rigid, b.pose_before, b.state, b.all_grips);
        }
        contact_bodies.push_back({.surface = b.outside.get(),
                                  .positions = b.state.positions,
                                  .velocities = b.state.velocities,
                                  .positions_before = b.positions_before,
                                  .velocities_before = b.velocities_before,
                                  .inverse_masses = b.inverse_masses,
                                  .settings = b.usable.contact,
                                  .colliders = b.obstacles,
                                  .ignored = b.ignored,
                                  .motion = {},
                                  .references = {},
                                  .asleep = b.asleep,
                                  .pressed = last[k].contact.contacts > 0,
                                  .swift = b.swift,
                                  .follows = b.model.is_fem(),
                                  .strike_speed = strike_speed(b, step),
                                  .rigid = b.model.is_rigid() ? &b.motion : nullptr});
    }
}

/// Of a step, or of one of the slices of one.
void Scene::Data::resolve_contact(double step, int slices)
{
    const double dt = step / slices;
    const auto start = std::chrono::steady_clock::now();
    view_bodies(step);
    jointed.clear();
    if (!joints.empty())
        for (const Body& b : bodies) jointed.emplace_back(b.model, b.state, &b.pose_before);
    joints.view(jointed, body_ids, links);
    std::fill(contact_reports.begin(), contact_reports.end(), ContactReport{});
    for (Body& b : bodies)
        if (b.model.data().examples && b.model.data().examples->listens_to(CueSource::contact))
            b.velocities_untouched = b.state.velocities;
    contact.resolve(contact_bodies, links, dt, steps, slices, contact_reports);
    for (Body& b : bodies) hear_contact(b);
    // Where bodies press each other, single particles would tremble for long: the shape calms down, not the motion.
    // In a later slice of a step also if they part for a moment.
    const auto share = float(1 - std::pow(1 - kContactDamping, 300 * dt));
    for_each_side_by_side(bodies.size(), [&](std::size_t k) {
        Body& b = bodies[k];
        if (b.asleep || b.model.is_rigid() || (contact_reports[k].touches == 0 && last[k].contact.touches == 0)) return;
        b.contact_damping.apply(share, b.model.data().masses_f, b.model.data().parts, b.state.positions,
                                b.state.velocities);
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        last[k].contact.add(contact_reports[k]);
        last[k].seconds[std::size_t(Phase::contact)] += seconds / double(bodies.size());
    }
}

void Scene::Data::measure_shapes()
{
    for_each_side_by_side(bodies.size(), [&](std::size_t k) {
        const Body& b = bodies[k];
        shapes[k] = b.shape.measure(b.state.positions, b.outside->triangles, settings.dt, shapes[k]);
        reports[k].shape = shapes[k];
    });
}

/// Before anything looks at them: states fit, and settings are numbers. False if time cannot pass.
bool Scene::Data::enter()
{
    const bool passes = is_step(settings.dt) && std::isfinite(time);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        last[k] = {};
        last[k].repaired_particles = fit_state(bodies[k].model, bodies[k].workspace.data().sizes, bodies[k].state);
        if (last[k].repaired_particles > 0) bodies[k].momentum.reset();
        last[k].repaired_numbers = !passes;
        bodies[k].usable = bodies[k].settings;
        mend(bodies[k].usable);
    }
    return passes;
}

void Scene::Data::substep()
{
    if (!enter()) return;
    const double dt = step_length();
    if (settings.gravity != last_gravity) wake_all();
    last_gravity = settings.gravity;
    obstacles.advance(time, dt, [this](const Collider& collider) { wake_beside(collider); });
    const int slices = begin_step(dt);
    const double end = time + dt;
    for (int slice = 0; slice < slices; ++slice) {
        obstacles.cut(slice, slices);
        if (hook || slices > 1)
            for (Body& b : bodies) b.momentum.reset();
        for_each_side_by_side(bodies.size(), [&](std::size_t k) { step_slice(k, slice, slices, dt); });
        if (meet()) {
            resolve_contact(dt, slices);
            if (settings.events) log_pairs();
            for (std::size_t k = 0; k < bodies.size(); ++k)
                if (contact.may_have_moved(k)) bodies[k].momentum.reset();
        }
        time += dt / slices;
    }
    rest_bodies(dt);
    time = end;
    ++steps;
    ++ticks;
    for (Body& b : bodies) b.drawn = false;
}

}  // namespace yawara
