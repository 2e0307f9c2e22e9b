// The force loop of finite elements against its plain twin and Bullet's deformable forces, and adaptive steps against
// full resolution.
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <time.h>

#include <algorithm>
#include <cmath>

#include "bars.h"
#include "bullet_fem.h"
#include "fem_bar.h"
#include "plain_fem.h"
#include "section.h"
#include "stopwatch.h"
#include "yawara/yawara.h"

namespace yawara::bench {

namespace {

constexpr double kLambda = 1000, kMu = 700;

struct ForceRow {
    int tets = 0;
    double one_thread = 0, two_threads = 0, anisotropic = 0, plain = 0, bullet = 0;  ///< ns per tet
};

struct AdaptiveRow {
    std::string name;
    int finest_tets = 0;
    double mean_active = 0;
    double adaptive_ms = 0, full_ms = 0;  ///< a frame
    double difference = 0;                ///< largest rms of the positions, of the body's size
};

ForceRow bench_size(Int3 vertices, double seconds)
{
    const TetMesh mesh = six_tet_bar(vertices);
    FemBar iso(mesh, isotropic_lame(kLambda, kMu)), aniso(mesh, wood_across());
    PlainFem plain(mesh, isotropic_lame(kLambda, kMu), true);
    BulletFem bullet(mesh, float(kLambda), float(kMu));
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3 p = bent(mesh.vertices[i], box);
        plain.positions[i] = {p.x, p.y, p.z};
        bullet.set_position(i, p);
    }
    tbb::task_arena one(1), two(2);
    // So long in a row that to wake the second thread does not count.
    const int repeat = std::max(8, int(3200000 / mesh.tets.size()));
    const auto times = [repeat](const auto& work) {
        return [repeat, &work] {
            for (int k = 0; k < repeat; ++k) work();
        };
    };
    const auto on_one = [&] { one.execute([&] { iso.evaluate(); }); };
    const auto on_two = [&] { two.execute([&] { iso.evaluate(); }); };
    const auto on_aniso = [&] { one.execute([&] { aniso.evaluate(); }); };
    const auto on_plain = [&] { plain.evaluate(); };
    const auto on_bullet = [&] { bullet.evaluate(); };
    std::vector<Rival> rivals{{"one", times(on_one)},
                              {"two", times(on_two)},
                              {"anisotropic", times(on_aniso)},
                              {"plain", times(on_plain)},
                              {"bullet", times(on_bullet)}};
    race(rivals, seconds);
    const double to_ns = 1e9 / double(mesh.tets.size()) / repeat;
    return {int(mesh.tets.size()),     rivals[0].seconds * to_ns, rivals[1].seconds * to_ns,
            rivals[2].seconds * to_ns, rivals[3].seconds * to_ns, rivals[4].seconds * to_ns};
}

double thread_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// A scene stepped twice: adaptive, and with all tets at the finest level.
struct Pair {
    Scene adaptive, full;
};

AdaptiveRow run_pair(const std::string& name, Pair pair, int frames, int rounds)
{
    AdaptiveRow row;
    row.name = name;
    pair.full.body_settings(pair.full.bodies()[0]).fem.refinement = Refinement::full;
    const BodyModel& model = pair.adaptive.model(pair.adaptive.bodies()[0]);
    row.finest_tets = int(std::get<TetMesh>(model.domain()).tets.size());
    const Vec3d extent = bounds(model.rest_positions()).size();
    const double size = std::max({extent.x, extent.y, extent.z});
    double mass = 0;
    for (const double m : model.masses()) mass += m;

    struct Run {
        double ms = 1e30;  ///< a frame, in the best round
        double active = 0;
        std::vector<std::vector<Vec3>> positions;  ///< of every frame
    } adaptive, full;
    const auto time_run = [&](Scene& scene, Run& run) {
        const BodyState start = scene.state(scene.bodies()[0]);
        run.positions.clear();
        run.active = 0;
        double seconds = 0, before = 0;
        play(scene, std::size_t(frames), [&](const PlayedFrame& frame) {
            if (frame.number > 0) {
                // One thread: its own time, which does not count what else the machine does.
                seconds += thread_seconds() - before;
                run.active += double(frame.reports[0].fem.active_tets) / frames;
                run.positions.push_back(scene.state(scene.bodies()[0]).positions);
            }
            before = thread_seconds();
            return true;
        });
        run.ms = std::min(run.ms, seconds * 1000 / frames);
        scene.state(scene.bodies()[0]) = start;
    };
    // In a row, as a scene is played: what one of them leaves in the caches is not what the other wants.
    constexpr int kInRow = 4;
    for (int round = 0; round < rounds; ++round) {
        for (int k = 0; k < kInRow; ++k) time_run(pair.adaptive, adaptive);
        for (int k = 0; k < kInRow; ++k) time_run(pair.full, full);
    }
    row.adaptive_ms = adaptive.ms, row.full_ms = full.ms, row.mean_active = adaptive.active;
    for (std::size_t frame = 0; frame < std::size_t(frames); ++frame) {
        double squares = 0;
        for (std::size_t i = 0; i < model.masses().size(); ++i) {
            const Vec3d d = (adaptive.positions[frame][i] - full.positions[frame][i]).as<double>();
            squares += model.masses()[i] * dot(d, d);
        }
        row.difference = std::max(row.difference, std::sqrt(squares / mass) / size);
    }
    return row;
}

BodyModel tet_model()
{
    const double h = std::sqrt(3.0) / 2, k = std::sqrt(2.0 / 3);
    Fem spec;
    spec.mesh = {{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}, {0.5, h / 3, k}}, {{0, 1, 2, 3}}, {}};
    spec.levels = 3;
    spec.material = [](const MaterialPlace&) {
        return FemMaterial{isotropic_lame(0.419e-2, 0.516e-2), isotropic_lame(0.419e-7, 1.44e-7), 0.5e-5};
    };
    BodySpec body;
    body.solid = std::move(spec);
    return build(std::move(body)).value();
}

