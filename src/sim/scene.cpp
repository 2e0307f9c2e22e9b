// Bodies stepped together, then contact between them, on a given number of workers, with the same bits for any number.
#include "yawara/scene.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>

#include "contact/body_contact.h"
#include "contact/shapes.h"
#include "core/grips.h"
#include "core/id_table.h"
#include "core/parallel.h"
#include "matching/damping.h"
#include "sim/body_model.h"
#include "sim/lattice_regions.h"
#include "sim/shape_gauge.h"
#include "sim/sleep.h"
#include "sim/slices.h"
#include "sim/solid_kind.h"
#include "sim/workspace.h"
#include "yawara/jobs.h"

namespace yawara {

/// Share of the non-rigid velocity that a body loses per 1/300 s while it touches another.
constexpr double kContactDamping = 0.1;

/// Whether a placement is a rotation and a move, by finite numbers.
static bool is_rigid(const Placement& placement)
{
    constexpr double kTolerance = 1e-6;
    const Mat3d off = transpose(placement.turn) * placement.turn - Mat3d{};
    const double most = std::max({length(off.c0), length(off.c1), length(off.c2)});
    return is_finite(placement.move) && most < kTolerance && determinant(placement.turn) > 0;
}

struct Scene::Data {
    struct Body {
        BodyModel model;
        BodySettings settings;
        BodyState state;
        Workspace workspace;
        std::vector<Grip> grips;
        std::vector<Push> pushes;
        std::shared_ptr<const Script> script;
        std::vector<Grip> scripted_grips, all_grips;  ///< of the script; of both, for the step
        std::vector<Push> scripted_pushes, all_pushes;
        std::vector<Vec3> surface;
        std::shared_ptr<const contact::BodySurface> outside;  ///< what others touch; shared by bodies of one model
        std::vector<Vec3> positions_before, velocities_before;  ///< at the start of the step or slice
        std::vector<float> inverse_masses;                    ///< 0 for particles that grips hold
        matching::RigidDamping contact_damping;               ///< takes vibrations off bodies that touch others
        std::vector<Vec3> start;                              ///< positions at the start of the step, if bodies sleep
        SlicedMotion sliced_motion;                           ///< of a step that is cut into slices
        contact::FloatBox swept_box{};                        ///< in the coming step, if that may be
        float fastest = 0;                                    ///< speed of its fastest particle, m/s
        Quickness quickness{};                                ///< if it may meet another too quickly
        int slices = 1;                                       ///< it wants when it is near others
        bool driven = false, asleep = false, moving = false;
        bool swift = false;  ///< goes along its step in slices because of its speed: obstacles answer in each
        ShapeGauge shape{};
        BodySettings usable{};  ///< settings without numbers that are not finite
    };
    SceneSettings settings;
    std::vector<Body> bodies;
    IdTable<BodyId> body_ids;
    std::vector<Collider> colliders;
    /// Where the program wants an obstacle, and in how many steps it has to be there.
    struct Target {
        Placement placement;
        int steps = 0;
    };
    std::vector<Target> targets;             ///< per obstacle
    std::vector<Collider> sliced_colliders;  ///< the obstacles in a slice of the step, if they move
    IdTable<ColliderId> collider_ids;
    std::vector<StepReport> reports, last;  ///< of the frame so far, of the last sub-step
    std::vector<ShapeReport> shapes;        ///< of the last frame
    contact::BodyContact contact;
    std::vector<contact::ContactBody> contact_bodies;  ///< views of the bodies
    std::vector<ContactReport> contact_reports;        ///< what bodies did to each other in the last sub-step
    Vec3 last_gravity{};                               ///< of the last sub-step, or of the start
    std::int64_t steps = 0;
    double time = 0;
    int arena_size = 0;
    std::optional<tbb::task_arena> arena;

