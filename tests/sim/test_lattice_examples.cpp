// Examples on lattices whose regions differ in width: the same equations over other regions.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "bodies.h"
#include "example_twin.h"
#include "yawara/deform.h"

namespace yawara {
namespace {

Int3 common(Int3 a, Int3 b)
{
    return {std::min(a[0], b[0]), std::min(a[1], b[1]), std::min(a[2], b[2])};
}

/// What at most max(w) links reach from r inside the box of half-widths w, by breadth-first search over cells.
std::set<int> reached(const Lattice& lattice, const std::vector<std::set<int>>& links, int r, Int3 w)
{
    std::set<int> found{r}, edge{r};
    for (int hop = 0; hop < std::max({w[0], w[1], w[2]}); ++hop) {
        std::set<int> next;
        for (const int a : edge)
            for (const int b : links[std::size_t(a)]) {
                bool inside = true;
                for (std::size_t k = 0; k < 3; ++k)
                    inside &= std::abs(lattice.nodes[std::size_t(b)][k] - lattice.nodes[std::size_t(r)][k]) <= w[k];
                if (inside && found.insert(b).second) next.insert(b);
            }
        edge = std::move(next);
    }
    return found;
}

std::vector<std::vector<int>> member_lists(const Lattice& lattice, RegionRule rule, const std::vector<Int3>& reach)
{
    std::vector<std::set<int>> links(lattice.nodes.size());
    for (const Int8& cell : lattice.cells)
        for (const int a : cell)
            for (const int b : cell) links[std::size_t(a)].insert(b);
    std::vector<std::vector<int>> lists(links.size());
    for (std::size_t r = 0; r < lists.size(); ++r) {
        const Int3 own = reach[r];
        std::map<Int3, std::set<int>> by_width;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const Int3 w = rule == RegionRule::paper ? own : common(own, reach[i]);
            if (!by_width.contains(w)) by_width[w] = reached(lattice, links, int(r), w);
            if (by_width[w].contains(int(i))) lists[r].push_back(int(i));
        }
    }
    return lists;
}

/// A tuning fork: two prongs one cell apart on a block, which no region may cross; uneven masses and widths.
struct Fork {
    Lattice lattice;
    TetMesh points;  ///< the particles, without tets
    std::vector<double> masses;
    std::vector<Int3> reach;  ///< as in widths
    std::vector<float> alphas;
    Widths widths;
    ExampleSet set;

    explicit Fork(int examples, RegionRule rule = RegionRule::sharp)
    {
        std::vector<Int3> cells;
        for (int z = 0; z < 3; ++z)
            for (int y = 0; y < 9; ++y)
                for (int x = 0; x < 7; ++x)
                    if (x != 3 || y < 3) cells.push_back({x, y, z});
        lattice = make_lattice({}, 0.1, cells);
        std::mt19937 random(3);
        std::uniform_real_distribution<double> mass(0.5, 2.0), alpha(0.3, 1.0);
        std::uniform_int_distribution<int> width(0, 3);
        const Int3 reaches[] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {2, 1, 3}};
        widths.rule = rule;
        for (std::size_t i = 0; i < lattice.nodes.size(); ++i) {
            points.vertices.push_back(lattice.position(int(i)));
            masses.push_back(mass(random));
            reach.push_back(reaches[width(random)]);
            alphas.push_back(float(alpha(random)));
        }
        widths.reach = reach;
        widths.alphas = alphas;
        const std::vector<ExamplePose> all{
            {"twist", deformed(points.vertices, std::vector<Deformer>{Twist{1, 1.5, {}}, Stretch{1, 0.8, false, {}}})},
            {"bend", deformed(points.vertices, std::vector<Deformer>{Bend{1, 0, 1.0, {}}})},
            {"squash", deformed(points.vertices, std::vector<Deformer>{Stretch{1, 0.7, true, {}}})}};
        set.poses.assign(all.begin(), all.begin() + examples);
    }
    BodySpec spec() const
    {
        BodySpec spec;
        spec.solid = Matching{.domain = lattice, .widths = widths, .examples = set};
        spec.particle_masses = masses;
        return spec;
    }
    ExampleTwin twin() const
    {
        ExampleTwin twin;
        twin.mesh = points, twin.masses = masses, twin.set = set;
        twin.members = member_lists(lattice, widths.rule, reach);
        for (const std::vector<int>& list : twin.members)
            twin.counts.push_back(widths.rule == RegionRule::sharp ? 1.0 / double(list.size()) : 1.0);
        twin.alphas.assign(alphas.begin(), alphas.end());
        twin.prepare();
        return twin;
    }
};

