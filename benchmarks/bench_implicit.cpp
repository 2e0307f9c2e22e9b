// Implicit steps of finite elements: a heavy bar that is held at one end and let go, against a plain Newton twin and
// Bullet's implicit deformable bodies, all with one step a frame of 1/60 s; and one that is dropped.
#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "bars.h"
#include "bullet_implicit.h"
#include "plain_newton.h"
#include "section.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr double kStep = 1.0 / 60, kDensity = 1000, kPoisson = 0.3, kCell = 0.1;
constexpr double kTwinAccuracy = 1e-5, kExact = 1e-11;  // m
constexpr int kPlainRepeats = 1;                        // it is slow

double lambda_of(double young)
{
    return young * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson));
}
double mu_of(double young)
{
    return young / (2 * (1 + kPoisson));
}

struct Bar {
    Bar(Int3 vertices, double young) : mesh(six_tet_bar(vertices)), young(young)
    {
        for (Vec3d& v : mesh.vertices) v = v * kCell;
        Fem fem;
        fem.mesh = mesh;
        fem.material = [&](const MaterialPlace&) {
            return FemMaterial{isotropic_lame(lambda_of(young), mu_of(young)), {}, kDensity};
        };
        BodySpec spec;
        spec.solid = std::move(fem);
        model.emplace(build(std::move(spec)).value());
        const double low = bounds(mesh.vertices).low.z;
        for (std::size_t n = 0; n < mesh.vertices.size(); ++n)
            if (mesh.vertices[n].z < low + 1e-6) held.push_back(std::int32_t(n));
    }
    Scene scene(int threads) const
    {
        Scene scene({.dt = kStep, .substeps = 1, .threads = threads});
        BodySettings settings;
        settings.fem.integration = Integration::implicit_step;
        const BodyId body = scene.add(*model, settings);
        Grip grip;
        for (const std::int32_t n : held) {
            grip.particles.push_back(n);
            grip.targets.push_back(mesh.vertices[std::size_t(n)].as<float>());
        }
        scene.grips(body).push_back(grip);
        return scene;
    }
    PlainNewton twin() const { return {mesh, model->masses(), lambda_of(young), mu_of(young), held}; }

    TetMesh mesh;
    double young;
    std::optional<BodyModel> model;
    std::vector<std::int32_t> held;
};

double process_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
double thread_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

constexpr Vec3d kGravity{0, -9.8f, 0};

/// Positions of all nodes after every step.
using Motion = std::vector<std::vector<Vec3d>>;

template <class Position>
void take_positions(std::size_t nodes, Position position, std::vector<Vec3d>& out)
{
    out.resize(nodes);
    for (std::size_t n = 0; n < nodes; ++n) out[n] = position(n);
}

/// Root of the mean square of how far nodes are from those of the exact twin, of the length of the bar.
double rms(const Bar& bar, const std::vector<Vec3d>& positions, const std::vector<Vec3d>& exact)
{
    double sum = 0;
    for (std::size_t n = 0; n < exact.size(); ++n) sum += dot(positions[n] - exact[n], positions[n] - exact[n]);
    const Vec3d size = bounds(bar.mesh.vertices).size();
    return std::sqrt(sum / double(exact.size())) / std::max({size.x, size.y, size.z});
}

/// One of the solvers over all rounds: the shortest times of its first step, in which it may set itself up, and of the
/// others; and the largest difference in a run.
struct Racer {
    double first = std::numeric_limits<double>::infinity(), seconds = first, worst = 0;

    template <class Clock, class Step, class Position>
    void run(const Bar& bar, const Motion& exact, Clock clock, Step step, Position position)
    {
        double sum = 0;
        std::vector<Vec3d> now;
        for (const std::vector<Vec3d>& there : exact) {
            const double before = clock();
            step();
            const double taken = clock() - before;
            if (&there == &exact.front())
                first = std::min(first, taken);
            else
                sum += taken;
            take_positions(there.size(), position, now);
            worst = std::max(worst, rms(bar, now, there));
        }
        seconds = std::min(seconds, sum);
    }
};

