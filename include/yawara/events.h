// What happened in a scene in its last frame: touches, sleep, repairs, lost joints.
#pragma once

#include <variant>

#include "yawara/id.h"
#include "yawara/math.h"

namespace yawara {

/// A body touched another, or an obstacle.
struct TouchEvent {
    enum class Phase { began, stayed, ended };
    Phase phase = Phase::began;
    BodyId body;
    std::variant<BodyId, ColliderId> other;
    Vec3 point{};         ///< m, in the middle of where they touched; if it has ended: of the last time
    Vec3 normal{};        ///< out of the other, unit
    float impulse = 0;    ///< N s, by which the body was pushed away from the other in all
    bool sensor = false;  ///< one of them only reports
};

/// Something else that a program may want to know.
struct SceneEvent {
    enum class What {
        slept,      ///< a body
        woke,       ///< a body
        repaired,   ///< a body: numbers of its state or settings were none
        exploded,   ///< a body: grown to several times its size, or collapsed
        lost_joint  ///< a joint whose body was removed, or cut off
    };
    What what = What::slept;
    std::variant<BodyId, JointId> who;
};

}  // namespace yawara
