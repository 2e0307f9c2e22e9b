#include "yawara/cvg.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "cvg/settle_surface.h"

using namespace yawara;
using namespace yawara::cvg;

namespace {

Leaf ball(double radius, float stiffness, Vec3d at = {}, float opacity = 1)
{
    Leaf leaf;
    leaf.shape = Ball{radius};
    leaf.inside = {opacity, 1, 0, 0, stiffness};
    leaf.transform.translate = at;
    return leaf;
}
Leaf cube(double side, float stiffness, Vec3d at = {}, float opacity = 1)
{
    Leaf leaf;
    leaf.shape = Block{{side, side, side}};
    leaf.inside = {opacity, 0, 0, 1, stiffness};
    leaf.transform.translate = at;
    return leaf;
}

/// The tables of the appendix written once more, channel by channel, in double.
double max2(double a, double b)
{
    return a >= b ? a : b;
}
double min2(double a, double b)
{
    return a <= b ? a : b;
}

std::array<double, 5> by_the_book(Operator op, const std::array<double, 5>& a, const std::array<double, 5>& b)
{
    std::array<double, 5> out{};
    for (std::size_t k = 0; k < 5; ++k) {
        const bool color = k >= 1 && k <= 3;
        switch (op) {
            case Operator::unite:
                out[k] = color ? (a[0] >= b[0] ? a[k] : b[k]) : max2(a[k], b[k]);
                break;
            case Operator::intersect:
                out[k] = color ? (a[0] >= b[0] ? a[k] : b[k]) : min2(a[k], b[k]);
                break;
            case Operator::subtract:
                out[k] = k == 0 ? max2(0, a[0] - b[0]) : a[k];
                break;
            case Operator::blend:
                out[k] = !color ? min2(1, a[k] + b[k])
                                : (a[0] + b[0] != 0 ? (a[k] * a[0] + b[k] * b[0]) / (a[0] + b[0]) : (a[k] + b[k]) / 2);
                break;
            case Operator::cap:
                out[k] = a[k] <= b[k] ? a[k] : 0;
                break;
            case Operator::trim:
                out[k] = a[k] >= b[k] ? a[k] : 0;
                break;
        }
    }
    return out;
}

Tree two_balls(Vec3d at)
{
    Tree tree;
    const int a = tree.add(ball(0.4, 1.0f)), b = tree.add(ball(0.8, 0.2f));
    const int both = tree.add(Operator::unite, {a, b});
    const int moved = tree.add(ball(0.2, 0.7f, at));
    tree.add(Operator::subtract, {both, moved});
    tree.check().value();
    return tree;
}

}  // namespace

TEST_CASE("operators follow the appendix for random values, ties and zeros")
{
    std::mt19937 random(1);
    const auto value = [&] { return double(random() % 5) / 4; };  // few values: many ties
    for (int k = 0; k < 5000; ++k)
        for (const Operator op : {Operator::unite, Operator::intersect, Operator::subtract, Operator::blend,
                                  Operator::cap, Operator::trim}) {
            std::array<double, 5> a, b;
            for (double& v : a) v = value();
            for (double& v : b) v = value();
            const auto sample = [](const std::array<double, 5>& v) {
                return Sample{float(v[0]), float(v[1]), float(v[2]), float(v[3]), float(v[4])};
            };
            const Sample got = combine(op, sample(a), sample(b));
            const std::array<double, 5> expected = by_the_book(op, a, b);
            const double channels[5] = {got.opacity, got.r, got.g, got.b, got.stiffness};
            for (std::size_t c = 0; c < 5; ++c) CHECK(channels[c] == doctest::Approx(expected[c]));
        }
}

TEST_CASE("a soft core in a hard shell stays soft, and comes out hard with literal ghosts")
{
    Tree tree;
    const int core = tree.add(ball(0.4, 0.2f)), shell = tree.add(ball(0.8, 1.0f));
    const int hollow = tree.add(Operator::subtract, {shell, core});
    tree.add(Operator::unite, {core, hollow});
    REQUIRE(tree.check());
    CHECK(tree.at({0.1, 0, 0}).stiffness == doctest::Approx(0.2));
    CHECK(tree.at({0.6, 0, 0}).stiffness == doctest::Approx(1.0));
    tree.ghosts = Ghosts::literal;
    CHECK(tree.at({0.1, 0, 0}).stiffness == doctest::Approx(1.0));
}

