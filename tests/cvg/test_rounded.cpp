// Rounded operators, repetitions and placed subtrees against formulas written down on their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "cvg/draft.h"
#include "cvg/rounded.h"
#include "cvg/shape_distance.h"
#include "yawara/cvg.h"

using namespace yawara;
using namespace yawara::cvg;

namespace {

template <class Shape>
Leaf leaf(Shape shape, Vec3d at = {}, float stiffness = 0.5f)
{
    Leaf made;
    made.shape = shape;
    made.inside = {1, 0.9f, 0.5f, 0.2f, stiffness};
    made.transform.translate = at;
    return made;
}

/// Two blocks that meet in a right angle along z: the inner corner is at the origin.
Tree corner(Operator op, double radius)
{
    Tree tree;
    const int wall = tree.add(leaf(Block{{2, 4, 2}}, {-1, 0, 0})), floor = tree.add(leaf(Block{{4, 2, 2}}, {0, -1, 0}));
    tree.add(op, {wall, floor}, radius);
    tree.check().value();
    return tree;
}

std::mt19937 random_numbers(7);
double within(double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random_numbers);
}

}  // namespace

TEST_CASE("a rounded union has a quarter of a circle in its corner, and is sharp elsewhere")
{
    const double r = 0.3;
    const Tree tree = corner(Operator::unite, r), sharp = corner(Operator::unite, 0);
    for (int k = 0; k < 20000; ++k) {
        const Vec3d p{within(-0.5, 1), within(-0.5, 1), within(-0.9, 0.9)};
        // The fillet: between the corner and the circle about (r, r).
        const bool filled = p.x > 0 && p.y > 0 && p.x < r && p.y < r && std::hypot(p.x - r, p.y - r) > r;
        const double edge = std::abs(std::hypot(p.x - r, p.y - r) - r);
        if (edge < 1e-9) continue;
        const bool expected = p.x <= 0 || p.y <= 0 || filled;
        CHECK((tree.at(p).opacity == 1) == expected);
        if (!filled) CHECK(tree.at(p) == sharp.at(p));
    }
}

TEST_CASE("a rounded intersection and a rounded difference lose the edge beyond a quarter of a circle")
{
    const double r = 0.25;
    const Tree both = corner(Operator::intersect, r), cut = [&] {
        Tree tree;  // a block without its upper right: the edge that is left at the origin is rounded
        const int block = tree.add(leaf(Block{{2, 2, 2}}, {-1, 0, 0})), taken = tree.add(leaf(Block{{4, 4, 4}}, {0, 2, 0}));
        tree.add(Operator::subtract, {block, taken}, r);
        tree.check().value();
        return tree;
    }();
    for (int k = 0; k < 20000; ++k) {
        const Vec3d p{within(-0.8, 0.2), within(-0.8, 0.2), within(-0.5, 0.5)};
        const double u = p.x + r, v = p.y + r;
        const bool expected = p.x <= 0 && p.y <= 0 && !(u > 0 && v > 0 && std::hypot(u, v) > r);
        if (std::abs(std::hypot(u, v) - r) < 1e-9) continue;
        CHECK((both.at(p).opacity == 1) == expected);
        CHECK((cut.at(p).opacity == 1) == expected);
    }
}

TEST_CASE("as the radius goes to nothing a rounded operator becomes the sharp one, and never reaches beyond its radius")
{
    for (const Operator op : {Operator::unite, Operator::intersect, Operator::subtract}) {
        const auto made = [&](double radius) {
            Tree tree;
            const int a = tree.add(leaf(Ball{0.5})), b = tree.add(leaf(Cylinder{0.3, 1.2}, {0.3, 0, 0}, 0.9f));
            tree.add(op, {a, b}, radius);
            tree.check().value();
            return tree;
        };
        const Tree sharp = made(0);
        int before = 1 << 30;
        for (const double radius : {0.2, 0.05, 0.0125, 1e-6}) {
            const Tree rounded = made(radius);
            random_numbers.seed(11);
            int different = 0;
            for (int k = 0; k < 30000; ++k) {
                const Vec3d p{within(-0.7, 0.9), within(-0.8, 0.8), within(-0.7, 0.7)};
                if (rounded.at(p) == sharp.at(p)) continue;
                ++different;
                // Only near where both surfaces are.
                CHECK(std::abs(length(p) - 0.5) <= radius);
                const double side = std::hypot(p.x - 0.3, p.z) - 0.3, top = std::abs(p.y) - 0.6;
                CHECK(std::abs(std::max(side, top)) <= 1.5 * radius);
            }
            CHECK(different < before);
            if (radius < 1e-5) CHECK(different == 0);
            before = std::max(different, 1);
        }
    }
}

