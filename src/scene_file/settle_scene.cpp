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

double kinetic_energy(const BodyModel& model, const BodyState& state)
{
    double sum = 0;
    for (std::size_t i = 0; i < state.velocities.size(); ++i)
        sum += model.masses()[i] * double(dot(state.velocities[i], state.velocities[i])) / 2;
    return sum;
}

/// Goes back to before a step in which the body slowed down, and lets it rest there.
void stop(std::span<const Vec3> positions, std::span<const Vec3> velocities, BodyState& state)
{
    for (std::size_t i = 0; i < velocities.size(); ++i) {
        state.velocities[i] = dot(velocities[i], state.velocities[i]) < 0 ? velocities[i] : Vec3{};
        state.positions[i] = positions[i];
    }
}

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
    std::vector<double> energies(count, 0.0);
    std::vector<std::vector<Vec3>> quiet_since(count), step_positions(count), step_velocities(count);
    int quiet = 0;
    for (int frame = 1; frame <= kMostFrames; ++frame) {
        if (quiet == 0)
            for (std::size_t i = 0; i < count; ++i) quiet_since[i] = scene.state(static_cast<BodyId>(i)).positions;
        for (int k = 0; k < std::max(1, scene.settings().substeps); ++k) {
            for (std::size_t i = 0; i < count; ++i) {
                step_positions[i] = scene.state(static_cast<BodyId>(i)).positions;
                step_velocities[i] = scene.state(static_cast<BodyId>(i)).velocities;
            }
            scene.substep();
            scene.set_clock(steps, time);
            for (std::size_t i = 0; i < count; ++i) {
                const auto id = static_cast<BodyId>(i);
                if (scene.model(id).is_fem()) continue;
                const double energy = kinetic_energy(scene.model(id), scene.state(id));
                if (energy < energies[i]) stop(step_positions[i], step_velocities[i], scene.state(id));
                energies[i] = energy < energies[i] ? 0 : energy;
            }
        }
        double farthest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (settled[i].solved) continue;
            const auto id = static_cast<BodyId>(i);
            BodyState& state = scene.state(id);
            if (scene.model(id).is_fem()) {
                const double energy = kinetic_energy(scene.model(id), state);
                if (energy < energies[i]) std::fill(state.velocities.begin(), state.velocities.end(), Vec3{});
                energies[i] = energy < energies[i] ? 0 : energy;
            }
            float way = 0;
            for (std::size_t n = 0; n < quiet_since[i].size(); ++n)
                way = std::max(way, length(state.positions[n] - quiet_since[i][n]));
            settled[i].rounds = frame;
            settled[i].residual = double(way) / size_of(scene.model(id));
            farthest = std::max(farthest, settled[i].residual);
        }
        quiet = farthest < kQuietWay ? quiet + 1 : 0;
        if (quiet >= kQuietFrames) {
            for (std::size_t i = 0; i < count; ++i) {
                BodyState& state = scene.state(static_cast<BodyId>(i));
                std::fill(state.velocities.begin(), state.velocities.end(), Vec3{});
            }
            return settled;
        }
        if (progress && !progress("settling", double(frame) / kMostFrames)) return Error{"settle", "cancelled"};
    }
    return Error{"settle", fmt::format("nothing came to rest within {} frames", kMostFrames)};
}

}  // namespace yawara::scene_file
