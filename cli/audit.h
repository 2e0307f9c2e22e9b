// How far the adaptive motion is from that at full resolution: the same scene a second time, all tets at the finest
// level, stepped beside it.
#pragma once

#include <memory>
#include <vector>

#include "yawara/scene_file.h"

namespace yawara::cli {

/// Of one body in one frame.
struct Difference {
    double rms = 0;           ///< of the positions by mass, as a share of the body's largest extent
    double shape = 0;         ///< likewise, after the best rigid motion: what is left of it is not place or tilt
    double tilt_degrees = 0;  ///< between the two as rigid bodies
    double energy = 0;        ///< J, kinetic and elastic, adaptive minus full
};

class Audit {
public:
    explicit Audit(LoadedScene full);

    /// Steps the full scene by a frame and compares; `reports` are those of the adaptive one, measured.
    const std::vector<Difference>& step(const Scene& adaptive, std::span<const StepReport> reports);

    double seconds() const { return seconds_; }  ///< spent in steps at full resolution
    const std::vector<Difference>& largest() const { return largest_; }
    const std::vector<Difference>& last() const { return last_; }

private:
    std::unique_ptr<LoadedScene> full_;
    std::vector<Difference> last_, largest_;
    double seconds_ = 0;
};

}  // namespace yawara::cli