TEST_CASE("rounding does not ask which part comes first, and its colours go over from one to the other")
{
    for (int k = 0; k < 5000; ++k) {
        const double a = within(-1, 1), b = within(-1, 1), r = within(0, 0.8);
        CHECK(rounded_union(a, b, r) == rounded_union(b, a, r));
        CHECK(rounded_union(a, b, r) <= std::min(a, b));
        if (std::max(a, b) >= r) CHECK(rounded_union(a, b, r) == std::min(a, b));
    }
    const auto stiff = [](float of_wall, float of_floor) {
        Tree made;
        const int wall = made.add(leaf(Block{{2, 4, 2}}, {-1, 0, 0}, of_wall)), floor = made.add(leaf(Block{{4, 2, 2}}, {0, -1, 0}, of_floor));
        made.add(Operator::unite, {wall, floor}, 0.3);
        made.check().value();
        return made;
    };
    CHECK(stiff(1, 0).at({0.02, 0.02, 0}).stiffness == doctest::Approx(0.5));
    CHECK(stiff(1, 0).at({0.001, 0.25, 0}).stiffness > 0.75f);
    CHECK(stiff(1, 0).at({0.25, 0.001, 0}).stiffness < 0.25f);
}

TEST_CASE("distances of shapes are those of the nearest point of their surface")
{
    // Sampled surfaces, each written on its own.
    const auto nearest = [](const auto& surface, Vec3d p) {
        double best = 1e9;
        for (int i = 0; i <= 240; ++i)
            for (int j = 0; j <= 240; ++j) best = std::min(best, length(surface(i / 240.0, j / 240.0) - p));
        return best;
    };
    const double turn = 2 * std::numbers::pi;
    const auto cone = [&](double u, double v) {  // side, then base
        const double t = v < 0.6 ? v / 0.6 : 1 - (v - 0.6) / 0.4, r = 0.4 * t, y = v < 0.6 ? 0.45 - 0.9 * t : -0.45;
        return Vec3d{r * std::cos(turn * u), y, r * std::sin(turn * u)};
    };
    const auto torus = [&](double u, double v) {
        const double r = 0.5 + 0.2 * std::cos(turn * v);
        return Vec3d{r * std::cos(turn * u), 0.2 * std::sin(turn * v), r * std::sin(turn * u)};
    };
    for (int k = 0; k < 60; ++k) {
        const Vec3d p{within(-0.9, 0.9), within(-0.9, 0.9), within(-0.9, 0.9)};
        CHECK(std::abs(shape_distance(leaf(Cone{0.4, 0.9}), p)) == doctest::Approx(nearest(cone, p)).epsilon(0.03));
        CHECK(std::abs(shape_distance(leaf(Torus{0.5, 0.2}), p)) == doctest::Approx(nearest(torus, p)).epsilon(0.03));
        Tree tree;
        tree.add(leaf(Cone{0.4, 0.9}));
        tree.check().value();
        CHECK((shape_distance(leaf(Cone{0.4, 0.9}), p) <= 0) == (tree.at(p).opacity == 1));
    }
    CHECK(shape_distance(leaf(Block{{2, 2, 2}, 0.5}), {1, 1, 1}) == doctest::Approx(std::sqrt(3 * 0.25) - 0.5));
    CHECK(shape_distance(leaf(Tube{{{0, 0, 0}, {1, 0, 0}}, 0.2}), {2, 0, 0}) == doctest::Approx(0.8));
}

TEST_CASE("repetitions are where mirrors, rows and rings put them")
{
    const auto repeated = [](Repeat repeat) {
        Tree tree;
        const int ball = tree.add(leaf(Ball{0.2}, {0.7, 0.1, 0}));
        tree.add(repeat, ball);
        tree.check().value();
        return tree;
    };
    const auto balls = [](const std::vector<Vec3d>& at, Vec3d p) {
        return std::ranges::any_of(at, [&](Vec3d c) { return length(p - c) <= 0.2; });
    };
    std::vector<Vec3d> ring;
    for (int k = 0; k < 5; ++k) {
        const double a = 2 * std::numbers::pi * k / 5;
        ring.push_back({1 - 0.3 * std::cos(a), 0.1, 0.3 * std::sin(a)});
    }
    struct Case {
        Tree tree;
        std::vector<Vec3d> at;
    };
    const Case cases[] = {{repeated({Repeat::Kind::mirror, {2, 0, 0}, {0.1, 5, 5}, 2}), {{0.7, 0.1, 0}, {-0.5, 0.1, 0}}},
                          {repeated({Repeat::Kind::line, {0, 0.3, 0.1}, {}, 4}), {{0.7, 0.1, 0}, {0.7, 0.4, 0.1}, {0.7, 0.7, 0.2}, {0.7, 1, 0.3}}},
                          {repeated({Repeat::Kind::ring, {0, 3, 0}, {1, 9, 0}, 5}), ring}};
    for (const Case& c : cases)
        for (int k = 0; k < 5000; ++k) {
            const Vec3d p{within(-0.8, 1.6), within(-0.3, 1.3), within(-0.6, 0.6)};
            double edge = 1;
            for (const Vec3d at : c.at) edge = std::min(edge, std::abs(length(p - at) - 0.2));
            if (edge > 1e-9) CHECK((c.tree.at(p).opacity == 1) == balls(c.at, p));
        }
}

