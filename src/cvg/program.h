// A tree cut down to what matters inside a box: leaves that miss the box are left out, so that a tree of thousands of
// nodes costs what its few local ones cost.
#pragma once

#include <vector>

#include "cvg/placed_leaf.h"

namespace yawara::cvg {

/// A leaf where it is in the world; repetitions have it several times.
struct LeafPlace {
    int node;
    Placement around;
    double margin;  ///< m: sum of the radii of the operators above it
};
/// Those beneath a node, in the order in which a program meets them.
std::vector<LeafPlace> leaf_places(const Tree& tree, int node);

class Program {
public:
    /// Everything beneath a node, in its own coordinates; -1: the root. The tree must live longer.
    explicit Program(const Tree& tree, int node = -1);

    /// A program with the same values at all points of a box, without the leaves that miss it. With masked ghosts an
    /// operator that loses an operand goes too; with literal ones a zero takes the operand's place.
    Program within(const Box3& box) const;

    bool empty() const { return steps_.empty(); }
    /// True if the value is the same everywhere in the box this program was made for.
    bool constant() const { return constant_; }
    Sample at(Vec3d point) const;

private:
    /// In postfix order: a leaf, a zero, or an operator on the two values before.
    struct Step {
        enum class Kind { leaf, whole, zero, operation } kind;
        int leaf = -1;
        Operator op = Operator::unite;
        double radius = 0;
    };
    Program() = default;
    Sample rounded_at(Vec3d point) const;

    std::shared_ptr<const std::vector<PlacedLeaf>> leaves_;
    std::vector<Step> steps_;
    Ghosts ghosts_ = Ghosts::masked;
    bool constant_ = false;
    bool rounded_ = false;  ///< an operator with a radius is among the steps
    std::size_t depth_ = 0;  ///< of the stack: most values that wait for an operator at once
};

}  // namespace yawara::cvg
