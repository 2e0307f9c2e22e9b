// Interpolation of scattered values by radial functions with a polynomial, [ProcDef] 6.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "yawara/math.h"

namespace yawara::field {

/// r: no overshoot to speak of, a kink at every sample. r3: smooth, with a gradient everywhere.
enum class Kernel { r, r3 };
enum class Polynomial { constant, linear };

/// f(p) = sum_j w_j phi(|p - p_j|) + a polynomial, for several values at each point. Samples at one place are averaged.
/// Where the points lie in a plane or on a line, the polynomial is one of that plane or line. Thousands of samples are
/// thinned: farthest points first, doubled until the left-out values are met within `kTolerance` of their range or
/// there are `kMostCenters`, which takes a dense factorisation of that size (a tenth of a second for 1024).
class Rbf {
public:
    static constexpr std::size_t kMostCenters = 1024;
    static constexpr double kTolerance = 1e-3;

    /// `values`: one row a point, at least one.
    Rbf(std::span<const Vec3d> points, const Eigen::MatrixXd& values, Kernel kernel, Polynomial polynomial);

    /// A row of values for each point.
    Eigen::MatrixXd operator()(std::span<const Vec3d> points) const;
    Eigen::RowVectorXd operator()(Vec3d point) const { return (*this)(std::span(&point, 1)); }
    Vec3d gradient(Vec3d point) const;  ///< of the first value
    /// Largest distance of a sample from the interpolant; 0 unless thinned.
    double left_error() const { return left_error_; }
    std::size_t center_count() const { return centers_.size(); }

private:
    double phi(double r) const { return kernel_ == Kernel::r ? r : r * r * r; }
    void fit(const Eigen::MatrixXd& values);
    Eigen::MatrixXd in_unit(std::span<const Vec3d> points) const;
    template <int Columns>
    Eigen::Matrix<double, Eigen::Dynamic, Columns> sums(std::span<const Vec3d> points,
                                                        Eigen::Index first_column = 0) const;

    Kernel kernel_;
    Vec3d middle_;
    double scale_ = 1;            ///< 1 / size of the points
    std::vector<Vec3d> centers_;  ///< in units of that size about the middle
    std::vector<Vec3d> axes_;     ///< directions of the linear terms
    Eigen::MatrixXd weights_;     ///< a row per centre, then the constant, then per axis
    double left_error_ = 0;
};

}  // namespace yawara::field
