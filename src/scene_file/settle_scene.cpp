// Static solves where nothing is touched, else motion with kinetic damping: whenever the kinetic energy of a body
// starts to fall its velocities are set to zero, which takes it to its equilibrium in a few swings. Shape matching
// steps keep sum 1/2 m v_n v_n+1 + V(x_n), with the velocities before and behind a step. A particle that a step turns
// round adds less than nothing to it: setting that one to zero would feed fast motion until it bursts, so it keeps its
// velocity.
#include "scene_file/settle_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "contact/shapes.h"

namespace yawara::scene_file {
namespace {

constexpr int kMostFrames = 20000;
constexpr int kQuietFrames = 20;
constexpr double kQuietWay = 2e-5;  // in so many frames, of the body's size: rounding makes stiff bodies tremble

bool touches(const Scene& scene, BodyId body)
{
    for (const Collider& collider : scene.colliders())
        for (const Vec3& x : scene.state(body).positions)
            if (contact::sample(collider, x).distance < 0) return true;
    return false;
}

double size_of(const BodyModel& model)
{
    return bounds(model.rest_positions()).diagonal();
}

/// Mean square of the velocities, by mass: twice the kinetic energy over the mass.
double square_speed(const BodyModel& model, const BodyState& state)
{
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < state.velocities.size(); ++i) {
        sum += model.masses()[i] * double(dot(state.velocities[i], state.velocities[i]));
        mass += model.masses()[i];
    }
    return sum / mass;
}

/// A body on its way to rest.
class Slowed {
public:
    void before_step(const BodyState& state)
    {
        positions_ = state.positions;
        velocities_ = state.velocities;
    }
    /// Stops the body if it has become slower: shape matching at where it was before the step.
    void stop_if_slower(const BodyModel& model, double dt, BodyState& state)
    {
        const double speed = square_speed(model, state), still = 1e-10 * size_of(model) / dt;
        const bool slower = speed < speed_;
        if (slower || speed <= still * still) ++swings_;
        speed_ = slower ? 0 : speed;
        if (!slower) return;
        if (model.is_fem()) return std::fill(state.velocities.begin(), state.velocities.end(), Vec3{});
        for (std::size_t i = 0; i < velocities_.size(); ++i) {
            state.velocities[i] = dot(velocities_[i], state.velocities[i]) < 0 ? velocities_[i] : Vec3{};
            state.positions[i] = positions_[i];
        }
    }
    void watch_from(const BodyState& state)
    {
        watched_ = state.positions;
        swings_ = 0;
    }
    /// The farthest way of a particle since then, over the body's size.
    double way(const BodyModel& model, const BodyState& state) const
    {
        float way = 0;
        for (std::size_t i = 0; i < watched_.size(); ++i) way = std::max(way, length(state.positions[i] - watched_[i]));
        return double(way) / size_of(model);
    }
    /// What only starts to move is slow too: a body rests if it hardly moves from one end of a swing to the other.
    bool swung() const { return swings_ >= 3; }

private:
    std::vector<Vec3> positions_, velocities_, watched_;
    double speed_ = 0;  ///< squared
    int swings_ = 0;
};

/// What is plastic does not flow on the way to rest, which is none that the body would take.
class FlowStopped {
public:
    explicit FlowStopped(Scene& scene) : scene_(scene)
    {
        for (std::size_t i = 0; i < scene.body_count(); ++i) {
            bool& flow = scene.body_settings(static_cast<BodyId>(i)).fem.flow;
            flows_.push_back(flow);
            flow = false;
        }
    }
    ~FlowStopped()
    {
        for (std::size_t i = 0; i < flows_.size(); ++i)
            scene_.body_settings(static_cast<BodyId>(i)).fem.flow = flows_[i];
    }
    FlowStopped(const FlowStopped&) = delete;
    FlowStopped& operator=(const FlowStopped&) = delete;

private:
    Scene& scene_;
    std::vector<bool> flows_;
};

void apply_scripts(Scene& scene, std::span<const BodyScript> scripts)
{
    const double length = scene.settings().dt / std::max(1, scene.settings().substeps);
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        const auto id = static_cast<BodyId>(i);
        scripts[i].apply(scene.time(), scene.time() + length, scene.grips(id), scene.pushes(id));
    }
}

}  // namespace

Result<std::vector<LoadedScene::Settled>> settle_scene(Scene& scene, std::span<const BodyScript> scripts,
                                                       const Progress& progress)
{
    const FlowStopped stopped(scene);
    const std::size_t count = scene.body_count();
    std::vector<LoadedScene::Settled> settled(count);
    apply_scripts(scene, scripts);
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
        const auto id = static_cast<BodyId>(i);
        if (!scene.model(id).is_fem()) {
            all = false;
            continue;
        }
        const BodyState before = scene.state(id);
        const Result<SettleReport> report = scene.settle(id);
        if (report && !touches(scene, id)) {
            settled[i] = {true, report->rounds, report->residual};
            continue;
        }
        if (!report && scene.colliders().empty()) return report.error();
        scene.state(id) = before;
        all = false;
    }
    if (all) return settled;

    const std::int64_t steps = scene.step_count();
    const double time = scene.time();
    const int substeps = std::max(1, scene.settings().substeps);
    const double dt = scene.settings().dt / substeps;
    std::vector<Slowed> bodies(count);
    int quiet = 0;
    for (int frame = 1; frame <= kMostFrames; ++frame) {
        const auto each = [&](const auto& visit) {
            for (std::size_t i = 0; i < count; ++i)
                if (const auto id = static_cast<BodyId>(i); !settled[i].solved)
                    visit(i, scene.model(id), scene.state(id), bodies[i]);
        };
        if (quiet == 0)
            each([](std::size_t, const BodyModel&, BodyState& state, Slowed& body) { body.watch_from(state); });
        for (int k = 0; k < substeps; ++k) {
            each([](std::size_t, const BodyModel&, BodyState& state, Slowed& body) { body.before_step(state); });
            scene.substep();
            scene.set_clock(steps, time);
            each([&](std::size_t, const BodyModel& model, BodyState& state, Slowed& body) {
                if (!model.is_fem() || k + 1 == substeps) body.stop_if_slower(model, dt, state);
            });
        }
        bool still = true, swung = true;
        each([&](std::size_t i, const BodyModel& model, BodyState& state, Slowed& body) {
            settled[i].rounds = frame;
            settled[i].residual = body.way(model, state);
            still = still && settled[i].residual < kQuietWay;
            swung = swung && body.swung();
        });
        quiet = still ? quiet + 1 : 0;
        if (quiet >= kQuietFrames && swung) {
            each([](std::size_t, const BodyModel&, BodyState& state, Slowed&) {
                std::fill(state.velocities.begin(), state.velocities.end(), Vec3{});
            });
            return settled;
        }
        if (progress && !progress("settling", double(frame) / kMostFrames)) return Error{"settle", "cancelled"};
    }
    return Error{"settle",
                 fmt::format("nothing came to rest within {} frames; longer steps get there sooner", kMostFrames)};
}

}  // namespace yawara::scene_file
