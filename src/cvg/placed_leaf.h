// A leaf ready for evaluation: where it is, what it holds, and whether a whole box is inside or outside of it.
#pragma once

#include "yawara/cvg.h"

namespace yawara::cvg {

class PlacedLeaf {
public:
    explicit PlacedLeaf(const Leaf& leaf);

    Sample at(Vec3d point) const;
    const Sample& inside() const { return leaf_.inside; }
    const Box3& bounds() const { return bounds_; }

    enum class Cover { none, some, all };
    /// How the leaf covers a box: with its attributes everywhere, nowhere, or in part. May say `some` in doubt.
    Cover cover(const Box3& box) const;

private:
    Vec3d local(Vec3d point) const { return to_local_ * (point - leaf_.transform.translate); }
    bool holds(Vec3d local_point) const;

    const Leaf& leaf_;
    Mat3d to_local_;
    double stretch_ = 1;  ///< length of the longest image of a unit vector in local coordinates
    Box3 bounds_;
};

/// What is wrong with a leaf, in words; empty: nothing.
std::string fault_of(const Leaf& leaf);

}  // namespace yawara::cvg