    template <class Body>
    void on_workers(const Body& body)
    {
        if (settings.jobs) {
            const JobsScope scope(settings.jobs);
            return body();
        }
        const auto most = int(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
        const int wanted = settings.threads > 0 ? std::min(settings.threads, most) : most;
        if (!arena || arena_size != wanted) {
            arena.reset();
            arena.emplace(wanted);
            arena_size = wanted;
        }
        arena->execute(body);
    }

    std::size_t index(BodyId id) const
    {
        if (const auto found = body_ids.index(id)) return *found;
        throw Exception(stale_body());
    }
    std::size_t index(ColliderId id) const
    {
        if (const auto found = collider_ids.index(id)) return *found;
        throw Exception(stale_collider());
    }
    static Error stale_body() { return {"scene", "there is no body of this id: it was removed, or belongs elsewhere"}; }
    static Error stale_collider()
    {
        return {"scene", "there is no obstacle of this id: it was removed, or belongs elsewhere"};
    }

    /// What others touch of a body; made once for all bodies of a model, in whatever scene.
    static std::shared_ptr<const contact::BodySurface> outside_of(const BodyModel& model)
    {
        OutsideOnce& outside = *model.data().outside;
        std::call_once(outside.once, [&] {
            contact::BodySurface shape = contact::make_body_surface(model.domain(), model.rest_positions());
            if (!kind_of(model).needs_ribs) shape.ribs.clear();
            outside.surface = std::make_shared<const contact::BodySurface>(std::move(shape));
        });
        return outside.surface;
    }

    Body make_body(BodyModel model, BodySettings body_settings, BodyState state) const
    {
        Workspace workspace(model);
        std::vector<Vec3> surface(model.surface().vertices.size());
        auto outside = outside_of(model);
        const std::size_t n = model.particle_count(), parts = model.data().parts.size();
        const ShapeGauge shape(model.rest_positions(), model.masses(), outside->triangles);
        Body body{std::move(model),
                  body_settings,
                  std::move(state),
                  std::move(workspace),
                  {},
                  {},
                  std::make_shared<const Script>(),
                  {},
                  {},
                  {},
                  {},
                  std::move(surface),
                  std::move(outside),
                  std::vector<Vec3>(n),
                  std::vector<Vec3>(n),
                  std::vector<float>(n),
                  matching::RigidDamping(n, parts),
                  {},
                  {}};
        body.shape = shape;
        return body;
    }

    void set_script(Body& b, std::shared_ptr<const Script> script)
    {
        b.script = std::move(script);
        b.script->apply(time, time + step_length(), b.scripted_grips, b.scripted_pushes);
    }

    /// The body becomes another: what the host holds and pushes follows its particles.
    void replace(Body& b, BodyModel model, BodyState state, const TopologyChange& change,
                 std::shared_ptr<const Script> script)
    {
        std::vector<Grip> grips;
        for (const Grip& grip : b.grips) grips.push_back(carry_grip(grip, change));
        std::vector<Push> pushes;
        for (const Push& push : b.pushes) pushes.push_back(carry_push(push, change));
        b = make_body(std::move(model), b.settings, std::move(state));
        b.grips = std::move(grips);
        b.pushes = std::move(pushes);
        set_script(b, std::move(script));
        renew_contact();
    }

    /// What contact remembers between steps only saves time.
    void renew_contact()
    {
        contact = {};
        for (const Body& b : bodies) contact.add(*b.outside);
    }

    /// What was kept for the body that lay at an index.
    void forget_body(std::size_t index)
    {
        for (auto* list : {&reports, &last}) list->erase(list->begin() + std::ptrdiff_t(index));
        shapes.erase(shapes.begin() + std::ptrdiff_t(index));
        contact_reports.pop_back();  // of the last sub-step only
        renew_contact();
    }

    double step_length() const { return settings.dt / std::max(settings.substeps, 1); }

    void wake_all()
    {
        for (Body& b : bodies) b.state.still = 0;
    }

    /// What holds and pushes a body in the coming step: first its script, then what the host added.
    void follow_script(Body& b, double dt) const
    {
        b.script->apply(time, time + dt, b.scripted_grips, b.scripted_pushes);
        b.script->apply_stiffness(time, built_stiffness(b.model.data()), b.state.matching.stiffness);
        const auto join = [](const auto& first, const auto& second, auto& both) {
            both.resize(first.size() + second.size());
            std::copy(first.begin(), first.end(), both.begin());
            std::copy(second.begin(), second.end(), both.begin() + std::ptrdiff_t(first.size()));
        };
        join(b.scripted_grips, b.grips, b.all_grips);
        join(b.scripted_pushes, b.pushes, b.all_pushes);
    }

    static Placement placement_of(const Collider& collider)
    {
        return collider.motion ? collider.motion->end : Placement{};
    }

    /// Puts an obstacle where it is now, at rest.
    void place(std::size_t k)
    {
        Collider& collider = colliders[k];
        if (!collider.path.empty()) {
            const Placement here = collider.path.at(time);
            collider.motion = ColliderMotion{here, here};
        }
        targets[k] = {placement_of(collider)};
    }

    /// Obstacles go where paths and the program lead them in the coming step. Whom they come near wakes.
    void move_obstacles(double dt)
    {
        for (std::size_t k = 0; k < colliders.size(); ++k) {
            Collider& collider = colliders[k];
            if (collider.path.empty() && targets[k].steps == 0 && collider.belt == Vec3d{}) {
                if (collider.motion) collider.motion = ColliderMotion{collider.motion->end, collider.motion->end};
                continue;
            }
            ColliderMotion motion{placement_of(collider), placement_of(collider), {}, dt};
            if (!collider.path.empty()) {
                motion = {collider.path.at(time), collider.path.at(time + dt), {}, dt};
            } else if (Target& target = targets[k]; target.steps > 0) {
                motion.end = target.placement;
                motion.end = motion.part(0, 1.0 / target.steps--).end;
            }
            motion.belt = motion.end.turn * collider.belt;
            if (motion.start == motion.end && motion.belt == Vec3d{}) motion.duration = 0;
            collider.motion = motion;
            if (motion.moves()) wake_beside(collider);
        }
    }

    void wake_beside(const Collider& collider)
    {
        if (!settings.sleep) return;
        for (Body& b : bodies) {
            if (b.state.still < kStillTime) continue;
            const contact::FloatBox box = swept_box(b.state, b.outside->spacing, 0);
            if (!contact::is_clear_of(collider, {box.low.as<double>(), box.high.as<double>()})) b.state.still = 0;
        }
    }

    bool obstacles_move() const
    {
        return std::any_of(colliders.begin(), colliders.end(),
                           [](const Collider& c) { return c.motion && c.motion->moves(); });
    }

    /// The obstacles in one of the slices of the step.
    void move_obstacles_in_slice(int slice, int slices)
    {
        sliced_colliders.resize(slices > 1 && obstacles_move() ? colliders.size() : 0);
        for (std::size_t k = 0; k < sliced_colliders.size(); ++k) {
            Collider& collider = sliced_colliders[k];
            collider.shape = colliders[k].shape;
            collider.friction = colliders[k].friction;
            collider.restitution = colliders[k].restitution;
            collider.friction_along = colliders[k].friction_along;
            collider.motion = colliders[k].motion;
            if (collider.motion && collider.motion->moves())
                collider.motion = collider.motion->part(double(slice) / slices, double(slice + 1) / slices);
        }
    }
    std::span<const Collider> slice_colliders() const
    {
        return sliced_colliders.empty() ? std::span<const Collider>(colliders) : sliced_colliders;
    }

    /// Who sleeps, and into how many slices the step has to be cut.
    int begin_step(double dt)
    {
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            Body& b = bodies[k];
            follow_script(b, dt);
            b.driven = is_driven(b.model, b.all_grips, b.all_pushes);
            b.asleep = settings.sleep && !b.driven && b.state.still >= kStillTime;
            b.slices = b.asleep ? 1 : kind_of(b.model).slices(b.model.data(), b.usable, dt);
            b.swift = false;
            if (settings.sleep && !b.asleep) b.start = b.state.positions;
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
            if (a.settings.contact.self || (a.settings.contact.bodies && near)) slices = a.slices;
        }
        return slices;
    }

