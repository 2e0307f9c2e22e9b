#include "field/rbf.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/dense.h"

namespace yawara::field {
namespace {

constexpr double kCoincident = 1e-9;  ///< of the size of the points
constexpr double kFlat = 1e-6;        ///< likewise: a direction with less extent carries no linear term
constexpr std::size_t kFirstCenters = 256;

/// Means over points at one place; sorted along x so that such are near each other.
void merge_coincident(std::vector<Vec3d>& points, Eigen::MatrixXd& values)
{
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return points[a].x < points[b].x; });
    std::vector<bool> taken(points.size(), false);
    std::vector<Vec3d> kept;
    Eigen::MatrixXd means(values.rows(), values.cols());
    for (std::size_t a = 0; a < order.size(); ++a) {
        if (taken[a]) continue;
        Eigen::RowVectorXd sum = values.row(Eigen::Index(order[a]));
        int count = 1;
        for (std::size_t b = a + 1; b < order.size() && points[order[b]].x - points[order[a]].x <= kCoincident; ++b)
            if (!taken[b] && length(points[order[b]] - points[order[a]]) <= kCoincident) {
                taken[b] = true;
                sum += values.row(Eigen::Index(order[b]));
                ++count;
            }
        means.row(Eigen::Index(kept.size())) = sum / count;
        kept.push_back(points[order[a]]);
    }
    points = std::move(kept);
    values = means.topRows(Eigen::Index(points.size()));
}

/// Directions in which the points extend.
std::vector<Vec3d> extents(std::span<const Vec3d> points)
{
    Vec3d mean;
    for (const Vec3d& p : points) mean += p;
    mean = mean / double(points.size());
    Eigen::Matrix3d C = Eigen::Matrix3d::Zero();
    for (const Vec3d& p : points) {
        const Eigen::Vector3d d(p.x - mean.x, p.y - mean.y, p.z - mean.z);
        C += d * d.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(C / double(points.size()));
    std::vector<Vec3d> axes;
    for (int k = 2; k >= 0; --k) {
        if (!(solver.eigenvalues()[k] > kFlat * kFlat)) break;
        const Eigen::Vector3d v = solver.eigenvectors().col(k);
        axes.push_back({v[0], v[1], v[2]});
    }
    return axes;
}

/// Order in which each point is the farthest from those before it.
std::vector<std::size_t> farthest_first(std::span<const Vec3d> points, std::size_t count)
{
    std::vector<std::size_t> order{0};
    std::vector<double> away(points.size(), std::numeric_limits<double>::max());
    while (order.size() < std::min(count, points.size())) {
        std::size_t farthest = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Vec3d d = points[i] - points[order.back()];
            away[i] = std::min(away[i], dot(d, d));
            if (away[i] > away[farthest]) farthest = i;
        }
        order.push_back(farthest);
    }
    return order;
}

}  // namespace

Rbf::Rbf(std::span<const Vec3d> given, const Eigen::MatrixXd& given_values, Kernel kernel, Polynomial polynomial)
    : kernel_(kernel)
{
    Box3 box;
    for (const Vec3d& p : given) box.add(p);
    middle_ = box.center();
    if (box.diagonal() > 0) scale_ = 1 / box.diagonal();
    std::vector<Vec3d> points;
    for (const Vec3d& p : given) points.push_back((p - middle_) * scale_);
    Eigen::MatrixXd values = given_values;
    merge_coincident(points, values);
    if (polynomial == Polynomial::linear) axes_ = extents(points);

    const double range = (values.colwise().maxCoeff() - values.colwise().minCoeff()).maxCoeff();
    const std::vector<std::size_t> order = farthest_first(points, kMostCenters);
    for (std::size_t count = points.size() <= kMostCenters / 2 ? points.size() : kFirstCenters;; count *= 2) {
        count = std::min(count, order.size());
        centers_.clear();
        Eigen::MatrixXd chosen(Eigen::Index(count), values.cols());
        for (std::size_t k = 0; k < count; ++k) {
            centers_.push_back(points[order[k]]);
            chosen.row(Eigen::Index(k)) = values.row(Eigen::Index(order[k]));
        }
        fit(chosen);
        if (count == points.size()) return;
        left_error_ = (in_unit(points) - values).cwiseAbs().maxCoeff();
        if (left_error_ <= kTolerance * range || count == order.size()) return;
    }
}