/// Each solver makes all steps by itself, in turns with the others, as often as `repeats` says; the best of these is
/// what it takes, since others may be busy on the machine.
nlohmann::json measure_bar(Int3 vertices, double young, int steps, int repeats)
{
    const Bar bar(vertices, young);
    const std::size_t nodes = bar.mesh.vertices.size();
    Motion exact(static_cast<std::size_t>(steps));
    PlainNewton reference = bar.twin();
    for (std::vector<Vec3d>& there : exact) {
        reference.step(kStep, kGravity, kExact);
        take_positions(
            nodes, [&](std::size_t n) { return reference.position(n); }, there);
    }
    Racer ours, ours_twice, plain, theirs;
    int rounds = 0, solver_rounds = 0, plain_rounds = 0;
    for (int k = 0; k < repeats; ++k) {
        for (const int threads : {1, 2}) {
            Scene scene = bar.scene(threads);
            rounds = solver_rounds = 0;
            const auto step = [&] {
                for (const StepReport& report : scene.step())
                    rounds += report.fem.newton_rounds, solver_rounds += report.fem.solver_rounds;
            };
            const BodyState& state = std::as_const(scene).state(scene.bodies()[0]);
            const auto position = [&](std::size_t n) { return state.positions[n].as<double>(); };
            if (threads == 1)
                ours.run(bar, exact, thread_seconds, step, position);
            else
                ours_twice.run(bar, exact, process_seconds, step, position);
        }
        BulletImplicit bullet(bar.mesh, bar.model->masses(), float(lambda_of(young)), float(mu_of(young)),
                              {0, -9.8f, 0}, bar.held);
        theirs.run(
            bar, exact, thread_seconds, [&] { bullet.step(kStep); },
            [&](std::size_t n) { return bullet.position(n).as<double>(); });
        if (k >= kPlainRepeats) continue;
        PlainNewton twin = bar.twin();
        plain.run(
            bar, exact, thread_seconds, [&] { twin.step(kStep, kGravity, kTwinAccuracy); },
            [&](std::size_t n) { return twin.position(n); });
        plain_rounds = twin.rounds();
    }
    const auto tets = double(bar.mesh.tets.size());
    const double timed = steps - 1;
    return {{"tets", bar.mesh.tets.size()},
            {"young", young},
            {"steps", steps},
            {"first_step_ms", 1000 * ours.first},
            {"one_thread_ms", 1000 * ours.seconds / timed},
            {"two_threads_ms", 1000 * ours_twice.seconds / timed},
            {"rounds", double(rounds) / steps},
            {"solver_rounds", double(solver_rounds) / steps},
            {"ns_per_tet_round", 1e9 * ours.seconds / (tets * std::max(rounds, 1))},
            {"plain_ms", 1000 * plain.seconds / timed},
            {"plain_rounds", double(plain_rounds) / steps},
            {"bullet_ms", 1000 * theirs.seconds / timed},
            {"plain_ratio", plain.seconds / ours.seconds},
            {"bullet_ratio", theirs.seconds / ours.seconds},
            {"share_of_real_time", ours_twice.seconds / timed / kStep},
            {"error", ours.worst},
            {"plain_error", plain.worst},
            {"bullet_difference", theirs.worst}};
}

/// A second of a bar that falls on a corner, and comes to lie.
nlohmann::json measure_landing(Int3 vertices, double young, int repeats)
{
    constexpr int kSteps = 60;
    constexpr double kAbove = 0.1;  // m
    const Bar bar(vertices, young);
    const Mat3d turn = rotation({0, 0, 1}, 0.4) * rotation({1, 0, 0}, 0.6);
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3d& v : bar.mesh.vertices) lowest = std::min(lowest, (turn * v).y);
    nlohmann::json row{{"tets", bar.mesh.tets.size()}, {"young", young}};
    for (const int threads : {1, 2}) {
        double best = std::numeric_limits<double>::infinity(), longest = 0, late = 0;
        int rounds = 0, solver_rounds = 0;
        for (int k = 0; k < repeats; ++k) {
            Scene scene({.dt = kStep, .substeps = 1, .threads = threads});
            BodySettings settings;
            settings.fem.integration = Integration::implicit_step;
            scene.add(Collider{.friction = 0.5f});
            scene.add(*bar.model, settings, {.turn = turn, .move = {0, kAbove - lowest, 0}});
            scene.step();  // sets itself up
            double sum = 0, most = 0;
            int over = 0;
            rounds = solver_rounds = 0;
            for (int step = 1; step < kSteps; ++step) {
                const double before = process_seconds();
                const std::span<const StepReport> reports = scene.step();
                const double taken = process_seconds() - before;
                sum += taken, most = std::max(most, taken), over += taken > kStep;
                rounds += reports[0].fem.newton_rounds, solver_rounds += reports[0].fem.solver_rounds;
            }
            if (sum < best) best = sum, longest = most, late = over;
        }
        const std::string name = threads == 1 ? "one_thread" : "two_threads";
        row[name + "_ms"] = 1000 * best / (kSteps - 1);
        row[name + "_longest_ms"] = 1000 * longest;
        row[name + "_late"] = late / (kSteps - 1);
        row["rounds"] = double(rounds) / (kSteps - 1), row["solver_rounds"] = double(solver_rounds) / (kSteps - 1);
    }
    return row;
}

