// Trees of constructive volume geometry: building, checking, bounds.
#include <algorithm>

#include "cvg/noise.h"
#include "cvg/program.h"

namespace yawara::cvg {

int Tree::add(Leaf leaf)
{
    Node node;
    node.leaf = std::move(leaf);
    nodes_.push_back(std::move(node));
    return int(nodes_.size()) - 1;
}

int Tree::add(Operator op, std::vector<int> args)
{
    Node node;
    node.op = op;
    node.args = std::move(args);
    nodes_.push_back(std::move(node));
    return int(nodes_.size()) - 1;
}

int Tree::find(const std::string& name) const
{
    for (std::size_t k = 0; k < nodes_.size(); ++k)
        if (nodes_[k].leaf && nodes_[k].leaf->name == name) return int(k);
    return -1;
}

Status Tree::check(const std::function<std::string(int)>& where)
{
    if (nodes_.empty()) return Error{"tree", "has no node"};
    const auto place = [&](std::size_t k) { return where ? where(int(k)) : "node " + std::to_string(k); };
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        Node& node = nodes_[k];
        if (node.leaf) {
            if (const std::string fault = fault_of(*node.leaf); !fault.empty()) return Error{place(k), fault};
            if (auto* noise = std::get_if<Noise>(&node.leaf->shape))
                noise->level = noise->share < 1 ? noise_level(noise->share, noise->seed) : -1e9;
            if (auto* enclosed = std::get_if<Enclosed>(&node.leaf->shape); enclosed && !enclosed->level_set) {
                const Vec3d size = yawara::bounds(enclosed->mesh.vertices).size();
                const double voxel = enclosed->voxel > 0 ? enclosed->voxel : std::max({size.x, size.y, size.z}) / 160;
                auto made = LevelSet::from_mesh(enclosed->mesh, voxel);
                if (!made) return Error{place(k), made.error().message()};
                enclosed->level_set = std::make_shared<const LevelSet>(std::move(*made));
            }
            continue;
        }
        const bool pair = node.op == Operator::cap || node.op == Operator::trim;
        if (node.args.size() < 2 || (pair && node.args.size() > 2))
            return Error{place(k), std::to_string(node.args.size()) + " arguments; expected " +
                                       (pair ? "exactly 2" : "at least 2")};
        for (const int argument : node.args)
            if (argument < 0 || std::size_t(argument) >= k)
                return Error{place(k), "argument " + std::to_string(argument) + " is not a node before it: a cycle?"};
    }
    return Done{};
}

Sample Tree::at(Vec3d point) const
{
    return Program(*this).at(point);
}

Box3 Tree::bounds(int leaf) const
{
    return PlacedLeaf(*nodes_[std::size_t(leaf)].leaf).bounds();
}

Box3 Tree::bounds() const
{
    std::vector<Box3> boxes;
    for (const Node& node : nodes_) {
        if (node.leaf) {
            boxes.push_back(PlacedLeaf(*node.leaf).bounds());
            continue;
        }
        Box3 box = boxes[std::size_t(node.args[0])];
        for (std::size_t k = 1; k < node.args.size(); ++k) {
            const Box3& other = boxes[std::size_t(node.args[k])];
            if (node.op == Operator::unite || node.op == Operator::blend) {
                box.low = min(box.low, other.low);
                box.high = max(box.high, other.high);
            } else if (node.op == Operator::intersect) {
                box.low = max(box.low, other.low);
                box.high = min(box.high, other.high);
                for (int axis = 0; axis < 3; ++axis)
                    if (box.low[axis] > box.high[axis]) box = {};
            }
        }
        boxes.push_back(box);
    }
    return boxes.empty() ? Box3{} : boxes.back();
}

}  // namespace yawara::cvg