TEST_CASE("a subtree is moved as a whole, with its radius, and evaluated as point by point")
{
    const auto joined = [](Transform transform) {
        Tree tree;
        const int a = tree.add(leaf(Ball{0.4}, {-0.3, 0, 0}, 0.2f)), b = tree.add(leaf(Block{{0.8, 0.2, 0.2}}, {0.3, 0, 0}, 1.0f));
        const int both = tree.add(Operator::unite, {a, b}, 0.1, transform);
        const int hole = tree.add(leaf(Cylinder{0.15, 2}, {-0.2, 0, 0}));
        tree.add(Operator::subtract, {both, hole}, 0.05);
        tree.check().value();
        return tree;
    };
    const double half = std::sqrt(0.5);
    Tree plain, moved;
    for (Tree* tree : {&plain, &moved}) {
        const int a = tree->add(leaf(Ball{0.4}, {-0.3, 0, 0}, 0.2f)), b = tree->add(leaf(Block{{0.8, 0.2, 0.2}}, {0.3, 0, 0}, 1.0f));
        tree->add(Operator::unite, {a, b}, 0.1, tree == &moved ? Transform{{1, 2, 3}, {0, 0, half, half}, {2, 2, 2}} : Transform{});
        tree->check().value();
    }
    for (int k = 0; k < 5000; ++k) {
        const Vec3d p{within(-0.8, 0.8), within(-0.5, 0.5), within(-0.5, 0.5)};
        const Vec3d q{1 - 2 * p.y, 2 + 2 * p.x, 3 + 2 * p.z};
        CHECK((plain.at(p).opacity == moved.at(q).opacity || std::abs(p.x) < 1e-12));
    }
    const Tree tree = joined({{0.1, 0.2, 0}, {0, 0, half, half}, {1, 1, 1}});
    const double voxel = 0.04;
    Volume volume = Volume::evaluate(tree, voxel).value();
    for (int k = 0; k < 4000; ++k) {
        const Int3 index{int(within(-25, 25)), int(within(-25, 25)), int(within(-15, 15))};
        CHECK(volume.voxel_at(index) == tree.at({(index[0] + 0.5) * voxel, (index[1] + 0.5) * voxel, (index[2] + 0.5) * voxel}));
    }
    const Tree other = joined({{0.1, 0.25, 0}, {0, 0, half, half}, {1, 1, 1}});
    volume.update(other, changed(tree, other));
    CHECK(volume.same_as(Volume::evaluate(other, voxel).value()));
}

TEST_CASE("what an edit changes is one box, and a draft evaluates no more than it")
{
    const auto crowd = [](Vec3d last) {
        Tree tree;
        std::vector<int> parts{tree.add(leaf(Block{{2, 2, 2}}, {}, 0.2f))};
        std::mt19937 numbers(3);
        std::uniform_real_distribution<double> place(-1, 1);
        for (int k = 0; k < 300; ++k) parts.push_back(tree.add(leaf(Ball{0.06}, {place(numbers), place(numbers), place(numbers)}, 0.8f)));
        parts.push_back(tree.add(leaf(Ball{0.1}, last, 1.0f)));
        tree.add(Operator::unite, parts);
        tree.check().value();
        return tree;
    };
    const Box3 box = changed(crowd({0.5, 0, 0}), crowd({0.6, 0, 0}));
    CHECK(box.low.x == doctest::Approx(0.4));
    CHECK(box.high.x == doctest::Approx(0.7));
    CHECK(box.high.y == doctest::Approx(0.1));
    CHECK(changed(crowd({0.5, 0, 0}), crowd({0.5, 0, 0})).empty());

    Draft draft(48), fresh(48);
    REQUIRE(draft.show(crowd({0.5, 0, 1})));
    CHECK(draft.evaluated() == doctest::Approx(1));
    REQUIRE(draft.show(crowd({0.6, 0, 1})));
    CHECK(draft.evaluated() < 0.1);
    REQUIRE(fresh.show(crowd({0.6, 0, 1})));
    const DraftSurface a = draft.surface(), b = fresh.surface();
    CHECK(a.points == b.points);
    CHECK(a.stiffness == b.stiffness);
    CHECK(a.triangles == b.triangles);
}