/// Results only: against the exact twin, and one thread against two.
bool check()
{
    const Bar bar({4, 4, 9}, 1e6);
    Scene one = bar.scene(1), two = bar.scene(2);
    PlainNewton exact = bar.twin();
    for (int k = 0; k < 20; ++k) {
        one.step();
        two.step();
        exact.step(kStep, kGravity, kExact);
    }
    const BodyState& state = one.state(one.bodies()[0]);
    std::vector<Vec3d> now, there;
    take_positions(
        state.positions.size(), [&](std::size_t n) { return state.positions[n].as<double>(); }, now);
    take_positions(
        state.positions.size(), [&](std::size_t n) { return exact.position(n); }, there);
    const double error = rms(bar, now, there);
    const bool same = one.hash() == two.hash();
    fmt::print("implicit: after 20 steps {:.2g} of the length from the plain twin (at most 1e-3), {} threads\n", error,
               same ? "the same for any number of" : "DIFFERENT FOR");
    return error < 1e-3 && same;
}

nlohmann::json measure(const BenchOptions& options)
{
    nlohmann::json out;
    for (const double young : {1e6, 1e7}) out["swinging"].push_back(measure_bar({5, 5, 6}, young, 60, 20));
    if (!options.quick) {
        out["swinging"].push_back(measure_bar({8, 8, 18}, 1e7, 60, 4));
        out["swinging"].push_back(measure_bar({11, 11, 18}, 1e7, 30, 4));
    }
    for (const double young : {1e5, 1e7, 1e9, 1e11}) out["landing"].push_back(measure_landing({11, 11, 18}, young, 3));
    return out;
}

void print(const nlohmann::json& measured)
{
    const auto number = [](const nlohmann::json& row, const char* key) { return row[key].get<double>(); };
    fmt::print(
        "Implicit steps of 1/60 s of a bar let go, ms a step after the first; largest differences from the exact "
        "solution, of its length\n\n");
    fmt::print("{:>7} {:>8} | {:>8} {:>9} {:>7} {:>12} {:>9} {:>9} | {:>10} {:>11} {:>9} | {:>8} {:>8} {:>8}\n", "tets",
               "young", "1 thread", "2 threads", "rounds", "ns/tet/round", "plain", "Bullet", "plain/ours",
               "Bullet/ours", "real time", "ours", "plain", "Bullet");
    for (const nlohmann::json& r : measured["swinging"])
        fmt::print(
            "{:>7} {:>8.0e} | {:>8.2f} {:>9.2f} {:>7.2f} {:>12.0f} {:>9.1f} {:>9.2f} | {:>9.1f}x {:>10.1f}x {:>8.2f}x "
            "| "
            "{:>8.1e} {:>8.1e} {:>8.1e}\n",
            r["tets"].get<int>(), number(r, "young"), number(r, "one_thread_ms"), number(r, "two_threads_ms"),
            number(r, "rounds"), number(r, "ns_per_tet_round"), number(r, "plain_ms"), number(r, "bullet_ms"),
            number(r, "plain_ratio"), number(r, "bullet_ratio"), number(r, "share_of_real_time"), number(r, "error"),
            number(r, "plain_error"), number(r, "bullet_difference"));
    fmt::print(
        "\nOne that falls on a corner and comes to lie, the 59 steps after the first; late: longer than 1/60 s\n\n");
    fmt::print("{:>7} {:>8} | {:>7} {:>9} | {:>8} {:>8} {:>6} | {:>9} {:>8} {:>6}\n", "tets", "young", "rounds",
               "conjugate", "1 thread", "longest", "late", "2 threads", "longest", "late");
    for (const nlohmann::json& r : measured["landing"])
        fmt::print("{:>7} {:>8.0e} | {:>7.2f} {:>9.0f} | {:>8.1f} {:>8.0f} {:>5.0f}% | {:>9.1f} {:>8.0f} {:>5.0f}%\n",
                   r["tets"].get<int>(), number(r, "young"), number(r, "rounds"), number(r, "solver_rounds"),
                   number(r, "one_thread_ms"), number(r, "one_thread_longest_ms"), 100 * number(r, "one_thread_late"),
                   number(r, "two_threads_ms"), number(r, "two_threads_longest_ms"),
                   100 * number(r, "two_threads_late"));
}

}  // namespace

extern const Section kImplicitSection;
const Section kImplicitSection{"implicit", check, measure, print};

}  // namespace yawara::bench
