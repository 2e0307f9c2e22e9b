// Time slices of a step in which a finite-element body may meet another: Scene (sim/scene.cpp) goes through them.
//
// A body on explicit finite elements moves in many short sub-steps of its own. Were contact to push its nodes after
// several of them, as it does with matching bodies, the layer under the surface would have given way meanwhile and be
// crushed by the push: energy from nowhere, with three sub-steps already an explosion of stiff sheets. So contact has
// its turn after every sub-step of the finest level; SolidKind::slices tells how many there are.
//
// Also a step in which bodies may meet that come closer by more than they are thick is cut: each of its slices brings
// them closer by half as much, so that none is on the other side before contact has had its turn.
#pragma once

#include <span>
#include <vector>

#include "contact/body_surface.h"
#include "yawara/scene.h"

namespace yawara {

/// Where a body may be in the coming step, wider by `margin`.
contact::FloatBox swept_box(const BodyState& state, float margin, double dt);

/// How quick a body is, m/s.
struct Quickness {
    Vec3 mean;            ///< velocity of the whole
    float deviation = 0;  ///< root of the mean square of what its particles deviate from that
};
Quickness quickness(std::span<const Vec3> velocities);
/// The largest speed of a particle, m/s.
float fastest(std::span<const Vec3> velocities);

/// Into how many slices a step has to be cut in which two bodies come closer by `approach` at most, the thinner one of
/// which is `thickness` thick, m.
int slices_of_approach(float approach, float thickness);

/// A body of one step walks its way in slices: straight on with its velocities, which contact may change in between.
class SlicedMotion {
public:
    /// After a step of dt from `before`: takes the body back there.
    void begin(std::span<const Vec3> before, double dt, int slices, BodyState& state);
    void advance(BodyState& state) const;

private:
    std::vector<Vec3> obstacle_shift_;  ///< per slice, m: what obstacles added to the velocity's way
    float h_ = 0;              ///< of a slice, s
};

}  // namespace yawara