    /// Whether any two bodies could come closer in a step of dt by more than the thinner one is thick.
    bool are_quick(double dt)
    {
        if (bodies.size() < 2) return false;
        float thinnest = std::numeric_limits<float>::infinity(), most = 0;
        for (Body& b : bodies) {
            b.fastest = b.asleep ? 0.0f : fastest(b.state.velocities);
            most = std::max(most, b.fastest);
            thinnest = std::min(thinnest, b.outside->girth);
        }
        return 2 * most * float(dt) > thinnest;
    }

    /// Into how many slices bodies that are quick and may meet want a step to be cut. What sleeps in front of them wakes.
    int slices_of_quick(double dt)
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
                                  std::none_of(body->all_grips.begin(), body->all_grips.end(),
                                               is_hard);
                }
            }
        return slices;
    }

    /// The fastest impact that the shape of a body can answer, m/s. A matching body answers once in a step of dt; what is
    /// made of finite elements in each of its own slices, but no faster than waves run through it.
    static float strike_speed(const Body& b, double dt)
    {
        const contact::BodySurface& outside = *b.outside;
        const float reach = b.slices > 1 ? std::min(outside.girth, 0.3f * outside.spacing) : outside.girth;
        return reach * float(b.slices) / float(dt);
    }

    static void remember(Body& b)
    {
        std::copy(b.state.positions.begin(), b.state.positions.end(), b.positions_before.begin());
        std::copy(b.state.velocities.begin(), b.state.velocities.end(), b.velocities_before.begin());
    }

    /// Steps one body on its own, with what contact needs to know of the time before. With `slices` to go, this one
    /// included, grips reach their targets in the last.
    void step_body(std::size_t k, double dt, std::span<const Collider> around, int slices = 1)
    {
        Body& b = bodies[k];
        if (meet()) remember(b);
        if (b.asleep) return;
        const std::span<const Collider> obstacles = b.swift ? std::span<const Collider>() : around;
        const StepInput input{dt,        time,        settings.gravity, settings.medium,
                              obstacles, b.all_grips, b.all_pushes,     double(slices)};
        last[k].add(yawara::step(b.model, b.settings, input, b.state, b.workspace));
    }

    /// Finite elements make a step of their own in every slice, other bodies go along their one step.
    void step_slice(std::size_t k, int slice, int slices, double dt)
    {
        Body& b = bodies[k];
        if (slices == 1 || b.asleep || kind_of(b.model).steps_in_slices) {
            step_body(k, dt / slices, slice_colliders(), slices - slice);
        } else {
            if (slice == 0) {
                step_body(k, dt, colliders);
                b.sliced_motion.begin(b.positions_before, dt, slices, b.state);
            }
            remember(b);
            for (const Grip& grip : b.all_grips)  // damping may have changed these since the last slice
                if (is_hard(grip))
                    for_each_held(grip, b.state.velocities.size(),
                                  [&](std::size_t i, Vec3, Vec3 velocity) { b.state.velocities[i] = velocity; });
            b.sliced_motion.advance(b.state);
        }
    }

    /// Whether any contact between bodies, or of one with itself, is possible: also of the two sides of a thin part that
    /// obstacles press together.
    bool meet() const
    {
        if (bodies.size() != 1) return bodies.size() > 1;
        return bodies[0].settings.contact.self || (!colliders.empty() && !bodies[0].outside->ribs.empty());
    }

    /// Of a step, or of one of the slices of one.
    void resolve_contact(double step, int slices)
    {
        const double dt = step / slices;
        const auto start = std::chrono::steady_clock::now();
        contact_bodies.clear();
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            Body& b = bodies[k];
            const std::vector<float>& free = b.model.data().inverse_masses;
            std::copy(free.begin(), free.end(), b.inverse_masses.begin());
            for (const Grip& grip : b.all_grips)
                for (const std::int32_t i : grip.particles)
                    if (grip.stiffness <= 0 && std::size_t(i) < free.size()) b.inverse_masses[std::size_t(i)] = 0;
            contact_bodies.push_back({.surface = b.outside.get(),
                                      .positions = b.state.positions,
                                      .velocities = b.state.velocities,
                                      .positions_before = b.positions_before,
                                      .velocities_before = b.velocities_before,
                                      .inverse_masses = b.inverse_masses,
                                      .settings = b.usable.contact,
                                      .motion = {},
                                      .references = {},
                                      .asleep = b.asleep,
                                      .pressed = last[k].contact.contacts > 0,
                                      .swift = b.swift,
                                      .strike_speed = strike_speed(b, step)});
        }
        std::fill(contact_reports.begin(), contact_reports.end(), ContactReport{});
        contact.resolve(contact_bodies, slice_colliders(), dt, steps, slices, contact_reports);
        // Where bodies press each other, single particles would tremble for long: the shape calms down, not the motion.
        // In a later slice of a step also if they part for a moment.
        const auto share = float(1 - std::pow(1 - kContactDamping, 300 * dt));
        for_each_side_by_side(bodies.size(), [&](std::size_t k) {
            Body& b = bodies[k];
            if (b.asleep || (contact_reports[k].touches == 0 && last[k].contact.touches == 0)) return;
            b.contact_damping.apply(share, b.model.data().masses_f, b.model.data().parts, b.state.positions,
                                    b.state.velocities);
        });
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            last[k].contact.touches = std::max(last[k].contact.touches, contact_reports[k].touches);
            last[k].contact.overlap = std::max(last[k].contact.overlap, contact_reports[k].overlap);
            last[k].seconds[std::size_t(Phase::contact)] += seconds / double(bodies.size());
        }
    }

    /// Counts how long bodies have been still, puts them to sleep, and wakes those that a moving one touches.
    void rest_bodies(double dt)
    {
        for_each_side_by_side(bodies.size(), [&](std::size_t k) {
            Body& b = bodies[k];
            b.moving = false;
            if (b.asleep) return;
            const float speed = relative_speed(b.start, b.state.positions, dt, b.outside->size);
            b.moving = b.driven || speed > kWakingSpeed;
            b.state.still = b.driven || speed > kStillSpeed ? 0.0f : b.state.still + float(dt);
            if (b.state.still >= kStillTime) std::fill(b.state.velocities.begin(), b.state.velocities.end(), Vec3{});
        });
        for (const contact::NearPair& pair : contact.pairs()) {
            if (pair.touches.empty()) continue;
            Body &a = bodies[std::size_t(pair.a)], &b = bodies[std::size_t(pair.b)];
            if (a.asleep && b.moving) a.state.still = 0;
            if (b.asleep && a.moving) b.state.still = 0;
        }
    }

    /// Sizes and volumes at the end of a frame.
    void measure_shapes()
    {
        for_each_side_by_side(bodies.size(), [&](std::size_t k) {
            const Body& b = bodies[k];
            shapes[k] =
                b.shape.measure(b.state.positions, b.model.masses(), b.outside->triangles, settings.dt, shapes[k]);
            reports[k].shape = shapes[k];
        });
    }

    /// Before anything looks at them: states fit, and settings are numbers. False if time cannot pass.
    bool enter()
    {
        const bool passes = is_step(settings.dt) && std::isfinite(time);
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            last[k] = {};
            last[k].repaired_particles = fit_state(bodies[k].model, bodies[k].workspace.data().sizes, bodies[k].state);
            last[k].repaired_numbers = !passes;
            bodies[k].usable = bodies[k].settings;
            mend(bodies[k].usable);
        }
        return passes;
    }

    void substep()
    {
        if (!enter()) return;
        const double dt = step_length();
        if (settings.gravity != last_gravity) wake_all();
        last_gravity = settings.gravity;
        move_obstacles(dt);
        const int slices = begin_step(dt);
        const double end = time + dt;
        for (int slice = 0; slice < slices; ++slice) {
            move_obstacles_in_slice(slice, slices);
            for_each_side_by_side(bodies.size(), [&](std::size_t k) { step_slice(k, slice, slices, dt); });
            if (meet()) resolve_contact(dt, slices);
            time += dt / slices;
        }
        if (settings.sleep) rest_bodies(dt);
        time = end;
        ++steps;
    }
};