/// Every region is to be shorter along y.
class Shorten : public StretchLayer {
public:
    void target(double, std::span<Sym3> wanted) const override
    {
        for (Sym3& t : wanted) t = {1, 0.8f, 1, 0, 0, 0};
    }
};

/// The lively fork and its twin, side by side; how far apart they are at last, and their weights on the way.
struct Difference {
    double positions = 0, weights = 0;
};
Difference run_beside_twin(const Fork& fork, const StretchLayers& layers, int steps)
{
    ExampleTwin twin = fork.twin();
    if (!layers.empty()) twin.layer = ExampleTwin::V(1, double(0.8f), 1).asDiagonal();
    BodySpec spec = fork.spec();
    std::get<Matching>(spec.solid).stretch = layers;
    const BodyModel model = build(std::move(spec)).value();
    SceneSettings settings;
    settings.dt = twin.h;
    settings.substeps = 1;
    Scene scene(settings);
    scene.add(model, {});
    for (std::size_t i = 0; i < twin.v.size(); ++i) {
        twin.v[i] = {3 * twin.x[i].y(), -4 * twin.x[i].y(), std::sin(4 * twin.x[i].y())};
        scene.state(scene.bodies()[0]).velocities[i] = {float(twin.v[i].x()), float(twin.v[i].y()),
                                                        float(twin.v[i].z())};
    }
    Difference most;
    for (int step = 0; step < steps; ++step) {
        if (step % 20 == 0) {
            const std::vector<float> weights = example_weights(model, scene.state(scene.bodies()[0]));
            twin.goals(twin.x);
            const std::size_t width = twin.weights[0].size();
            REQUIRE(weights.size() == twin.weights.size() * width);
            for (std::size_t g = 0; g < twin.weights.size(); ++g)
                for (std::size_t k = 0; k < width; ++k)
                    most.weights =
                        std::max(most.weights, std::abs(twin.weights[g][k] - double(weights[g * width + k])));
        }
        scene.substep();
        twin.step();
    }
    for (std::size_t i = 0; i < twin.x.size(); ++i) {
        const Vec3 p = scene.state(scene.bodies()[0]).positions[i];
        most.positions = std::max(most.positions, (twin.x[i] - ExampleTwin::V(p.x, p.y, p.z)).norm());
    }
    return most;
}

}  // namespace

TEST_CASE("examples on a lattice of mixed widths follow the equations in double over lists of the same widths")
{
    struct Variant {
        ExampleSet (*choices)(ExampleSet);
        RegionRule rule;
        int groups;  // 0: each region
        int examples;
        bool layer;
    };
    constexpr auto best = +[](ExampleSet set) { return set; };
    for (const Variant& variant :
         {Variant{best, RegionRule::sharp, 1, 1, false}, Variant{best, RegionRule::sharp, 2, 3, false},
          Variant{best, RegionRule::sharp, 0, 2, false}, Variant{best, RegionRule::sharp, 1, 2, true},
          Variant{best, RegionRule::paper, 1, 2, false}, Variant{paper_variant, RegionRule::sharp, 1, 2, false}}) {
        Fork fork(variant.examples, variant.rule);
        fork.set = variant.choices(fork.set);
        fork.set.each_region = variant.groups == 0;
        if (variant.groups == 2) fork.set.groups = [](Vec3d p) { return p.x > 0.35; };
        StretchLayers layers;
        if (variant.layer) layers.push_back(std::make_shared<Shorten>());
        const Difference apart = run_beside_twin(fork, layers, 60);
        CAPTURE(int(variant.rule));
        CAPTURE(variant.groups);
        CAPTURE(variant.examples);
        CAPTURE(variant.layer);
        CHECK(apart.positions < 1e-3 * 0.9);
        // Single regions that an example hardly touches have weights that say nothing, [Examples] 11.9.
        if (variant.groups != 0) CHECK(apart.weights < 2e-3);
    }
}

