// The step with examples against the plain matching step, against its own plain twin, and beside the paper's table.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bars.h"
#include "plain_examples.h"
#include "same_motion.h"
#include "section.h"
#include "stopwatch.h"
#include "yawara/deform.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr float kDt = 1.0f / 300.0f, kBeta = 0.9f;

/// ms per step at the paper's sizes, one example, one group.
struct ExampleTableRow {
    std::string model;
    int vertices = 0;
    double plain = 0, with_examples = 0;
    double paper_plain = 0, paper_projection = 0, paper_total = 0;
};

/// ns per vertex and step on a bar of 20,000.
struct ExampleCosts {
    double plain = 0;       ///< no examples
    double one = 0;         ///< one example, one group
    double one_fitted = 0;  ///< the same with the rotation of the paper: projection alone, no second rotation
    double three = 0;       ///< three examples, one group
    double three_each = 0;  ///< three examples, every region its own group
    double twin = 0;        ///< three examples, one group, plain Eigen
};

struct ExamplesBench {
    std::vector<ExampleTableRow> table;
    ExampleCosts costs;
};

ExampleSet examples_of(const TetMesh& mesh, int count, bool each_region)
{
    const std::vector<std::vector<Deformer>> all{
        {Twist{2, 2.0, {}}, Stretch{2, 0.8, false, {}}}, {Bend{2, 0, 1.2, {}}}, {Stretch{2, 0.7, true, {}}}};
    ExampleSet set;
    for (int k = 0; k < count; ++k) set.poses.push_back({"pose", deformed(mesh.vertices, all[std::size_t(k)])});
    set.each_region = each_region;
    set.goal = ExampleGoal::affine;
    return set;
}

/// One lively body on one thread: no damping, no gravity, no contact.
Scene lively_scene(const TetMesh& mesh, const ExampleSet& examples, int threads = 1)
{
    SceneSettings settings;
    settings.dt = double(kDt);
    settings.substeps = 1;
    settings.gravity = {};
    settings.threads = threads;
    Scene scene(settings);
    BodySpec spec;
    Matching& solid = std::get<Matching>(spec.solid);
    solid.domain = mesh;
    solid.stretch = {yawara::examples(examples)};
    spec.particle_masses.assign(mesh.vertices.size(), 1.0);
    spec.surface.vertices = {mesh.vertices[0]};  // nothing to draw
    BodySettings body;
    body.matching.damping = 0;
    body.matching.beta = kBeta;
    scene.add(build(std::move(spec)).value(), body);
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        scene.state(scene.bodies()[0]).velocities[i] = lively_velocity(mesh.vertices[i], box);
    return scene;
}

PlainExamples lively_twin(const TetMesh& mesh, const ExampleSet& examples)
{
    PlainExamples twin(mesh, examples);
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3 v = lively_velocity(mesh.vertices[i], box);
        twin.body.particles[i].velocity = {v.x, v.y, v.z};
    }
    return twin;
}

ExamplesBench bench_all(double seconds)
{
    ExamplesBench bench;
    struct Model {
        const char* name;
        Int3 size;
        double plain, projection, total;  // ms, [Examples] table 1
    };
    for (const Model& model :
         {Model{"square bar", {7, 7, 25}, 1.5, 0.17, 2.2}, Model{"tube", {9, 9, 25}, 6.7, 0.89, 8.6},
          Model{"teddy", {8, 10, 16}, 4.6, 0.57, 5.5}, Model{"car", {7, 9, 19}, 1.4, 0.14, 1.8}}) {
        const TetMesh mesh = six_tet_bar(model.size);
        Scene plain = lively_scene(mesh, {}), with = lively_scene(mesh, examples_of(mesh, 1, false));
        constexpr int kRepeat = 100;
        std::vector<Rival> rivals{{"plain",
                                   [&] {
                                       for (int k = 0; k < kRepeat; ++k) plain.substep();
                                   }},
                                  {"with", [&] {
                                       for (int k = 0; k < kRepeat; ++k) with.substep();
                                   }}};
        race(rivals, seconds / 6);
        bench.table.push_back({model.name, int(mesh.vertices.size()), 1e3 * rivals[0].seconds / kRepeat,
                               1e3 * rivals[1].seconds / kRepeat, model.plain, model.projection, model.total});
    }
    const TetMesh mesh = six_tet_bar({20, 20, 50});
    Scene plain = lively_scene(mesh, {}), one = lively_scene(mesh, examples_of(mesh, 1, false));
    ExampleSet paper = examples_of(mesh, 1, false);
    paper.rotation = ExampleRotation::fitted;
    Scene fitted = lively_scene(mesh, paper);
    Scene three = lively_scene(mesh, examples_of(mesh, 3, false)),
          each = lively_scene(mesh, examples_of(mesh, 3, true));
    PlainExamples twin = lively_twin(mesh, examples_of(mesh, 3, false));
    constexpr int kRepeat = 8;
    const auto times = [](auto& scene) {
        return [&scene] {
            for (int k = 0; k < kRepeat; ++k) scene.substep();
        };
    };
    std::vector<Rival> rivals{{"plain", times(plain)},
                              {"one", times(one)},
                              {"fitted", times(fitted)},
                              {"three", times(three)},
                              {"each", times(each)},
                              {"twin", [&] {
                                   for (int k = 0; k < kRepeat; ++k) twin.step(kDt, kBeta);
                               }}};
    race(rivals, seconds);
    const double to_ns = 1e9 / double(mesh.vertices.size()) / kRepeat;
    bench.costs = {rivals[0].seconds * to_ns, rivals[1].seconds * to_ns, rivals[2].seconds * to_ns,
                   rivals[3].seconds * to_ns, rivals[4].seconds * to_ns, rivals[5].seconds * to_ns};
    return bench;
}