Scene::Scene(SceneSettings settings) : data_(std::make_unique<Data>())
{
    data_->settings = settings;
    data_->last_gravity = settings.gravity;
}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

BodyId Scene::add(BodyModel model, BodySettings settings, const Placement& placement, Vec3d velocity, Vec3d spin)
{
    BodyState state = initial_state(model, placement, velocity, spin);
    return add(std::move(model), settings, std::move(state));
}

BodyId Scene::add(BodyModel model, BodySettings settings, BodyState state)
{
    data_->bodies.push_back(data_->make_body(std::move(model), settings, std::move(state)));
    data_->contact.add(*data_->bodies.back().outside);
    data_->reports.emplace_back();
    data_->last.emplace_back();
    data_->shapes.emplace_back();
    data_->contact_reports.emplace_back();
    data_->contact_bodies.reserve(data_->bodies.size());
    return data_->body_ids.add();
}

Status Scene::remove(BodyId body)
{
    const auto k = data_->body_ids.index(body);
    if (!k) return Data::stale_body();
    data_->bodies.erase(data_->bodies.begin() + std::ptrdiff_t(*k));
    data_->body_ids.remove(*k);
    data_->forget_body(*k);
    data_->wake_all();  // what lay on it falls
    return Done{};
}

Result<TopologyChange> Scene::replace(BodyId body, BodyModel model)
{
    const auto k = data_->body_ids.index(body);
    if (!k) return Data::stale_body();
    TopologyChange change = compare_topology(data_->bodies[*k].model, model);
    if (Status done = replace(body, std::move(model), change); !done) return done.error();
    return change;
}

