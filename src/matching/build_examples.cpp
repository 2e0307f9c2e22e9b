// What is constant about examples: their stretch in every region, the rows of the projection and its Gram matrices,
// [Examples] 5, in double.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "matching/examples.h"
#include "matching/region_sums.h"
#include "yawara/rotation.h"

namespace yawara::matching {
namespace {

constexpr double kCoarse = 0.1;        ///< share of its energy that makes a body too coarse for an example
using Packed = std::array<double, 6>;  ///< xx, yy, zz, yz, xz, xy

Packed pack(const Mat3d& m)
{
    return {m.c0.x, m.c1.y, m.c2.z, (m.c1.z + m.c2.y) / 2, (m.c0.z + m.c2.x) / 2, (m.c0.y + m.c1.x) / 2};
}

/// Members of a region about their centre of mass.
std::vector<Vec3d> about_center(const Regions& regions, std::size_t r, std::span<const Vec3d> positions,
                                std::span<const double> masses)
{
    std::vector<Vec3d> points;
    double mass = 0;
    Vec3d center;
    for (const std::int32_t member : regions.lists()[r]) {
        const auto i = std::size_t(member);
        const double m = masses[i] / double(regions.holders()[i].size());
        points.push_back(positions[i]);
        mass += m;
        center += positions[i] * m;
    }
    for (Vec3d& p : points) p -= center / mass;
    return points;
}

/// Inverse of a covariance, or nothing if the points lie in a plane.
std::optional<Mat3d> inverse_of(const Mat3d& m)
{
    Eigen::Matrix3d e;
    e << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
    const Eigen::Vector3d values =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(e, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(values[0] > 1e-9 * values[2])) return std::nullopt;
    const Eigen::Matrix3d i = e.inverse();
    return Mat3d{{i(0, 0), i(1, 0), i(2, 0)}, {i(0, 1), i(1, 1), i(2, 1)}, {i(0, 2), i(1, 2), i(2, 2)}};
}

/// What is constant about the regions at rest.
struct RestShapes {
    std::vector<Mat3d> spread;                   ///< A_qq
    std::vector<std::optional<Mat3d>> inverses;  ///< nothing if the region lies in a plane
};

RestShapes rest_shapes(const RegionSums& sums, std::span<const Vec3d> rest)
{
    RestShapes shapes{sums.covariances(rest, rest), {}};
    for (const Mat3d& spread : shapes.spread) shapes.inverses.push_back(inverse_of(spread));
    return shapes;
}

/// A = R S of a region, the linear fit of a pose; S = I for one that lies in a plane.
struct LinearFit {
    Mat3d A, R, S;
    LinearFit(const Mat3d& A_pq, const std::optional<Mat3d>& inverse)
        : A(inverse ? A_pq * *inverse : A_pq), R(to_matrix(closest_rotation(A, {})))
    {
        const Mat3d B = transpose(R) * A;
        if (inverse) S = (B + transpose(B)) * 0.5;
    }
};

/// An example, region by region.
struct Pose {
    std::vector<Packed> shape, row;  ///< S - I, and the same by the metric
    std::vector<double> square;      ///< its length squared by the metric
    double unit = 0;                 ///< that of a shape twice as large in all directions, in the largest region
    std::vector<LinearFit> fits;
    int inverted = 0;
    double left = 0, whole = 0;  ///< energies in the pose: affine goals, plain matching
};

Packed by_metric(ExampleMetric metric, const Packed& shape, const Mat3d& spread)
{
    Packed row = shape;
    if (metric == ExampleMetric::energy) {
        const Mat3d m{{shape[0], shape[5], shape[4]}, {shape[5], shape[1], shape[3]}, {shape[4], shape[3], shape[2]}};
        row = pack(m * spread);  // pack takes the symmetric part
    }
    for (int k = 3; k < 6; ++k) row[std::size_t(k)] *= metric == ExampleMetric::plain6 ? 1 : 2;
    return row;
}

double dot6(const Packed& a, const Packed& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double trace(const Mat3d& m)
{
    return m.c0.x + m.c1.y + m.c2.z;
}

Pose measure_pose(ExampleMetric metric, std::span<const Vec3d> positions, const RegionSums& sums,
                  const RestShapes& shapes, std::span<const Vec3d> rest)
{
    const std::vector<Mat3d> covariances = sums.covariances(positions, rest);
    const std::vector<double> squares = sums.squares(positions);
    const std::size_t n = covariances.size();
    Pose pose;
    pose.shape.resize(n), pose.row.resize(n), pose.square.resize(n);
    double size = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const Mat3d &A_qq = shapes.spread[r], &A_pq = covariances[r];
        const LinearFit& fit = pose.fits.emplace_back(A_pq, shapes.inverses[r]);
        const double weight = sums.weight(r);
        if (shapes.inverses[r]) {
            pose.inverted += determinant(fit.A) <= 0;
            pose.shape[r] = pack(fit.S - Mat3d{});
            pose.row[r] = by_metric(metric, pose.shape[r], A_qq * weight);
            pose.square[r] = dot6(pose.shape[r], pose.row[r]);
            const Packed twice{1, 1, 1, 0, 0, 0};
            pose.unit = std::max(pose.unit, dot6(twice, by_metric(metric, twice, A_qq * weight)));
        }
        // sum m |R^T p - S q|^2 and sum m |p - R q|^2
        const Mat3d plain = to_matrix(closest_rotation(A_pq, {}));
        pose.left += weight * (squares[r] - 2 * trace(fit.S * transpose(fit.R) * A_pq) + trace(fit.S * fit.S * A_qq));
        pose.whole += weight * (squares[r] - 2 * trace(transpose(plain) * A_pq) + trace(A_qq));
        size += weight * squares[r];
    }
    if (pose.whole < 1e-12 * size) pose.whole = 0;  // the rest shape, moved or turned
    return pose;
}

/// R^T p - S q of every member of every region.
std::vector<Vec3d> details_of(const Pose& pose, std::span<const Vec3d> positions, const Regions& regions,
                              std::span<const Vec3d> rest, std::span<const double> masses)
{
    std::vector<Vec3d> details;
    details.reserve(regions.lists().values.size());
    for (std::size_t r = 0; r < regions.region_count(); ++r) {
        const std::vector<Vec3d> q = about_center(regions, r, rest, masses),
                                 p = about_center(regions, r, positions, masses);
        for (std::size_t k = 0; k < q.size(); ++k)
            details.push_back(transpose(pose.fits[r].R) * p[k] - pose.fits[r].S * q[k]);
    }
    return details;
}

/// sum m a b over the members of a region.
double product_of_details(const Regions& regions, std::size_t r, std::span<const double> masses,
                          const std::vector<Vec3d>& a, const std::vector<Vec3d>& b)
{
    double sum = 0;
    for (auto k = std::size_t(regions.lists().offsets[r]); k < std::size_t(regions.lists().offsets[r + 1]); ++k) {
        const auto i = std::size_t(regions.lists().values[k]);
        sum += masses[i] / double(regions.holders()[i].size()) * dot(a[k], b[k]);
    }
    return sum;
}

/// What Kernels::hull wants to know about the faces of one region's hull.
std::vector<double> face_constants(const GramMatrix& gram)
{
    constexpr double kArea = 1e-6;  // of a face, relative: flatter ones are no more than their edges
    const int n = int(gram.rows());
    const auto at = [&](int j, int k) { return j == n || k == n ? 0.0 : gram(j, k); };
    std::vector<double> constants;
    for_each_face(n, [&](int base, int count, const int* others) {
        if (count == 0) {
            constants.push_back(at(base, base));
            return;
        }
        if (base != n)
            for (int j = 0; j < count; ++j) constants.push_back(at(others[j], base) - at(base, base));
        Eigen::MatrixXd M(count, count);
        for (int j = 0; j < count; ++j)
            for (int k = 0; k < count; ++k)
                M(j, k) = at(others[j], others[k]) - at(others[j], base) - at(base, others[k]) + at(base, base);
        const double largest = M.diagonal().maxCoeff();
        const bool has_area = largest > 0 && M.determinant() > kArea * std::pow(largest, count);
        const Eigen::MatrixXd inverse = has_area ? Eigen::MatrixXd(M.inverse()) : Eigen::MatrixXd::Zero(count, count);
        for (int j = 0; j < count; ++j)
            for (int k = j; k < count; ++k) constants.push_back(inverse(j, k));
    });
    return constants;
}

/// All in a plane, on a line or in a point.
bool is_flat(std::span<const Vec3d> points)
{
    Vec3d center;
    for (const Vec3d& p : points) center += p / double(points.size());
    Mat3d sum = Mat3d::zero();
    for (const Vec3d& p : points) sum = sum + outer(p - center, p - center);
    return determinant(sum) <= 1e-13 * std::pow(trace(sum), 3);
}

Status check(const ExampleSet& set, std::size_t particles)
{
    if (set.poses.size() > std::size_t(kMostExamples))
        return Error{"examples", std::to_string(set.poses.size()) + " poses; at most " + std::to_string(kMostExamples)};
    for (const ExamplePose& pose : set.poses) {
        const std::string where = "example \"" + pose.name + "\"";
        if (pose.positions.size() != particles)
            return Error{where, "has " + std::to_string(pose.positions.size()) + " vertices, the body has " +
                                    std::to_string(particles) + " particles"};
        for (std::size_t i = 0; i < particles; ++i)
            if (!is_finite(pose.positions[i])) return Error{where, "vertex " + std::to_string(i) + " is not finite"};
    }
    if (set.rotation == ExampleRotation::joint &&
        (set.metric != ExampleMetric::energy || set.weights != ExampleWeights::exact))
        return Error{"examples", "joint rotations need the energy metric and exact weights"};
    if (set.each_region && set.groups)
        return Error{"groups", "are given, though every region is to be a group of its own"};
    return Done{};
}

}  // namespace

std::vector<Mat3d> region_stretches(const Regions& regions, std::span<const Vec3d> rest, std::span<const double> masses,
                                    std::span<const Vec3d> positions)
{
    const RegionSums sums(regions, regions.boxes(), masses);
    const RestShapes shapes = rest_shapes(sums, rest);
    std::vector<Mat3d> stretches = sums.covariances(positions, rest);
    for (std::size_t r = 0; r < stretches.size(); ++r) stretches[r] = LinearFit(stretches[r], shapes.inverses[r]).S;
    return stretches;
}

void Examples::prepare_variational(std::span<const Mat3d> spread, double mass_unit)
{
    mass_unit_ = mass_unit;
    largest_sizes_.assign(count(), 0.0f);
    for_each_region(0, blocks_, [&](std::size_t lane, std::size_t) {
        for (std::size_t k = 0; k < count(); ++k) largest_sizes_[k] = std::max(largest_sizes_[k], size(k, lane));
    });
    inertia_.resize(blocks_);
    for_each_region(0, blocks_, [&](std::size_t lane, std::size_t r) {
        const Packed inertia = pack(spread[r] * (1 / mass_unit_));
        for (std::size_t e = 0; e < 6; ++e) inertia_[lane / kLanes].K[e][lane % kLanes] = float(inertia[e]);
    });
    turned_rows_ = shapes_;
    for (RegionStretch& row : turned_rows_)
        for (int e = 0; e < 6; ++e)
            for (float& v : row.T[e]) v *= float(mass_unit_) * (e < 3 ? 1.0f : 2.0f);
}

Result<Examples> Examples::make(ExampleSet set, const Regions& regions, std::span<const Vec3d> rest,
                                std::span<const double> masses)
{
    if (const Status ok = check(set, rest.size()); !ok) return ok.error();
    for (const ExamplePose& pose : set.poses) {
        const std::string where = "example \"" + pose.name + "\"";
        if (is_flat(pose.positions) && !is_flat(rest)) return Error{where, "is flat: no part of it has a volume"};
        if (!(length(bounds(pose.positions).size()) < 1e4 * length(bounds(rest).size())))
            return Error{where, "is more than 10,000 times as large as the rest shape: is it in other units?"};
    }
    Examples out = measure(std::make_shared<const ExampleSet>(std::move(set)), regions, regions.boxes(), rest, masses);
    for (const ExampleReport& report : out.reports_)
        if (std::size_t(report.inverted_regions) == out.regions_)
            return Error{"example \"" + report.name + "\"", "is mirrored: every part of it is inside out"};
    return out;
}

Examples Examples::measure(std::shared_ptr<const ExampleSet> shared, const Regions& regions, const BoxClasses* classes,
                           std::span<const Vec3d> rest, std::span<const double> masses)
{
    const ExampleSet& set = *shared;
    Examples out;
    const std::size_t n = out.regions_ = regions.region_count(), count = set.poses.size();
    out.set_ = std::move(shared);
    out.blocks_ = regions.block_count();
    out.boxes_ = classes != nullptr;
    out.each_region_ = set.each_region;
    out.exact_ = set.weights == ExampleWeights::exact;
    out.turning_ = set.rotation == ExampleRotation::fitted ? Turning::fit_linear : Turning::fit_stretched;
    for (std::size_t lane = 0; lane < out.blocks_ * kLanes; ++lane) out.region_in_.push_back(regions.region_in(lane));

    const RegionSums sums(regions, classes, masses);
    const RestShapes at_rest = rest_shapes(sums, rest);
    std::vector<Pose> poses;
    double largest = 0;
    for (const ExamplePose& example : set.poses) {
        poses.push_back(measure_pose(set.metric, example.positions, sums, at_rest, rest));
        const Pose& pose = poses.back();
        largest = std::max(largest, *std::ranges::max_element(pose.square));
        if (pose.inverted > 0)
            out.warnings_.push_back("example \"" + example.name + "\": " + std::to_string(pose.inverted) + " of " +
                                    std::to_string(n) + " regions are inside out");
    }
    for (std::size_t k = 0; k < count; ++k) {  // what is next to nothing for the whole is nothing, [Examples] 7
        bool moves = false;
        for (std::size_t r = 0; r < n; ++r) {
            if (poses[k].square[r] > std::max(1e-14 * largest, 1e-12 * poses[k].unit)) {
                moves = true;
                continue;
            }
            poses[k].shape[r] = poses[k].row[r] = {};
            poses[k].square[r] = 0;
        }
        if (!moves)
            out.warnings_.push_back("example \"" + set.poses[k].name +
                                    "\" is the rest shape, moved or turned: it has no effect");
        ExampleReport report{set.poses[k].name, poses[k].inverted, 0, 0};
        report.size = std::sqrt(std::accumulate(poses[k].square.begin(), poses[k].square.end(), 0.0));
        report.energy_left = poses[k].whole > 0 ? std::max(poses[k].left / poses[k].whole, 0.0) : 0;
        out.reports_.push_back(report);
        if (classes && set.goal == ExampleGoal::automatic && report.energy_left > kCoarse)
            out.warnings_.push_back(
                "example \"" + report.name + "\" keeps " + std::to_string(std::lround(100 * report.energy_left)) +
                " % of its energy: the goal \"offsets\" would make it a place of rest, with regions of one width");
    }
    const bool coarse =
        std::ranges::any_of(out.reports_, [](const ExampleReport& r) { return r.energy_left > kCoarse; });
    std::vector<std::vector<Vec3d>> details;  // per example, membership
    if (!classes && (set.goal == ExampleGoal::offsets || (set.goal == ExampleGoal::automatic && coarse))) {
        for (std::size_t k = 0; k < count; ++k)
            details.push_back(details_of(poses[k], set.poses[k].positions, regions, rest, masses));
        out.offsets_.emplace(regions, details);
    }

    // Eight regions at a time; spare lanes stay zero.
    out.spread_.resize(out.blocks_);
    out.shapes_.resize(count * out.blocks_);
    out.rows_.resize(count * out.blocks_);
    out.for_each_region(0, out.blocks_, [&](std::size_t place, std::size_t r) {
        const std::size_t block = place / kLanes, lane = place % kLanes;
        if (const auto& inverse = at_rest.inverses[r]) {
            const Packed K = pack(*inverse * sums.mass_unit());
            for (std::size_t e = 0; e < 6; ++e) out.spread_[block].K[e][lane] = float(K[e]);
        }
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t e = 0; e < 6; ++e) {
                out.shapes_[k * out.blocks_ + block].T[e][lane] = float(poses[k].shape[r][e]);
                out.rows_[k * out.blocks_ + block].T[e][lane] = float(poses[k].row[r][e]);
            }
    });

