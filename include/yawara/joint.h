// Joints: what holds bodies together, or to the world. Scene::add takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "yawara/id.h"
#include "yawara/math.h"

namespace yawara {

/// What a joint holds on one of its sides.
struct JointSide {
    std::optional<BodyId> body{};  ///< none: the world
    Vec3d point{};                 ///< m, where it is held, as the bodies are now
    /// That carry it, if the body is not rigid; none: those near the point. A weld holds each of them.
    std::vector<std::int32_t> particles{};
};

/// Glue: the two sides keep their places and turns.
struct Weld {};
/// The two points stay together.
struct BallJoint {};
/// The two points stay together, and turn about an axis alone.
struct Hinge {
    Vec3d axis{0, 0, 1};                               ///< as the bodies are now
    std::optional<std::pair<double, double>> limit{};  ///< rad: of side a against side b, from where they are now
    double speed = 0;                                  ///< rad/s, that the motor wants
    double torque = 0;                                 ///< N m, most that the motor gives; 0: none
};
/// The two points are no farther apart than this.
struct Rope {
    double length = 1;  ///< m
};

/// Momentum is kept: what one side is pushed, the other is pushed back.
struct Joint {
    std::variant<Weld, BallJoint, Hinge, Rope> kind = BallJoint{};
    JointSide a{}, b{};
};

}  // namespace yawara