Status Scene::replace(BodyId body, BodyModel model, const TopologyChange& change)
{
    const auto k = data_->body_ids.index(body);
    if (!k) return Data::stale_body();
    Data::Body& b = data_->bodies[*k];
    if (change.origin.size() != model.particle_count())
        return Error{"body \"" + b.model.name() + "\"", "the change speaks of " + std::to_string(change.origin.size()) +
                                                            " particles, the new model has " +
                                                            std::to_string(model.particle_count())};
    if (const auto checked = topology_change(change.origin, b.model.particle_count()); !checked) return checked.error();
    BodyState state = carry_state(b.model, b.state, model, change);
    data_->replace(b, model.renamed(b.model.name()), std::move(state), change,
                   std::make_shared<const Script>(b.script->carried(change)));
    return Done{};
}

Status Scene::revise(BodyId body, BodyModel model)
{
    const auto k = data_->body_ids.index(body);
    if (!k) return Data::stale_body();
    Data::Body& b = data_->bodies[*k];
    if (model.revision() != b.model.revision())
        return Error{"body \"" + b.model.name() + "\"", "the model is not a copy of the body's own"};
    if (&model.data() != &b.model.data()) b.workspace = Workspace(model);
    b.model = std::move(model);
    return Done{};
}

ColliderId Scene::add(Collider collider)
{
    data_->colliders.push_back(std::move(collider));
    data_->targets.emplace_back();
    data_->place(data_->colliders.size() - 1);
    data_->wake_all();
    return data_->collider_ids.add();
}