void Rbf::fit(const Eigen::MatrixXd& values)
{
    // Eigen cuts large matrices to the caches of the processor at hand, and sums in another order on each: the same
    // bits everywhere need the same caches.
    static const bool same_blocks = (Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20), true);
    static_cast<void>(same_blocks);
    const auto n = Eigen::Index(centers_.size()), terms = Eigen::Index(1 + axes_.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + terms, n + terms);
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n + terms, values.cols());
    b.topRows(n) = values;
    for (Eigen::Index i = 0; i < n; ++i) {
        const Vec3d& p = centers_[std::size_t(i)];
        for (Eigen::Index j = 0; j < i; ++j) A(i, j) = A(j, i) = phi(length(p - centers_[std::size_t(j)]));
        A(i, n) = A(n, i) = 1;
        for (Eigen::Index k = 1; k < terms; ++k) A(i, n + k) = A(n + k, i) = dot(p, axes_[std::size_t(k - 1)]);
    }
    weights_ = A.partialPivLu().solve(b);
    const double size = std::max(1.0, values.cwiseAbs().maxCoeff());
    if (!weights_.allFinite() || !((A * weights_ - b).cwiseAbs().maxCoeff() < 1e-6 * size))
        weights_ = least_squares(A, b);
}

/// Eight points at a time, each with sums of its own: the compiler does them side by side, and the bits are the same as
/// one by one.
template <int Columns>
Eigen::Matrix<double, Eigen::Dynamic, Columns> Rbf::sums(std::span<const Vec3d> points, Eigen::Index first_column) const
{
    constexpr std::size_t kLanes = 8;
    using Lanes = std::array<double, kLanes>;
    const auto n = Eigen::Index(centers_.size());
    std::vector<std::array<double, Columns>> weights(static_cast<std::size_t>(weights_.rows()));
    for (Eigen::Index row = 0; row < weights_.rows(); ++row)
        for (int c = 0; c < Columns; ++c) weights[std::size_t(row)][std::size_t(c)] = weights_(row, first_column + c);
    Eigen::Matrix<double, Eigen::Dynamic, Columns> out(Eigen::Index(points.size()), Columns);
    for (std::size_t first = 0; first < points.size(); first += kLanes) {
        const std::size_t count = std::min(kLanes, points.size() - first);
        Lanes x{}, y{}, z{};
        for (std::size_t l = 0; l < count; ++l) {
            x[l] = points[first + l].x;
            y[l] = points[first + l].y;
            z[l] = points[first + l].z;
        }
        std::array<Lanes, Columns> sum;
        for (std::size_t c = 0; c < Columns; ++c) sum[c].fill(weights[std::size_t(n)][c]);
        const auto add = [&](const std::array<double, Columns>& w, const Lanes& times) {
            for (std::size_t c = 0; c < Columns; ++c)
                for (std::size_t l = 0; l < kLanes; ++l) sum[c][l] += w[c] * times[l];
        };
        for (std::size_t k = 0; k < centers_.size(); ++k) {
            const Vec3d center = centers_[k];
            Lanes r;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const double dx = x[l] - center.x, dy = y[l] - center.y, dz = z[l] - center.z;
                r[l] = std::sqrt(dx * dx + dy * dy + dz * dz);
            }
            if (kernel_ == Kernel::r3)
                for (double& far : r) far = far * far * far;
            add(weights[k], r);
        }
        for (std::size_t k = 0; k < axes_.size(); ++k) {
            Lanes along;
            for (std::size_t l = 0; l < kLanes; ++l)
                along[l] = x[l] * axes_[k].x + y[l] * axes_[k].y + z[l] * axes_[k].z;
            add(weights[std::size_t(n) + 1 + k], along);
        }
        for (std::size_t c = 0; c < Columns; ++c)
            for (std::size_t l = 0; l < count; ++l) out(Eigen::Index(first + l), Eigen::Index(c)) = sum[c][l];
    }
    return out;
}

Eigen::MatrixXd Rbf::in_unit(std::span<const Vec3d> points) const
{
    switch (weights_.cols()) {  // numbers, directions, tensors
        case 1:
            return sums<1>(points);
        case 3:
            return sums<3>(points);
        case 6:
            return sums<6>(points);
    }
    Eigen::MatrixXd out(Eigen::Index(points.size()), weights_.cols());
    for (Eigen::Index c = 0; c < weights_.cols(); ++c) out.col(c) = sums<1>(points, c);
    return out;
}

Eigen::MatrixXd Rbf::operator()(std::span<const Vec3d> points) const
{
    std::vector<Vec3d> unit;
    for (const Vec3d& p : points) unit.push_back((p - middle_) * scale_);
    return in_unit(unit);
}

Vec3d Rbf::gradient(Vec3d point) const
{
    const Vec3d p = (point - middle_) * scale_;
    const auto n = Eigen::Index(centers_.size());
    Vec3d sum;
    for (Eigen::Index k = 0; k < n; ++k) {
        const Vec3d d = p - centers_[std::size_t(k)];
        const double r = length(d);
        if (r > 0) sum += d * (weights_(k, 0) * (kernel_ == Kernel::r ? 1 / r : 3 * r));
    }
    for (std::size_t k = 0; k < axes_.size(); ++k) sum += axes_[k] * weights_(n + 1 + Eigen::Index(k), 0);
    return sum * scale_;
}

}  // namespace yawara::field
