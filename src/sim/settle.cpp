// Static solves where nothing is touched, else motion with as much friction as makes the slowest swing of a body die
// out soonest: c = 2 sqrt(lambda), lambda the stiffness over the mass of the way it goes (Rayleigh's quotient of ways
// and accelerations, Underwood's adaptive dynamic relaxation). What swings faster has died out by then.
#include "yawara/settle.h"

#include <algorithm>
#include <cmath>

#include "contact/shapes.h"
#include "sim/solid_kind.h"

namespace yawara {
namespace {

constexpr int kMostSteps = 100000;
constexpr double kMostRadians = 0.5, kStartRadians = 0.01;
constexpr int kFewestSteps = 20;      // of a window
constexpr double kQuietDisplacement = 1e-6;  // from one window to the next, root mean square, of the body's size
constexpr double kQuietCreep = 1e-8;  // or this in a step: friction lets some bodies creep for long;
constexpr int kPatience = 2000;       // after so many steps twice that, then three times, in windows twice as long, ...
constexpr int kQuietWindows = 3;

bool touches(const Scene& scene, BodyId body)
{
    for (const Collider& collider : scene.colliders())
        for (const Vec3& x : scene.state(body).positions)
            if (contact::sample(collider, x).distance < 0) return true;
    return false;
}

/// Means over some steps: in them nothing is left of fast trembling, which rounding keeps up for ever.
struct Window {
    std::vector<Vec3d> positions, pushes;  ///< pushes: changes of velocities in a step
    int steps = 0;
};

/// A body on its way to rest.
class Slowed {
public:
    explicit Slowed(const BodyModel& model) : masses_(model.masses()), size_(bounds(model.rest_positions()).diagonal())
    {
        begin();
    }
    void before_step(const BodyState& state)
    {
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            now_.positions[i] += state.positions[i].as<double>();
            now_.pushes[i] -= state.velocities[i].as<double>();
        }
    }
    /// Takes speed from the body, which has made a step of dt.
    void slow_down(double dt, BodyState& state)
    {
        const auto keep = float((1 - radians_) / (1 + radians_));
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            now_.pushes[i] += state.velocities[i].as<double>();
            state.velocities[i] *= keep;
        }
        ++steps_;
        if (++now_.steps < kFewestSteps * lenience() || now_.steps * radians_ < 1) return;
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            now_.positions[i] = now_.positions[i] / now_.steps;
            now_.pushes[i] = now_.pushes[i] / now_.steps;
        }
        if (last_.steps > 0) compare_windows(dt);
        std::swap(last_, now_);
        begin();
    }
    bool rests() const { return quiet_windows_ >= kQuietWindows; }
    double displacement() const { return displacement_; }

private:
    int lenience() const { return 1 + steps_ / kPatience; }
    void begin()
    {
        now_.positions.assign(masses_.size(), {});
        now_.pushes.assign(masses_.size(), {});
        now_.steps = 0;
    }
    void compare_windows(double dt)
    {
        double resisted = 0, moved = 0, mass = 0;
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            const Vec3d displacement = now_.positions[i] - last_.positions[i];
            resisted -= masses_[i] * dot(displacement, now_.pushes[i] - last_.pushes[i]) * dt;
            moved += masses_[i] * dot(displacement, displacement);
            mass += masses_[i];
        }
        displacement_ = std::sqrt(moved / mass) / size_;
        const double rounding = 1e-7 * length(now_.positions.front()) / size_;
        if (displacement_ < std::max(kQuietDisplacement, kQuietCreep * lenience() * now_.steps) + rounding) {
            // too little to tell how it swings; and what only starts to move must not be held
            if (!has_moved_ && radians_ > kStartRadians)
                radians_ /= 2;
            else
                ++quiet_windows_;
            return;
        }
        has_moved_ = true;
        quiet_windows_ = 0;
        radians_ =
            std::clamp(std::sqrt(std::max(resisted / moved, 0.0)), radians_ / 2, std::min(radians_ * 2, kMostRadians));
    }

    std::span<const double> masses_;
    double size_;
    Window now_, last_;
    double radians_ = kMostRadians;  ///< of the slowest swing that shows, in a step
    double displacement_ = 0;        ///< from the last window to the one before, root mean square, over the size
    bool has_moved_ = false;
    int quiet_windows_ = 0;  ///< in a row
    int steps_ = 0;
};

