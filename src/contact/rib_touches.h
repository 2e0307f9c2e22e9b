// Thin parts keep half their thickness, whatever presses them together in one step.
#pragma once

#include <vector>

#include "contact/touch.h"

namespace yawara::contact {

/// The ribs of one body as touches of the body with itself. Contact stops one side of a sheet, the other goes on: where
/// a step is longer than the sheet is thick it would come out in front, and the sheet would be inside out.
class RibTouches {
public:
    explicit RibTouches(const BodySurface& surface) : moved_(surface.rest.size()) {}

    void clear() { touches_.clear(); }
    /// Finds ribs that are too short, or have particles among the touched ones; adds all their particles that yield.
    void find(const ContactBody& body, float dt, std::vector<std::int32_t>& touched);
    std::span<Touch> touches() { return touches_; }
    /// Of the contact of the body with itself, m.
    float thickness() const { return law_.thickness; }

private:
    std::vector<Touch> touches_;
    TouchLaw law_{};
    std::vector<char> moved_;  ///< per particle: among the touched
};

}  // namespace yawara::contact
