// The matching step against its plain twin and against Bullet, on bars of three sizes.
#include <fmt/format.h>

#include <algorithm>

#include "bars.h"
#include "bullet_matching.h"
#include "plain_matching.h"
#include "same_motion.h"
#include "section.h"
#include "stopwatch.h"
#include "table.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr float kDt = 1.0f / 300.0f;

struct MatchingRow {
    int vertices = 0, tets = 0;
    double one_thread = 0, two_threads = 0, plain = 0, bullet = 0;  ///< ns per vertex and step
};

/// One body, alpha 1, one pass, no damping, no gravity, no contact.
Scene lively_scene(const TetMesh& mesh, int threads)
{
    SceneSettings settings;
    settings.dt = double(kDt);
    settings.substeps = 1;
    settings.gravity = {};
    settings.threads = threads;
    Scene scene(settings);
    BodySpec spec;
    spec.solid = Matching{mesh};
    spec.particle_masses.assign(mesh.vertices.size(), 1.0);
    spec.surface.vertices = {mesh.vertices[0]};  // nothing to draw
    BodySettings body;
    body.matching.damping = 0;
    scene.add(build(std::move(spec)).value(), body);
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        scene.state(scene.bodies()[0]).velocities[i] = lively_velocity(mesh.vertices[i], box);
    return scene;
}

PlainMatching lively_plain(const TetMesh& mesh)
{
    PlainMatching plain(mesh);
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3 v = lively_velocity(mesh.vertices[i], box);
        plain.particles[i].velocity = {v.x, v.y, v.z};
    }
    return plain;
}

MatchingRow bench_bar(Int3 size, double seconds)
{
    const TetMesh mesh = six_tet_bar(size);
    Scene one = lively_scene(mesh, 1), two = lively_scene(mesh, 2);
    PlainMatching plain = lively_plain(mesh);
    BulletMatching bullet(mesh);
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        bullet.set_velocity(i, lively_velocity(mesh.vertices[i], box));

    // Several steps in a row, as in use: what the rival before left in the caches does not count.
    const int repeat = std::max(2, int(200000 / mesh.vertices.size()));
    const auto times = [repeat](const auto& work) {
        return [repeat, &work] {
            for (int k = 0; k < repeat; ++k) work();
        };
    };
    const auto step_one = [&] { one.substep(); };
    const auto step_two = [&] { two.substep(); };
    const auto step_plain = [&] { plain.step(kDt); };
    const auto step_bullet = [&] { bullet.step(kDt); };
    std::vector<Rival> rivals{{"one", times(step_one)},
                              {"two", times(step_two)},
                              {"plain", times(step_plain)},
                              {"bullet", times(step_bullet)}};
    race(rivals, seconds);
    const double to_ns = 1e9 / double(mesh.vertices.size()) / repeat;
    return {int(mesh.vertices.size()), int(mesh.tets.size()),     rivals[0].seconds * to_ns,
            rivals[1].seconds * to_ns, rivals[2].seconds * to_ns, rivals[3].seconds * to_ns};
}

std::vector<MatchingRow> bench_bars(bool large, double seconds)
{
    std::vector<MatchingRow> rows{bench_bar({7, 7, 25}, seconds), bench_bar({20, 20, 50}, seconds)};
    if (large) rows.push_back(bench_bar({40, 50, 100}, 2 * seconds));
    return rows;
}

bool check()
{
    const TetMesh mesh = six_tet_bar({7, 7, 25});
    Scene one = lively_scene(mesh, 1), two = lively_scene(mesh, 2);
    PlainMatching plain = lively_plain(mesh);
    for (int step = 0; step < 50; ++step) {
        one.substep();
        two.substep();
        plain.step(kDt);
    }
    const auto twin = [&](std::size_t i) { return plain.particles[i].position; };
    return same_motion("matching", one, two, twin, bounds(mesh.vertices).size().z, "of the length", 1e-4);
}

nlohmann::json measure(const BenchOptions& options)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const MatchingRow& r : bench_bars(!options.quick, options.seconds))
        rows.push_back({{"vertices", r.vertices},
                        {"tets", r.tets},
                        {"one_thread", r.one_thread},
                        {"two_threads", r.two_threads},
                        {"plain", r.plain},
                        {"bullet", r.bullet},
                        {"plain_ratio", r.plain / r.one_thread},
                        {"bullet_ratio", r.bullet / r.one_thread},
                        {"two_threads_ratio", r.one_thread / r.two_threads}});
    return {{"unit", "ns per vertex and step"}, {"rows", rows}};
}

void print(const nlohmann::json& measured)
{
    const nlohmann::json& rows = measured["rows"];
    const auto number = [](const nlohmann::json& row, const char* key) { return row[key].get<double>(); };
    fmt::print("Matching step, one pass, alpha 1, no contact; ns per vertex and step\n\n");
    std::vector<std::vector<std::string>> lines;
    for (const nlohmann::json& r : rows)
        lines.push_back({std::to_string(r["vertices"].get<int>()), std::to_string(r["tets"].get<int>()),
                         cell(number(r, "one_thread"), 1), cell(number(r, "two_threads"), 1),
                         cell(number(r, "plain"), 0), cell(number(r, "bullet"), 0),
                         cell(number(r, "plain_ratio"), 1, "x"), cell(number(r, "bullet_ratio"), 1, "x"),
                         cell(number(r, "two_threads_ratio"), 2, "x")});
    print_table({{"vertices"},
                 {"tets"},
                 {"1 thread", true},
                 {"2 threads"},
                 {"plain"},
                 {"Bullet"},
                 {"plain/ours", true},
                 {"Bullet/ours"},
                 {"2 threads"}},
                lines);
    fmt::print("\ncost per vertex, {} against {} vertices: {:.2f}x\n", rows.back()["vertices"].get<int>(),
               rows.front()["vertices"].get<int>(),
               number(rows.back(), "one_thread") / number(rows.front(), "one_thread"));
}

}  // namespace

extern const Section kMatchingSection;
const Section kMatchingSection{"matching", check, measure, print};

}  // namespace yawara::bench