/// What is plastic does not flow on the way to rest, which is none that the body would take.
class FlowStopped {
public:
    explicit FlowStopped(Scene& scene) : scene_(scene)
    {
        for (std::size_t i = 0; i < scene.bodies().size(); ++i) {
            bool& flow = scene.body_settings(scene.bodies()[i]).fem.flow;
            flows_.push_back(flow);
            flow = false;
        }
    }
    ~FlowStopped()
    {
        for (std::size_t i = 0; i < flows_.size(); ++i) scene_.body_settings(scene_.bodies()[i]).fem.flow = flows_[i];
    }
    FlowStopped(const FlowStopped&) = delete;
    FlowStopped& operator=(const FlowStopped&) = delete;

private:
    Scene& scene_;
    std::vector<bool> flows_;
};

/// Motion until all bodies rest that are not solved.
Status move_to_rest(Scene& scene, std::vector<SettledBody>& settled, const Progress& progress)
{
    const std::int64_t steps = scene.step_count();
    const double time = scene.time();
    const int substeps = std::max(1, scene.settings().substeps);
    const double dt = scene.settings().dt / substeps;
    std::vector<Slowed> bodies;
    for (std::size_t i = 0; i < settled.size(); ++i) bodies.emplace_back(scene.model(scene.bodies()[i]));
    const auto each = [&](const auto& visit) {
        for (std::size_t i = 0; i < settled.size(); ++i)
            if (!settled[i].solved) visit(settled[i], scene.state(scene.bodies()[i]), bodies[i]);
    };
    const int most_frames = std::max(kMostSteps / substeps, 1);
    for (int frame = 1; frame <= most_frames; ++frame) {
        for (int k = 0; k < substeps; ++k) {
            each([](auto&, BodyState& state, Slowed& body) {
                state.matching.resting = 0;  // what rests is calmed, and that would hide how fast it swings, too
                body.before_step(state);
            });
            scene.substep();
            scene.set_clock(steps, time);
            each([&](auto&, BodyState& state, Slowed& body) { body.slow_down(dt, state); });
        }
        bool all_rest = true;
        each([&](SettledBody& report, BodyState&, Slowed& body) {
            report.rounds = frame;
            report.residual = body.displacement();
            all_rest = all_rest && body.rests();
        });
        if (all_rest) {
            each([](auto&, BodyState& state, Slowed&) {
                std::fill(state.velocities.begin(), state.velocities.end(), Vec3{});
            });
            return Done{};
        }
        if (progress && !progress("of the steps allowed", double(frame) / most_frames))
            return Error{"settle", "cancelled"};
    }
    std::string moving;
    for (std::size_t i = 0; i < settled.size(); ++i)
        if (!settled[i].solved && !bodies[i].rests())
            moving += (moving.empty() ? "" : ", ") + scene.model(scene.bodies()[i]).name();
    return Error{"settle", "within " + std::to_string(kMostSteps) + " steps these did not come to rest: " + moving +
                               "; longer steps get there sooner"};
}

}  // namespace

Result<std::vector<SettledBody>> settle(Scene& scene, const Progress& progress)
{
    const FlowStopped stopped(scene);
    const std::size_t count = scene.bodies().size();
    std::vector<SettledBody> settled(count);
    // Loads that follow the shape a body takes are beyond a static solve.
    const bool pressed = scene.settings().medium.drag > 0 && scene.settings().medium.current != Vec3{};
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
        const BodyId id = scene.bodies()[i];
        if (!kind_of(scene.model(id)).settle || pressed) {
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

    // Damping of their own would hide how fast bodies swing.
    std::vector<BodySettings> usual;
    for (std::size_t i = 0; i < count; ++i) {
        BodySettings& settings = scene.body_settings(scene.bodies()[i]);
        usual.push_back(settings);
        settings.matching.damping = settings.matching.region_damping = settings.drag = 0;
    }
    const Status moved = move_to_rest(scene, settled, progress);
    for (std::size_t i = 0; i < count; ++i) scene.body_settings(scene.bodies()[i]) = usual[i];
    if (!moved) return moved.error();
    return settled;
}

}  // namespace yawara