bool check()
{
    const TetMesh mesh = six_tet_bar({7, 7, 25});
    const ExampleSet examples = examples_of(mesh, 3, false);
    Scene one = lively_scene(mesh, examples, 1), two = lively_scene(mesh, examples, 2);
    PlainExamples plain = lively_twin(mesh, examples);
    for (int step = 0; step < 30; ++step) {
        one.substep();
        two.substep();
        plain.step(kDt, kBeta);
    }
    const auto twin = [&](std::size_t i) { return plain.body.particles[i].position; };
    return same_motion("examples", one, two, twin, bounds(mesh.vertices).size().z, "of the length", 1e-3);
}

nlohmann::json measure(const BenchOptions& options)
{
    const ExamplesBench bench = bench_all(options.seconds);
    nlohmann::json table = nlohmann::json::array();
    for (const ExampleTableRow& r : bench.table)
        table.push_back({{"model", r.model},
                         {"vertices", r.vertices},
                         {"plain_ms", r.plain},
                         {"with_examples_ms", r.with_examples},
                         {"paper_plain_ms", r.paper_plain},
                         {"paper_projection_ms", r.paper_projection},
                         {"paper_total_ms", r.paper_total}});
    const ExampleCosts& c = bench.costs;
    return {{"table_1", table},
            {"vertices", 20000},
            {"unit", "ns per vertex and step"},
            {"plain", c.plain},
            {"one_example", c.one},
            {"one_example_fitted", c.one_fitted},
            {"three_examples", c.three},
            {"three_examples_each_region", c.three_each},
            {"three_examples_twin", c.twin},
            {"one_example_adds", c.one / c.plain - 1},
            {"projection_adds", c.one_fitted / c.plain - 1},
            {"three_each_region_adds", c.three_each / c.plain - 1},
            {"twin_ratio", c.twin / c.three}};
}

void print(const nlohmann::json& measured)
{
    const auto number = [](const nlohmann::json& row, const char* key) { return row[key].get<double>(); };
    fmt::print("Examples: the paper's table 1 beside ours, ms per step, one example, one thread\n\n");
    fmt::print("{:>11} {:>9} | {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8}\n", "model", "vertices", "t_sm", "t_proj", "t_tot",
               "paper", "t_proj", "t_tot");
    for (const nlohmann::json& r : measured["table_1"])
        fmt::print("{:>11} {:>9} | {:>8.3f} {:>8.3f} {:>8.3f} | {:>8.2f} {:>8.2f} {:>8.2f}\n",
                   r["model"].get<std::string>(), r["vertices"].get<int>(), number(r, "plain_ms"),
                   number(r, "with_examples_ms") - number(r, "plain_ms"), number(r, "with_examples_ms"),
                   number(r, "paper_plain_ms"), number(r, "paper_projection_ms"), number(r, "paper_total_ms"));
    fmt::print("\n20,000 vertices, ns per vertex and step\n\n");
    const double plain = number(measured, "plain");
    const auto line = [&](const char* what, const char* key) {
        fmt::print("{:>55} {:>7.1f}  {:+.0f} %\n", what, number(measured, key),
                   100 * (number(measured, key) / plain - 1));
    };
    line("plain matching", "plain");
    line("one example, one group, paper's rotation", "one_example_fitted");
    line("one example, one group", "one_example");
    line("three examples, one group", "three_examples");
    line("three examples, each region its own", "three_examples_each_region");
    fmt::print("{:>55} {:>7.1f}  {:.1f} times ours\n", "plain Eigen twin of three examples, one group",
               number(measured, "three_examples_twin"), number(measured, "twin_ratio"));
}

}  // namespace

extern const Section kExamplesSection;
const Section kExamplesSection{"examples", check, measure, print};

}  // namespace yawara::bench
