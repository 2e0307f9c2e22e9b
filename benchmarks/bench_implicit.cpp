// Implicit steps of finite elements: a heavy bar that is held at one end and let go, against a plain Newton twin and
// Bullet's implicit deformable bodies, all with one step a frame of 1/60 s.
#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <cmath>

#include "bars.h"
#include "bullet_implicit.h"
#include "plain_newton.h"
#include "section.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr double kStep = 1.0 / 60, kDensity = 1000, kPoisson = 0.3, kCell = 0.1;
constexpr double kTwinAccuracy = 1e-5, kExact = 1e-11;  // m

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

/// Root of the mean square of how far nodes are from those of the exact twin, of the length of the bar.
template <class Position>
double rms(const Bar& bar, const PlainNewton& exact, Position position)
{
    double sum = 0;
    for (std::size_t n = 0; n < bar.mesh.vertices.size(); ++n) {
        const Vec3d d = position(n) - exact.position(n);
        sum += dot(d, d);
    }
    const Vec3d size = bounds(bar.mesh.vertices).size();
    return std::sqrt(sum / double(bar.mesh.vertices.size())) / std::max({size.x, size.y, size.z});
}

nlohmann::json measure_bar(Int3 vertices, double young, int steps)
{
    const Bar bar(vertices, young);
    Scene one = bar.scene(1), two = bar.scene(2);
    PlainNewton twin = bar.twin(), exact = bar.twin();
    BulletImplicit bullet(bar.mesh, bar.model->masses(), float(lambda_of(young)), float(mu_of(young)), {0, -9.8f, 0},
                          bar.held);
    double one_s = 0, two_s = 0, twin_s = 0, bullet_s = 0;
    double worst = 0, plain_worst = 0, bullet_worst = 0;  // of the run
    int rounds = 0, solver_rounds = 0;
    const auto timed = [](double& sum, auto clock, auto work) {
        const double before = clock();
        work();
        sum += clock() - before;
    };
    const BodyState& state = one.state(one.bodies()[0]);
    const auto ours = [&](std::size_t n) { return state.positions[n].as<double>(); };
    const auto theirs = [&](std::size_t n) { return bullet.position(n).as<double>(); };
    for (int k = 0; k < steps; ++k) {  // in turns, so that a busy machine slows them all alike
        timed(one_s, thread_seconds, [&] {
            for (const StepReport& report : one.step())
                rounds += report.fem.newton_rounds, solver_rounds += report.fem.solver_rounds;
        });
        timed(two_s, process_seconds, [&] { two.step(); });
        timed(twin_s, thread_seconds, [&] { twin.step(kStep, kGravity, kTwinAccuracy); });
        timed(bullet_s, thread_seconds, [&] { bullet.step(kStep); });
        exact.step(kStep, kGravity, kExact);
        worst = std::max(worst, rms(bar, exact, ours));
        plain_worst = std::max(plain_worst, rms(bar, exact, [&](std::size_t n) { return twin.position(n); }));
        bullet_worst = std::max(bullet_worst, rms(bar, exact, theirs));
    }
    const auto tets = double(bar.mesh.tets.size());
    return {{"tets", bar.mesh.tets.size()},
            {"young", young},
            {"steps", steps},
            {"one_thread_ms", 1000 * one_s / steps},
            {"two_threads_ms", 1000 * two_s / steps},
            {"rounds", double(rounds) / steps},
            {"solver_rounds", double(solver_rounds) / steps},
            {"ns_per_tet_round", 1e9 * one_s / (tets * std::max(rounds, 1))},
            {"plain_ms", 1000 * twin_s / steps},
            {"plain_rounds", double(twin.rounds()) / steps},
            {"bullet_ms", 1000 * bullet_s / steps},
            {"plain_ratio", twin_s / one_s},
            {"bullet_ratio", bullet_s / one_s},
            {"share_of_real_time", two_s / steps / kStep},
            {"error", worst},
            {"plain_error", plain_worst},
            {"bullet_difference", bullet_worst}};
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
    const double error = rms(bar, exact, [&](std::size_t n) { return state.positions[n].as<double>(); });
    const bool same = one.hash() == two.hash();
    fmt::print("implicit: after 20 steps {:.2g} of the length from the plain twin (at most 1e-3), {} threads\n", error,
               same ? "the same for any number of" : "DIFFERENT FOR");
    return error < 1e-3 && same;
}

nlohmann::json measure(const BenchOptions& options)
{
    nlohmann::json rows;
    for (const double young : {1e6, 1e7}) rows.push_back(measure_bar({5, 5, 6}, young, 60));
    if (!options.quick) {
        rows.push_back(measure_bar({8, 8, 18}, 1e7, 60));
        rows.push_back(measure_bar({11, 11, 18}, 1e7, 30));
    }
    return rows;
}

void print(const nlohmann::json& measured)
{
    const auto number = [](const nlohmann::json& row, const char* key) { return row[key].get<double>(); };
    fmt::print(
        "Implicit steps of 1/60 s of a bar let go, ms a step; largest differences from the exact solution, of its "
        "length\n\n");
    fmt::print("{:>7} {:>8} | {:>8} {:>9} {:>7} {:>12} {:>9} {:>9} | {:>10} {:>11} {:>9} | {:>8} {:>8} {:>8}\n", "tets",
               "young", "1 thread", "2 threads", "rounds", "ns/tet/round", "plain", "Bullet", "plain/ours",
               "Bullet/ours", "real time", "ours", "plain", "Bullet");
    for (const nlohmann::json& r : measured)
        fmt::print(
            "{:>7} {:>8.0e} | {:>8.2f} {:>9.2f} {:>7.2f} {:>12.0f} {:>9.1f} {:>9.2f} | {:>9.1f}x {:>10.1f}x {:>8.2f}x "
            "| "
            "{:>8.1e} {:>8.1e} {:>8.1e}\n",
            r["tets"].get<int>(), number(r, "young"), number(r, "one_thread_ms"), number(r, "two_threads_ms"),
            number(r, "rounds"), number(r, "ns_per_tet_round"), number(r, "plain_ms"), number(r, "bullet_ms"),
            number(r, "plain_ratio"), number(r, "bullet_ratio"), number(r, "share_of_real_time"), number(r, "error"),
            number(r, "plain_error"), number(r, "bullet_difference"));
}

}  // namespace

extern const Section kImplicitSection;
const Section kImplicitSection{"implicit", check, measure, print};

}  // namespace yawara::bench
