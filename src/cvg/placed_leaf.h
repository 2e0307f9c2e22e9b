// A leaf ready for evaluation: where it is, what it holds, how far away its surface is, and whether a whole box is inside
// or outside of it.
#pragma once

#include "yawara/cvg.h"

namespace yawara::cvg {

class PlacedLeaf {
public:
    /// `around`: placement of all that the leaf belongs to. `margin`, m: operators round edges up to this distance, so
    /// nearby boxes matter too.
    explicit PlacedLeaf(const Leaf& leaf, const Placement& around = {}, double margin = 0);

    Sample at(Vec3d point) const;
    const Sample& inside() const { return leaf_.inside; }
    const Box3& bounds() const { return bounds_; }
    double margin() const { return margin_; }
    /// From the surface, negative inside: exact if all scales are alike, else to first order, and never less than the
    /// distance from the bounds.
    double distance(Vec3d point) const;

    enum class Cover { none, some, all };
    /// How the leaf covers a box: with its attributes everywhere and at least the margin deep, nowhere and at least the
    /// margin away, or in part. May say `some` in doubt.
    Cover cover(const Box3& box) const;

private:
    Vec3d local(Vec3d point) const { return to_local_ * (point - origin_); }
    bool holds(Vec3d local_point) const;

    const Leaf& leaf_;
    Mat3d to_local_;
    Vec3d origin_;
    double stretch_ = 1;  ///< length of the longest image of a unit vector in local coordinates
    double scale_ = 0;    ///< of all directions alike; 0: they differ
    double margin_ = 0;
    Box3 bounds_;
};

/// What is wrong with a leaf, in words; empty: nothing.
std::string fault_of(const Leaf& leaf);
/// What is wrong with a transform, in words; empty: nothing.
std::string fault_of(const Transform& transform);
/// Scaled, then turned, then moved.
Placement placement_of(const Transform& transform);
/// First `inner`, then `outer`.
Placement after(const Placement& outer, const Placement& inner);

}  // namespace yawara::cvg