Status Scene::remove(ColliderId collider)
{
    const auto k = data_->collider_ids.index(collider);
    if (!k) return Data::stale_collider();
    data_->colliders.erase(data_->colliders.begin() + std::ptrdiff_t(*k));
    data_->targets.erase(data_->targets.begin() + std::ptrdiff_t(*k));
    data_->collider_ids.remove(*k);
    data_->wake_all();
    return Done{};
}

Status Scene::replace(ColliderId collider, Collider with)
{
    const auto k = data_->collider_ids.index(collider);
    if (!k) return Data::stale_collider();
    data_->colliders[*k] = std::move(with);
    data_->place(*k);
    data_->wake_all();
    return Done{};
}

Status Scene::move(ColliderId collider, const Placement& to)
{
    const auto k = data_->collider_ids.index(collider);
    if (!k) return Data::stale_collider();
    if (!data_->colliders[*k].path.empty()) return Error{"scene", "the obstacle follows a path: it cannot be moved"};
    if (!is_rigid(to)) return Error{"scene", "an obstacle can only be turned and moved, by finite numbers"};
    data_->targets[*k] = {to, std::max(data_->settings.substeps, 1)};
    return Done{};
}

std::span<const StepReport> Scene::step()
{
    const int substeps = std::max(data_->settings.substeps, 1);
    data_->on_workers([&] {
        for (int k = 0; k < substeps; ++k) {
            data_->substep();
            for (std::size_t b = 0; b < data_->bodies.size(); ++b) {
                if (k == 0)
                    data_->reports[b] = data_->last[b];
                else
                    data_->reports[b].add(data_->last[b]);
            }
        }
        data_->measure_shapes();
    });
    return data_->reports;
}

