// Least squares in the unit cube, asked for in batches: what can be evaluated at once is.
#pragma once

#include <functional>
#include <vector>

namespace yawara::sweep {

using Point = std::vector<double>;
/// Residuals of every point; an empty list: asked to end.
using Residuals = std::function<std::vector<std::vector<double>>(const std::vector<Point>& points)>;

struct LeastSquares {
    Point best;
    std::vector<double> residuals;  ///< of the best
    std::vector<double> slopes;     ///< length of each column of the last Jacobian
    int rounds = 0;
    bool converged = false, ended = false;
};

/// Gauss-Newton steps damped as Levenberg and Marquardt do, from the best of `starts`. Differences are taken wide at
/// first and narrow near the end; several dampings are tried at once. `told` after every round.
LeastSquares minimise(const Residuals& residuals, const std::vector<Point>& starts, int most_rounds,
                      const std::function<void(const LeastSquares&)>& told);

double sum_of_squares(const std::vector<double>& residuals);

}  // namespace yawara::sweep
