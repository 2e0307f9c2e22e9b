#include "cvg/program.h"

#include <algorithm>

namespace yawara::cvg {

void Program::append(const Tree& tree, int node)
{
    // Not recursive: trees may be deep.
    struct Open {
        int node;
        std::size_t next = 0;
    };
    std::vector<int> leaf_of(tree.nodes().size(), -1);
    int count = 0;
    for (std::size_t k = 0; k < tree.nodes().size(); ++k)
        if (tree.nodes()[k].leaf) leaf_of[k] = count++;
    std::vector<Open> open{{node}};
    while (!open.empty()) {
        Open& top = open.back();
        const Tree::Node& n = tree.nodes()[std::size_t(top.node)];
        if (n.leaf) {
            steps_.push_back({Step::Kind::leaf, leaf_of[std::size_t(top.node)], Operator::unite});
            open.pop_back();
            continue;
        }
        if (top.next >= 2) steps_.push_back({Step::Kind::operation, -1, n.op});  // folds what has come so far
        if (top.next == n.args.size()) {
            open.pop_back();
        } else {
            const int argument = n.args[top.next++];
            open.push_back({argument});
        }
    }
}

Program::Program(const Tree& tree) : ghosts_(tree.ghosts)
{
    std::vector<PlacedLeaf> leaves;
    for (const Tree::Node& node : tree.nodes())
        if (node.leaf) leaves.emplace_back(*node.leaf);
    leaves_ = std::make_shared<const std::vector<PlacedLeaf>>(std::move(leaves));
    if (!tree.nodes().empty()) append(tree, int(tree.nodes().size()) - 1);
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
                if (!masked) steps.push_back({Step::Kind::zero, -1, Operator::unite});
            } else {
                steps.push_back({cover == PlacedLeaf::Cover::all ? Step::Kind::whole : Step::Kind::leaf, step.leaf,
                                 Operator::unite});
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
        step.kind == Step::Kind::operation ? --waiting : ++waiting;
        program.depth_ = std::max(program.depth_, waiting);
    }
    return program;
}

Sample Program::at(Vec3d point) const
{
    if (steps_.empty()) return {};
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

}  // namespace yawara::cvg