TEST_CASE("shapes hold their boundary and nothing beyond, turned and scaled too")
{
    struct Case {
        Leaf leaf;
        Vec3d in, out;
    };
    const auto shaped = [](auto shape) {
        Leaf leaf;
        leaf.shape = shape;
        return leaf;
    };
    std::vector<Case> cases{{shaped(Ball{2}), {2, 0, 0}, {1.5, 1.5, 0}},
                            {shaped(Block{{2, 4, 6}}), {1, 2, 3}, {1.01, 0, 0}},
                            {shaped(Block{{2, 2, 2}, 0.5}), {1, 0, 0}, {0.95, 0.95, 0.95}},
                            {shaped(Cylinder{1, 2}), {1, 1, 0}, {0.8, 0, 0.8}},
                            {shaped(Cone{1, 2}), {1, -1, 0}, {0.6, 0, 0}},
                            {shaped(Torus{1, 0.25}), {1.25, 0, 0}, {0, 0, 0}},
                            {shaped(Tube{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, 0.2}), {1.2, 0.5, 0}, {0.5, 0.5, 0}}};
    for (const Case& c : cases) {
        Tree tree;
        tree.add(c.leaf);
        REQUIRE(tree.check());
        CHECK(tree.at(c.in).opacity == 1);
        CHECK(tree.at(c.out).opacity == 0);
        // A quarter turn about z takes x to y; scaling first makes everything twice as large.
        Tree turned;
        Leaf leaf = c.leaf;
        leaf.transform = {{5, 0, 0}, {0, 0, std::sqrt(0.5), std::sqrt(0.5)}, {2, 2, 2}};
        turned.add(leaf);
        REQUIRE(turned.check());
        const auto moved = [](Vec3d p) { return Vec3d{5 - 2 * p.y, 2 * p.x, 2 * p.z}; };
        CHECK(turned.at(moved(c.in * 0.999)).opacity == 1);
        CHECK(turned.at(moved(c.out * 1.001)).opacity == 0);
    }
}

TEST_CASE("a volume holds what the tree says at the voxel centres, for a thousand leaves")
{
    std::mt19937 random(2);
    std::uniform_real_distribution<double> place(-1, 1), size(0.02, 0.2);
    Tree tree;
    std::vector<int> leaves;
    for (int k = 0; k < 1000; ++k)
        leaves.push_back(tree.add(k % 2 ? ball(size(random), 0.5f, {place(random), place(random), place(random)}, 0.7f)
                                        : cube(size(random), 0.9f, {place(random), place(random), place(random)})));
    const int all = tree.add(Operator::unite, leaves);
    const int window = tree.add(cube(1.5, 0.1f));
    tree.add(Operator::intersect, {all, window});
    REQUIRE(tree.check());
    const double voxel = 0.05;
    const Volume volume = Volume::evaluate(tree, voxel).value();
    for (int k = 0; k < 3000; ++k) {
        const Int3 index{int(random() % 40) - 20, int(random() % 40) - 20, int(random() % 40) - 20};
        const Vec3d p{(index[0] + 0.5) * voxel, (index[1] + 0.5) * voxel, (index[2] + 0.5) * voxel};
        CHECK(volume.voxel_at(index) == tree.at(p));
    }
}

TEST_CASE("an edit evaluates its own boxes and gives the volume of a new evaluation, bit for bit")
{
    Tree tree = two_balls({0.5, 0.2, 0});
    Volume volume = Volume::evaluate(tree, 0.02).value();
    const int node = 3;
    Box3 changed = tree.bounds(node);
    tree.set(node, ball(0.25, 0.7f, {-0.4, 0, 0.3}));
    REQUIRE(tree.check());
    const Box3 after = tree.bounds(node);
    volume.update(tree, changed);
    volume.update(tree, after);
    const Volume fresh = Volume::evaluate(tree, 0.02).value();
    CHECK(volume.same_as(fresh));
    CHECK_FALSE(fresh.same_as(Volume::evaluate(two_balls({0.5, 0.2, 0}), 0.02).value()));
}

