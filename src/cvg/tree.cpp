// Trees of constructive volume geometry: building, checking, bounds.
#include <algorithm>
#include <cmath>

#include "cvg/noise.h"
#include "cvg/program.h"
#include "cvg/shape_distance.h"

namespace yawara::cvg {
namespace {

constexpr double kMostLeaves = 1e6;

void add(Box3& box, const Box3& other)
{
    box.low = min(box.low, other.low);
    box.high = max(box.high, other.high);
}

Box3 wider(Box3 box, double by)
{
    if (box.empty()) return box;
    return {box.low - Vec3d{by, by, by}, box.high + Vec3d{by, by, by}};
}

/// What is wrong with an operator or a repetition, the k-th node; empty: nothing.
std::string fault_of(const Tree::Node& node, std::size_t k)
{
    for (const int argument : node.args)
        if (argument < 0 || std::size_t(argument) >= k)
            return "argument " + std::to_string(argument) + " is not a node before it: a cycle?";
    if (std::string fault = fault_of(node.transform); !fault.empty()) return fault;
    if (!(node.radius >= 0) || !std::isfinite(node.radius)) return "the radius is negative, or not a number";
    if (node.repeat) {
        const Repeat& repeat = *node.repeat;
        if (!is_finite(repeat.point) || !is_finite(repeat.direction) || !(length(repeat.direction) > 0))
            return "the direction of a repetition has to have a length";
        return repeat.count >= 2 && repeat.count <= 1000 ? "" : "a repetition needs 2 to 1000 copies";
    }
    const bool pair = node.op == Operator::cap || node.op == Operator::trim;
    if (node.args.size() < 2 || (pair && node.args.size() > 2))
        return std::to_string(node.args.size()) + " arguments; expected " + (pair ? "exactly 2" : "at least 2");
    if (node.radius > 0 && (pair || node.op == Operator::blend))
        return "only union, intersection and difference can have a radius";
    return "";
}

/// But for their names.
bool same_shape(const Leaf& a, const Leaf& b)
{
    return a.shape == b.shape && a.inside == b.inside && a.transform == b.transform;
}

/// Makes what a leaf needs to be evaluated.
Status prepare(Leaf& leaf, const std::string& place)
{
    if (auto* noise = std::get_if<Noise>(&leaf.shape))
        noise->level = noise->share < 1 ? noise_level(noise->share, noise->seed) : -1e9;
    if (auto* enclosed = std::get_if<Enclosed>(&leaf.shape); enclosed && !enclosed->level_set) {
        const Vec3d size = yawara::bounds(enclosed->mesh.vertices).size();
        const double voxel = enclosed->voxel > 0 ? enclosed->voxel : std::max({size.x, size.y, size.z}) / 160;
        auto made = LevelSet::from_mesh(enclosed->mesh, voxel);
        if (!made) return Error{place, made.error().message()};
        enclosed->level_set = std::make_shared<const LevelSet>(std::move(*made));
    }
    return Done{};
}

}  // namespace

int Tree::add(Leaf leaf)
{
    Node node;
    node.leaf = std::move(leaf);
    nodes_.push_back(std::move(node));
    return int(nodes_.size()) - 1;
}

int Tree::add(Operator op, std::vector<int> args, double radius, Transform transform)
{
    Node node;
    node.op = op;
    node.args = std::move(args);
    node.radius = radius;
    node.transform = transform;
    nodes_.push_back(std::move(node));
    return int(nodes_.size()) - 1;
}

int Tree::add(Repeat repeat, int of, double radius, Transform transform)
{
    Node node;
    node.repeat = repeat;
    if (repeat.kind == Repeat::Kind::mirror) node.repeat->count = 2;
    node.args = {of};
    node.radius = radius;
    node.transform = transform;
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
    std::vector<double> counts;  // of leaves, with all repetitions
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        Node& node = nodes_[k];
        node.place = where ? where(int(k)) : "node " + std::to_string(k);
        if (node.leaf) {
            if (const std::string fault = fault_of(*node.leaf); !fault.empty()) return Error{node.place, fault};
            if (const Status s = prepare(*node.leaf, node.place); !s) return s;
        } else if (const std::string fault = fault_of(node, k); !fault.empty()) {
            return Error{node.place, fault};
        }
        double count = node.leaf ? 1 : 0;
        for (const int argument : node.args) count += counts[std::size_t(argument)];
        counts.push_back(node.repeat ? count * node.repeat->count : count);
        if (counts.back() > kMostLeaves)
            return Error{node.place, "has more than a million shapes with all repetitions"};
    }
    for (const LeafPlace& leaf : leaf_places(*this, int(nodes_.size()) - 1)) {
        Node& node = nodes_[std::size_t(leaf.node)];
        if (leaf.margin == 0) continue;
        if (std::holds_alternative<Sampled>(node.leaf->shape))
            return Error{node.place, "a volume file has no distances, so no operator above it can round: set its radius to 0"};
        if (auto* enclosed = std::get_if<Enclosed>(&node.leaf->shape); enclosed && !enclosed->distance)
            enclosed->distance = mesh_distance(*enclosed->level_set);
    }
    return Done{};
}