std::span<const StepReport> Scene::substep()
{
    data_->on_workers([&] { data_->substep(); });
    return data_->last;
}

Result<SettleReport> Scene::settle(BodyId body)
{
    const auto found = data_->body_ids.index(body);
    if (!found) return Data::stale_body();
    Data::Body& b = data_->bodies[*found];
    StepInput input;
    input.time = data_->time;
    input.gravity = data_->settings.gravity;
    data_->follow_script(b, data_->step_length());
    input.grips = b.all_grips;
    input.pushes = b.all_pushes;
    input.medium = data_->settings.medium;
    Result<SettleReport> report = SettleReport{};
    data_->on_workers([&] { report = yawara::settle(b.model, b.settings, input, b.state, b.workspace); });
    return report;
}

SceneSettings& Scene::settings() { return data_->settings; }
const SceneSettings& Scene::settings() const
{
    return data_->settings;
}
double Scene::time() const { return data_->time; }
std::int64_t Scene::step_count() const { return data_->steps; }
void Scene::set_clock(std::int64_t steps, double time)
{
    data_->steps = steps;
    data_->time = time;
    data_->last_gravity = data_->settings.gravity;
    for (std::size_t k = 0; k < data_->colliders.size(); ++k)
        if (!data_->colliders[k].path.empty()) data_->place(k);
}
SceneMoment Scene::moment() const
{
    SceneMoment moment;
    for (std::size_t k = 0; k < data_->bodies.size(); ++k) {
        const Data::Body& b = data_->bodies[k];
        moment.bodies.push_back({data_->body_ids.ids()[k], b.model, b.script, b.state});
    }
    for (std::size_t k = 0; k < data_->colliders.size(); ++k)
        moment.obstacles.push_back({data_->collider_ids.ids()[k], data_->colliders[k].motion,
                                    data_->targets[k].placement, data_->targets[k].steps});
    moment.steps = data_->steps;
    moment.time = data_->time;
    return moment;
}
Status Scene::go_to(const SceneMoment& moment)
{
    if (!std::ranges::equal(bodies(), moment.bodies, {}, {}, &SceneMoment::Body::id))
        return Error{"scene", "other bodies than at the moment to go to: some were added or removed"};
    set_clock(moment.steps, moment.time);
    for (std::size_t k = 0; k < moment.bodies.size(); ++k) {
        const SceneMoment::Body& then = moment.bodies[k];
        Data::Body& b = data_->bodies[k];
        if (b.model.revision() == then.model.revision())
            b.state = then.state;
        else
            data_->replace(b, then.model, then.state, compare_topology(b.model, then.model), then.script);
    }
    for (const SceneMoment::Obstacle& then : moment.obstacles) {
        const auto k = data_->collider_ids.index(then.id);
        if (!k || !data_->colliders[*k].path.empty()) continue;
        data_->colliders[*k].motion = then.motion;
        data_->targets[*k] = {then.target, then.steps_to_target};
    }
    return Done{};
}
void Scene::wake_all()
{
    data_->wake_all();
}