TEST_CASE("a .vdb file gives the volume back, and a file that is none is refused")
{
    const auto path = std::filesystem::temp_directory_path() / "yawara_test_cvg.vdb";
    const Volume volume = Volume::evaluate(two_balls({0.3, 0.3, 0.3}), 0.05).value();
    REQUIRE(volume.save(path));
    const Volume back = Volume::load(path).value();
    CHECK(volume.same_as(back));
    Tree tree;
    Leaf leaf;
    leaf.shape = Sampled{std::make_shared<const Volume>(back), "x.vdb"};
    tree.add(leaf);
    REQUIRE(tree.check());
    CHECK(tree.at({0.025, 0.025, 0.025}).stiffness == doctest::Approx(1.0));
    std::filesystem::remove(path);
    const auto missing = Volume::load(path);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().where.find("yawara_test_cvg.vdb") != std::string::npos);
}

TEST_CASE("hard voxels stand out in the lattice, cells follow the filling, and colours are means")
{
    // One cell of 2 x 2 x 2 voxels around the origin's node: seven soft voxels and a hard one see it alike.
    Tree tree;
    const int soft = tree.add(cube(2, 0.2f)), hard = tree.add(cube(1, 1.0f, {0.5, 0.5, 0.5}));
    tree.add(Operator::unite, {hard, soft});
    REQUIRE(tree.check());
    const Volume volume = Volume::evaluate(tree, 1.0).value();
    const auto stiffness_at_origin = [&](double p) {
        LatticeOptions options;
        options.cell = 1;
        options.hardness = p;
        const VolumeLattice made = volume.lattice(options).value();
        for (std::size_t i = 0; i < made.lattice.nodes.size(); ++i)
            if (made.lattice.nodes[i] == Int3{0, 0, 0}) return double(made.stiffness[i]);
        return -1.0;
    };
    CHECK(stiffness_at_origin(0) == doctest::Approx((7 * 0.2 + 1) / 8));
    CHECK(stiffness_at_origin(1) == doctest::Approx((7 * 0.04 + 1) / (7 * 0.2 + 1)));
    CHECK(stiffness_at_origin(64) == doctest::Approx(1.0));
    LatticeOptions wide;
    wide.cell = 4;
    CHECK(volume.lattice(wide).value().lattice.cells.size() == 8);
    wide.fill = 0.2;  // each of the eight cells is an eighth full
    CHECK_FALSE(volume.lattice(wide));
    wide.cell = 2.5;
    CHECK_FALSE(volume.lattice(wide));
}

TEST_CASE("the surface of a ball is round, closed and carries its colours, whole or cut")
{
    Tree tree;
    tree.add(ball(0.5, 0.3f));
    REQUIRE(tree.check());
    const Volume volume = Volume::evaluate(tree, 0.04).value();
    const TriMesh mesh = volume.surface();
    REQUIRE(mesh.triangles.size() > 100);
    double enclosed = 0;
    for (const Int3& t : mesh.triangles)
        enclosed += dot(mesh.vertices[std::size_t(t[0])],
                        cross(mesh.vertices[std::size_t(t[1])], mesh.vertices[std::size_t(t[2])])) /
                    6;
    CHECK(enclosed == doctest::Approx(4.0 / 3 * 3.14159265 * 0.125).epsilon(0.03));
    for (const Vec3d& v : mesh.vertices) CHECK(std::abs(length(v) - 0.5) < 0.04);
    for (const Vec3& c : mesh.colors) CHECK(c == Vec3{1, 0, 0});
    SurfaceOptions half;
    half.cut = std::pair(Vec3d{}, Vec3d{0, 0, 1});
    for (const Vec3d& v : volume.surface(half).vertices) CHECK(v.z < 0.05);
    SurfaceOptions stiff;
    stiff.stiffness_from = 0.5;
    CHECK(volume.surface(stiff).triangles.empty());
}

