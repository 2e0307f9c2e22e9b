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
    bool empty() const { return touches_.empty(); }
    /// Finds ribs that are too short, or have particles among the touched ones; adds all their particles that yield.
    void find(const ContactBody& body, float dt, std::vector<std::int32_t>& touched);
    /// One sweep. The answer is the largest move, in thicknesses of the contact.
    float solve_positions(const ContactBody& body, float dt);
    void solve_speeds(const ContactBody& body, float dt) const;

private:
    std::vector<Touch> touches_;
    TouchLaw law_{};
    std::vector<char> moved_;  ///< per particle: among the touched
};

}  // namespace yawara::contact
