// Two batches a round: differences in every direction, then steps of several lengths.
#include "sweep/least_squares.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

namespace yawara::sweep {

namespace {

constexpr double kWidest = 0.02, kNarrowest = 1e-5;  // differences
constexpr double kSmallStep = 2e-5;                  // the numbers are found
constexpr double kFirstDamping = 1e-2;
constexpr std::array<double, 4> kFactors{0.03, 0.3, 3, 30};  // of the damping, tried at once
constexpr int kMostRefusals = 4;                             // rounds without gain

/// The best of a batch, if it is better.
bool take_best(const std::vector<Point>& points, std::vector<std::vector<double>>& found, LeastSquares& at)
{
    bool better = false;
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (!at.residuals.empty() && !(sum_of_squares(found[k]) < sum_of_squares(at.residuals))) continue;
        at.best = points[k];
        at.residuals = found[k];
        better = true;
    }
    return better;
}

double distance(const Point& a, const Point& b)
{
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

}  // namespace

double sum_of_squares(const std::vector<double>& residuals)
{
    double sum = 0;
    for (const double r : residuals) sum += r * r;
    return sum;
}

LeastSquares minimise(const Residuals& residuals, const std::vector<Point>& starts, int most_rounds,
                      const std::function<void(const LeastSquares&)>& told)
{
    LeastSquares at;
    const auto evaluate = [&](const std::vector<Point>& points) {
        auto found = residuals(points);
        at.ended = found.empty();
        return found;
    };
    auto found = evaluate(starts);
    if (at.ended) return at;
    take_best(starts, found, at);
    told(at);

    const std::size_t n = at.best.size(), m = at.residuals.size();
    double damping = kFirstDamping, width = kWidest;
    int refusals = 0;
    while (at.rounds < most_rounds && !at.converged) {
        ++at.rounds;
        const Point centre = at.best;
        const std::vector<double> here = at.residuals;
        std::vector<Point> around(n, centre);
        for (std::size_t k = 0; k < n; ++k) around[k][k] += centre[k] + width <= 1 ? width : -width;
        found = evaluate(around);
        if (at.ended) return at;
        Eigen::MatrixXd jacobian(m, n);
        Eigen::VectorXd r(m);
        at.slopes.assign(n, 0);
        for (std::size_t row = 0; row < m; ++row) {
            r[Eigen::Index(row)] = here[row];
            for (std::size_t k = 0; k < n; ++k)
                jacobian(Eigen::Index(row), Eigen::Index(k)) = (found[k][row] - here[row]) / (around[k][k] - centre[k]);
        }
        for (std::size_t k = 0; k < n; ++k) at.slopes[k] = jacobian.col(Eigen::Index(k)).norm();
        take_best(around, found, at);

        const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
        const Eigen::VectorXd gradient = jacobian.transpose() * r;
        const Eigen::VectorXd scale = normal.diagonal().array() + 1e-12 * (normal.diagonal().maxCoeff() + 1e-300);
        std::vector<Point> tries;
        for (const double factor : kFactors) {
            Eigen::MatrixXd damped = normal;
            damped.diagonal() += factor * damping * scale;
            const Eigen::VectorXd step = damped.ldlt().solve(-gradient);
            Point next = centre;
            for (std::size_t k = 0; k < n; ++k) {
                const double move = step[Eigen::Index(k)];
                next[k] = std::clamp(centre[k] + (std::isfinite(move) ? move : 0.0), 0.0, 1.0);
            }
            tries.push_back(next);
        }
        found = evaluate(tries);
        if (at.ended) return at;
        const std::size_t chosen = static_cast<std::size_t>(
            std::ranges::min_element(found, {}, [](const auto& each) { return sum_of_squares(each); }) - found.begin());
        const bool better = take_best(tries, found, at);
        const double moved = distance(centre, at.best);
        damping = std::clamp(damping * (better ? kFactors[chosen] : kFactors.back()), 1e-9, 1e6);
        if (!better && damping > 1e4) damping = kFirstDamping;  // the differences were wrong, not the step
        width = moved > 0 ? std::clamp(moved / 4, kNarrowest, kWidest) : std::max(kNarrowest, width / 5);
        const double before = sum_of_squares(here), now = sum_of_squares(at.residuals);
        refusals = before - now < 1e-6 * before ? refusals + 1 : 0;
        at.converged = now == 0 || distance(centre, tries[0]) < kSmallStep || refusals >= kMostRefusals;
        told(at);
    }
    return at;
}

}  // namespace yawara::sweep