TEST_CASE("an example of a lattice with mixed widths, moved and turned, has all the weight")
{
    const Fork fork(3);
    const BodyModel model = build(fork.spec()).value();
    BodyState state = initial_state(model);
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < state.positions.size(); ++i)
            state.positions[i] =
                (rotation(Vec3d{1, 2, 0.5}, 1.2) * fork.set.poses[k].positions[i] + Vec3d{3, 1, -2}).as<float>();
        CHECK(example_weights(model, state)[k + 1] == doctest::Approx(1).epsilon(1e-3));
    }
}

TEST_CASE("a lattice that becomes stiffer while it runs measures its examples by its new widths")
{
    Fork fork(2);
    fork.widths = {};
    fork.widths.rigid = 2;  // none
    std::vector<float> soft, stiff;
    for (const Vec3d& p : fork.points.vertices) {
        soft.push_back(0.2f);
        stiff.push_back(p.y < 0.35 ? 0.6f : 0.2f);
    }
    const auto run = [&](const std::vector<float>& built, const std::vector<float>& now) {
        fork.widths.stiffness = built;
        Scene scene(test::weightless());
        BodySettings settings;
        settings.matching.beta = 0.9f;
        scene.add(build(fork.spec()).value(), settings);
        BodyState& state = scene.state(scene.bodies()[0]);
        state.matching.stiffness = now;
        for (std::size_t i = 0; i < state.positions.size(); ++i)
            state.positions[i] = (fork.points.vertices[i] * 0.5 + fork.set.poses[0].positions[i] * 0.5).as<float>();
        std::vector<float> weights = example_weights(scene.model(scene.bodies()[0]), scene.state(scene.bodies()[0]));
        for (int step = 0; step < 20; ++step) scene.substep();
        return std::pair(scene.state(scene.bodies()[0]).positions, weights);
    };
    CHECK(run(soft, stiff) == run(stiff, stiff));
    CHECK(run(stiff, soft) == run(soft, soft));
    CHECK(run(soft, soft).second != run(stiff, stiff).second);
}

TEST_CASE("what mixed widths cannot do is refused or reported with the reason")
{
    Fork fork(1);
    CHECK(build(fork.spec()).value().warnings().size() == 1);  // coarse: the twist keeps much of its energy
    CHECK(build(fork.spec()).value().warnings()[0].find("% of its energy") != std::string::npos);
    fork.set.goal = ExampleGoal::offsets;
    CHECK(build(fork.spec()).error().message().find("want offsets or joint rotations") != std::string::npos);
    fork.set.goal = ExampleGoal::affine;
    CHECK(build(fork.spec()).value().warnings().empty());
    fork.set.rotation = ExampleRotation::joint;
    CHECK(build(fork.spec()).error().message().find("want offsets or joint rotations") != std::string::npos);
}

TEST_CASE("threads do not change a bit of a lattice with examples")
{
    std::uint64_t hash = 0;
    for (const int threads : {1, 2, 4}) {
        SceneSettings settings = test::weightless();
        settings.threads = threads;
        Scene scene(settings);
        const Fork fork(2);
        scene.add(build(fork.spec()).value(), {});
        for (std::size_t i = 0; i < fork.masses.size(); ++i)
            scene.state(scene.bodies()[0]).positions[i] = fork.set.poses[1].positions[i].as<float>();
        for (int step = 0; step < 30; ++step) scene.substep();
        if (threads == 1) hash = scene.hash();
        CHECK(scene.hash() == hash);
    }
}

}  // namespace yawara
