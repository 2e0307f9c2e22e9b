// Events of a scene: touches as contact found them, and changes of bodies between two frames.
#include "sim/scene_events.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "contact/shapes.h"
#include "sim/body_model.h"
#include "sim/scene_data.h"
#include "sim/sleep.h"
#include "sim/workspace.h"

namespace yawara {
namespace {

/// By bodies; of a body first other bodies, then obstacles.
std::uint64_t order_of(std::size_t body, bool obstacle, std::size_t other)
{
    return std::uint64_t(body) << 33 | std::uint64_t(obstacle) << 32 | std::uint64_t(other);
}

}  // namespace

Vec3d momentum_of(std::span<const float> masses, std::span<const Vec3> velocities)
{
    // Four particles are three fours: x y z x, y z x y, z x y z. Few are summed in float, their sums in double.
    using f4 = float __attribute__((vector_size(16)));
    using d4 = double __attribute__((vector_size(32)));
    constexpr std::size_t kFew = 64;
    const std::size_t whole = masses.size() / 4 * 4;
    d4 sums[3]{};
    for (std::size_t first = 0; first < whole; first += kFew) {
        f4 few[3]{};
        for (std::size_t i = first; i < std::min(first + kFew, whole); i += 4) {
            f4 m, v[3];
            std::memcpy(&m, &masses[i], sizeof m);
            std::memcpy(&v, &velocities[i], sizeof v);
            few[0] += v[0] * __builtin_shufflevector(m, m, 0, 0, 0, 1);
            few[1] += v[1] * __builtin_shufflevector(m, m, 1, 1, 2, 2);
            few[2] += v[2] * __builtin_shufflevector(m, m, 2, 3, 3, 3);
        }
        for (int k = 0; k < 3; ++k) sums[k] += __builtin_convertvector(few[k], d4);
    }
    Vec3d sum;
    for (int k = 0; k < 12; ++k) sum[k % 3] += sums[k / 4][k % 4];
    for (std::size_t i = whole; i < masses.size(); ++i) sum += (velocities[i] * masses[i]).as<double>();
    return sum;
}

/// Whether what a body gains besides its weight comes from obstacles.
bool Scene::Data::is_left_alone(const Body& b) const
{
    return b.all_grips.empty() && b.all_pushes.empty() && !(settings.medium.drag > 0) &&
           (settings.medium.is_everywhere() || !(settings.medium.density > 0)) && !(b.usable.drag > 0);
}

void Scene::Data::begin_events()
{
    if (!settings.events) {
        touch_log.forget();
        events.clear();
        coming_events.clear();
        return;
    }
    constexpr std::size_t kNeighbours = 8;  // of a body, each with others and obstacles: more allocate
    touch_log.begin_frame(bodies.size() * (kNeighbours + std::min(obstacles.all().size(), kNeighbours)));
    obstacle_touches.reserve(obstacles.all().size());
    for (auto* list : {&events, &coming_events}) list->reserve(2 * bodies.size());
    events.swap(coming_events);
    coming_events.clear();
    for (Body& b : bodies) {
        b.pushed = {};
        b.momentum.reset();
    }
}

void Scene::Data::reorder_touches()
{
    touch_log.reorder([&](const TouchLog::Found& found) -> std::optional<std::uint64_t> {
        const auto* obstacle = std::get_if<ColliderId>(&found.other);
        const std::optional<std::size_t> body = body_ids.index(found.body);
        const std::optional<std::size_t> other =
            obstacle ? obstacles.ids().index(*obstacle) : body_ids.index(std::get<BodyId>(found.other));
        if (!body || !other) return std::nullopt;
        return order_of(*body, obstacle != nullptr, *other);
    });
}

void Scene::Data::restore_touches(std::span<const SceneMoment::Touch> touches)
{
    std::vector<TouchLog::Found> found;
    for (const SceneMoment::Touch& touch : touches)
        found.push_back({0, touch.body, touch.other, touch.point, touch.normal, touch.weight, 0, touch.sensor});
    touch_log.restore(std::move(found));
    reorder_touches();
    events.clear();
}

/// What bodies did to each other, and rigid ones to obstacles, in the last step or slice.
void Scene::Data::log_pairs()
{
    const std::span<const BodyId> ids = body_ids.ids();
    for (const contact::NearPair& pair : contact.pairs()) {
        const contact::PairEvent& event = pair.event;
        if (!event.touched) continue;
        const auto a = std::size_t(pair.a), b = std::size_t(pair.b);
        touch_log.add({order_of(a, false, b), ids[a], ids[b], event.point, event.normal, event.weight, event.impulse,
                       event.sensor});
    }
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].asleep) continue;
        if (bodies[k].model.is_rigid())
            log_rigid(k);
        else
            bodies[k].pushed += contact.obstacle_impulse(k);
    }
}

