// Shapes from shapes: twist, bend, taper, stretch and shear of points, for example poses made without a modeller.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "yawara/math.h"

namespace yawara {

/// Deformers act along an axis (0, 1, 2) through the middle of the points' box, between two places on it given as
/// shares of its length; before `from` nothing changes, behind `to` all moves along with what is there.
struct DeformRange {
    double from = 0, to = 1;
};

/// Turns about the axis by an angle (rad) that grows evenly.
struct Twist {
    int axis = 1;
    double angle = 0;
    DeformRange range;
};
/// Bends the axis into an arc of an angle (rad), towards another axis.
struct Bend {
    int axis = 1;
    int towards = 0;
    double angle = 0;
    DeformRange range;
};
/// Scales across the axis, from 1 to `factor`.
struct Taper {
    int axis = 1;
    double factor = 1;
    DeformRange range;
};
/// Scales along the axis; with `keep_volume` across it by one over the root.
struct Stretch {
    int axis = 1;
    double factor = 1;
    bool keep_volume = false;
    DeformRange range;
};
/// Moves along `towards` by `amount` times the distance along the axis.
struct Shear {
    int axis = 1;
    int towards = 0;
    double amount = 0;
    DeformRange range;
};

using Deformer = std::variant<Twist, Bend, Taper, Stretch, Shear>;

/// One after the other, each seeing the box of what the one before left.
std::vector<Vec3d> deformed(std::span<const Vec3d> points, std::span<const Deformer> deformers);

}  // namespace yawara