    if (set.rotation == ExampleRotation::joint) out.prepare_variational(at_rest.spread, sums.mass_unit());

    // Gram matrices.
    const auto size = Eigen::Index(count);
    const bool with_details = set.rotation == ExampleRotation::joint && out.offsets_;
    const auto add = [&](GramMatrix& gram, std::size_t r) {
        for (Eigen::Index j = 0; j < size; ++j)
            for (Eigen::Index k = 0; k < size; ++k) {
                const Pose &a = poses[std::size_t(j)], &b = poses[std::size_t(k)];
                gram(j, k) += dot6(a.row[r], b.shape[r]);
                if (with_details)
                    gram(j, k) +=
                        product_of_details(regions, r, masses, details[std::size_t(j)], details[std::size_t(k)]);
            }
    };
    GramMatrix whole = GramMatrix::Zero(size, size);
    for (std::size_t r = 0; r < n; ++r) add(whole, r);
    // Singular values of L below 1e-7 of the largest count as zero.
    const double least = 1e-14 * (count > 0 ? whole.trace() : 0);
    out.whole_inverse_ = pseudo_inverse(whole, least);
    out.group_of_.assign(out.region_in_.size(), 0);
    if (set.each_region && out.exact_ && count <= 3) {
        for (std::size_t block = 0; block < out.blocks_; ++block) {
            std::vector<GramMatrix> lanes;
            for (std::size_t lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
                lanes.push_back(GramMatrix::Zero(size, size));
                if (out.region_in_[lane] >= 0) add(lanes.back(), std::size_t(out.region_in_[lane]));
            }
            std::vector<std::vector<double>> constants;  // per lane
            for (const GramMatrix& gram : lanes) constants.push_back(face_constants(gram));
            for (std::size_t k = 0; k < hull_constants(int(count)); ++k)
                for (const std::vector<double>& lane : constants) out.lane_faces_.push_back(float(lane[k]));
        }
        return out;
    }
    std::int32_t groups = 1;
    out.for_each_region(0, out.blocks_, [&](std::size_t lane, std::size_t r) {
        if (set.each_region)
            out.group_of_[lane] = std::int32_t(lane);
        else if (set.groups)
            out.group_of_[lane] = (*set.groups->array())[r];  // sampled by build()
        groups = std::max(groups, out.group_of_[lane] + 1);
    });
    out.grams_.assign(std::size_t(groups), GramMatrix::Zero(size, size));
    out.for_each_region(0, out.blocks_,
                        [&](std::size_t lane, std::size_t r) { add(out.grams_[std::size_t(out.group_of_[lane])], r); });
    for (const GramMatrix& gram : out.grams_) out.inverses_.push_back(pseudo_inverse(gram, least));
    return out;
}

}  // namespace yawara::matching