std::span<const BodyId> Scene::bodies() const
{
    return data_->body_ids.ids();
}
bool Scene::contains(BodyId body) const
{
    return data_->body_ids.index(body).has_value();
}
std::optional<BodyId> Scene::find(std::string_view name) const
{
    for (std::size_t k = 0; k < data_->bodies.size(); ++k)
        if (data_->bodies[k].model.name() == name) return data_->body_ids.ids()[k];
    return std::nullopt;
}
const BodyModel& Scene::model(BodyId body) const
{
    return data_->bodies[data_->index(body)].model;
}
BodySettings& Scene::body_settings(BodyId body)
{
    return data_->bodies[data_->index(body)].settings;
}
BodyState& Scene::state(BodyId body)
{
    return data_->bodies[data_->index(body)].state;
}
const BodyState& Scene::state(BodyId body) const
{
    return data_->bodies[data_->index(body)].state;
}
std::vector<Grip>& Scene::grips(BodyId body)
{
    return data_->bodies[data_->index(body)].grips;
}
std::vector<Push>& Scene::pushes(BodyId body)
{
    return data_->bodies[data_->index(body)].pushes;
}

void Scene::set_script(BodyId body, Script script)
{
    data_->set_script(data_->bodies[data_->index(body)], std::make_shared<const Script>(std::move(script)));
}
const Script& Scene::script(BodyId body) const
{
    return *data_->bodies[data_->index(body)].script;
}
std::span<const Grip> Scene::scripted_grips(BodyId body) const
{
    return data_->bodies[data_->index(body)].scripted_grips;
}

std::span<const Collider> Scene::colliders() const { return data_->colliders; }
std::span<const ColliderId> Scene::collider_ids() const
{
    return data_->collider_ids.ids();
}
bool Scene::contains(ColliderId collider) const
{
    return data_->collider_ids.index(collider).has_value();
}
const Collider& Scene::collider(ColliderId collider) const
{
    return data_->colliders[data_->index(collider)];
}

std::span<const Vec3> Scene::surface(BodyId body)
{
    Data::Body& b = data_->bodies[data_->index(body)];
    fit_state(b.model, b.workspace.data().sizes, b.state);
    data_->on_workers([&] { b.model.embedding().apply(std::span<const Vec3>(b.state.positions), std::span(b.surface)); });
    return b.surface;
}

std::uint64_t Scene::hash() const
{
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over the bits of every number
    const auto mix = [&](std::span<const Vec3> values) {
        for (const Vec3& v : values)
            for (const float f : {v.x, v.y, v.z}) hash = (hash ^ std::bit_cast<std::uint32_t>(f)) * 0x100000001b3u;
    };
    for (const Data::Body& b : data_->bodies) {
        mix(b.state.positions);
        mix(b.state.velocities);
        for (const float f : b.state.fem.plastic) hash = (hash ^ std::bit_cast<std::uint32_t>(f)) * 0x100000001b3u;
    }
    return hash;
}

}  // namespace yawara
