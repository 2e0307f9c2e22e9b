// The public functions of a scene: what it holds, and its clock. A sub-step is in sim/scene_step.cpp.
#include "yawara/scene.h"

#include <algorithm>
#include <bit>

#include "contact/keep_out.h"
#include "sim/body_model.h"
#include "sim/outside.h"
#include "sim/scene_data.h"
#include "sim/workspace.h"

namespace yawara {

Scene::Data::Body Scene::Data::make_body(BodyModel model, BodySettings body_settings, BodyState state) const
{
    Workspace workspace(model);
    std::vector<Vec3> surface(model.surface().vertices.size());
    auto outside = outside_of(model);
    const std::size_t n = model.particle_count(), parts = model.data().parts.size();
    const ShapeGauge shape(model.rest_positions(), outside->triangles);
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

void Scene::Data::share_scratch(Body& b)
{
    b.pool.reset();
    if (!can_share_scratch(b.model.data())) return;
    const auto shares = [&](const Body& other) { return &other != &b && &other.model.data() == &b.model.data(); };
    const auto other = std::ranges::find_if(bodies, shares);
    if (other == bodies.end()) return;
    if (!other->pool) {
        other->pool = std::make_shared<MatchingPool>();
        other->pool->give(std::move(other->workspace.data().matching));
    }
    b.pool = other->pool;
    b.workspace.data().matching.reset();
}

/// What the solid leaves out of the surface takes no part in contact, and springs let finite elements sink in a little:
/// what would be drawn in an obstacle is drawn on it.
void Scene::Data::draw(Body& b) const
{
    constexpr double kLeftOut = 2;  // of what is left out at rest: it may be stretched
    constexpr double kSunk = 0.05;  // of the size of the body
    const Embedding& embedding = b.model.embedding();
    embedding.draw(b.state.positions, b.surface);
    const double most = kLeftOut * embedding.outside_distance() + kSunk * double(b.outside->size);
    const std::span<const Collider> all = obstacles.all();
    b.clearances.renew(all, b.surface.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        if (b.meets(all[k])) contact::keep_out(all[k], most, b.clearances.about(k), b.surface);
}

void Scene::Data::set_script(Body& b, std::shared_ptr<const Script> script)
{
    b.script = std::move(script);
    b.script->apply(time, time + step_length(), b.scripted_grips, b.scripted_pushes);
}

void Scene::Data::replace(Body& b, BodyModel model, BodyState state, const TopologyChange& change,
                          std::shared_ptr<const Script> script)
{
    std::vector<Grip> grips;
    for (const Grip& grip : b.grips) grips.push_back(carry_grip(grip, change));
    std::vector<Push> pushes;
    for (const Push& push : b.pushes) pushes.push_back(carry_push(push, change));
    b = make_body(std::move(model), b.settings, std::move(state));
    share_scratch(b);
    b.grips = std::move(grips);
    b.pushes = std::move(pushes);
    set_script(b, std::move(script));
    lose(joints.carry(body_ids.ids()[std::size_t(&b - bodies.data())], change));
    list_ignored();
    renew_contact();
}

void Scene::Data::renew_contact()
{
    contact = {};
    for (const Body& b : bodies) contact.add(*b.outside);
}

void Scene::Data::forget_body(std::size_t index)
{
    for (auto* list : {&reports, &last}) list->erase(list->begin() + std::ptrdiff_t(index));
    shapes.erase(shapes.begin() + std::ptrdiff_t(index));
    contact_reports.pop_back();  // of the last sub-step only
    renew_contact();
}

void Scene::Data::list_ignored()
{
    for (Body& b : bodies) b.ignored.clear();
    for (const auto& [one, other] : ignored) {
        const std::size_t a = index(one), b = index(other);
        bodies[a].ignored.push_back(std::int32_t(b));
        bodies[b].ignored.push_back(std::int32_t(a));
    }
    for (Body& b : bodies) std::sort(b.ignored.begin(), b.ignored.end());
}

void Scene::Data::lose(std::span<const JointId> lost)
{
    for (const JointId joint : lost) coming_events.push_back({SceneEvent::What::lost_joint, joint});
}

void Scene::Data::wake_all()
{
    for (Body& b : bodies) b.state.still = 0;
}

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
    data_->share_scratch(data_->bodies.back());
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
    data_->lose(data_->joints.drop(body));
    std::erase_if(data_->ignored, [&](const auto& pair) { return pair.first == body || pair.second == body; });
    data_->bodies.erase(data_->bodies.begin() + std::ptrdiff_t(*k));
    data_->body_ids.remove(*k);
    data_->forget_body(*k);
    data_->list_ignored();
    data_->reorder_touches();
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
    const bool other = &model.data() != &b.model.data();
    if (other) b.workspace = Workspace(model);
    b.model = std::move(model);
    if (other) data_->share_scratch(b);
    return Done{};
}

ColliderId Scene::add(Collider collider)
{
    const ColliderId id = data_->obstacles.add(std::move(collider), data_->time);
    data_->wake_all();
    return id;
}

Status Scene::remove(ColliderId collider)
{
    const Status done = data_->obstacles.remove(collider);
    if (done) {
        data_->wake_all();
        data_->reorder_touches();
    }
    return done;
}

Status Scene::replace(ColliderId collider, Collider with)
{
    const Status done = data_->obstacles.replace(collider, std::move(with), data_->time);
    if (done) data_->wake_all();
    return done;
}

Status Scene::move(ColliderId collider, const Placement& to)
{
    return data_->obstacles.move(collider, to, std::max(data_->settings.substeps, 1));
}

Status Scene::deform(ColliderId collider, std::span<const Vec3d> vertices)
{
    return data_->obstacles.deform(collider, vertices, std::max(data_->settings.substeps, 1));
}

Result<JointId> Scene::add(Joint joint)
{
    std::optional<JointedBody> a, b;
    for (const auto& [side, view] : {std::pair(&joint.a, &a), std::pair(&joint.b, &b)}) {
        if (!side->body) continue;
        const auto k = data_->body_ids.index(*side->body);
        if (!k) return Data::stale_body();
        view->emplace(data_->bodies[*k].model, data_->bodies[*k].state);
    }
    if (a && joint.a.body == joint.b.body) return Error{"joint", "both of its sides are the same body"};
    Result<JointId> id = data_->joints.add(std::move(joint), a ? &*a : nullptr, b ? &*b : nullptr);
    if (id) data_->wake_all();
    return id;
}

Status Scene::remove(JointId joint)
{
    const Status done = data_->joints.remove(joint);
    if (done) data_->wake_all();
    return done;
}

std::span<const JointId> Scene::joints() const
{
    return data_->joints.ids().ids();
}
bool Scene::contains(JointId joint) const
{
    return data_->joints.ids().index(joint).has_value();
}
Joint& Scene::joint(JointId joint)
{
    return data_->joints.joint(data_->index(joint));
}
const Joint& Scene::joint(JointId joint) const
{
    return data_->joints.joint(data_->index(joint));
}

Status Scene::ignore(BodyId one, BodyId other, bool ignored)
{
    if (!contains(one) || !contains(other)) return Data::stale_body();
    const std::pair pair(std::min(one, other), std::max(one, other));
    std::erase(data_->ignored, pair);
    if (ignored) data_->ignored.push_back(pair);
    data_->list_ignored();
    data_->renew_contact();
    data_->wake_all();
    return Done{};
}
bool Scene::ignores(BodyId one, BodyId other) const
{
    return std::ranges::find(data_->ignored, std::pair(std::min(one, other), std::max(one, other))) !=
           data_->ignored.end();
}

std::span<const TouchEvent> Scene::touches() const
{
    return data_->touch_log.events();
}
std::span<const SceneEvent> Scene::events() const
{
    return data_->events;
}
void Scene::set_hook(std::function<void(Scene&, double)> hook)
{
    data_->hook = std::move(hook);
}

std::span<const StepReport> Scene::step()
{
    const int substeps = std::max(data_->settings.substeps, 1);
    data_->begin_events();
    data_->on_workers([&] {
        for (int k = 0; k < substeps; ++k) {
            if (data_->hook) data_->hook(*this, data_->step_length());
            data_->is_last_substep = k + 1 == substeps;
            data_->substep();
            for (std::size_t b = 0; b < data_->bodies.size(); ++b) {
                if (k == 0)
                    data_->reports[b] = data_->last[b];
                else
                    data_->reports[b].add(data_->last[b]);
            }
        }
        data_->measure_shapes();
        data_->end_events(data_->reports);
    });
    return data_->reports;
}

std::span<const StepReport> Scene::substep()
{
    data_->begin_events();
    data_->is_last_substep = true;
    data_->on_workers([&] {
        if (data_->hook) data_->hook(*this, data_->step_length());
        data_->substep();
        data_->end_events(data_->last);
    });
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
    b.drawn = false;
    return report;
}

SceneSettings& Scene::settings()
{
    return data_->settings;
}
const SceneSettings& Scene::settings() const
{
    return data_->settings;
}
double Scene::time() const
{
    return data_->time;
}
std::int64_t Scene::step_count() const
{
    return data_->steps;
}
void Scene::set_clock(std::int64_t steps, double time)
{
    data_->steps = steps;
    data_->time = time;
    data_->last_gravity = data_->settings.gravity;
    data_->obstacles.set_time(time);
    for (Data::Body& b : data_->bodies) {
        b.drawn = false;
        if (b.drawing) b.drawing->forget_motion();
    }
}
SceneMoment Scene::moment() const
{
    SceneMoment moment;
    for (std::size_t k = 0; k < data_->bodies.size(); ++k) {
        const Data::Body& b = data_->bodies[k];
        moment.bodies.push_back(
            {data_->body_ids.ids()[k], b.model, b.script, b.state, data_->shapes[k], b.slept, b.exploded});
    }
    moment.obstacles = data_->obstacles.moment();
    for (const TouchLog::Found& found : data_->touch_log.now())
        moment.touches.push_back({found.body, found.other, found.point, found.normal, found.weight, found.sensor});
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
        data_->shapes[k] = then.shape;
        b.slept = then.slept;
        b.exploded = then.exploded;
    }
    data_->obstacles.go_to(moment.obstacles);
    data_->restore_touches(moment.touches);
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
    Data::Body& b = data_->bodies[data_->index(body)];
    b.drawn = false;
    return b.state;
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

std::span<const Collider> Scene::colliders() const
{
    return data_->obstacles.all();
}
std::span<const ColliderId> Scene::collider_ids() const
{
    return data_->obstacles.ids().ids();
}
bool Scene::contains(ColliderId collider) const
{
    return data_->obstacles.ids().index(collider).has_value();
}
const Collider& Scene::collider(ColliderId collider) const
{
    return data_->obstacles.all()[data_->index(collider)];
}

std::span<const Vec3> Scene::surface(BodyId body)
{
    Data::Body& b = data_->bodies[data_->index(body)];
    fit_state(b.model, b.workspace.data().sizes, b.state);
    data_->on_workers([&] { data_->draw(b); });
    return b.surface;
}

Drawing Scene::drawing(BodyId body)
{
    Data::Body& b = data_->bodies[data_->index(body)];
    if (!b.drawing) b.drawing.emplace(b.model);
    if (!b.drawn) {
        const std::span<const Vec3> vertices = surface(body);
        data_->on_workers([&] { b.drawing->draw(vertices, data_->ticks); });
        b.drawn = true;
    }
    return b.drawing->view();
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