Sample Tree::at(Vec3d point) const
{
    return Program(*this).at(point);
}

Box3 Tree::bounds(int node) const
{
    std::vector<char> beneath(nodes_.size(), 0);
    beneath[std::size_t(node)] = 1;
    for (std::size_t k = std::size_t(node) + 1; k-- > 0;)
        if (beneath[k])
            for (const int argument : nodes_[k].args) beneath[std::size_t(argument)] = 1;
    Box3 box;
    for (const LeafPlace& leaf : leaf_places(*this, int(nodes_.size()) - 1))
        if (beneath[std::size_t(leaf.node)]) {
            const PlacedLeaf placed(*nodes_[std::size_t(leaf.node)].leaf, leaf.around, leaf.margin);
            cvg::add(box, wider(placed.bounds(), leaf.margin));
        }
    return box;
}

Box3 Tree::bounds() const
{
    // A leaf has the same box in every repetition; intersections are cut to what both have.
    std::vector<Box3> boxes;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const Node& node = nodes_[n];
        if (node.leaf) {
            boxes.push_back(PlacedLeaf(*node.leaf).bounds());
            continue;
        }
        if (node.repeat || !(node.transform == Transform{})) {
            Box3 box;  // as a whole, in the coordinates around it
            for (const LeafPlace& leaf : leaf_places(*this, int(n)))
                cvg::add(box, wider(PlacedLeaf(*nodes_[std::size_t(leaf.node)].leaf, leaf.around).bounds(), leaf.margin));
            boxes.push_back(box);
            continue;
        }
        Box3 box = boxes[std::size_t(node.args[0])];
        for (std::size_t k = 1; k < node.args.size(); ++k) {
            const Box3& other = boxes[std::size_t(node.args[k])];
            if (node.op == Operator::unite || node.op == Operator::blend) {
                cvg::add(box, other);
            } else if (node.op == Operator::intersect) {
                box.low = max(box.low, other.low);
                box.high = min(box.high, other.high);
                for (int axis = 0; axis < 3; ++axis)
                    if (box.low[axis] > box.high[axis]) box = {};
            }
        }
        boxes.push_back(node.op == Operator::unite ? wider(box, node.radius) : box);
    }
    return boxes.empty() ? Box3{} : boxes.back();
}

int Tree::erasing_node() const
{
    constexpr int kAcross = 24;
    const auto is_there = [&](int node) {
        Box3 box;
        for (const LeafPlace& leaf : leaf_places(*this, node))
            cvg::add(box, PlacedLeaf(*nodes_[std::size_t(leaf.node)].leaf, leaf.around).bounds());
        if (box.empty()) return false;
        const Program program(*this, node);
        const Vec3d step = box.size() / double(kAcross);
        for (int k = 0; k < kAcross * kAcross * kAcross; ++k) {
            const Vec3d at{k % kAcross + 0.5, k / kAcross % kAcross + 0.5, k / (kAcross * kAcross) + 0.5};
            if (program.at(box.low + Vec3d{at.x * step.x, at.y * step.y, at.z * step.z}).opacity > 0) return true;
        }
        return false;
    };
    std::vector<char> there;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const Node& node = nodes_[k];
        there.push_back(node.leaf ? node.leaf->inside.opacity > 0 : is_there(int(k)));
        const bool any = std::ranges::any_of(node.args, [&](int a) { return there[std::size_t(a)] != 0; });
        if (!there.back() && (node.leaf || any)) return int(k);
    }
    return -1;
}

Box3 changed(const Tree& before, const Tree& after)
{
    const auto hull = [](const Tree& tree, int node) { return node < 0 ? Box3{} : tree.bounds(node); };
    const int last = int(before.nodes().size()) - 1, root = int(after.nodes().size()) - 1;
    Box3 box;
    std::vector<std::pair<int, int>> open{{last, root}};
    if (before.ghosts != after.ghosts || last < 0 || root < 0) {
        add(box, hull(before, last));
        add(box, hull(after, root));
        return box;
    }
    while (!open.empty()) {
        const auto [a, b] = open.back();
        open.pop_back();
        const Tree::Node &from = before.nodes()[std::size_t(a)], &to = after.nodes()[std::size_t(b)];
        const bool alike = from.leaf.has_value() == to.leaf.has_value() && from.repeat == to.repeat &&
                           from.op == to.op && from.args.size() == to.args.size() && from.radius == to.radius &&
                           from.transform == to.transform && (!from.leaf || same_shape(*from.leaf, *to.leaf));
        if (!alike) {
            add(box, hull(before, a));
            add(box, hull(after, b));
        } else {
            for (std::size_t k = 0; k < from.args.size(); ++k) open.emplace_back(from.args[k], to.args[k]);
        }
    }
    return box;
}

}  // namespace yawara::cvg