TEST_CASE("the surface of a draft is closed, near the true one, and its cut shows what is inside")
{
    Tree tree;
    const int stone = tree.add(leaf(Ball{0.25}, {0, 0.5, 0}, 1.0f)), flesh = tree.add(leaf(Ball{0.5}, {0, 0.5, 0}, 0.3f));
    tree.add(Operator::unite, {stone, flesh});
    REQUIRE(tree.check());
    Draft draft(64);
    REQUIRE(draft.show(tree));
    const auto volume_of = [](const DraftSurface& s) {
        double sum = 0;
        for (const auto& t : s.triangles)
            sum += dot(s.points[t[0]].as<double>(), cross(s.points[t[1]].as<double>(), s.points[t[2]].as<double>())) / 6;
        return sum;
    };
    const DraftSurface whole = draft.surface(), hard = draft.surface(0.9);
    for (const Vec3& p : whole.points) CHECK(std::abs(length(p.as<double>() - Vec3d{0, 0.5, 0}) - 0.5) < draft.voxel());
    CHECK(volume_of(whole) == doctest::Approx(4.0 / 3 * std::numbers::pi * 0.125).epsilon(0.02));  // and fronts show outwards
    CHECK(volume_of(hard) == doctest::Approx(4.0 / 3 * std::numbers::pi / 64).epsilon(0.05));
    for (const float s : hard.stiffness) CHECK(s == 1);

    const DraftCut cut = cut_of(tree, {0, 0.5, 0.1}, {0, 0, 2}, 200);
    double soft_area = 0, hard_area = 0;
    REQUIRE(cut.points.size() == 4 * cut.stiffness.size());
    for (std::size_t k = 0; k < cut.stiffness.size(); ++k) {
        const Vec3 u = cut.points[4 * k + 1] - cut.points[4 * k], v = cut.points[4 * k + 3] - cut.points[4 * k];
        CHECK(std::abs(cut.points[4 * k].z - 0.1f) < 1e-5f);
        (cut.stiffness[k] == 1 ? hard_area : soft_area) += double(length(cross(u, v)));
    }
    CHECK(hard_area == doctest::Approx(std::numbers::pi * (0.0625 - 0.01)).epsilon(0.02));
    CHECK(hard_area + soft_area == doctest::Approx(std::numbers::pi * (0.25 - 0.01)).epsilon(0.02));
}

TEST_CASE("mistakes of rounding and repeating, and a node that leaves nothing, are named with their place")
{
    const auto wrong = [](const std::string& root) {
        const auto tree = parse_tree(R"({"format": "yawara-cvg", "version": 1, "root": )" + root + "}", ".");
        return tree ? Volume::evaluate(*tree, 0.1).error().message() : tree.error().message();
    };
    const std::string ball = R"({"prim": "sphere", "radius": 0.5})", box = R"({"prim": "cube", "side": 3})";
    CHECK(wrong(R"({"op": "blend", "radius": 0.1, "args": [)" + ball + "," + box + "]}").find("can have a radius") != std::string::npos);
    CHECK(wrong(R"({"repeat": "line", "of": )" + ball + R"(, "count": 3})").find("needs \"step\"") != std::string::npos);
    CHECK(wrong(R"({"repeat": "mirror", "normal": [1, 0, 0], "of": )" + ball + R"(, "count": 3})").find("has no \"count\"") != std::string::npos);
    CHECK(wrong(R"({"repeat": "ring", "axis": [0, 0, 0], "of": )" + ball + R"(, "count": 3})").find("axis") != std::string::npos);
    const std::string eaten = wrong(R"({"op": "union", "args": [{"op": "difference", "args": [)" + ball + "," + box + R"(]}, {"op": "difference", "args": [)" + ball + "," + box + "]}]}");
    CHECK_MESSAGE(eaten.find("root.args[0]") != std::string::npos, eaten);
    CHECK(eaten.find("leaves nothing") != std::string::npos);
    CHECK(wrong(R"({"prim": "sphere", "radius": 0.5, "opacity": 0})").find("no opacity") != std::string::npos);
    // Written and read again it is the same.
    const Tree tree = parse_tree(R"({"format": "yawara-cvg", "version": 1, "root": {"repeat": "ring", "axis": [0, 1, 0], "count": 4, "radius": 0.05,
        "transform": {"translate": [0, 1, 0]}, "of": {"op": "difference", "radius": 0.1, "args": [)" + box + "," + ball + "]}}}", ".").value();
    CHECK(changed(tree, parse_tree(to_json(tree), ".").value()).empty());
}
