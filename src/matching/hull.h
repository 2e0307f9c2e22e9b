// The point of a convex hull nearest to a state, in the coordinates of examples: [Examples] 3.6, 12.4.
#pragma once

#include <Eigen/Core>
#include <span>

namespace yawara::matching {

/// As many examples as a body may have; with this bound nothing here allocates.
constexpr int kMostExamples = 32;
using GramMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMostExamples, kMostExamples>;

/// Weights w >= 0 of the examples, sum w <= 1 (what is missing belongs to the rest shape), that make
/// w^T G w - 2 b^T w smallest. G = L^T L may be singular: the nearest point is unique, weights that make it are found.
/// Active sets grow and shrink one example at a time (Wolfe's nearest point), so it ends.
void nearest_in_hull(const GramMatrix& gram, std::span<const double> b, std::span<double> weights);

/// The paper's rule as it ends: least squares without bounds, then the nearest point of the unit simplex to the
/// weights, that of the rest shape among them. `inverse` is the pseudo-inverse of G.
void nearest_weights(const GramMatrix& inverse, std::span<const double> b, std::span<double> weights);

/// Pseudo-inverse of a Gram matrix; eigenvalues below `least` count as zero.
GramMatrix pseudo_inverse(const GramMatrix& gram, double least);

}  // namespace yawara::matching
