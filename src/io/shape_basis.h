// The fewest shapes whose sums are all frames of a surface within a tolerance.
// Used by clip_shapes.cpp.
#pragma once

#include <vector>

#include "io/local_frames.h"

namespace yawara::io {

/// Frame f is frame 0 + sum_k weights(f, k) * shapes.row(k); the shapes are orthonormal.
struct ShapeBasis {
    Rows shapes;
    Eigen::MatrixXd weights;
};

/// Finds bases of the same frames for one tolerance after another.
class BasisFinder {
public:
    /// `tolerance`: the finest that will be asked for.
    BasisFinder(LocalFrames& frames, double tolerance);

    /// All frames within `tolerance` at the vertices that were looked at so far.
    ShapeBasis find(double tolerance);
    /// Vertices that were found further off than they should be: find() looks at them from now on.
    void look_at(std::vector<std::size_t> vertices);

private:
    void choose_candidates(double tolerance);
    void sample(std::span<const std::size_t> vertices);
    Eigen::MatrixXd fewest(double tolerance) const;

    LocalFrames& frames_;
    std::vector<std::size_t> training_;  // frames that candidates are made from
    Eigen::MatrixXd combine_;            // candidates x training frames: orthonormal candidates of shapes
    Eigen::MatrixXd coordinates_;        // frames x candidates
    std::vector<std::size_t> sampled_;   // vertices that are looked at
    Rows candidates_at_sampled_;         // candidates x 3 sampled
};

}  // namespace yawara::io