BodyModel block_model()
{
    Fem spec;
    spec.mesh = make_bar({2, 1, 1}, {12, 6, 6});
    spec.levels = 2;
    spec.material = [](const MaterialPlace&) {
        const Elasticity rubber = isotropic(40000, 0.3).value();
        return FemMaterial{rubber, rubber * 0.001, 1000};
    };
    BodySpec body;
    body.solid = std::move(spec);
    return build(std::move(body)).value();
}

std::vector<ForceRow> bench_fem_forces(bool large, double seconds)
{
    std::vector<ForceRow> rows{bench_size({5, 5, 6}, seconds), bench_size({8, 8, 18}, seconds)};
    if (large) rows.push_back(bench_size({21, 21, 43}, 2 * seconds));
    return rows;
}

std::vector<AdaptiveRow> bench_fem_adaptive()
{
    std::vector<AdaptiveRow> rows;
    {
        const BodyModel model = tet_model();
        const auto scene = [&] {
            // From rest to a speed of 1 m/s, and 0.16 s of impact and bounce.
            Scene s({.dt = 1.0 / 60, .substeps = 1, .threads = 1});
            s.add(Collider{.friction = 0, .restitution = 1});
            const Mat3d turn = rotation(Vec3d{0.9, 0.2, 0.4}, 1.3);
            double lowest = 1e9;
            for (const Vec3d& p : model.rest_positions()) lowest = std::min(lowest, (turn * p).y);
            BodySettings settings;
            settings.fem.tolerance = 3.4e-3;  // an rms difference below a hundredth of the edge
            s.add(model, settings, {.turn = turn, .move = {0, 0.051 - lowest, 0}});
            return s;
        };
        rows.push_back(run_pair("falling tet", {scene(), scene()}, 16, 10));
    }
    {
        const BodyModel model = block_model();
        const auto scene = [&] {
            Scene s({.dt = 1.0 / 60, .substeps = 1, .gravity = {}, .threads = 1});
            BodySettings settings;
            settings.fem.tolerance = 4e-3;
            const BodyId id = s.add(model, settings);
            Grip floor;
            Push hit;
            const auto rest = model.rest_positions();
            for (std::size_t i = 0; i < rest.size(); ++i) {
                if (rest[i].y < 1e-6) {
                    floor.particles.push_back(std::int32_t(i));
                    floor.targets.push_back(rest[i].as<float>());
                }
                if (length(rest[i] - Vec3d{0.3, 1, 0.5}) < 0.15) hit.particles.push_back(std::int32_t(i));
            }
            hit.acceleration = {0, -60, 0};
            s.grips(id).push_back(floor);
            s.pushes(id).push_back(hit);
            return s;
        };
        rows.push_back(run_pair("local hit", {scene(), scene()}, 6, 1));
    }
    return rows;
}

