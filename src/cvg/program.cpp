#include "cvg/program.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cvg/rounded.h"

namespace yawara::cvg {

namespace {

/// Where the k-th repetition is; the first is the thing itself.
Placement copy_place(const Repeat& repeat, int k)
{
    if (repeat.kind == Repeat::Kind::line) return {{}, repeat.direction * double(k)};
    const Vec3d n = normalized(repeat.direction);
    const Mat3d turn = repeat.kind == Repeat::Kind::ring ? rotation(n, 2 * std::numbers::pi * k / repeat.count)
                                                         : Mat3d{} - outer(n, n) * 2.0;
    return {turn, repeat.point - turn * repeat.point};
}

/// Goes through all that is beneath a node: on_leaf(node, around, margin), and on_operation(operator, radius) after every
/// second and further value. Not recursive: trees may be deep.
template <class OnLeaf, class OnOperation>
void walk(const Tree& tree, int root, const OnLeaf& on_leaf, const OnOperation& on_operation)
{
    struct Open {
        int node;
        Placement around;
        double margin = 0;
        double radius = 0;  ///< in the world
        std::size_t next = 0;
    };
    const auto opened = [&](int node, Placement around, double margin) {
        const Tree::Node& n = tree.nodes()[std::size_t(node)];
        if (!(n.transform == Transform{})) around = after(around, placement_of(n.transform));
        const double radius = n.radius > 0 ? n.radius * std::cbrt(std::abs(determinant(around.turn))) : 0.0;
        return Open{node, around, margin + radius, radius};
    };
    std::vector<Open> open{opened(root, {}, 0)};
    while (!open.empty()) {
        Open& top = open.back();
        const Tree::Node& n = tree.nodes()[std::size_t(top.node)];
        if (n.leaf) {
            on_leaf(top.node, top.around, top.margin);
            open.pop_back();
            continue;
        }
        if (top.next >= 2) on_operation(n.op, top.radius);  // folds what has come so far
        const std::size_t count = n.repeat ? std::size_t(n.repeat->count) : n.args.size();
        if (top.next == count) {
            open.pop_back();
            continue;
        }
        const std::size_t k = top.next++;
        const bool again = n.repeat && k > 0;
        open.push_back(opened(n.args[n.repeat ? 0 : k],
                              again ? after(top.around, copy_place(*n.repeat, int(k))) : top.around, top.margin));
    }
}

}  // namespace

std::vector<LeafPlace> leaf_places(const Tree& tree, int node)
{
    std::vector<LeafPlace> places;
    walk(
        tree, node, [&](int leaf, const Placement& around, double margin) { places.push_back({leaf, around, margin}); },
        [](Operator, double) {});
    return places;
}

Program::Program(const Tree& tree, int node) : ghosts_(tree.ghosts)
{
    std::vector<PlacedLeaf> leaves;
    if (!tree.nodes().empty())
        walk(
            tree, node < 0 ? int(tree.nodes().size()) - 1 : node,
            [&](int leaf, const Placement& around, double margin) {
                steps_.push_back({Step::Kind::leaf, int(leaves.size()), Operator::unite, 0});
                leaves.emplace_back(*tree.nodes()[std::size_t(leaf)].leaf, around, margin);
            },
            [&](Operator op, double radius) {
                steps_.push_back({Step::Kind::operation, -1, op, radius});
                rounded_ = rounded_ || radius > 0;
            });
    leaves_ = std::make_shared<const std::vector<PlacedLeaf>>(std::move(leaves));
    depth_ = steps_.size();
}

Program Program::within(const Box3& box) const
{
    Program program;
    program.leaves_ = leaves_;
    program.ghosts_ = ghosts_;
    const bool masked = ghosts_ == Ghosts::masked;
    program.constant_ = true;
    // Start of every waiting value in the new program; a zero that was left out is as long as nothing.
    struct Value {
        std::size_t begin;
        bool zero;
    };
    std::vector<Value> values;
    std::vector<Step>& steps = program.steps_;
    for (const Step& step : steps_) {
        if (step.kind != Step::Kind::operation) {
            auto cover = PlacedLeaf::Cover::none;
            if (step.kind == Step::Kind::whole) cover = PlacedLeaf::Cover::all;
            if (step.kind == Step::Kind::leaf) cover = (*leaves_)[std::size_t(step.leaf)].cover(box);
            values.push_back({steps.size(), cover == PlacedLeaf::Cover::none});
            if (cover == PlacedLeaf::Cover::none) {
                if (!masked) steps.push_back({Step::Kind::zero, -1, Operator::unite, 0});
            } else {
                steps.push_back({cover == PlacedLeaf::Cover::all ? Step::Kind::whole : Step::Kind::leaf, step.leaf,
                                 Operator::unite, 0});
            }
            continue;
        }
        const Value b = values.back(), a = values[values.size() - 2];
        values.pop_back();
        if (!masked) {
            steps.push_back(step);
            values.back().zero = a.zero && b.zero;
            continue;
        }
        const auto drop = [&](std::size_t from, std::size_t to) {
            steps.erase(steps.begin() + std::ptrdiff_t(from), steps.begin() + std::ptrdiff_t(to));
        };
        const bool either = step.op == Operator::unite || step.op == Operator::blend;
        if (a.zero && b.zero) {
            values.back().zero = true;
        } else if (a.zero) {  // only the second operand is left
            if (!either) drop(b.begin, steps.size());
            values.back() = {b.begin, !either};
        } else if (b.zero) {
            const bool kept = either || step.op == Operator::subtract || step.op == Operator::trim;
            if (!kept) drop(a.begin, steps.size());
            values.back().zero = !kept;
        } else {
            steps.push_back(step);
        }
    }
    std::size_t waiting = 0;
    for (const Step& step : steps) {
        if (step.kind == Step::Kind::leaf) program.constant_ = false;
        program.rounded_ = program.rounded_ || step.radius > 0;
        step.kind == Step::Kind::operation ? --waiting : ++waiting;
        program.depth_ = std::max(program.depth_, waiting);
    }
    return program;
}

Sample Program::at(Vec3d point) const
{
    if (steps_.empty()) return {};
    if (rounded_) return rounded_at(point);
    constexpr std::size_t kOnStack = 64;
    Sample few[kOnStack];
    std::vector<Sample> many;
    Sample* values = few;
    if (depth_ > kOnStack) {
        many.resize(depth_);
        values = many.data();
    }
    std::size_t count = 0;
    for (const Step& step : steps_) {
        switch (step.kind) {
            case Step::Kind::leaf:
                values[count++] = (*leaves_)[std::size_t(step.leaf)].at(point);
                break;
            case Step::Kind::whole:
                values[count++] = (*leaves_)[std::size_t(step.leaf)].inside();
                break;
            case Step::Kind::zero:
                values[count++] = {};
                break;
            case Step::Kind::operation: {
                --count;
                Sample& a = values[count - 1];
                a = combine(step.op, a, values[count]);
                if (ghosts_ == Ghosts::masked && a.opacity == 0) a = {};
                break;
            }
        }
    }
    return values[0];
}

Sample Program::rounded_at(Vec3d point) const
{
    constexpr double kFar = 1e12;  // m: of what is nowhere near, or everywhere around
    constexpr std::size_t kOnStack = 32;
    Shaped few[kOnStack];
    std::vector<Shaped> many;
    Shaped* values = few;
    if (depth_ > kOnStack) {
        many.resize(depth_);
        values = many.data();
    }
    std::size_t count = 0;
    for (const Step& step : steps_) {
        switch (step.kind) {
            case Step::Kind::leaf: {
                const PlacedLeaf& leaf = (*leaves_)[std::size_t(step.leaf)];
                values[count++] = {leaf.at(point), leaf.inside(), leaf.distance(point)};
                break;
            }
            case Step::Kind::whole: {
                const Sample& inside = (*leaves_)[std::size_t(step.leaf)].inside();
                values[count++] = {inside, inside, -kFar};
                break;
            }
            case Step::Kind::zero:
                values[count++] = {{}, {}, kFar};
                break;
            case Step::Kind::operation: {
                --count;
                Shaped& a = values[count - 1];
                a = combine(step.op, step.radius, a, values[count]);
                if (ghosts_ == Ghosts::masked && a.sample.opacity == 0) a.sample = {};
                break;
            }
        }
    }
    return values[0].sample;
}

}  // namespace yawara::cvg
