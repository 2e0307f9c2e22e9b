// What is constant about examples: their stretch in every region, the rows of the projection and its Gram matrices,
// [Examples] 5, in double.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "matching/examples.h"
#include "math/rotation.h"

namespace yawara::matching {
namespace {

using Packed = std::array<double, 6>;  ///< xx, yy, zz, yz, xz, xy

Packed pack(const Mat3d& m)
{
    return {m.c0.x, m.c1.y, m.c2.z, (m.c1.z + m.c2.y) / 2, (m.c0.z + m.c2.x) / 2, (m.c0.y + m.c1.x) / 2};
}

/// A region's shape about its centre of mass, in one pose.
struct RegionPose {
    std::vector<double> masses;
    std::vector<Vec3d> points;
};

RegionPose pose_of(const Regions& regions, std::size_t r, std::span<const Vec3d> positions,
                   std::span<const double> masses)
{
    RegionPose pose;
    double mass = 0;
    Vec3d center;
    for (const std::int32_t member : regions.lists()[r]) {
        const auto i = std::size_t(member);
        const double m = masses[i] / double(regions.holders()[i].size());
        pose.masses.push_back(m);
        pose.points.push_back(positions[i]);
        mass += m;
        center += positions[i] * m;
    }
    for (Vec3d& p : pose.points) p -= center / mass;
    return pose;
}

/// sum m a b^T
Mat3d covariance(const RegionPose& a, const RegionPose& b)
{
    Mat3d sum = Mat3d::zero();
    for (std::size_t k = 0; k < a.points.size(); ++k) sum = sum + outer(a.points[k] * a.masses[k], b.points[k]);
    return sum;
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

/// An example, region by region.
struct Pose {
    std::vector<Packed> shape, row;  ///< S - I, and the same by the metric
    std::vector<double> square;      ///< its length squared by the metric
    double unit = 0;                 ///< that of a shape twice as large in all directions, in the largest region
    std::vector<Vec3d> details;      ///< per membership
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

Pose measure_pose(const ExampleSet& set, const ExamplePose& example, const Regions& regions,
                  std::span<const Vec3d> rest, std::span<const double> masses)
{
    const std::size_t n = regions.region_count();
    Pose pose;
    pose.shape.resize(n), pose.row.resize(n), pose.square.resize(n);
    pose.details.reserve(regions.lists().values.size());
    for (std::size_t r = 0; r < n; ++r) {
        const RegionPose q = pose_of(regions, r, rest, masses), p = pose_of(regions, r, example.positions, masses);
        const Mat3d spread = covariance(q, q), A_pq = covariance(p, q);
        const std::optional<Mat3d> inverse = inverse_of(spread);
        const Mat3d A = inverse ? A_pq * *inverse : A_pq;
        const Mat3d R = to_matrix(closest_rotation(A, {}));
        const Mat3d B = transpose(R) * A;
        const Mat3d S = inverse ? (B + transpose(B)) * 0.5 : Mat3d{};
        pose.inverted += inverse && determinant(A) <= 0;
        if (inverse) {
            pose.shape[r] = pack(S - Mat3d{});
            pose.row[r] = by_metric(set.metric, pose.shape[r], spread);
            pose.square[r] = dot6(pose.shape[r], pose.row[r]);
            const Packed twice{1, 1, 1, 0, 0, 0};
            pose.unit = std::max(pose.unit, dot6(twice, by_metric(set.metric, twice, spread)));
        }
        const Mat3d plain = to_matrix(closest_rotation(A_pq, {}));
        for (std::size_t k = 0; k < q.points.size(); ++k) {
            pose.details.push_back(transpose(R) * p.points[k] - S * q.points[k]);
            const Vec3d away = plain * q.points[k] - p.points[k];
            pose.left += q.masses[k] * dot(pose.details.back(), pose.details.back());
            pose.whole += q.masses[k] * dot(away, away);
        }
    }
    return pose;
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

Status check(const ExampleSet& set, std::size_t particles, std::size_t regions)
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
    if (set.each_region && !set.groups.empty())
        return Error{"groups", "are given, though every region is to be a group of its own"};
    if (!set.groups.empty() && set.groups.size() != regions)
        return Error{"groups",
                     std::to_string(set.groups.size()) + " labels for " + std::to_string(regions) + " regions"};
    for (const std::int32_t g : set.groups)
        if (g < 0 || g > 1000) return Error{"groups", "label " + std::to_string(g) + " is outside 0 to 1000"};
    return Done{};
}

}  // namespace

std::vector<Mat3d> region_stretches(const Regions& regions, std::span<const Vec3d> rest, std::span<const double> masses,
                                    std::span<const Vec3d> positions)
{
    std::vector<Mat3d> stretches(regions.region_count());
    for (std::size_t r = 0; r < stretches.size(); ++r) {
        const RegionPose q = pose_of(regions, r, rest, masses), p = pose_of(regions, r, positions, masses);
        const std::optional<Mat3d> inverse = inverse_of(covariance(q, q));
        if (!inverse) continue;
        const Mat3d A = covariance(p, q) * *inverse;
        const Mat3d B = transpose(to_matrix(closest_rotation(A, {}))) * A;
        stretches[r] = (B + transpose(B)) * 0.5;
    }
    return stretches;
}

void Examples::prepare_variational(const Regions& regions, std::span<const Vec3d> rest, std::span<const double> masses)
{
    mass_unit_ = regions.mass_unit();
    inertia_.resize(blocks_);
    for (std::size_t slot = 0; slot < regions_; ++slot) {
        const RegionPose q = pose_of(regions, std::size_t(order_[slot]), rest, masses);
        const Packed inertia = pack(covariance(q, q) * (1 / mass_unit_));
        for (std::size_t e = 0; e < 6; ++e) inertia_[slot / kLanes].K[e][slot % kLanes] = float(inertia[e]);
    }
    turned_rows_ = shapes_;
    for (RegionStretch& row : turned_rows_)
        for (int e = 0; e < 6; ++e)
            for (float& v : row.T[e]) v *= float(mass_unit_) * (e < 3 ? 1.0f : 2.0f);
}

Result<Examples> Examples::make(const ExampleSet& set, const Regions& regions, std::span<const Vec3d> rest,
                                std::span<const double> masses)
{
    if (const Status ok = check(set, rest.size(), regions.region_count()); !ok) return ok.error();
    Examples out;
    const std::size_t n = out.regions_ = regions.region_count(), count = set.poses.size();
    out.blocks_ = regions.block_count();
    out.each_region_ = set.each_region;
    out.exact_ = set.weights == ExampleWeights::exact;
    out.turning_ = set.rotation == ExampleRotation::fitted ? Turning::fit_linear : Turning::fit_stretched;
    out.order_.resize(n);
    for (std::size_t slot = 0; slot < n; ++slot) out.order_[slot] = std::int32_t(regions.particle_at(slot));

    std::vector<Pose> poses;
    double largest = 0;
    for (const ExamplePose& example : set.poses) {
        poses.push_back(measure_pose(set, example, regions, rest, masses));
        const Pose& pose = poses.back();
        largest = std::max(largest, *std::ranges::max_element(pose.square));
        if (std::size_t(pose.inverted) == n)
            return Error{"example \"" + example.name + "\"", "is mirrored: every part of it is inside out"};
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
        report.energy_left = poses[k].whole > 0 ? poses[k].left / poses[k].whole : 0;
        out.reports_.push_back(report);
    }
    const bool coarse = std::ranges::any_of(out.reports_, [](const ExampleReport& r) { return r.energy_left > 0.1; });
    if (set.goal == ExampleGoal::offsets || (set.goal == ExampleGoal::automatic && coarse)) {
        std::vector<std::vector<Vec3d>> details;
        for (const Pose& pose : poses) details.push_back(pose.details);
        out.offsets_.emplace(regions, details);
    }

    // Eight regions at a time; spare lanes stay zero.
    out.spread_.resize(out.blocks_);
    out.shapes_.resize(count * out.blocks_);
    out.rows_.resize(count * out.blocks_);
    for (std::size_t slot = 0; slot < n; ++slot) {
        const std::size_t r = std::size_t(out.order_[slot]), block = slot / kLanes, lane = slot % kLanes;
        const RegionPose q = pose_of(regions, r, rest, masses);
        if (const auto inverse = inverse_of(covariance(q, q))) {
            const Packed K = pack(*inverse * regions.mass_unit());
            for (std::size_t e = 0; e < 6; ++e) out.spread_[block].K[e][lane] = float(K[e]);
        }
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t e = 0; e < 6; ++e) {
                out.shapes_[k * out.blocks_ + block].T[e][lane] = float(poses[k].shape[r][e]);
                out.rows_[k * out.blocks_ + block].T[e][lane] = float(poses[k].row[r][e]);
            }
    }

    if (set.rotation == ExampleRotation::joint) out.prepare_variational(regions, rest, masses);

    // Gram matrices.
    const auto size = Eigen::Index(count);
    const bool with_details = set.rotation == ExampleRotation::joint && out.offsets_;
    const auto add = [&](GramMatrix& gram, std::size_t r) {
        for (Eigen::Index j = 0; j < size; ++j)
            for (Eigen::Index k = 0; k < size; ++k) {
                const Pose &a = poses[std::size_t(j)], &b = poses[std::size_t(k)];
                gram(j, k) += dot6(a.row[r], b.shape[r]);
                if (with_details) gram(j, k) += product_of_details(regions, r, masses, a.details, b.details);
            }
    };
    GramMatrix whole = GramMatrix::Zero(size, size);
    for (std::size_t r = 0; r < n; ++r) add(whole, r);
    // Singular values of L below 1e-7 of the largest count as zero.
    const double least = 1e-14 * (count > 0 ? whole.trace() : 0);
    out.whole_inverse_ = pseudo_inverse(whole, least);
    out.group_of_.assign(n, 0);
    if (set.each_region && out.exact_ && count <= 3) {
        for (std::size_t block = 0; block < out.blocks_; ++block) {
            std::vector<GramMatrix> lanes;
            for (std::size_t slot = block * kLanes; slot < (block + 1) * kLanes; ++slot) {
                lanes.push_back(GramMatrix::Zero(size, size));
                if (slot < n) add(lanes.back(), std::size_t(out.order_[slot]));
            }
            std::vector<std::vector<double>> constants;  // per lane
            for (const GramMatrix& gram : lanes) constants.push_back(face_constants(gram));
            for (std::size_t k = 0; k < hull_constants(int(count)); ++k)
                for (const std::vector<double>& lane : constants) out.lane_faces_.push_back(float(lane[k]));
        }
        return out;
    }
    std::int32_t groups = 1;
    for (std::size_t slot = 0; slot < n; ++slot) {
        const auto r = std::size_t(out.order_[slot]);
        if (set.each_region)
            out.group_of_[slot] = std::int32_t(slot);
        else if (!set.groups.empty())
            out.group_of_[slot] = set.groups[r];
        groups = std::max(groups, out.group_of_[slot] + 1);
    }
    out.grams_.assign(std::size_t(groups), GramMatrix::Zero(size, size));
    for (std::size_t slot = 0; slot < n; ++slot)
        add(out.grams_[std::size_t(out.group_of_[slot])], std::size_t(out.order_[slot]));
    for (const GramMatrix& gram : out.grams_) out.inverses_.push_back(pseudo_inverse(gram, least));
    return out;
}

}  // namespace yawara::matching