/// Results only: the force loop against its twin, and one thread against two.
bool check()
{
    constexpr double kTolerance = 1e-4;
    double worst = 0, between_threads = 0;
    const TetMesh mesh = six_tet_bar({8, 8, 18});
    const Box3 box = bounds(mesh.vertices);
    for (const bool isotropic : {true, false}) {
        const Elasticity elasticity = isotropic ? isotropic_lame(kLambda, kMu) : wood_across();
        FemBar subject(mesh, elasticity);
        PlainFem plain(mesh, elasticity, isotropic);
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            const Vec3 p = bent(mesh.vertices[i], box);
            plain.positions[i] = {p.x, p.y, p.z};
        }
        plain.evaluate();
        tbb::task_arena one(1), two(2);
        one.execute([&] { subject.evaluate(); });
        const fem::Nodal first = subject.f;
        two.execute([&] { subject.evaluate(); });
        double error = 0, scale = 0;
        for (std::size_t k = 0; k < subject.front.used.size(); ++k) {
            const Eigen::Vector3f& p = plain.forces[std::size_t(subject.front.used[k])];
            error = std::max(error, double(length(fem::get(first, k) - Vec3{p.x(), p.y(), p.z()})));
            scale = std::max(scale, double(p.norm()));
            between_threads = std::max(between_threads, double(length(fem::get(first, k) - fem::get(subject.f, k))));
        }
        worst = std::max(worst, error / scale);
    }
    fmt::print(
        "finite elements: fast and plain forces differ by {:.2g} of the largest (at most {:.0e}), one and two threads "
        "by {}\n",
        worst, kTolerance, between_threads);
    return worst < kTolerance && between_threads == 0;
}

nlohmann::json measure(const BenchOptions& options)
{
    nlohmann::json out;
    for (const ForceRow& r : bench_fem_forces(!options.quick, options.seconds))
        out["forces"].push_back({{"tets", r.tets},
                                 {"one_thread", r.one_thread},
                                 {"two_threads", r.two_threads},
                                 {"anisotropic", r.anisotropic},
                                 {"plain", r.plain},
                                 {"bullet", r.bullet},
                                 {"plain_ratio", r.plain / r.one_thread},
                                 {"bullet_ratio", r.bullet / r.one_thread},
                                 {"anisotropic_ratio", r.anisotropic / r.one_thread},
                                 {"two_threads_ratio", r.one_thread / r.two_threads}});
    for (const AdaptiveRow& r : bench_fem_adaptive())
        out["adaptive"].push_back({{"scene", r.name},
                                   {"finest_tets", r.finest_tets},
                                   {"mean_active", r.mean_active},
                                   {"adaptive_ms", r.adaptive_ms},
                                   {"full_ms", r.full_ms},
                                   {"ratio", r.full_ms / r.adaptive_ms},
                                   {"rms", r.difference}});
    return out;
}

void print(const nlohmann::json& measured)
{
    const auto number = [](const nlohmann::json& row, const char* key) { return row[key].get<double>(); };
    fmt::print("Forces of finite elements, isotropic unless said; ns per tet\n\n");
    fmt::print("{:>9} | {:>8} {:>9} {:>10} {:>8} {:>8} | {:>11} {:>12} {:>9} {:>9}\n", "tets", "1 thread", "2 threads",
               "21 numbers", "plain", "Bullet", "plain/ours", "Bullet/ours", "21/ours", "2 threads");
    for (const nlohmann::json& r : measured["forces"])
        fmt::print(
            "{:>9} | {:>8.1f} {:>9.1f} {:>10.1f} {:>8.1f} {:>8.0f} | {:>10.1f}x {:>11.1f}x {:>8.2f}x {:>8.2f}x\n",
            r["tets"].get<int>(), number(r, "one_thread"), number(r, "two_threads"), number(r, "anisotropic"),
            number(r, "plain"), number(r, "bullet"), number(r, "plain_ratio"), number(r, "bullet_ratio"),
            number(r, "anisotropic_ratio"), number(r, "two_threads_ratio"));
    fmt::print("\nAdaptive against full resolution, one thread; ms a frame of 1/60 s, the best of several rounds\n\n");
    fmt::print("{:>12} {:>12} {:>12} | {:>9} {:>9} {:>7} | {:>16}\n", "scene", "finest tets", "mean active", "adaptive",
               "full", "ratio", "rms of the size");
    for (const nlohmann::json& r : measured["adaptive"])
        fmt::print("{:>12} {:>12} {:>12.0f} | {:>9.3f} {:>9.3f} {:>6.1f}x | {:>16.4f}\n", r["scene"].get<std::string>(),
                   r["finest_tets"].get<int>(), number(r, "mean_active"), number(r, "adaptive_ms"),
                   number(r, "full_ms"), number(r, "ratio"), number(r, "rms"));
}

}  // namespace

extern const Section kFemSection;
const Section kFemSection{"fem", check, measure, print};

}  // namespace yawara::bench