void Scene::Data::log_rigid(std::size_t k)
{
    const Body& b = bodies[k];
    const bool some = b.obstacles.data() == b.some_obstacles.data();
    for (const contact::ObstacleTouch& touch : contact.rigid_obstacles(k).touches()) {
        if (!touch.pushed) continue;
        const auto among = std::size_t(touch.collider - b.obstacles.data());
        const std::size_t other = some ? b.some_indices[among] : among;
        const double weight = std::max(touch.impulse, 1e-30);
        touch_log.add({order_of(k, true, other), body_ids.ids()[k], obstacles.ids().ids()[other], touch.point * weight,
                       touch.normal * weight, weight, touch.impulse});
    }
}

/// The outer particles of a body without those that are known to be farther from an obstacle than `near`.
std::span<const std::int32_t> Scene::Data::maybe_touching_obstacle(Body& b, std::size_t obstacle, double near)
{
    const std::vector<std::int32_t>& vertices = b.outside->vertices;
    const Collider& collider = obstacles.all()[obstacle];
    std::size_t among = obstacle;
    if (b.obstacles.data() == b.some_obstacles.data())
        among = std::size_t(std::ranges::find(b.some_indices, obstacle) - b.some_indices.begin());
    const auto balls = b.workspace.data().kept.clearances.known_about(among, collider);
    if (balls.empty()) return vertices;
    maybe_touching.clear();
    maybe_touching.reserve(vertices.size());
    std::ranges::copy_if(vertices, std::back_inserter(maybe_touching), [&](std::int32_t v) {
        return !contact::is_known_clear(collider, b.state.positions[std::size_t(v)], near, balls[std::size_t(v)]);
    });
    return maybe_touching;
}

/// Obstacles on which a body that is not rigid lies; what pushed it is shared by its particles there.
void Scene::Data::log_soft(std::size_t k)
{
    Body& b = bodies[k];
    const ContactFilter& filter = b.settings.contact.filter;
    const double near = 1e-3 * double(b.outside->spacing);
    std::vector<TouchLog::Found>& found = obstacle_touches;
    found.clear();
    double count = 0;
    Box3 box;
    for (const std::int32_t v : b.outside->vertices) box.add(b.state.positions[std::size_t(v)].as<double>());
    const Vec3d wider{near, near, near};
    box = {box.low - wider, box.high + wider};
    for (std::size_t c = 0; c < obstacles.all().size(); ++c) {
        const Collider& collider = obstacles.all()[c];
        if (collider.filter.sensor || filter.sensor || !filter.meets(collider.filter)) continue;
        if (contact::is_clear_of(collider, box)) continue;
        const contact::Lying lying =
            contact::lying_on(collider, maybe_touching_obstacle(b, c, near), b.state.positions, near);
        if (lying.count == 0) continue;
        found.push_back({order_of(k, true, c), body_ids.ids()[k], obstacles.ids().ids()[c], lying.points, lying.normals,
                         lying.count});
        count += lying.count;
    }
    for (TouchLog::Found& touch : found) {
        touch.impulse = std::max(dot(b.pushed, normalized(touch.normal)), 0.0) * touch.weight / count;
        touch_log.add(touch);
    }
}

/// Obstacles that only report, or all if the body only reports.
void Scene::Data::log_sensors(std::size_t k)
{
    const Body& b = bodies[k];
    const ContactFilter& filter = b.settings.contact.filter;
    std::optional<Box3> box;
    for (std::size_t c = 0; c < obstacles.all().size(); ++c) {
        const Collider& collider = obstacles.all()[c];
        if (!(collider.filter.sensor || filter.sensor) || !filter.meets(collider.filter)) continue;
        if (!box) {
            box.emplace();
            for (const std::int32_t v : b.outside->vertices) box->add(b.state.positions[std::size_t(v)].as<double>());
        }
        if (contact::is_clear_of(collider, *box)) continue;
        const contact::Lying lying = contact::lying_on(collider, b.outside->vertices, b.state.positions, 0);
        if (lying.count == 0) continue;
        touch_log.add({order_of(k, true, c), body_ids.ids()[k], obstacles.ids().ids()[c], lying.points, lying.normals,
                       lying.count, 0, true});
    }
}

void Scene::Data::end_events(std::span<const StepReport> of_bodies)
{
    if (!settings.events) return;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        Body& b = bodies[k];
        // What sleeps lies where it lay.
        if (!b.model.is_rigid() && (of_bodies[k].contact.contacts > 0 || b.asleep)) log_soft(k);
        if (b.model.is_rigid() && b.asleep) log_soft(k);
        log_sensors(k);
        const auto tell = [&](SceneEvent::What what) { events.push_back({what, body_ids.ids()[k]}); };
        const bool sleeps = settings.sleep && b.state.still >= kStillTime;
        if (sleeps != b.slept) tell(sleeps ? SceneEvent::What::slept : SceneEvent::What::woke);
        b.slept = sleeps;
        if (of_bodies[k].repaired_particles + of_bodies[k].repaired_numbers > 0) tell(SceneEvent::What::repaired);
        const bool burst = shapes[k].has_grown() || shapes[k].has_collapsed();
        if (burst && !b.exploded) tell(SceneEvent::What::exploded);
        b.exploded = burst;
    }
    touch_log.end_frame();
}

}  // namespace yawara