TEST_CASE("a settled surface lies where the tree ends, not where its voxels do, whole or cut")
{
    Tree tree;
    tree.add(ball(0.5, 0.3f));
    REQUIRE(tree.check());
    const double voxel = 0.04;
    const Volume volume = Volume::evaluate(tree, voxel).value();
    const auto farthest = [](const TriMesh& mesh, auto off) {
        double most = 0;
        for (const Vec3d& v : mesh.vertices) most = std::max(most, std::abs(off(v)));
        return most;
    };
    const auto off_ball = [](Vec3d v) { return length(v) - 0.5; };
    TriMesh whole = volume.surface();
    const std::size_t vertices = whole.vertices.size();
    CHECK(farthest(whole, off_ball) > 0.2 * voxel);
    settle_surface(tree, voxel, {}, whole);
    CHECK(farthest(whole, off_ball) < 0.03 * voxel);
    CHECK(whole.vertices.size() == vertices);

    // Across the voxels: of what is cut, the flat side is flat and the round one round.
    SurfaceOptions half;
    const Vec3d normal = Vec3d{1, 2, 3} / std::sqrt(14.0);
    half.cut = std::pair(Vec3d{}, normal);
    TriMesh cut = volume.surface(half);
    settle_surface(tree, voxel, half, cut);
    const auto off_half = [&](Vec3d v) { return std::max(length(v) - 0.5, dot(v, normal)); };
    CHECK(farthest(cut, off_half) < 0.03 * voxel);

    // And the edge between them is sharp, without a tooth for every voxel: just below the flat side a section is a circle.
    double low = 1, high = 0;
    for (const Int3& t : cut.triangles)
        for (int k = 0; k < 3; ++k) {
            const Vec3d a = cut.vertices[std::size_t(t[k])], b = cut.vertices[std::size_t(t[(k + 1) % 3])];
            const double from = dot(a, normal) + 0.1 * voxel, to = dot(b, normal) + 0.1 * voxel;
            if ((from < 0) == (to < 0)) continue;
            const double radius = length(a + (b - a) * (from / (from - to)));
            low = std::min(low, radius);
            high = std::max(high, radius);
        }
    CHECK(high < 0.5 + 0.1 * voxel);
    CHECK(low > 0.5 - 0.3 * voxel);
}

TEST_CASE("trees come back from JSON, and mistakes are named with their place")
{
    const Tree tree = two_balls({0.1, 0.2, 0.3});
    const Tree back = parse_tree(to_json(tree), ".").value();
    for (const Vec3d p : {Vec3d{0, 0, 0}, Vec3d{0.1, 0.2, 0.3}, Vec3d{0.7, 0, 0}, Vec3d{0.9, 0, 0}})
        CHECK(back.at(p) == tree.at(p));
    const auto refused = [](const std::string& root) {
        const auto result = parse_tree(R"({"format": "yawara-cvg", "version": 1, "root": )" + root + "}", ".", "model");
        return result ? std::string("accepted") : result.error().message();
    };
    CHECK(refused(R"({"prim": "sphere"})").find("radius") != std::string::npos);
    CHECK(refused(R"({"prim": "sphere", "radius": 1, "stiffness": 2})").find("stiffness") != std::string::npos);
    CHECK(refused(R"({"prim": "sphere", "radius": 1, "height": 2})").find("height") != std::string::npos);
    CHECK(refused(R"({"op": "cap", "args": [{"prim": "sphere", "radius": 1}, {"prim": "sphere", "radius": 1},
                                            {"prim": "sphere", "radius": 1}]})")
              .find("exactly 2") != std::string::npos);
    CHECK(refused(R"({"prim": "sphere", "radius": 1, "transform": {"scale": 0}})").find("inverse") !=
          std::string::npos);
    CHECK(refused(R"({"op": "union", "args": [{"prim": "sphere", "radius": 1}, {"prim": "mesh", "file": "no.obj"}]})")
              .find("args[1]") != std::string::npos);
}

TEST_CASE("a tree that encloses nothing is refused")
{
    Tree apart;
    const int a = apart.add(ball(0.1, 1.0f)), b = apart.add(ball(0.1, 1.0f, {1, 0, 0}));
    apart.add(Operator::intersect, {a, b});
    REQUIRE(apart.check());
    CHECK_FALSE(Volume::evaluate(apart, 0.01));
    Tree thin;
    thin.add(ball(0.001, 1.0f, {0.4, 0.4, 0.4}));  // between the middles of voxels
    REQUIRE(thin.check());
    CHECK_FALSE(Volume::evaluate(thin, 1.0 / 3));
}

TEST_CASE("noise fills its share of a box with blobs of its grain, the same each time")
{
    const auto filled = [](double share, std::uint32_t seed, double grain) {
        Tree tree;
        Leaf leaf;
        leaf.shape = Noise{{2, 2, 2}, grain, share, seed};
        tree.add(leaf);
        REQUIRE(tree.check());
        std::vector<bool> inside;
        for (int k = 0; k < 32 * 32 * 32; ++k)
            inside.push_back(tree.at(Vec3d{k % 32 + 0.5, k / 32 % 32 + 0.5, k / 1024 + 0.5} / 16.0 - Vec3d{1, 1, 1})
                                 .opacity > 0);
        CHECK(tree.at({1.01, 0, 0}).opacity == 0);
        return inside;
    };
    const auto changes = [](const std::vector<bool>& inside) {  // along x
        int count = 0;
        for (std::size_t k = 1; k < inside.size(); ++k) count += k % 32 != 0 && inside[k] != inside[k - 1];
        return count;
    };
    for (const double share : {0.2, 0.5, 0.8}) {
        const auto inside = filled(share, 1, 0.2);
        CHECK(std::abs(double(std::count(inside.begin(), inside.end(), true)) / double(inside.size()) - share) < 0.08);
    }
    CHECK(filled(0.4, 7, 0.2) == filled(0.4, 7, 0.2));
    CHECK(filled(0.4, 7, 0.2) != filled(0.4, 8, 0.2));
    const double finer = double(changes(filled(0.5, 1, 0.2))) / changes(filled(0.5, 1, 0.4));
    CHECK(finer > 1.5);
    CHECK(finer < 2.6);
    CHECK(filled(1, 1, 0.2) == std::vector<bool>(32 * 32 * 32, true));
}

TEST_CASE("rest positions take stiffness and colour from filled voxels alone, as the lattice's particles do")
{
    Tree tree;
    const int core = tree.add(ball(0.4, 1.0f)), shell = tree.add(ball(0.8, 0.2f));
    tree.add(Operator::unite, {core, shell});
    REQUIRE(tree.check());
    const Volume volume = Volume::evaluate(tree, 0.05).value();
    LatticeOptions options;
    options.cell = 0.2;
    const VolumeLattice made = volume.lattice(options).value();
    std::vector<Vec3d> nodes;
    for (std::size_t i = 0; i < made.lattice.nodes.size(); ++i) nodes.push_back(made.lattice.position(int(i)));
    const std::vector<Sample> samples = volume.sample(nodes, options.cell);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        CHECK(samples[i].stiffness == doctest::Approx(made.stiffness[i]).epsilon(1e-5));
        CHECK(samples[i].r == doctest::Approx(made.colors[i].x).epsilon(1e-5));
    }
    // On the skin and a little outside of it there is no mixing with nothing; far away there is nothing.
    const std::vector<Vec3d> places{{0.8, 0, 0}, {0, 0.9, 0}, {0, 0, 5}, {0, 0, 0}, {1e30, 0, 0}};
    const std::vector<Sample> at = volume.sample(places, 0.1);
    CHECK(at[0].stiffness == doctest::Approx(0.2));
    CHECK(at[0].r == doctest::Approx(1.0));
    CHECK(at[1].stiffness == doctest::Approx(0.2));
    CHECK(at[2] == Sample{});
    CHECK(at[3].stiffness == doctest::Approx(1.0));
    CHECK(at[4] == Sample{});
}
